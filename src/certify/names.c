/* Names of agents, stages and slots, as certificates spell them. */
#include "certify/world.h"

/* ---- spelling ------------------------------------------------------------------------------------------ */

static const char *agent_name(const world *w, const world_agent *a)
{
    static const char *const pipes[] = {[PIPE_TENSOR] = "/tensor", [PIPE_COPY] = "/copy"};
    const char *name = w->program->tasks.at[a->task].name, *pipe = a->is_pipe ? pipes[a->pipe] : "";
    return w->ranks == 1 ? arena_printf(w->arena, "%s.%d%s", name, a->warp, pipe)
                         : arena_printf(w->arena, "%s.%d@%d%s", name, a->warp, a->rank, pipe);
}

static const char *place_name(const world *w, const char *array, int number, int rank)
{
    return w->ranks == 1 ? arena_printf(w->arena, "%s[%d]", array, number)
                         : arena_printf(w->arena, "%s[%d]@%d", array, number, rank);
}

static const char *stage_name(const world *w, int stage)
{
    static const char *const sides[] = {
        [IR_FULL] = "full", [IR_EMPTY] = "empty", [IR_TURN] = "turn", [IR_NAMED] = "barrier"};
    const ir_barrier *b = world_barrier(w, stage);
    const char *resource = w->kernel->resources.at[b->resource]->name;
    const char *array = b->member < 0
                            ? arena_printf(w->arena, "%s.%s", resource, sides[b->side])
                            : arena_printf(w->arena, "%s.%s_%d", resource, sides[b->side], b->member);
    return place_name(w, array, w->stages[stage].number, w->stages[stage].rank);
}

static const char *slot_name(const world *w, int slot)
{
    const ir_buffer *b = &w->program->buffers.at[w->slots[slot].buffer];
    const char *array = arena_printf(w->arena, "%s.%s", w->kernel->resources.at[b->resource]->name, b->name);
    return place_name(w, array, w->slots[slot].number, w->slots[slot].rank);
}

/* ---- finding ------------------------------------------------------------------------------------------- */

static size_t place_of(const world *w, name_kind kind, const char *name, size_t length)
{
    uint64_t hash = hash_bytes(HASH_SEED + (uint64_t)kind, name, length);
    size_t place = hash & (w->name_places - 1);
    for (; w->names[place].text; place = (place + 1) & (w->name_places - 1)) {
        const world_name *n = &w->names[place];
        if (n->kind == kind && strncmp(n->text, name, length) == 0 && !n->text[length])
            break;
    }
    return place;
}

int world_find(const world *w, name_kind kind, const char *name, size_t length)
{
    const world_name *n = &w->names[place_of(w, kind, name, length)];
    return n->text ? n->number : -1;
}

static const char *add_name(world *w, name_kind kind, const char *name, int number)
{
    world_name *n = &w->names[place_of(w, kind, name, strlen(name))];
    if (n->text)
        world_refuse(w, "two things have one name");
    *n = (world_name){name, kind, number};
    return name;
}

void world_name_all(world *w)
{
    size_t names = (size_t)w->agent_count + (size_t)w->stage_count + (size_t)w->slot_count;
    for (w->name_places = 16; w->name_places < 2 * names;)
        w->name_places *= 2;
    w->names = arena_array(w->arena, world_name, w->name_places);
    for (int i = 0; i < w->agent_count; i++)
        w->agents[i].name = add_name(w, NAME_AGENT, agent_name(w, &w->agents[i]), i);
    for (int i = 0; i < w->stage_count; i++)
        w->stages[i].name = add_name(w, NAME_STAGE, stage_name(w, i), i);
    for (int i = 0; i < w->slot_count; i++)
        w->slots[i].name = add_name(w, NAME_SLOT, slot_name(w, i), i);
}

/* ---- values -------------------------------------------------------------------------------------------- */

static void bound_text(const ww_bound *b, text *out)
{
    if (b->kind == WW_BOUND_IMMEDIATE)
        text_printf(out, "%d", b->value);
    else
        text_printf(out, "%s%s", b->name, b->kind == WW_BOUND_DEVICE ? "()" : "");
}

void world_value_text(const world *w, const world_value *v, text *out)
{
    const char *queue = v->queue < 0 ? NULL : w->kernel->resources.at[v->queue]->name;
    switch (v->kind) {
    case VALUE_TILES: text_printf(out, "the tiles of %s", queue); return;
    case VALUE_SKIP: text_printf(out, "whether %s skips the tile", queue); return;
    case VALUE_KEY: text_printf(out, "condition %d", v->key); break;
    case VALUE_BOUND:
        text_add(out, "what rules a loop from ");
        bound_text(&v->loop->start, out);
        text_add(out, " to ");
        bound_text(&v->loop->end, out);
        text_add(out, " by ");
        bound_text(&v->loop->stride, out);
        text_printf(out, ", at least %lld", (long long)v->least);
        break;
    }
    if (v->of_trip)
        text_add(out, ", in a trip");
    if (queue)
        text_printf(out, ", in a tile of %s", queue);
}
