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

/* The attempts, in order. Nearly every kernel is settled by the first. Where many configurations have to be told apart
 * (deep rings under bounds that differ from tile to tile) a loose search finds few of them; if it cannot prove the
 * program, the exact one goes on for longer. Only exact searches refute. */
typedef struct attempt {
    bool loose;
    size_t most_nodes;
} attempt;

static const attempt attempts[] = {{false, 1000}, {true, 5000}, {false, 20000}};

/* True when the verdict stands. */
static bool search(ww_verdict *v, const plan *p, size_t most_nodes, bool last)
{
    machine m;
    steady_result result;
    machine_init(&m, p);
    steady_search(&m, most_nodes, &result);
    v->proved = result.finished;
    v->events += result.events;
    v->runs += result.runs;
    v->period = (uint32_t)result.period;
    bool refuted = !p->loose && !result.finished && (result.entangled < 0 || last);
    if (v->proved)
        set_covered(v, p, &result);
    else if (refuted)
        v->refutation = witness_of(&m, &result);
    vec_free(&result.path);
    machine_free(&m);
    return v->proved || refuted;
}

ww_verdict prove_program(ww_kernel *k, const ir_program *program)
{
    double start = clock_ms();
    ww_verdict v = {.proved = false};
    bool settled = false;
    for (size_t i = 0; i < ARRAY_LEN(attempts) && !settled; i++) {
        const plan *p = plan_new(k, program, attempts[i].loose);
        v.refutation = p->unprovable;
        settled = p->unprovable || search(&v, p, attempts[i].most_nodes, i + 1 == ARRAY_LEN(attempts));
    }
    v.milliseconds = clock_ms() - start;
    return v;
}
