/* The fields of a pipeline, the construction of groups, of barriers and of dynamic queues: what is refused, with which
 * code and words, and what stands beside it and is accepted. */
#include "core_kernel.h"
#include "capture/capture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static ww_kernel *kernel_for(const char *arch, ww_cluster cluster)
{
    return ww_kernel_new("k", &(ww_kernel_options){.body = "k.cuh",
                                                   .params = "core_params",
                                                   .params_bytes = sizeof(struct core_params),
                                                   .arch = arch,
                                                   .cluster = cluster});
}

static ww_resource *ring_of(ww_kernel *k, const char *name, ww_pipeline pipeline)
{
    return ww_resource_new(
        k, name, &(ww_resource_options){.pipeline = pipeline, .buffers = {{.name = "data", .bytes = 1024}}});
}

typedef struct field_case {
    ww_pipeline pipeline;
    const char *arch;
    ww_cluster cluster;
    ww_code code; /* 0: accepted */
    const char *message, *expected, *found;
} field_case;

static const field_case cases[] = {
    /* signalling: ALL stands alone, 3 is no combination (0 means the default here) */
    {.pipeline = {.type = WW_TMA_ASYNC, .stages = 2, .producer_signaling = (ww_signaling)3},
     .code = WW_BAD_VALUE,
     .message = "producer_signaling of the pipeline of resource r",
     .expected = "WW_SIGNAL_ALL, or WW_SIGNAL_CTA_LEADER, WW_SIGNAL_WARP_LEADER or both (ALL stands alone)",
     .found = "3"},
    {.pipeline = {.type = WW_TMA_ASYNC, .stages = 2, .producer_signaling = (ww_signaling)6}},
    {.pipeline = {.type = WW_TMA_ASYNC, .stages = 2, .consumer_signaling = (ww_signaling)5},
     .code = WW_BAD_VALUE,
     .message = "consumer_signaling of the pipeline of resource r",
     .found = "5"},
    {.pipeline = {.type = WW_ASYNC_UMMA, .stages = 2, .wait_signaling = (ww_signaling)8},
     .arch = "sm_100a",
     .code = WW_BAD_VALUE,
     .message = "wait_signaling of the pipeline of resource r",
     .found = "8"},
    {.pipeline = {.type = WW_TMA_ASYNC, .stages = 2, .consumer_signaling = WW_SIGNAL_WARP_LEADER},
     .code = WW_OPTION,
     .message = "resource r: WW_SIGNAL_WARP_LEADER in consumer_signaling: only producers of bulk copies "
                "announce bytes"},
    {.pipeline = {.type = WW_ASYNC_ASYNC, .stages = 2, .producer_signaling = WW_SIGNAL_WARP_LEADER},
     .code = WW_OPTION,
     .message = "resource r: a pipeline of type AsyncAsync does not offer producer_signaling with "
                "WW_SIGNAL_WARP_LEADER",
     .expected = "the default, or one of the types TmaAsync, TmaUmma, TmaWgmma"},
    {.pipeline = {.type = WW_TMA_ASYNC, .stages = 2, .wait_signaling = WW_SIGNAL_ALL},
     .code = WW_OPTION,
     .message = "resource r: a pipeline of type TmaAsync does not offer wait_signaling",
     .expected = "the default, or one of the types AsyncUmma"},
    /* the producer's arrival */
    {.pipeline = {.type = WW_ASYNC_ASYNC, .stages = 2, .producer_op = WW_ASYNC_LOAD}},
    {.pipeline = {.type = WW_ASYNC_UMMA, .stages = 2, .producer_op = WW_ASYNC_LOAD}, .arch = "sm_100a"},
    {.pipeline = {.type = WW_ASYNC_UMMA, .stages = 2, .producer_op = WW_ASYNC_LOAD},
     .arch = "sm_100a",
     .cluster = {.v = 2},
     .code = WW_OPTION,
     .message = "resource r: WW_ASYNC_LOAD in a pair of CTAs, and cp.async arrives in its own CTA only"},
    {.pipeline = {.type = WW_ASYNC_ASYNC, .stages = 2, .producer_op = WW_ASYNC_LOAD},
     .arch = "sm_100a",
     .cluster = {.v = 2}},
    /* who issues for a pair */
    {.pipeline = {.type = WW_UMMA_UMMA, .stages = 2, .producer_signaling = WW_SIGNAL_ALL}, .arch = "sm_100a"},
    {.pipeline = {.type = WW_UMMA_UMMA, .stages = 2, .producer_signaling = WW_SIGNAL_ALL},
     .arch = "sm_100a",
     .cluster = {.v = 2},
     .code = WW_OPTION,
     .message = "resource r: both CTAs of a pair would issue the tcgen05 work that fills it"},
    {.pipeline = {.type = WW_UMMA_ASYNC, .stages = 2, .producer_signaling = WW_SIGNAL_CTA_LEADER},
     .arch = "sm_100a",
     .cluster = {.v = 2}},
    {.pipeline = {.type = WW_ASYNC_ASYNC, .stages = 2, .producer_op = (ww_producer_op)2},
     .code = WW_BAD_VALUE,
     .message = "producer_op of the pipeline of resource r",
     .expected = "WW_ASYNC_THREAD or WW_ASYNC_LOAD",
     .found = "2"},
    {.pipeline = {.type = WW_TMA_ASYNC, .stages = 2, .producer_op = WW_ASYNC_LOAD},
     .code = WW_OPTION,
     .message = "resource r: a pipeline of type TmaAsync does not offer producer_op",
     .expected = "the default, or one of the types AsyncAsync, AsyncUmma, AsyncWgmma"},
    /* interleaving */
    {.pipeline = {.type = WW_TMA_ASYNC, .stages = 4, .stride = {.all = 2}}},
    {.pipeline = {.type = WW_TMA_ASYNC, .stages = 4, .stride = {.all = 3}},
     .code = WW_STRIDE,
     .message = "stride of acquire of the pipeline of resource r",
     .expected = "a divisor of the number of stages, 4",
     .found = "3"},
    {.pipeline = {.type = WW_TMA_ASYNC, .stages = 4, .stride = {.all = -1}},
     .code = WW_STRIDE,
     .message = "stride of acquire of the pipeline of resource r",
     .expected = "at least 1 (0: 1)",
     .found = "-1"},
    {.pipeline = {.type = WW_TMA_ASYNC, .stages = 4, .stride = {.acquire = 2, .commit = 4}},
     .code = WW_STRIDE,
     .message = "resource r: strides of acquire and commit differ, and one cursor serves both",
     .expected = "equal strides, or .advance_on_acquire = true",
     .found = "2 and 4"},
    {.pipeline = {.type = WW_TMA_ASYNC,
                  .stages = 4,
                  .stride = {.acquire = 2, .commit = 4},
                  .advance_on_acquire = true}},
    {.pipeline = {.type = WW_TMA_ASYNC, .stages = 4, .stride = {.wait = 2, .release = 4}},
     .code = WW_STRIDE,
     .message = "resource r: strides of wait and release differ, and one cursor serves both",
     .expected = "equal strides, or .advance_on_wait = true",
     .found = "2 and 4"},
    {.pipeline = {.type = WW_UMMA_UMMA, .stages = 4, .stride = {.all = 2}},
     .arch = "sm_100a",
     .code = WW_OPTION,
     .message = "resource r: a pipeline of type UmmaUmma does not offer stride of acquire and commit"},
    {.pipeline = {.type = WW_UMMA_ASYNC, .stages = 4, .stride = {.acquire = 2, .commit = 2}},
     .arch = "sm_100a",
     .code = WW_OPTION,
     .message = "resource r: a pipeline of type UmmaAsync does not offer stride of acquire and commit"},
    {.pipeline = {.type = WW_ASYNC_UMMA, .stages = 4, .stride = {.wait = 2, .release = 2}},
     .arch = "sm_100a",
     .code = WW_OPTION,
     .message = "resource r: a pipeline of type AsyncUmma does not offer stride of wait and release"},
    /* depth */
    {.pipeline = {.type = WW_TMA_ASYNC, .stages = 0},
     .code = WW_BAD_VALUE,
     .message = "stages of the pipeline of resource r",
     .expected = "1 to 64, or WW_STAGES_MAX",
     .found = "0"},
    {.pipeline = {.type = WW_TMA_ASYNC, .stages = -3}, .code = WW_BAD_VALUE},
    /* multicast */
    {.pipeline = {.type = WW_ASYNC_ASYNC, .stages = 2, .multicast = WW_MULTICAST_M},
     .code = WW_OPTION,
     .message = "resource r: a pipeline of type AsyncAsync does not offer multicast"},
    {.pipeline = {.type = WW_TMA_ASYNC, .stages = 2, .multicast = (ww_multicast)9},
     .code = WW_BAD_VALUE,
     .message = "multicast of the pipeline of resource r",
     .found = "9"},
    /* bytes of types that have none */
    {.pipeline = {.type = WW_UMMA_ASYNC, .stages = 2, .tx_bytes = 16},
     .arch = "sm_100a",
     .code = WW_TX_BYTES,
     .message = "resource r: a pipeline of type UmmaAsync carries no bytes"},
    {.pipeline = {.type = WW_ASYNC_UMMA, .stages = 2, .bytes_per_warp_per_cta = 16},
     .arch = "sm_100a",
     .code = WW_OPTION,
     .message = "resource r: a pipeline of type AsyncUmma does not offer bytes_per_warp_per_cta"},
    /* targets */
    {.pipeline = {.type = WW_TMA_UMMA, .stages = 2},
     .code = WW_NEEDS_ARCH,
     .message =
         "resource r: a pipeline of type TmaUmma needs tcgen05 and tensor memory, which sm_90a does not have",
     .expected = "one of sm_100a, sm_103a, sm_110a",
     .found = "\"sm_90a\""},
    {.pipeline = {.type = WW_TMA_WGMMA, .stages = 2},
     .arch = "sm_100a",
     .code = WW_NEEDS_ARCH,
     .message = "resource r: a pipeline of type TmaWgmma needs wgmma, which sm_100a does not have",
     .expected = "one of sm_90a"},
    {.pipeline = {.type = WW_TMA_ASYNC, .stages = 2},
     .arch = "sm_80",
     .code = WW_NEEDS_ARCH,
     .message =
         "resource r: a pipeline of type TmaAsync needs bulk copies and try_wait, which sm_80 does not have"},
    {.pipeline = {.type = WW_ASYNC_ASYNC, .stages = 2}, .arch = "sm_80"},
    /* clusters */
    {.pipeline = {.type = WW_TMA_ASYNC, .stages = 2, .cluster = {.n = 2}},
     .cluster = {.m = 2},
     .code = WW_BAD_CLUSTER,
     .message = "resource r: its pipeline has another cluster than the kernel",
     .expected = "(v, m, n, k) = (1, 2, 1, 1), as the kernel, or left out",
     .found = "(0, 0, 2, 0)"},
    {.pipeline = {.type = WW_TMA_ASYNC, .stages = 2, .cluster = {.v = 1, .m = 2, .n = 1, .k = 1}},
     .cluster = {.m = 2}},
    {.pipeline = {.type = WW_PEER_ASYNC, .stages = 2},
     .code = WW_BAD_CLUSTER,
     .message = "resource r: a PeerAsync pipeline has no other CTA to reach",
     .found = "1 CTA, peer_shift 1"},
    {.pipeline = {.type = WW_PEER_ASYNC, .stages = 2, .peer_shift = 2}, .cluster = {.n = 4}},
    {.pipeline = {.type = WW_PEER_ASYNC, .stages = 2, .peer_shift = 4},
     .cluster = {.n = 4},
     .code = WW_BAD_CLUSTER,
     .found = "4 CTAs, peer_shift 4"},
    {.pipeline = {.type = WW_TMA_ASYNC, .stages = 2, .peer_shift = 1},
     .code = WW_OPTION,
     .message = "resource r: a pipeline of type TmaAsync does not offer peer_shift",
     .expected = "the default, or one of the types PeerAsync"},
    {.pipeline = {.type = WW_CLC_FETCH_ASYNC, .stages = 2},
     .arch = "sm_100a",
     .code = WW_BAD_VALUE,
     .message = "resource r: a pipeline of type ClcFetchAsync belongs to a work queue"},
};

