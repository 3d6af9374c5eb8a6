/* bulk: TmaAsync. Two producers that bring different bytes to one ring, one producer of two warps whose first warp
 * announces for both, rings interleaved by warp and by domain lane, look-ahead, counts and bytes given. */
#include "feature.h"

#include <string.h>

typedef struct bulk_form {
    ww_pipeline pipeline;
    int load_warps, read_warps;
    const char *load, *read; /* work */
    bool even;               /* rows come in pairs */
} bulk_form;

typedef struct bulk {
    ww_resource *ring;
    const bulk_form *form;
} bulk;

/* ---- one producer, one consumer ------------------------------------------------------------------------------ */

static int lanes_of(const bulk_form *form, int warps)
{
    return form->even ? warps : 1;
}

static bool runs_ahead(const bulk_form *form)
{
    return form->pipeline.advance_on_wait || form->pipeline.advance_on_acquire;
}

static ww_bound rows(const bulk_form *form)
{
    return form->even ? ww_arg(struct words_params, pairs, 0) : trips_from(runs_ahead(form));
}

static void load(ww_schedule *s, void *context)
{
    const bulk *b = context;
    ww_domain_loop(s, ww_imm(0), rows(b->form), ww_imm(1)) {
        ww_try_acquire(s, b->ring);
        ww_acquire(s, b->ring);
        if (strcmp(b->form->load, "load") == 0)
            ww_produce(s, b->ring, "load", .constants = {lanes_of(b->form, b->form->load_warps)});
        else
            ww_produce(s, b->ring, b->form->load);
        ww_commit(s, b->ring);
    }
}

static void read(ww_schedule *s, void *context)
{
    const bulk *b = context;
    ww_domain_loop(s, ww_imm(0), rows(b->form), ww_imm(1)) {
        ww_try_wait(s, b->ring);
        ww_wait(s, b->ring);
        ww_consume(s, b->ring, b->form->read, .constants = {b->form->read_warps});
        ww_release(s, b->ring);
    }
}

/* Slot k is opened before slot k - 1 is closed. */
static void load_ahead(ww_schedule *s, void *context)
{
    const bulk *b = context;
    ww_acquire(s, b->ring);
    ww_produce(s, b->ring, "load", .constants = {1, 1});
    ww_domain_loop(s, ww_imm(1), trips_from(1), ww_imm(1)) {
        ww_acquire(s, b->ring);
        ww_produce(s, b->ring, "load", .constants = {1, 0});
        ww_commit(s, b->ring);
    }
    ww_commit(s, b->ring);
}

static void read_ahead(ww_schedule *s, void *context)
{
    const bulk *b = context;
    ww_wait(s, b->ring);
    ww_consume(s, b->ring, "read", .constants = {b->form->read_warps, 1});
    ww_domain_loop(s, ww_imm(1), trips_from(1), ww_imm(1)) {
        ww_try_wait(s, b->ring);
        ww_wait(s, b->ring);
        ww_consume(s, b->ring, "read", .constants = {b->form->read_warps, 0});
        ww_release(s, b->ring);
    }
    ww_release(s, b->ring);
}

static const ww_work row_work[] = {
    {.name = "load",
     .side = WW_PRODUCER,
     .constants = {"int lanes", "int ahead"},
     .copies = {{"words", ROW_BYTES}}},
    {.name = "load_half", .side = WW_PRODUCER, .copies = {{"words", ROW_BYTES / 2}}},
    {.name = "read", .side = WW_CONSUMER, .constants = {"int warps", "int ahead"}},
    {.name = "read_own", .side = WW_CONSUMER, .constants = {"int lanes"}},
    {0},
};

static ww_resource *row_ring(ww_kernel *k, const ww_pipeline *pipeline)
{
    return ww_resource_new(
        k, "ring",
        &(ww_resource_options){
            .type = "row", .pipeline = *pipeline, .buffers = {{"words", ROW_BYTES}}, .work = row_work});
}

