/* Which bytes of a buffer without a pipeline one warp touches is told by the work rows (ww_part). Where a row does not tell,
 * an engine may take in what any warp of the task has written; threads keep to their warp's own. */
#include "certify/world.h"

typedef enum doing { READING, WRITING, BY_WGMMA, BY_COPY, BY_TCGEN05, DOINGS } doing;
enum { REACH_WARP = 1, REACH_WARPGROUP, REACH_ALL };

static doing doing_of(ir_effect_kind kind)
{
    switch (kind) {
    case IR_READ: return READING;
    case IR_WRITE: return WRITING;
    case IR_WGMMA_READ: return BY_WGMMA;
    case IR_UMMA_READ:
    case IR_UMMA_WRITE: return BY_TCGEN05;
    default: return BY_COPY;
    }
}

static bool by_threads(doing d)
{
    return d == READING || d == WRITING;
}

static uint8_t reach_of(const ir_effect *e, bool towards_engines)
{
    switch (e->part) {
    case WW_PART_ALL: return REACH_ALL;
    case WW_PART_WARPGROUP: return REACH_WARPGROUP;
    case WW_PART_WARP: return REACH_WARP;
    default: return by_threads(doing_of(e->kind)) && !towards_engines ? REACH_WARP : REACH_ALL;
    }
}

static uint8_t *part_at(const world *w, int buffer, int task, doing a, doing b)
{
    size_t row = (size_t)buffer * w->program->tasks.len + (size_t)task;
    return &w->parts[(row * DOINGS + (size_t)a) * DOINGS + (size_t)b];
}

/* The widest of what the task's rows do to the buffer, each way. */
static void find_widest(const world *w, int buffer, int task, uint8_t widest[DOINGS][2])
{
    const world_task *t = &w->tasks[task];
    for (int i = 0; i < t->count; i++)
        for (int n = 0; n < t->ops[i].op->effect_count; n++) {
            const ir_effect *e = &t->ops[i].op->effects[n];
            for (int engines = 0; e->buffer == buffer && engines < 2; engines++) {
                uint8_t *most = &widest[doing_of(e->kind)][engines], reach = reach_of(e, engines);
                *most = reach > *most ? reach : *most;
            }
        }
}

void world_find_parts(world *w)
{
    int tasks = (int)w->program->tasks.len, buffers = (int)w->program->buffers.len;
    w->parts = arena_array(w->arena, uint8_t, (size_t)(buffers * tasks) * DOINGS * DOINGS + 1);
    for (int i = 0; i < buffers * tasks; i++) {
        uint8_t widest[DOINGS][2] = {{0}};
        find_widest(w, i / tasks, i % tasks, widest);
        for (int a = 0; a < DOINGS; a++)
            for (int b = 0; b < DOINGS; b++) {
                bool engines = !by_threads((doing)a) || !by_threads((doing)b);
                uint8_t x = widest[a][engines], y = widest[b][engines];
                *part_at(w, i / tasks, i % tasks, (doing)a, (doing)b) = x > y ? x : y;
            }
    }
}

bool world_parts_meet(const world *w, int buffer, int agent, ir_effect_kind kind, int other,
                      ir_effect_kind other_kind)
{
    const world_agent *a = &w->agents[agent], *b = &w->agents[other];
    switch (*part_at(w, buffer, a->task, doing_of(kind), doing_of(other_kind))) {
    case REACH_ALL: return true;
    case REACH_WARPGROUP: return a->warp / 4 == b->warp / 4;
    default: return a->warp == b->warp;
    }
}
