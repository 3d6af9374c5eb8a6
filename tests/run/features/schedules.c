/* schedules: what a schedule may be made of. Guards (first, last, every, conditions), domain loops in sequence, none,
 * downwards, unrolled, with bounds from launch arguments and device functions, values and their defaults, routes, register
 * budgets. */
#include "feature.h"

#include <stdlib.h>

enum { FILL_WARPS = 1, READ_WARPS = 2 };

/* As in schedules.cuh. */
enum { IN_LOOP, IN_HEAD, IN_FIRST_LOOP, IN_SECOND_LOOP, IN_TAIL, ROW_0, ROW_1, IN_TILE };
enum { SEGMENT_ROWS = 5 };

static const ww_work ring_work[] = {
    {.name = "fill", .side = WW_PRODUCER, .constants = {"int warps", "int part"}},
    {.name = "read", .side = WW_CONSUMER, .constants = {"int warps", "int part", "int more"}},
    {0},
};

static ww_resource *ring_of(ww_kernel *k, const char *name, int stages)
{
    return ww_resource_new(k, name,
                           &(ww_resource_options){.type = "ring",
                                                  .pipeline = {.type = WW_ASYNC_ASYNC, .stages = stages},
                                                  .buffers = {{"words", ROW_BYTES}},
                                                  .work = ring_work});
}

/* ---- first, last, every ------------------------------------------------------------------------------------------ */

typedef struct guard_form {
    int start, step;
} guard_form;

typedef struct guards {
    ww_resource *marks;
    const guard_form *form;
} guards;

enum { ALWAYS = 1, FIRST = 2, LAST = 4, THIRD = 8, SECOND_FROM_1 = 16, THIRD_AND_LAST = 32 };

static void mark(ww_schedule *s, const guards *g, int bit)
{
    ww_produce(s, g->marks, "add", .constants = {bit});
}

static void mark_trips(ww_schedule *s, void *context)
{
    const guards *g = context;
    ww_domain_loop(s, ww_imm(g->form->start), ww_arg(struct words_params, more, -100),
                   ww_imm(g->form->step)) {
        mark(s, g, ALWAYS);
        ww_first_iter(s) {
            mark(s, g, FIRST);
        }
        ww_last_iter(s) {
            mark(s, g, LAST);
            ww_every(s, 3, 0) {
                mark(s, g, THIRD_AND_LAST);
            }
        }
        ww_every(s, 3, 0) {
            mark(s, g, THIRD);
        }
        ww_every(s, 2, 1) {
            mark(s, g, SECOND_FROM_1);
        }
    }
}

static ww_kernel *declare_guards(const feature *f, const char *kernel)
{
    static const ww_work work[] = {{.name = "add", .side = WW_PRODUCER, .constants = {"int bit"}}, {0}};
    guards g = {.form = f->form};
    ww_kernel *k = words_kernel(kernel, "schedules.cuh", ONE_CTA);
    g.marks = ww_resource_new(k, "marks", &(ww_resource_options){.work = work});
    feature_task(k, "mark", 0, 1, mark_trips, &g);
    return k;
}

static int trips_of(int from, int to, int step)
{
    int n = 0;
    for (int i = from; step > 0 ? i < to : i > to; i += step)
        n++;
    return n;
}

static uint32_t marks_of(int trip, int trips)
{
    bool last = trip == trips - 1;
    return (uint32_t)(ALWAYS | (trip == 0 ? FIRST : 0) | (last ? LAST : 0) | (trip % 3 == 0 ? THIRD : 0) |
                      (trip % 2 == 1 ? SECOND_FROM_1 : 0) | (last && trip % 3 == 0 ? THIRD_AND_LAST : 0));
}

