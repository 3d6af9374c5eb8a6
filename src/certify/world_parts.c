/* Which bytes of a buffer without a pipeline one warp touches is told by the work rows (ww_part). Where a row does not tell,
 * an engine may take in what any warp of the task has written; threads keep to their warp's own. */
#include "certify/world.h"

enum { REACH_WARP = 1, REACH_WARPGROUP, REACH_ALL };

static bool by_threads(ir_effect_kind kind)
{
    return kind == IR_READ || kind == IR_WRITE;
}

static uint8_t reach_of(const ir_effect *e, bool towards_engines)
{
    switch (e->part) {
    case WW_PART_ALL: return REACH_ALL;
    case WW_PART_WARPGROUP: return REACH_WARPGROUP;
    case WW_PART_WARP: return REACH_WARP;
    default: return by_threads(e->kind) && !towards_engines ? REACH_WARP : REACH_ALL;
    }
}

/* The widest of what the task's rows of that kind do to the buffer. */
static uint8_t widest(const world *w, int buffer, int task, ir_effect_kind kind, bool engines)
{
    uint8_t most = 0;
    for (int i = 0; i < w->tasks[task].count; i++) {
        const ir_op *op = w->tasks[task].ops[i].op;
        for (int n = 0; n < op->effect_count; n++)
            if (op->effects[n].buffer == buffer && op->effects[n].kind == kind &&
                reach_of(&op->effects[n], engines) > most)
                most = reach_of(&op->effects[n], engines);
    }
    return most;
}

bool world_parts_meet(const world *w, int buffer, int agent, ir_effect_kind kind, int other,
                      ir_effect_kind other_kind)
{
    const world_agent *a = &w->agents[agent], *b = &w->agents[other];
    bool engines = !by_threads(kind) || !by_threads(other_kind);
    uint8_t x = widest(w, buffer, a->task, kind, engines),
            y = widest(w, buffer, a->task, other_kind, engines);
    switch (x > y ? x : y) {
    case REACH_ALL: return true;
    case REACH_WARPGROUP: return a->warp / 4 == b->warp / 4;
    default: return a->warp == b->warp;
    }
}
