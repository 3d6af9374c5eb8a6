/* Numbering agents, stages, slots and facts, and who may ever act on what. */
#include "certify/world.h"

/* ---- agents -------------------------------------------------------------------------------------------- */

static bool pipe_works_in(const ir_task *t, world_pipe pipe)
{
    for (size_t i = 0; i < t->ops.len; i++) {
        const ir_op *op = &t->ops.at[i];
        bool works = op->kind == (pipe == PIPE_TENSOR ? IR_UMMA_COMMIT : IR_COPY_ARRIVE);
        for (int j = 0; j < op->effect_count; j++)
            works |= world_pipe_of(op->effects[j].kind) == pipe;
        if (works)
            return true;
    }
    return false;
}

static void add_warps(world *w, int rank, int task)
{
    const ir_task *t = &w->program->tasks.at[task];
    if (!t->ops.len || (t->only_cta >= 0 && t->only_cta != rank))
        return;
    for (int warp = 0; warp < t->warps; warp++) {
        w->agents[w->agent_count++] = (world_agent){.rank = rank,
                                                    .task = task,
                                                    .warp = warp,
                                                    .crew = rank * (int)w->program->tasks.len + task,
                                                    .place = w->rank_warps[rank]++,
                                                    .pipes = {-1, -1},
                                                    .first_cursor = w->cursor_count,
                                                    .first_probe = w->probe_count};
        w->cursor_count += (int)t->cursors.len;
        w->probe_count += t->status_count;
    }
}

static void add_pipes(world *w, int warp)
{
    for (int pipe = 0; pipe < PIPES; pipe++) {
        if (!pipe_works_in(world_task_of(w, warp), (world_pipe)pipe))
            continue;
        world_agent a = w->agents[warp];
        a.is_pipe = true;
        a.pipe = (world_pipe)pipe;
        w->agents[warp].pipes[pipe] = w->agent_count;
        w->agents[w->agent_count++] = a;
    }
}

static void number_agents(world *w)
{
    int tasks = (int)w->program->tasks.len, most = 0;
    for (int i = 0; i < tasks; i++)
        most += w->program->tasks.at[i].warps;
    w->agents = arena_array(w->arena, world_agent, most * w->ranks * (1 + PIPES) + 1);
    w->rank_first = arena_array(w->arena, int, w->ranks + 1);
    w->rank_warps = arena_array(w->arena, int, w->ranks + 1);
    w->crew_count = w->ranks * tasks;
    for (int rank = 0; rank < w->ranks; rank++) {
        w->rank_first[rank] = w->agent_count;
        for (int i = 0; i < tasks; i++)
            add_warps(w, rank, i);
        for (int i = 0; i < w->rank_warps[rank]; i++)
            add_pipes(w, w->rank_first[rank] + i);
    }
    w->rank_first[w->ranks] = w->agent_count;
}

/* ---- stages and slots ---------------------------------------------------------------------------------- */

static void number_stages(world *w)
{
    size_t barriers = w->program->barriers.len, arrays = (size_t)w->ranks * barriers;
    w->stage_base = arena_array(w->arena, int, arrays + 1);
    for (size_t i = 0; i < arrays; i++) {
        w->stage_base[i] = w->stage_count;
        w->stage_count += w->program->barriers.at[i % barriers].stages;
    }
    w->stages = arena_array(w->arena, world_stage, w->stage_count + 1);
    for (size_t i = 0; i < arrays; i++)
        for (int s = 0; s < w->program->barriers.at[i % barriers].stages; s++)
            w->stages[w->stage_base[i] + s] = (world_stage){
                .barrier = (int)(i % barriers), .number = s, .rank = (int)(i / barriers), .partner = -1};
}

static uint32_t declared_bytes(const ww_resource *r, const ir_buffer *b)
{
    for (int i = 0; i < r->buffer_count; i++)
        if (strcmp(r->buffers[i].name, b->name) == 0)
            return r->buffers[i].bytes;
    return b->stage_bytes;
}

static const ww_resource *owner_of(const ww_resource *r, const char *name)
{
    for (int i = 0; i < r->buffer_count; i++)
        if (strcmp(r->buffers[i].name, name) == 0 && r->buffers[i].shares)
            return owner_of(r->buffers[i].shares, name);
    return r;
}

