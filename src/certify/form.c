/* How certificates are spelled, but for machines (print.c). */
#include "certify/form.h"

/* ---- which program it is for --------------------------------------------------------------------------- */

static uint64_t hash_number(uint64_t hash, int64_t number)
{
    return hash_bytes(hash, &number, sizeof number);
}

/* What ir_dump does not tell. */
static uint64_t hash_op(uint64_t hash, const ir_op *op)
{
    int64_t numbers[] = {op->barrier,     op->cursor,    op->lanes, op->to,           op->gate,
                         op->bytes,       op->status,    op->key,   op->period,       op->first,
                         op->condition,   op->guard,     op->match, op->wgmma_groups, op->wgmma_wait,
                         op->bulk_groups, op->bulk_wait, op->fence};
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
        hash = hash_number(hash, numbers[i]);
    for (int i = 0; i < op->effect_count; i++) {
        const ir_effect *e = &op->effects[i];
        int64_t of_effect[] = {e->kind,  e->buffer, e->cursor, e->held, e->barrier,
                               e->bytes, e->reach,  e->to,     e->part};
        for (size_t j = 0; j < ARRAY_LEN(of_effect); j++)
            hash = hash_number(hash, of_effect[j]);
    }
    return hash;
}

static uint64_t hash_program(const ir_program *p)
{
    text dump = {0};
    ir_dump(p, &dump);
    uint64_t hash = hash_text(HASH_SEED, text_str(&dump));
    text_free(&dump);
    for (size_t i = 0; i < p->tasks.len; i++) {
        const ir_task *t = &p->tasks.at[i];
        hash = hash_number(hash, t->only_cta);
        for (size_t j = 0; j < t->cursors.len; j++) {
            const ir_cursor *c = &t->cursors.at[j];
            int64_t numbers[] = {c->stages, c->parity, c->stride, c->lane, c->first, c->lane_warps};
            for (size_t n = 0; n < ARRAY_LEN(numbers); n++)
                hash = hash_number(hash, numbers[n]);
        }
        for (size_t j = 0; j < t->values.len; j++)
            hash = hash_number(hash, t->values.at[j].producer);
        for (size_t j = 0; j < t->ops.len; j++)
            hash = hash_op(hash, &t->ops.at[j]);
    }
    return hash_number(hash, p->cluster_size);
}

/* ---- header -------------------------------------------------------------------------------------------- */

void form_header(const world *w, text *out)
{
    text_printf(out, "warpwright certificate 2\nkernel %s\nprogram %016llx\n", w->kernel->name,
                (unsigned long long)hash_program(w->program));
    for (size_t i = 0; i < w->values.len; i++) {
        text_printf(out, "value %zu is ", i);
        world_value_text(w, &w->values.at[i], out);
        text_add(out, "\n");
    }
}

static void put_target(int number, text *out)
{
    if (number == FORM_END)
        text_add(out, "end\n");
    else
        text_printf(out, "%d\n", number);
}

void form_start(int nodes, int start, text *out)
{
    text_printf(out, "nodes %d\nstart ", nodes);
    put_target(start, out);
}

/* ---- nodes --------------------------------------------------------------------------------------------- */

void form_asks(const world *w, int number, int agent, text *out)
{
    text_printf(out, "node %d asks %s\n", number, w->agents[agent].name);
}

void form_leads(const form_node *n, text *out)
{
    text_add(out, "no ");
    put_target(n->leads[0], out);
    text_add(out, "yes ");
    put_target(n->leads[1], out);
}

/* ---- classes ------------------------------------------------------------------------------------------- */

static int64_t newest_tile(const state *s, int queue)
{
    for (size_t i = 0; i < s->world->values.len; i++)
        if (s->world->values.at[i].kind == VALUE_TILES && s->world->values.at[i].queue == queue)
            return s->newest[i];
    return -1;
}

static bool is_among(const state_value *v, const state_value *of)
{
    int64_t ahead = v->from - of->from;
    return !v->any && !of->any && ahead >= 0 && ahead % of->every == 0 && v->every % of->every == 0;
}

/* Agents whose distance from the value is what counts in the class. */
static void measure_agents(state *s, const state *target, int value, int instance)
{
    const state_value *v = &s->values[instance];
    for (int i = 0; i < s->world->agent_count; i++) {
        state_agent *a = &s->agents[i];
        const world_op *loop = state_alive(s, i) && a->in_loop ? state_loop(s, i) : NULL;
        if (!loop || loop->value != value || value_instance(s->world, value, a->tile) != instance)
            continue;
        if (a->mode != TRIP_COUNTED || target->agents[i].mode != TRIP_FROM || v->every)
            continue;
        a->distance = loop->offset + a->trip * loop->step - v->from;
        a->mode = TRIP_FROM;
    }
}

static void fit_value(state *s, const state *target, int value, int back)
{
    int queue = s->world->values.at[value].queue;
    int mine = value_instance(s->world, value, newest_tile(s, queue) - back);
    int its = value_instance(s->world, value, newest_tile(target, queue) - back);
    const state_value *of = &target->values[its];
    if (of->dead || !of->every || s->values[mine].dead || !is_among(&s->values[mine], of))
        return;
    measure_agents(s, target, value, mine);
    s->values[mine].from = of->from;
    s->values[mine].every = of->every;
}

void form_fit(state *s, const state *target)
{
    for (size_t i = 0; i < s->world->values.len; i++) {
        const world_value *v = &s->world->values.at[i];
        for (int back = 0; v->kind == VALUE_BOUND && back < (value_of_tile(v) ? 2 : 1); back++)
            fit_value(s, target, (int)i, back);
    }
}
