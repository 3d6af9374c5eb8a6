/* The rules of docs/rules.md on blocks, tables of work, groups, tasks, memory and grids, each wrong and right. */
#include "declared.h"

#define LOOP(s) ww_domain_loop(s, ww_imm(0), ww_arg(declared_params, trips, 0), ww_imm(1))

/* ---- pieces ------------------------------------------------------------------------------------------------------ */

typedef struct parts {
    ww_resource *ring, *queue, *wait, *launch, *input;
} parts;

static ww_resource *ring_of(ww_kernel *k, const char *name, ww_pipeline pipeline)
{
    static const ww_work threads[] = {
        {.name = "fill", .side = WW_PRODUCER}, {.name = "use", .side = WW_CONSUMER}, {0}};
    static const ww_work copies[] = {{.name = "fill", .side = WW_PRODUCER, .copies = {{"data", 1024}}},
                                     {.name = "use", .side = WW_CONSUMER},
                                     {0}};
    bool counts_bytes = pipeline.type == WW_TMA_ASYNC || pipeline.type == WW_TMA_UMMA;
    if (!pipeline.stages)
        pipeline.stages = 2;
    return ww_resource_new(k, name,
                           &(ww_resource_options){.pipeline = pipeline,
                                                  .buffers = {{.name = "data", .bytes = 1024}},
                                                  .work = counts_bytes ? copies : threads});
}

static ww_resource *threads_ring(ww_kernel *k)
{
    return ring_of(k, "ring", ww_pipeline_async_async());
}

static ww_resource *queue_of(ww_kernel *k, const char *skip)
{
    return ww_queue_static(k, "queue",
                           &(ww_queue_options){.tiles = {ww_arg(declared_params, tiles, 0)}, .skip = skip});
}

static void task(ww_kernel *k, const char *name, int first_warp, int warps, ww_schedule_function *schedule,
                 void *context)
{
    ww_task_new(k, name,
                &(ww_task_options){
                    .first_warp = first_warp, .warps = warps, .schedule = schedule, .context = context});
}

static void fill(ww_schedule *s, ww_resource *ring)
{
    ww_acquire(s, ring);
    ww_produce(s, ring, "fill");
    ww_commit(s, ring);
}

static void use(ww_schedule *s, ww_resource *ring)
{
    ww_wait(s, ring);
    ww_consume(s, ring, "use");
    ww_release(s, ring);
}

static void fill_all(ww_schedule *s, void *ring)
{
    LOOP(s)
    {
        fill(s, ring);
    }
}

static void use_all(ww_schedule *s, void *ring)
{
    LOOP(s)
    {
        use(s, ring);
    }
}

static void a_ring(ww_kernel *k)
{
    ww_resource *ring = threads_ring(k);
    task(k, "load", 0, 1, fill_all, ring);
    task(k, "store", 1, 1, use_all, ring);
}

/* ---- P1: tile loops ---------------------------------------------------------------------------------------------- */

static void tiles_in_a_loop(ww_schedule *s, void *context)
{
    parts *p = context;
    LOOP(s)
    {
        ww_work_tile_loop(s, p->queue) {
            use(s, p->ring);
            ww_advance_tile(s, p->queue);
        }
    }
}

static void tiles_of_a_ring(ww_schedule *s, void *context)
{
    parts *p = context;
    ww_work_tile_loop(s, p->ring) {
        use(s, p->ring);
    }
}

static void fill_tiles(ww_schedule *s, void *context)
{
    parts *p = context;
    ww_griddep_wait(s, p->wait);
    ww_work_tile_loop(s, p->queue) {
        fill_all(s, p->ring);
        ww_advance_tile(s, p->queue);
    }
    ww_griddep_launch(s, p->launch);
}

static void use_tiles(ww_schedule *s, void *context)
{
    parts *p = context;
    ww_work_tile_loop(s, p->queue) {
        use_all(s, p->ring);
        ww_advance_tile(s, p->queue);
    }
}

