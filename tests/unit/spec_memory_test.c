/* Memory: sizes, places and capacity where the framework that this one follows is wasteful or wrong, and its worked
 * figures. By the numbers of docs/coverage.md: S98, S99, Q16, Q17, Q18, Q22, N9. */
#include "spec_kernel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static ww_resource *buffer(ww_kernel *k, const char *name, uint32_t bytes, uint32_t align)
{
    return ww_resource_new(
        k, name, &(ww_resource_options){.buffers = {{.name = "data", .bytes = bytes, .align = align}}});
}

static ww_resource *bare_ring(ww_kernel *k, const char *name, int stages)
{
    return ww_resource_new(k, name,
                           &(ww_resource_options){.pipeline = ww_pipeline_async_async(.stages = stages)});
}

static void lay_out(ww_kernel *k)
{
    ww_kernel_unchecked(k);
    assert_null(ww_kernel_check(k));
}

/* ---- barriers: Q17, Q18, N9 ------------------------------------------------------------------------------------- */

/* Rings of 4 and 3 stages, a merge of two rings of 4 stages, 13 bytes of data: a group has one array a member and one in
 * common, 8 bytes a barrier, and all arrays stand one after the other at a multiple of 8, however little the data's
 * alignment asks for. */
static void barriers_take_what_they_need_on_their_own_alignment(void **state)
{
    (void)state;
    ww_kernel *k = spec_kernel(NULL, SPEC_ONE_CTA);
    ww_resource *small = buffer(k, "small", 13, 1);
    ww_resource *four = bare_ring(k, "four", 4), *three = bare_ring(k, "three", 3);
    ww_resource *a = bare_ring(k, "a", 4), *b = bare_ring(k, "b", 4);
    ww_resource *g = ww_group_new(k, "g", &(ww_group_options){.members = {a, b}});
    lay_out(k);
    assert_int_equal(small->buffers[0].offset, 0);
    assert_int_equal(k->barriers_offset, 16);
    assert_int_equal(spec_barrier(k, four, IR_FULL)->offset, 16);
    assert_int_equal(spec_barrier(k, four, IR_EMPTY)->offset, 16 + 32);
    assert_int_equal(spec_barrier(k, three, IR_FULL)->offset, 16 + 64);
    assert_int_equal(spec_barrier(k, a, IR_FULL)->offset, 16 + 64 + 48);
    assert_int_equal(spec_barrier(k, b, IR_FULL)->offset, 16 + 64 + 48 + 32);
    assert_int_equal(spec_barrier(k, g, IR_EMPTY)->offset, 16 + 64 + 48 + 64);
    assert_int_equal(k->smem_bytes, 16 + 64 + 48 + 96);
    ww_kernel_free(k);
}

static void a_fork_lies_the_other_way_round(void **state)
{
    (void)state;
    ww_kernel *k = spec_kernel(NULL, SPEC_ONE_CTA);
    ww_resource *a = bare_ring(k, "a", 4), *b = bare_ring(k, "b", 4);
    ww_resource *g = ww_group_new(k, "g", &(ww_group_options){.mode = WW_FORK, .members = {a, b}});
    lay_out(k);
    assert_int_equal(spec_barrier(k, g, IR_FULL)->offset, 0);
    assert_int_equal(spec_barrier(k, a, IR_EMPTY)->offset, 32);
    assert_int_equal(spec_barrier(k, b, IR_EMPTY)->offset, 64);
    assert_int_equal(k->smem_bytes, 96);
    ww_kernel_free(k);
}

/* All barriers of a kernel are one array, initialised in one pass, with one fence behind. */
static void all_barriers_are_made_in_one_pass(void **state)
{
    (void)state;
    ww_kernel *k = spec_kernel(NULL, SPEC_ONE_CTA);
    ww_resource *rings[] = {spec_ring(k, "a", ww_pipeline_async_async(.stages = 4)),
                            spec_ring(k, "b", ww_pipeline_tma_async(.stages = 3))};
    for (int i = 0; i < 2; i++) {
        spec_task(k, i ? "in_b" : "in_a", 2 * i, 1, spec_fill, rings[i]);
        spec_task(k, i ? "out_b" : "out_a", 2 * i + 1, 1, spec_use, rings[i]);
    }
    spec_accept(k);
    const char *cuda = spec_emit(k);
    SPEC_IN_ORDER(cuda, "__align__(1024)", "if (warp == 0) {",
                  "ww::mbarrier_init(smem_base + k_map::ww_barriers + 8 * i,", "ww::fence_mbarrier_init();",
                  "__syncthreads();", "// task");
    const char *fence = strstr(cuda, "ww::fence_mbarrier_init();");
    assert_null(strstr(fence, "ww::mbarrier_init("));
    assert_null(strstr(fence + 1, "ww::fence_mbarrier_init();"));
    ww_kernel_free(k);
}

/* ---- sizes: Q16 --------------------------------------------------------------------------------------------------- */

static void narrow_elements_take_whole_bytes(void **state)
{
    (void)state;
    assert_int_equal(WW_BYTES(0, 4), 0);
    assert_int_equal(WW_BYTES(1, 4), 1);
    assert_int_equal(WW_BYTES(3, 6), 3);
    assert_int_equal(WW_BYTES(5, 1), 1);
    assert_int_equal(WW_BYTES(8, 16), 16);
    ww_kernel *k = spec_kernel(NULL, SPEC_ONE_CTA);
    ww_resource *r = buffer(k, "r", WW_BYTES(128 * 64, 4), 0);
    lay_out(k);
    assert_int_equal(r->buffers[0].bytes, 4096);
    ww_kernel_free(k);
}

