/* Conditions: blocks of equal key see equal values, so the values are made at the same place: all once a tile, or all
 * once a trip of a domain loop. */
#include "verify/rules.h"

typedef enum depth { ONCE, EACH_TILE, EACH_TRIP } depth;

static const char *const depths[] = {
    [ONCE] = "once", [EACH_TILE] = "once a tile", [EACH_TRIP] = "once a trip of a domain loop"};

static depth depth_of(const ir_task *t, int op)
{
    depth d = ONCE;
    for (int i = 0; i < op; i++) {
        if (t->ops.at[i].match <= op)
            continue;
        if (t->ops.at[i].kind == IR_LOOP)
            return EACH_TRIP;
        if (t->ops.at[i].kind == IR_TILE_LOOP)
            d = EACH_TILE;
    }
    return d;
}

typedef struct condition {
    const ir_task *task;
    const ir_op *guard;
} condition;

static depth made_at(const condition *c)
{
    return depth_of(c->task, c->task->values.at[c->guard->condition].producer);
}

static bool is_condition(const ir_op *op)
{
    return op->kind == IR_GUARD && (op->guard == IR_GUARD_TRUE || op->guard == IR_GUARD_FALSE) &&
           op->condition >= 0;
}

static void report(const rule_run *run, const condition *first, const condition *other)
{
    const char *key = other->task->task->schedule->steps.at[other->guard->step].key;
    ww_diag *d = rule_finding(run, WW_CONDITION, other->guard->place, ON({first->task, other->task}),
                              "task %s: a condition of key \"%s\" is made at another place than in task %s",
                              other->task->name, key, first->task->name);
    diag_expected(run->diags, d, "a value that is made %s", depths[made_at(first)]);
    diag_found(run->diags, d, "one that is made %s", depths[made_at(other)]);
    diag_hint(run->diags, d, "a key of its own, or make both values at the same place");
    diag_related(run->diags, d, first->guard->place, "the other block of that key");
}

static void check_key(const rule_run *run, int key)
{
    condition first = {0};
    for (size_t i = 0; i < run->program->tasks.len; i++)
        for (size_t j = 0; j < run->program->tasks.at[i].ops.len; j++) {
            condition c = {&run->program->tasks.at[i], &run->program->tasks.at[i].ops.at[j]};
            if (!is_condition(c.guard) || c.guard->key != key)
                continue;
            if (first.guard && made_at(&first) != made_at(&c)) {
                report(run, &first, &c);
                return;
            }
            first = first.guard ? first : c;
        }
}

void verify_conditions(const rule_run *run)
{
    for (int key = 0; key < run->program->keys; key++)
        check_key(run, key);
}
