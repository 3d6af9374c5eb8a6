/* Numbering agents, stages and slots, and who touches what. */
#include "prove/plan.h"

/* ---- agents -------------------------------------------------------------------------------------------- */

static bool runs_in(const ir_task *t, int rank)
{
    return t->ops.len && (t->only_cta < 0 || t->only_cta == rank);
}

static bool task_uses(const ir_task *t, plan_pipe kind)
{
    ir_kind closes = kind == PLAN_TENSOR_PIPE ? IR_UMMA_COMMIT : IR_COPY_ARRIVE;
    for (size_t i = 0; i < t->ops.len; i++) {
        const ir_op *op = &t->ops.at[i];
        if (op->kind == closes)
            return true;
        for (int j = 0; j < op->effect_count; j++)
            if (ir_effects[op->effects[j].kind].maker == plan_maker_of(kind))
                return true;
    }
    return false;
}

static void add_warp(plan *p, int rank, int task, int warp)
{
    const ir_task *t = &p->program->tasks.at[task];
    p->agents[p->agent_count++] = (plan_agent){.warp_itself = true,
                                               .rank = rank,
                                               .task = task,
                                               .warp = warp,
                                               .crew = rank * (int)p->program->tasks.len + task,
                                               .pipes = {-1, -1},
                                               .cursors = p->cursor_count,
                                               .statuses = p->status_count};
    p->cursor_count += (int)t->cursors.len;
    p->status_count += t->status_count;
}

static void add_pipes(plan *p, int agent)
{
    for (int kind = 0; kind < PLAN_PIPES; kind++) {
        if (!task_uses(plan_task_of(p, agent), (plan_pipe)kind))
            continue;
        p->agents[agent].pipes[kind] = p->agent_count;
        plan_agent *pipe = &p->agents[p->agent_count++];
        *pipe = p->agents[agent];
        pipe->warp_itself = false;
        pipe->kind = (plan_pipe)kind;
    }
}

static int most_agents(const plan *p)
{
    int warps = 0;
    for (size_t i = 0; i < p->program->tasks.len; i++)
        warps += p->program->tasks.at[i].warps;
    return p->ranks * warps * (1 + PLAN_PIPES);
}

static void add_crew(plan *p, int rank, int task)
{
    const ir_task *t = &p->program->tasks.at[task];
    plan_crew *crew = &p->crews[rank * (int)p->program->tasks.len + task];
    *crew = (plan_crew){p->agent_count, runs_in(t, rank) ? t->warps : 0};
    for (int warp = 0; warp < crew->warps; warp++)
        add_warp(p, rank, task, warp);
}

static void number_agents(plan *p)
{
    size_t tasks = p->program->tasks.len;
    p->agents = arena_array(&p->kernel->arena, plan_agent, most_agents(p) + 1);
    p->crew_count = p->ranks * (int)tasks;
    p->crews = arena_array(&p->kernel->arena, plan_crew, p->crew_count + 1);
    for (int rank = 0; rank < p->ranks; rank++) {
        int first = p->agent_count;
        for (size_t i = 0; i < tasks; i++)
            add_crew(p, rank, (int)i);
        for (int i = first, end = p->agent_count; i < end; i++)
            add_pipes(p, i);
    }
}

/* ---- stages -------------------------------------------------------------------------------------------- */

static void number_stages(plan *p)
{
    size_t barriers = p->program->barriers.len;
    arena *a = &p->kernel->arena;
    p->stage_base = arena_array(a, int, (size_t)p->ranks *barriers + 1);
    for (size_t i = 0; i < (size_t)p->ranks * barriers; i++) {
        p->stage_base[i] = p->stage_count;
        p->stage_count += p->program->barriers.at[i % barriers].stages;
    }
    p->stages = arena_array(a, plan_stage, p->stage_count + 1);
    for (int rank = 0; rank < p->ranks; rank++)
        for (int i = 0; i < (int)barriers; i++)
            for (int s = 0; s < p->program->barriers.at[i].stages; s++)
                p->stages[plan_stage_at(p, i, rank) + s] = (plan_stage){i, s, rank};
}

/* ---- slots --------------------------------------------------------------------------------------------- */