static void check_guards(trial *t, const feature *f)
{
    enum { MOST_TRIPS = 64 };
    static const int ends[] = {0, 1, 2, 5, 7, 12, 23, 40, -1, -9, -20};
    const guard_form *form = f->form;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        uint32_t notes[MOST_TRIPS] = {0};
        int trips = trips_of(form->start, ends[i], form->step);
        struct words_params p = {.trips = MOST_TRIPS, .more = ends[i]};
        p.notes = (uint32_t *)trial_put(t, notes, sizeof notes);
        for (int trip = 0; trip < trips; trip++)
            notes[trip] = marks_of(trip, trips);
        trial_go(t, &p, 1, 1, 1);
        trial_expect(t, "marks", (uint64_t)p.notes, notes, MOST_TRIPS);
    }
}

/* ---- conditions: which of two rings a row takes ------------------------------------------------------------------- */

typedef struct fork_in_road {
    ww_resource *choice, *odd_ring, *even_ring;
} fork_in_road;

static void fill_ring(ww_schedule *s, ww_resource *ring, int part)
{
    ww_acquire(s, ring);
    ww_produce(s, ring, "fill", .constants = {FILL_WARPS, part});
    ww_commit(s, ring);
}

static void read_ring(ww_schedule *s, ww_resource *ring, int part, int more)
{
    ww_wait(s, ring);
    ww_consume(s, ring, "read", .constants = {READ_WARPS, part, more});
    ww_release(s, ring);
}

static void fill_either(ww_schedule *s, void *context)
{
    const fork_in_road *r = context;
    ww_token odd;
    ww_domain_loop(s, ww_imm(0), trips_from(0), ww_imm(1)) {
        ww_consume(s, r->choice, "pick", .out = {&odd});
        ww_when_true(s, odd, "odd") {
            fill_ring(s, r->odd_ring, IN_LOOP);
        }
        ww_when_false(s, odd, "odd") {
            fill_ring(s, r->even_ring, IN_LOOP);
        }
    }
}

static void read_either(ww_schedule *s, void *context)
{
    const fork_in_road *r = context;
    ww_token odd;
    ww_domain_loop(s, ww_imm(0), trips_from(0), ww_imm(1)) {
        ww_consume(s, r->choice, "pick", .out = {&odd});
        ww_when_true(s, odd, "odd") {
            read_ring(s, r->odd_ring, IN_LOOP, 1);
        }
        ww_when_false(s, odd, "odd") {
            read_ring(s, r->even_ring, IN_LOOP, 0);
        }
    }
}

static ww_kernel *declare_conditions(const feature *f, const char *kernel)
{
    (void)f;
    static const ww_work work[] = {{.name = "pick", .side = WW_CONSUMER, .out = {"bool odd"}}, {0}};
    fork_in_road r;
    ww_kernel *k = words_kernel(kernel, "schedules.cuh", ONE_CTA);
    r.choice = ww_resource_new(k, "choice", &(ww_resource_options){.work = work});
    r.odd_ring = ring_of(k, "odd_ring", 2);
    r.even_ring = ring_of(k, "even_ring", 3);
    feature_task(k, "fill", 0, FILL_WARPS, fill_either, &r);
    feature_task(k, "read_back", FILL_WARPS, READ_WARPS, read_either, &r);
    return k;
}

static uint32_t either_word(const struct words_params *p, size_t cta, size_t row, size_t w, const void *form)
{
    return backward_word(p, cta, row, w, form) + (row_word(p, cta, row, 0) & 1);
}

static void check_conditions(trial *t, const feature *f)
{
    (void)f;
    static const int trips[] = {1, 2, 3, 8, 33, 0, -1};
    trial_pass_rows(t, (passing_grid){3, 1, 1}, trips, either_word, NULL);
}

/* ---- the same by tile: which ring all rows of a tile take ------------------------------------------------------------- */

typedef struct tile_conditions {
    ww_resource *queue, *choice, *odd_ring, *even_ring;
} tile_conditions;

