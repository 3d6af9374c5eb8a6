/* Turning rings, so that of each the first cursor that moves stands at slot 0 of lap 0. */
#include "certify/state.h"

typedef struct turning {
    state *s;
    const world *w;
    int *turn;     /* by ring: the slot that becomes 0 */
    int64_t *laps; /* by ring: the lap that becomes 0 */
    char *spare;
} turning;

/* ---- where rings begin --------------------------------------------------------------------------------- */

static void find_turns(const turning *t)
{
    for (int i = t->w->agent_count - 1; i >= 0; i--) {
        const world_task *task = &t->w->tasks[t->w->agents[i].task];
        for (int j = (int)task->task->cursors.len - 1; state_alive(t->s, i) && j >= 0; j--) {
            int ring = task->cursor_ring[j];
            const state_cursor *c = state_cursor_of(t->s, i, j);
            if (!task->cursor_moves[j])
                continue;
            t->turn[ring] = t->w->rings[ring].turns ? c->slot : 0;
            t->laps[ring] = c->lap;
        }
    }
}

/* ---- names --------------------------------------------------------------------------------------------- */

static int laps_less(const turning *t, int ring, int number, int64_t *lap)
{
    int64_t less = t->laps[ring] + (number < t->turn[ring]);
    *lap -= *lap == NO_LAP ? 0 : less;
    return (int)(less & 1);
}

static int turned(const turning *t, int ring, int number)
{
    int n = number - t->turn[ring];
    return n < 0 ? n + t->w->rings[ring].stages : n;
}

static int ring_of_stage(const turning *t, int stage)
{
    return t->w->barrier_ring[t->w->stages[stage].barrier];
}

static int turned_stage(const turning *t, int stage)
{
    int number = t->w->stages[stage].number;
    return stage - number + turned(t, ring_of_stage(t, stage), number);
}

static void turn_cursors(const turning *t, int agent)
{
    const world_task *task = &t->w->tasks[t->w->agents[agent].task];
    int64_t parity = 0;
    for (int i = 0; i < (int)task->task->cursors.len; i++) {
        int ring = task->cursor_ring[i];
        state_cursor *c = state_cursor_of(t->s, agent, i);
        c->parity ^= (uint32_t)laps_less(t, ring, c->slot, &c->lap);
        (void)laps_less(t, ring, c->held, &c->held_lap);
        c->slot = turned(t, ring, c->slot);
        c->held = turned(t, ring, c->held);
    }
    for (int i = 0; i < task->task->status_count; i++) {
        state_probe *p = &t->s->probes[t->w->agents[agent].first_probe + i];
        if (p->stage < 0)
            continue;
        p->parity ^=
            (uint32_t)laps_less(t, ring_of_stage(t, p->stage), t->w->stages[p->stage].number, &parity);
        p->stage = turned_stage(t, p->stage);
    }
}

static void turn_groups(const turning *t, int agent)
{
    uint64_t *old = (uint64_t *)(void *)t->spare;
    for (int kind = 0; kind < GROUP_KINDS; kind++)
        for (int g = 0; g < t->s->agents[agent].groups[kind]; g++) {
            uint64_t *group = state_group(t->s, agent, (group_kind)kind, g);
            memcpy(old, group, t->s->slot_words * sizeof(uint64_t));
            memset(group, 0, t->s->slot_words * sizeof(uint64_t));
            for (int slot = 0; slot < t->w->slot_count; slot++) {
                const world_slot *of = &t->w->slots[slot];
                if (bits_has(old, slot))
                    bits_add(group, slot - of->number + turned(t, t->w->buffer_ring[of->buffer], of->number));
            }
        }
}

static void turn_agent(const turning *t, int agent)
{
    state_agent *a = &t->s->agents[agent];
    turn_groups(t, agent);
    if (!state_alive(t->s, agent))
        return;
    turn_cursors(t, agent);
    if (a->status == STATE_WAITS)
        a->stage = turned_stage(t, a->stage);
}

/* ---- what stages and slots are ------------------------------------------------------------------------- */

/* Of `count` things of that size the one at `first` comes to stand at 0. */
static void rotate(const turning *t, void *things, size_t size, int count, int first)
{
    size_t before = (size_t)first * size, behind = (size_t)(count - first) * size;
    char *at = things;
    if (!first)
        return;
    memcpy(t->spare, at, before);
    memmove(at, at + before, behind);
    memcpy(at + behind, t->spare, before);
}

static void rotate_facts(const turning *t, int fact, int facts, int count, int first)
{
    for (int i = 0; first && i < t->s->holders; i++)
        rotate(t, state_holder(t->s, i) + fact / WORD_BITS, (size_t)facts / WORD_BITS * sizeof(uint64_t),
               count, first);
}

static void turn_barrier(const turning *t, int barrier, int rank)
{
    int ring = t->w->barrier_ring[barrier], base = world_stage_at(t->w, barrier, rank), turn = t->turn[ring];
    int count = t->w->program->barriers.at[barrier].stages;
    state *s = t->s;
    for (int i = 0; i < count; i++)
        (void)laps_less(t, ring, i, &s->stages[base + i].count);
    rotate(t, &s->stages[base], sizeof(state_stage), count, turn);
    rotate(t, state_holder(s, holder_gathered(s, base)), s->fact_words * sizeof(uint64_t), count, turn);
    rotate(t, state_holder(s, holder_done(s, base)), s->fact_words * sizeof(uint64_t), count, turn);
    rotate_facts(t, t->w->stages[base].first_fact, t->w->stages[base].facts, count, turn);
}

static void turn_buffer(const turning *t, int buffer, int rank)
{
    int ring = t->w->buffer_ring[buffer], base = world_slot_at(t->w, buffer, rank), turn = t->turn[ring];
    int count = t->w->program->buffers.at[buffer].stages;
    const world_slot *first = &t->w->slots[base];
    state *s = t->s;
    for (int i = 0; i < count; i++) {
        (void)laps_less(t, ring, i, &s->copies[base + i].lap);
        for (int agent = 0; agent < first->agents; agent++)
            (void)laps_less(t, ring, i, state_lap(s, base + i, first->first_agent + agent));
    }
    rotate(t, &s->copies[base], sizeof(state_copy), count, turn);
    rotate(t, &s->gone[base], sizeof(bool), count, turn);
    rotate(t, &s->laps[first->first_access], (size_t)first->agents * sizeof(int64_t), count, turn);
    rotate_facts(t, first->first_fact, first->facts, count, turn);
}

void state_turn_rings(state *s)
{
    const world *w = s->world;
    size_t rings = (size_t)w->ring_count + 1;
    turning t = {s, w, base_alloc(rings * sizeof(int)), base_alloc(rings * sizeof(int64_t)),
                 base_alloc(s->block_bytes)};
    memset(t.turn, 0, rings * sizeof(int));
    memset(t.laps, 0, rings * sizeof(int64_t));
    find_turns(&t);
    for (int i = 0; i < w->agent_count; i++)
        turn_agent(&t, i);
    for (int rank = 0; rank < w->ranks; rank++) {
        for (int i = 0; i < (int)w->program->barriers.len; i++)
            turn_barrier(&t, i, rank);
        for (int i = 0; i < (int)w->program->buffers.len; i++)
            turn_buffer(&t, i, rank);
    }
    free(t.turn);
    free(t.laps);
    free(t.spare);
}