static void test_fields(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const field_case *c = &cases[i];
        ww_kernel *k = kernel_for(c->arch, c->cluster);
        (void)ring_of(k, "r", c->pipeline);
        const ww_diag *d = k->diags.first;
        if (!c->code && d)
            fail_msg("case %zu: %s", i, d->message);
        if (c->code && (!d || d->code != c->code))
            fail_msg("case %zu: WW%d wanted, %s", i, (int)c->code, d ? d->message : "nothing found");
        if (c->message)
            assert_string_equal(d->message, c->message);
        if (c->expected)
            assert_string_equal(d->expected, c->expected);
        if (c->found)
            assert_string_equal(d->found, c->found);
        ww_kernel_free(k);
    }
}

/* What a factory leaves out is the type's own. */
static void test_defaults(void **state)
{
    (void)state;
    const ww_pipeline clc = ww_pipeline_clc_fetch_async(.stages = 2),
                      pair = ww_pipeline_tma_umma(.stages = 2);
    assert_int_equal(model_signaling(&clc, MODEL_END_ACQUIRE), WW_SIGNAL_CTA_LEADER);
    assert_int_equal(model_signaling(&clc, MODEL_END_RELEASE), WW_SIGNAL_ALL);
    assert_int_equal(model_gate_of(&clc, MODEL_END_ACQUIRE), MODEL_RANK_0);
    assert_int_equal(model_gate_of(&clc, MODEL_END_WAIT), MODEL_EVERYWHERE);
    assert_int_equal(model_gate_of(&pair, MODEL_END_ACQUIRE), MODEL_EVERYWHERE);
    assert_int_equal(model_gate_of(&pair, MODEL_END_WAIT), MODEL_LEADERS);
    const ww_pipeline split = ww_pipeline_async_umma(.stages = 2, .wait_signaling = WW_SIGNAL_ALL);
    assert_int_equal(model_gate_of(&split, MODEL_END_WAIT), MODEL_EVERYWHERE);
    assert_int_equal(model_gate_of(&split, MODEL_END_RELEASE), MODEL_LEADERS);
    const ww_pipeline strided = ww_pipeline_tma_async(.stages = 4, .stride = {.all = 2, .release = 4});
    assert_int_equal(model_stride(&strided, MODEL_END_ACQUIRE), 2);
    assert_int_equal(model_stride(&strided, MODEL_END_RELEASE), 4);
}

