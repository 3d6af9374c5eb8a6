/* Kernels: creation, the graph, the end. */
#include "model/model.h"
#include "model/names.h"

enum {
    MOST_PARAM_BYTES = 4096
}; /* CUDA C++ Programming Guide, "__global__ function parameters", the portable limit */

/* What we know of an architecture: shared memory a CTA can use (CUDA C++ Programming Guide, compute
 * capabilities). */
static const struct {
    const char *name;
    uint32_t smem_bytes;
} architectures[] = {{"sm_90a", 232448}};

uint32_t model_smem_capacity(const ww_kernel *k)
{
    if (k->options.smem_capacity)
        return k->options.smem_capacity;
    for (size_t i = 0; i < ARRAY_LEN(architectures); i++)
        if (strcmp(architectures[i].name, k->options.arch) == 0)
            return architectures[i].smem_bytes;
    return 0;
}

static void check_kernel(ww_kernel *k)
{
    if (!name_is_identifier(k->name)) {
        ww_diag *d = diag_add(&k->diags, WW_BAD_NAME, k->place, "the kernel's name is not a C identifier");
        diag_found(&k->diags, d, "\"%s\"", k->name);
    }
    if (!model_smem_capacity(k) || strcmp(k->options.arch, architectures[0].name) != 0) {
        ww_diag *d = diag_add(&k->diags, WW_UNKNOWN_ARCH, k->place,
                              "kernel %s is declared for an architecture "
                              "that this version does not generate code for",
                              k->name);
        diag_expected(&k->diags, d, "sm_90a");
        diag_found(&k->diags, d, "\"%s\"", k->options.arch);
    }
    if (!k->options.params || !name_is_identifier(k->options.params)) {
        ww_diag *d = diag_add(&k->diags, WW_BAD_NAME, k->place,
                              "kernel %s does not name the struct type of its parameter", k->name);
        diag_hint(&k->diags, d, ".params = \"%s_params\", a struct of the body header", k->name);
    }
    if (!k->options.params_bytes || k->options.params_bytes > MOST_PARAM_BYTES) {
        ww_diag *d =
            diag_add(&k->diags, WW_BAD_VALUE, k->place, "size of kernel %s's parameter struct", k->name);
        diag_expected(&k->diags, d, "1 to %d bytes", MOST_PARAM_BYTES);
        diag_found(&k->diags, d, "%zu", k->options.params_bytes);
    }
    if (!k->options.body)
        (void)diag_add(&k->diags, WW_BAD_NAME, k->place,
                       "kernel %s does not name the header of its work bodies", k->name);
}

ww_kernel *ww_kernel_new_at(ww_place place, const char *name, const ww_kernel_options *options)
{
    ww_kernel *k = base_alloc(sizeof *k);
    memset(k, 0, sizeof *k);
    diag_list_init(&k->diags, &k->arena);
    k->name = arena_strdup(&k->arena, name ? name : "");
    k->place = place;
    if (options)
        k->options = *options;
    if (!k->options.arch)
        k->options.arch = architectures[0].name;
    check_kernel(k);
    return k;
}

const char *ww_kernel_name(const ww_kernel *k)
{
    return k->name;
}

size_t ww_kernel_params_bytes(const ww_kernel *k)
{
    return k->options.params_bytes;
}

bool model_closed(ww_kernel *k, ww_place place, const char *what)
{
    if (k->closed)
        (void)diag_add(&k->diags, WW_CLOSED, place, "%s is declared after kernel %s was checked", what,
                       k->name);
    return k->closed;
}

void ww_depends_at(ww_place place, ww_kernel *k, ww_resource *downstream, ww_resource *upstream)
{
    if (model_closed(k, place, "a dependency"))
        return;
    if (!downstream) {
        (void)diag_add(&k->diags, WW_GRAPH, place,
                       "an edge of the dependency graph has no downstream resource");
        return;
    }
    model_edge edge = {downstream->index, upstream ? upstream->index : -1, place};
    vec_push(&k->edges, edge);
}

void ww_kernel_unchecked(ww_kernel *k)
{
    k->unchecked = true;
}

bool ww_kernel_is_unchecked(const ww_kernel *k)
{
    return k->unchecked;
}
