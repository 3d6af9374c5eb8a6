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

static bool clean_at(ww_kernel *k, explore_values values, int *looked_at)
{
    explore_result r = explore_program(k, k->program, values, (explore_options){MOST_STATES, true});
    *looked_at += !r.capped;
    return r.capped || explore_clean(&r);
}

bool explored_clean(ww_kernel *k, bool *capped)
{
    static const unsigned skipped[] = {0, 1, 2};
    int least = explore_least_trips(k->program), looked_at = 0;
    bool clean = true;
    *capped = agents_of(k->program) > MOST_AGENTS;
    if (*capped)
        return true;
    for (int trips = least; clean && trips <= least + 2; trips++)
        for (size_t s = 0; clean && s < ARRAY_LEN(skipped); s++) {
            explore_values v = {trips, trips > 1 ? trips : 1, s ? 2 : 1, skipped[s], {s ? 5 : 0}};
            int before = looked_at;
            clean = clean_at(k, v, &looked_at);
            if (looked_at == before)
                trips = least + 3; /* larger ones are out of reach, too */
        }
    *capped = clean && looked_at == 0;
    return clean;
}
