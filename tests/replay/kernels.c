/* The table of broken declarations, and how a row becomes a kernel and a launch. */
#include "kernels.h"
#include "gemms_params.h"
#include "queues_params.h"
#include "words_params.h"

#include <stdlib.h>

enum { ROWS = 64, CTAS = 2, TRIPS = 5 };

typedef struct task_context {
    const broken *broken;
    ww_resource *ring, *queue, *sums;
    const char *steps;
    int warps;
    bool produces;
} task_context;

/* ---- schedules ------------------------------------------------------------------------------------------------ */

static void work(ww_schedule *s, const task_context *t)
{
    static const char *const fills[] = {[BY_THREADS] = "fill",
                                        [BY_COPIES] = "load",
                                        [OVER_TILES] = "load",
                                        [FROM_PEERS] = "send",
                                        [BY_WGMMA] = "put"};
    const char *name = t->produces ? fills[t->broken->form] : t->broken->form == OVER_TILES ? "add" : "read";
    if (!t->produces)
        ww_consume(s, t->ring, name, .constants = {t->warps, 0});
    else if (t->broken->form == OVER_TILES)
        ww_produce(s, t->ring, name);
    else
        ww_produce(s, t->ring, name, .constants = {t->broken->form == BY_COPIES ? 1 : t->warps, 0});
}

static void multiply(ww_schedule *s, const task_context *t)
{
    ww_token a, b;
    ww_consume(s, t->ring, "descriptors", .out = {&a, &b});
    ww_produce(s, t->sums, "mma", .in = {a, b});
}

static void step(ww_schedule *s, const task_context *t, char what)
{
    switch (what) {
    case 'A': ww_acquire(s, t->ring); break;
    case 'C': ww_commit(s, t->ring); break;
    case 'W': ww_wait(s, t->ring); break;
    case 'R': ww_release(s, t->ring); break;
    case 'm': multiply(s, t); break;
    case 's': ww_consume(s, t->sums, "settle"); break;
    default: work(s, t); break;
    }
}

static void trip(ww_schedule *s, const task_context *t)
{
    for (const char *at = t->steps; *at; at++)
        step(s, t, *at);
}

static void schedule(ww_schedule *s, void *context)
{
    const task_context *t = context;
    if (t->queue) {
        ww_work_tile_loop(s, t->queue) {
            trip(s, t);
            ww_advance_tile(s, t->queue);
        }
        return;
    }
    ww_bound rows = t->sums ? ww_arg(struct gemms_params, k_tiles, t->broken->least)
                            : ww_arg(struct words_params, trips, t->broken->least);
    if (t->sums && !t->produces)
        ww_produce(s, t->sums, "clear");
    ww_domain_loop(s, ww_imm(0), rows, ww_imm(1)) {
        trip(s, t);
    }
}

/* ---- kernels ---------------------------------------------------------------------------------------------------- */

static const ww_work thread_work[] = {
    {.name = "fill", .side = WW_PRODUCER, .constants = {"int warps", "int ahead"}},
    {.name = "read", .side = WW_CONSUMER, .constants = {"int warps", "int ahead"}},
    {0},
};

static const ww_work copy_work[] = {
    {.name = "load",
     .side = WW_PRODUCER,
     .constants = {"int lanes", "int ahead"},
     .copies = {{"words", ROW_BYTES}}},
    {.name = "read", .side = WW_CONSUMER, .constants = {"int warps", "int ahead"}},
    {0},
};

static const ww_work tile_work[] = {
    {.name = "load", .side = WW_PRODUCER, .copies = {{"words", ROW_BYTES}}},
    {.name = "add", .side = WW_CONSUMER, .constants = {"int warps"}},
    {0},
};

static const ww_work peer_work[] = {
    {.name = "send",
     .side = WW_PRODUCER,
     .constants = {"int warps", "int ahead"},
     .copies = {{"words", ROW_BYTES}}},
    {.name = "read", .side = WW_CONSUMER, .constants = {"int warps", "int ahead"}},
    {0},
};

