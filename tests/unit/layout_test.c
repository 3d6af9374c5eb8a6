/* Placement of shared and tensor memory: offsets, totals, depths and refusals of declared kernels. */
#include "core_kernel.h"
#include "model/layout.h"
#include "pack_oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

/* ---- kernels ------------------------------------------------------------------------------------------- */

#define BUFFER(called, size, alignment)                                                                      \
    {                                                                                                        \
        .name = (called), .bytes = (size), .align = (alignment)                                              \
    }

/* Capacities that no architecture has, too; 0: what it has. */
static ww_kernel *kernel_of(uint32_t smem_capacity)
{
    ww_kernel *k = ww_kernel_new("k", &(ww_kernel_options){.arch = "sm_100a",
                                                           .body = "k.cuh",
                                                           .params = "core_params",
                                                           .params_bytes = sizeof(struct core_params)});
    k->options.smem_capacity = smem_capacity;
    return k;
}

static ww_resource *ring(ww_kernel *k, const char *name, int stages, uint32_t bytes, uint32_t align)
{
    return ww_resource_new(k, name,
                           &(ww_resource_options){.pipeline = ww_pipeline_async_async(.stages = stages),
                                                  .buffers = {BUFFER("data", bytes, align)}});
}

static ww_resource *table(ww_kernel *k, const char *name, uint32_t bytes, uint32_t align)
{
    return ww_resource_new(k, name, &(ww_resource_options){.buffers = {BUFFER("data", bytes, align)}});
}

static ww_resource *tensor(ww_kernel *k, const char *name, int stages, int columns)
{
    return ww_resource_new(k, name,
                           &(ww_resource_options){.pipeline = ww_pipeline_umma_async(.stages = stages),
                                                  .tmem = {{"acc", columns}}});
}

static void lay_out(ww_kernel *k)
{
    model_resolve(k);
    model_layout(k);
    if (k->diags.first)
        ww_diag_print(stderr, k->diags.first);
    assert_null(k->diags.first);
}

/* The known vector of barriers: two rings, a merge of two, 13 bytes of data. A group takes what it uses, 96
 * bytes. */
static void barriers_follow_the_data_without_gaps(void **unused)
{
    (void)unused;
    ww_kernel *k = kernel_of(0);
    (void)ww_resource_new(k, "a", &(ww_resource_options){.pipeline = ww_pipeline_async_async(.stages = 4)});
    (void)ww_resource_new(k, "b", &(ww_resource_options){.pipeline = ww_pipeline_async_async(.stages = 3)});
    ww_resource *c =
        ww_resource_new(k, "c", &(ww_resource_options){.pipeline = ww_pipeline_async_async(.stages = 4)});
    ww_resource *d =
        ww_resource_new(k, "d", &(ww_resource_options){.pipeline = ww_pipeline_async_async(.stages = 4)});
    (void)ww_group_new(k, "both", &(ww_group_options){.mode = WW_MERGE, .members = {c, d}});
    (void)table(k, "small", 13, 16);
    lay_out(k);
    assert_int_equal(model_barrier_bytes(k), 64 + 48 + 96);
    assert_int_equal(k->smem_data_bytes, 13);
    assert_int_equal(k->barriers_offset, 16);
    assert_int_equal(k->smem_bytes, 16 + 64 + 48 + 96);
    ww_kernel_free(k);
}

static uint32_t bytes_of_group(ww_group_mode mode, ww_pipeline_type type)
{
    ww_kernel *k = kernel_of(0);
    ww_group_options options = {.mode = mode};
    static const char *const names[] = {"a", "b", "c"};
    for (int i = 0; i < 3; i++)
        options.members[i] =
            ww_resource_new(k, names[i], &(ww_resource_options){.pipeline = {.type = type, .stages = 5}});
    (void)ww_group_new(k, "all", &options);
    lay_out(k);
    uint32_t bytes = model_barrier_bytes(k);
    assert_int_equal(k->smem_bytes, bytes);
    ww_kernel_free(k);
    return bytes;
}

static void groups_count_each_barrier_once(void **unused)
{
    (void)unused;
    assert_int_equal(bytes_of_group(WW_MERGE, WW_ASYNC_ASYNC), (3 + 1) * 5 * 8);
    assert_int_equal(bytes_of_group(WW_FORK, WW_ASYNC_ASYNC), (1 + 3) * 5 * 8);
    assert_int_equal(bytes_of_group(WW_FUSED_MERGE, WW_ASYNC_ASYNC), 2 * 5 * 8);
}