static void fill_tiles(ww_schedule *s, void *context)
{
    const tile_conditions *c = context;
    ww_token odd;
    ww_work_tile_loop(s, c->queue) {
        ww_consume(s, c->choice, "pick_tile", .out = {&odd});
        ww_domain_loop(s, ww_imm(0), ww_imm(SEGMENT_ROWS), ww_imm(1)) {
            ww_when_true(s, odd, "odd") {
                fill_ring(s, c->odd_ring, IN_TILE);
            }
            ww_when_false(s, odd, "odd") {
                fill_ring(s, c->even_ring, IN_TILE);
            }
        }
        ww_advance_tile(s, c->queue);
    }
}

static void read_tiles(ww_schedule *s, void *context)
{
    const tile_conditions *c = context;
    ww_token odd;
    ww_work_tile_loop(s, c->queue) {
        ww_consume(s, c->choice, "pick_tile", .out = {&odd});
        ww_domain_loop(s, ww_imm(0), ww_imm(SEGMENT_ROWS), ww_imm(1)) {
            ww_when_true(s, odd, "odd") {
                read_ring(s, c->odd_ring, IN_TILE, 1);
            }
            ww_when_false(s, odd, "odd") {
                read_ring(s, c->even_ring, IN_TILE, 0);
            }
        }
        ww_advance_tile(s, c->queue);
    }
}

static ww_kernel *declare_tile_conditions(const feature *f, const char *kernel)
{
    static const ww_work work[] = {{.name = "pick_tile", .side = WW_CONSUMER, .out = {"bool odd"}}, {0}};
    (void)f;
    tile_conditions c;
    ww_kernel *k = words_kernel(kernel, "schedules.cuh", ONE_CTA);
    c.queue =
        ww_queue_static(k, "queue", &(ww_queue_options){.tiles = {ww_arg(struct words_params, more, 0)}});
    c.choice = ww_resource_new(k, "choice", &(ww_resource_options){.work = work});
    c.odd_ring = ring_of(k, "odd_ring", 2);
    c.even_ring = ring_of(k, "even_ring", 3);
    feature_task(k, "fill", 0, FILL_WARPS, fill_tiles, &c);
    feature_task(k, "read_back", FILL_WARPS, READ_WARPS, read_tiles, &c);
    return k;
}

/* Rows of TILES tiles, counted over the grid; UINT32_MAX where no row comes. */
enum { TILES = 11, TILE_ROWS = TILES * SEGMENT_ROWS, TILE_WORDS = TILE_ROWS * ROW_WORDS };

static void check_tiles(trial *t, uint32_t (*expected)(int tile, int row, uint32_t backward))
{
    uint32_t *in = input_words(TILE_WORDS), *out = input_words(TILE_WORDS);
    for (size_t i = 0; i < TILE_WORDS; i++) {
        int tile = (int)(i / ROW_WORDS / SEGMENT_ROWS), row = (int)(i / ROW_WORDS % SEGMENT_ROWS);
        out[i] = expected(tile, row, in[i / ROW_WORDS * ROW_WORDS + ROW_WORDS - 1 - i % ROW_WORDS]);
    }
    struct words_params p = {.trips = TILE_ROWS, .more = TILES};
    p.in = (const uint32_t *)trial_put(t, in, TILE_WORDS * sizeof *in);
    p.out = (uint32_t *)trial_room(t, TILE_WORDS * sizeof *in);
    trial_go(t, &p, 1, 1, 3);
    trial_expect(t, "rows", (uint64_t)p.out, out, TILE_WORDS);
    free(in);
    free(out);
}

static uint32_t tile_choice(int tile, int row, uint32_t backward)
{
    (void)row;
    return backward + (input_word((size_t)tile * SEGMENT_ROWS * ROW_WORDS) & 1);
}

static void check_tile_conditions(trial *t, const feature *f)
{
    (void)f;
    check_tiles(t, tile_choice);
}

/* ---- one ring before, in and after two loops ------------------------------------------------------------------------ */

static ww_bound first_loop_end(void)
{
    return ww_arg(struct words_params, pairs, 0);
}

static ww_bound second_loop_start(void)
{
    return ww_arg(struct words_params, more, 0);
}

