/* named: hardware barriers between tasks. One row at a time: both sides sync before and after it; or each side syncs on
 * one barrier and only arrives on the other. */
#include "feature.h"

typedef struct board {
    ww_resource *words, *written, *read;
} board;

enum { WRITE_WARPS = 2, READ_WARPS = 3 };

static void write_and_sync(ww_schedule *s, void *context)
{
    const board *b = context;
    ww_domain_loop(s, ww_imm(0), trips_from(0), ww_imm(1)) {
        ww_produce(s, b->words, "write", .constants = {WRITE_WARPS});
        ww_sync(s, b->written);
        ww_sync(s, b->read);
    }
}

static void sync_and_read(ww_schedule *s, void *context)
{
    const board *b = context;
    ww_domain_loop(s, ww_imm(0), trips_from(0), ww_imm(1)) {
        ww_sync(s, b->written);
        ww_consume(s, b->words, "read", .constants = {READ_WARPS});
        ww_sync(s, b->read);
    }
}

/* The writer goes on when the row before has been read, and does not wait for the reader of this one. */
static void write_and_arrive(ww_schedule *s, void *context)
{
    const board *b = context;
    ww_domain_loop(s, ww_imm(0), trips_from(0), ww_imm(1)) {
        ww_every(s, 1, 1) {
            ww_sync(s, b->read);
        }
        ww_produce(s, b->words, "write", .constants = {WRITE_WARPS});
        ww_sync_arrive(s, b->written);
    }
}

static void read_and_arrive(ww_schedule *s, void *context)
{
    const board *b = context;
    ww_domain_loop(s, ww_imm(0), trips_from(0), ww_imm(1)) {
        ww_every(s, 1, 1) {
            ww_sync_arrive(s, b->read);
        }
        ww_sync(s, b->written);
        ww_consume(s, b->words, "read", .constants = {READ_WARPS});
    }
}

static const ww_work board_work[] = {
    {.name = "write", .side = WW_PRODUCER, .constants = {"int warps"}},
    {.name = "read", .side = WW_CONSUMER, .constants = {"int warps"}},
    {0},
};

typedef struct named_form {
    ww_schedule_function *write, *read;
    int threads; /* as given to the barriers; 0: derived */
} named_form;

static ww_kernel *declare(const feature *f, const char *kernel)
{
    const named_form *form = f->form;
    board b;
    ww_kernel *k = words_kernel(kernel, "named.cuh", ONE_CTA);
    b.words = ww_resource_new(k, "board",
                              &(ww_resource_options){.buffers = {{"row", ROW_BYTES}}, .work = board_work});
    b.written = ww_named_barrier_new(k, "written", form->threads);
    b.read = ww_named_barrier_new(k, "read", form->threads);
    feature_task(k, "write", 0, WRITE_WARPS, form->write, &b);
    feature_task(k, "read_back", WRITE_WARPS, READ_WARPS, form->read, &b);
    return k;
}

/* ---- an exchange: work that says which of two buffers it touches --------------------------------------------------- */

typedef struct desk {
    ww_resource *words, *written, *read;
} desk;

enum { DESK_WARPS = 2 };

static void exchange(ww_schedule *s, const desk *d, const char *write, const char *read)
{
    ww_domain_loop(s, ww_imm(0), ww_arg(struct words_params, pairs, 0), ww_imm(1)) {
        ww_produce(s, d->words, write, .constants = {DESK_WARPS});
        ww_sync(s, d->written);
        ww_consume(s, d->words, read, .constants = {DESK_WARPS});
        ww_sync(s, d->read);
    }
}

static void sit_left(ww_schedule *s, void *context)
{
    exchange(s, context, "write_left", "read_right");
}

static void sit_right(ww_schedule *s, void *context)
{
    exchange(s, context, "write_right", "read_left");
}

static ww_kernel *declare_exchange(const feature *f, const char *kernel)
{
    static const ww_work work[] = {
        {.name = "write_left", .side = WW_PRODUCER, .constants = {"int warps"}, .touches = {"left"}},
        {.name = "write_right", .side = WW_PRODUCER, .constants = {"int warps"}, .touches = {"right"}},
        {.name = "read_left", .side = WW_CONSUMER, .constants = {"int warps"}, .touches = {"left"}},
        {.name = "read_right", .side = WW_CONSUMER, .constants = {"int warps"}, .touches = {"right"}},
        {0},
    };
    (void)f;
    desk d;
    ww_kernel *k = words_kernel(kernel, "named.cuh", ONE_CTA);
    d.words = ww_resource_new(
        k, "desk",
        &(ww_resource_options){.buffers = {{"left", ROW_BYTES}, {"right", ROW_BYTES}}, .work = work});
    d.written = ww_named_barrier_new(k, "written", 0);
    d.read = ww_named_barrier_new(k, "read", 0);
    feature_task(k, "sit_left", 0, DESK_WARPS, sit_left, &d);
    feature_task(k, "sit_right", DESK_WARPS, DESK_WARPS, sit_right, &d);
    return k;
}

static void check_pairs(trial *t, const feature *f)
{
    (void)f;
    static const int trips[] = {2, 4, 6, 16, 0, -1};
    trial_pass_rows(t, (passing_grid){3, 1, 1}, trips, backward_word, NULL);
}

/* ---- kernels ------------------------------------------------------------------------------------------------------ */

static void check(trial *t, const feature *f)
{
    (void)f;
    static const int trips[] = {1, 2, 3, 16, 0, -1};
    trial_pass_rows(t, (passing_grid){3, 1, 1}, trips, backward_word, NULL);
}

#define FORM(...)                                                                                            \
    &(const named_form)                                                                                      \
    {                                                                                                        \
        __VA_ARGS__                                                                                          \
    }

static const feature features[] = {
    {"sync", declare, check, FORM(write_and_sync, sync_and_read, 0)},
    {"arrive", declare, check, FORM(write_and_arrive, read_and_arrive, 32 * (WRITE_WARPS + READ_WARPS))},
    {"exchange", declare_exchange, check_pairs, NULL},
    {0},
};

const family named_family = {"named", features};
