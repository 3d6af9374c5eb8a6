/* stores: AsyncTma. Threads fill, a store task drains by TMA and by plain bulk copies, storing and adding; a stage is
 * given back when its own store has read it, or one store later. */
#include "feature.h"
#include "stores_params.h"

#include <stdlib.h>
#include <string.h>

typedef struct store_form {
    ww_pipeline pipeline;
    const char *store; /* work */
    int store_warps;
    uint32_t (*expected)(uint32_t word, uint32_t before);
} store_form;

typedef struct stores {
    ww_resource *ring;
    const store_form *form;
} stores;

enum { CTAS = 3, FILL_WARPS = 4 };

/* ---- schedules ------------------------------------------------------------------------------------------- */

static ww_bound rows(void)
{
    return ww_arg(struct stores_params, trips, 1);
}

static void fill(ww_schedule *s, void *context)
{
    const stores *st = context;
    ww_domain_loop(s, ww_imm(0), rows(), ww_imm(1)) {
        ww_acquire(s, st->ring);
        ww_produce(s, st->ring, "fill", .constants = {FILL_WARPS});
        ww_commit(s, st->ring);
    }
}

static void drain(ww_schedule *s, void *context)
{
    const stores *st = context;
    ww_domain_loop(s, ww_imm(0), rows(), ww_imm(1)) {
        ww_wait(s, st->ring);
        ww_consume(s, st->ring, st->form->store);
        ww_consume(s, st->ring, "settle");
        ww_release(s, st->ring);
    }
}

/* One store is left reading while the next one is issued. */
static void drain_lag(ww_schedule *s, void *context)
{
    const stores *st = context;
    ww_domain_loop(s, ww_imm(0), rows(), ww_imm(1)) {
        ww_wait(s, st->ring);
        ww_consume(s, st->ring, st->form->store);
        ww_consume(s, st->ring, "settle_previous");
        ww_every(s, 1, 1) {
            ww_release(s, st->ring);
        }
    }
    ww_consume(s, st->ring, "settle");
    ww_release(s, st->ring);
}

/* ---- kernels ----------------------------------------------------------------------------------------------- */

static const ww_work row_work[] = {
    {.name = "fill", .side = WW_PRODUCER, .constants = {"int warps"}},
    {.name = "store", .side = WW_CONSUMER, .bulk_store = true},
    {.name = "add", .side = WW_CONSUMER, .bulk_store = true},
    {.name = "store_half", .side = WW_CONSUMER, .bulk_store = true},
    {.name = "add_half", .side = WW_CONSUMER, .bulk_store = true},
    {.name = "settle", .side = WW_CONSUMER, .bulk_wait = WW_BULK_WAIT(0)},
    {.name = "settle_previous", .side = WW_CONSUMER, .bulk_wait = WW_BULK_WAIT(1)},
    {0},
};

static ww_kernel *declare(const feature *f, const char *kernel)
{
    stores st = {.form = f->form};
    ww_kernel *k =
        feature_kernel(kernel, "stores.cuh", "stores_params", sizeof(struct stores_params), ONE_CTA);
    st.ring = ww_resource_new(k, "ring",
                              &(ww_resource_options){.type = "row",
                                                     .pipeline = st.form->pipeline,
                                                     .buffers = {{"words", ROW_BYTES}},
                                                     .work = row_work});
    feature_task(k, "fill", 0, FILL_WARPS, fill, &st);
    feature_task(k, "drain", FILL_WARPS, st.form->store_warps,
                 st.form->pipeline.advance_on_wait ? drain_lag : drain, &st);
    return k;
}

/* ---- what must come out ---------------------------------------------------------------------------------------- */

/* Small whole numbers, as f32, in the input and in memory before: sums are exact. */
static uint32_t number(size_t i)
{
    float value = (float)(input_word(i) % 1024);
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint32_t stored(uint32_t word, uint32_t before)
{
    (void)before;
    return word;
}

static uint32_t float_sum(uint32_t word, uint32_t before)
{
    float a, b;
    memcpy(&a, &word, sizeof a);
    memcpy(&b, &before, sizeof b);
    a += b;
    memcpy(&word, &a, sizeof word);
    return word;
}

static uint32_t integer_sum(uint32_t word, uint32_t before)
{
    return word + before;
}

static void map_rows(trial *t, uint64_t at, size_t rows_of_words, ww_tensor_map *map)
{
    ww_run_tensor_map(t->run,
                      &(ww_tensor_2d){.element = WW_F32,
                                      .address = at,
                                      .rows = rows_of_words * STORE_BOX_ROWS,
                                      .cols = STORE_COLS,
                                      .row_bytes = STORE_COLS * 4,
                                      .box_rows = STORE_BOX_ROWS,
                                      .box_cols = STORE_COLS},
                      map);
}

enum { MOST_TRIPS = 17, MOST_WORDS = CTAS * MOST_TRIPS * ROW_WORDS };

typedef struct memories {
    uint32_t in[MOST_WORDS], before[MOST_WORDS], after[MOST_WORDS];
} memories;

static void prepare(memories *m, const store_form *form, size_t words)
{
    for (size_t i = 0; i < words; i++) {
        m->in[i] = number(i);
        m->before[i] = number(i + MOST_WORDS);
    }
    for (size_t i = 0; i < words; i++)
        m->after[i] =
            form->expected(m->in[i / ROW_WORDS * ROW_WORDS + ROW_WORDS - 1 - i % ROW_WORDS], m->before[i]);
}

static void check_trips(trial *t, const store_form *form, memories *m, int trips)
{
    size_t words = CTAS * (size_t)trips * ROW_WORDS;
    struct stores_params p = {.trips = trips};
    prepare(m, form, words);
    uint64_t out = trial_put(t, m->before, sizeof m->before);
    p.in = (const uint32_t *)trial_put(t, m->in, sizeof m->in);
    p.out = (uint32_t *)out;
    map_rows(t, out, CTAS * MOST_TRIPS, &p.to);
    trial_go(t, &p, CTAS, 1, 1);
    trial_expect(t, "stored rows", out, m->after, words);
}

static void check(trial *t, const feature *f)
{
    static const int trips[] = {1, 2, 3, 4, 8, MOST_TRIPS};
    memories *m = malloc(sizeof *m);
    if (!m)
        abort();
    for (size_t i = 0; i < sizeof trips / sizeof *trips; i++)
        check_trips(t, f->form, m, trips[i]);
    free(m);
}

#define FORM(...)                                                                                            \
    &(const store_form)                                                                                      \
    {                                                                                                        \
        __VA_ARGS__                                                                                          \
    }

static const feature features[] = {
    {"one_stage", declare, check, FORM({.type = WW_ASYNC_TMA, .stages = 1}, "store", 1, stored)},
    {"three_stages", declare, check, FORM({.type = WW_ASYNC_TMA, .stages = 3}, "store", 1, stored)},
    {"lag_one", declare, check,
     FORM({.type = WW_ASYNC_TMA, .stages = 3, .advance_on_wait = true}, "store", 1, stored)},
    {"two_warps", declare, check,
     FORM({.type = WW_ASYNC_TMA, .stages = 2, .advance_on_wait = true}, "store_half", 2, stored)},
    {"tensor_add", declare, check,
     FORM({.type = WW_ASYNC_TMA, .stages = 3, .advance_on_wait = true}, "add", 1, float_sum)},
    {"add_two_warps", declare, check, FORM({.type = WW_ASYNC_TMA, .stages = 2}, "add_half", 2, integer_sum)},
    {0},
};

const family stores_family = {"stores", features};
