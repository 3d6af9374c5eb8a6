/* Blocks, names of work, roles and grids that depend on each other, each wrong and right. */
#include "declared.h"

/* ---- P1: tile loops ---------------------------------------------------------------------------------------------- */

static void tiles_in_a_loop(ww_schedule *s, void *context)
{
    parts *p = context;
    LOOP(s)
    {
        ww_work_tile_loop(s, p->queue) {
            declared_use(s, p->ring);
            ww_advance_tile(s, p->queue);
        }
    }
}

static void tiles_of_a_ring(ww_schedule *s, void *context)
{
    parts *p = context;
    ww_work_tile_loop(s, p->ring) {
        declared_use(s, p->ring);
    }
}

static void fill_tiles(ww_schedule *s, void *context)
{
    parts *p = context;
    ww_griddep_wait(s, p->wait);
    ww_work_tile_loop(s, p->queue) {
        declared_fill_all(s, p->ring);
        ww_advance_tile(s, p->queue);
    }
    ww_griddep_launch(s, p->launch);
}

static void use_tiles(ww_schedule *s, void *context)
{
    parts *p = context;
    ww_work_tile_loop(s, p->queue) {
        declared_use_all(s, p->ring);
        ww_advance_tile(s, p->queue);
    }
}

static void declare_tiles(ww_kernel *k, ww_schedule_function *second)
{
    parts p = {declared_ring_of_threads(k), declared_queue(k, NULL), ww_pdl_wait_new(k, "previous"),
               ww_pdl_launch_new(k, "next"), NULL};
    declared_task(k, "load", 0, 1, fill_tiles, &p);
    declared_task(k, "store", 1, 1, second, &p);
}

static void p1_inside_a_loop(ww_kernel *k)
{
    declare_tiles(k, tiles_in_a_loop);
}

static void p1_no_queue(ww_kernel *k)
{
    declare_tiles(k, tiles_of_a_ring);
}

static void p1_top_level(ww_kernel *k)
{
    declare_tiles(k, use_tiles);
}

/* ---- P4, P5: skipped tiles ---------------------------------------------------------------------------------------- */

static void skip_fills(ww_schedule *s, void *context)
{
    parts *p = context;
    ww_work_tile_loop(s, p->queue) {
        ww_skippable(s) {
            declared_fill_all(s, p->ring);
        }
        ww_advance_tile(s, p->queue);
    }
}

static void skip_uses(ww_schedule *s, void *context)
{
    parts *p = context;
    ww_work_tile_loop(s, p->queue) {
        ww_skippable(s) {
            declared_use_all(s, p->ring);
        }
        ww_advance_tile(s, p->queue);
    }
}

static void skip_in_skip(ww_schedule *s, void *context)
{
    parts *p = context;
    ww_work_tile_loop(s, p->queue) {
        ww_skippable(s) {
            ww_skippable(s) {
                declared_use_all(s, p->ring);
            }
        }
        ww_advance_tile(s, p->queue);
    }
}

static void skip_the_advance(ww_schedule *s, void *context)
{
    parts *p = context;
    ww_work_tile_loop(s, p->queue) {
        ww_skippable(s) {
            declared_use_all(s, p->ring);
            ww_advance_tile(s, p->queue);
        }
    }
}

static void declare_skips(ww_kernel *k, const char *skip, ww_schedule_function *second)
{
    parts p = {.ring = declared_ring_of_threads(k), .queue = declared_queue(k, skip)};
    declared_task(k, "load", 0, 1, skip_fills, &p);
    declared_task(k, "store", 1, 1, second, &p);
}

static void p4_nested(ww_kernel *k)
{
    declare_skips(k, "past_end", skip_in_skip);
}

static void p4_with_the_queue_inside(ww_kernel *k)
{
    declare_skips(k, "past_end", skip_the_advance);
}

static void p4_beside_the_queue(ww_kernel *k)
{
    declare_skips(k, "past_end", skip_uses);
}

static void p5_no_predicate(ww_kernel *k)
{
    declare_skips(k, NULL, skip_uses);
}

static void p5_no_name(ww_kernel *k)
{
    declare_skips(k, "", skip_uses);
}

/* ---- P7, V20: names of work ------------------------------------------------------------------------------------------ */

static const ww_work named_work[] = {
    {.name = "k_desc", .side = WW_PRODUCER}, {.name = "use", .side = WW_CONSUMER}, {0}};

static void misspelt(ww_schedule *s, void *ring)
{
    LOOP(s)
    {
        ww_acquire(s, ring);
        ww_produce(s, ring, "k_dsc");
        ww_commit(s, ring);
    }
}

static void spelt(ww_schedule *s, void *ring)
{
    LOOP(s)
    {
        ww_acquire(s, ring);
        ww_produce(s, ring, "k_desc");
        ww_commit(s, ring);
    }
}

