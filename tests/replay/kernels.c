#include "kernels.h"
#include "queues_params.h"
#include "words_params.h"

#include <stdlib.h>

enum { ROWS = 64, CTAS = 2, TRIPS = 5 };

typedef struct task_context {
    const broken *broken;
    ww_resource *ring, *queue;
    const char *steps;
    int warps;
    bool produces;
} task_context;

/* ---- schedules ------------------------------------------------------------------------------------------------ */

static void work(ww_schedule *s, const task_context *t)
{
    static const char *const fills[] = {
        [BY_THREADS] = "fill", [BY_COPIES] = "load", [OVER_TILES] = "load", [FROM_PEERS] = "send"};
    const char *name = t->produces ? fills[t->broken->form] : t->broken->form == OVER_TILES ? "add" : "read";
    if (!t->produces)
        ww_consume(s, t->ring, name, .constants = {t->warps, 0});
    else if (t->broken->form == OVER_TILES)
        ww_produce(s, t->ring, name);
    else
        ww_produce(s, t->ring, name, .constants = {t->broken->form == BY_COPIES ? 1 : t->warps, 0});
}

static void step(ww_schedule *s, const task_context *t, char what)
{
    switch (what) {
    case 'A': ww_acquire(s, t->ring); break;
    case 'C': ww_commit(s, t->ring); break;
    case 'W': ww_wait(s, t->ring); break;
    case 'R': ww_release(s, t->ring); break;
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
    ww_domain_loop(s, ww_imm(0), ww_arg(struct words_params, trips, t->broken->least), ww_imm(1)) {
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

static const struct {
    const char *body, *type;
    const ww_work *work;
} forms[] = {
    [BY_THREADS] = {"rings.cuh", "ring", thread_work},
    [BY_COPIES] = {"bulk.cuh", "row", copy_work},
    [OVER_TILES] = {"queues.cuh", "row", tile_work},
    [FROM_PEERS] = {"replay_peers.cuh", "mail", peer_work},
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

ww_kernel *broken_declare(const broken *b)
{
    bool tiles = b->form == OVER_TILES, peers = b->form == FROM_PEERS;
    ww_kernel_options options = {.body = forms[b->form].body,
                                 .body_folder = peers ? REPLAY_FOLDER : FEATURES_FOLDER,
                                 .params = tiles ? "queues_params" : "words_params",
                                 .params_bytes =
                                     tiles ? sizeof(struct queues_params) : sizeof(struct words_params),
                                 .cluster = peers ? (ww_cluster){1, 2, 1, 1} : (ww_cluster){0}};
    ww_kernel *k = ww_kernel_new(b->name, &options);
    ww_resource *queue = declare_queue(b, k);
    ww_resource *ring =
        ww_resource_new(k, "ring",
                        &(ww_resource_options){
                            .type = forms[b->form].type,
                            .pipeline = b->pipeline,
                            .buffers = {{"words", ROW_BYTES, 128}, {peers ? "source" : NULL, ROW_BYTES, 128}},
                            .work = forms[b->form].work});
    task_context read = {b, ring, queue, b->read, b->read_warps, false}, watch = read,
                 fill = {b, ring, queue, b->fill, b->fill_warps, true};
    watch.steps = b->watch;
    ww_task_new(k, "reader",
                &(ww_task_options){.warps = b->read_warps, .schedule = schedule, .context = &read});
    ww_task_new(
        k, "filler",
        &(ww_task_options){
            .first_warp = b->read_warps, .warps = b->fill_warps, .schedule = schedule, .context = &fill});
    if (b->watch)
        ww_task_new(k, "watcher",
                    &(ww_task_options){.first_warp = b->read_warps + b->fill_warps,
                                       .warps = 1,
                                       .schedule = schedule,
                                       .context = &watch});
    return k;
}

/* ---- launches ----------------------------------------------------------------------------------------------------- */

bool broken_prepare(const broken *b, ww_run *r, ww_launch *launch)
{
    static struct words_params words;
    static struct queues_params tiles;
    size_t bytes = (size_t)CTAS * ROWS * ROW_BYTES;
    uint64_t in = ww_run_alloc(r, bytes), out = ww_run_alloc(r, bytes), tally = ww_run_alloc(r, bytes);
    words = (struct words_params){.in = (const uint32_t *)in, .out = (uint32_t *)out, .trips = TRIPS};
    tiles = (struct queues_params){.in = (const uint32_t *)in,
                                   .out = (uint32_t *)out,
                                   .tally = (uint32_t *)tally,
                                   .tiles_m = TRIPS,
                                   .tiles_n = 1,
                                   .tiles_l = 1};
    *launch = (ww_launch){.params = b->form == OVER_TILES ? (const void *)&tiles : &words,
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
     WW_FAULT_DEADLOCK, WW_DEADLOCK, "filler", "acquire(ring)", 5},
    {"arrivals_missing", BY_COPIES, TMA(.stages = 2, .consumer_arrivals = 5), 1, 4, "ApC", "WrR", NULL,
     WW_FAULT_DEADLOCK, WW_DEADLOCK, "filler", "acquire(ring)", 5},
    {"bytes_missing", BY_COPIES, TMA(.stages = 2, .tx_bytes = 2 * ROW_BYTES), 1, 4, "ApC", "WrR", NULL,
     WW_FAULT_DEADLOCK, WW_DEADLOCK, "reader", "wait(ring)"},
    {"never_committed", BY_THREADS, ASYNC(.stages = 3, .producer_arrivals = 64, .consumer_arrivals = 64), 2,
     2, "Ap", "WrR", NULL, WW_FAULT_DEADLOCK, WW_DEADLOCK, "reader", "wait(ring)"},
    {"tiles_bytes_missing", OVER_TILES, TMA(.stages = 3, .tx_bytes = 2 * ROW_BYTES), 1, 4, "ApC", "WrR", NULL,
     WW_FAULT_DEADLOCK, WW_DEADLOCK, "reader", "wait(ring)"},
    {"leftover_arrival", BY_COPIES, TMA(.stages = 2, .consumer_arrivals = 5), 1, 4, "ApC", "WrR", NULL,
     WW_FAULT_LEFTOVER, WW_LEFTOVER, NULL, NULL},
    {"read_after_release", BY_THREADS, ASYNC(.stages = 2), 2, 4, "ApC", "WRr", NULL, WW_FAULT_RACE, WW_RACE,
     NULL, NULL},
    {"fill_after_commit", BY_THREADS, ASYNC(.stages = 2), 1, 2, "ACp", "WrR", NULL, WW_FAULT_RACE, WW_RACE,
     NULL, NULL},
    {"copy_after_release", BY_COPIES, TMA(.stages = 2), 1, 4, "ApC", "WRr", NULL, WW_FAULT_RACE, WW_RACE,
     NULL, NULL},
    {"read_before_wait", BY_COPIES, TMA(.stages = 3), 1, 4, "ApC", "rWR", NULL, WW_FAULT_RACE, WW_RACE, NULL,
     NULL},
    {"tiles_read_before_wait", OVER_TILES, TMA(.stages = 2), 1, 4, "ApC", "rWR", NULL, WW_FAULT_RACE, WW_RACE,
     NULL, NULL},
    {"released_by_another", BY_THREADS, ASYNC(.stages = 2, .consumer_arrivals = 64), 1, 2, "ApC", "WrR", "W",
     WW_FAULT_LAPPED, WW_LAPPED, "watcher", "wait(ring)"},
    {"released_unseen", BY_THREADS, ASYNC(.stages = 2), 1, 2, "ApC", "R", NULL, WW_FAULT_EARLIER_PHASE,
     WW_OVER_ARRIVAL, "reader", "release(ring)"},
    {"released_twice", BY_COPIES, TMA(.stages = 4), 1, 4, "ApC", "WrRR", NULL, WW_FAULT_EARLIER_PHASE,
     WW_OVER_ARRIVAL, "reader", "release(ring)"},
    {"committed_twice", BY_THREADS, ASYNC(.stages = 1, .producer_arrivals = 32), 2, 1, "ApC", "WrR", NULL,
     WW_FAULT_TOO_MANY_ARRIVALS, WW_OVER_ARRIVAL, "filler", "commit(ring)"},
    {"peers_never_released", FROM_PEERS, PEER(.stages = 2, .consumer_arrivals = 4), 1, 4, "ApC", "Wr", NULL,
     WW_FAULT_DEADLOCK, WW_DEADLOCK, "filler", "acquire(ring)", 5},
    {"peers_read_after_release", FROM_PEERS, PEER(.stages = 2), 1, 4, "ApC", "WRr", NULL, WW_FAULT_RACE,
     WW_RACE, NULL, NULL},
    {0},
};
