/* Rings: barriers, buffers and cursors that belong together because the same cursors point into them. Turning a ring by some
 * slots is a change of names, if all its slots are alike. */
#include "certify/world.h"

/* Barriers, then buffers, then the cursors of all tasks; each points towards one that stands for all of its ring. */
typedef struct parts {
    int *towards, count;
    int *first_cursor; /* by task */
} parts;

static int part_root(const parts *p, int part)
{
    while (p->towards[part] != part)
        part = p->towards[part];
    return part;
}

static void join_parts(const parts *p, int a, int b)
{
    int x = part_root(p, a), y = part_root(p, b);
    p->towards[x > y ? x : y] = x > y ? y : x;
}

static void join_op(const world *w, const parts *p, int task, const ir_op *op)
{
    int cursors = p->first_cursor[task], buffers = (int)w->program->barriers.len;
    if (op->barrier >= 0 && op->cursor >= 0)
        join_parts(p, cursors + op->cursor, op->barrier);
    for (int i = 0; i < op->effect_count; i++) {
        const ir_effect *e = &op->effects[i];
        if (e->cursor < 0)
            continue;
        join_parts(p, cursors + e->cursor, buffers + e->buffer);
        if (e->barrier >= 0)
            join_parts(p, cursors + e->cursor, e->barrier);
    }
}

static parts find_parts(world *w)
{
    const ir_program *program = w->program;
    parts p = {.count = (int)(program->barriers.len + program->buffers.len)};
    p.first_cursor = arena_array(w->arena, int, program->tasks.len + 1);
    for (size_t i = 0; i < program->tasks.len; i++) {
        p.first_cursor[i] = p.count;
        p.count += (int)program->tasks.at[i].cursors.len;
    }
    p.towards = arena_array(w->arena, int, p.count + 1);
    for (int i = 0; i < p.count; i++)
        p.towards[i] = i;
    for (size_t i = 0; i < program->tasks.len; i++)
        for (size_t j = 0; j < program->tasks.at[i].ops.len; j++)
            join_op(w, &p, (int)i, &program->tasks.at[i].ops.at[j]);
    return p;
}

static void count_stages(world_ring *r, int stages)
{
    r->stages = !r->stages || r->stages == stages ? stages : -1;
}

static void number_rings(world *w, const parts *p, int *ring_of)
{
    const ir_program *program = w->program;
    int buffers = (int)program->barriers.len;
    w->rings = arena_array(w->arena, world_ring, p->count + 1);
    for (int i = 0; i < p->count; i++)
        ring_of[i] = part_root(p, i) == i ? w->ring_count++ : ring_of[part_root(p, i)];
    for (int i = 0; i < buffers; i++)
        count_stages(&w->rings[ring_of[i]], program->barriers.at[i].stages);
    for (size_t i = 0; i < program->buffers.len; i++)
        count_stages(&w->rings[ring_of[buffers + (int)i]], program->buffers.at[i].stages);
    for (size_t i = 0; i < program->tasks.len; i++)
        for (size_t j = 0; j < program->tasks.at[i].cursors.len; j++)
            count_stages(&w->rings[ring_of[p->first_cursor[i] + (int)j]],
                         program->tasks.at[i].cursors.at[j].stages);
}

/* A stage and its partner (barriers whose phases must come out even) keep their numbers together. */
static void keep_with_partner(world *w, size_t barrier)
{
    int partner = w->program->barriers.at[barrier].balance;
    if (partner >= 0 && w->barrier_ring[partner] != w->barrier_ring[barrier])
        w->rings[w->barrier_ring[partner]].turns = w->rings[w->barrier_ring[barrier]].turns = false;
}

static void find_turning(world *w)
{
    for (int i = 0; i < w->ring_count; i++)
        w->rings[i].turns = w->rings[i].stages > 0;
    for (size_t i = 0; i < w->program->barriers.len; i++)
        keep_with_partner(w, i);
    for (int i = 0; i < w->slot_count; i++)
        for (int j = 0; j < w->slots[i].overlap_count; j++) {
            const world_slot *a = &w->slots[i], *b = &w->slots[a->overlaps[j]];
            if (w->buffer_ring[a->buffer] != w->buffer_ring[b->buffer] || a->number != b->number)
                w->rings[w->buffer_ring[a->buffer]].turns = false;
        }
}

void world_find_rings(world *w)
{
    parts p = find_parts(w);
    int *ring_of = arena_array(w->arena, int, p.count + 1);
    number_rings(w, &p, ring_of);
    w->barrier_ring = ring_of;
    w->buffer_ring = ring_of + w->program->barriers.len;
    find_turning(w);
    for (size_t i = 0; i < w->program->tasks.len; i++) {
        world_task *t = &w->tasks[i];
        t->cursor_ring = ring_of + p.first_cursor[i];
        t->cursor_moves = arena_array(w->arena, bool, t->task->cursors.len + 1);
        for (int j = 0; j < t->count; j++)
            if (t->ops[j].op->kind == IR_ADVANCE)
                t->cursor_moves[t->ops[j].op->cursor] = true;
    }
}
