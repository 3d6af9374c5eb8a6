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

static void search(ww_verdict *v, const plan *p)
{
    machine m;
    steady_result result;
    machine_init(&m, p);
    steady_search(&m, &result);
    v->proved = result.finished;
    v->events = result.events;
    v->runs = result.runs;
    v->period = (uint32_t)result.period;
    if (v->proved)
        set_covered(v, p, &result);
    else
        v->refutation = witness_of(&m, &result);
    vec_free(&result.path);
    machine_free(&m);
}

ww_verdict prove_program(ww_kernel *k, const ir_program *program)
{
    double start = clock_ms();
    ww_verdict v = {.proved = false};
    const plan *p = plan_new(k, program);
    if (p->unprovable)
        v.refutation = p->unprovable;
    else
        search(&v, p);
    v.milliseconds = clock_ms() - start;
    return v;
}
