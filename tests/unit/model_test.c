/* Declaring: values out of range, names, work tables, and the layout of shared memory. */
#include "core_kernel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void expect(ww_kernel *k, ww_code code, const char *message)
{
    const ww_diag *d = core_find(k, code);
    assert_non_null(d);
    assert_string_equal(d->message, message);
    ww_kernel_free(k);
}

static ww_kernel *with_resource(const char *name, ww_resource_options options)
{
    ww_kernel *k = core_kernel();
    (void)ww_resource_new(k, name, &options);
    return k;
}

static void test_kernel(void **state)
{
    (void)state;
    expect(ww_kernel_new("3d", NULL), WW_BAD_NAME, "the kernel's name is not a C identifier");
    expect(ww_kernel_new("k", &(ww_kernel_options){.arch = "sm_70"}), WW_UNKNOWN_ARCH,
           "kernel k is declared for an architecture that this version does not generate code for");
    expect(ww_kernel_new("k", &(ww_kernel_options){.body = "k.cuh", .params = "p", .params_bytes = 5000}),
           WW_BAD_VALUE, "size of kernel k's parameter struct");
    ww_kernel *k = core_kernel();
    assert_null(k->diags.first);
    ww_kernel_free(k);
}

/* Extents whose product does not fit an int; memory that no CTA has. */
static void test_numbers_beyond_the_hardware(void **state)
{
    (void)state;
    static const ww_cluster huge[] = {
        {.m = 65536, .n = 65536}, {.v = 2, .m = INT32_MAX, .n = INT32_MAX, .k = 3}, {.m = 17}, {.k = -1}};
    for (size_t i = 0; i < ARRAY_LEN(huge); i++)
        expect(ww_kernel_new("k", &(ww_kernel_options){.cluster = huge[i]}), WW_BAD_CLUSTER,
               "cluster of kernel k");
    ww_kernel_options options = {.body = "k.cuh", .params = "p", .params_bytes = 8, .smem_capacity = 232448};
    ww_kernel *k = ww_kernel_new("k", &options);
    assert_null(k->diags.first);
    ww_kernel_free(k);
    options.smem_capacity++;
    expect(ww_kernel_new("k", &options), WW_BAD_VALUE, "smem_capacity of kernel k");
}

static void expect_map_name(ww_kernel *k, const char *message)
{
    model_resolve(k);
    expect(k, WW_BAD_NAME, message);
}

/* What resources have becomes constants of one namespace. */
static void test_names_of_the_memory_map(void **state)
{
    (void)state;
    ww_kernel *k = with_resource("a", (ww_resource_options){.buffers = {{"b_c", 64}}});
    (void)ww_resource_new(k, "a_b", &(ww_resource_options){.buffers = {{"c", 64}}});
    expect_map_name(k, "resource a_b: a_b_c stands for two things in the generated memory map");
    k = with_resource("a", (ww_resource_options){.buffers = {{"b_full", 64}}});
    (void)ww_resource_new(k, "a_b", &(ww_resource_options){.pipeline = ww_pipeline_async_async(.stages = 2)});
    expect_map_name(k, "resource a_b: a_b_full stands for two things in the generated memory map");
    expect_map_name(with_resource("ww", (ww_resource_options){.type = "t", .buffers = {{"barriers", 64}}}),
                    "resource ww: ww_barriers stands for two things in the generated memory map");
    k = ww_kernel_new(
        "k", &(ww_kernel_options){.arch = "sm_100a", .body = "k.cuh", .params = "p", .params_bytes = 8});
    (void)ww_resource_new(k, "r", &(ww_resource_options){.tmem = {{"t", 32}, {"t", 32}}});
    expect(k, WW_BAD_NAME, "tensor memory \"t\" of resource r: not a C identifier, or taken twice");
    k = with_resource("a", (ww_resource_options){.buffers = {{"b", 64}, {"c", 64}}});
    (void)ww_resource_new(k, "b", &(ww_resource_options){.buffers = {{"b", 64}}});
    model_resolve(k);
    assert_null(k->diags.first);
    ww_kernel_free(k);
}

