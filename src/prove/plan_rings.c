/* Rings: what cursors tie together. A cursor, the barriers it waits or arrives on and the buffers it chooses a slot of
 * belong to one ring, and so does all that shares one of these with them, be it of one resource, of a group, or of several
 * views of the same memory. Everything in a ring is reached by cursors of that ring alone, so turning it by some slots is
 * a change of names. */
#include "prove/plan.h"

/* ---- classes: barriers, then buffers, then the cursors of all tasks ------------------------------------ */

typedef struct classes {
    const plan *p;
    int *next; /* towards the root, which points at itself */
    int count;
    int *cursors; /* by task: its first */
} classes;

static int root_of(const classes *c, int node)
{
    while (c->next[node] != node)
        node = c->next[node];
    return node;
}

static void unite(const classes *c, int a, int b)
{
    int x = root_of(c, a), y = root_of(c, b);
    c->next[x > y ? x : y] = x > y ? y : x;
}

static int buffer_node(const classes *c, int buffer)
{
    return (int)c->p->program->barriers.len + buffer;
}

static classes classes_new(const plan *p)
{
    const ir_program *program = p->program;
    arena *a = &p->kernel->arena;
    classes c = {.p = p, .count = (int)(program->barriers.len + program->buffers.len)};
    c.cursors = arena_array(a, int, program->tasks.len + 1);
    for (size_t i = 0; i < program->tasks.len; i++) {
        c.cursors[i] = c.count;
        c.count += (int)program->tasks.at[i].cursors.len;
    }
    c.next = arena_array(a, int, c.count + 1);
    for (int i = 0; i < c.count; i++)
        c.next[i] = i;
    return c;
}

static void unite_op(const classes *c, int task, const ir_op *op)
{
    int first = c->cursors[task];
    if (op->barrier >= 0 && op->cursor >= 0)
        unite(c, first + op->cursor, op->barrier);
    for (int i = 0; i < op->effect_count; i++) {
        const ir_effect *e = &op->effects[i];
        if (e->cursor < 0)
            continue;
        unite(c, first + e->cursor, buffer_node(c, e->buffer));
        if (e->barrier >= 0)
            unite(c, first + e->cursor, e->barrier);
    }
}

/* ---- rings out of classes ------------------------------------------------------------------------------ */

static void add_part(plan *p, int ring, int stages)
{
    plan_ring *r = &p->rings[ring];
    r->stages = !r->stages || r->stages == stages ? stages : -1;
}

static int node_stages(const classes *c, int node)
{
    const ir_program *program = c->p->program;
    if (node < (int)program->barriers.len)
        return program->barriers.at[node].stages;
    node -= (int)program->barriers.len;
    if (node < (int)program->buffers.len)
        return program->buffers.at[node].stages;
    node -= (int)program->buffers.len;
    for (size_t i = 0; i < program->tasks.len; i++) {
        if (node < (int)program->tasks.at[i].cursors.len)
            return program->tasks.at[i].cursors.at[node].stages;
        node -= (int)program->tasks.at[i].cursors.len;
    }
    return -1;
}

static void number_rings(plan *p, const classes *c, int *ring_of)
{
    p->rings = arena_array(&p->kernel->arena, plan_ring, c->count + 1);
    for (int i = 0; i < c->count; i++) {
        int root = root_of(c, i);
        ring_of[i] = root == i ? p->ring_count++ : ring_of[root];
        add_part(p, ring_of[i], node_stages(c, i));
    }
}

static void find_turning(plan *p)
{
    for (int i = 0; i < p->ring_count; i++)
        p->rings[i].turns = p->rings[i].stages > 0;
    for (int i = 0; i < p->slot_count; i++) {
        const plan_slot *s = &p->slots[i];
        for (int j = 0; j < s->overlaps; j++) {
            int other = p->overlaps[s->first_overlap + j];
            if (plan_slot_ring(p, other) != plan_slot_ring(p, i) || p->slots[other].stage != s->stage)
                p->rings[plan_slot_ring(p, i)].turns = false;
        }
    }
}

/* ---- cursors ------------------------------------------------------------------------------------------- */

static void note_wait(plan_cursor *c, int barrier)
{
    int n = 0;
    for (; c->waits[n] >= 0; n++)
        if (c->waits[n] == barrier)
            return;
    c->waits[n] = barrier;
    c->waits[n + 1] = -1;
}

static void note_op(const plan_task *t, const ir_op *op)
{
    if ((op->kind == IR_WAIT || op->kind == IR_PROBE) && op->cursor >= 0)
        note_wait(&t->cursors[op->cursor], op->barrier);
    if (op->kind == IR_ADVANCE)
        t->cursors[op->cursor].advances = true;
    for (int i = 0; i < op->effect_count; i++)
        if (op->effects[i].cursor >= 0 && ir_effects[op->effects[i].kind].writes)
            t->cursors[op->effects[i].cursor].writes = true;
}

static void read_cursors(plan *p, plan_task *t, const int *ring_of)
{
    arena *a = &p->kernel->arena;
    size_t cursors = t->task->cursors.len;
    t->cursors = arena_array(a, plan_cursor, cursors + 1);
    for (size_t i = 0; i < cursors; i++) {
        t->cursors[i].ring = ring_of[i];
        t->cursors[i].waits = arena_array(a, int, p->program->barriers.len + 1);
        t->cursors[i].waits[0] = -1;
    }
    for (int i = 0; i < t->count; i++)
        note_op(t, t->ops[i].op);
}

void plan_find_rings(plan *p)
{
    classes c = classes_new(p);
    int *ring_of = arena_array(&p->kernel->arena, int, c.count + 1);
    for (size_t i = 0; i < p->program->tasks.len; i++)
        for (int j = 0; j < p->tasks[i].count; j++)
            unite_op(&c, (int)i, p->tasks[i].ops[j].op);
    number_rings(p, &c, ring_of);
    p->barrier_ring = ring_of;
    p->buffer_ring = ring_of + p->program->barriers.len;
    for (size_t i = 0; i < p->program->tasks.len; i++)
        read_cursors(p, &p->tasks[i], ring_of + c.cursors[i]);
    find_turning(p);
}
