/* See heard.h. Rows are gone through as a whole; a stage or slot knows which crews are concerned (plan_crews). */
#include "prove/heard.h"

static uint32_t *least_of_crew(const machine *m, int crew)
{
    return m->least + (size_t)crew * (size_t)m->plan->width;
}

static void lower_to(uint32_t *into, const uint32_t *from, int width)
{
    for (int i = 0; i < width; i++)
        into[i] = from[i] < into[i] ? from[i] : into[i];
}

void heard_listen(const machine *m)
{
    memset(m->least, 0xff, (size_t)m->plan->crew_count * (size_t)m->plan->width * sizeof(uint32_t));
    for (int i = 0; i < m->plan->agent_count; i++)
        if (machine_alive(m, i))
            lower_to(least_of_crew(m, m->plan->agents[i].crew), machine_clock(m, i), m->plan->width);
}

static uint32_t least_of(const heard *h, const plan_crews *crews, int which)
{
    uint32_t least = UINT32_MAX;
    for (int i = crews->first[which]; i < crews->first[which + 1]; i++) {
        uint32_t known = least_of_crew(h->m, crews->at[i])[h->entry];
        least = known < least ? known : least;
    }
    return least;
}

uint32_t heard_touching(const heard *h, int slot, uint8_t how)
{
    return least_of(h, &h->m->plan->touching[how], slot);
}

uint32_t heard_acting(const heard *h, int stage, uint8_t how)
{
    return least_of(h, &h->m->plan->acting[how], stage);
}

uint32_t heard_by_all(const heard *h)
{
    uint32_t least = UINT32_MAX;
    for (int crew = 0; crew < h->m->plan->crew_count; crew++) {
        uint32_t known = least_of_crew(h->m, crew)[h->entry];
        least = known < least ? known : least;
    }
    return least;
}

const uint32_t *heard_clock(const machine *m, int stage, uint8_t how, uint32_t *clock)
{
    const plan_crews *crews = &m->plan->acting[how];
    if (crews->first[stage + 1] - crews->first[stage] == 1)
        return least_of_crew(m, crews->at[crews->first[stage]]);
    memset(clock, 0xff, (size_t)m->plan->width * sizeof(uint32_t));
    for (int i = crews->first[stage]; i < crews->first[stage + 1]; i++)
        lower_to(clock, least_of_crew(m, crews->at[i]), m->plan->width);
    return clock;
}
