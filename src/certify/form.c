/* How certificates are spelled, but for machines (spell.c); and classes of machines. */
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
    world_legend(w, out);
}

/* ---- nodes --------------------------------------------------------------------------------------------- */

static void spell_target(speller *p, const char *word, int *target)
{
    p->wrong |= !spell_line(p, word, true);
    if (spell_word(p, "end", *target == FORM_END))
        *target = FORM_END;
    else
        spell_int(p, target, 0, INT32_MAX);
    spell_end(p);
}

void form_start(speller *p, int *nodes, int *start)
{
    p->wrong |= !spell_line(p, "nodes", true);
    spell_int(p, nodes, 0, INT32_MAX);
    spell_end(p);
    spell_target(p, "start", start);
}

static void spell_machine(speller *p, form_node *n)
{
    if (p->out) {
        text_add_n(p->out, n->lines, n->length);
        return;
    }
    const char *end = spell_read(p->s, p->at, p->end);
    p->wrong |= !end;
    n->lines = p->at;
    n->length = end ? (size_t)(end - p->at) : 0;
    p->at += n->length;
}

void form_spell_node(speller *p, form_node *n, int number)
{
    int said = number;
    p->wrong |= !spell_line(p, "node", true);
    spell_int(p, &said, 0, INT32_MAX);
    p->wrong |= said != number;
    spell_literal(p, "asks");
    spell_int(p, &n->agent, 0, p->s->world->agent_count - 1);
    spell_end(p);
    spell_machine(p, n);
    spell_target(p, "no", &n->leads[0]);
    spell_target(p, "yes", &n->leads[1]);
}

/* ---- classes ------------------------------------------------------------------------------------------- */

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

void form_fit(state *s, const state *target)
{
    for (int i = 0; i < s->world->instance_count; i++) {
        const state_value *of = &target->values[i];
        int value = s->world->value_of[i];
        if (s->world->values.at[value].kind != VALUE_BOUND || of->dead || !of->every || s->values[i].dead ||
            !is_among(&s->values[i], of))
            continue;
        measure_agents(s, target, value, i);
        s->values[i].from = of->from;
        s->values[i].every = of->every;
    }
    weaken_machine(s);
}