static void declare_tiles(ww_kernel *k, ww_schedule_function *second)
{
    parts p = {threads_ring(k), queue_of(k, NULL), ww_pdl_wait_new(k, "previous"),
               ww_pdl_launch_new(k, "next"), NULL};
    task(k, "load", 0, 1, fill_tiles, &p);
    task(k, "store", 1, 1, second, &p);
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
            fill_all(s, p->ring);
        }
        ww_advance_tile(s, p->queue);
    }
}

static void skip_uses(ww_schedule *s, void *context)
{
    parts *p = context;
    ww_work_tile_loop(s, p->queue) {
        ww_skippable(s) {
            use_all(s, p->ring);
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
                use_all(s, p->ring);
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
            use_all(s, p->ring);
            ww_advance_tile(s, p->queue);
        }
    }
}

static void declare_skips(ww_kernel *k, const char *skip, ww_schedule_function *second)
{
    parts p = {.ring = threads_ring(k), .queue = queue_of(k, skip)};
    task(k, "load", 0, 1, skip_fills, &p);
    task(k, "store", 1, 1, second, &p);
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
    task(k, "load", 0, 1, first, ring);
    task(k, "store", 1, 1, use_all, ring);
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
    task(k, "load", 0, 1, fill_all, ring);
    task(k, "store", 1, 1, wait_by_name, ring);
}

/* ---- P11, V4: groups -------------------------------------------------------------------------------------------------- */

static void group_of(ww_kernel *k, ww_group_mode mode, ww_pipeline a, ww_pipeline b)
{
    ww_resource *first = ring_of(k, "a", a), *second = ring_of(k, "b", b);
    ww_group_new(k, "g", &(ww_group_options){.mode = mode, .members = {first, second}});
}

static void p11_both_kinds_differ(ww_kernel *k)
{
    group_of(k, WW_MERGE, ww_pipeline_tma_umma(), ww_pipeline_umma_async());
}

static void p11_peers(ww_kernel *k)
{
    group_of(k, WW_MERGE, ww_pipeline_peer_async(), ww_pipeline_peer_async());
}

static void p11_a_member_twice(ww_kernel *k)
{
    ww_resource *a = ring_of(k, "a", ww_pipeline_async_async());
    ww_group_new(k, "g", &(ww_group_options){.mode = WW_MERGE, .members = {a, a}});
}

typedef struct merge {
    ww_resource *a, *b, *group, *sum;
} merge;

static void fill_a(ww_schedule *s, void *context)
{
    fill_all(s, ((merge *)context)->a);
}

static void fill_b(ww_schedule *s, void *context)
{
    fill_all(s, ((merge *)context)->b);
}

static void multiply(ww_schedule *s, void *context)
{
    merge *m = context;
    LOOP(s)
    {
        ww_acquire(s, m->sum);
        ww_wait(s, m->a);
        ww_wait(s, m->b);
        ww_produce(s, m->sum, "mma");
        ww_release(s, m->group);
        ww_commit(s, m->sum);
    }
}

static void use_sum(ww_schedule *s, void *context)
{
    use_all(s, ((merge *)context)->sum);
}

static void p11_producers_differ(ww_kernel *k)
{
    static const ww_work work[] = {{.name = "mma", .side = WW_PRODUCER, .umma_reads = {"a", "b"}},
                                   {.name = "use", .side = WW_CONSUMER},
                                   {0}};
    merge m = {.a = ring_of(k, "a", ww_pipeline_tma_umma()), .b = ring_of(k, "b", ww_pipeline_async_umma())};
    m.group = ww_group_new(k, "g", &(ww_group_options){.mode = WW_MERGE, .members = {m.a, m.b}});
    m.sum = ww_resource_new(k, "sum",
                            &(ww_resource_options){.pipeline = ww_pipeline_umma_async(.stages = 1),
                                                   .tmem = {{"sum", 32}},
                                                   .work = work});
    task(k, "load_a", 0, 1, fill_a, &m);
    task(k, "load_b", 1, 1, fill_b, &m);
    task(k, "math", 2, 1, multiply, &m);
    task(k, "store", 4, 4, use_sum, &m);
}