static void a_dynamic_queue_has_responses_and_barriers(void **unused)
{
    (void)unused;
    ww_kernel *k = kernel_of(0);
    ww_resource *q = ww_queue_clc(k, "queue", &(ww_queue_options){.stages = 3});
    lay_out(k);
    assert_int_equal(q->buffers[0].offset, 0);
    assert_int_equal(k->smem_data_bytes, 3 * 16);
    assert_int_equal(model_barrier_bytes(k), 2 * 3 * 8);
    assert_int_equal(k->smem_bytes, 3 * 16 + 2 * 3 * 8);
    ww_kernel_free(k);
}

static void only_the_ordered_sequence_among_dataless_barriers_takes_memory(void **unused)
{
    (void)unused;
    ww_kernel *k = kernel_of(0);
    (void)ww_named_barrier_new(k, "named", 64);
    (void)ww_pdl_wait_new(k, "before");
    (void)ww_pdl_launch_new(k, "after");
    ww_resource *turns = ww_ordered_sequence_new(k, "turns");
    model_resolve(k);
    turns->turns = 2; /* counted from the schedules */
    model_layout(k);
    assert_int_equal(model_barrier_bytes(k), 2 * 8);
    assert_int_equal(k->smem_bytes, 2 * 8);
    ww_kernel_free(k);
}

static void the_padding_of_the_last_stage_is_used(void **unused)
{
    (void)unused;
    ww_kernel *k = kernel_of(0);
    ww_resource *r = ring(k, "ring", 3, 1000, 1024);
    ww_resource *t = table(k, "table", 24, 8);
    lay_out(k);
    assert_int_equal(r->buffers[0].offset, 0);
    assert_int_equal(t->buffers[0].offset, 2 * 1024 + 1000);
    assert_int_equal(k->smem_data_bytes, 3 * 1024);
    ww_kernel_free(k);
}

/* ---- tensor memory ------------------------------------------------------------------------------------- */

static void tensor_memory_is_placed_in_columns(void **unused)
{
    (void)unused;
    ww_kernel *k = kernel_of(0);
    ww_resource *small = tensor(k, "small", 1, 30), *large = tensor(k, "large", 1, 128);
    lay_out(k);
    assert_int_equal(large->tmem[0].offset, 0);
    assert_int_equal(small->tmem[0].offset, 128);
    assert_int_equal(k->tmem_usage.used, 158);
    assert_int_equal(k->tmem_columns, 256);
    assert_int_equal(k->tmem_slot_offset, 2 * 2 * 8);
    assert_int_equal(k->smem_bytes, 2 * 2 * 8 + 4);
    ww_kernel_free(k);
}

static int allocated(int stages, int columns)
{
    ww_kernel *k = kernel_of(0);
    if (stages)
        (void)tensor(k, "acc", stages, columns);
    lay_out(k);
    int n = k->tmem_columns;
    ww_kernel_free(k);
    return n;
}

static void columns_are_allocated_in_powers_of_two_from_32(void **unused)
{
    (void)unused;
    assert_int_equal(allocated(0, 0), 0);
    assert_int_equal(allocated(1, 1), 32);
    assert_int_equal(allocated(1, 32), 32);
    assert_int_equal(allocated(1, 33), 64);
    assert_int_equal(allocated(3, 64), 256);
    assert_int_equal(allocated(2, 256), 512);
    assert_int_equal(allocated(3, 256), 1024); /* refused by the capacity rule */
}

static void columns_are_aligned_to_their_own_size_where_it_is_free(void **unused)
{
    (void)unused;
    ww_kernel *k = kernel_of(0);
    ww_resource *a = tensor(k, "a", 1, 24), *b = tensor(k, "b", 2, 64), *c = tensor(k, "c", 1, 96);
    lay_out(k);
    assert_int_equal(b->tmem[0].offset % 64, 0);
    assert_int_equal(c->tmem[0].offset % 32, 0);
    assert_int_equal(a->tmem[0].offset % 8, 0);
    assert_int_equal(k->tmem_usage.used, 24 + 128 + 96);
    ww_kernel_free(k);
}

