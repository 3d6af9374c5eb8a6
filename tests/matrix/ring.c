/* ring: a pipelined resource of any type with the resources that its work needs, and that work. Which
 * body it is follows from the agents on both sides; see matrix.cuh. */
#include "matrix.h"
#include "matrix_params.h"

#include <stdio.h>

enum { TILE = MATRIX_TILE_BYTES, ACCUM_COLUMNS = 32, OPERAND_COLUMNS = 8 };

/* Names of a kernel's rings and their companions; work tables keep pointers to them. */
static const char *const ring_names[MOST_RINGS] = {"ring0", "ring1", "ring2", "ring3"};
static const char *const operands_names[MOST_RINGS] = {"operands0", "operands1", "operands2", "operands3"};
static const char *const staging_names[MOST_RINGS] = {"staging0", "staging1", "staging2", "staging3"};
static const char *const sink_names[MOST_RINGS] = {"sink0", "sink1", "sink2", "sink3"};

static agent producer_of(const ring *r)
{
    return type_producer(r->form.pipeline.type);
}

static agent consumer_of(const ring *r)
{
    return type_consumer(r->form.pipeline.type);
}

static bool in_tensor_memory(const ring *r)
{
    return producer_of(r) == AGENT_UMMA;
}

static bool is_operand(const ring *r)
{
    return in_tensor_memory(r) && consumer_of(r) == AGENT_UMMA;
}

/* ---- declaring ------------------------------------------------------------------------------------- */

/* load, load_a, ..., load_pair_ab: where the bytes of a pair complete on its leader's barrier, and what
 * is shared. */
static const char *load_name(const form *f)
{
    static const char *const names[2][4] = {{"load", "load_a", "load_b", "load_ab"},
                                            {"load_pair", "load_pair_a", "load_pair_b", "load_pair_ab"}};
    bool pair = f->cluster.v == 2 && f->pipeline.type == WW_TMA_UMMA;
    return names[pair][f->share_a + 2 * f->share_b];
}

static ww_work fill_work(const ring *r, int warps)
{
    const form *f = &r->form;
    if (producer_of(r) == AGENT_PEER)
        return (ww_work){.name = "send",
                         .side = WW_PRODUCER,
                         .in = {"uint32_t source"},
                         .copies = {{"a", TILE, WW_REACH_OWN}, {"b", TILE, WW_REACH_OWN}}};
    if (producer_of(r) != AGENT_TMA)
        return (ww_work){.name = f->pipeline.producer_op == WW_ASYNC_LOAD ? "fill_async" : "fill",
                         .side = WW_PRODUCER};
    uint32_t a = TILE / (uint32_t)(warps * (f->share_a ? f->cluster.n : 1));
    uint32_t b = TILE / (uint32_t)(warps * (f->share_b ? f->cluster.m : 1));
    return (ww_work){.name = load_name(f),
                     .side = WW_PRODUCER,
                     .constants = {"int warps", "int v", "int m", "int n"},
                     .copies = {{"a", a, f->share_a ? WW_REACH_A : WW_REACH_OWN},
                                {"b", b, f->share_b ? WW_REACH_B : WW_REACH_OWN}}};
}

static void declare_tiles(ring *r, ww_kernel *k, int warps)
{
    const ww_work work[] = {
        fill_work(r, warps),
        {.name = "read", .side = WW_CONSUMER, .out = {"int value"}},
        {.name = "store", .side = WW_CONSUMER, .touches = {"a"}, .bulk_store = true},
        {.name = "settle", .side = WW_CONSUMER, .auxiliary = true, .bulk_wait = WW_BULK_WAIT(0)},
        {.name = "settle_previous", .side = WW_CONSUMER, .auxiliary = true, .bulk_wait = WW_BULK_WAIT(1)},
        {.name = "umma_descriptors",
         .side = WW_CONSUMER,
         .auxiliary = true,
         .out = {"uint64_t a", "uint64_t b"}},
        {.name = "wgmma_descriptors",
         .side = WW_CONSUMER,
         .auxiliary = true,
         .out = {"uint64_t a", "uint64_t b"}},
        {0}};
    ww_resource_options o = {.type = "tile_ring",
                             .pipeline = r->form.pipeline,
                             .buffers = {{.name = "a", .bytes = TILE}, {.name = "b", .bytes = TILE}},
                             .work = work};
    r->ring = ww_resource_new(k, ring_names[r->number], &o);
}

