/* multicast: TMA loads of operand tiles shared along n (A), along m (B), and along both, each CTA loading its part; by
 * one task, or by a task an operand. */
#include "feature.h"
#include "multicast_params.h"

#include <stdlib.h>

typedef struct multi_form {
    int m, n; /* the cluster */
    bool two_tasks;
    ww_pipeline pipeline;
} multi_form;

typedef struct multi {
    ww_resource *ring;
    const multi_form *form;
} multi;

enum { READ_WARPS = 3 };

static ww_bound rows(void)
{
    return ww_arg(struct multicast_params, trips, 0);
}

/* ---- schedules ------------------------------------------------------------------------------------------- */

static void load(ww_schedule *s, const multi *c, bool a, bool b)
{
    ww_domain_loop(s, ww_imm(0), rows(), ww_imm(1)) {
        ww_try_acquire(s, c->ring);
        ww_acquire(s, c->ring);
        if (a)
            ww_produce(s, c->ring, "load_a", .constants = {c->form->m, c->form->n});
        if (b)
            ww_produce(s, c->ring, "load_b", .constants = {c->form->m, c->form->n});
        ww_commit(s, c->ring);
    }
}

static void load_both(ww_schedule *s, void *context)
{
    load(s, context, true, true);
}

static void load_a(ww_schedule *s, void *context)
{
    load(s, context, true, false);
}

static void load_b(ww_schedule *s, void *context)
{
    load(s, context, false, true);
}

static void read_tiles(ww_schedule *s, void *context)
{
    const multi *c = context;
    ww_domain_loop(s, ww_imm(0), rows(), ww_imm(1)) {
        ww_wait(s, c->ring);
        ww_consume(s, c->ring, "read", .constants = {READ_WARPS});
        ww_release(s, c->ring);
    }
}

static ww_resource *declare_ring(ww_kernel *k, const multi_form *form)
{
    const ww_work work[] = {
        {.name = "load_a",
         .side = WW_PRODUCER,
         .constants = {"int m", "int n"},
         .copies = {{"a", MULTI_BYTES / (uint32_t)form->n, form->n > 1 ? WW_REACH_A : WW_REACH_OWN}}},
        {.name = "load_b",
         .side = WW_PRODUCER,
         .constants = {"int m", "int n"},
         .copies = {{"b", MULTI_BYTES / (uint32_t)form->m, form->m > 1 ? WW_REACH_B : WW_REACH_OWN}}},
        {.name = "read", .side = WW_CONSUMER, .constants = {"int warps"}},
        {0},
    };
    return ww_resource_new(k, "ring",
                           &(ww_resource_options){.type = "tiles",
                                                  .pipeline = form->pipeline,
                                                  .buffers = {{"a", MULTI_BYTES}, {"b", MULTI_BYTES}},
                                                  .work = work});
}

static ww_kernel *declare(const feature *f, const char *kernel)
{
    multi c = {.form = f->form};
    ww_kernel *k = feature_kernel(kernel, "multicast.cuh", "multicast_params",
                                  sizeof(struct multicast_params), (ww_cluster){1, c.form->m, c.form->n, 1});
    c.ring = declare_ring(k, c.form);
    feature_task(k, "read_tiles", 0, READ_WARPS, read_tiles, &c);
    feature_task(k, "load", READ_WARPS, 1, c.form->two_tasks ? load_a : load_both, &c);
    if (c.form->two_tasks)
        feature_task(k, "load_b", READ_WARPS + 1, 1, load_b, &c);
    return k;
}

/* ---- what must come out ---------------------------------------------------------------------------------------- */

enum { B_FIRST = 1 << 20 }; /* numbers of B's words */

