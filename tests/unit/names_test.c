/* names: what C++, CUDA or the library has taken is refused where generated code would use it as it is (WW102), for each kind of
 * name, and accepted where it only is part of a longer one. */
#include "core_kernel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* What is declared; members left out have harmless names. */
typedef struct names {
    const char *kernel, *params, *resource, *type, *buffer, *work, *input, *output, *constant, *task,
        *counter, *skip, *extent, *bound;
} names;

static const char *or_else(const char *name, const char *otherwise)
{
    return name ? name : otherwise;
}

static void produce(ww_schedule *s, void *context)
{
    const names *n = context;
    ww_bound end = n->bound ? ww_device(n->bound) : ww_imm(4);
    ww_domain_loop(s, ww_imm(0), end, ww_imm(1)) {
    }
}

static const char *value(ww_kernel *k, const char *type, const char *name)
{
    return arena_printf(&k->arena, "%s %s", type, name);
}

static ww_kernel *declare(const names *n)
{
    ww_kernel *k = ww_kernel_new(
        or_else(n->kernel, "k"),
        &(ww_kernel_options){
            .arch = "sm_90a", .body = "k.cuh", .params = or_else(n->params, "k_params"), .params_bytes = 4});
    const ww_work work[] = {{.name = or_else(n->work, "fill"),
                             .side = WW_PRODUCER,
                             .in = {value(k, "int", or_else(n->input, "from"))},
                             .out = {value(k, "int", or_else(n->output, "to"))},
                             .constants = {value(k, "int", or_else(n->constant, "part"))}},
                            {0}};
    (void)ww_resource_new(k, or_else(n->resource, "r"),
                          &(ww_resource_options){.type = n->type,
                                                 .buffers = {{or_else(n->buffer, "data"), 16, 0}},
                                                 .work = work});
    ww_queue_options queue = {.skip = n->skip};
    if (n->extent)
        queue.tiles[0] = (ww_bound){.kind = WW_BOUND_ARGUMENT, .name = n->extent};
    if (n->counter) {
        queue.counter = n->counter;
        (void)ww_queue_counter(k, "queue", &queue);
    } else {
        (void)ww_queue_static(k, "queue", &queue);
    }
    names copy = *n;
    (void)ww_task_new(k, or_else(n->task, "t"),
                      &(ww_task_options){.warps = 1, .schedule = produce, .context = &copy});
    return k;
}

static const ww_diag *found(ww_kernel *k)
{
    const ww_diag *d = k->diags.first;
    while (d && d->code != WW_BAD_NAME)
        d = d->next;
    return d;
}

/* ---- refused -------------------------------------------------------------------------------------------- */

typedef struct refusal {
    names names;
    const char *message, *found;
} refusal;

static void taken_names_are_refused(void **state)
{
    (void)state;
    static const refusal refusals[] = {
        {{.kernel = "class"}, "the kernel is named class", "class, a keyword of C++"},
        {{.kernel = "ww"}, "the kernel is named ww", "ww, the namespace of the library"},
        {{.kernel = "__k"},
         "the kernel is named __k",
         "__k, reserved for the compiler: it begins with two underscores, or with one and a capital letter"},
        {{.params = "namespace"},
         "the struct of the kernel's parameters is named namespace",
         "namespace, a keyword of C++"},
        {{.kernel = "same", .params = "same"},
         "the kernel and its parameter struct have one name",
         "same and same"},
        {{.resource = "template"}, "a resource is named template", "template, a keyword of C++"},
        {{.resource = "threadIdx"}, "a resource is named threadIdx", "threadIdx, a name of CUDA"},
        {{.resource = "r", .type = "operator"},
         "the type of a resource is named operator",
         "operator, a keyword of C++"},
        {{.type = "ww_tile"},
         "the type of a resource is named ww_tile",
         "ww_tile, of the library, whose names begin with ww_"},
        {{.type = "uint32_t"},
         "the type of a resource is named uint32_t",
         "uint32_t, a type of the standard headers"},
        {{.resource = "_R", .type = "ring"},
         "a resource is named _R",
         "_R, reserved for the compiler: it begins with two underscores, or with one and a capital letter"},
        {{.input = "class"}, "a value of a work method is named class", "class, a keyword of C++"},
        {{.output = "this"}, "a value of a work method is named this", "this, a keyword of C++"},
        {{.constant = "co_await"},
         "a value of a work method is named co_await",
         "co_await, a keyword of C++"},
        {{.counter = "new"}, "the counter of a work queue is named new", "new, a keyword of C++"},
        {{.skip = "delete"},
         "the skip predicate of a work queue is named delete",
         "delete, a keyword of C++"},
        {{.extent = "private"}, "an extent of a work queue is named private", "private, a keyword of C++"},
        {{.bound = "requires"}, "a bound of a domain loop is named requires", "requires, a keyword of C++"},
    };
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        ww_kernel *k = declare(&refusals[i].names);
        const ww_diag *d = found(k);
        assert_non_null(d);
        assert_string_equal(d->message, refusals[i].message);
        assert_string_equal(d->found, refusals[i].found);
        assert_non_null(d->expected);
        assert_non_null(d->hint);
        ww_kernel_free(k);
    }
}

/* ---- accepted ------------------------------------------------------------------------------------------- */

static void parts_of_names_are_free(void **state)
{
    (void)state;
    static const names accepted[] = {
        {0},
        {.kernel = "classes", .params = "classes_params"},
        {.resource = "class", .type = "ring"},
        {.buffer = "new"},
        {.work = "delete"},
        {.task = "operator"},
        {.input = "warp", .output = "lane", .constant = "params"},
        {.resource = "params", .type = "tile"},
        {.counter = "count", .skip = "skip", .extent = "m", .bound = "trips"},
    };
    for (size_t i = 0; i < sizeof accepted / sizeof *accepted; i++) {
        ww_kernel *k = declare(&accepted[i]);
        assert_null(found(k));
        ww_kernel_free(k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(taken_names_are_refused),
        cmocka_unit_test(parts_of_names_are_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
