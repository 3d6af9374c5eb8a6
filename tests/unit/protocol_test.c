/* What each row of pipelines.def comes to: the synchronisation of a producer and a consumer task, line by line, and the
 * counts of both barriers. Expected texts are worked out by hand from the protocol (who waits, who arrives, at whose
 * barrier, by which instruction, how often), for one CTA and for clusters; they are not copied from the emitter. */
#include "core_kernel.h"
#include "emitted.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { BYTES = 1024, MOST_LINES = 16 };

typedef struct pipe {
    ww_pipeline pipeline;
    ww_cluster cluster;
    ww_reach reach;
    const char *arch;
    int producer_warps, consumer_warps;
    /* expected */
    const char *in[MOST_LINES], *out[MOST_LINES];
    uint32_t full, empty, bytes; /* arrivals and bytes a phase */
} pipe;

typedef struct parts {
    ww_resource *ring, *sums, *operand;
    bool umma_in, umma_out, tma_out, wgmma_out;
} parts;

/* ---- the kernel ---------------------------------------------------------------------------------------- */

static void fill(ww_schedule *s, void *context)
{
    parts *p = context;
    ww_domain_loop(s, ww_imm(0), ww_arg(struct core_params, trips, 0), ww_imm(1)) {
        ww_acquire(s, p->ring);
        ww_produce(s, p->ring, "fill");
        ww_commit(s, p->ring);
    }
}

static void use(ww_schedule *s, void *context)
{
    parts *p = context;
    ww_domain_loop(s, ww_imm(0), ww_arg(struct core_params, trips, 0), ww_imm(1)) {
        ww_wait(s, p->ring);
        if (p->umma_out || p->wgmma_out)
            ww_produce(s, p->sums, "mma");
        else
            ww_consume(s, p->ring, "use");
        ww_release(s, p->ring);
    }
}

static void declare_ring(ww_kernel *k, parts *p, const pipe *c)
{
    const model_protocol *protocol = model_protocol_of(c->pipeline.type);
    p->umma_in = protocol->producer == MODEL_UMMA;
    p->umma_out = protocol->consumer == MODEL_UMMA;
    p->tma_out = protocol->consumer == MODEL_TMA;
    p->wgmma_out = protocol->consumer == MODEL_WGMMA;
    const ww_work work[] = {{.name = "fill", .side = WW_PRODUCER}, {.name = "use", .side = WW_CONSUMER}, {0}};
    ww_work copying[] = {{.name = "fill", .side = WW_PRODUCER, .copies = {{"data", BYTES, c->reach}}},
                         {.name = "use", .side = WW_CONSUMER},
                         {0}};
    const ww_work by_umma[] = {{.name = "fill", .side = WW_PRODUCER, .umma_reads = {"operand"}},
                               {.name = "use", .side = WW_CONSUMER},
                               {0}};
    const ww_work storing[] = {
        {.name = "fill", .side = WW_PRODUCER},
        {.name = "use", .side = WW_CONSUMER, .bulk_store = true, .bulk_wait = WW_BULK_WAIT(0)},
        {0}};
    ww_resource_options o = {.pipeline = c->pipeline, .work = work};
    if (p->umma_in) {
        o.tmem[0] = (ww_tmem){"sums", 32};
        o.work = by_umma;
    } else {
        o.buffers[0] = (ww_buffer){.name = "data", .bytes = BYTES};
        o.work = protocol->full_by == MODEL_BY_EXPECT ? copying : p->tma_out ? storing : work;
    }
    p->ring = ww_resource_new(k, "ring", &o);
}

static ww_kernel *declare(parts *p, const pipe *c)
{
    static const ww_work by_umma[] = {{.name = "mma", .side = WW_PRODUCER, .umma_reads = {"ring"}}, {0}};
    static const ww_work by_wgmma[] = {
        {.name = "mma", .side = WW_PRODUCER, .wgmma_reads = {"ring"}, .wgmma_wait = WW_WGMMA_WAIT(0)}, {0}};
    ww_kernel *k = ww_kernel_new("k", &(ww_kernel_options){.body = "k.cuh",
                                                           .params = "core_params",
                                                           .params_bytes = sizeof(struct core_params),
                                                           .arch = c->arch,
                                                           .cluster = c->cluster});
    declare_ring(k, p, c);
    p->operand =
        ww_resource_new(k, "operand", &(ww_resource_options){.buffers = {{"tile", 512, 0, 0, NULL}}});
    if (p->umma_out)
        p->sums = ww_resource_new(k, "sums", &(ww_resource_options){.tmem = {{"d", 32}}, .work = by_umma});
    if (p->wgmma_out)
        p->sums = ww_resource_new(k, "sums", &(ww_resource_options){.work = by_wgmma});
    ww_task_new(k, "in", &(ww_task_options){.warps = c->producer_warps, .schedule = fill, .context = p});
    ww_task_new(
        k, "out",
        &(ww_task_options){.first_warp = 4, .warps = c->consumer_warps, .schedule = use, .context = p});
    ww_kernel_unchecked(k);
    return k;
}

