/* What agents, stages, slots and values are: for people who read a certificate or a message. No check depends on it. */
#include "certify/world.h"

static const char *at_rank(const world *w, int rank)
{
    return w->ranks == 1 ? "" : arena_printf(w->arena, "@%d", rank);
}

void world_name_agents(world *w)
{
    static const char *const pipes[] = {[PIPE_TENSOR] = "/tensor", [PIPE_COPY] = "/copy"};
    for (int i = 0; i < w->agent_count; i++) {
        world_agent *a = &w->agents[i];
        a->name = arena_printf(w->arena, "%s.%d%s%s", w->program->tasks.at[a->task].name, a->warp,
                               at_rank(w, a->rank), a->is_pipe ? pipes[a->pipe] : "");
    }
}

static void stages_legend(const world *w, int barrier, int rank, text *out)
{
    static const char *const sides[] = {
        [IR_FULL] = "full", [IR_EMPTY] = "empty", [IR_TURN] = "turn", [IR_NAMED] = "barrier"};
    const ir_barrier *b = &w->program->barriers.at[barrier];
    int first = world_stage_at(w, barrier, rank);
    text_printf(out, "stage %d is the first of %d of %s.%s", first, b->stages,
                w->kernel->resources.at[b->resource]->name, sides[b->side]);
    if (b->member >= 0)
        text_printf(out, "_%d", b->member);
    text_printf(out, "%s, facts from %d\n", at_rank(w, rank), w->stages[first].first_fact);
}

static void slots_legend(const world *w, int buffer, int rank, text *out)
{
    const ir_buffer *b = &w->program->buffers.at[buffer];
    int first = world_slot_at(w, buffer, rank);
    text_printf(out, "slot %d is the first of %d of %s.%s%s, facts from %d, accesses from %d\n", first,
                b->stages, w->kernel->resources.at[b->resource]->name, b->name, at_rank(w, rank),
                w->slots[first].first_fact, w->slots[first].first_access);
}

/* ---- values -------------------------------------------------------------------------------------------- */

static void value_legend(const world *w, const world_value *v, text *out)
{
    const char *queue = v->queue < 0 ? "" : w->kernel->resources.at[v->queue]->name;
    text_printf(out, "value %d is ", v->first);
    switch (v->kind) {
    case VALUE_TILES: text_printf(out, "the tiles of %s\n", queue); return;
    case VALUE_SKIP: text_printf(out, "whether %s skips the tile", queue); break;
    case VALUE_KEY: text_printf(out, "condition %d%s", v->key, v->of_trip ? ", in a trip" : ""); break;
    case VALUE_BOUND:
        text_add(out, "what rules a loop from ");
        ir_bound_text(&v->loop->start, out);
        text_add(out, " to ");
        ir_bound_text(&v->loop->end, out);
        text_add(out, " by ");
        ir_bound_text(&v->loop->stride, out);
        text_printf(out, ", at least %lld", (long long)v->least);
        break;
    }
    if (v->queue >= 0)
        text_printf(out, ", in a tile of %s", queue);
    text_add(out, "\n");
}

void world_legend(const world *w, text *out)
{
    for (size_t i = 0; i < w->values.len; i++)
        value_legend(w, &w->values.at[i], out);
    for (int i = 0; i < w->agent_count; i++)
        text_printf(out, "agent %d is %s\n", i, w->agents[i].name);
    for (int rank = 0; rank < w->ranks; rank++) {
        for (int i = 0; i < (int)w->program->barriers.len; i++)
            stages_legend(w, i, rank, out);
        for (int i = 0; i < (int)w->program->buffers.len; i++)
            slots_legend(w, i, rank, out);
    }
}
