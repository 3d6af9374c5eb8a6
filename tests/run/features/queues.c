/* queues: persistent work queues. Static ones with clusters and swizzled rasters, dynamic ones on a counter, with and
 * without tiles to skip. Every tile is worked on exactly once a launch; three launches share one counter, which must be
 * zero again after each. */
#include "feature.h"
#include "queues_params.h"

#include <stdlib.h>

typedef struct queue_form {
    bool counter;
    ww_cluster cluster;
    int swizzle;
    bool along_n, skip;
    int stages; /* of a counter queue; 0: the default */
} queue_form;

typedef struct queues {
    ww_resource *queue, *tally, *ring;
    const queue_form *form;
} queues;

enum { LAUNCHES = 3, READ_WARPS = 4 };

/* ---- schedules ------------------------------------------------------------------------------------------- */

static void schedule_tiles(ww_schedule *s, void *context)
{
    const queues *q = context;
    ww_work_tile_loop(s, q->queue) {
        ww_fetch_tile(s, q->queue);
        ww_advance_tile(s, q->queue);
    }
}

static void load_row(ww_schedule *s, const queues *q)
{
    ww_acquire(s, q->ring);
    ww_produce(s, q->ring, "load");
    ww_commit(s, q->ring);
}

static void load(ww_schedule *s, void *context)
{
    const queues *q = context;
    ww_work_tile_loop(s, q->queue) {
        ww_produce(s, q->tally, "count");
        if (q->form->skip) {
            ww_skippable(s) {
                load_row(s, q);
            }
        } else {
            load_row(s, q);
        }
        ww_advance_tile(s, q->queue);
    }
}

static void add_row(ww_schedule *s, const queues *q)
{
    ww_wait(s, q->ring);
    ww_consume(s, q->ring, "add", .constants = {READ_WARPS});
    ww_release(s, q->ring);
}

static void add(ww_schedule *s, void *context)
{
    const queues *q = context;
    ww_work_tile_loop(s, q->queue) {
        if (q->form->skip) {
            ww_skippable(s) {
                add_row(s, q);
            }
        } else {
            add_row(s, q);
        }
        ww_advance_tile(s, q->queue);
    }
}

/* ---- kernels ----------------------------------------------------------------------------------------------- */

static const ww_work tally_work[] = {{.name = "count", .side = WW_PRODUCER}, {0}};

static const ww_work row_work[] = {
    {.name = "load", .side = WW_PRODUCER, .copies = {{"words", ROW_BYTES}}},
    {.name = "add", .side = WW_CONSUMER, .constants = {"int warps"}},
    {0},
};

static ww_resource *declare_queue(ww_kernel *k, const queue_form *form)
{
    ww_queue_options options = {.tiles = {ww_arg(struct queues_params, tiles_m, 0),
                                          ww_arg(struct queues_params, tiles_n, 0),
                                          ww_arg(struct queues_params, tiles_l, 0)},
                                .swizzle = form->swizzle,
                                .raster_along_n = form->along_n,
                                .skip = form->skip ? "skips_odd" : NULL};
    if (!form->counter)
        return ww_queue_static(k, "queue", &options);
    options.counter = "counter";
    options.stages = form->stages;
    return ww_queue_counter(k, "queue", &options);
}

static ww_kernel *declare(const feature *f, const char *kernel)
{
    queues q = {.form = f->form};
    ww_kernel *k =
        feature_kernel(kernel, "queues.cuh", "queues_params", sizeof(struct queues_params), q.form->cluster);
    q.queue = declare_queue(k, q.form);
    q.tally = ww_resource_new(k, "tally", &(ww_resource_options){.work = tally_work});
    q.ring = ww_resource_new(k, "row",
                             &(ww_resource_options){.pipeline = {.type = WW_TMA_ASYNC, .stages = 3},
                                                    .buffers = {{"words", ROW_BYTES}},
                                                    .work = row_work});
    feature_task(k, "add", 0, READ_WARPS, add, &q);
    feature_task(k, "load", READ_WARPS, 1, load, &q);
    if (q.form->counter)
        feature_task(k, "schedule_tiles", READ_WARPS + 1, 1, schedule_tiles, &q);
    return k;
}

/* ---- what must come out ---------------------------------------------------------------------------------------- */

typedef struct space {
    int m, n, l;
    int ctas; /* at once, at most */
} space;