/* Whether cursors choose the slots of a buffer. Then all of its accesses must go by cursors, or laps mean nothing. */
static bool by_cursors(world *w, int buffer)
{
    bool some = false, others = false;
    for (size_t i = 0; i < w->program->tasks.len; i++)
        for (int j = 0; j < w->tasks[i].count; j++) {
            const ir_op *op = w->tasks[i].ops[j].op;
            for (int n = 0; n < op->effect_count; n++)
                if (op->effects[n].buffer == buffer)
                    *(op->effects[n].cursor >= 0 ? &some : &others) = true;
        }
    if (some && others)
        world_refuse(w, "a buffer is accessed by the slot of a cursor and without one");
    return some;
}

static void add_slots(world *w, int buffer, int rank, bool pipelined)
{
    const ir_buffer *b = &w->program->buffers.at[buffer];
    const ww_resource *r = w->kernel->resources.at[b->resource];
    int pair = w->program->cluster.v > 1 ? w->program->cluster.v : 1, first = rank - rank % pair;
    int last = first + pair < w->ranks ? first + pair : w->ranks;
    const ir_effect *copy = w->copies[buffer];
    for (int s = 0; s < b->stages; s++) {
        bool copied = copy && s < w->program->barriers.at[copy->barrier].stages;
        world_slot *slot = &w->slots[world_slot_at(w, buffer, rank) + s];
        *slot = (world_slot){
            .buffer = buffer,
            .number = s,
            .rank = rank,
            .pipelined = pipelined,
            .completes =
                copied ? world_stage_at(w, copy->barrier, world_completes_at(w, copy, rank)) + s : -1,
            .bytes = declared_bytes(r, b),
            .owner = owner_of(r, b->name),
            .first_agent = w->rank_first[first],
            .agents = w->rank_first[last] - w->rank_first[first],
            .first_access = w->access_count};
        w->access_count += slot->agents;
    }
}

static bool share_bytes(const world *w, const world_slot *a, const world_slot *b)
{
    const ir_buffer *x = &w->program->buffers.at[a->buffer], *y = &w->program->buffers.at[b->buffer];
    if (a->rank != b->rank || x->space != y->space)
        return false;
    uint64_t x_from = x->offset + (uint64_t)a->number * x->stage_bytes;
    uint64_t y_from = y->offset + (uint64_t)b->number * y->stage_bytes;
    return a == b || (x_from < y_from + y->bytes && y_from < x_from + x->bytes);
}

static void find_overlaps(world *w)
{
    for (int i = 0; i < w->slot_count; i++) {
        world_slot *s = &w->slots[i];
        s->overlaps = arena_array(w->arena, int, w->slot_count);
        for (int j = 0; j < w->slot_count; j++)
            if (share_bytes(w, s, &w->slots[j]))
                s->overlaps[s->overlap_count++] = j;
    }
}

static void number_slots(world *w)
{
    size_t buffers = w->program->buffers.len, arrays = (size_t)w->ranks * buffers;
    w->slot_base = arena_array(w->arena, int, arrays + 1);
    for (size_t i = 0; i < arrays; i++) {
        w->slot_base[i] = w->slot_count;
        w->slot_count += w->program->buffers.at[i % buffers].stages;
    }
    w->slots = arena_array(w->arena, world_slot, w->slot_count + 1);
    for (int b = 0; b < (int)buffers; b++) {
        bool pipelined = by_cursors(w, b);
        for (int rank = 0; rank < w->ranks; rank++)
            add_slots(w, b, rank, pipelined);
    }
    find_overlaps(w);
}

/* ---- who may do what ----------------------------------------------------------------------------------- */

static void may_act(world *w, int crew, int barrier, uint32_t ranks, uint8_t how)
{
    for (int rank = 0; rank < w->ranks; rank++)
        for (int s = 0; ranks >> rank & 1 && s < w->program->barriers.at[barrier].stages; s++)
            w->acts[(size_t)(world_stage_at(w, barrier, rank) + s) * (size_t)w->crew_count + (size_t)crew] |=
                how;
}

static void note_copies(world *w, int crew, const world_op *o, int rank)
{
    for (int i = 0; i < o->op->effect_count * w->ranks; i++) {
        const ir_effect *e = &o->op->effects[i / w->ranks];
        int at = i % w->ranks;
        if (e->kind == IR_COPY_IN && o->reach[i - at + rank] >> at & 1)
            may_act(w, crew, e->barrier, 1u << world_completes_at(w, e, at), MAY_ARRIVE);
    }
}