static void declare_names(ww_kernel *k, ww_schedule_function *first)
{
    ww_resource *ring =
        ww_resource_new(k, "ring",
                        &(ww_resource_options){.pipeline = ww_pipeline_async_async(.stages = 2),
                                               .buffers = {{.name = "data", .bytes = 64}},
                                               .work = named_work});
    declared_task(k, "load", 0, 1, first, ring);
    declared_task(k, "store", 1, 1, declared_use_all, ring);
}

static void v20_misspelt(ww_kernel *k)
{
    declare_names(k, misspelt);
}

static void v20_spelt(ww_kernel *k)
{
    declare_names(k, spelt);
}

static void p7_twice(ww_kernel *k)
{
    static const ww_work work[] = {
        {.name = "fill", .side = WW_PRODUCER}, {.name = "fill", .side = WW_CONSUMER}, {0}};
    (void)ww_resource_new(k, "ring", &(ww_resource_options){.work = work});
}

static void wait_by_name(ww_schedule *s, void *ring)
{
    LOOP(s)
    {
        ww_wait(s, ring);
        ww_consume(s, ring, "wait");
        ww_release(s, ring);
    }
}

/* A method may be called as a verb is: calls say which is meant. */
static void p7_as_a_verb(ww_kernel *k)
{
    static const ww_work work[] = {
        {.name = "fill", .side = WW_PRODUCER}, {.name = "wait", .side = WW_CONSUMER}, {0}};
    ww_resource *ring =
        ww_resource_new(k, "ring",
                        &(ww_resource_options){.pipeline = ww_pipeline_async_async(.stages = 2),
                                               .buffers = {{.name = "data", .bytes = 64}},
                                               .work = work});
    declared_task(k, "load", 0, 1, declared_fill_all, ring);
    declared_task(k, "store", 1, 1, wait_by_name, ring);
}

/* ---- V5, V24: roles, to and fro -------------------------------------------------------------------------------------------- */

static void declare_roles(ww_kernel *k, bool listed)
{
    ww_resource *ring = declared_ring_of_threads(k),
                *other = declared_ring(k, "other", ww_pipeline_async_async());
    ww_task_options load = {
        .warps = 1, .schedule = declared_fill_all, .context = ring, .produces = {listed ? ring : other}};
    ww_task_new(k, "load", &load);
    declared_task(k, "store", 1, 1, declared_use_all, ring);
    declared_task(k, "load_other", 2, 1, declared_fill_all, other);
    declared_task(k, "store_other", 3, 1, declared_use_all, other);
}

static void v5_not_listed(ww_kernel *k)
{
    declare_roles(k, false);
}

static void v5_listed(ww_kernel *k)
{
    declare_roles(k, true);
}

static void multiply_one(ww_schedule *s, void *context)
{
    operands *m = context;
    LOOP(s)
    {
        ww_acquire(s, m->sum);
        ww_wait(s, m->a);
        ww_produce(s, m->sum, "mma");
        ww_release(s, m->a);
        ww_commit(s, m->sum);
    }
}

static void declare_operand(ww_kernel *k, bool to_and_fro)
{
    static const ww_work work[] = {
        {.name = "mma", .side = WW_PRODUCER, .umma_reads = {"a"}}, {.name = "use", .side = WW_CONSUMER}, {0}};
    operands m = {.a = declared_ring(k, "a", ww_pipeline_tma_umma())};
    m.sum = ww_resource_new(k, "sum",
                            &(ww_resource_options){.pipeline = ww_pipeline_umma_async(.stages = 1),
                                                   .tmem = {{"sum", 32}},
                                                   .work = work});
    declared_task(k, "load", 0, 1, declared_fill_a, &m);
    declared_task(k, "math", 1, 1, multiply_one, &m);
    declared_task(k, "store", 4, 4, declared_use_sum, &m);
    ww_depends(k, m.a, to_and_fro ? m.a : NULL);
    ww_depends(k, m.sum, m.a);
}

static void v24_tensor_core(ww_kernel *k)
{
    declare_operand(k, true);
}

static void v24_tensor_core_one_way(ww_kernel *k)
{
    declare_operand(k, false);
}

static void v24_threads(ww_kernel *k)
{
    ww_resource *ring = declared_ring_of_threads(k);
    declared_task(k, "load", 0, 1, declared_fill_all, ring);
    declared_task(k, "store", 1, 1, declared_use_all, ring);
    ww_depends(k, ring, ring);
}

/* ---- V7, G: grids that depend on each other ------------------------------------------------------------------------------- */

static const ww_work input_work[] = {{.name = "get", .side = WW_CONSUMER}, {0}};

static void read_and_wait(ww_schedule *s, void *context)
{
    parts *p = context;
    LOOP(s)
    {
        ww_consume(s, p->input, "get");
    }
    ww_griddep_wait(s, p->wait);
}