/* ---- what was emitted ----------------------------------------------------------------------------------- */

static const ir_barrier *barrier(const ir_program *p, ir_side side)
{
    for (size_t i = 0; i < p->barriers.len; i++)
        if (p->barriers.at[i].side == side)
            return &p->barriers.at[i];
    return NULL;
}

static void check(const pipe *c)
{
    parts p = {0};
    ww_kernel *k = declare(&p, c);
    const ww_diag *d = ww_kernel_check(k);
    if (ww_diag_count(d, WW_ERROR))
        ww_diag_print(stderr, d);
    const char *cuda = ww_kernel_emit(k);
    assert_non_null(cuda);
    emitted_expect(cuda, "in", c->in);
    emitted_expect(cuda, "out", c->out);
    assert_int_equal(barrier(k->program, IR_FULL)->arrivals, c->full);
    assert_int_equal(barrier(k->program, IR_EMPTY)->arrivals, c->empty);
    assert_int_equal(barrier(k->program, IR_FULL)->tx_bytes, c->bytes);
    ww_kernel_free(k);
}

/* ---- expected lines ------------------------------------------------------------------------------------- */

#define ACQUIRE "mbarrier_wait(ring_empty + 8 * ring_produce_slot, ring_produce_parity);"
#define WAIT "mbarrier_wait(ring_full + 8 * ring_consume_slot, ring_consume_parity);"
#define EXPECT(bytes)                                                                                        \
    "if (elect_one()) mbarrier_arrive_expect_tx(ring_full + 8 * ring_produce_slot, " #bytes ");"
#define COMMIT_ALL "mbarrier_arrive(ring_full + 8 * ring_produce_slot);"
#define RELEASE_ALL "mbarrier_arrive(ring_empty + 8 * ring_consume_slot);"
#define RELEASE_ONE "if (elect_one()) mbarrier_arrive(ring_empty + 8 * ring_consume_slot);"
#define PROXY "fence_proxy_async_shared();"
#define AFTER "tcgen05_fence_after_thread_sync();"
#define BEFORE "tcgen05_fence_before_thread_sync();"
#define UMMA_FULL "if (elect_one()) tcgen05_commit<1>(ring_full + 8 * ring_produce_slot);"
#define UMMA_EMPTY "if (elect_one()) tcgen05_commit<1>(ring_empty + 8 * ring_consume_slot);"
#define SYNC "syncwarp();"
#define LEADERS "if (cluster::leader(cta_rank) == cta_rank) {"

static void test_async_async(void **state)
{
    (void)state;
    check(&(pipe){.pipeline = ww_pipeline_async_async(.stages = 2),
                  .producer_warps = 2,
                  .consumer_warps = 4,
                  .in = {ACQUIRE, COMMIT_ALL},
                  .out = {WAIT, RELEASE_ALL},
                  .full = 64,
                  .empty = 128});
    check(&(pipe){.pipeline = ww_pipeline_async_async(.stages = 2, .producer_op = WW_ASYNC_LOAD),
                  .producer_warps = 1,
                  .consumer_warps = 1,
                  .in = {ACQUIRE, "cp_async_mbarrier_arrive_noinc(ring_full + 8 * ring_produce_slot);"},
                  .out = {WAIT, RELEASE_ALL},
                  .full = 32,
                  .empty = 32});
    check(&(pipe){.pipeline = ww_pipeline_async_async(.stages = 2),
                  .cluster = {.n = 2}, /* no cluster form: each CTA for itself */
                  .producer_warps = 1,
                  .consumer_warps = 4,
                  .in = {ACQUIRE, COMMIT_ALL},
                  .out = {WAIT, RELEASE_ALL},
                  .full = 32,
                  .empty = 128});
}