static ww_tile_space tile_space(const queue_form *form, const space *at)
{
    return (ww_tile_space){.tiles = {at->m, at->n, at->l},
                           .cluster_m = form->cluster.m,
                           .cluster_n = form->cluster.n,
                           .swizzle = form->swizzle,
                           .raster_along_n = form->along_n};
}

static void expect_rows(trial *t, const queue_form *form, const struct queues_params *p, size_t tiles)
{
    uint32_t *rows = input_words((tiles + 1) * ROW_WORDS), *tallies = input_words(tiles + 1);
    for (size_t tile = 0; tile < tiles; tile++) {
        size_t m = tile % (size_t)p->tiles_m, n = tile / (size_t)p->tiles_m % (size_t)p->tiles_n;
        bool skipped = form->skip && (m + n) % 2;
        for (size_t w = 0; w < ROW_WORDS; w++)
            rows[tile * ROW_WORDS + w] =
                skipped ? 0 : LAUNCHES * input_word(tile * ROW_WORDS + ROW_WORDS - 1 - w);
        tallies[tile] = LAUNCHES;
    }
    ww_tile_space all = tile_space(form, &(space){p->tiles_m, p->tiles_n, p->tiles_l, 0});
    size_t clusters = ww_tile_space_clusters(&all), ctas = (size_t)all.cluster_m * (size_t)all.cluster_n;
    tallies[tiles] = (uint32_t)(LAUNCHES * (clusters * ctas - tiles));
    trial_expect(t, "how often each tile was dealt out", (uint64_t)p->tally, tallies, tiles + 1);
    trial_expect(t, "rows", (uint64_t)p->out, rows, tiles * ROW_WORDS);
    free(rows);
    free(tallies);
}

static void check_space(trial *t, const queue_form *form, const space *at)
{
    static const uint32_t zero;
    size_t tiles = (size_t)(at->m * at->n * at->l), words = (tiles + 1) * ROW_WORDS;
    uint32_t *in = input_words(words), *zeros = calloc(words, sizeof *zeros), grid[3] = {1, 1, 1};
    if (!zeros)
        abort();
    struct queues_params p = {.tiles_m = at->m, .tiles_n = at->n, .tiles_l = at->l};
    p.in = (const uint32_t *)trial_put(t, in, words * sizeof *in);
    p.out = (uint32_t *)trial_put(t, zeros, words * sizeof *zeros);
    p.tally = (uint32_t *)trial_put(t, zeros, (tiles + 1) * sizeof *zeros);
    p.counter = (unsigned *)trial_put(t, &zero, sizeof zero);
    ww_tile_space all = tile_space(form, at);
    if (!ww_tile_space_grid(&all, false, at->ctas, grid))
        abort();
    for (int i = 0; i < LAUNCHES; i++)
        trial_launch(t, &p, grid[0], grid[1], grid[2]);
    ww_run_wait(t->run);
    trial_expect(t, "counter", (uint64_t)p.counter, &zero, 1);
    expect_rows(t, form, &p, tiles);
    free(in);
    free(zeros);
}

static void check(trial *t, const feature *f)
{
    static const space spaces[] = {{1, 1, 1, 4}, {5, 3, 1, 4},  {7, 4, 2, 8},
                                   {2, 9, 3, 4}, {8, 8, 1, 16}, {3, 1, 1, 64}};
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        check_space(t, f->form, &spaces[i]);
}

#define FORM(...)                                                                                            \
    &(const queue_form)                                                                                      \
    {                                                                                                        \
        __VA_ARGS__                                                                                          \
    }

static const feature features[] = {
    {"static_cluster", declare, check, FORM(false, {1, 2, 1, 1}, 2, false, false, 0)},
    {"static_cluster_n", declare, check, FORM(false, {1, 2, 2, 1}, 3, true, false, 0)},
    {"static_skip", declare, check, FORM(false, {1, 1, 1, 1}, 0, false, true, 0)},
    {"counter", declare, check, FORM(true, {1, 1, 1, 1}, 0, false, false, 0)},
    {"counter_skip", declare, check, FORM(true, {1, 1, 1, 1}, 2, true, true, 3)},
    {"counter_cluster", declare, check, FORM(true, {1, 2, 1, 1}, 2, false, false, 0)},
    {"counter_cluster_n", declare, check, FORM(true, {1, 2, 2, 1}, 0, true, false, 1)},
    {"counter_cluster_skip", declare, check, FORM(true, {1, 1, 2, 1}, 0, false, true, 0)},
    {0},
};

const family queues_family = {"queues", features};