static void fill_sequence(ww_schedule *s, void *context)
{
    ww_resource *const *ring = context;
    fill_ring(s, *ring, IN_HEAD);
    ww_domain_loop(s, ww_imm(0), first_loop_end(), ww_imm(1)) {
        fill_ring(s, *ring, IN_FIRST_LOOP);
    }
    ww_domain_loop(s, second_loop_start(), ww_imm(0), ww_imm(-1)) {
        fill_ring(s, *ring, IN_SECOND_LOOP);
    }
    fill_ring(s, *ring, IN_TAIL);
}

static void read_sequence(ww_schedule *s, void *context)
{
    ww_resource *const *ring = context;
    read_ring(s, *ring, IN_HEAD, 0);
    ww_domain_loop(s, ww_imm(0), first_loop_end(), ww_imm(1)) {
        read_ring(s, *ring, IN_FIRST_LOOP, 0);
    }
    ww_domain_loop(s, second_loop_start(), ww_imm(0), ww_imm(-1)) {
        read_ring(s, *ring, IN_SECOND_LOOP, 0);
    }
    read_ring(s, *ring, IN_TAIL, 0);
}

/* ---- no loop at all -------------------------------------------------------------------------------------------------- */

static void fill_two(ww_schedule *s, void *context)
{
    ww_resource *const *ring = context;
    for (int row = 0; row < 2; row++)
        fill_ring(s, *ring, ROW_0 + row);
}

static void read_two(ww_schedule *s, void *context)
{
    ww_resource *const *ring = context;
    for (int row = 0; row < 2; row++)
        read_ring(s, *ring, ROW_0 + row, 0);
}

/* ---- unrolled, by 4 and as the compiler likes -------------------------------------------------------------------------- */

static void fill_unrolled(ww_schedule *s, void *context)
{
    ww_resource *const *ring = context;
    ww_domain_loop_unrolled(s, ww_imm(0), trips_from(0), ww_imm(1), 4) {
        fill_ring(s, *ring, IN_LOOP);
    }
}

static void read_unrolled(ww_schedule *s, void *context)
{
    ww_resource *const *ring = context;
    ww_domain_loop_unrolled(s, ww_imm(0), trips_from(0), ww_imm(1), 0) {
        read_ring(s, *ring, IN_LOOP, 0);
    }
}

/* ---- those three ---------------------------------------------------------------------------------------------------------- */

typedef struct ring_schedules {
    ww_schedule_function *fill, *read;
    int stages;
    int registers; /* of the reader; 0: no split */
} ring_schedules;

static ww_kernel *declare_ring(const feature *f, const char *kernel)
{
    const ring_schedules *form = f->form;
    ww_kernel *k = words_kernel(kernel, "schedules.cuh", ONE_CTA);
    ww_resource *ring = ring_of(k, "ring", form->stages);
    ww_task_new(
        k, "read_back",
        &(ww_task_options){
            .warps = READ_WARPS, .registers = form->registers, .schedule = form->read, .context = &ring});
    ww_task_new(k, "fill",
                &(ww_task_options){.first_warp = 4,
                                   .warps = FILL_WARPS,
                                   .registers = form->registers ? 40 : 0,
                                   .schedule = form->fill,
                                   .context = &ring});
    return k;
}

static void check_sequence(trial *t, const feature *f)
{
    (void)f;
    enum { MOST = 7, CTAS = 2 };
    uint32_t *in = input_words(CTAS * (2 + 2 * MOST) * ROW_WORDS),
             expected[CTAS * (2 + 2 * MOST) * ROW_WORDS];
    for (int pairs = 0; pairs <= MOST; pairs += 3)
        for (int more = 0; more <= MOST; more++) {
            struct words_params p = {.trips = 2 + pairs + more, .pairs = pairs, .more = more};
            size_t words = CTAS * (size_t)p.trips * ROW_WORDS;
            for (size_t i = 0; i < words; i++)
                expected[i] = in[i / ROW_WORDS * ROW_WORDS + ROW_WORDS - 1 - i % ROW_WORDS];
            p.in = (const uint32_t *)trial_put(t, in, words * sizeof *in);
            p.out = (uint32_t *)trial_room(t, words * sizeof *in);
            trial_go(t, &p, CTAS, 1, 1);
            trial_expect(t, "rows", (uint64_t)p.out, expected, words);
        }
    free(in);
}