static bool chosen_by_cursor(const plan *p, int buffer)
{
    for (size_t i = 0; i < p->program->tasks.len; i++) {
        const ir_task *t = &p->program->tasks.at[i];
        for (size_t j = 0; j < t->ops.len; j++)
            for (int n = 0; n < t->ops.at[j].effect_count; n++)
                if (t->ops.at[j].effects[n].buffer == buffer && t->ops.at[j].effects[n].cursor >= 0)
                    return true;
    }
    return false;
}

static uint32_t declared_bytes(const ww_resource *r, const ir_buffer *buffer)
{
    for (int i = 0; i < r->buffer_count; i++)
        if (strcmp(r->buffers[i].name, buffer->name) == 0)
            return r->buffers[i].bytes;
    return buffer->stage_bytes;
}

static const ww_resource *owner_of(const ww_resource *r, const char *name)
{
    for (int i = 0; i < r->buffer_count; i++)
        if (strcmp(r->buffers[i].name, name) == 0)
            return r->buffers[i].shares ? owner_of(r->buffers[i].shares, name) : r;
    return r;
}

/* The CTAs that share an MMA, whose agents may access each other's memory. */
static void find_accessors(const plan *p, plan_slot *s)
{
    int v = p->program->cluster.v > 1 ? p->program->cluster.v : 1;
    for (int i = 0; i < p->agent_count; i++) {
        if (p->agents[i].rank / v != s->rank / v)
            continue;
        s->first_agent = s->agents ? s->first_agent : i;
        s->agents++;
    }
}

static void add_slots(plan *p, int buffer, int rank)
{
    const ir_buffer *b = &p->program->buffers.at[buffer];
    plan_slot s = {.buffer = buffer, .rank = rank, .pipelined = chosen_by_cursor(p, buffer)};
    s.bytes = declared_bytes(p->kernel->resources.at[b->resource], b);
    s.owner = owner_of(p->kernel->resources.at[b->resource], b->name);
    find_accessors(p, &s);
    for (s.stage = 0; s.stage < b->stages; s.stage++) {
        s.accesses = p->access_count;
        p->access_count += s.agents;
        p->slots[plan_slot_at(p, buffer, rank) + s.stage] = s;
    }
}

static void slot_interval(const plan *p, int slot, uint32_t *from, uint32_t *to)
{
    const ir_buffer *b = plan_buffer_of(p, slot);
    *from = b->offset + (uint32_t)p->slots[slot].stage * b->stage_bytes;
    *to = *from + b->bytes;
}

static bool slots_overlap(const plan *p, int a, int b)
{
    uint32_t a_from, a_to, b_from, b_to;
    if (p->slots[a].rank != p->slots[b].rank || plan_buffer_of(p, a)->space != plan_buffer_of(p, b)->space)
        return false;
    slot_interval(p, a, &a_from, &a_to);
    slot_interval(p, b, &b_from, &b_to);
    return a_from < b_to && b_from < a_to;
}

static void find_overlaps(plan *p)
{
    VEC(int) found = {0};
    for (int i = 0; i < p->slot_count; i++) {
        p->slots[i].first_overlap = (int)found.len;
        vec_push(&found, i);
        for (int j = 0; j < p->slot_count; j++)
            if (j != i && slots_overlap(p, i, j))
                vec_push(&found, j);
        p->slots[i].overlaps = (int)found.len - p->slots[i].first_overlap;
    }
    p->overlaps = arena_array(&p->kernel->arena, int, found.len + 1);
    if (found.len)
        memcpy(p->overlaps, found.at, found.len * sizeof(int));
    vec_free(&found);
}

static void number_slots(plan *p)
{
    size_t buffers = p->program->buffers.len;
    p->slot_base = arena_array(&p->kernel->arena, int, (size_t)p->ranks *buffers + 1);
    for (size_t i = 0; i < (size_t)p->ranks * buffers; i++) {
        p->slot_base[i] = p->slot_count;
        p->slot_count += p->program->buffers.at[i % buffers].stages;
    }
    p->slots = arena_array(&p->kernel->arena, plan_slot, p->slot_count + 1);
    for (int rank = 0; rank < p->ranks; rank++)
        for (int i = 0; i < (int)buffers; i++)
            add_slots(p, i, rank);
    find_overlaps(p);
}

