/* Probes: a try_acquire or try_wait is worth something only if the acquire or wait that follows uses its
 * answer, or a later probe asks the same again and that one's answer is used. */
#include "verify/rules.h"

/* State: word[s] is the probe whose answer status variable s holds, plus 1. Statuses past the words are not
 * tracked. */
typedef struct probes {
    bool *used;   /* by operation */
    int *repeats; /* by operation: a later probe that asks again before anybody used the answer; 0: none */
} probes;

static bool probe_step(path_walk *w, int op, path_state *s)
{
    const ir_op *o = &w->task->ops.at[op];
    probes *found = w->rule;
    if (o->status < 0 || o->status >= PATH_WORDS)
        return true;
    uint32_t *held = &s->word[o->status];
    if (o->kind == IR_WAIT && *held)
        found->used[*held - 1] = true;
    if (o->kind == IR_PROBE && *held && (int)*held - 1 < op)
        found->repeats[*held - 1] = op;
    *held = o->kind == IR_PROBE ? (uint32_t)op + 1 : 0;
    return true;
}

/* Repeats come later in the program, so a look from the end on sees their answers first. */
static void use_repeated(probes *found, size_t ops)
{
    for (size_t op = ops; op-- > 0;)
        found->used[op] |= found->repeats[op] && found->used[found->repeats[op]];
}

static void report(const rule_run *run, const ir_task *t, const ir_op *op)
{
    const char *probe = capture_verb_name((ww_verb)op->verb);
    const char *verb = op->verb == WW_TRY_ACQUIRE ? "acquire" : "wait";
    const char *name = rule_resource(run, op->resource)->name;
    ww_diag *d = rule_finding(run, WW_DANGLING_TRY, op->place, ON({t}, {rule_resource(run, op->resource)}),
                              "task %s: nothing uses the answer of %s(%s)", t->name, probe, name);
    diag_expected(run->diags, d, "%s(%s) after it, for the same slot", verb, name);
    diag_found(run->diags, d, "no %s(%s) that this probe comes before", verb, name);
    diag_hint(run->diags, d, "remove the probe, or add ww_%s(s, %s) after it", verb, name);
}

void verify_probes(const rule_run *run)
{
    for (size_t i = 0; i < run->program->tasks.len; i++) {
        const ir_task *t = &run->program->tasks.at[i];
        if (!t->status_count)
            continue;
        arena memory = {0};
        probes found = {arena_array(&memory, bool, t->ops.len), arena_array(&memory, int, t->ops.len)};
        path_walk w = {.program = run->program, .task = t, .step = probe_step, .rule = &found};
        paths_walk(&w, (path_state){.word = {0}});
        use_repeated(&found, t->ops.len);
        for (size_t op = 0; op < t->ops.len; op++)
            if (t->ops.at[op].kind == IR_PROBE && t->ops.at[op].status < PATH_WORDS && !found.used[op] &&
                !found.repeats[op]) /* of several that ask the same, the last is told of */
                report(run, t, &t->ops.at[op]);
        arena_free(&memory);
    }
}