/* Lists that are not ended where they may be at the latest. */
static void test_lists_end(void **state)
{
    (void)state;
    ww_kernel *k = core_kernel();
    ww_resource *r = ww_resource_new(k, "r", &(ww_resource_options){.buffers = {{"b", 64}}});
    ww_task_options task = {.warps = 1};
    ww_phase phases[3] = {0};
    for (int i = 0; i <= WW_MAX_VALUES; i++)
        task.consumes[i] = task.produces[i] = phases[0].resources[i] = r;
    const ww_task *t = ww_task_new(k, "t", &task);
    assert_null(t->options.consumes[WW_MAX_VALUES]);
    assert_null(t->options.produces[WW_MAX_VALUES]);
    expect(k, WW_TOO_MANY, "what task t consumes");
    k = core_kernel();
    for (int i = 0; i <= WW_MAX_VALUES; i++)
        phases[0].resources[i] = ww_resource_new(k, (const char[]){(char)('a' + i), 0},
                                                 &(ww_resource_options){.buffers = {{"b", 64}}});
    ww_alias_at(WW_HERE, k, phases);
    expect(k, WW_TOO_MANY, "resources of a phase of an alias group");
}

static void test_resources(void **state)
{
    (void)state;
    expect(with_resource("a b", (ww_resource_options){0}), WW_BAD_NAME,
           "resource \"a b\" of type \"a b\": not C identifiers");
    expect(with_resource("r", (ww_resource_options){.buffers = {{"data", 64, 48}}}), WW_BAD_VALUE,
           "alignment of buffer data of resource r");
    expect(with_resource("r", (ww_resource_options){.buffers = {{"data", 0, 0}}}), WW_BAD_VALUE,
           "size of buffer data of resource r");
    expect(with_resource("r", (ww_resource_options){.pipeline = {.type = WW_ASYNC_ASYNC, .stages = 65}}),
           WW_BAD_VALUE, "stages of the pipeline of resource r");
    expect(with_resource(
               "r", (ww_resource_options){.pipeline = {.type = WW_ASYNC_ASYNC, .stages = WW_STAGES_MAX}}),
           WW_BAD_VALUE, "stages of the pipeline of resource r");
    expect(with_resource("r", (ww_resource_options){.pipeline = {.type = (ww_pipeline_type)99, .stages = 1}}),
           WW_BAD_VALUE, "pipeline type of resource r");
    expect(with_resource(
               "r", (ww_resource_options){.pipeline = {.type = WW_ASYNC_ASYNC, .stages = 1, .tx_bytes = 16}}),
           WW_TX_BYTES, "resource r: a pipeline of type AsyncAsync carries no bytes");
    ww_kernel *k = with_resource("r", (ww_resource_options){0});
    (void)ww_resource_new(k, "r", NULL);
    expect(k, WW_BAD_NAME, "two resources are named r");
}

static ww_kernel *with_work(ww_work work)
{
    const ww_work table[] = {work, {0}};
    return with_resource("r", (ww_resource_options){.buffers = {{"data", 64, 0}}, .work = table});
}

static void expect_bad_work(ww_work work, const char *found)
{
    ww_kernel *k = with_work(work);
    assert_non_null(core_find(k, WW_BAD_WORK));
    assert_string_equal(core_find(k, WW_BAD_WORK)->found, found);
    ww_kernel_free(k);
}

static void test_work_tables(void **state)
{
    (void)state;
    expect_bad_work((ww_work){.name = "w", .in = {"int"}}, "int");
    expect_bad_work((ww_work){.name = "w", .side = WW_PRODUCER, .copies = {{"dat", 64}}}, "dat");
    expect_bad_work((ww_work){.name = "w", .side = WW_PRODUCER, .copies = {{"data", 20}}}, "data");
    expect_bad_work((ww_work){.name = "w", .side = WW_CONSUMER, .copies = {{"data", 64}}},
                    "copies in consumer work");
    expect_bad_work((ww_work){.name = "1w"}, "1w");
    ww_kernel *k = with_work((ww_work){.name = "w", .in = {"const float *p", "unsigned  n "}});
    assert_null(k->diags.first);
    const model_work *w = &k->resources.at[0]->work.at[0];
    assert_int_equal(w->in_count, 2);
    assert_string_equal(w->in[0].type, "const float *");
    assert_string_equal(w->in[0].name, "p");
    assert_string_equal(w->in[1].type, "unsigned");
    assert_string_equal(w->in[1].name, "n");
    ww_kernel_free(k);
}

