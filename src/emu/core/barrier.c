/* barrier.c: barriers of a CTA, by number, and of a cluster (PTX ISA, sections 9.7.13.1 and 9.7.13.3).
 *
 * A named barrier counts threads, a whole warp at a time: a warp's arrival adds 32. It is complete when as many have
 * arrived as the first one said; without a number, when all threads have that have not exited.
 *
 * A cluster barrier has an arrive and a wait half. A thread must wait for each phase it has arrived in before
 * it arrives again. */
#include "emu/check/races.h"
#include "emu/core/decode.h"

/* ---- named barriers ----------------------------------------------------------------------------------- */

static void complete(cta *c, named_barrier *b)
{
    b->last_popc = b->popc;
    b->last_all = b->all;
    b->last_any = b->any;
    b->arrived = b->popc = b->any = 0;
    b->all = 1;
    b->generation++;
    if (c->cluster->races)
        races_all_met(c, (uint32_t)(b - c->named));
    cluster_effect(c->cluster);
}

static uint32_t live_threads(const cta *c)
{
    return c->live_warps * WARP_LANES;
}

void named_barriers_recount(cta *c)
{
    for (uint32_t i = 0; i < NAMED_BARRIERS; i++) {
        named_barrier *b = &c->named[i];
        if (!b->arrived || !b->implicit)
            continue;
        b->expected = live_threads(c);
        if (b->arrived >= b->expected)
            complete(c, b);
    }
}

static uint32_t uniform(warp *w, uint32_t argument, uint32_t mask, const char *what)
{
    const uint32_t *value = REG(w, argument);
    uint32_t first = value[__builtin_ctz(mask)];
    EACH_LANE(mask)
    {
        if (value[lane] != first)
            lane_fault(w, lane, "%s is %u here and %u in another lane of the warp", what, value[lane], first);
    }
    return first;
}

/* arg: the barrier, the number of threads, predicate of bar.red, destination of bar.red */
typedef struct barrier_call {
    uint32_t id, threads;
    bool implicit;
} barrier_call;

static barrier_call read_call(warp *w, const op *o, uint32_t mask)
{
    barrier_call call = {.id = uniform(w, o->arg[0], mask, "the barrier"), .implicit = o->arg[1] == ARG_NONE};
    if (call.id >= NAMED_BARRIERS)
        warp_fault(w, "barrier %u: there are %d", call.id, NAMED_BARRIERS);
    call.threads =
        call.implicit ? live_threads(w->cta) : uniform(w, o->arg[1], mask, "the number of threads");
    if (call.threads == 0 || call.threads % WARP_LANES)
        warp_fault(w, "barrier %u for %u threads: a multiple of %d is needed", call.id, call.threads,
                   WARP_LANES);
    if (call.threads > w->cta->warp_count * WARP_LANES)
        warp_fault(w, "barrier %u for %u threads, in a CTA of %u", call.id, call.threads, GRID(w)->threads);
    return call;
}

static void arrive(warp *w, const barrier_call *call, uint32_t mask, uint32_t votes)
{
    named_barrier *b = &w->cta->named[call->id];
    if (b->arrived == 0) {
        b->expected = call->threads;
        b->implicit = call->implicit;
        b->all = 1;
    } else if (b->expected != call->threads) {
        warp_fault(w, "barrier %u for %u threads; those who arrived earlier said %u", call->id, call->threads,
                   b->expected);
    }
    if (CLUSTER(w)->races)
        races_met(w, call->id, true);
    b->popc += (uint32_t)__builtin_popcount(votes);
    b->all &= votes == mask;
    b->any |= votes != 0;
    b->arrived += WARP_LANES;
    cluster_effect(CLUSTER(w));
    if (b->arrived == b->expected)
        complete(w->cta, b);
}

static bool whole_warp(warp *w, const op *o, uint32_t mask)
{
    return o->modifiers & MOD(ALIGNED) ? divergence_aligned(w, mask) : divergence_gather(w, mask, w->live);
}

static void deliver(warp *w, const op *o, uint32_t mask, const named_barrier *b)
{
    if (CLUSTER(w)->races)
        races_met(w, (uint32_t)(b - w->cta->named), false);
    if (o->arg[3] == ARG_NONE)
        return;
    uint32_t *d = REG(w, o->arg[3]);
    if (o->type == PTX_U32) {
        EACH_LANE(mask)
        {
            d[lane] = b->last_popc;
        }
    } else {
        bool result = o->choice == 0 ? b->last_all : b->last_any;
        predicate_write(d, mask, result ? ALL_LANES : 0);
    }
}

