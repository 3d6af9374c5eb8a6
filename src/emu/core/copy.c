/* copy.c: cp.async (PTX ISA, section 9.7.9.25.3) and st.async, red.async (9.7.9.13, 9.7.13.8). */
#include "emu/check/fences.h"
#include "emu/check/races.h"
#include "emu/core/atomic.h"
#include "emu/core/decode.h"
#include "emu/core/pending.h"

/* ---- cp.async ----------------------------------------------------------------------------------------- */

static void carry_out_copy(pending *p)
{
    pending_copy *c = &p->lanes_copy;
    EACH_LANE(p->lanes)
    {
        memcpy(c->to[lane], c->from[lane], c->have[lane]);
        memset(c->to[lane] + c->have[lane], 0, c->bytes - c->have[lane]);
    }
    if (CLUSTER(p->warp)->fences)
        fences_written(p->warp, p->step, p->lanes, c->to, c->bytes);
}

/* Lanes whose open groups have the same number; usually all of them. */
static uint32_t same_group(const warp *w, uint32_t mask)
{
    uint32_t first = w->copy_group[__builtin_ctz(mask)], lanes = 0;
    EACH_LANE(mask)
    {
        lanes |= (uint32_t)(w->copy_group[lane] == first) << lane;
    }
    return lanes;
}

static void issue_copy(warp *w, const op *o, uint32_t lanes, uint8_t *const *to)
{
    pending *p = pending_new(w, lanes, "cp.async", carry_out_copy);
    pending_copy *c = &p->lanes_copy;
    const uint32_t *source_bytes = o->arg[1] == ARG_NONE ? NULL : REG(w, o->arg[1]);
    uint32_t ignored = o->arg[2] == ARG_NONE ? 0 : PREDICATE_READ(w, o->arg[2]);
    p->kind = PENDING_COPY;
    p->group = w->copy_group[__builtin_ctz(lanes)];
    c->bytes = o->width;
    EACH_LANE(lanes)
    {
        uint64_t address = memory_lane_address(w, o->address[1], lane);
        uint32_t have = source_bytes ? source_bytes[lane] : o->width;
        if (have > o->width)
            lane_fault(w, lane, "cp.async of %u bytes with a source of %u", o->width, have);
        have = ignored >> lane & 1 ? 0 : have;
        if (address % o->width)
            lane_fault(w, lane, "source address 0x%llx is not a multiple of %u", (unsigned long long)address,
                       o->width);
        c->to[lane] = to[lane];
        c->have[lane] = (uint8_t)have;
        c->from[lane] = have ? memory_generic(w, lane, address, have, MEMORY_READ) : to[lane];
    }
    if (CLUSTER(w)->races)
        races_next(p, RACE_COPY);
    EACH_LANE(CLUSTER(w)->races ? lanes : 0)
    {
        races_by_pipe(w, RACE_COPY, w->cta, (uint32_t)(to[lane] - w->cta->shared), o->width, true);
    }
    pending_issue(p);
}

static void run_cp_async(warp *w, const op *o, uint32_t mask)
{
    uint8_t *to[WARP_LANES];
    memory_lanes(w, o, mask, o->width, MEMORY_WRITE_LATER, to);
    while (mask) {
        uint32_t lanes = same_group(w, mask);
        issue_copy(w, o, lanes, to);
        mask &= ~lanes;
    }
}

/* [to], [from], size {, source size or predicate} {, policy} */
static bool finish_cp_async(decoder *d, op *o, const opcode *code)
{
    const ptx_instruction *i = d->instruction;
    ptx_space to = PTX_SHARED, from = PTX_GLOBAL;
    int64_t bytes;
    uint32_t extra = i->operand_count - (o->modifiers & MOD(CACHE_HINT) ? 1u : 0u);
    (void)code;
    if (extra != 3 && extra != 4)
        return decode_refuse(d, "operands of this form");
    if (!decode_address(d, &i->operands[0], &o->address[0], &to) ||
        !decode_address(d, &i->operands[1], &o->address[1], &from) ||
        !decode_immediate(d, &i->operands[2], &bytes))
        return false;
    if (bytes != 4 && bytes != 8 && bytes != 16)
        return decode_refuse(d, "a size of 4, 8 or 16 expected");
    o->space = PTX_SHARED;
    o->width = (uint8_t)bytes;
    o->run = run_cp_async;
    if (extra == 3)
        return true;
    if (decode_register_bits(d, &i->operands[3]) == 1)
        return decode_source(d, &i->operands[3], 1, PTX_PRED, &o->arg[2]);
    return decode_source(d, &i->operands[3], 32, PTX_U32, &o->arg[1]);
}

const op_family family_cp_async = {.finish = finish_cp_async};

static void run_commit(warp *w, const op *o, uint32_t mask)
{
    (void)o;
    EACH_LANE(mask)
    {
        w->copy_group[lane]++;
    }
}

static void run_wait_group(warp *w, const op *o, uint32_t mask)
{
    if (w->pending_copies)
        pending_wait(w, PENDING_COPY, mask, o->arg[0], false);
    if (CLUSTER(w)->races)
        races_waited(w, RACE_COPY);
}

static void run_wait_all(warp *w, const op *o, uint32_t mask)
{
    (void)o;
    if (w->pending_copies)
        pending_wait(w, PENDING_COPY, mask, 0, true);
    if (CLUSTER(w)->races)
        races_waited(w, RACE_COPY);
}

const op_family family_cp_async_commit = {.any = run_commit};
const op_family family_cp_async_wait_group = {.any = run_wait_group};
const op_family family_cp_async_wait_all = {.any = run_wait_all};

