/* combination: the dimensions, their values, and what is declared at a point of the matrix. */
#include "matrix.h"

#include <stddef.h>

static const struct {
    const char *name;
    ww_cluster cluster;
} clusters[] = {{"1 CTA", {1, 1, 1, 1}},
                {"pair (2,1,1,1)", {2, 1, 1, 1}},
                {"cluster (1,2,1,1)", {1, 2, 1, 1}},
                {"cluster (1,2,2,1)", {1, 2, 2, 1}},
                {"cluster (2,2,1,1)", {2, 2, 1, 1}}};

static const struct {
    const char *name;
    bool a, b;
    ww_multicast member;
} reaches[] = {{"own copies", false, false, WW_MULTICAST_AUTO},
               {"A multicast", true, false, WW_MULTICAST_M},
               {"B multicast", false, true, WW_MULTICAST_N},
               {"A, B multicast", true, true, WW_MULTICAST_MN}};

enum {
    BOTH_LEADERS = WW_SIGNAL_CTA_LEADER | WW_SIGNAL_WARP_LEADER,
    ALL_AND_LEADER = WW_SIGNAL_ALL | WW_SIGNAL_CTA_LEADER
};

static const struct {
    const char *name;
    int value;
} producers[] = {{"default", WW_SIGNAL_DEFAULT},           {"ALL", WW_SIGNAL_ALL},
                 {"CTA_LEADER", WW_SIGNAL_CTA_LEADER},     {"WARP_LEADER", WW_SIGNAL_WARP_LEADER},
                 {"CTA_LEADER|WARP_LEADER", BOTH_LEADERS}, {"ALL|CTA_LEADER", ALL_AND_LEADER}},
  consumers[] = {{"default", WW_SIGNAL_DEFAULT},
                 {"ALL", WW_SIGNAL_ALL},
                 {"CTA_LEADER", WW_SIGNAL_CTA_LEADER},
                 {"WARP_LEADER", WW_SIGNAL_WARP_LEADER}};

static const struct {
    const char *name;
    ww_stride stride;
} strides[] = {{"stride 1", {0}},
               {"stride 2", {.all = 2}},
               {"stride 4", {.all = 4}},
               {"stride 3", {.all = 3}},
               {"stride -1", {.all = -1}},
               {"stride 2 in", {.acquire = 2, .commit = 2}},
               {"stride 2 out", {.wait = 2, .release = 2}},
               {"strides 2, 1 in", {.acquire = 2, .commit = 1}},
               {"strides 1, 2 out", {.wait = 1, .release = 2}}};

static const struct {
    const char *name;
    bool on_wait, on_acquire;
} aheads[] = {{"no look-ahead", false, false},
              {"wait ahead", true, false},
              {"acquire ahead", false, true},
              {"both ahead", true, true}};

static const char *const operations[] = {"THREAD", "LOAD"};
static const int stages[] = {1, 2, 3, 8};

static const char *const archs[] = {
#define WW_ARCH(name, smem_bytes, features) name,
#include "warpwright/archs.def"
#undef WW_ARCH
};

int matrix_extent(dimension d)
{
    static const int extents[] = {[KIND] = KINDS,
                                  [CLUSTER] = ARRAY_LEN(clusters),
                                  [REACH] = ARRAY_LEN(reaches),
                                  [PRODUCER] = ARRAY_LEN(producers),
                                  [CONSUMER] = ARRAY_LEN(consumers),
                                  [STRIDE] = ARRAY_LEN(strides),
                                  [OPERATION] = ARRAY_LEN(operations),
                                  [AHEAD] = ARRAY_LEN(aheads),
                                  [STAGES] = ARRAY_LEN(stages),
                                  [ARCH] = ARRAY_LEN(archs)};
    return extents[d];
}

uint32_t matrix_size(void)
{
    uint32_t size = 1;
    for (int d = 0; d < DIMENSIONS; d++)
        size *= (uint32_t)matrix_extent((dimension)d);
    return size;
}

combination matrix_at(uint32_t index)
{
    combination c;
    for (int d = 0; d < DIMENSIONS; d++) {
        uint32_t extent = (uint32_t)matrix_extent((dimension)d);
        c.at[d] = (unsigned char)(index % extent);
        index /= extent;
    }
    return c;
}

static ww_pipeline_type type_of(const combination *c)
{
    return c->at[KIND] == KIND_COUNTER ? WW_CLC_FETCH_ASYNC : (ww_pipeline_type)(c->at[KIND] + 1);
}

void matrix_text(const combination *c, text *out)
{
    text_printf(out, "%s%s, %s, %s, producer %s, consumer %s, %s, %s, %s, %d stage%s, %s",
                type_label(type_of(c)), c->at[KIND] == KIND_COUNTER ? " by counter" : "",
                clusters[c->at[CLUSTER]].name, reaches[c->at[REACH]].name, producers[c->at[PRODUCER]].name,
                consumers[c->at[CONSUMER]].name, strides[c->at[STRIDE]].name, operations[c->at[OPERATION]],
                aheads[c->at[AHEAD]].name, stages[c->at[STAGES]], stages[c->at[STAGES]] > 1 ? "s" : "",
                archs[c->at[ARCH]]);
}

form matrix_form(const combination *c)
{
    form f = {.arch = archs[c->at[ARCH]],
              .cluster = clusters[c->at[CLUSTER]].cluster,
              .share_a = reaches[c->at[REACH]].a,
              .share_b = reaches[c->at[REACH]].b,
              .counter = c->at[KIND] == KIND_COUNTER};
    f.pipeline = (ww_pipeline){.type = type_of(c),
                               .stages = stages[c->at[STAGES]],
                               .producer_signaling = (ww_signaling)producers[c->at[PRODUCER]].value,
                               .consumer_signaling = (ww_signaling)consumers[c->at[CONSUMER]].value,
                               .producer_op = (ww_producer_op)c->at[OPERATION],
                               .advance_on_wait = aheads[c->at[AHEAD]].on_wait,
                               .advance_on_acquire = aheads[c->at[AHEAD]].on_acquire,
                               .stride = strides[c->at[STRIDE]].stride};
    if (!type_offers(f.pipeline.type, OFFERS_MULTICAST)) /* where copies do not say it, the member does */
        f.pipeline.multicast = reaches[c->at[REACH]].member;
    return f;
}

int form_cluster_size(const form *f)
{
    return f->cluster.v * f->cluster.m * f->cluster.n * f->cluster.k;
}
