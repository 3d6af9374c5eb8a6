/* schedule.c: who runs next: lanes within a warp, warps within a cluster.
 *
 * Warps take turns, each for a number of instructions or until it must wait. Waiting is polling: a group of lanes
 * carries what it waits for, and the scheduler looks whether that has come. When no warp of the cluster can
 * run, in this order: an asynchronous operation that is pending is carried out; lanes waiting in a
 * try_wait are told that it failed, as its time limit allows; lanes waiting at a join go on alone. When nothing of that
 * is left, it is a deadlock.
 *
 * A try_wait that keeps failing while nothing else happens in the cluster must end too, or a spin loop around
 * one would never be recognised as waiting: after FRUITLESS such failures it stays asleep. */
#include "emu/core/core.h"

enum {
    TURN = 512,        /* instructions a warp may run before the next one has its turn */
    PROBE = 4096,      /* instructions after which a warp is asked whether it spins, */
    PROBE_STEPS = 256, /* ... and the longest loop that is recognised */
    FRUITLESS = 64,    /* failed try_waits of a warp without any effect in the cluster */
    LAZY_TURNS = 64,   /* for which a warp is slow, with EMU_ASYNC_RANDOM */
    IDLE_TURNS = 8,    /* rounds without an effect before asynchronous operations advance under spinning, */
    LONG_IDLE = 4096,  /* ... and before lanes at a join go on alone, lest a lock is held by one of them */
};

/* ---- waiting ---------------------------------------------------------------------------------------- */

void warp_wait(warp *w, wait what)
{
    w->groups[w->current].wait = what;
    w->pc--;
    w->leave = true;
}

bool warp_resumes(warp *w, wait *over)
{
    group *g = &w->groups[w->current];
    if (g->wait.kind == WAIT_NOTHING)
        return false;
    *over = g->wait;
    g->wait.kind = WAIT_NOTHING;
    return true;
}

static bool ready_always(const warp *w, const group *g)
{
    (void)w;
    (void)g;
    return true;
}

static bool ready_mbarrier(const warp *w, const group *g)
{
    (void)w;
    return g->wait.timed_out || mbarrier_phase_done(g->wait.cta, g->wait.address, g->wait.parity);
}

static bool ready_named(const warp *w, const group *g)
{
    return w->cta->named[g->wait.id].generation != g->wait.generation;
}

static bool ready_cluster(const warp *w, const group *g)
{
    return w->cta->cluster->barrier_phase != g->wait.generation;
}

/* The missing lanes may have exited. */
static bool ready_lanes(const warp *w, const group *g)
{
    return !(g->wait.members & w->live & ~divergence_waiting_at(w, g->pc));
}

static bool ready_tmem(const warp *w, const group *g)
{
    return tmem_ready(w->cta, g->wait.id, g->wait.parity);
}

static bool ready_mark(const warp *w, const group *g)
{
    (void)g;
    return w->granted || !script_runs(w->cta->cluster);
}

static bool ready_sleep(const warp *w, const group *g)
{
    return w->cta->cluster->turn >= g->wait.until;
}

bool wait_over(const warp *w, const group *g)
{
    static bool (*const ready[WAIT_KIND_COUNT])(const warp *, const group *) = {
#define WAIT_KIND(name, ready, describe) [WAIT_##name] = ready,
#include "emu/core/waits.def"
#undef WAIT_KIND
    };
    return ready[g->wait.kind](w, g);
}

/* ---- one warp --------------------------------------------------------------------------------------- */

/* Runs the current group until it leaves or has used its turn. */
static void run_group(warp *w, uint32_t *budget)
{
    const op *ops = GRID(w)->program->ops;
    uint32_t left = *budget;
    w->leave = false;
    do {
        uint32_t pc = w->pc;
        if (pc == w->stop_join || pc == w->stop_merge)
            break;
        const op *o = &ops[pc];
        uint32_t mask = w->active & (PREDICATE(w, o->guard) ^ o->guard_flip);
        w->pc = pc + 1;
        if (mask)
            o->run(w, o, mask);
        left--;
    } while (!w->leave && left);
    w->instructions += *budget - left;
    w->slice += *budget - left;
    w->unprobed += *budget - left;
    *budget = left;
}

/* A warp spins when it comes back to the same instruction with the same registers and nothing has happened
 * meanwhile: only others can get it out of there. */
static bool spins(warp *w)
{
    cluster *c = CLUSTER(w);
    uint32_t bytes = GRID(w)->program->register_bytes, pc = w->pc, lanes = w->active;
    uint64_t effects = c->effects;
    if (c->probe_bytes < bytes) {
        c->probe = base_realloc(c->probe, bytes);
        c->probe_bytes = bytes;
    }
    memcpy(c->probe, w->file[0], bytes);
    for (uint32_t i = 0; i < PROBE_STEPS; i++) {
        uint32_t one = 1;
        run_group(w, &one);
        if (!divergence_select(w))
            return false;
        if (w->pc == pc && w->active == lanes)
            return c->effects == effects && memcmp(c->probe, w->file[0], bytes) == 0;
    }
    return false;
}

/* A warp may spin on what only its lanes at a join can do: they are let go. */
static void probe(warp *w)
{
    w->unprobed = 0;
    if (divergence_lanes_wait(w) && divergence_select(w) && spins(w))
        (void)divergence_release(w);
}

/* False when the warp had nothing to run. */
static bool run_warp(warp *w)
{
    uint32_t budget = TURN;
    bool ran = false;
    while (budget && divergence_select(w)) {
        run_group(w, &budget);
        ran = true;
    }
    if (w->unprobed >= PROBE)
        probe(w);
    return ran;
}