static void wait_and_read(ww_schedule *s, void *context)
{
    parts *p = context;
    ww_griddep_wait(s, p->wait);
    LOOP(s)
    {
        ww_consume(s, p->input, "get");
    }
}

static void declare_reads(ww_kernel *k, ww_schedule_function *schedule)
{
    parts p = {.wait = ww_pdl_wait_new(k, "previous"),
               .input = ww_resource_new(k, "input", &(ww_resource_options){.work = input_work})};
    ww_depends(k, p.input, p.wait);
    declared_task(k, "read", 0, 1, schedule, &p);
}

static void v7_after_the_loop(ww_kernel *k)
{
    declare_reads(k, read_and_wait);
}

static void v7_before_the_loop(ww_kernel *k)
{
    declare_reads(k, wait_and_read);
}

static void wait_skipped(ww_schedule *s, void *context)
{
    parts *p = context;
    ww_work_tile_loop(s, p->queue) {
        ww_skippable(s) {
            ww_griddep_wait(s, p->wait);
        }
        ww_griddep_launch(s, p->launch);
        ww_advance_tile(s, p->queue);
    }
}

static void both_skipped(ww_schedule *s, void *context)
{
    parts *p = context;
    ww_work_tile_loop(s, p->queue) {
        ww_skippable(s) {
            ww_griddep_wait(s, p->wait);
            ww_griddep_launch(s, p->launch);
        }
        ww_advance_tile(s, p->queue);
    }
}

static void neither_skipped(ww_schedule *s, void *context)
{
    parts *p = context;
    ww_work_tile_loop(s, p->queue) {
        ww_griddep_wait(s, p->wait);
        ww_griddep_launch(s, p->launch);
        ww_advance_tile(s, p->queue);
    }
}

static void declare_grids(ww_kernel *k, ww_schedule_function *schedule)
{
    parts p = {.queue = declared_queue(k, "past_end"),
               .wait = ww_pdl_wait_new(k, "previous"),
               .launch = ww_pdl_launch_new(k, "next")};
    declared_task(k, "grid", 0, 1, schedule, &p);
}

static void g_wait_skipped(ww_kernel *k)
{
    declare_grids(k, wait_skipped);
}

static void g_both_skipped(ww_kernel *k)
{
    declare_grids(k, both_skipped);
}

static void g_neither_skipped(ww_kernel *k)
{
    declare_grids(k, neither_skipped);
}

/* ---- the table ---------------------------------------------------------------------------------------------------- */

#define BLACKWELL .arch = "sm_100a"

const declared_case declared_schedules[] = {
    {"P1: a tile loop in a loop", p1_inside_a_loop, WW_BAD_BLOCK, "a tile loop"},
    {"P1: a tile loop over a ring", p1_no_queue, WW_NOT_A_QUEUE, "is no work queue"},
    {"P1: grid barriers around a tile loop", p1_top_level, 0, NULL},
    {"P4: skippable in skippable", p4_nested, WW_BAD_BLOCK, "skippable"},
    {"P4: the queue's step in a skippable block", p4_with_the_queue_inside, WW_QUEUE,
     "does not advance its work queue once a tile"},
    {"P4: the queue's step beside it", p4_beside_the_queue, 0, NULL},
    {"P5: skippable, and the queue has no predicate", p5_no_predicate, WW_BAD_BLOCK, "skippable"},
    {"P5: a predicate without a name", p5_no_name, WW_BAD_NAME, "skip predicate"},
    {"P7: two methods of one name", p7_twice, WW_BAD_WORK, "fill"},
    {"P7: a method called as a verb is", p7_as_a_verb, 0, NULL},
    {"V5: produces what it does not list", v5_not_listed, WW_ROLE, "acquire(ring)"},
    {"V5: lists what it produces", v5_listed, 0, NULL},
    {"V7: the wait after the loop", v7_after_the_loop, WW_PDL, "input.get before"},
    {"V7: the wait before the loop", v7_before_the_loop, 0, NULL},
    {"V20: k_dsc", v20_misspelt, WW_UNKNOWN_WORK, "k_dsc"},
    {"V20: k_desc", v20_spelt, 0, NULL},
    {"V24: to and fro by the tensor core", v24_tensor_core, WW_GRAPH, "depend on itself", BLACKWELL},
    {"V24: one way to the tensor core", v24_tensor_core_one_way, 0, NULL, BLACKWELL},
    {"V24: to and fro by threads", v24_threads, 0, NULL},
    {"G: the wait is skipped, the launch is not", g_wait_skipped, WW_PDL, "before any griddep_wait"},
    {"G: both are skipped", g_both_skipped, 0, NULL},
    {"G: neither is skipped", g_neither_skipped, 0, NULL},
    {0},
};