static void use_both(ww_schedule *s, void *context)
{
    merge *m = context;
    LOOP(s)
    {
        ww_wait(s, m->a);
        ww_wait(s, m->b);
        ww_consume(s, m->a, "use");
        ww_consume(s, m->b, "use");
        ww_release(s, m->group);
    }
}

static void merge_of_bytes(ww_kernel *k, uint32_t bytes)
{
    merge m = {.a = ring_of(k, "a", ww_pipeline_tma_async()), .b = ring_of(k, "b", ww_pipeline_tma_async())};
    ww_group_options options = {.mode = WW_MERGE, .members = {m.a, m.b}, .pipeline = {.tx_bytes = bytes}};
    m.group = ww_group_new(k, "g", &options);
    task(k, "load_a", 0, 1, fill_a, &m);
    task(k, "load_b", 1, 1, fill_b, &m);
    task(k, "store", 2, 1, use_both, &m);
}

static void v4_bytes_of_one(ww_kernel *k)
{
    merge_of_bytes(k, 1024);
}

static void v4_bytes_of_both(ww_kernel *k)
{
    merge_of_bytes(k, 2048);
}

static void v4_stages_differ(ww_kernel *k)
{
    group_of(k, WW_MERGE, ww_pipeline_async_async(.stages = 2), ww_pipeline_async_async(.stages = 3));
}

/* ---- P12, V3, U18, U25: tasks -------------------------------------------------------------------------------------------- */

static void task_of(ww_kernel *k, ww_task_options options)
{
    a_ring(k);
    ww_task_new(k, "more", &options);
}

static void p12_registers_250(ww_kernel *k)
{
    task_of(k, (ww_task_options){.first_warp = 4, .warps = 4, .registers = 250});
}

static void u25_registers_16(ww_kernel *k)
{
    task_of(k, (ww_task_options){.first_warp = 4, .warps = 4, .registers = 16});
}

static void u25_registers_264(ww_kernel *k)
{
    task_of(k, (ww_task_options){.first_warp = 4, .warps = 4, .registers = 264});
}

/* A task without a schedule: warps that pad their warpgroup. */
static void p12_registers_232(ww_kernel *k)
{
    task_of(k, (ww_task_options){.first_warp = 4, .warps = 4, .registers = 232});
}

static void p12_cta_of_another_cluster(ww_kernel *k)
{
    task_of(k, (ww_task_options){.first_warp = 4, .warps = 4, .only_cta = WW_ONLY_CTA(2)});
}

static void p12_cta_below_0(ww_kernel *k)
{
    task_of(k, (ww_task_options){.first_warp = 4, .warps = 4, .only_cta = WW_ONLY_CTA(-2)});
}

static void p12_cta_1(ww_kernel *k)
{
    task_of(k, (ww_task_options){.first_warp = 4, .warps = 4, .only_cta = WW_ONLY_CTA(1)});
}

static void u18_warp_100(ww_kernel *k)
{
    task_of(k, (ww_task_options){.first_warp = 100, .warps = 1});
}

static void u18_warp_31(ww_kernel *k)
{
    task_of(k, (ww_task_options){.first_warp = 31, .warps = 1});
}

static void split(ww_kernel *k, int first, int second, int third)
{
    ww_resource *ring = threads_ring(k);
    ww_task_options load = {.warps = 4, .registers = first, .schedule = fill_all, .context = ring},
                    store = {.first_warp = 4,
                             .warps = 4,
                             .registers = second,
                             .schedule = use_all,
                             .context = ring},
                    rest = {.first_warp = 8, .warps = 4, .registers = third};
    ww_task_new(k, "load", &load);
    ww_task_new(k, "store", &store);
    ww_task_new(k, "rest", &rest);
}

