/* Buffers without a pipeline are shared by the warps of a task. Which bytes of such a buffer one warp touches is said by
 * the work rows (ww_part), and what is not said is taken differently towards engines and towards threads: an engine may
 * take in, or overwrite, what any warp of the task has written; what threads do to each other's bytes is the business of
 * their bodies. */
#include "prove/plan.h"

enum { WARPGROUP_WARPS = 4 };

/* How far one warp reaches; 0: it does nothing of the kind. */
typedef enum reach { REACH_WARP = 1, REACH_WARPGROUP, REACH_ALL } reach;

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

static uint8_t *reach_at(const plan *p, int buffer, int task, plan_doing doing, bool to_engine)
{
    size_t tasks = p->program->tasks.len;
    return &p->parts[(((size_t)buffer * tasks + (size_t)task) * PLAN_DOINGS + (size_t)doing) * 2 + to_engine];
}

static void note_reach(const plan *p, int task, const ir_effect *e)
{
    static const reach reaches[] = {
        [WW_PART_ALL] = REACH_ALL, [WW_PART_WARPGROUP] = REACH_WARPGROUP, [WW_PART_WARP] = REACH_WARP};
    plan_doing doing = plan_doing_of(e->kind);
    for (int to_engine = 0; to_engine < 2; to_engine++) {
        bool threads = by_threads(doing) && !to_engine;
        reach r = e->part != WW_PART_UNKNOWN ? reaches[e->part] : threads ? REACH_WARP : REACH_ALL;
        uint8_t *widest = reach_at(p, e->buffer, task, doing, to_engine);
        *widest = *widest > r ? *widest : (uint8_t)r;
    }
}

void plan_find_parts(plan *p)
{
    size_t tasks = p->program->tasks.len, buffers = p->program->buffers.len;
    p->parts = arena_array(&p->kernel->arena, uint8_t, buffers * tasks * PLAN_DOINGS * 2 + 1);
    for (size_t i = 0; i < tasks; i++)
        for (int j = 0; j < p->tasks[i].count; j++)
            for (int n = 0; n < p->tasks[i].ops[j].op->effect_count; n++)
                note_reach(p, (int)i, &p->tasks[i].ops[j].op->effects[n]);
}

bool plan_parts_meet(const plan *p, int buffer, int agent, plan_doing doing, int other,
                     plan_doing other_doing)
{
    const plan_agent *a = &p->agents[agent], *b = &p->agents[other];
    bool engine = !by_threads(doing) || !by_threads(other_doing);
    uint8_t mine = *reach_at(p, buffer, a->task, doing, engine);
    uint8_t theirs = *reach_at(p, buffer, b->task, other_doing, engine);
    switch (mine > theirs ? mine : theirs) {
    case REACH_ALL: return true;
    case REACH_WARPGROUP: return a->warp / WARPGROUP_WARPS == b->warp / WARPGROUP_WARPS;
    default: return a->warp == b->warp;
    }
}