static void declare_tensor_memory(ring *r, ww_kernel *k)
{
    const char *operands = operands_names[r->number];
    const ww_work work[] = {
        {.name = is_operand(r) ? "copy" : "mma",
         .side = WW_PRODUCER,
         .in = {"uint64_t a", "uint64_t b"},
         .constants = {"int group"},
         .umma_reads = {operands}},
        {.name = "read", .side = WW_CONSUMER, .out = {"int value"}},
        {.name = "address", .side = WW_CONSUMER, .auxiliary = true, .out = {"uint32_t tmem"}},
        {0}};
    ww_resource_options o = {.type = "tmem_ring",
                             .pipeline = r->form.pipeline,
                             .tmem = {{"d", is_operand(r) ? OPERAND_COLUMNS : ACCUM_COLUMNS}},
                             .work = work};
    r->ring = ww_resource_new(k, ring_names[r->number], &o);
}

static void declare_sources(ring *r, ww_kernel *k)
{
    static const ww_work descriptors[] = {
        {.name = "descriptors", .side = WW_CONSUMER, .auxiliary = true, .out = {"uint64_t a", "uint64_t b"}},
        {0}};
    static const ww_work address[] = {
        {.name = "address", .side = WW_CONSUMER, .auxiliary = true, .out = {"uint32_t source"}}, {0}};
    if (in_tensor_memory(r)) {
        ww_resource_options o = {.type = "operands",
                                 .buffers = {{.name = "a", .bytes = TILE}, {.name = "b", .bytes = TILE}},
                                 .work = descriptors};
        r->operands = ww_resource_new(k, operands_names[r->number], &o);
    }
    if (producer_of(r) == AGENT_PEER) {
        ww_resource_options o = {
            .type = "staging", .buffers = {{.name = "tile", .bytes = TILE}}, .work = address};
        r->staging = ww_resource_new(k, staging_names[r->number], &o);
    }
}

static void declare_accumulator(ring *r, ww_kernel *k, int lane)
{
    char name[32];
    (void)snprintf(name, sizeof name, "result%d_%d", r->number, lane);
    const char *source = ring_names[r->number], *b = is_operand(r) ? operands_names[r->number] : NULL;
    const ww_work umma[] = {{.name = is_operand(r) ? "mma_tmem" : "mma",
                             .side = WW_PRODUCER,
                             .in = {is_operand(r) ? "uint32_t a" : "uint64_t a", "uint64_t b"},
                             .constants = {"int group"},
                             .umma_reads = {source, b}},
                            {0}};
    const ww_work wgmma[] = {
        {.name = "mma", .side = WW_PRODUCER, .in = {"uint64_t a", "uint64_t b"}, .wgmma_reads = {source}},
        {.name = "settle", .side = WW_CONSUMER, .wgmma_wait = WW_WGMMA_WAIT(0)},
        {.name = "settle_previous", .side = WW_CONSUMER, .wgmma_wait = WW_WGMMA_WAIT(1)},
        {.name = "result", .side = WW_CONSUMER, .out = {"int value"}},
        {0}};
    ww_resource_options accum = {.type = "accum", .tmem = {{"d", ACCUM_COLUMNS}}, .work = umma};
    ww_resource_options fragment = {.type = "fragment", .work = wgmma};
    if (consumer_of(r) == AGENT_UMMA)
        r->results[lane] = ww_resource_new(k, name, &accum);
    if (consumer_of(r) == AGENT_WGMMA)
        r->results[lane] = ww_resource_new(k, name, &fragment);
}

static ww_resource *declare_sink(ww_kernel *k, const char *name)
{
    static const ww_work work[] = {{.name = "store", .side = WW_PRODUCER, .in = {"int value"}}, {0}};
    ww_resource_options o = {.type = "sink", .work = work};
    return ww_resource_new(k, name, &o);
}

void ring_declare(ring *r, ww_kernel *k, const form *f, int number, int producer_warps, int lanes)
{
    *r = (ring){.form = *f, .number = number, .producer_warps = producer_warps};
    declare_sources(r, k);
    if (in_tensor_memory(r))
        declare_tensor_memory(r, k);
    else
        declare_tiles(r, k, producer_warps);
    for (int lane = 0; lane < lanes; lane++)
        declare_accumulator(r, k, lane);
    if (consumer_of(r) == AGENT_ASYNC || consumer_of(r) == AGENT_WGMMA)
        r->sink = declare_sink(k, sink_names[number]);
}