static void note_op(world *w, int crew, const world_op *o, int rank)
{
    const ir_op *op = o->op;
    bool looks = op->kind == IR_WAIT || op->kind == IR_PROBE;
    if (!(o->ranks >> rank & 1))
        return;
    if (looks)
        may_act(w, crew, op->barrier, 1u << rank, op->kind == IR_WAIT ? MAY_WAIT | MAY_LOOK : MAY_LOOK);
    else if (op->barrier >= 0 && (ir_is_arrival(op) || op->kind == IR_FETCH))
        may_act(w, crew, op->barrier, o->targets[rank], MAY_ARRIVE);
    note_copies(w, crew, o, rank);
}

static void find_uses(world *w)
{
    int tasks = (int)w->program->tasks.len;
    w->acts = arena_array(w->arena, uint8_t, (size_t)w->stage_count * (size_t)w->crew_count + 1);
    for (int crew = 0; crew < w->crew_count; crew++)
        for (int i = 0; i < w->tasks[crew % tasks].count; i++)
            note_op(w, crew, &w->tasks[crew % tasks].ops[i], crew / tasks);
}

static bool in_use(const world *w, int stage)
{
    for (int crew = 0; crew < w->crew_count; crew++)
        if (w->acts[(size_t)stage * (size_t)w->crew_count + (size_t)crew] & MAY_USE)
            return true;
    return false;
}

/* In a cluster, a barrier or its partner may live in the leader alone; then there is nothing to compare. */
static void find_partners(world *w)
{
    for (int i = 0; i < w->stage_count; i++) {
        world_stage *s = &w->stages[i];
        int partner = world_barrier(w, i)->balance;
        if (partner < 0 || s->number >= w->program->barriers.at[partner].stages)
            continue;
        int other = world_stage_at(w, partner, s->rank) + s->number;
        if (w->ranks == 1 || (in_use(w, i) && in_use(w, other)))
            s->partner = other;
    }
}

/* When a copy into a slot is complete is known by a phase of one barrier. */
static void check_copies(world *w)
{
    w->copies = arena_array(w->arena, const ir_effect *, w->program->buffers.len + 1);
    for (size_t i = 0; i < w->program->tasks.len; i++)
        for (int j = 0; j < w->tasks[i].count; j++) {
            const ir_op *op = w->tasks[i].ops[j].op;
            for (int n = 0; n < op->effect_count; n++) {
                const ir_effect *e = &op->effects[n], **known = &w->copies[e->buffer];
                if (e->kind != IR_COPY_IN)
                    continue;
                if (!e->bytes || e->barrier < 0 || e->cursor < 0)
                    world_refuse(w, "a copy completes nowhere");
                if (*known && ((*known)->barrier != e->barrier || (*known)->to != e->to))
                    world_refuse(w, "copies into one buffer complete on different barriers");
                *known = e;
            }
        }
}

/* ---- facts --------------------------------------------------------------------------------------------- */

static int take_facts(world *w, int count, int *first)
{
    int words = (count + WORD_BITS - 1) / WORD_BITS;
    *first = w->fact_count;
    w->fact_count += words * WORD_BITS;
    return words * WORD_BITS;
}

static void number_facts(world *w)
{
    for (int i = 0; i < w->slot_count; i++) {
        world_slot *s = &w->slots[i];
        s->facts = take_facts(w, s->agents * ABOUT_SLOT_KINDS + ABOUT_COPIES, &s->first_fact);
    }
    for (int i = 0; i < w->stage_count; i++) {
        world_stage *s = &w->stages[i];
        s->facts = take_facts(w, ABOUT_STAGE + ABOUT_STAGE_KINDS * world_places(w, i), &s->first_fact);
    }
    w->last_facts = w->fact_count;
    for (int i = 0; i < w->agent_count; i++)
        if (w->agents[i].is_pipe)
            w->agents[i].last_fact = w->fact_count++;
}

static void number_instances(world *w)
{
    w->value_of = arena_array(w->arena, int, w->instance_count + 1);
    for (int i = 0; i < (int)w->values.len; i++)
        for (int n = 0; n < value_instances(&w->values.at[i]); n++)
            w->value_of[w->values.at[i].first + n] = i;
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

world *world_new(ww_kernel *k, const ir_program *p)
{
    world *w = arena_new(&k->arena, world);
    w->program = p;
    w->kernel = k;
    w->arena = &k->arena;
    w->ranks = p->cluster_size > 1 ? p->cluster_size : 1;
    world_read_tasks(w);
    check_copies(w);
    if (w->refused)
        return w;
    number_agents(w);
    number_stages(w);
    number_slots(w);
    world_find_rings(w);
    find_uses(w);
    find_partners(w);
    number_facts(w);
    number_instances(w);
    world_name_agents(w);
    return w;
}

void world_free(world *w)
{
    vec_free(&w->values);
}