static const ww_work matrix_work[] = {
    {.name = "put", .side = WW_PRODUCER, .constants = {"int warps", "int loads"}},
    {.name = "descriptors", .side = WW_CONSUMER, .out = {"uint64_t a", "uint64_t b"}},
    {0},
};

static const ww_work sums_work[] = {
    {.name = "clear", .side = WW_PRODUCER},
    {.name = "mma", .side = WW_PRODUCER, .in = {"uint64_t a", "uint64_t b"}, .wgmma_reads = {"ring"}},
    {.name = "settle", .side = WW_CONSUMER, .wgmma_wait = WW_WGMMA_WAIT(0)},
    {0},
};

static const struct {
    const char *body, *type;
    const ww_work *work;
} forms[] = {
    [BY_THREADS] = {"rings.cuh", "ring", thread_work},
    [BY_COPIES] = {"bulk.cuh", "row", copy_work},
    [OVER_TILES] = {"queues.cuh", "row", tile_work},
    [FROM_PEERS] = {"replay_peers.cuh", "mail", peer_work},
    [BY_WGMMA] = {"gemms.cuh", "operands", matrix_work},
};

static const struct {
    const char *name;
    size_t bytes;
} params[] = {
    [BY_THREADS] = {"words_params", sizeof(struct words_params)},
    [BY_COPIES] = {"words_params", sizeof(struct words_params)},
    [OVER_TILES] = {"queues_params", sizeof(struct queues_params)},
    [FROM_PEERS] = {"words_params", sizeof(struct words_params)},
    [BY_WGMMA] = {"gemms_params", sizeof(struct gemms_params)},
};

static ww_resource *declare_queue(const broken *b, ww_kernel *k)
{
    if (b->form != OVER_TILES)
        return NULL;
    return ww_queue_static(k, "queue",
                           &(ww_queue_options){.tiles = {ww_arg(struct queues_params, tiles_m, 0),
                                                         ww_arg(struct queues_params, tiles_n, 0),
                                                         ww_arg(struct queues_params, tiles_l, 0)}});
}

static ww_resource *declare_ring(const broken *b, ww_kernel *k)
{
    ww_resource_options options = {.type = forms[b->form].type,
                                   .pipeline = b->pipeline,
                                   .buffers = {{"words", ROW_BYTES, 128}},
                                   .work = forms[b->form].work};
    if (b->form == FROM_PEERS)
        options.buffers[1] = (ww_buffer){"source", ROW_BYTES, 128};
    if (b->form == BY_WGMMA) {
        options.buffers[0] = (ww_buffer){"a", GEMM_A_BYTES, .swizzle = WW_SWIZZLE_128B};
        options.buffers[1] = (ww_buffer){"b", GEMM_B_BYTES, .swizzle = WW_SWIZZLE_128B};
    }
    return ww_resource_new(k, "ring", &options);
}

static void declare_task(ww_kernel *k, const char *name, int first_warp, int warps, task_context *t)
{
    ww_task_new(
        k, name,
        &(ww_task_options){.first_warp = first_warp, .warps = warps, .schedule = schedule, .context = t});
}

ww_kernel *broken_declare(const broken *b)
{
    bool peers = b->form == FROM_PEERS;
    ww_kernel *k = ww_kernel_new(
        b->name, &(ww_kernel_options){.body = forms[b->form].body,
                                      .body_folder = peers ? REPLAY_FOLDER : FEATURES_FOLDER,
                                      .params = params[b->form].name,
                                      .params_bytes = params[b->form].bytes,
                                      .cluster = peers ? (ww_cluster){1, 2, 1, 1} : (ww_cluster){0}});
    ww_resource *queue = declare_queue(b, k), *ring = declare_ring(b, k), *sums = NULL;
    if (b->form == BY_WGMMA)
        sums = ww_resource_new(k, "sums", &(ww_resource_options){.work = sums_work});
    task_context read = {b, ring, queue, sums, b->read, b->read_warps, false}, watch = read,
                 fill = {b, ring, queue, sums, b->fill, b->fill_warps, true};
    watch.steps = b->watch;
    if (b->filler_first)
        declare_task(k, "filler", b->read_warps, b->fill_warps, &fill);
    declare_task(k, "reader", 0, b->read_warps, &read);
    if (!b->filler_first)
        declare_task(k, "filler", b->read_warps, b->fill_warps, &fill);
    if (b->watch)
        declare_task(k, "watcher", b->read_warps + b->fill_warps, 1, &watch);
    return k;
}