static ww_kernel *declare(const feature *f, const char *kernel)
{
    bulk b = {.form = f->form};
    ww_kernel *k = words_kernel(kernel, "bulk.cuh", ONE_CTA);
    b.ring = row_ring(k, &b.form->pipeline);
    feature_task(k, "read", 0, b.form->read_warps, b.form->pipeline.advance_on_wait ? read_ahead : read, &b);
    bool load_runs_ahead = b.form->pipeline.advance_on_acquire;
    feature_task(k, "load", b.form->read_warps, b.form->load_warps, load_runs_ahead ? load_ahead : load, &b);
    return k;
}

/* ---- lanes by domain loop: tasks of step 2 -------------------------------------------------------------------- */

typedef struct lane_task {
    ww_resource *ring;
    int start, step, warps;
} lane_task;

static void load_lane(ww_schedule *s, void *context)
{
    const lane_task *l = context;
    ww_domain_loop(s, ww_imm(l->start), trips_from(0), ww_imm(l->step)) {
        ww_acquire(s, l->ring);
        ww_produce(s, l->ring, "load", .constants = {1});
        ww_commit(s, l->ring);
    }
}

static void read_lane(ww_schedule *s, void *context)
{
    const lane_task *l = context;
    ww_domain_loop(s, ww_imm(l->start), trips_from(0), ww_imm(l->step)) {
        ww_wait(s, l->ring);
        ww_consume(s, l->ring, "read", .constants = {l->warps});
        ww_release(s, l->ring);
    }
}

static ww_kernel *declare_lanes(const feature *f, const char *kernel)
{
    const bulk_form *form = f->form;
    ww_kernel *k = words_kernel(kernel, "bulk.cuh", ONE_CTA);
    ww_resource *ring = row_ring(k, &form->pipeline);
    lane_task even = {ring, 0, 2, 4}, odd = {ring, 1, 2, 4}, all = {ring, 0, 1, 4};
    bool lanes_read = form->pipeline.stride.all > 1;
    feature_task(k, "load_even", 0, 1, load_lane, &even);
    feature_task(k, "load_odd", 1, 1, load_lane, &odd);
    if (lanes_read) {
        feature_task(k, "read_even", 4, 4, read_lane, &even);
        feature_task(k, "read_odd", 8, 4, read_lane, &odd);
    } else {
        feature_task(k, "read_all", 4, 4, read_lane, &all);
    }
    return k;
}

/* ---- two producers, two buffers ------------------------------------------------------------------------------ */

typedef struct piece_task {
    ww_resource *ring;
    const char *load;
} piece_task;

static void load_piece(ww_schedule *s, void *context)
{
    const piece_task *p = context;
    ww_domain_loop(s, ww_imm(0), trips_from(0), ww_imm(1)) {
        ww_acquire(s, p->ring);
        ww_produce(s, p->ring, p->load);
        ww_commit(s, p->ring);
    }
}

static void read_pieces(ww_schedule *s, void *context)
{
    const piece_task *p = context;
    ww_domain_loop(s, ww_imm(0), trips_from(0), ww_imm(1)) {
        ww_wait(s, p->ring);
        ww_consume(s, p->ring, "read", .constants = {4});
        ww_release(s, p->ring);
    }
}

static const ww_work piece_work[] = {
    {.name = "load_low", .side = WW_PRODUCER, .copies = {{"low", LOW_BYTES}}},
    {.name = "load_high", .side = WW_PRODUCER, .copies = {{"high", HIGH_BYTES}}},
    {.name = "read", .side = WW_CONSUMER, .constants = {"int warps"}},
    {0},
};