static void test_tma_async(void **state)
{
    (void)state;
    check(&(pipe){.pipeline = ww_pipeline_tma_async(.stages = 2),
                  .producer_warps = 1,
                  .consumer_warps = 4,
                  .in = {ACQUIRE, EXPECT(1024)},
                  .out = {WAIT, SYNC, RELEASE_ONE},
                  .full = 1,
                  .empty = 4,
                  .bytes = 1024});
    check(&(pipe){.pipeline = ww_pipeline_tma_async(.stages = 2, .producer_signaling = WW_SIGNAL_WARP_LEADER),
                  .producer_warps = 2,
                  .consumer_warps = 4,
                  .in = {ACQUIRE,
                         "if (task_warp == 0 && elect_one()) mbarrier_arrive_expect_tx(ring_full + 8 * "
                         "ring_produce_slot, 2048);"},
                  .out = {WAIT, SYNC, RELEASE_ONE},
                  .full = 1,
                  .empty = 4,
                  .bytes = 2048});
    check(&(pipe){.pipeline = ww_pipeline_tma_async(.stages = 2, .consumer_arrivals = 128),
                  .producer_warps = 1,
                  .consumer_warps = 4,
                  .in = {ACQUIRE, EXPECT(1024)},
                  .out = {WAIT, RELEASE_ALL},
                  .full = 1,
                  .empty = 128,
                  .bytes = 1024});
}

/* A tiles multicast along n, in a cluster of 2 x 2: each CTA's stage comes from two CTAs, and its release tells both.
 * With both multicast modes the release reaches M + N - 1 = 3 CTAs. */
static void test_tma_async_in_a_cluster(void **state)
{
    (void)state;
    check(&(pipe){.pipeline = ww_pipeline_tma_async(.stages = 2),
                  .cluster = {.m = 2, .n = 2},
                  .reach = WW_REACH_A,
                  .producer_warps = 1,
                  .consumer_warps = 4,
                  .in = {ACQUIRE, EXPECT(2048)},
                  .out = {WAIT, SYNC,
                          "if (share_mask_m >> lane & 1) mbarrier_arrive_remote(ring_empty + 8 * "
                          "ring_consume_slot, lane);"},
                  .full = 1,
                  .empty = 8,
                  .bytes = 2048});
    check(&(pipe){.pipeline = ww_pipeline_tma_async(.stages = 2, .multicast = WW_MULTICAST_MN),
                  .cluster = {.m = 2, .n = 2},
                  .reach = WW_REACH_B,
                  .producer_warps = 1,
                  .consumer_warps = 4,
                  .in = {ACQUIRE, EXPECT(2048)},
                  .out = {WAIT, SYNC,
                          "if (share_mask_mn >> lane & 1) mbarrier_arrive_remote(ring_empty + 8 * "
                          "ring_consume_slot, lane);"},
                  .full = 1,
                  .empty = 12,
                  .bytes = 2048});
    check(&(pipe){.pipeline = ww_pipeline_tma_async(.stages = 2), /* nothing multicast: nobody else to tell */
                  .cluster = {.m = 2, .n = 2},
                  .producer_warps = 1,
                  .consumer_warps = 4,
                  .in = {ACQUIRE, EXPECT(1024)},
                  .out = {WAIT, SYNC, RELEASE_ONE},
                  .full = 1,
                  .empty = 4,
                  .bytes = 1024});
}

static void test_tma_umma(void **state)
{
    (void)state;
    check(&(pipe){.pipeline = ww_pipeline_tma_umma(.stages = 2),
                  .arch = "sm_100a",
                  .producer_warps = 1,
                  .consumer_warps = 1,
                  .in = {ACQUIRE, EXPECT(1024), ACQUIRE}, /* the last one drains */
                  .out = {WAIT, UMMA_EMPTY},
                  .full = 1,
                  .empty = 1,
                  .bytes = 1024});
    /* A pair: both CTAs wait for their own half to be empty, the leader announces the bytes of both. */
    check(&(pipe){.pipeline = ww_pipeline_tma_umma(.stages = 2),
                  .arch = "sm_100a",
                  .cluster = {.v = 2},
                  .producer_warps = 1,
                  .consumer_warps = 1,
                  .in = {ACQUIRE, LEADERS, EXPECT(2048), ACQUIRE},
                  .out = {LEADERS, WAIT, LEADERS, LEADERS,
                          "if (elect_one()) tcgen05_commit_multicast<2>(ring_empty + 8 * ring_consume_slot, "
                          "pair_mask);"},
                  .full = 1,
                  .empty = 1,
                  .bytes = 2048});
    /* (2, 2, 2, 1) with both modes: the multicast masks put M + N - 1 = 3 commits on each empty barrier, not C / V = 4. */
    check(&(pipe){.pipeline = ww_pipeline_tma_umma(.stages = 2, .multicast = WW_MULTICAST_MN),
                  .arch = "sm_100a",
                  .cluster = {.v = 2, .m = 2, .n = 2},
                  .reach = WW_REACH_A,
                  .producer_warps = 1,
                  .consumer_warps = 1,
                  .in = {ACQUIRE, LEADERS, EXPECT(4096), ACQUIRE},
                  .out = {LEADERS, WAIT, LEADERS, LEADERS,
                          "if (elect_one()) tcgen05_commit_multicast<2>(ring_empty + 8 * ring_consume_slot, "
                          "release_mask_mn);"},
                  .full = 1,
                  .empty = 3,
                  .bytes = 4096});
}