/* ---- the cluster ------------------------------------------------------------------------------------ */

/* Tells one group that its try_wait has failed, unless that has led nowhere too often. */
static bool time_out(cluster *c, warp *w)
{
    for (uint32_t i = 0; i < w->group_count; i++) {
        wait *waiting = &w->groups[i].wait;
        if (waiting->kind != WAIT_MBARRIER || waiting->timed_out)
            continue;
        if (w->fruitless_effects != c->effects)
            w->fruitless = 0;
        w->fruitless_effects = c->effects;
        if (w->fruitless == FRUITLESS)
            return false;
        w->fruitless++;
        waiting->timed_out = true;
        return true;
    }
    return false;
}

static bool any_warp(cluster *c, bool (*act)(cluster *, warp *))
{
    bool acted = false;
    for (uint32_t i = 0; i < c->cta_count; i++)
        for (uint32_t n = 0; n < c->ctas[i].warp_count; n++)
            acted |= act(c, &c->ctas[i].warps[n]);
    return acted;
}

static bool release_join(cluster *c, warp *w)
{
    (void)c;
    return w->live && !divergence_stuck_at_aligned(w) && divergence_release(w);
}

/* A thread that sleeps will wake. */
static bool asleep(cluster *c, warp *w)
{
    (void)c;
    for (uint32_t i = 0; i < w->group_count; i++)
        if (w->groups[i].wait.kind == WAIT_SLEEP)
            return true;
    return false;
}

/* Nothing could run. False when that will not change. */
static bool unblock(cluster *c)
{
    if (script_runs(c) ? script_advance(c) : async_queue_advance(c))
        return true;
    return any_warp(c, asleep) || any_warp(c, time_out) || any_warp(c, release_join);
}

static bool alive(const cluster *c)
{
    for (uint32_t i = 0; i < c->cta_count; i++)
        if (c->ctas[i].live_warps)
            return true;
    return false;
}

/* With EMU_ASYNC_RANDOM warps are slow at times, so that others overtake them: a missing wait for one shows. Which ones
 * changes every LAZY_TURNS turns. */
static bool is_lazy(const cluster *c, const warp *w)
{
    const emu_launch *launch = c->grid->launch;
    if (launch->async_order != EMU_ASYNC_RANDOM || script_runs(c))
        return false;
    const uint64_t when[] = {launch->seed, c->index, c->turn / LAZY_TURNS, w->cta->rank, w->index};
    return hash_bytes(HASH_SEED, when, sizeof when) >> 32 & 1;
}

static bool run_those(cluster *c, bool lazy)
{
    bool ran = false;
    for (uint32_t i = 0; i < c->cta_count; i++) {
        cta *at = &c->ctas[i];
        for (uint32_t n = 0; n < at->warp_count; n++)
            if (at->warps[n].live && is_lazy(c, &at->warps[n]) == lazy)
                ran |= run_warp(&at->warps[n]);
    }
    return ran;
}

/* Slow warps run when no other can. */
static bool run_round(cluster *c)
{
    return run_those(c, false) || run_those(c, true);
}

/* Warps that spin on memory keep the cluster busy; what they wait for may be an asynchronous operation. */
static void watch_idle(cluster *c, uint64_t effects_before)
{
    c->idle_turns = c->effects == effects_before ? c->idle_turns + 1 : 0;
    if (c->idle_turns % IDLE_TURNS == IDLE_TURNS - 1 && !script_runs(c))
        (void)async_queue_advance(c);
    if (c->idle_turns % LONG_IDLE == LONG_IDLE - 1)
        (void)any_warp(c, release_join);
}

static uint64_t count_instructions(const cluster *c)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < c->cta_count; i++)
        for (uint32_t n = 0; n < c->ctas[i].warp_count; n++)
            sum += c->ctas[i].warps[n].instructions;
    return sum;
}

static void check_limit(cluster *c)
{
    uint64_t limit = c->grid->launch->max_instructions;
    if (limit && c->instructions > limit)
        cta_fault(&c->ctas[0], "the CTA has run for more than %llu instructions", (unsigned long long)limit);
}

/* Every warp waits, or spins in one place: what they wait for can only come from another cluster. A warp whose
 * lanes run in several places is given the benefit of the doubt. */
static bool all_spin(cluster *c)
{
    for (uint32_t i = 0; i < c->cta_count; i++)
        for (uint32_t n = 0; n < c->ctas[i].warp_count; n++) {
            warp *w = &c->ctas[i].warps[n];
            uint32_t runnable = 0;
            for (uint32_t k = 0; w->live && k < w->group_count; k++)
                runnable += w->groups[k].wait.kind == WAIT_NOTHING;
            if (runnable > 1 || (runnable && !(divergence_select(w) && spins(w))))
                return false;
        }
    return true;
}

void cluster_give_up(cluster *c)
{
    if (!setjmp(c->failed))
        report_deadlock(c);
}

bool cluster_run(cluster *c, uint64_t budget)
{
    if (setjmp(c->failed))
        return true;
    uint64_t end = c->instructions + budget, effects_before = c->effects;
    c->hung = false;
    while (alive(c)) {
        uint64_t effects = c->effects;
        c->turn++;
        if (run_round(c))
            watch_idle(c, effects);
        else if (!unblock(c))
            script_runs(c) ? script_fail(c) : report_deadlock(c);
        async_queue_turn(c);
        c->instructions = count_instructions(c);
        check_limit(c);
        if (c->instructions >= end) {
            c->hung = c->effects == effects_before && all_spin(c);
            return false;
        }
    }
    if (script_runs(c))
        script_finish(c);
    return true;
}