static void check_two_rows(trial *t, const feature *f)
{
    (void)f;
    static const int trips[] = {2, -1};
    trial_pass_rows(t, (passing_grid){3, 1, 1}, trips, backward_word, NULL);
}

static void check_rows(trial *t, const feature *f)
{
    (void)f;
    static const int trips[] = {1, 2, 3, 4, 5, 8, 33, 0, -1};
    trial_pass_rows(t, (passing_grid){3, 1, 1}, trips, backward_word, NULL);
}

/* ---- bounds that a device function tells of each tile ---------------------------------------------------------------------- */

typedef struct segments {
    ww_resource *queue, *ring;
} segments;

static void fill_segments(ww_schedule *s, void *context)
{
    const segments *g = context;
    ww_work_tile_loop(s, g->queue) {
        ww_domain_loop(s, ww_device("first_row"), ww_device("end_row"), ww_imm(1)) {
            fill_ring(s, g->ring, IN_TILE);
        }
        ww_advance_tile(s, g->queue);
    }
}

static void read_segments(ww_schedule *s, void *context)
{
    const segments *g = context;
    ww_work_tile_loop(s, g->queue) {
        ww_domain_loop(s, ww_device("first_row"), ww_device("end_row"), ww_imm(1)) {
            read_ring(s, g->ring, IN_TILE, 0);
        }
        ww_advance_tile(s, g->queue);
    }
}

static ww_kernel *declare_segments(const feature *f, const char *kernel)
{
    (void)f;
    segments g;
    ww_kernel *k = words_kernel(kernel, "schedules.cuh", ONE_CTA);
    g.queue =
        ww_queue_static(k, "queue", &(ww_queue_options){.tiles = {ww_arg(struct words_params, more, 0)}});
    g.ring = ring_of(k, "ring", 2);
    feature_task(k, "fill", 0, FILL_WARPS, fill_segments, &g);
    feature_task(k, "read_back", FILL_WARPS, READ_WARPS, read_segments, &g);
    return k;
}

static uint32_t segment_word(int tile, int row, uint32_t backward)
{
    bool visited = row >= tile % 2 && row < tile * 7 % (SEGMENT_ROWS + 1);
    return visited ? backward : UINT32_MAX;
}

static void check_segments(trial *t, const feature *f)
{
    (void)f;
    check_tiles(t, segment_word);
}

/* ---- values from guarded calls, with defaults and written-out routes ---------------------------------------------------------- */

typedef struct values {
    ww_resource *source, *sink;
} values;

enum { DEFAULT_NUMBER = 41 };

static void take_values(ww_schedule *s, void *context)
{
    const values *v = context;
    ww_token number, trip, last_number, last_trip;
    ww_domain_loop(s, ww_imm(0), trips_from(0), ww_imm(1)) {
        ww_first_iter(s) {
            ww_consume(s, v->source, "take", .out = {&number, &trip});
        }
        ww_last_iter(s) {
            ww_consume(s, v->source, "take", .out = {&last_number, &last_trip});
        }
    }
    ww_produce(s, v->sink, "note", .in = {number, trip}, .constants = {0});
    ww_produce(s, v->sink, "note", .in = {last_number, last_trip}, .constants = {1});
    ww_produce(s, v->sink, "note", .in = {last_number, trip}, .constants = {2});
}