/* ---- launches ----------------------------------------------------------------------------------------------------- */

bool broken_prepare(const broken *b, ww_run *r, ww_launch *launch)
{
    static struct words_params words;
    static struct queues_params tiles;
    static struct gemms_params matrices;
    size_t bytes = (size_t)CTAS * ROWS * ROW_BYTES;
    uint64_t in = ww_run_alloc(r, bytes), out = ww_run_alloc(r, bytes), tally = ww_run_alloc(r, bytes);
    words = (struct words_params){.in = (const uint32_t *)in, .out = (uint32_t *)out, .trips = TRIPS};
    tiles = (struct queues_params){.in = (const uint32_t *)in,
                                   .out = (uint32_t *)out,
                                   .tally = (uint32_t *)tally,
                                   .tiles_m = TRIPS,
                                   .tiles_n = 1,
                                   .tiles_l = 1};
    matrices = (struct gemms_params){.a = (const uint32_t *)in, .b = (const uint32_t *)out, .k_tiles = TRIPS};
    *launch = (ww_launch){.params = b->form == OVER_TILES ? (const void *)&tiles
                                    : b->form == BY_WGMMA ? (const void *)&matrices
                                                          : &words,
                          .grid = {b->form == FROM_PEERS ? 2 : 1, 1, 1}};
    return !ww_run_error(r);
}

/* ---- the table ------------------------------------------------------------------------------------------------------ */

#define ASYNC(...)                                                                                           \
    {                                                                                                        \
        .type = WW_ASYNC_ASYNC, __VA_ARGS__                                                                  \
    }
#define TMA(...)                                                                                             \
    {                                                                                                        \
        .type = WW_TMA_ASYNC, __VA_ARGS__                                                                    \
    }
#define PEER(...)                                                                                            \
    {                                                                                                        \
        .type = WW_PEER_ASYNC, __VA_ARGS__                                                                   \
    }

