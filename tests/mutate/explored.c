/* The explorer on small instances of a mutant: every interleaving, state by state. */
#include "mutate.h"
#include "prove/explore.h"

enum { MOST_STATES = 15000, MOST_AGENTS = 8, MORE_TRIPS = 6 };

/* Warps that run, over the cluster: interleavings of many of them are beyond any limit. */
static int agents_of(const ir_program *p)
{
    int agents = 0;
    for (size_t t = 0; t < p->tasks.len; t++)
        if (p->tasks.at[t].ops.len)
            agents += p->tasks.at[t].warps * (p->tasks.at[t].only_cta < 0 ? p->cluster_size : 1);
    return agents;
}

typedef struct looked {
    int clean, too_large;
    bool fault;
} looked;

static void look(looked *l, ww_kernel *k, explore_values v)
{
    explore_result r = explore_program(k, k->program, v, (explore_options){MOST_STATES, true});
    l->fault |= !explore_clean(&r);
    l->too_large += r.capped;
    l->clean += !r.capped;
}

/* Of those trips: all numbers of tiles, all ways to skip all but the last. */
static void look_at_tiles(looked *l, ww_kernel *k, int trips, int tiles)
{
    for (int t = 1; t <= tiles && !l->fault; t++)
        for (unsigned skipped = 0; skipped < 1u << (t - 1) && !l->fault; skipped++)
            look(l, k, (explore_values){trips, trips > 1 ? trips : 1, t, skipped, {t > 1 ? 5 : 0}});
}

explored explore_accepted(ww_kernel *k)
{
    int least = explore_trips(k->program, true);
    looked l = {0};
    if (agents_of(k->program) > MOST_AGENTS)
        return EXPLORED_TOO_LARGE;
    for (int trips = least; trips <= least + 2 && !l.fault; trips++) {
        int before = l.clean;
        look_at_tiles(&l, k, trips, 2);
        if (l.clean == before)
            break; /* larger ones are out of reach, too */
    }
    return l.fault ? EXPLORED_FAULT : l.clean ? EXPLORED_CLEAN : EXPLORED_TOO_LARGE;
}

explored explore_refuted(ww_kernel *k)
{
    int least = explore_trips(k->program, false);
    looked l = {0};
    if (agents_of(k->program) > MOST_AGENTS)
        return EXPLORED_TOO_LARGE;
    for (int trips = least; trips <= least + MORE_TRIPS && !l.fault && l.too_large < 4; trips++)
        look_at_tiles(&l, k, trips, 3);
    return l.fault ? EXPLORED_FAULT : l.too_large ? EXPLORED_TOO_LARGE : EXPLORED_CLEAN;
}
