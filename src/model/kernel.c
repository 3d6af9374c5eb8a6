/* Kernels: creation, the graph, the end. */
#include "model/model.h"
#include "model/names.h"

enum {
    MOST_PARAM_BYTES = 4096
}; /* CUDA C++ Programming Guide, "__global__ function parameters", the portable limit */

uint32_t model_smem_capacity(const ww_kernel *k)
{
    const model_arch *arch = model_arch_of(k->options.arch);
    return k->options.smem_capacity ? k->options.smem_capacity : arch ? arch->smem_bytes : 0;
}

bool model_needs(ww_kernel *k, ww_place place, unsigned feature, const char *what)
{
    const model_arch *arch = model_arch_of(k->options.arch);
    if (!arch || (arch->features & feature) == feature)
        return true;
    ww_diag *d = diag_add(&k->diags, WW_NEEDS_ARCH, place, "%s needs %s, which %s does not have", what,
                          model_feature_name((model_feature)feature), arch->name);
    diag_expected(&k->diags, d, "one of %s", model_arch_list(&k->arena, feature));
    diag_found(&k->diags, d, "\"%s\"", arch->name);
    diag_hint(&k->diags, d, "declare the kernel for one of those (.arch), or do without %s",
              model_feature_name((model_feature)feature));
    return false;
}

/* Each extent first: the product of what passes for one fits an int. */
static bool is_launchable(const ww_cluster *c)
{
    const int extents[] = {c->v, c->m, c->n, c->k};
    for (size_t i = 0; i < ARRAY_LEN(extents); i++)
        if (extents[i] < 0 || extents[i] > WW_MAX_CLUSTER)
            return false;
    return c->v <= 2 && model_cluster_size(c) <= WW_MAX_CLUSTER;
}

static void check_cluster(ww_kernel *k)
{
    const ww_cluster *c = &k->options.cluster;
    if (!is_launchable(c)) {
        ww_diag *d = diag_add(&k->diags, WW_BAD_CLUSTER, k->place, "cluster of kernel %s", k->name);
        diag_expected(&k->diags, d, "1 to %d CTAs, V 1 or 2", WW_MAX_CLUSTER);
        diag_found(&k->diags, d, "(v, m, n, k) = (%d, %d, %d, %d)", c->v, c->m, c->n, c->k);
        diag_hint(&k->diags, d,
                  "extents from 0 (meaning 1) whose product is at most %d; 8 run on every device",
                  WW_MAX_CLUSTER);
        k->options.cluster = (ww_cluster){0};
        return;
    }
    if (model_cluster_size(c) > 1)
        (void)model_needs(k, k->place, MODEL_CLUSTER, "a cluster");
    if (c->v > 1)
        (void)model_needs(k, k->place, MODEL_TCGEN05, "a cluster with V = 2");
}

bool model_name_taken(ww_kernel *k, ww_place place, const char *what, const char *name)
{
    const char *by = name_is_identifier(name) ? name_taken_by(name) : NULL;
    if (!by)
        return false;
    ww_diag *d = diag_add(&k->diags, WW_BAD_NAME, place, "%s is named %s", what, name);
    diag_expected(&k->diags, d, "a name that is free in the generated CUDA");
    diag_found(&k->diags, d, "%s, %s", name, by);
    diag_hint(&k->diags, d, "%s_%s, for instance",
              strncmp(name, "ww_", 3) == 0 || *name == '_' ? "my" : k->name,
              *name == '_' ? name + strspn(name, "_") : name);
    return true;
}

/* A function hides a type of its name, and the kernel's body names that type. */
static void check_kernel_and_params(ww_kernel *k)
{
    if (!k->options.params || strcmp(k->name, k->options.params) != 0)
        return;
    ww_diag *d =
        diag_add(&k->diags, WW_BAD_NAME, k->place, "the kernel and its parameter struct have one name");
    diag_expected(&k->diags, d, "two names: the kernel's hides the struct's");
    diag_found(&k->diags, d, "%s and %s", k->name, k->options.params);
    diag_hint(&k->diags, d, ".params = \"%s_params\"", k->name);
}

