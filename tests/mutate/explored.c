/* The explorer on small instances of a mutant: every interleaving, state by state. */
#include "mutate.h"
#include "prove/explore.h"

enum { MOST_STATES = 15000, MOST_AGENTS = 8 };

static int greatest_minimum(const ir_program *p)
{
    int most = 0;
    for (size_t t = 0; t < p->tasks.len; t++)
        for (size_t i = 0; i < p->tasks.at[t].ops.len; i++) {
            const ir_op *op = &p->tasks.at[t].ops.at[i];
            const ww_bound *bounds[] = {&op->start, &op->end, &op->stride};
            for (int b = 0; op->kind == IR_LOOP && b < 3; b++)
                if (bounds[b]->kind != WW_BOUND_IMMEDIATE && bounds[b]->min > most)
                    most = bounds[b]->min;
        }
    return most;
}

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
    explore_result r = explore_program(k, k->program, values, MOST_STATES);
    *looked_at += !r.capped;
    return r.capped || explore_clean(&r);
}

bool explored_clean(ww_kernel *k, bool *capped)
{
    static const unsigned skipped[] = {0, 1, 2};
    int least = greatest_minimum(k->program), looked_at = 0;
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