/* ---- clusters ---------------------------------------------------------------------------------------------- */

/* (2, 2, 2, 1), rank = v + 2 (m + 2 n): CTA 0 is (0, 0, 0). */
static void test_targets(void **state)
{
    (void)state;
    const ww_cluster c = {.v = 2, .m = 2, .n = 2};
    ww_pipeline p = ww_pipeline_tma_umma(.stages = 2, .multicast = WW_MULTICAST_MN);
    assert_int_equal(model_cluster_size(&c), 8);
    assert_int_equal(model_targets(&c, MODEL_TO_OWN, &p, 5), 1 << 5);
    assert_int_equal(model_targets(&c, MODEL_TO_LEADER, &p, 5), 1 << 4);
    assert_int_equal(model_targets(&c, MODEL_TO_PAIR, &p, 5), 3 << 4);
    assert_int_equal(model_targets(&c, MODEL_TO_FIRST, &p, 5), 1);
    assert_int_equal(model_targets(&c, MODEL_TO_EVERY, &p, 5), 0xff);
    assert_int_equal(model_reach(&c, WW_REACH_A, 0), 1 << 0 | 1 << 4); /* n = 0, 1 */
    assert_int_equal(model_reach(&c, WW_REACH_B, 0), 1 << 0 | 1 << 2); /* m = 0, 1 */
    assert_int_equal(model_targets(&c, MODEL_TO_PEERS, &p, 0), 0x33 | 0x0f);
    p.multicast = WW_MULTICAST_M;
    assert_int_equal(model_targets(&c, MODEL_TO_PEERS, &p, 0), 0x33);
    p.multicast = WW_MULTICAST_NONE;
    assert_int_equal(model_targets(&c, MODEL_TO_PEERS, &p, 0), 0x03);
    const ww_cluster ring = {.n = 4};
    const ww_pipeline peer = ww_pipeline_peer_async(.stages = 1, .peer_shift = 3);
    assert_int_equal(model_targets(&ring, MODEL_TO_NEXT, &peer, 2), 1 << 1);
    assert_int_equal(model_targets(&ring, MODEL_TO_PREVIOUS, &peer, 1), 1 << 2);
}