static ww_kernel *declare_values(const feature *f, const char *kernel)
{
    (void)f;
    static const ww_work source_work[] = {
        {.name = "take", .side = WW_CONSUMER, .out = {"int number = 41", "int trip"}}, {0}};
    static const ww_work sink_work[] = {
        {.name = "note", .side = WW_PRODUCER, .in = {"int number", "int trip"}, .constants = {"int place"}},
        {0}};
    static const ww_route routes[] = {{"source.take.number", "sink.note.number"},
                                      {"source.take.trip", "sink.note.trip"},
                                      {"source.take.number", "sink.note.number"},
                                      {"source.take.trip", "sink.note.trip"},
                                      {"source.take.number", "sink.note.number"},
                                      {"source.take.trip", "sink.note.trip"},
                                      {0}};
    values v;
    ww_kernel *k = words_kernel(kernel, "schedules.cuh", ONE_CTA);
    v.source = ww_resource_new(k, "source", &(ww_resource_options){.work = source_work});
    v.sink = ww_resource_new(k, "sink", &(ww_resource_options){.work = sink_work});
    ww_task_new(k, "take",
                &(ww_task_options){.warps = 1, .schedule = take_values, .context = &v, .routes = routes});
    return k;
}

static void check_values(trial *t, const feature *f)
{
    (void)f;
    enum { CTAS = 2, NOTES = 8 };
    static const int trips[] = {0, 1, 2, 9};
    for (size_t i = 0; i < sizeof trips / sizeof *trips; i++) {
        size_t rows = (size_t)trips[i], words = CTAS * (rows + 1) * ROW_WORDS;
        uint32_t *in = input_words(words), expected[CTAS * NOTES];
        struct words_params p = {.trips = trips[i]};
        for (size_t cta = 0; cta < CTAS; cta++) {
            uint32_t *notes = &expected[cta * NOTES];
            notes[0] = rows ? row_word(&p, cta, 0, 0) : DEFAULT_NUMBER;
            notes[1] = notes[5] = 0;
            notes[2] = notes[4] = rows ? row_word(&p, cta, rows - 1, 0) : DEFAULT_NUMBER;
            notes[3] = rows ? (uint32_t)rows - 1 : 0;
            notes[6] = notes[7] = UINT32_MAX;
        }
        p.in = (const uint32_t *)trial_put(t, in, words * sizeof *in);
        p.notes = (uint32_t *)trial_room(t, sizeof expected);
        trial_go(t, &p, CTAS, 1, 1);
        trial_expect(t, "notes", (uint64_t)p.notes, expected, CTAS * NOTES);
        free(in);
    }
}

/* ---- kernels ---------------------------------------------------------------------------------------------------------------- */

#define GUARDS(...)                                                                                          \
    &(const guard_form)                                                                                      \
    {                                                                                                        \
        __VA_ARGS__                                                                                          \
    }
#define SCHEDULES(...)                                                                                       \
    &(const ring_schedules)                                                                                  \
    {                                                                                                        \
        __VA_ARGS__                                                                                          \
    }

static const feature features[] = {
    {"guards", declare_guards, check_guards, GUARDS(0, 1)},
    {"guards_by_3", declare_guards, check_guards, GUARDS(-4, 3)},
    {"guards_down", declare_guards, check_guards, GUARDS(20, -2)},
    {"conditions", declare_conditions, check_conditions, NULL},
    {"conditions_by_tile", declare_tile_conditions, check_tile_conditions, NULL},
    {"sequence", declare_ring, check_sequence, SCHEDULES(fill_sequence, read_sequence, 3, 0)},
    {"no_loop", declare_ring, check_two_rows, SCHEDULES(fill_two, read_two, 2, 0)},
    {"no_loop_one_stage", declare_ring, check_two_rows, SCHEDULES(fill_two, read_two, 1, 0)},
    {"unrolled", declare_ring, check_rows, SCHEDULES(fill_unrolled, read_unrolled, 3, 0)},
    {"registers", declare_ring, check_rows, SCHEDULES(fill_unrolled, read_unrolled, 2, 160)},
    {"device_bounds", declare_segments, check_segments, NULL},
    {"values", declare_values, check_values, NULL},
    {0},
};

const family schedules_family = {"schedules", features};