/* Phases of 64 and 96 columns: aligned to 64 the second block of 64 would not fit behind them in 160. */
static void alignment_of_columns_gives_way_where_it_costs(void **unused)
{
    (void)unused;
    ww_kernel *k = kernel_of(0);
    ww_resource *a = tensor(k, "a", 1, 64), *b = tensor(k, "b", 1, 96), *c = tensor(k, "c", 1, 64),
                *d = tensor(k, "d", 1, 96);
    ww_alias(k, {{a}}, {{b}});
    ww_alias(k, {{c}}, {{d}});
    lay_out(k);
    assert_int_equal(k->tmem_usage.used, 192);
    assert_int_equal(k->tmem_usage.saved, 128);
    ww_kernel_free(k);
}

/* ---- alias groups -------------------------------------------------------------------------------------- */

static void phases_share_both_memories(void **unused)
{
    (void)unused;
    ww_kernel *k = kernel_of(0);
    ww_resource *first = ww_resource_new(k, "first",
                                         &(ww_resource_options){
                                             .pipeline = ww_pipeline_umma_async(.stages = 2),
                                             .buffers = {BUFFER("a", 4096, 1024), BUFFER("b", 2048, 1024)},
                                             .tmem = {{"acc", 64}},
                                         });
    ww_resource *second = ww_resource_new(
        k, "second", &(ww_resource_options){.buffers = {BUFFER("c", 10000, 128)}, .tmem = {{"other", 100}}});
    ww_resource *beside = table(k, "beside", 512, 512);
    ww_alias(k, {{first}}, {{second}});
    lay_out(k);
    assert_int_equal(first->buffers[0].offset, 0);
    assert_int_equal(first->buffers[1].offset, 8192);
    assert_int_equal(second->buffers[0].offset, 0);
    assert_int_equal(beside->buffers[0].offset, 12288);
    assert_int_equal(k->smem_data_bytes, 12800);
    assert_int_equal(k->smem_usage.used, 12800);
    assert_int_equal(k->smem_usage.saved, 10000);
    assert_int_equal(first->tmem[0].offset, 0);
    assert_int_equal(second->tmem[0].offset, 0);
    assert_int_equal(k->tmem_usage.used, 128);
    assert_int_equal(k->tmem_usage.saved, 100);
    ww_kernel_free(k);
}

static void what_padding_costs_more_than_aliases_save_is_no_saving(void **unused)
{
    (void)unused;
    ww_kernel *k = kernel_of(0);
    ww_resource *a = table(k, "a", 1, 16), *b = table(k, "b", 1, 16);
    (void)table(k, "c", 1, 1024);
    (void)table(k, "d", 1, 1024);
    ww_alias(k, {{a}}, {{b}});
    lay_out(k);
    assert_int_equal(k->smem_data_bytes, 1025);
    assert_int_equal(k->smem_usage.saved, 0);
    ww_kernel_free(k);
}

/* ---- buffers that share memory ------------------------------------------------------------------------- */

static ww_resource *sharer(ww_kernel *k, const char *name, int stages, ww_buffer buffer)
{
    return ww_resource_new(
        k, name,
        &(ww_resource_options){.pipeline = ww_pipeline_async_async(.stages = stages), .buffers = {buffer}});
}

static void sharing_chains_end_at_one_memory_with_the_strictest_alignment(void **unused)
{
    (void)unused;
    ww_kernel *k = kernel_of(0);
    ww_resource *last = table(k, "other", 40, 16);
    ww_resource *owner = ring(k, "owner", 3, 100, 16);
    ww_resource *b = sharer(k, "b", 3, (ww_buffer){"data", 100, 64, .shares = owner});
    ww_resource *c = sharer(k, "c", 3, (ww_buffer){"data", 100, 256, .shares = b});
    lay_out(k);
    assert_int_equal(owner->buffers[0].offset, 0);
    assert_int_equal(b->buffers[0].offset, 0);
    assert_int_equal(c->buffers[0].offset, 0);
    assert_int_equal(owner->buffers[0].align, 256);
    assert_int_equal(b->buffers[0].align, 256);
    assert_int_equal(c->buffers[0].align, 256);
    assert_int_equal(last->buffers[0].offset, 2 * 256 + 112);
    assert_int_equal(k->smem_data_bytes, 2 * 256 + 112 + 40);
    assert_int_equal(model_barrier_bytes(k), 3 * 2 * 3 * 8);
    ww_kernel_free(k);
}