static void test_clusters(void **state)
{
    (void)state;
    static const ww_cluster bad[] = {{.v = 3}, {.m = 17}, {.m = 4, .n = 8}, {.n = -1}};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        ww_kernel *k = kernel_for("sm_100a", bad[i]);
        assert_non_null(core_find(k, WW_BAD_CLUSTER));
        ww_kernel_free(k);
    }
    ww_kernel *k = kernel_for("sm_90a", (ww_cluster){.v = 2});
    assert_string_equal(core_find(k, WW_NEEDS_ARCH)->message,
                        "a cluster with V = 2 needs tcgen05 and tensor memory, which sm_90a does not have");
    ww_kernel_free(k);
    k = kernel_for("sm_80", (ww_cluster){.n = 2});
    assert_non_null(core_find(k, WW_NEEDS_ARCH));
    ww_kernel_free(k);
    k = kernel_for("sm_90a", (ww_cluster){.m = 4, .n = 4});
    assert_null(k->diags.first);
    ww_kernel_free(k);
}

/* ---- groups ------------------------------------------------------------------------------------------------ */

static void refused(ww_kernel *k, ww_resource *g, const char *message)
{
    const ww_diag *d = core_find(k, WW_GROUP);
    assert_non_null(d);
    assert_string_equal(d->message, message);
    assert_int_equal(g->member_count, 0);
    ww_kernel_free(k);
}

