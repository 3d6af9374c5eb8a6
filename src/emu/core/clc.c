/* clc.c: cluster launch control: a running cluster takes over the work of one that has not started (PTX ISA,
 * "clusterlaunchcontrol.try_cancel", "clusterlaunchcontrol.query_cancel").
 *
 * launch.c hands out what has not started; a cluster that is taken out never will. Which one a request gets is decided
 * when the request is carried out. The record of 16 bytes is opaque to programs; ours is
 *
 *   word 0  GRANTED or REFUSED    words 1..3  indexes of the cluster's first CTA, x, y, z
 *
 * so that reading anything else as a record, one too early for instance, is a fault. So are what the ISA leaves
 * undefined: indexes of a refused request, and asking again once a refusal has been read. */
#include "emu/check/fences.h"
#include "emu/check/races.h"
#include "emu/core/decode.h"
#include "emu/core/pending.h"

enum { RECORD_BYTES = 16, ALL_AXES = 3 };

#define GRANTED UINT32_C(0xc1c00001)
#define REFUSED UINT32_C(0xc1c00000)

/* ---- try_cancel --------------------------------------------------------------------------------------- */

static void decide(cluster *c, uint32_t record[4])
{
    uint32_t index;
    bool granted = grid_cancel(c->grid, &index);
    record[0] = granted ? GRANTED : REFUSED;
    record[1] = record[2] = record[3] = UINT32_MAX;
    if (granted)
        cluster_first_cta(c->grid, index, &record[1]);
}

/* All CTAs get the same answer, whenever it lands there. */
static void carry_out_cancel(pending *p)
{
    pending_cancel *t = &p->cancel;
    cluster *c = CLUSTER(p->warp);
    if (!t->record[0])
        decide(c, t->record);
    for (uint32_t rank = 0; rank < c->cta_count; rank++) {
        if (!(t->ctas >> rank & 1))
            continue;
        memcpy(c->ctas[rank].shared + t->offset, t->record, sizeof t->record);
        mbarrier_complete_tx(p->warp, &c->ctas[rank], t->barrier_offset, RECORD_BYTES);
    }
}

static shared_place own_place(warp *w, const op *o, uint32_t lane, uint32_t which, uint32_t bytes)
{
    shared_place at = pending_place(w, o, lane, which, bytes, bytes);
    if (at.cta != w->cta)
        lane_fault(w, lane,
                   "clusterlaunchcontrol.try_cancel with an address in CTA %u of the cluster: our own is "
                   "needed",
                   at.cta->rank);
    return at;
}

/* The CTAs that get the record: those of the cluster, with .multicast::cluster::all. */
static uint32_t receivers(warp *w, const op *o, uint32_t lane, uint32_t barrier_offset)
{
    cluster *c = CLUSTER(w);
    bool all = (o->modifiers & MOD(MULTICAST_ALL)) != 0;
    uint32_t ctas = 0;
    for (uint32_t rank = 0; rank < c->cta_count; rank++) {
        if (!all && rank != w->cta->rank)
            continue;
        if (!c->ctas[rank].live_warps)
            lane_fault(w, lane, "multicast to CTA %u of the cluster, which has exited", rank);
        mbarrier_check(w, &c->ctas[rank], barrier_offset);
        ctas |= UINT32_C(1) << rank;
    }
    return ctas;
}

static void issue_cancel(warp *w, const op *o, uint32_t lane)
{
    if (CLUSTER(w)->cancel_refused)
        lane_fault(w, lane, "clusterlaunchcontrol.try_cancel after a refused one was read: undefined");
    shared_place record = own_place(w, o, lane, 0, RECORD_BYTES), barrier = own_place(w, o, lane, 1, 8);
    uint32_t ctas = receivers(w, o, lane, barrier.offset);
    pending *p = pending_new(w, UINT32_C(1) << lane, "clusterlaunchcontrol.try_cancel", carry_out_cancel);
    p->cancel = (pending_cancel){.offset = record.offset, .barrier_offset = barrier.offset, .ctas = ctas};
    p->writes = ctas;
    p->ctas = &p->cancel.ctas;
    for (uint32_t rank = 0; CLUSTER(w)->fences && rank < CLUSTER(w)->cta_count; rank++)
        if (ctas >> rank & 1)
            fences_engine(w, &CLUSTER(w)->ctas[rank], record.offset, RECORD_BYTES,
                          "clusterlaunchcontrol.try_cancel writes");
    for (uint32_t rank = 0; CLUSTER(w)->races && rank < CLUSTER(w)->cta_count; rank++)
        if (ctas >> rank & 1)
            races_by_barrier(w, &CLUSTER(w)->ctas[rank], barrier.offset, &CLUSTER(w)->ctas[rank],
                             record.offset, RECORD_BYTES, true);
    pending_issue(p);
}

