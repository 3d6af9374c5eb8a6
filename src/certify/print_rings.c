/* Where rings begin, and what their stages and slots are called then. */
#include "certify/print.h"

/* ---- rings --------------------------------------------------------------------------------------------- */

void printer_turn(const printer *p)
{
    const world *w = p->w;
    bool *found = base_alloc((size_t)w->ring_count + 1);
    memset(found, 0, (size_t)w->ring_count + 1);
    memset(p->turn, 0, (size_t)w->ring_count * sizeof(int));
    memset(p->laps, 0, (size_t)w->ring_count * sizeof(int64_t));
    for (int i = 0; i < w->agent_count; i++) {
        const world_task *t = &w->tasks[w->agents[i].task];
        for (size_t j = 0; state_alive(p->s, i) && j < t->task->cursors.len; j++) {
            int ring = t->cursor_ring[j];
            const state_cursor *c = state_cursor_of(p->s, i, (int)j);
            if (found[ring] || !t->cursor_moves[j])
                continue;
            found[ring] = true;
            p->turn[ring] = w->rings[ring].turns ? c->slot : 0;
            p->laps[ring] = c->lap;
        }
    }
    free(found);
}

/* The new number of a slot or stage of a ring, and by how much laps there are counted less. */
int printer_turned(const printer *p, int ring, int number)
{
    int stages = p->w->rings[ring].stages, n = number - p->turn[ring];
    return n < 0 ? n + stages : n;
}

static int64_t laps_less(const printer *p, int ring, int number)
{
    return p->laps[ring] + (number < p->turn[ring]);
}

/* The reverse of turned. */
static int number_at(const printer *p, int ring, int place)
{
    int stages = p->w->rings[ring].stages, n = place + p->turn[ring];
    return p->turn[ring] && n >= stages ? n - stages : n;
}

int printer_stage_ring(const printer *p, int stage)
{
    return p->w->barrier_ring[p->w->stages[stage].barrier];
}

int printer_slot_ring(const printer *p, int slot)
{
    return p->w->buffer_ring[p->w->slots[slot].buffer];
}

/* The stage (slot) that is printed at that place, and the name it gets there. */
int printer_stage_at(const printer *p, int place)
{
    int number = p->w->stages[place].number;
    return place - number + number_at(p, printer_stage_ring(p, place), number);
}

int printer_slot_at(const printer *p, int place)
{
    int number = p->w->slots[place].number;
    return place - number + number_at(p, printer_slot_ring(p, place), number);
}

const char *printer_stage_name(const printer *p, int stage)
{
    int number = p->w->stages[stage].number;
    return p->w->stages[stage - number + printer_turned(p, printer_stage_ring(p, stage), number)].name;
}

const char *printer_slot_name(const printer *p, int slot)
{
    int number = p->w->slots[slot].number;
    return p->w->slots[slot - number + printer_turned(p, printer_slot_ring(p, slot), number)].name;
}

int64_t printer_lap(const printer *p, int ring, int number, int64_t lap)
{
    return lap - laps_less(p, ring, number);
}

uint32_t printer_parity(const printer *p, int ring, int number, uint32_t parity)
{
    return parity ^ (uint32_t)(laps_less(p, ring, number) & 1);
}