static void test_groups(void **state)
{
    (void)state;
    ww_kernel *k = kernel_for(NULL, (ww_cluster){0});
    refused(k, ww_group_new(k, "g", NULL), "group g has no members");

    k = kernel_for(NULL, (ww_cluster){0});
    ww_resource *a = ring_of(k, "a", ww_pipeline_async_async(.stages = 2));
    ww_resource *b = ring_of(k, "b", ww_pipeline_tma_async(.stages = 3));
    refused(k, ww_group_new(k, "g", &(ww_group_options){.members = {a, b}}),
            "group g: member b has another number of stages");

    k = kernel_for(NULL, (ww_cluster){0});
    a = ring_of(k, "a", ww_pipeline_async_async(.stages = 2));
    b = ring_of(k, "b", ww_pipeline_tma_async(.stages = 2));
    refused(k, ww_group_new(k, "g", &(ww_group_options){.mode = WW_FORK, .members = {a, b}}),
            "group g: member b has another kind of producer");

    k = kernel_for(NULL, (ww_cluster){0});
    a = ring_of(k, "a", ww_pipeline_async_async(.stages = 2, .advance_on_acquire = true));
    b = ring_of(k, "b", ww_pipeline_tma_async(.stages = 2));
    refused(k, ww_group_new(k, "g", &(ww_group_options){.members = {a, b}}),
            "group g: member b differs in advance_on_acquire"); /* docs/coverage.md, Q14 */

    k = kernel_for(NULL, (ww_cluster){0});
    a = ring_of(k, "a", ww_pipeline_tma_async(.stages = 2, .advance_on_wait = true));
    b = ring_of(k, "b", ww_pipeline_tma_async(.stages = 2, .advance_on_wait = true));
    refused(k, ww_group_new(k, "g", &(ww_group_options){.members = {a, b}}), /* Q19 */
            "group g: member b waits ahead, and the members of a merge share one wait cursor");

    k = kernel_for(NULL, (ww_cluster){0});
    a = ring_of(k, "a", ww_pipeline_tma_async(.stages = 2));
    ww_resource *plain = ww_resource_new(k, "plain", NULL);
    refused(k, ww_group_new(k, "g", &(ww_group_options){.members = {a, plain}}),
            "group g: member plain has no pipeline");
}

/* One call speaks for all members on the side they share: it has one way of speaking. */
static void test_members_share_what_they_share(void **state)
{
    (void)state;
    ww_kernel *k = kernel_for(NULL, (ww_cluster){0});
    ww_resource *a = ring_of(k, "a", ww_pipeline_async_async(.stages = 2, .producer_op = WW_ASYNC_LOAD));
    ww_resource *b = ring_of(k, "b", ww_pipeline_async_async(.stages = 2));
    ww_group_options options = {.mode = WW_FORK, .members = {a, b}};
    refused(k, ww_group_new(k, "g", &options),
            "group g: member b differs in producer_op, and one commit speaks for both");

    k = kernel_for(NULL, (ww_cluster){0});
    a = ring_of(k, "a", ww_pipeline_tma_async(.stages = 2));
    b = ring_of(k, "b", ww_pipeline_tma_async(.stages = 2, .producer_signaling = WW_SIGNAL_WARP_LEADER));
    options = (ww_group_options){.mode = WW_FORK, .members = {a, b}};
    refused(k, ww_group_new(k, "g", &options), "group g: member b differs in producer_signaling");

    k = kernel_for("sm_100a", (ww_cluster){.v = 2});
    a = ring_of(k, "a", ww_pipeline_tma_umma(.stages = 2));
    b = ring_of(k, "b", ww_pipeline_async_umma(.stages = 2, .consumer_signaling = WW_SIGNAL_ALL));
    options = (ww_group_options){.mode = WW_MERGE, .members = {a, b}};
    refused(k, ww_group_new(k, "g", &options), "group g: member b differs in consumer_signaling");

    k = kernel_for(NULL, (ww_cluster){0});
    a = ring_of(k, "a", ww_pipeline_async_async(.stages = 2, .producer_op = WW_ASYNC_LOAD));
    b = ring_of(k, "b", ww_pipeline_tma_async(.stages = 2, .producer_signaling = WW_SIGNAL_WARP_LEADER));
    options = (ww_group_options){.mode = WW_MERGE, .members = {a, b}};
    assert_int_equal(ww_group_new(k, "g", &options)->member_count, 2);
    assert_null(k->diags.first);
    ww_kernel_free(k);
}