/* ---- who does what ------------------------------------------------------------------------------------- */

static void note_stages(plan *p, int crew, int barrier, uint32_t ranks, uint8_t how)
{
    for (int rank = 0; rank < p->ranks; rank++)
        for (int s = 0; ranks >> rank & 1 && s < p->program->barriers.at[barrier].stages; s++)
            p->acts[(size_t)(plan_stage_at(p, barrier, rank) + s) * (size_t)p->crew_count + (size_t)crew] |=
                how;
}

static void note_touch(plan *p, int crew, int slot, uint8_t how)
{
    const plan_slot *s = &p->slots[slot];
    for (int i = 0; i < s->overlaps; i++) {
        int other = p->overlaps[s->first_overlap + i];
        p->touches[(size_t)other * (size_t)p->crew_count + (size_t)crew] |= how;
    }
}

static void note_effect(plan *p, int crew, const ir_effect *e, uint32_t reach)
{
    uint8_t how = ir_effects[e->kind].writes ? PLAN_WRITES : PLAN_READS;
    how |= ir_effects[e->kind].async ? PLAN_ENGINES : 0;
    for (int rank = 0; rank < p->ranks; rank++) {
        if (!(reach >> rank & 1))
            continue;
        for (int s = 0; s < p->program->buffers.at[e->buffer].stages; s++)
            note_touch(p, crew, plan_slot_at(p, e->buffer, rank) + s, how);
        if (e->kind == IR_COPY_IN)
            note_stages(p, crew, e->barrier, 1u << plan_completes_at(p, e, rank), PLAN_ARRIVES | PLAN_USES);
    }
}

static void note_op(plan *p, int rank, int crew, const plan_op *o)
{
    const ir_op *op = o->op;
    if (!(o->ranks >> rank & 1))
        return;
    if (op->kind == IR_WAIT || op->kind == IR_PROBE)
        note_stages(p, crew, op->barrier, 1u << rank,
                    op->kind == IR_WAIT ? PLAN_WAITS | PLAN_USES : PLAN_USES);
    else if (op->barrier >= 0 && op->kind != IR_ADVANCE && op->kind != IR_WORK)
        note_stages(p, crew, op->barrier, o->targets[rank], PLAN_ARRIVES | PLAN_USES);
    for (int i = 0; i < op->effect_count; i++)
        note_effect(p, crew, &op->effects[i], o->reach[i * p->ranks + rank]);
}

/* Of each row, the columns with one of the bits. */
static plan_crews list_of(const plan *p, const uint8_t *flags, int rows, int columns, bool by_column,
                          uint8_t how)
{
    arena *a = &p->kernel->arena;
    plan_crews list = {arena_array(a, int, (size_t)rows + 1), NULL};
    int found = 0;
    for (size_t i = 0; i < (size_t)rows * (size_t)columns; i++)
        found += (flags[i] & how) != 0;
    list.at = arena_array(a, int, (size_t)found + 1);
    found = 0;
    for (int i = 0; i < rows; i++) {
        list.first[i] = found;
        for (int j = 0; j < columns; j++) {
            size_t at =
                by_column ? (size_t)j * (size_t)rows + (size_t)i : (size_t)i * (size_t)columns + (size_t)j;
            if (flags[at] & how)
                list.at[found++] = j;
        }
    }
    list.first[rows] = found;
    return list;
}

static void list_crews(plan *p)
{
    static const uint8_t ways[] = {PLAN_WAITS, PLAN_ARRIVES, PLAN_USES};
    for (size_t i = 0; i < ARRAY_LEN(ways); i++)
        p->acting[ways[i]] = list_of(p, p->acts, p->stage_count, p->crew_count, false, ways[i]);
    for (unsigned how = PLAN_READS; how <= (PLAN_READS | PLAN_WRITES); how++)
        p->touching[how] = list_of(p, p->touches, p->slot_count, p->crew_count, false, (uint8_t)how);
    p->crew_stages = list_of(p, p->acts, p->crew_count, p->stage_count, true, PLAN_USES);
    p->crew_slots = list_of(p, p->touches, p->crew_count, p->slot_count, true, PLAN_READS | PLAN_WRITES);
}

