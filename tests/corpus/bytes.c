/* Bytes: what a stage announces, what its copies bring, and where they may lie. */
#include "corpus.h"

/* A ring of a TMA type with two copies of 8192 bytes a stage. */
static const ww_work two_copies[] = {
    {.name = "fill", .side = WW_PRODUCER, .copies = {{"a", 8192}, {"b", 8192}}},
    {.name = "use", .side = WW_CONSUMER},
    {.name = NULL}};

static ww_resource *two_tiles(ww_kernel *k, uint32_t tx_bytes)
{
    return ww_resource_new(
        k, "ring",
        &(ww_resource_options){.pipeline = ww_pipeline_tma_async(.stages = 2, .tx_bytes = tx_bytes),
                               .buffers = {{"a", 8192}, {"b", 8192}},
                               .work = two_copies});
}

static void declare(ww_kernel *k, ww_resource *ring, ww_schedule_function *load)
{
    corpus_task(k, "load", 0, 1, load, ring);
    corpus_task(k, "math", 4, 4, corpus_consumer, ring);
}

/* ---- 18, 22: copies whose bytes nobody announced ----------------------------------------------------------------- */

static void copy_unannounced(ww_schedule *s, void *ring)
{
    corpus_loop(s)
    {
        ww_produce(s, ring, "fill");
        ww_commit(s, ring);
    }
}

static void a_ring_of_threads(ww_kernel *k)
{
    ww_resource *ring =
        ww_resource_new(k, "ring",
                        &(ww_resource_options){.pipeline = ww_pipeline_async_async(.stages = 2),
                                               .buffers = {{"a", 8192}, {"b", 8192}},
                                               .work = two_copies});
    declare(k, ring, corpus_producer);
}

static void no_acquire(ww_kernel *k)
{
    declare(k, two_tiles(k, 0), copy_unannounced);
}

static void announced(ww_kernel *k)
{
    declare(k, two_tiles(k, 0), corpus_producer);
}

/* The announcement is there on one path, and missing on the other. */
static void copy_or_forget(ww_schedule *s, void *ring)
{
    corpus_loop(s)
    {
        ww_first_iter(s) {
            ww_acquire(s, ring);
        }
        ww_produce(s, ring, "fill");
        ww_commit(s, ring);
    }
}

static void announced_in_the_first_trip(ww_kernel *k)
{
    declare(k, two_tiles(k, 0), copy_or_forget);
}

/* ---- 21: a loop of a single trip ----------------------------------------------------------------------------------- */

static void load_once(ww_schedule *s, void *ring)
{
    ww_domain_loop(s, ww_imm(0), ww_imm(1), ww_imm(1)) {
        corpus_fill(s, ring);
    }
}

static void use_once(ww_schedule *s, void *ring)
{
    ww_domain_loop(s, ww_imm(0), ww_imm(1), ww_imm(1)) {
        corpus_use(s, ring);
    }
}

static void one_trip(ww_kernel *k)
{
    ww_resource *ring = corpus_ring(k, "ring", ww_pipeline_tma_async());
    corpus_task(k, "load", 0, 1, load_once, ring);
    corpus_task(k, "math", 4, 4, use_once, ring);
}

/* ---- 24, 25: another number than the copies bring ------------------------------------------------------------------- */

static void twice_the_bytes(ww_kernel *k)
{
    declare(k, two_tiles(k, 32768), corpus_producer);
}

static void half_the_bytes(ww_kernel *k)
{
    declare(k, two_tiles(k, 8192), corpus_producer);
}

static void sixteen_more(ww_kernel *k)
{
    declare(k, two_tiles(k, 16384 + 16), corpus_producer);
}

static void sixteen_less(ww_kernel *k)
{
    declare(k, two_tiles(k, 16384 - 16), corpus_producer);
}

static void both_copies(ww_kernel *k)
{
    declare(k, two_tiles(k, 16384), corpus_producer);
}