static void sharers_follow_their_memory_into_an_alias_group(void **unused)
{
    (void)unused;
    ww_kernel *k = kernel_of(0);
    ww_resource *front = table(k, "front", 1024, 1024), *a = ring(k, "a", 2, 512, 512),
                *b = ring(k, "b", 2, 512, 512);
    ww_resource *c = sharer(k, "c", 2, (ww_buffer){"data", 512, 512, .shares = b});
    ww_alias(k, {{a}}, {{b}});
    lay_out(k);
    assert_int_equal(front->buffers[0].offset, 0);
    assert_int_equal(b->buffers[0].offset, 1024);
    assert_int_equal(c->buffers[0].offset, 1024);
    assert_int_equal(k->smem_data_bytes, 2048);
    ww_kernel_free(k);
}

#define SHARE "the name of a resource of this kernel with such a buffer, and no circle"

static void expect_refused(ww_kernel *k, ww_code code, const char *message, const char *expected,
                           const char *found)
{
    model_resolve(k);
    model_layout(k);
    const ww_diag *d = k->diags.first;
    assert_non_null(d);
    assert_int_equal(d->code, code);
    assert_string_equal(d->message, message);
    assert_string_equal(d->expected ? d->expected : "", expected);
    assert_string_equal(d->found ? d->found : "", found);
    assert_null(d->next);
    ww_kernel_free(k);
}

static void buffers_that_differ_cannot_share(void **unused)
{
    (void)unused;
    ww_kernel *k = kernel_of(0);
    (void)sharer(k, "b", 2, (ww_buffer){"date", 64, .shares = ring(k, "a", 2, 64, 0)});
    expect_refused(k, WW_BAD_VALUE, "buffer date of resource b cannot share a's: it has none of that name",
                   SHARE, ".shares = a: it has none of that name");
    k = kernel_of(0);
    (void)sharer(k, "b", 2, (ww_buffer){"data", 128, .shares = ring(k, "a", 2, 64, 0)});
    expect_refused(k, WW_BAD_VALUE, "buffer data of resource b cannot share a's: the sizes differ",
                   "64 bytes a stage", "128");
    k = kernel_of(0);
    (void)sharer(k, "b", 3, (ww_buffer){"data", 64, .shares = ring(k, "a", 2, 64, 0)});
    expect_refused(k, WW_BAD_VALUE,
                   "buffer data of resource b cannot share a's: the numbers of stages differ", "2", "3");
    k = kernel_of(0);
    ww_kernel *stranger = kernel_of(0);
    (void)sharer(k, "b", 2, (ww_buffer){"data", 64, .shares = ring(stranger, "a", 2, 64, 0)});
    expect_refused(k, WW_BAD_VALUE,
                   "buffer data of resource b cannot share a's: that is a resource of another kernel", SHARE,
                   ".shares = a: that is a resource of another kernel");
    ww_kernel_free(stranger);
}

/* A circle can only be made of links set after the declaration; the model still must not follow it forever. */
static void circles_of_sharing_are_refused_once(void **unused)
{
    (void)unused;
    ww_kernel *k = kernel_of(0);
    ww_resource *a = ring(k, "a", 2, 64, 0), *b = sharer(k, "b", 2, (ww_buffer){"data", 64, .shares = a});
    (void)sharer(k, "c", 2, (ww_buffer){"data", 64, .shares = b});
    a->buffers[0].shares = b;
    expect_refused(k, WW_BAD_VALUE,
                   "buffer data of resource a cannot share b's: the sharing goes in a circle", SHARE,
                   ".shares = b: the sharing goes in a circle");
    k = kernel_of(0);
    a = ring(k, "a", 2, 64, 0);
    a->buffers[0].shares = a;
    expect_refused(k, WW_BAD_VALUE,
                   "buffer data of resource a cannot share a's: the sharing goes in a circle", SHARE,
                   ".shares = a: the sharing goes in a circle");
}

/* ---- WW_STAGES_MAX ------------------------------------------------------------------------------------- */

