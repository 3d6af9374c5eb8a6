/* The prover's face: plan, search, verdict. */
#include "prove/prove.h"
#include "prove/witness.h"

#include <stdio.h>

static void set_covered(ww_verdict *v, const plan *p, const steady_result *result)
{
    text covered = {0};
    witness_covered(p, result, &covered);
    (void)snprintf(v->covered, sizeof v->covered, "%s", text_str(&covered));
    text_free(&covered);
}

/* The attempts, in order. Nearly every kernel is settled by the first. What is found on its short cuts need not be real; then
 * the second looks at each configuration. Where many configurations have to be told apart (deep rings under bounds that
 * differ from tile to tile), or immediate loops are very long, a loose search has much less to do; if it cannot prove the
 * program, the exact one goes on for longer. Only exact searches refute. */
typedef struct attempt {
    bool loose;
    int descends; /* see steady_search. Rings of up to 3 stages are sooner followed to their end */
    bool again;   /* only if the one before took a short cut */
    size_t most_nodes;
    uint64_t most_events;
} attempt;

static const attempt attempts[] = {
    {.descends = 4, .most_nodes = 500, .most_events = UINT64_C(5000000)},
    {.again = true, .most_nodes = 500, .most_events = UINT64_C(5000000)},
    {.loose = true, .most_nodes = 5000, .most_events = UINT64_C(20000000)},
    {.most_nodes = 2000, .most_events = UINT64_C(20000000)},
};

/* True when the verdict stands. */
static bool search(ww_verdict *v, const plan *p, const attempt *a, bool *shortened)
{
    machine m;
    steady_result result;
    machine_init(&m, p);
    m.most_events = a->most_events;
    steady_search(&m, a->descends, a->most_nodes, &result);
    v->proved = result.finished;
    v->events += result.events;
    v->runs += result.runs;
    v->configurations += result.nodes;
    v->period = (uint32_t)result.period;
    bool complete = result.entangled < 0 && !result.too_long;
    bool last = a == &attempts[ARRAY_LEN(attempts) - 1];
    *shortened = result.descents || result.unsure;
    bool refuted = !p->loose && !*shortened && !result.finished && (complete || last);
    if (v->proved)
        set_covered(v, p, &result);
    else if (refuted) {
        v->refutation = witness_of(&m, &result);
        v->witness = witness_events(&m, &result, v->refutation);
    }
    vec_free(&result.path);
    machine_free(&m);
    return v->proved || refuted;
}

ww_verdict prove_program(ww_kernel *k, const ir_program *program)
{
    double start = clock_ms();
    ww_verdict v = {.proved = false};
    bool settled = false, shortened = false;
    for (size_t i = 0; i < ARRAY_LEN(attempts) && !settled; i++) {
        if (attempts[i].again && !shortened)
            continue;
        const plan *p = plan_new(k, program, attempts[i].loose);
        v.refutation = p->unprovable;
        settled = p->unprovable || search(&v, p, &attempts[i], &shortened);
    }
    v.milliseconds = clock_ms() - start;
    return v;
}
