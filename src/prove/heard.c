/* See heard.h. Crews are few, so everything is a short loop. */
#include "prove/heard.h"

void heard_of(heard *h, const machine *m, int entry)
{
    int owner = entry < plan_stage_entry(m->plan, 0) ? entry / m->plan->lanes : -1;
    h->plan = m->plan;
    memset(h->by_crew, 0xff, (size_t)m->plan->crew_count * sizeof h->by_crew[0]);
    for (int i = 0; i < m->plan->agent_count; i++) {
        uint32_t *least = &h->by_crew[m->plan->agents[i].crew];
        uint32_t known = machine_clock(m, i)[entry];
        if (i != owner && machine_alive(m, i) && known < *least)
            *least = known;
    }
}

static uint32_t least_of(const heard *h, const uint8_t *row, uint8_t how)
{
    uint32_t least = UINT32_MAX;
    for (int crew = 0; crew < h->plan->crew_count; crew++)
        if (row[crew] & how && h->by_crew[crew] < least)
            least = h->by_crew[crew];
    return least;
}

uint32_t heard_touching(const heard *h, int slot, uint8_t how)
{
    return least_of(h, h->plan->touches + (size_t)slot * (size_t)h->plan->crew_count, how);
}

uint32_t heard_acting(const heard *h, int stage, uint8_t how)
{
    return least_of(h, h->plan->acts + (size_t)stage * (size_t)h->plan->crew_count, how);
}

uint32_t heard_by_all(const heard *h)
{
    uint32_t least = UINT32_MAX;
    for (int crew = 0; crew < h->plan->crew_count; crew++)
        least = h->by_crew[crew] < least ? h->by_crew[crew] : least;
    return least;
}
