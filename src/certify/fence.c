/* Fences. Between what threads write in shared memory and an engine's access to it a proxy fence must stand, in any warp of the
 * CTA that knows of the write. Between accesses of two warps to tensor memory one must stand before the thread synchronisation,
 * with the first, and one after it, with the second; a commit has the first in it. docs/prover.md, "Fences". */
#include "certify/state.h"

static about_slot cleared(about_slot kind)
{
    return (about_slot)(kind + ABOUT_CLEAR_WRITE - ABOUT_WRITE);
}

static void learn_if_known(const state *s, int agent, int slot, about_slot known, about_slot learnt, int of)
{
    if (state_knows(s, agent, access_fact(s->world, slot, known, of)))
        state_learn(s, agent, access_fact(s->world, slot, learnt, of));
}

static void fence_access(const state *s, int agent, ir_fence fence, int slot, about_slot kind, int of)
{
    const world *w = s->world;
    bool tensor = world_in_tensor_memory(w, slot), commits = w->agents[of].is_pipe;
    if (fence == IR_FENCE_PROXY && !tensor && w->agents[of].rank == w->agents[agent].rank)
        learn_if_known(s, agent, slot, kind, state_fenced(kind), of);
    if (fence == IR_FENCE_TCGEN05_BEFORE && tensor && of == agent)
        learn_if_known(s, agent, slot, kind, state_fenced(kind), of);
    if (fence == IR_FENCE_TCGEN05_AFTER && tensor)
        learn_if_known(s, agent, slot, commits ? kind : state_fenced(kind), cleared(kind), of);
}

void state_fence(state *s, int agent, ir_fence fence)
{
    for (int slot = 0; slot < s->world->slot_count; slot++) {
        const world_slot *of = &s->world->slots[slot];
        for (int i = 0; i < of->agents; i++)
            for (int kind = ABOUT_WRITE; kind <= ABOUT_READ; kind++)
                fence_access(s, agent, fence, slot, (about_slot)kind, of->first_agent + i);
    }
}

bool state_is_fenced(const state *s, int warp, bool engine, int slot, about_slot kind, int other)
{
    const world *w = s->world;
    if (world_in_tensor_memory(w, slot))
        return world_same_warp(w, warp, other) ||
               state_knows(s, warp, access_fact(w, slot, cleared(kind), other));
    return !engine || kind == ABOUT_READ ||
           state_knows(s, warp, access_fact(w, slot, state_fenced(kind), other));
}

void state_unfence(const state *s, int slot, about_slot kind, int agent)
{
    state_happens(s, access_fact(s->world, slot, state_fenced(kind), agent), -1);
    state_happens(s, access_fact(s->world, slot, cleared(kind), agent), -1);
}

void state_unfence_before(const state *s, int slot, int agent)
{
    const world *w = s->world;
    state_move_fact(s, access_fact(w, slot, ABOUT_FENCED_WRITE, agent),
                    access_fact(w, slot, ABOUT_FENCED_WRITE_BEFORE, agent));
    state_move_fact(s, access_fact(w, slot, ABOUT_CLEAR_WRITE, agent),
                    access_fact(w, slot, ABOUT_CLEAR_WRITE_BEFORE, agent));
}