static void check_kernel(ww_kernel *k)
{
    (void)model_name_taken(k, k->place, "the kernel", k->name);
    (void)model_name_taken(k, k->place, "the struct of the kernel's parameters", k->options.params);
    check_kernel_and_params(k);
    if (!name_is_identifier(k->name)) {
        ww_diag *d = diag_add(&k->diags, WW_BAD_NAME, k->place, "the kernel's name is not a C identifier");
        diag_expected(&k->diags, d, "letters, digits and _, no digit first");
        diag_found(&k->diags, d, "\"%s\"", k->name);
        diag_hint(&k->diags, d, "name it as the CUDA function shall be named");
    }
    if (!model_arch_of(k->options.arch)) {
        ww_diag *d = diag_add(&k->diags, WW_UNKNOWN_ARCH, k->place,
                              "kernel %s is declared for an architecture "
                              "that this version does not generate code for",
                              k->name);
        diag_expected(&k->diags, d, "one of %s", model_arch_list(&k->arena, 0));
        diag_found(&k->diags, d, "\"%s\"", k->options.arch);
        diag_hint(&k->diags, d, "leave .arch out for sm_90a");
    }
    if (!k->options.params || !name_is_identifier(k->options.params)) {
        ww_diag *d = diag_add(&k->diags, WW_BAD_NAME, k->place,
                              "kernel %s does not name the struct type of its parameter", k->name);
        diag_expected(&k->diags, d, "the name of a struct");
        if (k->options.params)
            diag_found(&k->diags, d, "\"%s\"", k->options.params);
        else
            diag_found(&k->diags, d, "none");
        diag_hint(&k->diags, d, ".params = \"%s_params\", a struct of the body header", k->name);
    }
    if (!k->options.params_bytes || k->options.params_bytes > MOST_PARAM_BYTES) {
        ww_diag *d =
            diag_add(&k->diags, WW_BAD_VALUE, k->place, "size of kernel %s's parameter struct", k->name);
        diag_expected(&k->diags, d, "1 to %d bytes", MOST_PARAM_BYTES);
        diag_found(&k->diags, d, "%zu", k->options.params_bytes);
        diag_hint(&k->diags, d, ".params_bytes = sizeof(%s)",
                  k->options.params ? k->options.params : "the struct");
    }
    if (!k->options.body)
        diag_texts(&k->diags,
                   diag_add(&k->diags, WW_BAD_NAME, k->place,
                            "kernel %s does not name the header of its work bodies", k->name),
                   "the header as the generated file includes it", "none", ".body = \"kernel.cuh\"");
}

static void check_capacity(ww_kernel *k)
{
    const model_arch *arch = model_arch_of(k->options.arch);
    if (!arch || k->options.smem_capacity <= arch->smem_bytes)
        return;
    ww_diag *d = diag_add(&k->diags, WW_BAD_VALUE, k->place, "smem_capacity of kernel %s", k->name);
    diag_expected(&k->diags, d, "at most %u bytes, what %s has, or 0 for that", arch->smem_bytes, arch->name);
    diag_found(&k->diags, d, "%u", k->options.smem_capacity);
    diag_hint(&k->diags, d, "leave it out");
    k->options.smem_capacity = 0;
}

static void copy_texts(ww_kernel *k)
{
    const char **texts[] = {&k->options.arch, &k->options.body, &k->options.body_folder, &k->options.params};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        if (*texts[i])
            *texts[i] = arena_strdup(&k->arena, *texts[i]);
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
        k->options.arch = "sm_90a";
    copy_texts(k);
    check_kernel(k);
    check_cluster(k);
    check_capacity(k);
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
        diag_texts(&k->diags,
                   diag_add(&k->diags, WW_CLOSED, place, "%s is declared after kernel %s was checked", what,
                            k->name),
                   "all declarations before ww_kernel_check, prove, emit and the reports", "one after them",
                   "move it before the first of these calls");
    return k->closed;
}

void ww_depends_at(ww_place place, ww_kernel *k, ww_resource *downstream, ww_resource *upstream)
{
    if (model_closed(k, place, "a dependency"))
        return;
    const ww_resource *foreign = downstream && downstream->kernel != k ? downstream
                                 : upstream && upstream->kernel != k   ? upstream
                                                                       : NULL;
    if (foreign) {
        ww_diag *d = diag_add(&k->diags, WW_GRAPH, place,
                              "an edge of the dependency graph names %s of another kernel", foreign->name);
        diag_expected(&k->diags, d, "resources of kernel %s", k->name);
        diag_found(&k->diags, d, "%s of kernel %s", foreign->name, foreign->kernel->name);
        diag_hint(&k->diags, d, "name the resource of this kernel");
        diag_related(&k->diags, d, foreign->place, "%s is declared here", foreign->name);
        return;
    }
    if (!downstream) {
        diag_texts(&k->diags,
                   diag_add(&k->diags, WW_GRAPH, place,
                            "an edge of the dependency graph has no downstream resource"),
                   "the resource that is computed", "NULL",
                   "ww_depends(k, downstream, upstream); upstream alone may be NULL");
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
