/* The explorer on small instances of a mutant: every interleaving, state by state. */
#include "mutate.h"
#include "prove/explore.h"

enum { MOST_STATES = 15000, MOST_AGENTS = 8 };

/* Warps that run, over the cluster: interleavings of many of them are beyond any limit. */
static int agents_of(const ir_program *p)
{
    int agents = 0;
    for (size_t t = 0; t < p->tasks.len; t++)
        if (p->tasks.at[t].ops.len)
            agents += p->tasks.at[t].warps * (p->tasks.at[t].only_cta < 0 ? p->cluster_size : 1);
    return agents;
}

/* Small instances, smallest first: those of the same trips with all tiles and skipped ones. */
explored explore_instances(ww_kernel *k, int more_trips, int tiles)
{
    int least = explore_least_trips(k->program), decided = 0;
    if (agents_of(k->program) > MOST_AGENTS)
        return EXPLORED_TOO_LARGE;
    for (int trips = least; trips <= least + more_trips; trips++) {
        int before = decided;
        for (int t = 1; t <= tiles; t++)
            for (unsigned skipped = 0; skipped < 1u << (t - 1); skipped++) {
                explore_values v = {trips, trips > 1 ? trips : 1, t, skipped, {t > 1 ? 5 : 0}};
                explore_result r = explore_program(k, k->program, v, (explore_options){MOST_STATES, true});
                if (!explore_clean(&r))
                    return EXPLORED_FAULT;
                decided += !r.capped;
            }
        if (decided == before)
            break; /* larger ones are out of reach, too */
    }
    return decided ? EXPLORED_CLEAN : EXPLORED_TOO_LARGE;
}
