/* One warp fills a ring and reads another, a second warp the other way round, in loops of one length. Lines are numbered
 * as those of a file "sample.c", which is not there, so that no source lines are shown. */
#include "diag_sample.h"

struct diag_params {
    int trips, begin;
};

static const ww_work ring_work[] = {
    {.name = "fill", .side = WW_PRODUCER}, {.name = "use", .side = WW_CONSUMER, .out = {"int x"}}, {0}};

#define LOOP_FROM(s, begin) ww_domain_loop(s, begin, ww_arg(struct diag_params, trips, 0), ww_imm(1))
#define LOOP(s) LOOP_FROM(s, ww_imm(0))

/* clang-format off */
#line 10 "sample.c"
static void fill(ww_schedule *s, ww_resource *ring)
{
    ww_acquire(s, ring);
    ww_produce(s, ring, "fill");
    ww_commit(s, ring);
}

static void use(ww_schedule *s, ww_resource *ring, unsigned mistakes)
{
    ww_token x;
    ww_wait(s, ring);
    if (mistakes & DIAG_UNUSED_VALUE)
        for (int i = 0; i < (mistakes & DIAG_UNUSED_TWICE ? 2 : 1); i++)
            ww_consume(s, ring, "use", .out = {&x});
    else
        ww_consume(s, ring, "use");
    if (!(mistakes & DIAG_NO_RELEASE))
        ww_release(s, ring);
}

#line 40 "sample.c"
static void ping(ww_schedule *s, void *context)
{
    const diag_sample *sample = context;
    bool late = sample->mistakes & DIAG_DEADLOCK;
    LOOP_FROM(s, sample->mistakes & DIAG_UNPROVED ? ww_arg(struct diag_params, begin, 0) : ww_imm(0)) {
        if (!late)
            fill(s, sample->first);
        use(s, sample->second, sample->mistakes);
        if (late)
            fill(s, sample->first);
    }
}

#line 60 "sample.c"
static void pong(ww_schedule *s, void *context)
{
    const diag_sample *sample = context;
    LOOP(s) {
        use(s, sample->first, 0);
        fill(s, sample->second);
    }
}

#line 80 "sample.c"
static ww_resource *ring(ww_kernel *k, const char *name, unsigned arrivals)
{
    const ww_resource_options options = {
        .pipeline = {.type = WW_ASYNC_ASYNC, .stages = 2, .consumer_arrivals = arrivals},
        .buffers = {{"data", 1024, 128}},
        .work = ring_work,
    };
    return ww_resource_new(k, name, &options);
}

#line 100 "sample.c"
ww_kernel *diag_sample_kernel(diag_sample *sample)
{
    const ww_kernel_options options = {
        .body = "sample.cuh", .params = "diag_params", .params_bytes = sizeof(struct diag_params)};
    ww_kernel *k = ww_kernel_new("sample", &options);
    sample->first = ring(k, "first", sample->mistakes & DIAG_ARRIVALS ? 7 : 0);
    sample->second = ring(k, sample->mistakes & DIAG_BAD_NAME ? "no name" : "second", 0);
    const ww_task_options reads = {.first_warp = 0, .warps = 1, .schedule = ping, .context = sample};
    const ww_task_options writes = {.first_warp = 1, .warps = 1, .schedule = pong, .context = sample};
    if (sample->backwards)
        ww_task_new(k, "pong", &writes);
    ww_task_new(k, "ping", &reads);
    if (!sample->backwards)
        ww_task_new(k, "pong", &writes);
    return k;
}
