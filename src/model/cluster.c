/* Who is who in a cluster: rank = v + V * (m + M * (n + N * k)), and which ranks a protocol's destinations mean. */
#include "model/model.h"

typedef struct position {
    int v, m, n, k;
} position;

/* Extents with zeros read as 1. */
static position extents(const ww_cluster *c)
{
    return (position){c->v > 1 ? c->v : 1, c->m > 1 ? c->m : 1, c->n > 1 ? c->n : 1, c->k > 1 ? c->k : 1};
}

static position position_of(const ww_cluster *c, int rank)
{
    position e = extents(c);
    return (position){rank % e.v, rank / e.v % e.m, rank / (e.v * e.m) % e.n, rank / (e.v * e.m * e.n)};
}

int model_cluster_size(const ww_cluster *c)
{
    position e = extents(c);
    return e.v * e.m * e.n * e.k;
}

/* The ranks for which `same` holds with the position of `rank`. */
static uint32_t ranks_where(const ww_cluster *c, int rank, bool (*same)(position mine, position other))
{
    uint32_t mask = 0;
    for (int other = 0; other < model_cluster_size(c); other++)
        if (same(position_of(c, rank), position_of(c, other)))
            mask |= 1u << other;
    return mask;
}

static bool shares_mma(position a, position b)
{
    return a.m == b.m && a.n == b.n && a.k == b.k;
}

static bool shares_a(position a, position b)
{
    return a.v == b.v && a.m == b.m && a.k == b.k;
}

static bool shares_b(position a, position b)
{
    return a.v == b.v && a.n == b.n && a.k == b.k;
}

uint32_t model_reach(const ww_cluster *c, ww_reach reach, int rank)
{
    if (reach == WW_REACH_OWN)
        return 1u << rank;
    return ranks_where(c, rank, reach == WW_REACH_A ? shares_a : shares_b);
}

/* Those whose copies land in my buffers. With V > 1 the consumer's MMA reads the buffers of its V CTAs, so their peers
 * count too (resources shared along m or n by either CTA of the pair). */
static uint32_t peers(const ww_cluster *c, const ww_pipeline *p, int rank)
{
    bool pairs = model_protocol_of(p->type)->consumer == MODEL_UMMA;
    uint32_t mine = pairs ? ranks_where(c, rank, shares_mma) : 1u << rank, mask = 0;
    for (int i = 0; i < model_cluster_size(c); i++) {
        if (!(mine >> i & 1))
            continue;
        mask |= 1u << i;
        if (p->multicast == WW_MULTICAST_M || p->multicast == WW_MULTICAST_MN)
            mask |= ranks_where(c, i, shares_a);
        if (p->multicast == WW_MULTICAST_N || p->multicast == WW_MULTICAST_MN)
            mask |= ranks_where(c, i, shares_b);
    }
    return mask;
}

static int shifted(const ww_cluster *c, const ww_pipeline *p, int rank, int sign)
{
    int size = model_cluster_size(c), shift = (p->peer_shift ? p->peer_shift : 1) % size;
    return (rank + sign * shift + size) % size;
}

uint32_t model_targets(const ww_cluster *c, model_to to, const ww_pipeline *p, int rank)
{
    switch (to) {
    case MODEL_TO_OWN: return 1u << rank;
    case MODEL_TO_LEADER: return 1u << (rank / extents(c).v * extents(c).v);
    case MODEL_TO_PAIR: return ranks_where(c, rank, shares_mma);
    case MODEL_TO_PEERS: return peers(c, p, rank);
    case MODEL_TO_FIRST: return 1u;
    case MODEL_TO_EVERY: return (1u << model_cluster_size(c)) - 1;
    case MODEL_TO_NEXT: return 1u << shifted(c, p, rank, 1);
    case MODEL_TO_PREVIOUS: return 1u << shifted(c, p, rank, -1);
    }
    return 1u << rank;
}

bool model_gate_open(const ww_cluster *c, model_gate gate, int rank)
{
    return gate == MODEL_EVERYWHERE || (gate == MODEL_LEADERS ? rank % extents(c).v == 0 : rank == 0);
}