/* ---- cp.async.mbarrier.arrive ------------------------------------------------------------------------- */

static void carry_out_arrive(pending *p)
{
    pending_finish_before(p, PENDING_COPY);
    EACH_LANE(p->lanes)
    {
        mbarrier_async_arrive(p->warp, p->warp->cta, p->arrive.offset[lane]);
    }
}

/* Without .noinc, the arrival is added to what the phase waits for. */
static void run_copy_arrive(warp *w, const op *o, uint32_t mask)
{
    pending *p = pending_new(w, mask, "cp.async.mbarrier.arrive", carry_out_arrive);
    EACH_LANE(mask)
    {
        cta *owner;
        uint32_t address = memory_to_shared(w, lane, memory_lane_address(w, o->address[0], lane));
        uint8_t *at = memory_shared(w, lane, address, 8, &owner);
        if (owner != w->cta || address % 8)
            lane_fault(w, lane, "0x%x is no place of an mbarrier of this CTA", address);
        p->arrive.offset[lane] = (uint32_t)(at - owner->shared);
        if (o->modifiers & MOD(NOINC))
            mbarrier_check(w, owner, p->arrive.offset[lane]);
        else
            mbarrier_async_pend(w, owner, p->arrive.offset[lane]);
    }
    p->writes = UINT32_C(1) << w->cta->rank;
    if (CLUSTER(w)->races)
        races_tells_pipe(p, RACE_COPY);
    pending_issue(p);
}

const op_family family_cp_async_arrive = {.any = run_copy_arrive};

/* ---- st.async, red.async ------------------------------------------------------------------------------ */

static void carry_out_remote(pending *p)
{
    pending_remote *r = &p->remote;
    if (r->operation < 0) {
        memcpy(r->to, r->value, r->bytes);
    } else {
        uint64_t b = 0;
        bool changed = false;
        memcpy(&b, r->value, r->bytes);
        (void)atomic_exchange_word(r->to, (atomic_operation)r->operation, r->type, b, 0, false, &changed);
    }
    mbarrier_complete_tx(p->warp, &CLUSTER(p->warp)->ctas[r->rank], r->barrier_offset, r->bytes);
}

static void issue_remote(warp *w, const op *o, uint32_t lane)
{
    uint32_t element = ptx_type_bytes((ptx_type)o->type);
    pending *p = pending_new(w, UINT32_C(1) << lane, o->choice ? "red.async" : "st.async", carry_out_remote);
    pending_remote *r = &p->remote;
    cta *owner, *barrier_owner;
    if (!o->choice && CLUSTER(w)->cta_count == 1)
        lane_fault(w, lane, "st.async in a cluster of one CTA: an illegal instruction on devices");
    *r = (pending_remote){
        .bytes = element * o->count, .operation = (int)o->choice - 1, .type = (ptx_type)o->type};
    uint32_t to = memory_to_shared(w, lane, memory_lane_address(w, o->address[0], lane));
    uint32_t barrier = memory_to_shared(w, lane, memory_lane_address(w, o->address[1], lane));
    if (to % r->bytes || barrier % 8)
        lane_fault(w, lane, "destination 0x%x or mbarrier 0x%x is not aligned", to, barrier);
    r->to = memory_shared(w, lane, to, r->bytes, &owner);
    r->barrier_offset =
        (uint32_t)(memory_shared(w, lane, barrier, 8, &barrier_owner) - barrier_owner->shared);
    if (owner != barrier_owner)
        lane_fault(w, lane, "destination and mbarrier are in different CTAs");
    r->rank = owner->rank;
    if (CLUSTER(w)->races && !o->choice) /* reductions may meet */
        races_by_barrier(w, owner, r->barrier_offset, owner, (uint32_t)(r->to - owner->shared), r->bytes,
                         true);
    p->writes = UINT32_C(1) << owner->rank;
    for (uint32_t i = 0; i < o->count; i++)
        memcpy(r->value + i * element, (const uint8_t *)REG(w, o->list[i]) + lane * element, element);
    pending_issue(p);
}

static void run_remote(warp *w, const op *o, uint32_t mask)
{
    EACH_LANE(mask)
    {
        issue_remote(w, o, lane);
    }
}

/* [to], value or {values}, [mbarrier]; choice: 0 st.async, otherwise 1 + the operation */
static bool finish_remote(decoder *d, op *o, const opcode *code)
{
    const ptx_instruction *i = d->instruction;
    ptx_space ignored = PTX_SHARED;
    uint32_t bits = ptx_type_bits((ptx_type)o->type);
    int how = strncmp(code->full, "red", 3) == 0 ? opcode_pick(code, ATOMIC_OPERATIONS, -1) : -1;
    if (i->operand_count != 3 || (bits != 32 && bits != 64))
        return decode_refuse(d, "operands of this form");
    if (how >= 0 && !atomic_allowed((atomic_operation)how, (ptx_type)o->type))
        return decode_refuse(d, "no such operation for this type");
    o->choice = (uint8_t)(how + 1);
    o->count = (uint8_t)opcode_number(code, 'v', 1);
    if (bits * o->count > 128)
        return decode_refuse(d, "more than 16 bytes");
    uint32_t *list = decode_list(d, o->count);
    o->list = list;
    o->list_len = o->count;
    o->run = run_remote;
    return decode_address(d, &i->operands[0], &o->address[0], &ignored) &&
           decode_vector(d, &i->operands[1], false, bits, (ptx_type)o->type, list, o->count) &&
           decode_address(d, &i->operands[2], &o->address[1], &ignored);
}

const op_family family_st_async = {.finish = finish_remote};
const op_family family_red_async = {.finish = finish_remote};
