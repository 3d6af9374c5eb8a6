/* Buffers without a pipeline are shared by the warps of a task. Which bytes of such a buffer one warp touches is said by
 * the work rows (ww_part), and what is not said is taken differently towards engines and towards threads: an engine may
 * take in, or overwrite, what any warp of the task has written; what threads do to each other's bytes is the business of
 * their bodies. */
#include "prove/plan.h"

plan_doing plan_doing_of(ir_effect_kind kind)
{
    static const plan_doing doings[] = {
        [IR_READ] = PLAN_READING,       [IR_WRITE] = PLAN_WRITING,    [IR_COPY_IN] = PLAN_BULK,
        [IR_LOAD_IN] = PLAN_BULK,       [IR_WGMMA_READ] = PLAN_WGMMA, [IR_UMMA_READ] = PLAN_TCGEN05,
        [IR_UMMA_WRITE] = PLAN_TCGEN05, [IR_BULK_READ] = PLAN_BULK};
    return doings[kind];
}

static bool by_threads(plan_doing doing)
{
    return doing == PLAN_READING || doing == PLAN_WRITING;
}

/* How far one warp reaches, towards threads and towards engines; 0: it does nothing of the kind. */
typedef uint8_t reaches[PLAN_DOINGS][2];

static void note_reach(reaches widest, const ir_effect *e)
{
    static const plan_reach declared[] = {[WW_PART_ALL] = PLAN_REACH_ALL,
                                          [WW_PART_WARPGROUP] = PLAN_REACH_WARPGROUP,
                                          [WW_PART_WARP] = PLAN_REACH_WARP};
    plan_doing doing = plan_doing_of(e->kind);
    for (int to_engine = 0; to_engine < 2; to_engine++) {
        bool threads = by_threads(doing) && !to_engine;
        plan_reach unknown = threads ? PLAN_REACH_WARP : PLAN_REACH_ALL;
        plan_reach r = e->part != WW_PART_UNKNOWN ? declared[e->part] : unknown;
        uint8_t *most = &widest[doing][to_engine];
        *most = *most > r ? *most : (uint8_t)r;
    }
}

static void find_parts(plan *p, int buffer, int task)
{
    reaches widest = {{0}};
    const plan_task *t = &p->tasks[task];
    for (int i = 0; i < t->count; i++)
        for (int n = 0; n < t->ops[i].op->effect_count; n++)
            if (t->ops[i].op->effects[n].buffer == buffer)
                note_reach(widest, &t->ops[i].op->effects[n]);
    for (int a = 0; a < PLAN_DOINGS; a++)
        for (int b = 0; b < PLAN_DOINGS; b++) {
            bool engine = !by_threads((plan_doing)a) || !by_threads((plan_doing)b);
            uint8_t mine = widest[a][engine], theirs = widest[b][engine];
            *plan_reach_at(p, buffer, task, (plan_doing)a, (plan_doing)b) = mine > theirs ? mine : theirs;
        }
}

void plan_find_parts(plan *p)
{
    size_t tasks = p->program->tasks.len, buffers = p->program->buffers.len;
    p->parts = arena_array(&p->kernel->arena, uint8_t, buffers * tasks * PLAN_DOINGS * PLAN_DOINGS + 1);
    for (size_t b = 0; b < buffers; b++)
        for (size_t t = 0; t < tasks; t++)
            find_parts(p, (int)b, (int)t);
}