const broken broken_kernels[] = {
    {"never_released", BY_COPIES, TMA(.stages = 4, .consumer_arrivals = 4), 1, 4, "ApC", "Wr", NULL,
     WW_FAULT_DEADLOCK, WW_DEADLOCK, 13, "filler", "acquire(ring)", 5},
    {"arrivals_missing", BY_COPIES, TMA(.stages = 2, .consumer_arrivals = 5), 1, 4, "ApC", "WrR", NULL,
     WW_FAULT_DEADLOCK, WW_DEADLOCK, 37, "filler", "acquire(ring)", 5},
    {"bytes_missing", BY_COPIES, TMA(.stages = 2, .tx_bytes = 2 * ROW_BYTES), 1, 4, "ApC", "WrR", NULL,
     WW_FAULT_DEADLOCK, WW_DEADLOCK, 4, "reader", "wait(ring)"},
    {"never_committed", BY_THREADS, ASYNC(.stages = 3, .producer_arrivals = 64, .consumer_arrivals = 64), 2,
     2, "Ap", "WrR", NULL, WW_FAULT_DEADLOCK, WW_DEADLOCK, 1, "reader", "wait(ring)"},
    {"tiles_bytes_missing", OVER_TILES, TMA(.stages = 3, .tx_bytes = 2 * ROW_BYTES), 1, 4, "ApC", "WrR", NULL,
     WW_FAULT_DEADLOCK, WW_DEADLOCK, 4, "reader", "wait(ring)"},
    {"peers_never_released", FROM_PEERS, PEER(.stages = 2, .consumer_arrivals = 4), 1, 4, "ApC", "Wr", NULL,
     WW_FAULT_DEADLOCK, WW_DEADLOCK, 7, "filler", "acquire(ring)", 5},
    {"read_after_release", BY_THREADS, ASYNC(.stages = 2), 2, 4, "ApC", "WRr", NULL, WW_FAULT_RACE, WW_RACE,
     11, "filler", "ring.fill"},
    {"fill_after_commit", BY_THREADS, ASYNC(.stages = 2), 1, 2, "ACp", "WrR", NULL, WW_FAULT_RACE, WW_RACE, 8,
     "filler", "ring.fill"},
    {"copy_after_release", BY_COPIES, TMA(.stages = 2), 1, 4, "ApC", "WRr", NULL, WW_FAULT_RACE, WW_RACE, 10,
     "filler", "ring.load"},
    {"read_before_wait", BY_COPIES, TMA(.stages = 3), 1, 4, "ApC", "rWR", NULL, WW_FAULT_RACE, WW_RACE, 4,
     "filler", "ring.load"},
    {"read_while_copied", BY_COPIES, TMA(.stages = 2), 1, 4, "ApC", "rWR", NULL, WW_FAULT_RACE, WW_RACE, 4,
     "reader", "ring.read", 0, true},
    {"multiply_while_filled",
     BY_WGMMA,
     {.type = WW_ASYNC_WGMMA, .stages = 2},
     2,
     4,
     "ApC",
     "WmRs",
     NULL,
     WW_FAULT_RACE,
     WW_RACE,
     27,
     "filler",
     "ring.put",
     1},
    {"tiles_read_before_wait", OVER_TILES, TMA(.stages = 2), 1, 4, "ApC", "rWR", NULL, WW_FAULT_RACE, WW_RACE,
     4, "filler", "ring.load"},
    {"tiles_copy_after_release", OVER_TILES, TMA(.stages = 3), 1, 4, "ApC", "WRr", NULL, WW_FAULT_RACE,
     WW_RACE, 10, "filler", "ring.load"},
    {"peers_read_after_release", FROM_PEERS, PEER(.stages = 2), 1, 4, "ApC", "WRr", NULL, WW_FAULT_RACE,
     WW_RACE, 10, "filler", "ring.send"},
    {"fences_taken_out",
     BY_WGMMA,
     {.type = WW_ASYNC_WGMMA, .stages = 2},
     2,
     4,
     "ApC",
     "WmsR",
     NULL,
     WW_FAULT_UNFENCED,
     WW_UNFENCED,
     9,
     "reader",
     "sums.mma",
     .unfenced = true},
    {"nobody_arrives", BY_THREADS, ASYNC(.stages = 3), 2, 2, "Ap", "WrR", NULL, WW_FAULT_DEADLOCK,
     WW_DEADLOCK, 1, "reader", "wait(ring)"},
    {"released_by_another", BY_THREADS, ASYNC(.stages = 2, .consumer_arrivals = 64), 1, 2, "ApC", "WrR", "W",
     WW_FAULT_LAPPED, WW_LAPPED, 16, "watcher", "wait(ring)"},
    {"released_unseen", BY_THREADS, ASYNC(.stages = 2), 1, 2, "ApC", "R", NULL, WW_FAULT_EARLY_WAIT,
     WW_LAPPED, 1, "filler", "acquire(ring)"},
    {"released_twice", BY_COPIES, TMA(.stages = 1), 1, 4, "ApC", "WrRR", NULL, WW_FAULT_EARLIER_PHASE,
     WW_OVER_ARRIVAL, 7, "reader", "release(ring)", 2},
    {"committed_twice", BY_THREADS, ASYNC(.stages = 1, .producer_arrivals = 32), 2, 1, "ApC", "WrR", NULL,
     WW_FAULT_EARLIER_PHASE, WW_OVER_ARRIVAL, 3, "filler", "commit(ring)"},
    {"too_many_commits", BY_THREADS, ASYNC(.stages = 1, .producer_arrivals = 48), 2, 1, "ApC", "WrR", NULL,
     WW_FAULT_TOO_MANY_ARRIVALS, WW_OVER_ARRIVAL, 6, "filler", "commit(ring)"},
    {"left_half_done", BY_COPIES, TMA(.stages = 2, .consumer_arrivals = 5), 1, 4, "ApC", "WrR", NULL,
     WW_FAULT_LEFTOVER, WW_LEFTOVER, 16, NULL, NULL},
    {0},
};
