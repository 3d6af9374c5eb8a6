/* See heard.h. A kernel has at most WW_MAX_TASKS tasks, so everything is a short loop. */
#include "prove/heard.h"

heard heard_of(const machine *m, int entry)
{
    heard h = {.plan = m->plan};
    memset(h.by_task, 0xff, sizeof h.by_task);
    int owner = entry < plan_stage_entry(m->plan, 0) ? entry / m->plan->lanes : -1;
    for (int i = 0; i < m->plan->agent_count; i++) {
        uint32_t *least = &h.by_task[m->plan->agents[i].task];
        uint32_t known = machine_clock(m, i)[entry];
        if (i != owner && machine_alive(m, i) && known < *least)
            *least = known;
    }
    return h;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

uint32_t heard_touching(const heard *h, int buffer, uint8_t how)
{
    uint32_t least = UINT32_MAX;
    for (size_t task = 0; task < h->plan->program->tasks.len; task++)
        if (*plan_touches(h->plan, (int)task, buffer) & how)
            least = smaller(least, h->by_task[task]);
    return least;
}

uint32_t heard_arriving(const heard *h, int barrier)
{
    uint32_t least = UINT32_MAX;
    for (size_t task = 0; task < h->plan->program->tasks.len; task++)
        if (*plan_arrives(h->plan, (int)task, barrier))
            least = smaller(least, h->by_task[task]);
    return least;
}

uint32_t heard_waiting(const heard *h, int barrier)
{
    uint32_t least = UINT32_MAX;
    for (size_t task = 0; task < h->plan->program->tasks.len; task++)
        if (*plan_waits_on(h->plan, (int)task, barrier))
            least = smaller(least, h->by_task[task]);
    return least;
}

uint32_t heard_using(const heard *h, int barrier)
{
    uint32_t least = UINT32_MAX;
    for (size_t task = 0; task < h->plan->program->tasks.len; task++)
        if (*plan_uses(h->plan, (int)task, barrier))
            least = smaller(least, h->by_task[task]);
    return least;
}

uint32_t heard_by_all(const heard *h)
{
    uint32_t least = UINT32_MAX;
    for (size_t task = 0; task < h->plan->program->tasks.len; task++)
        least = smaller(least, h->by_task[task]);
    return least;
}