static void test_too_many_members(void **state)
{
    (void)state;
    ww_kernel *k = kernel_for(NULL, (ww_cluster){0});
    ww_group_options options = {.mode = WW_MERGE};
    for (int i = 0; i <= WW_MAX_MEMBERS; i++)
        options.members[i] =
            ring_of(k, (const char[]){(char)('a' + i), 0}, ww_pipeline_async_async(.stages = 2));
    assert_int_equal(ww_group_new(k, "group", &options)->member_count, 0);
    assert_string_equal(core_find(k, WW_TOO_MANY)->message, "members of group group");
    options.members[WW_MAX_MEMBERS] = NULL;
    assert_int_equal(ww_group_new(k, "fits", &options)->member_count, WW_MAX_MEMBERS);
    ww_kernel_free(k);
}

/* What was checked stays as it was. */
static void test_no_group_after_the_check(void **state)
{
    (void)state;
    ww_kernel *k = kernel_for(NULL, (ww_cluster){0});
    ww_resource *a = ring_of(k, "a", ww_pipeline_async_async(.stages = 2));
    (void)ww_kernel_check(k);
    assert_int_equal(ww_group_new(k, "g", &(ww_group_options){.members = {a}})->member_count, 0);
    assert_null(a->in_group);
    assert_non_null(core_find(k, WW_CLOSED));
    ww_kernel_free(k);
}

/* A group that is refused leaves its members free for another (docs/coverage.md, Q13). */
static void test_a_refused_group_claims_nobody(void **state)
{
    (void)state;
    ww_kernel *k = kernel_for(NULL, (ww_cluster){0});
    ww_resource *a = ring_of(k, "a", ww_pipeline_async_async(.stages = 2));
    ww_resource *b = ring_of(k, "b", ww_pipeline_tma_async(.stages = 3));
    ww_resource *c = ring_of(k, "c", ww_pipeline_tma_async(.stages = 2));
    (void)ww_group_new(k, "bad", &(ww_group_options){.members = {a, b}});
    assert_null(a->in_group);
    ww_resource *good = ww_group_new(k, "good", &(ww_group_options){.members = {a, c}});
    assert_ptr_equal(a->in_group, good);
    ww_resource *again = ww_group_new(k, "again", &(ww_group_options){.members = {c}});
    assert_int_equal(again->member_count, 0);
    ww_kernel_free(k);
}

/* A fork's copies come once, whatever its members say; a merge's come one after the other (Q15). */
static void test_explicit_group_pipeline(void **state)
{
    (void)state;
    ww_kernel *k = kernel_for(NULL, (ww_cluster){0});
    ww_resource *a = ring_of(k, "a", ww_pipeline_tma_async(.stages = 2));
    ww_resource *b = ring_of(k, "b", ww_pipeline_tma_async(.stages = 2));
    ww_resource *g = ww_group_new(k, "g",
                                  &(ww_group_options){.mode = WW_FORK,
                                                      .members = {a, b},
                                                      .pipeline = {.type = WW_ASYNC_ASYNC, .stages = 4}});
    model_resolve(k);
    assert_string_equal(core_find(k, WW_GROUP)->message,
                        "group g: its pipeline has another type than its members");
    assert_int_equal(g->pipeline.type, WW_TMA_ASYNC);
    assert_int_equal(g->pipeline.stages, 2);
    ww_kernel_free(k);

    static const ww_pipeline options[] = {
        {.producer_op = WW_ASYNC_LOAD}, {.advance_on_wait = true}, {.stride = {.wait = 2}},
        {.multicast = WW_MULTICAST_M},  {.peer_shift = 1},         {.wait_signaling = WW_SIGNAL_ALL}};
    for (size_t i = 0; i < ARRAY_LEN(options); i++) {
        k = kernel_for(NULL, (ww_cluster){0});
        a = ring_of(k, "a", ww_pipeline_tma_async(.stages = 2));
        (void)ww_group_new(k, "g", &(ww_group_options){.members = {a}, .pipeline = options[i]});
        model_resolve(k);
        assert_non_null(strstr(core_find(k, WW_OPTION)->message, "belongs to the members' pipelines"));
        ww_kernel_free(k);
    }
}

/* ---- barriers and queues ------------------------------------------------------------------------------------- */

