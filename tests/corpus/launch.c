/* What surrounds the rings: registers, the launch after another grid, queues of tiles. */
#include "corpus.h"

/* ---- 27, 62 to 64: the register split --------------------------------------------------------------------------- */

static void declare_split(ww_kernel *k, int fill, int math, int math_warps)
{
    ww_resource *ring = corpus_ring(k, "ring", ww_pipeline_tma_async());
    (void)ww_task_new(
        k, "load",
        &(ww_task_options){.warps = 1, .registers = fill, .schedule = corpus_producer, .context = ring});
    (void)ww_task_new(k, "math",
                      &(ww_task_options){.first_warp = 4,
                                         .warps = math_warps,
                                         .registers = math,
                                         .schedule = corpus_consumer,
                                         .context = ring});
}

/* 512 threads start with 128 registers each. */
static void a_split_for_384_threads(ww_kernel *k)
{
    declare_split(k, 24, 240, 12);
}

static void a_split_for_512_threads(ww_kernel *k)
{
    declare_split(k, 32, 160, 12);
}

static void raised_and_nowhere_lowered(ww_kernel *k)
{
    declare_split(k, 0, 168, 12);
}

static void lowered_before_raised(ww_kernel *k)
{
    declare_split(k, 80, 136, 12);
}

static void a_split_of_520(ww_kernel *k)
{
    declare_split(k, 40, 240, 8);
}

/* Reported to hang; on an H200 it runs (docs/registers.md). */
static void a_split_of_488(ww_kernel *k)
{
    declare_split(k, 24, 232, 8);
}

static void a_split_of_504(ww_kernel *k)
{
    declare_split(k, 40, 232, 8);
}

/* ---- 67, 68, 69: the predecessor grid -------------------------------------------------------------------------------------- */

typedef struct chain {
    ww_resource *input, *ring, *previous, *next;
} chain;

static void load_chained(ww_schedule *s, chain *c)
{
    corpus_loop(s)
    {
        ww_consume(s, c->input, "get");
        corpus_fill(s, c->ring);
    }
}

static void load_at_once(ww_schedule *s, void *context)
{
    load_chained(s, context);
}

static void load_and_wait(ww_schedule *s, void *context)
{
    chain *c = context;
    load_chained(s, c);
    ww_griddep_wait(s, c->previous);
}

static void wait_and_load(ww_schedule *s, void *context)
{
    chain *c = context;
    ww_griddep_wait(s, c->previous);
    load_chained(s, c);
}

static void use_chained(ww_schedule *s, void *context)
{
    corpus_consumer(s, ((chain *)context)->ring);
}

static void use_and_launch(ww_schedule *s, void *context)
{
    chain *c = context;
    corpus_consumer(s, c->ring);
    ww_griddep_launch(s, c->next);
}

static void use_wait_and_launch(ww_schedule *s, void *context)
{
    chain *c = context;
    corpus_consumer(s, c->ring);
    ww_griddep_wait(s, c->previous);
    ww_griddep_launch(s, c->next);
}

static void declare_chain(ww_kernel *k, ww_schedule_function *load, ww_schedule_function *use, bool launches)
{
    chain c = {corpus_plain(k, "input"), corpus_ring(k, "ring", ww_pipeline_tma_async()),
               ww_pdl_wait_new(k, "previous"), launches ? ww_pdl_launch_new(k, "next") : NULL};
    ww_depends(k, c.input, c.previous);
    ww_depends(k, c.ring, c.input);
    if (launches)
        ww_depends(k, c.next, NULL);
    corpus_task(k, "load", 0, 1, load, &c);
    corpus_task(k, "math", 4, 4, use, &c);
}

static void nobody_waits(ww_kernel *k)
{
    declare_chain(k, load_at_once, use_and_launch, true);
}

static void waits_after_the_read(ww_kernel *k)
{
    declare_chain(k, load_and_wait, use_chained, false);
}

static void launches_without_a_wait(ww_kernel *k)
{
    declare_chain(k, wait_and_load, use_and_launch, true);
}

static void waits_before_both(ww_kernel *k)
{
    declare_chain(k, wait_and_load, use_wait_and_launch, true);
}

/* A grouped kernel: the read that lacks its wait is in the tile loop. */
typedef struct grouped {
    ww_resource *input, *ring, *previous, *queue;
} grouped;

static void load_group(ww_schedule *s, grouped *g)
{
    ww_work_tile_loop(s, g->queue) {
        corpus_loop(s)
        {
            ww_consume(s, g->input, "get");
            corpus_fill(s, g->ring);
        }
        ww_advance_tile(s, g->queue);
    }
}

static void load_groups_at_once(ww_schedule *s, void *context)
{
    grouped *g = context;
    load_group(s, g);
    ww_griddep_wait(s, g->previous);
}