static void run_try_cancel(warp *w, const op *o, uint32_t mask)
{
    EACH_LANE(mask)
    {
        issue_cancel(w, o, lane);
    }
}

static bool finish_try_cancel(decoder *d, op *o, const opcode *code)
{
    (void)o;
    (void)code;
    d->program->uses_clc = true;
    return true;
}

const op_family family_try_cancel = {.any = run_try_cancel, .finish = finish_try_cancel};

/* ---- query_cancel ------------------------------------------------------------------------------------- */

static const uint32_t *record_of(warp *w, uint32_t argument, uint32_t lane)
{
    const uint32_t *record = (const uint32_t *)REG(w, argument) + 4 * lane;
    if (record[0] != GRANTED && record[0] != REFUSED)
        lane_fault(w, lane, "0x%08x... is not a record that clusterlaunchcontrol.try_cancel has written",
                   record[0]);
    return record;
}

static void run_is_canceled(warp *w, const op *o, uint32_t mask)
{
    uint32_t granted = 0;
    EACH_LANE(mask)
    {
        granted |= (uint32_t)(record_of(w, o->arg[1], lane)[0] == GRANTED) << lane;
    }
    if (granted != mask)
        CLUSTER(w)->cancel_refused = true;
    predicate_write(&PREDICATE(w, o->arg[0]), mask, granted);
}

static bool finish_is_canceled(decoder *d, op *o, const opcode *code)
{
    const ptx_instruction *i = d->instruction;
    (void)code;
    o->run = run_is_canceled;
    if (i->operand_count != 2)
        return decode_refuse(d, "operands of this form");
    return decode_destination(d, &i->operands[0], 1, &o->arg[0]) &&
           decode_source(d, &i->operands[1], 128, PTX_B128, &o->arg[1]);
}

const op_family family_is_canceled = {.finish = finish_is_canceled};

/* list: destinations; choice: the first axis they are of */
static void run_first_ctaid(warp *w, const op *o, uint32_t mask)
{
    EACH_LANE(mask)
    {
        const uint32_t *record = record_of(w, o->arg[0], lane);
        if (record[0] != GRANTED)
            lane_fault(w, lane, "the first CTA of a cluster that was not granted: undefined");
        for (uint32_t i = 0; i < o->count && i < ALL_AXES; i++)
            ((uint32_t *)REG(w, o->list[i]))[lane] = record[1 + o->choice + i];
    }
}

/* {x, y, z, _}, record; or with ::x, ::y, ::z one destination */
static bool finish_first_ctaid(decoder *d, op *o, const opcode *code)
{
    const ptx_instruction *i = d->instruction;
    int axis =
        opcode_pick(code, "get_first_ctaid::x get_first_ctaid::y get_first_ctaid::z get_first_ctaid", -1);
    bool all = axis == ALL_AXES;
    if (axis < 0 || i->operand_count != 2 || all != opcode_has(code, "v4"))
        return decode_refuse(d, "operands of this form");
    o->run = run_first_ctaid;
    o->count = all ? 4 : 1;
    o->choice = (uint8_t)(all ? 0 : axis);
    uint32_t *list = decode_list(d, o->count);
    o->list = list;
    o->list_len = o->count;
    return decode_vector(d, &i->operands[0], true, 32, PTX_B32, list, o->count) &&
           decode_source(d, &i->operands[1], 128, PTX_B128, &o->arg[0]);
}

const op_family family_first_ctaid = {.finish = finish_first_ctaid};