static void test_named_barriers(void **state)
{
    (void)state;
    ww_resource *barriers[16];
    ww_kernel *k = kernel_for(NULL, (ww_cluster){0});
    for (int i = 0; i < 15; i++)
        barriers[i] = ww_named_barrier_new(k, arena_printf(&k->arena, "b%d", i), 0);
    capture_complete(k);
    assert_null(k->diags.first);
    for (int i = 0; i < 15; i++)
        assert_int_equal(barriers[i]->barrier_id, i + 1);
    (void)ww_named_barrier_new(k, "late", 0);
    capture_complete(k);
    assert_string_equal(core_find(k, WW_TOO_MANY)->message, "named barrier late has no id left");
    (void)ww_named_barrier_new(k, "odd", 33);
    assert_string_equal(core_find(k, WW_BAD_VALUE)->message, "threads of named barrier odd");
    ww_kernel_free(k);
}

static void sync_by_warpgroup(ww_schedule *s, void *barrier)
{
    ww_sync(s, barrier);
}

/* Two warpgroups take two ids; what is declared after them gets the next. */
static void test_warpgroup_barriers(void **state)
{
    (void)state;
    ww_kernel *k = kernel_for(NULL, (ww_cluster){0});
    ww_resource *b = ww_warpgroup_barrier_new(k, "b"), *c = ww_named_barrier_new(k, "c", 0);
    ww_task_new(k, "t", &(ww_task_options){.warps = 8, .schedule = sync_by_warpgroup, .context = b});
    ir_program *p = core_lower(k);
    assert_int_equal(b->barrier_id, 1);
    assert_int_equal(c->barrier_id, 3);
    assert_int_equal(p->barriers.at[0].stages, 2);
    assert_int_equal(p->barriers.at[0].arrivals, 128);
    ww_kernel_free(k);
}

static void test_dynamic_queues(void **state)
{
    (void)state;
    ww_kernel *k = kernel_for("sm_90a", (ww_cluster){0});
    (void)ww_queue_clc(k, "q", NULL);
    assert_string_equal(core_find(k, WW_NEEDS_ARCH)->message,
                        "a CLC work queue needs cluster launch control, which sm_90a does not have");
    ww_resource *q = ww_queue_counter(k, "c", NULL);
    assert_string_equal(core_find(k, WW_BAD_NAME)->message, "counter of work queue c");
    assert_int_equal(q->pipeline.stages, 2);
    assert_int_equal(q->buffers[0].bytes, 16);
    ww_kernel_free(k);
    k = kernel_for("sm_90a", (ww_cluster){.k = 2});
    (void)ww_queue_static(k, "q", NULL);
    assert_string_equal(core_find(k, WW_BAD_CLUSTER)->message,
                        "work queue q: the cluster has an extent along k");
    ww_kernel_free(k);
    k = kernel_for("sm_100a", (ww_cluster){.n = 2});
    (void)ww_queue_clc(k, "q", &(ww_queue_options){.stages = 3});
    assert_null(k->diags.first);
    (void)ww_queue_static(k, "s", &(ww_queue_options){.stages = 3});
    assert_non_null(core_find(k, WW_OPTION));
    ww_kernel_free(k);
    k = kernel_for("sm_90a", (ww_cluster){0});
    (void)ww_queue_static(k, "s", &(ww_queue_options){.pipeline = {.stages = 3}});
    assert_non_null(core_find(k, WW_OPTION));
    (void)ww_queue_counter(k, "c",
                           &(ww_queue_options){.stages = 3, .counter = "n", .pipeline = {.stages = 2}});
    assert_string_equal(core_find(k, WW_BAD_VALUE)->message,
                        "work queue c: 3 stages, and its pipeline has 2");
    ww_kernel_free(k);
}

/* How far a queue fetches ahead is a number, wherever it is given; room does not decide it. */
static void test_queue_stages(void **state)
{
    (void)state;
    static const struct {
        int stages, in_pipeline;
        const char *found;
    } bad[] = {{WW_STAGES_MAX, 0, "WW_STAGES_MAX"},
               {0, WW_STAGES_MAX, "WW_STAGES_MAX"},
               {WW_STAGES_MAX, WW_STAGES_MAX, "WW_STAGES_MAX"},
               {-2, 0, "-2"},
               {WW_MAX_STAGES + 1, 0, "65"}};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        ww_kernel *k = kernel_for("sm_90a", (ww_cluster){0});
        const ww_resource *q = ww_queue_counter(
            k, "c",
            &(ww_queue_options){
                .counter = "n", .stages = bad[i].stages, .pipeline = {.stages = bad[i].in_pipeline}});
        const ww_diag *d = core_find(k, WW_BAD_VALUE);
        assert_string_equal(d->message, "stages of work queue c");
        assert_string_equal(d->expected, "1 to 64 tiles fetched ahead, or nothing for 2");
        assert_string_equal(d->found, bad[i].found);
        assert_null(d->next);
        assert_int_equal(q->pipeline.stages, 2);
        ww_kernel_free(k);
    }
    ww_kernel *k = kernel_for("sm_90a", (ww_cluster){0});
    const ww_resource *q =
        ww_queue_counter(k, "c", &(ww_queue_options){.counter = "n", .pipeline = {.stages = WW_MAX_STAGES}});
    assert_null(k->diags.first);
    assert_int_equal(q->pipeline.stages, WW_MAX_STAGES);
    ww_kernel_free(k);
}