static void run_bar_sync(warp *w, const op *o, uint32_t mask)
{
    wait over;
    if (warp_resumes(w, &over) && over.kind == WAIT_NAMED) {
        deliver(w, o, mask, &w->cta->named[over.id]);
        return;
    }
    if (!whole_warp(w, o, mask))
        return;
    barrier_call call = read_call(w, o, mask);
    named_barrier *b = &w->cta->named[call.id];
    uint32_t generation = b->generation;
    arrive(w, &call, mask, o->arg[2] == ARG_NONE ? mask : PREDICATE_READ(w, o->arg[2]) & mask);
    if (b->generation != generation)
        deliver(w, o, mask, b);
    else
        warp_wait(w, (wait){.kind = WAIT_NAMED, .id = call.id, .generation = generation});
}

static void run_bar_arrive(warp *w, const op *o, uint32_t mask)
{
    if (!whole_warp(w, o, mask))
        return;
    barrier_call call = read_call(w, o, mask);
    arrive(w, &call, mask, mask);
}

static bool finish_red(decoder *d, op *o)
{
    const ptx_instruction *i = d->instruction;
    uint32_t n = i->operand_count;
    if (n != 3 && n != 4)
        return decode_refuse(d, "operands of this form");
    o->run = run_bar_sync;
    return decode_destination(d, &i->operands[0], o->type == PTX_U32 ? 32 : 1, &o->arg[3]) &&
           decode_source(d, &i->operands[1], 32, PTX_U32, &o->arg[0]) &&
           (n == 3 || decode_source(d, &i->operands[2], 32, PTX_U32, &o->arg[1])) &&
           decode_source(d, &i->operands[n - 1], 1, PTX_PRED, &o->arg[2]);
}

static bool finish_bar(decoder *d, op *o, const opcode *code)
{
    const ptx_instruction *i = d->instruction;
    if (strncmp(code->full, "bar.", 4) == 0)
        o->modifiers |= MOD(ALIGNED); /* bar is barrier.cta with .aligned */
    if (o->modifiers & MOD(RED)) {
        o->choice = (uint8_t)opcode_pick(code, "and or popc", 2);
        return finish_red(d, o);
    }
    bool arrives = (o->modifiers & MOD(ARRIVE)) != 0;
    o->run = arrives ? run_bar_arrive : run_bar_sync;
    if (i->operand_count != 2 && (arrives || i->operand_count != 1))
        return decode_refuse(d, "operands of this form");
    return decode_source(d, &i->operands[0], 32, PTX_U32, &o->arg[0]) &&
           (i->operand_count == 1 || decode_source(d, &i->operands[1], 32, PTX_U32, &o->arg[1]));
}

const op_family family_bar = {.finish = finish_bar};

/* ---- the cluster's barrier ---------------------------------------------------------------------------- */

/* Lanes of a warp that have arrived in the current phase. */
static uint32_t arrived_now(const warp *w)
{
    return w->cluster_phase == CLUSTER(w)->barrier_phase ? w->cluster_arrived : 0;
}

void cluster_barrier_recount(cluster *c)
{
    uint32_t arrived = 0;
    bool missing = false;
    for (uint32_t i = 0; i < c->cta_count; i++)
        for (uint32_t n = 0; n < c->ctas[i].warp_count; n++) {
            const warp *w = &c->ctas[i].warps[n];
            arrived += (uint32_t)__builtin_popcount(arrived_now(w));
            missing = missing || (w->live & ~arrived_now(w));
        }
    c->barrier_arrived = arrived;
    if (!arrived || missing)
        return;
    c->barrier_phase++;
    if (c->races)
        races_all_met(&c->ctas[0], RACE_CLUSTER);
    c->barrier_arrived = 0;
    cluster_effect(c);
}

static void run_cluster_arrive(warp *w, const op *o, uint32_t mask)
{
    if ((o->modifiers & MOD(ALIGNED)) && !divergence_aligned(w, mask))
        return;
    if (w->cluster_arrived & mask)
        warp_fault(w, "lanes 0x%08x arrive at the cluster barrier a second time without waiting",
                   w->cluster_arrived & mask);
    w->cluster_phase = CLUSTER(w)->barrier_phase;
    w->cluster_arrived |= mask;
    if (CLUSTER(w)->races)
        races_met(w, RACE_CLUSTER, true);
    cluster_effect(CLUSTER(w));
    cluster_barrier_recount(CLUSTER(w));
}

static void run_cluster_wait(warp *w, const op *o, uint32_t mask)
{
    wait over;
    (void)warp_resumes(w, &over);
    if ((o->modifiers & MOD(ALIGNED)) && !divergence_aligned(w, mask))
        return;
    if (mask & ~w->cluster_arrived)
        warp_fault(w, "lanes 0x%08x wait at the cluster barrier without having arrived",
                   mask & ~w->cluster_arrived);
    if (w->cluster_phase == CLUSTER(w)->barrier_phase)
        warp_wait(w, (wait){.kind = WAIT_CLUSTER, .generation = w->cluster_phase});
    else
        w->cluster_arrived &= ~mask;
    if (CLUSTER(w)->races)
        races_met(w, RACE_CLUSTER, false);
}

const op_family family_cluster_arrive = {.any = run_cluster_arrive};
const op_family family_cluster_wait = {.any = run_cluster_wait};