/* ---- 23, 48: two CTAs that share an MMA, and the leader's barrier --------------------------------------------------------- */

typedef struct mma {
    ww_resource *operand, *scale, *sum;
} mma;

static const ww_work sum_work[] = {
    {.name = "multiply", .side = WW_PRODUCER, .umma_reads = {"operand", "scale"}},
    {.name = "use", .side = WW_CONSUMER},
    {.name = NULL}};

static void multiply(ww_schedule *s, void *context)
{
    mma *m = context;
    corpus_loop(s)
    {
        ww_wait(s, m->operand);
        ww_wait(s, m->scale);
        ww_acquire(s, m->sum);
        ww_produce(s, m->sum, "multiply");
        ww_release(s, m->operand);
        ww_release(s, m->scale);
        ww_commit(s, m->sum);
    }
}

/* The scales are released, and so kept in step, but nobody waited for them. */
static void multiply_unscaled(ww_schedule *s, void *context)
{
    mma *m = context;
    corpus_loop(s)
    {
        ww_wait(s, m->operand);
        ww_acquire(s, m->sum);
        ww_produce(s, m->sum, "multiply");
        ww_release(s, m->operand);
        ww_release(s, m->scale);
        ww_commit(s, m->sum);
    }
}

static void declare_pair(ww_kernel *k, uint32_t operand, uint32_t scale, ww_schedule_function *math)
{
    mma m = {corpus_ring(k, "operand", ww_pipeline_tma_umma(.stages = 2, .tx_bytes = operand)),
             corpus_ring(k, "scale", ww_pipeline_tma_umma(.stages = 2, .tx_bytes = scale)),
             ww_resource_new(k, "sum",
                             &(ww_resource_options){.pipeline = ww_pipeline_umma_async(.stages = 1),
                                                    .tmem = {{"acc", 32}},
                                                    .work = sum_work})};
    corpus_task(k, "load", 0, 1, corpus_producer, m.operand);
    corpus_task(k, "load_scale", 1, 1, corpus_producer, m.scale);
    corpus_task(k, "math", 2, 1, math, &m);
    corpus_task(k, "store", 4, 4, corpus_consumer, m.sum);
}

static void bytes_of_one_cta(ww_kernel *k)
{
    declare_pair(k, 1024, 0, multiply);
}

static void bytes_of_four_ctas(ww_kernel *k)
{
    declare_pair(k, 4096, 0, multiply);
}

static void scales_of_one_cta(ww_kernel *k)
{
    declare_pair(k, 0, 1024, multiply);
}

static void scales_not_waited_for(ww_kernel *k)
{
    declare_pair(k, 0, 0, multiply_unscaled);
}

static void bytes_of_both_ctas(ww_kernel *k)
{
    declare_pair(k, 2048, 2048, multiply);
}

/* ---- 26: a row of ten floats ------------------------------------------------------------------------------------------------ */

static const ww_work ten_floats[] = {{.name = "fill", .side = WW_PRODUCER, .copies = {{"row", 40}}},
                                     {.name = "use", .side = WW_CONSUMER},
                                     {.name = NULL}};
static const ww_work twelve_floats[] = {{.name = "fill", .side = WW_PRODUCER, .copies = {{"row", 48}}},
                                        {.name = "use", .side = WW_CONSUMER},
                                        {.name = NULL}};

static void declare_row(ww_kernel *k, uint32_t bytes, const ww_work *work)
{
    ww_resource *ring = ww_resource_new(k, "ring",
                                        &(ww_resource_options){.pipeline = ww_pipeline_tma_async(.stages = 2),
                                                               .buffers = {{.name = "row", .bytes = bytes}},
                                                               .work = work});
    declare(k, ring, corpus_producer);
}

static void a_row_of_40_bytes(ww_kernel *k)
{
    declare_row(k, 40, ten_floats);
}

static void a_row_of_48_bytes(ww_kernel *k)
{
    declare_row(k, 48, twelve_floats);
}

