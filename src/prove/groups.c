/* Work that finishes in groups, in the order in which a warp commits them: reads of wgmma, reads of bulk stores. A group's
 * reads go on until a body of the same warp returns from a wait that leaves no more than so many younger groups. */
#include "prove/machine.h"

static bool holds(const uint32_t *group, int slot)
{
    return group[slot / 32] >> (slot % 32) & 1;
}

static group_reads *reads_of(const machine *m, int agent_index, group_kind kind, int slot)
{
    return &slot_access(m, slot, agent_index)->by_groups[kind];
}

static void finished(machine *m, int agent_index, group_kind kind, const uint32_t *group)
{
    for (int slot = 0; slot < m->plan->slot_count; slot++)
        if (holds(group, slot)) {
            group_reads *r = reads_of(m, agent_index, kind, slot);
            r->open--;
            r->done = machine_epoch(m, agent_index);
        }
}

static void drop_oldest(machine *m, int agent_index, group_kind kind)
{
    int *count = &m->now.agents[agent_index].groups[kind];
    size_t bytes = (size_t)m->slot_words * sizeof(uint32_t);
    uint32_t *groups = agent_group(m, agent_index, kind, 0);
    --*count;
    memmove(groups, groups + m->slot_words, (size_t)*count * bytes);
    memset(agent_group(m, agent_index, kind, *count), 0, bytes);
}

void group_wait(machine *m, int agent_index, group_kind kind, int keep)
{
    while (m->now.agents[agent_index].groups[kind] > keep) {
        finished(m, agent_index, kind, agent_group(m, agent_index, kind, 0));
        drop_oldest(m, agent_index, kind);
    }
}

/* The two oldest become one: a wait that would spare one of them, and leave MOST_GROUPS younger ones in flight, spares
 * both, which is on the safe side. */
static void merge_oldest(machine *m, int agent_index, group_kind kind)
{
    uint32_t *oldest = agent_group(m, agent_index, kind, 0), *next = agent_group(m, agent_index, kind, 1);
    for (int slot = 0; slot < m->plan->slot_count; slot++)
        if (holds(oldest, slot) && holds(next, slot))
            reads_of(m, agent_index, kind, slot)->open--;
    for (int w = 0; w < m->slot_words; w++)
        next[w] |= oldest[w];
    drop_oldest(m, agent_index, kind);
}

uint32_t *group_open(machine *m, int agent_index, group_kind kind)
{
    if (m->now.agents[agent_index].groups[kind] == MOST_GROUPS)
        merge_oldest(m, agent_index, kind);
    return agent_group(m, agent_index, kind, m->now.agents[agent_index].groups[kind]);
}

void group_commit(machine *m, int agent_index, group_kind kind)
{
    m->now.agents[agent_index].groups[kind]++;
}

void group_add(machine *m, int agent_index, group_kind kind, uint32_t *group, int slot)
{
    group_reads *r = reads_of(m, agent_index, kind, slot);
    if (!holds(group, slot))
        r->open++;
    group[slot / 32] |= 1u << (slot % 32);
    r->op = m->now.agents[agent_index].pc;
    m->now.touched[slot] |= TOUCHED_GROUPS;
}