/* ---- producer work --------------------------------------------------------------------------------- */

static void put_copies(ww_schedule *s, const ring *r)
{
    const form *f = &r->form;
    ww_work_at(WW_HERE, s, r->ring, WW_PRODUCER,
               &(ww_args){.work = load_name(f),
                          .constants = {r->producer_warps, f->cluster.v, f->cluster.m, f->cluster.n}});
}

static void put_to_peer(ww_schedule *s, const ring *r)
{
    ww_token source;
    ww_consume(s, r->staging, "address", .out = {&source});
    ww_produce(s, r->ring, "send", .in = {source});
}

static void put_by_tensor_core(ww_schedule *s, const ring *r)
{
    ww_token a, b;
    ww_consume(s, r->operands, "descriptors", .out = {&a, &b});
    ww_work_at(
        WW_HERE, s, r->ring, WW_PRODUCER,
        &(ww_args){.work = is_operand(r) ? "copy" : "mma", .in = {a, b}, .constants = {r->form.cluster.v}});
}

static void put_by_threads(ww_schedule *s, const ring *r)
{
    const char *work = r->form.pipeline.producer_op == WW_ASYNC_LOAD ? "fill_async" : "fill";
    ww_work_at(WW_HERE, s, r->ring, WW_PRODUCER, &(ww_args){.work = work});
}

void ring_put(ww_schedule *s, const ring *r)
{
    switch (producer_of(r)) {
    case AGENT_TMA: put_copies(s, r); break;
    case AGENT_PEER: put_to_peer(s, r); break;
    case AGENT_UMMA: put_by_tensor_core(s, r); break;
    default: put_by_threads(s, r);
    }
}

/* ---- consumer work --------------------------------------------------------------------------------- */

static void take_by_threads(ww_schedule *s, const ring *r)
{
    ww_token value;
    ww_consume(s, r->ring, "read", .out = {&value});
    ww_produce(s, r->sink, "store", .in = {value});
}

static void take_by_tensor_core(ww_schedule *s, const ring *r, int lane)
{
    ww_token a, b;
    if (is_operand(r)) {
        ww_consume(s, r->ring, "address", .out = {&a});
        ww_consume(s, r->operands, "descriptors", .out = {NULL, &b});
    } else {
        ww_consume(s, r->ring, "umma_descriptors", .out = {&a, &b});
    }
    ww_work_at(WW_HERE, s, r->results[lane], WW_PRODUCER,
               &(ww_args){.work = is_operand(r) ? "mma_tmem" : "mma",
                          .in = {a, b},
                          .constants = {r->form.cluster.v}});
}

static void take_by_wgmma(ww_schedule *s, const ring *r, int lane)
{
    ww_token a, b;
    ww_consume(s, r->ring, "wgmma_descriptors", .out = {&a, &b});
    ww_produce(s, r->results[lane], "mma", .in = {a, b});
}

void ring_take(ww_schedule *s, const ring *r, int lane)
{
    switch (consumer_of(r)) {
    case AGENT_UMMA: take_by_tensor_core(s, r, lane); break;
    case AGENT_WGMMA: take_by_wgmma(s, r, lane); break;
    case AGENT_TMA: ww_consume(s, r->ring, "store"); break;
    default: take_by_threads(s, r);
    }
}

void ring_settle(ww_schedule *s, const ring *r, int lane, bool all)
{
    if (consumer_of(r) == AGENT_WGMMA)
        ww_work_at(WW_HERE, s, r->results[lane], WW_CONSUMER,
                   &(ww_args){.work = all ? "settle" : "settle_previous"});
    if (consumer_of(r) == AGENT_TMA)
        ww_work_at(WW_HERE, s, r->ring, WW_CONSUMER, &(ww_args){.work = all ? "settle" : "settle_previous"});
}

void ring_finish(ww_schedule *s, const ring *r, int lane)
{
    ww_token value;
    if (consumer_of(r) != AGENT_WGMMA)
        return;
    ww_consume(s, r->results[lane], "result", .out = {&value});
    ww_produce(s, r->sink, "store", .in = {value});
}