static void list_users(plan *p)
{
    arena *a = &p->kernel->arena;
    size_t pairs = (size_t)p->stage_count * (size_t)p->agent_count;
    p->use = arena_array(a, int16_t, pairs + 1);
    for (size_t i = 0; i < pairs; i++)
        p->user_count += plan_acts(p, p->agents[i % (size_t)p->agent_count].crew,
                                   (int)(i / (size_t)p->agent_count), PLAN_USES);
    p->users = arena_array(a, int, (size_t)p->user_count + 1);
    int found = 0;
    for (int stage = 0; stage < p->stage_count; stage++) {
        plan_stage *s = &p->stages[stage];
        s->first_user = found;
        for (int i = 0; i < p->agent_count; i++) {
            bool uses = plan_acts(p, p->agents[i].crew, stage, PLAN_USES);
            p->use[(size_t)stage * (size_t)p->agent_count + (size_t)i] = uses ? (int16_t)s->users++ : -1;
            if (uses)
                p->users[found++] = i;
        }
    }
}

/* ---- which copies complete where -------------------------------------------------------------------------- */

/* The one barrier on which copies into the buffer complete (plan_check.c); NULL: there are none. */
static const ir_effect *copy_into(const plan *p, int buffer)
{
    for (size_t task = 0; task < p->program->tasks.len; task++)
        for (int i = 0; i < p->tasks[task].count; i++) {
            const ir_op *op = p->tasks[task].ops[i].op;
            for (int j = 0; j < op->effect_count; j++)
                if (op->effects[j].kind == IR_COPY_IN && op->effects[j].buffer == buffer)
                    return &op->effects[j];
        }
    return NULL;
}

static void find_copy_stage(plan *p, plan_slot *s)
{
    const ir_effect *e = copy_into(p, s->buffer);
    s->copy_stage = -1;
    if (!e || s->stage >= p->program->barriers.at[e->barrier].stages)
        return;
    s->copy_stage = plan_stage_at(p, e->barrier, plan_completes_at(p, e, s->rank)) + s->stage;
    s->copy_users = p->copy_user_count;
    p->copy_user_count += p->stages[s->copy_stage].users;
}

static void find_copies(plan *p)
{
    arena *a = &p->kernel->arena;
    plan_crews *on = &p->copies_on;
    on->first = arena_array(a, int, (size_t)p->stage_count + 2);
    on->at = arena_array(a, int, (size_t)p->slot_count + 1);
    for (int i = 0; i < p->slot_count; i++) {
        find_copy_stage(p, &p->slots[i]);
        if (p->slots[i].copy_stage >= 0)
            on->first[p->slots[i].copy_stage + 2]++;
    }
    for (int i = 0; i < p->stage_count; i++)
        on->first[i + 2] += on->first[i + 1];
    for (int i = 0; i < p->slot_count; i++)
        if (p->slots[i].copy_stage >= 0)
            on->at[on->first[p->slots[i].copy_stage + 1]++] = i;
}

static void find_uses(plan *p)
{
    arena *a = &p->kernel->arena;
    p->acts = arena_array(a, uint8_t, (size_t)p->stage_count * (size_t)p->crew_count + 1);
    p->touches = arena_array(a, uint8_t, (size_t)p->slot_count * (size_t)p->crew_count + 1);
    for (int crew = 0; crew < p->crew_count; crew++) {
        const plan_task *t = &p->tasks[crew % (int)p->program->tasks.len];
        for (int i = 0; i < t->count; i++)
            note_op(p, crew / (int)p->program->tasks.len, crew, &t->ops[i]);
    }
    list_crews(p);
    list_users(p);
    find_copies(p);
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

plan *plan_new(ww_kernel *k, const ir_program *program, bool loose)
{
    plan *p = arena_new(&k->arena, plan);
    p->program = program;
    p->kernel = k;
    p->loose = loose;
    p->ranks = program->cluster_size > 1 ? program->cluster_size : 1;
    plan_read_tasks(p);
    plan_check(p);
    if (p->unprovable)
        return p;
    number_agents(p);
    number_stages(p);
    number_slots(p);
    plan_find_rings(p);
    p->lanes = loose && p->ring_count ? p->ring_count : 1;
    find_uses(p);
    plan_find_fences(p);
    plan_find_parts(p);
    return p;
}