static void map_part(trial *t, const uint32_t *words, size_t tiles, int rows_a_box, ww_tensor_map *map)
{
    uint64_t at = trial_put(t, words, tiles * MULTI_BYTES);
    ww_run_tensor_map(t->run,
                      &(ww_tensor_2d){.element = WW_F32,
                                      .address = at,
                                      .rows = tiles * MULTI_ROWS,
                                      .cols = MULTI_COLS,
                                      .row_bytes = MULTI_COLS * 4,
                                      .box_rows = (uint32_t)rows_a_box,
                                      .box_cols = MULTI_COLS},
                      map);
}

static void expect(trial *t, uint64_t out, size_t grid_m, size_t grid_n, size_t trips)
{
    size_t words = grid_m * grid_n * trips * 2 * MULTI_WORDS, at = 0;
    uint32_t *expected = malloc(words * sizeof *expected);
    if (!expected)
        abort();
    for (size_t n = 0; n < grid_n; n++)
        for (size_t m = 0; m < grid_m; m++)
            for (size_t trip = 0; trip < trips; trip++) {
                for (size_t w = 0; w < MULTI_WORDS; w++)
                    expected[at++] = input_word((m * trips + trip) * MULTI_WORDS + w);
                for (size_t w = 0; w < MULTI_WORDS; w++)
                    expected[at++] = input_word(B_FIRST + (n * trips + trip) * MULTI_WORDS + w);
            }
    trial_expect(t, "tiles", out, expected, words);
    free(expected);
}

static uint32_t *words_from(size_t first, size_t count)
{
    uint32_t *words = input_words(count);
    for (size_t i = 0; i < count; i++)
        words[i] = input_word(first + i);
    return words;
}

/* Two clusters each way. */
static void check_trips(trial *t, const multi_form *form, int trips)
{
    size_t grid_m = 2 * (size_t)form->m, grid_n = 2 * (size_t)form->n, count = (size_t)trips;
    struct multicast_params p = {.trips = trips};
    uint32_t *a = words_from(0, grid_m * count * MULTI_WORDS),
             *b = words_from(B_FIRST, grid_n * count * MULTI_WORDS);
    map_part(t, a, grid_m * count, MULTI_ROWS / form->n, &p.a_part);
    map_part(t, b, grid_n * count, MULTI_ROWS / form->m, &p.b_part);
    p.out = (uint32_t *)trial_room(t, grid_m * grid_n * count * 2 * MULTI_BYTES);
    trial_go(t, &p, (uint32_t)grid_m, (uint32_t)grid_n, 1);
    expect(t, (uint64_t)p.out, grid_m, grid_n, count);
    free(a);
    free(b);
}

static void check(trial *t, const feature *f)
{
    static const int trips[] = {1, 2, 3, 4, 7, 16};
    for (size_t i = 0; i < sizeof trips / sizeof *trips; i++)
        check_trips(t, f->form, trips[i]);
}

#define FORM(...)                                                                                            \
    &(const multi_form)                                                                                      \
    {                                                                                                        \
        __VA_ARGS__                                                                                          \
    }

static const feature features[] = {
    {"b_along_m", declare, check, FORM(2, 1, false, {.type = WW_TMA_ASYNC, .stages = 3})},
    {"a_along_n", declare, check, FORM(1, 2, false, {.type = WW_TMA_ASYNC, .stages = 1})},
    {"both", declare, check, FORM(2, 2, false, {.type = WW_TMA_ASYNC, .stages = 3})},
    {"both_two_tasks", declare, check, FORM(2, 2, true, {.type = WW_TMA_ASYNC, .stages = 2})},
    {"all_given", declare, check,
     FORM(2, 2, false,
          {.type = WW_TMA_ASYNC,
           .stages = 3,
           .multicast = WW_MULTICAST_MN,
           .cluster = {1, 2, 2, 1},
           .tx_bytes = 2 * MULTI_BYTES,
           .producer_arrivals = 1,
           .consumer_arrivals = 3 * READ_WARPS})},
    {"four_along_m", declare, check, FORM(4, 1, false, {.type = WW_TMA_ASYNC, .stages = 3})},
    {0},
};

const family multicast_family = {"multicast", features};