static void wait_and_load_groups(ww_schedule *s, void *context)
{
    grouped *g = context;
    ww_griddep_wait(s, g->previous);
    load_group(s, g);
}

static void use_group(ww_schedule *s, void *context)
{
    grouped *g = context;
    ww_work_tile_loop(s, g->queue) {
        corpus_consumer(s, g->ring);
        ww_advance_tile(s, g->queue);
    }
}

static void declare_grouped(ww_kernel *k, ww_schedule_function *load)
{
    grouped g = {
        corpus_plain(k, "input"), corpus_ring(k, "ring", ww_pipeline_tma_async()),
        ww_pdl_wait_new(k, "previous"),
        ww_queue_static(k, "tiles", &(ww_queue_options){.tiles = {ww_arg(corpus_params, tiles, 0)}})};
    ww_depends(k, g.input, g.previous);
    ww_depends(k, g.ring, g.input);
    corpus_task(k, "load", 0, 1, load, &g);
    corpus_task(k, "math", 4, 4, use_group, &g);
}

static void groups_read_before_the_wait(ww_kernel *k)
{
    declare_grouped(k, load_groups_at_once);
}

static void groups_read_after_the_wait(ww_kernel *k)
{
    declare_grouped(k, wait_and_load_groups);
}

/* ---- 71: a response given back before it is used ------------------------------------------------------------------------------ */

static void fetch(ww_schedule *s, void *context)
{
    grouped *g = context;
    ww_work_tile_loop(s, g->queue) {
        ww_fetch_tile(s, g->queue);
        ww_advance_tile(s, g->queue);
    }
}

static void load_tiles(ww_schedule *s, void *context)
{
    grouped *g = context;
    ww_work_tile_loop(s, g->queue) {
        corpus_producer(s, g->ring);
        ww_advance_tile(s, g->queue);
    }
}

static void advance_and_use(ww_schedule *s, void *context)
{
    grouped *g = context;
    ww_work_tile_loop(s, g->queue) {
        ww_advance_tile(s, g->queue);
        corpus_consumer(s, g->ring);
    }
}

static void declare_clc(ww_kernel *k, ww_schedule_function *use)
{
    grouped g = {
        .ring = corpus_ring(k, "ring", ww_pipeline_tma_async()),
        .queue = ww_queue_clc(k, "tiles", &(ww_queue_options){.tiles = {ww_arg(corpus_params, tiles, 0)}})};
    corpus_task(k, "load", 0, 1, load_tiles, &g);
    corpus_task(k, "schedule", 1, 1, fetch, &g);
    corpus_task(k, "math", 4, 4, use, &g);
}

static void given_back_before_the_tile_is_done(ww_kernel *k)
{
    declare_clc(k, advance_and_use);
}

static void given_back_once_read(ww_kernel *k)
{
    declare_clc(k, use_group);
}

const corpus_case corpus_launch[] = {
    {"27", "a split for three warpgroups in a kernel of four", a_split_for_384_threads, WW_REGISTERS,
     "the register split asks for more than the kernel starts with", a_split_for_512_threads},
    {"64", "a split that a kernel of 512 threads cannot have", a_split_for_384_threads, WW_REGISTERS,
     "the register split asks for more than the kernel starts with", a_split_for_512_threads},
    {"63", "registers raised and nowhere given back", raised_and_nowhere_lowered, WW_REGISTERS,
     "the register split asks for more than the kernel starts with", lowered_before_raised},
    {"62", "three warpgroups that ask for 520 of 504", a_split_of_520, WW_REGISTERS,
     "the register split asks for more than the kernel starts with", a_split_of_488},
    {"62b", "threads and CTAs of the launch are always stated", NULL, 0, NULL, a_split_of_504,
     .emits = {"__launch_bounds__(384, 1)", "ww::setmaxnreg_dec<40>();", "ww::setmaxnreg_inc<232>();"}},
    {"67", "reads what the predecessor writes, and does not wait", nobody_waits, WW_PDL,
     "task load: input.get before griddep_wait(previous), in the first trip of its loop", waits_before_both},
    {"68", "waits after the reads that it should guard", waits_after_the_read, WW_PDL,
     "task load: input.get before griddep_wait(previous), in the first trip of its loop", waits_before_both},
    {"68", "launches the successor and has not waited", launches_without_a_wait, WW_PDL,
     "task math: griddep_launch(next) can run before any griddep_wait, after its loop", waits_before_both},
    {"69", "a grouped kernel that does not wait for its predecessor", groups_read_before_the_wait, WW_PDL,
     "task load: input.get before griddep_wait(previous), in the first trip of its loop",
     groups_read_after_the_wait},
    {"71", "the next tile taken while the last is in use", given_back_before_the_tile_is_done, WW_QUEUE,
     "task math does not advance its work queue once a tile", given_back_once_read, "sm_100a"},
    {0},
};