/* Extents become members of the parameter struct, or numbers. */
static void test_queue_extents(void **state)
{
    (void)state;
    static const struct {
        ww_bound tiles;
        const char *found;
    } bad[] = {{{.kind = WW_BOUND_ARGUMENT}, "an argument without a name"},
               {{.kind = WW_BOUND_ARGUMENT, .name = ""}, "an argument without a name"},
               {{.kind = WW_BOUND_DEVICE, .name = "f"}, "a device function"},
               {{.kind = (ww_bound_kind)99, .name = "f"}, "no kind of bound"}};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        ww_kernel *k = kernel_for(NULL, (ww_cluster){0});
        (void)ww_queue_static(k, "q", &(ww_queue_options){.tiles = {bad[i].tiles}});
        assert_string_equal(core_find(k, WW_BAD_VALUE)->message, "extents of work queue q");
        assert_string_equal(core_find(k, WW_BAD_VALUE)->found, bad[i].found);
        ww_kernel_free(k);
    }
    ww_kernel *k = kernel_for(NULL, (ww_cluster){0});
    (void)ww_queue_static(k, "q", &(ww_queue_options){.skip = ""});
    assert_string_equal(core_find(k, WW_BAD_NAME)->message, "work queue q: its skip predicate has no name");
    ww_kernel_free(k);
}

/* ---- memory --------------------------------------------------------------------------------------------------- */

/* Sub-byte elements take whole bytes (docs/coverage.md, Q16); swizzled tiles start where the pattern does. */
static void test_buffers(void **state)
{
    (void)state;
    assert_int_equal(WW_BYTES(3, 4), 2);
    assert_int_equal(WW_BYTES(256, 4), 128);
    ww_kernel *k = kernel_for("sm_100a", (ww_cluster){0});
    ww_resource *r = ww_resource_new(
        k, "r",
        &(ww_resource_options){.buffers = {{.name = "a", .bytes = 64, .swizzle = WW_SWIZZLE_128B},
                                           {.name = "b", .bytes = 64, .swizzle = WW_SWIZZLE_64B},
                                           {.name = "c", .bytes = 64, .swizzle = WW_SWIZZLE_32B},
                                           {.name = "d", .bytes = 64}}});
    assert_int_equal(r->buffers[0].align, 1024);
    assert_int_equal(r->buffers[1].align, 512);
    assert_int_equal(r->buffers[2].align, 256);
    assert_int_equal(r->buffers[3].align, 128);
    assert_null(k->diags.first);
    (void)ww_resource_new(
        k, "s",
        &(ww_resource_options){
            .buffers = {{.name = "a", .bytes = 64, .align = 128, .swizzle = WW_SWIZZLE_128B}}});
    assert_string_equal(core_find(k, WW_BAD_VALUE)->message,
                        "alignment of the swizzled buffer a of resource s");
    (void)ww_resource_new(k, "t", &(ww_resource_options){.tmem = {{"acc", 513}}});
    ww_kernel_free(k);
    k = kernel_for("sm_90a", (ww_cluster){0});
    (void)ww_resource_new(k, "t", &(ww_resource_options){.tmem = {{"acc", 32}}});
    assert_string_equal(
        core_find(k, WW_NEEDS_ARCH)->message,
        "resource t: tensor memory needs tcgen05 and tensor memory, which sm_90a does not have");
    ww_kernel_free(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_targets),
        cmocka_unit_test(test_clusters),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_members_share_what_they_share),
        cmocka_unit_test(test_too_many_members),
        cmocka_unit_test(test_no_group_after_the_check),
        cmocka_unit_test(test_queue_extents),
        cmocka_unit_test(test_a_refused_group_claims_nobody),
        cmocka_unit_test(test_explicit_group_pipeline),
        cmocka_unit_test(test_named_barriers),
        cmocka_unit_test(test_warpgroup_barriers),
        cmocka_unit_test(test_dynamic_queues),
        cmocka_unit_test(test_queue_stages),
        cmocka_unit_test(test_buffers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