static ww_kernel *declare_pieces(const feature *f, const char *kernel)
{
    const bulk_form *form = f->form;
    ww_kernel *k = words_kernel(kernel, "bulk.cuh", ONE_CTA);
    ww_resource *ring =
        ww_resource_new(k, "ring",
                        &(ww_resource_options){.type = "pieces",
                                               .pipeline = form->pipeline,
                                               .buffers = {{"low", LOW_BYTES}, {"high", HIGH_BYTES}},
                                               .work = piece_work});
    piece_task low = {ring, "load_low"}, high = {ring, "load_high"};
    feature_task(k, "read", 0, 4, read_pieces, &low);
    feature_task(k, "load_low", 4, 1, load_piece, &low);
    feature_task(k, "load_high", 5, 1, load_piece, &high);
    return k;
}

/* ---- kernels --------------------------------------------------------------------------------------------------- */

static void check(trial *t, const feature *f)
{
    const bulk_form *form = f->form;
    static const int any[] = {1, 2, 3, 4, 7, 16, 33, 0, -1}, even[] = {2, 4, 6, 16, 34, 0, -1};
    static const int some[] = {1, 2, 3, 4, 7, 33, -1};
    trial_pass_rows(t, (passing_grid){3, 1, 1},
                    form->even         ? even
                    : runs_ahead(form) ? some
                                       : any,
                    backward_word, NULL);
}

#define FORM(...)                                                                                            \
    &(const bulk_form)                                                                                       \
    {                                                                                                        \
        __VA_ARGS__                                                                                          \
    }
#define ONE_WARP_LOADS .load_warps = 1, .read_warps = 4, .load = "load", .read = "read"

static const feature features[] = {
    {"one_stage", declare, check, FORM(.pipeline = {.type = WW_TMA_ASYNC, .stages = 1}, ONE_WARP_LOADS)},
    {"ahead", declare, check,
     FORM(.pipeline =
              {.type = WW_TMA_ASYNC, .stages = 3, .advance_on_wait = true, .advance_on_acquire = true},
          ONE_WARP_LOADS)},
    {"wait_ahead", declare, check,
     FORM(.pipeline = {.type = WW_TMA_ASYNC, .stages = 2, .advance_on_wait = true}, ONE_WARP_LOADS)},
    {"counts_given", declare, check,
     FORM(.pipeline = {.type = WW_TMA_ASYNC,
                       .stages = 3,
                       .tx_bytes = ROW_BYTES,
                       .bytes_per_warp_per_cta = ROW_BYTES,
                       .producer_arrivals = 1,
                       .consumer_arrivals = 4},
          ONE_WARP_LOADS)},
    {"all_threads_release", declare, check,
     FORM(.pipeline = {.type = WW_TMA_ASYNC, .stages = 3, .consumer_arrivals = 128}, ONE_WARP_LOADS)},
    {"warp_leader", declare, check,
     FORM(.pipeline = {.type = WW_TMA_ASYNC, .stages = 3, .producer_signaling = WW_SIGNAL_WARP_LEADER},
          .load_warps = 2, .read_warps = 4, .load = "load_half", .read = "read")},
    {"stride_warps", declare, check,
     FORM(.pipeline = {.type = WW_TMA_ASYNC, .stages = 4, .stride = {.all = 2}}, .load_warps = 2,
          .read_warps = 2, .load = "load", .read = "read_own", .even = true)},
    {"stride_lanes", declare_lanes, check,
     FORM(.pipeline = {.type = WW_TMA_ASYNC, .stages = 4, .stride = {.all = 2}})},
    {"stride_producers", declare_lanes, check,
     FORM(.pipeline = {.type = WW_TMA_ASYNC, .stages = 4, .stride = {.acquire = 2, .commit = 2}})},
    {"two_producers", declare_pieces, check, FORM(.pipeline = {.type = WW_TMA_ASYNC, .stages = 3})},
    {"two_producers_given", declare_pieces, check,
     FORM(.pipeline = {.type = WW_TMA_ASYNC, .stages = 2, .tx_bytes = ROW_BYTES, .producer_arrivals = 2})},
    {0},
};

const family bulk_family = {"bulk", features};