static void v3_24_240_248(ww_kernel *k)
{
    split(k, 24, 240, 248);
}

static void v3_24_240_240(ww_kernel *k)
{
    split(k, 24, 240, 240);
}

/* ---- P14, V21, V22: memory ------------------------------------------------------------------------------------------------ */

static ww_resource *buffer_of(ww_kernel *k, const char *name, uint32_t bytes)
{
    return ww_resource_new(k, name, &(ww_resource_options){.buffers = {{.name = "data", .bytes = bytes}}});
}

static void p14_one_phase(ww_kernel *k)
{
    a_ring(k);
    ww_alias(k, {{buffer_of(k, "a", 64)}});
}

static void p14_two_groups(ww_kernel *k)
{
    a_ring(k);
    ww_resource *a = buffer_of(k, "a", 64), *b = buffer_of(k, "b", 64), *c = buffer_of(k, "c", 64);
    ww_alias(k, {{a}}, {{b}});
    ww_alias(k, {{a}}, {{c}});
}

static void p14_without_memory(ww_kernel *k)
{
    a_ring(k);
    ww_resource *plain = ww_resource_new(k, "plain", NULL);
    ww_alias(k, {{buffer_of(k, "a", 64)}}, {{plain}});
}

static void p14_two_phases(ww_kernel *k)
{
    a_ring(k);
    ww_resource *a = buffer_of(k, "a", 64), *b = buffer_of(k, "b", 64);
    ww_alias(k, {{a}}, {{b}});
}

static void v21_230000_and_4096(ww_kernel *k)
{
    a_ring(k);
    (void)buffer_of(k, "a", 230000);
    (void)buffer_of(k, "b", 4096);
}

static void v21_49152_and_256(ww_kernel *k)
{
    a_ring(k);
    (void)buffer_of(k, "a", 49152);
    (void)buffer_of(k, "b", 256);
}

static void columns(ww_kernel *k, int count)
{
    a_ring(k);
    (void)ww_resource_new(k, "sums", &(ww_resource_options){.tmem = {{"columns", 256}, {"more", count}}});
}

static void v22_513_columns(ww_kernel *k)
{
    columns(k, 257);
}

static void v22_512_columns(ww_kernel *k)
{
    columns(k, 256);
}

/* ---- V5, V24: roles, to and fro -------------------------------------------------------------------------------------------- */