/* ---- layout: S98 ---------------------------------------------------------------------------------------------------- */

/* The reference's worked example, which it lays out in 760 bytes. */
static void the_worked_example_takes_no_more(void **state)
{
    (void)state;
    ww_kernel *k = spec_kernel(NULL, SPEC_ONE_CTA);
    ww_resource *x = buffer(k, "x", 100, 16), *y = buffer(k, "y", 50, 1024), *z = buffer(k, "z", 8, 16);
    ww_resource *p = buffer(k, "p", 300, 128), *q = buffer(k, "q", 64, 16), *r = buffer(k, "r", 500, 128);
    ww_alias(k, {{p, q}}, {{r}});
    lay_out(k);
    const ww_resource *const all[] = {x, y, z, p, q, r};
    static const uint32_t aligns[] = {16, 1024, 16, 128, 16, 128};
    for (size_t i = 0; i < ARRAY_LEN(all); i++) {
        const model_buffer *a = &all[i]->buffers[0];
        assert_int_equal(a->offset % aligns[i], 0);
        for (size_t j = i + 1; j < ARRAY_LEN(all); j++) {
            const model_buffer *b = &all[j]->buffers[0];
            bool apart = a->offset + a->bytes <= b->offset || b->offset + b->bytes <= a->offset;
            assert_true(apart ||
                        (i >= 3 && j == 5)); /* p and q may lie under r, and nothing else under anything */
        }
    }
    assert_true(k->smem_data_bytes <= 760);
    assert_true(k->smem_usage.saved >= 262);
    ww_kernel_free(k);
}

/* Q22: what looks alike is not the same. Three resources of one look, two of them in phases over each other: the third
 * has bytes of its own. */
static void allocations_that_look_alike_stay_apart(void **state)
{
    (void)state;
    ww_kernel *k = spec_kernel(NULL, SPEC_ONE_CTA);
    ww_resource *first = buffer(k, "first", 256, 0), *second = buffer(k, "second", 256, 0);
    ww_resource *third = buffer(k, "third", 256, 0);
    ww_alias(k, {{first}}, {{second}});
    lay_out(k);
    assert_int_equal(first->buffers[0].offset, second->buffers[0].offset);
    assert_int_not_equal(first->buffers[0].offset, third->buffers[0].offset);
    assert_int_equal(k->smem_data_bytes, 512);
    assert_int_equal(k->smem_usage.saved, 256);
    ww_kernel_free(k);
}

/* ---- S99: who uses what lies over something else ------------------------------------------------------------------------ */

static const ww_work touch_work[] = {
    {.name = "put", .side = WW_PRODUCER}, {.name = "get", .side = WW_CONSUMER}, {0}};

static void write_first_phase(ww_schedule *s, void *context)
{
    const spec_parts *p = context;
    ww_produce(s, p->a, "put");
    if (p->c)
        ww_sync(s, p->c);
}

static void write_second_phase(ww_schedule *s, void *context)
{
    const spec_parts *p = context;
    if (p->c)
        ww_sync(s, p->c);
    ww_produce(s, p->b, "put");
}

static ww_kernel *phases_kernel(bool synced)
{
    ww_kernel *k = spec_kernel(NULL, SPEC_ONE_CTA);
    spec_parts p = {0};
    ww_resource **const parts[] = {&p.a, &p.b};
    for (int i = 0; i < 2; i++)
        *parts[i] = ww_resource_new(
            k, i ? "b" : "a",
            &(ww_resource_options){.buffers = {{.name = "data", .bytes = 256}}, .work = touch_work});
    ww_alias(k, {{p.a}}, {{p.b}});
    p.c = synced ? ww_named_barrier_new(k, "between", 0) : NULL;
    spec_task(k, "one", 0, 1, write_first_phase, &p);
    spec_task(k, "two", 1, 1, write_second_phase, &p);
    return k;
}

/* Two tasks in two phases at a time is a race, with a barrier between them it is none. */
static void phases_in_use_at_a_time_are_a_race(void **state)
{
    (void)state;
    ww_kernel *k = phases_kernel(false);
    assert_null(ww_kernel_check(k));
    ww_verdict v = ww_kernel_prove(k);
    assert_false(v.proved);
    assert_int_equal(v.refutation->code, WW_RACE);
    ww_kernel_free(k);
    k = phases_kernel(true);
    assert_null(ww_kernel_check(k));
    assert_true(ww_kernel_prove(k).proved);
    ww_kernel_free(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(barriers_take_what_they_need_on_their_own_alignment),
        cmocka_unit_test(a_fork_lies_the_other_way_round),
        cmocka_unit_test(all_barriers_are_made_in_one_pass),
        cmocka_unit_test(narrow_elements_take_whole_bytes),
        cmocka_unit_test(the_worked_example_takes_no_more),
        cmocka_unit_test(allocations_that_look_alike_stay_apart),
        cmocka_unit_test(phases_in_use_at_a_time_are_a_race),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