/* ---- 28: tiles that do not lie where their pattern wants ---------------------------------------------------------------------- */

static void declare_tile(ww_kernel *k, uint32_t align)
{
    static const ww_work work[] = {{.name = "fill", .side = WW_PRODUCER, .copies = {{"tile", 1024}}},
                                   {.name = "use", .side = WW_CONSUMER},
                                   {.name = NULL}};
    const ww_buffer tile = {.name = "tile", .bytes = 1024, .align = align, .swizzle = WW_SWIZZLE_128B};
    ww_resource *ring =
        ww_resource_new(k, "ring",
                        &(ww_resource_options){
                            .pipeline = ww_pipeline_tma_async(.stages = 2), .buffers = {tile}, .work = work});
    declare(k, ring, corpus_producer);
}

static void a_swizzled_tile_at_128(ww_kernel *k)
{
    declare_tile(k, 128);
}

static void a_swizzled_tile_at_its_default(ww_kernel *k)
{
    declare_tile(k, 0);
}

const corpus_case corpus_bytes[] = {
    {"18", "copies into a ring that announces nothing", a_ring_of_threads, WW_TX_BYTES,
     "task load: no barrier counts the copies of ring.fill", announced},
    {"18", "copies before any announcement", no_acquire, WW_BRACKET,
     "task load: ring.fill works on a slot that is not open, in the first trip of its loop", announced},
    {"22", "announced on one of two paths", announced_in_the_first_trip, WW_BRACKET,
     "task load: ring.fill works on a slot that is not open, in a later trip of its loop", announced},
    {"21", "one trip: an arrival with the announcement", NULL, 0, NULL, one_trip,
     .emits = {"ww_barriers + 8 * i, 1);", "ww::mbarrier_arrive_expect_tx("}},
    {"24", "twice the bytes that come", twice_the_bytes, WW_TX_BYTES,
     "each stage of ring expects 32768 bytes, and its copies bring 16384", both_copies},
    {"24", "half the bytes that come", half_the_bytes, WW_TX_BYTES,
     "each stage of ring expects 8192 bytes, and its copies bring 16384", both_copies},
    {"25", "16 bytes too many", sixteen_more, WW_TX_BYTES,
     "each stage of ring expects 16400 bytes, and its copies bring 16384", both_copies},
    {"25", "16 bytes too few", sixteen_less, WW_TX_BYTES,
     "each stage of ring expects 16368 bytes, and its copies bring 16384", both_copies},
    {"23",
     "the leader expects its own bytes alone",
     bytes_of_one_cta,
     WW_TX_BYTES,
     "each stage of operand expects 1024 bytes, and its copies bring 2048",
     bytes_of_both_ctas,
     "sm_100a",
     {.v = 2}},
    {"23",
     "the leader expects twice what the pair brings",
     bytes_of_four_ctas,
     WW_TX_BYTES,
     "each stage of operand expects 4096 bytes, and its copies bring 2048",
     bytes_of_both_ctas,
     "sm_100a",
     {.v = 2}},
    {"48",
     "the leader does not count the peer's scales",
     scales_of_one_cta,
     WW_TX_BYTES,
     "each stage of scale expects 1024 bytes, and its copies bring 2048",
     bytes_of_both_ctas,
     "sm_100a",
     {.v = 2}},
    {"48",
     "the MMA does not wait for the scales",
     scales_not_waited_for,
     WW_BRACKET,
     "task math: sum.multiply works on a slot that is not open, in the first trip of its loop",
     bytes_of_both_ctas,
     "sm_100a",
     {.v = 2}},
    {"26", "a copy of 40 bytes", a_row_of_40_bytes, WW_BAD_WORK,
     "work method fill of resource ring is malformed", a_row_of_48_bytes},
    {"28", "a swizzled tile at 128 bytes", a_swizzled_tile_at_128, WW_BAD_VALUE,
     "alignment of the swizzled buffer tile of resource ring", a_swizzled_tile_at_its_default},
    {0},
};