static void test_umma_async(void **state)
{
    (void)state;
    check(&(pipe){.pipeline = ww_pipeline_umma_async(.stages = 2),
                  .arch = "sm_100a",
                  .producer_warps = 1,
                  .consumer_warps = 4,
                  .in = {ACQUIRE, AFTER, UMMA_FULL},
                  .out = {WAIT, AFTER, BEFORE, RELEASE_ALL},
                  .full = 1,
                  .empty = 128});
    /* A pair: the leader's MMA fills both CTAs' tensor memory; both epilogues give it back to the leader. */
    check(&(pipe){.pipeline = ww_pipeline_umma_async(.stages = 2),
                  .arch = "sm_100a",
                  .cluster = {.v = 2},
                  .producer_warps = 1,
                  .consumer_warps = 4,
                  .in = {LEADERS, ACQUIRE, AFTER, LEADERS, LEADERS,
                         "if (elect_one()) tcgen05_commit_multicast<2>(ring_full + 8 * ring_produce_slot, "
                         "pair_mask);"},
                  .out = {WAIT, AFTER, BEFORE,
                          "mbarrier_arrive_remote(ring_empty + 8 * ring_consume_slot, "
                          "cluster::leader(cta_rank));"},
                  .full = 1,
                  .empty = 256});
}

static void test_async_umma(void **state)
{
    (void)state;
    check(&(pipe){.pipeline = ww_pipeline_async_umma(.stages = 2),
                  .arch = "sm_100a",
                  .producer_warps = 4,
                  .consumer_warps = 1,
                  .in = {ACQUIRE, PROXY, COMMIT_ALL, ACQUIRE},
                  .out = {WAIT, UMMA_EMPTY},
                  .full = 128,
                  .empty = 1});
    check(&(pipe){
        .pipeline = ww_pipeline_async_umma(.stages = 2, .producer_op = WW_ASYNC_LOAD),
        .arch = "sm_100a",
        .producer_warps = 1,
        .consumer_warps = 1,
        .in = {ACQUIRE, "cp_async_mbarrier_arrive_noinc(ring_full + 8 * ring_produce_slot);", ACQUIRE},
        .out = {WAIT, PROXY, UMMA_EMPTY},
        .full = 32,
        .empty = 1});
    check(&(pipe){
        .pipeline = ww_pipeline_async_umma(.stages = 2),
        .arch = "sm_100a",
        .cluster = {.v = 2},
        .producer_warps = 1,
        .consumer_warps = 1,
        .in = {ACQUIRE, PROXY, /* what the follower wrote is handed over: cluster scope on both ends */
               "mbarrier_arrive_remote_release(ring_full + 8 * ring_produce_slot, "
               "cluster::leader(cta_rank));",
               ACQUIRE},
        .out = {LEADERS, "mbarrier_wait_cluster(ring_full + 8 * ring_consume_slot, ring_consume_parity);",
                LEADERS, LEADERS,
                "if (elect_one()) tcgen05_commit_multicast<2>(ring_empty + 8 * ring_consume_slot, "
                "pair_mask);"},
        .full = 64,
        .empty = 1});
}

