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
    v->events += result.events;
    v->runs += result.runs;
    v->period = (uint32_t)result.period;
    if (v->proved)
        set_covered(v, p, &result);
    else if (!p->loose)
        v->refutation = witness_of(&m, &result);
    vec_free(&result.path);
    machine_free(&m);
}

/* The loose plan first. What it does not prove is looked at again, exactly; only that can refute. */
ww_verdict prove_program(ww_kernel *k, const ir_program *program)
{
    double start = clock_ms();
    ww_verdict v = {.proved = false};
    for (int loose = 1; loose >= 0 && !v.proved && !v.refutation; loose--) {
        const plan *p = plan_new(k, program, loose);
        if (p->unprovable)
            v.refutation = p->unprovable;
        else
            search(&v, p);
    }
    v.milliseconds = clock_ms() - start;
    return v;
}