/* Numbers that are no enumerators, and sums of bytes that would not fit 32 bits. */
static void test_enumerators(void **state)
{
    (void)state;
    expect_bad_work((ww_work){.name = "w", .side = WW_PRODUCER, .copies = {{"data", 64, (ww_reach)9}}},
                    "data");
    expect_bad_work((ww_work){.name = "w", .side = WW_PRODUCER, .copies = {{"data", 0x80000000u}}}, "data");
    expect_bad_work((ww_work){.name = "w", .side = (ww_side)7}, "another side");
    expect(with_resource("r", (ww_resource_options){.buffers = {{"data", 64, 0, (ww_swizzle)9}}}),
           WW_BAD_VALUE, "swizzle of buffer data of resource r");
}

static void test_tasks(void **state)
{
    (void)state;
    ww_kernel *k = core_kernel();
    (void)ww_task_new(k, "t", &(ww_task_options){.first_warp = 30, .warps = 4});
    expect(k, WW_BAD_VALUE, "warp range of task t");
    k = core_kernel();
    (void)ww_task_new(k, "t", &(ww_task_options){.warps = 4, .registers = 250});
    expect(k, WW_BAD_VALUE, "registers of task t");
    k = core_kernel();
    for (int i = 0; i < 2; i++)
        (void)ww_task_new(k, "t", &(ww_task_options){.first_warp = i, .warps = 1});
    expect(k, WW_BAD_NAME, "two tasks are named t");
}

/* Two buffers of unlike alignment, a ring as deep as memory allows: no overlap, alignment kept, nothing
 * wasted at the end. */
static void test_layout(void **state)
{
    (void)state;
    ww_kernel *k = core_kernel();
    ww_resource *small = ww_resource_new(k, "small", &(ww_resource_options){.buffers = {{"x", 100, 16}}});
    ww_resource *ring = ww_resource_new(k, "ring",
                                        &(ww_resource_options){
                                            .pipeline = {.type = WW_TMA_ASYNC, .stages = WW_STAGES_MAX},
                                            .buffers = {{"a", 16384, 1024}, {"b", 32768, 1024}},
                                        });
    model_layout(k);
    assert_int_equal(ring->pipeline.stages, 4);
    assert_int_equal(ring->buffers[0].offset, 0);
    assert_int_equal(ring->buffers[1].offset, 4 * 16384);
    assert_int_equal(small->buffers[0].offset, 4 * 49152);
    assert_int_equal(k->smem_data_bytes, 4 * 49152 + 100);
    assert_int_equal(k->barriers_offset, 4 * 49152 + 104);
    assert_int_equal(k->smem_bytes, 4 * 49152 + 104 + 2 * 4 * 8);
    assert_true(k->smem_bytes <= model_smem_capacity(k));
    ww_kernel_free(k);
}

static void test_closed(void **state)
{
    (void)state;
    ww_kernel *k = core_kernel();
    (void)ww_kernel_check(k);
    (void)ww_resource_new(k, "late", NULL);
    expect(k, WW_CLOSED, "a resource is declared after kernel k was checked");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernel),
        cmocka_unit_test(test_resources),
        cmocka_unit_test(test_work_tables),
        cmocka_unit_test(test_tasks),
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_closed),
        cmocka_unit_test(test_numbers_beyond_the_hardware),
        cmocka_unit_test(test_enumerators),
        cmocka_unit_test(test_names_of_the_memory_map),
        cmocka_unit_test(test_lists_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