static void test_umma_umma(void **state)
{
    (void)state;
    check(&(pipe){.pipeline = ww_pipeline_umma_umma(.stages = 2),
                  .arch = "sm_100a",
                  .producer_warps = 1,
                  .consumer_warps = 1,
                  .in = {ACQUIRE, AFTER, UMMA_FULL, ACQUIRE},
                  .out = {WAIT, AFTER, UMMA_EMPTY},
                  .full = 1,
                  .empty = 1});
    /* A pair: leaders issue and leaders wait, so nobody watches the followers' barriers and nobody tells them. */
    check(&(pipe){.pipeline = ww_pipeline_umma_umma(.stages = 2),
                  .arch = "sm_100a",
                  .cluster = {.v = 2},
                  .producer_warps = 1,
                  .consumer_warps = 1,
                  .in = {LEADERS, ACQUIRE, AFTER, LEADERS, LEADERS,
                         "if (elect_one()) tcgen05_commit<2>(ring_full + 8 * ring_produce_slot);", LEADERS,
                         ACQUIRE},
                  .out = {LEADERS, WAIT, AFTER, LEADERS, LEADERS,
                          "if (elect_one()) tcgen05_commit<2>(ring_empty + 8 * ring_consume_slot);"},
                  .full = 1,
                  .empty = 1});
}

static void test_async_tma(void **state)
{
    (void)state;
    check(&(pipe){.pipeline = ww_pipeline_async_tma(.stages = 2),
                  .producer_warps = 4,
                  .consumer_warps = 1,
                  .in = {ACQUIRE, PROXY, COMMIT_ALL},
                  .out = {WAIT, SYNC, RELEASE_ONE},
                  .full = 128,
                  .empty = 1});
}

static void test_wgmma(void **state)
{
    (void)state;
    check(&(pipe){.pipeline = ww_pipeline_tma_wgmma(.stages = 2),
                  .producer_warps = 1,
                  .consumer_warps = 8,
                  .in = {ACQUIRE, EXPECT(1024)},
                  .out = {WAIT, SYNC, RELEASE_ONE},
                  .full = 1,
                  .empty = 8,
                  .bytes = 1024});
    check(&(pipe){.pipeline = ww_pipeline_async_wgmma(.stages = 2),
                  .producer_warps = 4,
                  .consumer_warps = 4,
                  .in = {ACQUIRE, PROXY, COMMIT_ALL},
                  .out = {WAIT, SYNC, RELEASE_ONE},
                  .full = 128,
                  .empty = 4});
    check(&(pipe){.pipeline = ww_pipeline_async_wgmma(.stages = 2, .producer_op = WW_ASYNC_LOAD),
                  .producer_warps = 4,
                  .consumer_warps = 4,
                  .in = {ACQUIRE, "cp_async_mbarrier_arrive_noinc(ring_full + 8 * ring_produce_slot);"},
                  .out = {WAIT, PROXY, SYNC, RELEASE_ONE},
                  .full = 128,
                  .empty = 4});
}

/* The destination is the next CTA: its barrier is armed, and the one before gets the slot back. */
static void test_peer_async(void **state)
{
    (void)state;
    check(&(pipe){.pipeline = ww_pipeline_peer_async(.stages = 2),
                  .cluster = {.n = 4},
                  .producer_warps = 1,
                  .consumer_warps = 4,
                  .in = {ACQUIRE, "if (elect_one()) mbarrier_arrive_expect_tx_remote(ring_full + 8 * "
                                  "ring_produce_slot, 1024, (cta_rank + 1) % 4);"},
                  .out = {WAIT, SYNC,
                          "if (elect_one()) mbarrier_arrive_remote(ring_empty + 8 * ring_consume_slot, "
                          "(cta_rank + 3) % 4);"},
                  .full = 1,
                  .empty = 4,
                  .bytes = 1024});
}

/* Every type of the table has a test above; a new row must get one. */
static void test_every_row_is_here(void **state)
{
    (void)state;
    int rows = 0;
#define WW_PIPELINE(name, ...) rows++;
#include "warpwright/pipelines.def"
#undef WW_PIPELINE
    assert_int_equal(rows, 11); /* the ten above, and ClcFetchAsync in queue_protocol_test */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_async_async),
        cmocka_unit_test(test_tma_async),
        cmocka_unit_test(test_tma_async_in_a_cluster),
        cmocka_unit_test(test_tma_umma),
        cmocka_unit_test(test_umma_async),
        cmocka_unit_test(test_async_umma),
        cmocka_unit_test(test_umma_umma),
        cmocka_unit_test(test_async_tma),
        cmocka_unit_test(test_wgmma),
        cmocka_unit_test(test_peer_async),
        cmocka_unit_test(test_every_row_is_here),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
