/* pdl: griddepcontrol. Launches in a row, each reading what the one before it has written, and allowed to start while that
 * one still runs (on a GPU; the emulator takes them one after the other). */
#include "feature.h"

#include <stdlib.h>

typedef struct chain {
    ww_resource *predecessor, *successor, *ring;
} chain;

enum { READ_WARPS = 4, LAUNCHES = 4, CTAS = 3, ROWS = 9, WORDS = CTAS * ROWS * ROW_WORDS };

static void load(ww_schedule *s, void *context)
{
    const chain *c = context;
    ww_griddep_wait(s, c->predecessor);
    ww_domain_loop(s, ww_imm(0), trips_from(1), ww_imm(1)) {
        ww_acquire(s, c->ring);
        ww_produce(s, c->ring, "load");
        ww_commit(s, c->ring);
    }
}

static void pass(ww_schedule *s, void *context)
{
    const chain *c = context;
    ww_domain_loop(s, ww_imm(0), trips_from(1), ww_imm(1)) {
        ww_wait(s, c->ring);
        ww_consume(s, c->ring, "pass", .constants = {READ_WARPS});
        ww_release(s, c->ring);
    }
    ww_griddep_launch(s, c->successor);
}

static const ww_work row_work[] = {
    {.name = "load", .side = WW_PRODUCER, .copies = {{"words", ROW_BYTES}}},
    {.name = "pass", .side = WW_CONSUMER, .constants = {"int warps"}},
    {0},
};

static ww_kernel *declare(const feature *f, const char *kernel)
{
    (void)f;
    chain c;
    ww_kernel *k = words_kernel(kernel, "pdl.cuh", ONE_CTA);
    c.predecessor = ww_pdl_wait_new(k, "predecessor");
    c.successor = ww_pdl_launch_new(k, "successor");
    c.ring = ww_resource_new(k, "ring",
                             &(ww_resource_options){.type = "row",
                                                    .pipeline = {.type = WW_TMA_ASYNC, .stages = 2},
                                                    .buffers = {{"words", ROW_BYTES}},
                                                    .work = row_work});
    ww_depends(k, c.ring, c.predecessor);
    ww_depends(k, c.successor, NULL);
    feature_task(k, "pass", 0, READ_WARPS, pass, &c);
    feature_task(k, "load", READ_WARPS, 1, load, &c);
    return k;
}

/* What a launch makes of all rows. */
static void advance(uint32_t *words)
{
    uint32_t row[ROW_WORDS];
    for (size_t first = 0; first < WORDS; first += ROW_WORDS) {
        for (size_t w = 0; w < ROW_WORDS; w++)
            row[w] = words[first + ROW_WORDS - 1 - w] * 3 + 1;
        for (size_t w = 0; w < ROW_WORDS; w++)
            words[first + w] = row[w];
    }
}

static void check(trial *t, const feature *f)
{
    (void)f;
    uint32_t *words = input_words(WORDS);
    uint64_t places[2] = {trial_put(t, words, WORDS * sizeof *words), trial_room(t, WORDS * sizeof *words)};
    for (int i = 0; i < LAUNCHES; i++) {
        struct words_params p = {
            .in = (const uint32_t *)places[i % 2], .out = (uint32_t *)places[1 - i % 2], .trips = ROWS};
        ww_run_launch(t->run, &(ww_launch){.params = &p, .grid = {CTAS, 1, 1}, .overlap_previous = i > 0});
        advance(words);
    }
    ww_run_wait(t->run);
    trial_expect(t, "rows", places[LAUNCHES % 2], words, WORDS);
    free(words);
}

static const feature features[] = {
    {"chain", declare, check, NULL},
    {0},
};

const family pdl_family = {"pdl", features};