static void rings_of_stages_max_get_one_depth_the_greatest_that_fits(void **unused)
{
    (void)unused;
    ww_kernel *k = kernel_of(10000);
    ww_resource *a = ring(k, "a", WW_STAGES_MAX, 1024, 1024), *b = ring(k, "b", WW_STAGES_MAX, 256, 128);
    lay_out(k);
    assert_int_equal(a->pipeline.stages, 7); /* 7 * (1280 + 32) = 9184; 8 would take 10496 */
    assert_int_equal(b->pipeline.stages, 7);
    assert_int_equal(k->smem_bytes, 7 * (1280 + 32));
    ww_kernel_free(k);
}

/* Five stages of 1000 bytes, 1024 apart; the barriers begin right behind the fifth. */
static void the_last_stage_needs_no_padding(void **unused)
{
    (void)unused;
    ww_kernel *k = kernel_of(4 * 1024 + 1000 + 5 * 16);
    ww_resource *a = ring(k, "a", WW_STAGES_MAX, 1000, 1024);
    lay_out(k);
    assert_int_equal(a->pipeline.stages, 5);
    assert_int_equal(k->smem_bytes, 4 * 1024 + 1000 + 5 * 16);
    ww_kernel_free(k);
}

static int depth_with_stride(uint32_t capacity, ww_stride stride, bool ahead)
{
    ww_kernel *k = kernel_of(capacity);
    ww_resource *r = ww_resource_new(
        k, "r",
        &(ww_resource_options){.pipeline = ww_pipeline_async_async(.stages = WW_STAGES_MAX, .stride = stride,
                                                                   .advance_on_wait = ahead),
                               .buffers = {BUFFER("data", 1008, 16)}});
    lay_out(k);
    int stages = r->pipeline.stages;
    ww_kernel_free(k);
    return stages;
}

static void depth_is_a_multiple_of_the_strides(void **unused)
{
    (void)unused;
    assert_int_equal(depth_with_stride(11 * 1024, (ww_stride){0}, false), 11);
    assert_int_equal(depth_with_stride(11 * 1024, (ww_stride){.all = 2}, false), 10);
    assert_int_equal(depth_with_stride(11 * 1024, (ww_stride){.all = 4}, false), 8);
    assert_int_equal(depth_with_stride(11 * 1024, (ww_stride){.wait = 2, .release = 3}, true), 6);
    assert_int_equal(depth_with_stride(3 * 1024, (ww_stride){.all = 4}, false), 4); /* which does not fit */
    assert_int_equal(depth_with_stride(100 * 1024, (ww_stride){.all = 3}, false), 63);
}

static ww_resource *uneven(ww_kernel *k, const char *name)
{
    return ww_resource_new(
        k, name,
        &(ww_resource_options){.pipeline = ww_pipeline_async_async(.stages = WW_STAGES_MAX,
                                                                   .stride = {.wait = 8, .release = 9},
                                                                   .advance_on_wait = true),
                               .buffers = {BUFFER("data", 16, 16)}});
}

/* Once for a group, too. */
static void strides_without_a_common_multiple_are_refused(void **unused)
{
    (void)unused;
    ww_kernel *k = kernel_of(0);
    (void)uneven(k, "r");
    expect_refused(k, WW_STRIDE, "resource r: no number of stages is a multiple of all its strides",
                   "a common multiple of at most 64",
                   "WW_STAGES_MAX, and strides whose least common multiple is greater");
    k = kernel_of(0);
    ww_resource *a = uneven(k, "a"), *b = uneven(k, "b");
    (void)ww_group_new(k, "g", &(ww_group_options){.mode = WW_FORK, .members = {a, b}});
    expect_refused(k, WW_STRIDE, "resource a: no number of stages is a multiple of all its strides",
                   "a common multiple of at most 64",
                   "WW_STAGES_MAX, and strides whose least common multiple is greater");
}

static void members_of_a_group_stay_equally_deep(void **unused)
{
    (void)unused;
    ww_kernel *k = kernel_of(10000);
    ww_resource *a = ring(k, "a", WW_STAGES_MAX, 512, 512), *b = ring(k, "b", WW_STAGES_MAX, 512, 512);
    ww_resource *g = ww_group_new(k, "g", &(ww_group_options){.mode = WW_MERGE, .members = {a, b}});
    lay_out(k);
    assert_int_equal(a->pipeline.stages, 9); /* 9 * (1024 + 24) = 9432 */
    assert_int_equal(b->pipeline.stages, 9);
    assert_int_equal(g->pipeline.stages, 9);
    assert_int_equal(k->smem_bytes, 9 * (1024 + 3 * 8));
    ww_kernel_free(k);
}