static void declare_roles(ww_kernel *k, bool listed)
{
    ww_resource *ring = threads_ring(k), *other = ring_of(k, "other", ww_pipeline_async_async());
    ww_task_options load = {
        .warps = 1, .schedule = fill_all, .context = ring, .produces = {listed ? ring : other}};
    ww_task_new(k, "load", &load);
    task(k, "store", 1, 1, use_all, ring);
    task(k, "load_other", 2, 1, fill_all, other);
    task(k, "store_other", 3, 1, use_all, other);
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
    merge *m = context;
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
    merge m = {.a = ring_of(k, "a", ww_pipeline_tma_umma())};
    m.sum = ww_resource_new(k, "sum",
                            &(ww_resource_options){.pipeline = ww_pipeline_umma_async(.stages = 1),
                                                   .tmem = {{"sum", 32}},
                                                   .work = work});
    task(k, "load", 0, 1, fill_a, &m);
    task(k, "math", 1, 1, multiply_one, &m);
    task(k, "store", 4, 4, use_sum, &m);
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
    ww_resource *ring = threads_ring(k);
    task(k, "load", 0, 1, fill_all, ring);
    task(k, "store", 1, 1, use_all, ring);
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
    task(k, "read", 0, 1, schedule, &p);
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
    parts p = {.queue = queue_of(k, "past_end"),
               .wait = ww_pdl_wait_new(k, "previous"),
               .launch = ww_pdl_launch_new(k, "next")};
    task(k, "grid", 0, 1, schedule, &p);
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

/* ---- the table --------------------------------------------------------------------------------------------------------------- */

#define BLACKWELL .arch = "sm_100a"

const declared_case declared[] = {
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
    {"P11: producers and consumers differ", p11_both_kinds_differ, WW_GROUP, "another kind of consumer",
     BLACKWELL},
    {"P11: rings between CTAs", p11_peers, WW_GROUP, "of a type that groups do not take",
     .cluster = {.n = 2}},
    {"P11: a member twice", p11_a_member_twice, WW_GROUP, "listed twice"},
    {"P11: producers differ", p11_producers_differ, 0, NULL, BLACKWELL},
    {"P12: 250 registers", p12_registers_250, WW_BAD_VALUE, "registers of task more"},
    {"P12: 232 registers, and no schedule", p12_registers_232, 0, NULL},
    {"P12: CTA 2 of a cluster of two", p12_cta_of_another_cluster, WW_BAD_VALUE, "only_cta",
     .cluster = {.n = 2}},
    {"P12: a CTA below 0", p12_cta_below_0, WW_BAD_VALUE, "only_cta", .cluster = {.n = 2}},
    {"P12: CTA 1 of a cluster of two", p12_cta_1, 0, NULL, .cluster = {.n = 2}},
    {"P14: an alias group of one phase", p14_one_phase, WW_BAD_VALUE, "phases of an alias group"},
    {"P14: a resource in two alias groups", p14_two_groups, WW_BAD_VALUE, "cannot be placed"},
    {"P14: an alias group of what has no memory", p14_without_memory, WW_BAD_VALUE, "cannot be placed"},
    {"P14: an alias group of two phases", p14_two_phases, 0, NULL},
    {"V3: 24 + 240 + 248", v3_24_240_248, WW_REGISTERS, "more than the kernel starts with"},
    {"V3: 24 + 240 + 240", v3_24_240_240, 0, NULL},
    {"V4: a merge of unequal stages", v4_stages_differ, WW_GROUP, "another number of stages"},
    {"V4: a merge with the bytes of one", v4_bytes_of_one, WW_TX_BYTES, "g"},
    {"V4: a merge with the bytes of both", v4_bytes_of_both, 0, NULL},
    {"V5: produces what it does not list", v5_not_listed, WW_ROLE, "acquire(ring)"},
    {"V5: lists what it produces", v5_listed, 0, NULL},
    {"V7: the wait after the loop", v7_after_the_loop, WW_PDL, "input.get before"},
    {"V7: the wait before the loop", v7_before_the_loop, 0, NULL},
    {"V20: k_dsc", v20_misspelt, WW_UNKNOWN_WORK, "k_dsc"},
    {"V20: k_desc", v20_spelt, 0, NULL},
    {"V21: 230000 and 4096 bytes", v21_230000_and_4096, WW_CAPACITY, "shared memory"},
    {"V21: 49152 and 256 bytes", v21_49152_and_256, 0, NULL},
    {"V22: 513 columns", v22_513_columns, WW_CAPACITY, "tensor memory", BLACKWELL},
    {"V22: 512 columns", v22_512_columns, 0, NULL, BLACKWELL},
    {"V24: to and fro by the tensor core", v24_tensor_core, WW_GRAPH, "depend on itself", BLACKWELL},
    {"V24: one way to the tensor core", v24_tensor_core_one_way, 0, NULL, BLACKWELL},
    {"V24: to and fro by threads", v24_threads, 0, NULL},
    {"U18: warp 100", u18_warp_100, WW_BAD_VALUE, "warp range"},
    {"U18: warp 31", u18_warp_31, 0, NULL},
    {"U25: 16 registers", u25_registers_16, WW_BAD_VALUE, "registers of task more"},
    {"U25: 264 registers", u25_registers_264, WW_BAD_VALUE, "registers of task more"},
    {"G: the wait is skipped, the launch is not", g_wait_skipped, WW_PDL, "before any griddep_wait"},
    {"G: both are skipped", g_both_skipped, 0, NULL},
    {"G: neither is skipped", g_neither_skipped, 0, NULL},
    {0},
};
