/* rings: AsyncAsync. Threads and cp.async as producers, several warps a side, look-ahead on both sides, and sides split
 * between two tasks: one opens the slots, another closes them. */
#include "feature.h"

typedef struct ring_form {
    ww_pipeline pipeline;
    const char *fill; /* the work: "fill" by threads, "copy" by cp.async */
    int fill_warps, read_warps;
    ww_schedule_function *producer, *consumer;
    ww_schedule_function *middle; /* the other task of a split side */
    int least;                    /* rows */
} ring_form;

typedef struct rings {
    ww_resource *ring;
    ww_resource *passed; /* tells the other half of a split side how far the first half has come */
    const ring_form *form;
} rings;

/* ---- schedules ------------------------------------------------------------------------------------------- */

static void fill(ww_schedule *s, const rings *r, int ahead)
{
    ww_produce(s, r->ring, r->form->fill, .constants = {r->form->fill_warps, ahead});
}

static void read(ww_schedule *s, const rings *r, int ahead)
{
    ww_consume(s, r->ring, "read", .constants = {r->form->read_warps, ahead});
}

static void produce(ww_schedule *s, void *context)
{
    const rings *r = context;
    ww_domain_loop(s, ww_imm(0), trips_from(0), ww_imm(1)) {
        ww_try_acquire(s, r->ring);
        ww_acquire(s, r->ring);
        fill(s, r, 0);
        ww_commit(s, r->ring);
    }
}

static void consume(ww_schedule *s, void *context)
{
    const rings *r = context;
    ww_domain_loop(s, ww_imm(0), trips_from(0), ww_imm(1)) {
        ww_try_wait(s, r->ring);
        ww_wait(s, r->ring);
        read(s, r, 0);
        ww_release(s, r->ring);
    }
}

/* Slot k is opened before slot k - 1 is closed. Work before the loop sees the loop's first index. */
static void produce_ahead(ww_schedule *s, void *context)
{
    const rings *r = context;
    ww_acquire(s, r->ring);
    fill(s, r, 1);
    ww_domain_loop(s, ww_imm(1), trips_from(1), ww_imm(1)) {
        ww_try_acquire(s, r->ring);
        ww_acquire(s, r->ring);
        fill(s, r, 0);
        ww_commit(s, r->ring);
    }
    ww_commit(s, r->ring);
}

static void consume_ahead(ww_schedule *s, void *context)
{
    const rings *r = context;
    ww_wait(s, r->ring);
    read(s, r, 1);
    ww_domain_loop(s, ww_imm(1), trips_from(1), ww_imm(1)) {
        ww_try_wait(s, r->ring);
        ww_wait(s, r->ring);
        read(s, r, 0);
        ww_release(s, r->ring);
    }
    ww_release(s, r->ring);
}

static void consume_and_tell(ww_schedule *s, void *context)
{
    const rings *r = context;
    ww_domain_loop(s, ww_imm(0), trips_from(0), ww_imm(1)) {
        ww_wait(s, r->ring);
        read(s, r, 0);
        ww_acquire(s, r->passed);
        ww_commit(s, r->passed);
    }
}

static void release_behind(ww_schedule *s, void *context)
{
    const rings *r = context;
    ww_domain_loop(s, ww_imm(0), trips_from(0), ww_imm(1)) {
        ww_wait(s, r->passed);
        ww_release(s, r->passed);
        ww_release(s, r->ring);
    }
}

static void produce_and_tell(ww_schedule *s, void *context)
{
    const rings *r = context;
    ww_domain_loop(s, ww_imm(0), trips_from(0), ww_imm(1)) {
        ww_acquire(s, r->ring);
        fill(s, r, 0);
        ww_acquire(s, r->passed);
        ww_commit(s, r->passed);
    }
}

static void commit_behind(ww_schedule *s, void *context)
{
    const rings *r = context;
    ww_domain_loop(s, ww_imm(0), trips_from(0), ww_imm(1)) {
        ww_wait(s, r->passed);
        ww_release(s, r->passed);
        ww_commit(s, r->ring);
    }
}

/* ---- kernels ----------------------------------------------------------------------------------------------- */

static const ww_work ring_work[] = {
    {.name = "fill", .side = WW_PRODUCER, .constants = {"int warps", "int ahead"}},
    {.name = "copy", .side = WW_PRODUCER, .constants = {"int warps", "int ahead"}},
    {.name = "read", .side = WW_CONSUMER, .constants = {"int warps", "int ahead"}},
    {0},
};

static ww_kernel *declare(const feature *f, const char *kernel)
{
    rings r = {.form = f->form};
    const ring_form *form = r.form;
    ww_kernel *k = words_kernel(kernel, "rings.cuh", ONE_CTA);
    r.ring =
        ww_resource_new(k, "ring",
                        &(ww_resource_options){
                            .pipeline = form->pipeline, .buffers = {{"row", ROW_BYTES}}, .work = ring_work});
    if (form->middle)
        r.passed = ww_resource_new(k, "passed",
                                   &(ww_resource_options){.pipeline = ww_pipeline_async_async(.stages = 2)});
    feature_task(k, "produce", 0, form->fill_warps, form->producer, &r);
    feature_task(k, "consume", form->fill_warps, form->read_warps, form->consumer, &r);
    if (form->middle)
        feature_task(k, "middle", form->fill_warps + form->read_warps, 1, form->middle, &r);
    return k;
}

static void check(trial *t, const feature *f)
{
    const ring_form *form = f->form;
    const int trips[] = {form->least, 1, 2, 3, 4, 7, 16, 33, -1};
    trial_pass_rows(t, (passing_grid){3, 1, 1}, trips, backward_word, NULL);
}

#define RING(...)                                                                                            \
    &(const ring_form)                                                                                       \
    {                                                                                                        \
        __VA_ARGS__                                                                                          \
    }

static const feature features[] = {
    {"one_stage", declare, check,
     RING({.type = WW_ASYNC_ASYNC, .stages = 1}, "fill", 1, 1, produce, consume, NULL, 0)},
    {"threads", declare, check,
     RING({.type = WW_ASYNC_ASYNC, .stages = 3}, "fill", 2, 4, produce, consume, NULL, 0)},
    {"threads_ahead", declare, check,
     RING({.type = WW_ASYNC_ASYNC, .stages = 3, .advance_on_wait = true, .advance_on_acquire = true}, "fill",
          2, 3, produce_ahead, consume_ahead, NULL, 1)},
    {"cp_async", declare, check,
     RING({.type = WW_ASYNC_ASYNC, .producer_op = WW_ASYNC_LOAD, .stages = 4}, "copy", 2, 4, produce, consume,
          NULL, 0)},
    {"cp_async_ahead", declare, check,
     RING({.type = WW_ASYNC_ASYNC,
           .producer_op = WW_ASYNC_LOAD,
           .stages = 4,
           .advance_on_wait = true,
           .advance_on_acquire = true},
          "copy", 1, 4, produce_ahead, consume_ahead, NULL, 1)},
    {"counts_given", declare, check,
     RING({.type = WW_ASYNC_ASYNC, .stages = 2, .producer_arrivals = 64, .consumer_arrivals = 96}, "fill", 2,
          3, produce, consume, NULL, 0)},
    {"split_consumer", declare, check,
     RING({.type = WW_ASYNC_ASYNC, .stages = 3}, "fill", 1, 2, produce, consume_and_tell, release_behind, 0)},
    {"split_producer", declare, check,
     RING({.type = WW_ASYNC_ASYNC, .stages = 3}, "fill", 2, 1, produce_and_tell, consume, commit_behind, 0)},
    {0},
};

const family rings_family = {"rings", features};