/* b has no stride of its own, but shares the memory of a, which goes in threes. */
static void sharers_stay_as_deep_as_the_memory(void **unused)
{
    (void)unused;
    ww_kernel *k = kernel_of(8192);
    ww_resource *a =
        ww_resource_new(k, "a",
                        &(ww_resource_options){.pipeline = ww_pipeline_async_async(.stages = WW_STAGES_MAX,
                                                                                   .stride = {.all = 3}),
                                               .buffers = {BUFFER("data", 960, 64)}});
    ww_resource *b = sharer(k, "b", WW_STAGES_MAX, (ww_buffer){"data", 960, 64, .shares = a});
    lay_out(k);
    assert_int_equal(a->pipeline.stages, 6); /* 8 would fit */
    assert_int_equal(b->pipeline.stages, 6);
    ww_kernel_free(k);
}

static void alias_groups_leave_room_for_deeper_rings(void **unused)
{
    (void)unused;
    for (int aliased = 0; aliased < 2; aliased++) {
        ww_kernel *k = kernel_of(9 * 1024);
        ww_resource *a = ring(k, "a", WW_STAGES_MAX, 1008, 16), *b = table(k, "b", 4096, 1024);
        if (aliased)
            ww_alias(k, {{a}}, {{b}});
        lay_out(k);
        assert_int_equal(a->pipeline.stages, aliased ? 9 : 5);
        ww_kernel_free(k);
    }
}

static void tensor_memory_bounds_the_depth_too(void **unused)
{
    (void)unused;
    ww_kernel *k = kernel_of(0);
    ww_resource *r =
        ww_resource_new(k, "r",
                        &(ww_resource_options){.pipeline = ww_pipeline_umma_async(.stages = WW_STAGES_MAX),
                                               .buffers = {BUFFER("data", 16, 16)},
                                               .tmem = {{"acc", 96}}});
    lay_out(k);
    assert_int_equal(r->pipeline.stages, 5);
    assert_int_equal(k->tmem_usage.used, 480);
    ww_kernel_free(k);
}

static void what_does_not_fit_at_all_gets_one_stage(void **unused)
{
    (void)unused;
    ww_kernel *k = kernel_of(4096);
    ww_resource *a = ring(k, "a", WW_STAGES_MAX, 64, 64);
    (void)table(k, "b", 5000, 1024);
    lay_out(k);
    assert_int_equal(a->pipeline.stages, 1);
    assert_true(k->smem_bytes > model_smem_capacity(k));
    ww_kernel_free(k);
}

/* ---- what fits ----------------------------------------------------------------------------------------- */

static void fitting_stages_are_those_with_which_the_kernel_fits(void **unused)
{
    (void)unused;
    ww_kernel *k = kernel_of(4096);
    ww_resource *a = ring(k, "a", 8, 512, 512), *b = ring(k, "b", 2, 1024, 1024), *t = table(k, "t", 64, 64);
    lay_out(k);
    assert_int_equal(layout_fitting_stages(k, a), 3); /* 3 * 528 + 2 * 1040 + 64 = 3728 */
    assert_int_equal(layout_fitting_stages(k, b), 0);
    assert_int_equal(layout_fitting_stages(k, t), 0);
    assert_int_equal(a->pipeline.stages, 8);
    ww_kernel_free(k);
}

static void sizes_past_32_bits_do_not_wrap(void **unused)
{
    (void)unused;
    ww_kernel *k = kernel_of(0);
    char name[16];
    for (int i = 0; i < 65; i++) {
        (void)snprintf(name, sizeof name, "r%d", i);
        (void)ring(k, name, 64, 1 << 20, 1024);
    }
    lay_out(k);
    assert_int_equal(k->smem_bytes, UINT32_MAX);
    ww_kernel_free(k);
}

/* ---- random kernels ------------------------------------------------------------------------------------ */

static ww_resource *random_resource(ww_kernel *k, int i, uint64_t *state)
{
    char name[16];
    (void)snprintf(name, sizeof name, "r%d", i);
    ww_resource_options o = {.pipeline.stages = 0};
    if (oracle_random(state, 2))
        o.pipeline = ww_pipeline_async_async(.stages = 1 + (int)oracle_random(state, 5));
    static const char *const names[] = {"a", "b", "c"};
    uint32_t count = 1 + oracle_random(state, 3);
    for (uint32_t b = 0; b < count; b++)
        o.buffers[b] = (ww_buffer){names[b], 1 + oracle_random(state, 3000), 1u << oracle_random(state, 11),
                                   WW_SWIZZLE_NONE, NULL};
    return ww_resource_new(k, name, &o);
}

/* The kernel's buffers as items, with the offsets that placement gave. */
static size_t items_of(const ww_kernel *k, pack_item *items)
{
    size_t count = 0;
    for (size_t i = 0; i < k->resources.len; i++)
        for (int b = 0; b < k->resources.at[i]->buffer_count; b++) {
            const ww_resource *r = k->resources.at[i];
            const model_buffer *m = &r->buffers[b];
            uint64_t size = oracle_align_up(m->bytes, m->align) * (uint64_t)(model_stages(r) - 1) + m->bytes;
            items[count++] = (pack_item){size, m->align, r->alias_group, r->alias_phase, m->offset};
        }
    return count;
}

static void random_kernels_are_laid_out_soundly(void **unused)
{
    (void)unused;
    uint64_t state = 3;
    for (int round = 0; round < 2000; round++) {
        ww_kernel *k = kernel_of(1 << 20);
        ww_resource *r[7];
        for (int i = 0; i < (int)ARRAY_LEN(r); i++)
            r[i] = random_resource(k, i, &state);
        ww_alias(k, {{r[0], r[3]}}, {{r[1]}});
        if (oracle_random(&state, 2))
            ww_alias(k, {{r[5]}}, {{r[2]}}, {{r[6]}});
        lay_out(k);
        pack_item items[ARRAY_LEN(r) * 3];
        size_t count = items_of(k, items);
        oracle_check(items, count, k->smem_data_bytes);
        assert_int_equal(k->barriers_offset, oracle_align_up(k->smem_data_bytes, 8));
        assert_int_equal(k->smem_bytes, k->barriers_offset + model_barrier_bytes(k));
        assert_true(k->smem_data_bytes <= oracle_plain(items, count));
        ww_kernel_free(k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(barriers_follow_the_data_without_gaps),
        cmocka_unit_test(groups_count_each_barrier_once),
        cmocka_unit_test(a_dynamic_queue_has_responses_and_barriers),
        cmocka_unit_test(only_the_ordered_sequence_among_dataless_barriers_takes_memory),
        cmocka_unit_test(the_padding_of_the_last_stage_is_used),
        cmocka_unit_test(tensor_memory_is_placed_in_columns),
        cmocka_unit_test(columns_are_allocated_in_powers_of_two_from_32),
        cmocka_unit_test(columns_are_aligned_to_their_own_size_where_it_is_free),
        cmocka_unit_test(alignment_of_columns_gives_way_where_it_costs),
        cmocka_unit_test(phases_share_both_memories),
        cmocka_unit_test(what_padding_costs_more_than_aliases_save_is_no_saving),
        cmocka_unit_test(sharing_chains_end_at_one_memory_with_the_strictest_alignment),
        cmocka_unit_test(sharers_follow_their_memory_into_an_alias_group),
        cmocka_unit_test(buffers_that_differ_cannot_share),
        cmocka_unit_test(circles_of_sharing_are_refused_once),
        cmocka_unit_test(rings_of_stages_max_get_one_depth_the_greatest_that_fits),
        cmocka_unit_test(the_last_stage_needs_no_padding),
        cmocka_unit_test(depth_is_a_multiple_of_the_strides),
        cmocka_unit_test(strides_without_a_common_multiple_are_refused),
        cmocka_unit_test(members_of_a_group_stay_equally_deep),
        cmocka_unit_test(sharers_stay_as_deep_as_the_memory),
        cmocka_unit_test(alias_groups_leave_room_for_deeper_rings),
        cmocka_unit_test(tensor_memory_bounds_the_depth_too),
        cmocka_unit_test(what_does_not_fit_at_all_gets_one_stage),
        cmocka_unit_test(fitting_stages_are_those_with_which_the_kernel_fits),
        cmocka_unit_test(sizes_past_32_bits_do_not_wrap),
        cmocka_unit_test(random_kernels_are_laid_out_soundly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
