/* control.c: branches, returns, exits and what else steers a thread (PTX ISA, section 9.7.12, "Control Flow
 * Instructions", and 9.7.19, "Miscellaneous Instructions"). */
#include "emu/check/races.h"
#include "emu/core/decode.h"

/* ---- branches --------------------------------------------------------------------------------------- */

static void run_bra(warp *w, const op *o, uint32_t mask)
{
    if (mask == w->active) {
        w->pc = o->target;
        w->leave = w->group_count > 1;
    } else {
        divergence_split(w, mask, o->target, o->join);
    }
}

static bool finish_bra(decoder *d, op *o, const opcode *code)
{
    (void)d;
    (void)code;
    o->flow = FLOW_BRANCH;
    return true;
}

const op_family family_bra = {.any = run_bra, .finish = finish_bra};

/* brx.idx index, table: lanes with the same index go together. */
static void run_brx(warp *w, const op *o, uint32_t mask)
{
    const uint32_t *index = REG(w, o->arg[0]);
    EACH_LANE(mask)
    {
        if (index[lane] >= o->list_len)
            lane_fault(w, lane, "index %u of a table of %u targets", index[lane], o->list_len);
    }
    while (mask) {
        uint32_t target = index[__builtin_ctz(mask)], lanes = 0;
        EACH_LANE(mask)
        {
            if (index[lane] == target)
                lanes |= UINT32_C(1) << lane;
        }
        mask &= ~lanes;
        if (lanes == w->active) {
            w->pc = o->list[target];
            w->leave = w->group_count > 1;
        } else {
            divergence_split(w, lanes, o->list[target], o->join);
        }
    }
}

static bool finish_brx(decoder *d, op *o, const opcode *code)
{
    (void)code;
    const ptx_instruction *i = d->instruction;
    if (i->operand_count != 2 || i->operands[1].kind != PTX_OPERAND_LABEL ||
        !decode_source(d, &i->operands[0], 32, PTX_U32, &o->arg[0]))
        return decode_refuse(d, "an index and a table of targets expected");
    const ptx_label *table = &d->now->function->labels.at[i->operands[1].index];
    if (!table->target_count)
        return decode_refuse(d, "%s is not a .branchtargets table", table->name);
    o->flow = FLOW_TABLE;
    o->list = decode_list(d, table->target_count);
    o->list_len = table->target_count;
    for (uint32_t n = 0; n < table->target_count; n++) {
        branch_fixup fixup = {(uint32_t)d->ops.len, n, table->targets[n].index};
        vec_push(&d->fixups, fixup);
    }
    return true;
}

const op_family family_brx = {.any = run_brx, .finish = finish_brx};

/* ---- the end of a thread ---------------------------------------------------------------------------- */

static void cta_ended(cta *c)
{
    async_queue_check_exit(c);
    tmem_check_exit(c);
    cluster_effect(c->cluster);
}

static void run_exit(warp *w, const op *o, uint32_t mask)
{
    (void)o;
    divergence_exit(w, mask);
    if (!w->live)
        w->cta->live_warps--;
    if (!w->live && CLUSTER(w)->races)
        races_ended(w);
    named_barriers_recount(w->cta);
    cluster_barrier_recount(CLUSTER(w));
    cluster_effect(CLUSTER(w));
    if (!w->cta->live_warps)
        cta_ended(w->cta);
}

static bool finish_exit(decoder *d, op *o, const opcode *code)
{
    (void)d;
    (void)code;
    o->flow = FLOW_EXIT;
    return true;
}

const op_family family_exit = {.any = run_exit, .finish = finish_exit};

/* In a call expanded in place, a branch behind it. */
static bool finish_ret(decoder *d, op *o, const opcode *code)
{
    (void)code;
    if (!d->now->caller) {
        o->run = run_exit;
        o->flow = FLOW_EXIT;
        return true;
    }
    branch_fixup fixup = {(uint32_t)d->ops.len, ARG_NONE, ARG_NONE};
    vec_push(&d->fixups, fixup);
    o->run = run_bra;
    o->flow = FLOW_BRANCH;
    return true;
}

const op_family family_ret = {.finish = finish_ret};

static void run_trap(warp *w, const op *o, uint32_t mask)
{
    (void)o;
    lane_fault(w, (uint32_t)__builtin_ctz(mask), "trap");
}

static bool finish_trap(decoder *d, op *o, const opcode *code)
{
    (void)d;
    (void)code;
    o->flow = FLOW_TRAP;
    return true;
}

const op_family family_trap = {.any = run_trap, .finish = finish_trap};

/* ---- others ----------------------------------------------------------------------------------------- */

static void run_nothing(warp *w, const op *o, uint32_t mask)
{
    (void)w;
    (void)o;
    (void)mask;
}

/* For what has no effect here: hints, prefetches, griddepcontrol of a single grid, pmevent. */
const op_family family_nothing = {.any = run_nothing};

/* nanosleep: one turn of the scheduler for each 1024 ns, at least one. */
static void run_nanosleep(warp *w, const op *o, uint32_t mask)
{
    wait over;
    if (warp_resumes(w, &over))
        return;
    const uint32_t *time = REG(w, o->arg[0]);
    uint32_t longest = 0;
    EACH_LANE(mask)
    {
        longest = time[lane] > longest ? time[lane] : longest;
    }
    warp_wait(w, (wait){.kind = WAIT_SLEEP, .until = CLUSTER(w)->turn + 1 + longest / 1024});
}

const op_family family_nanosleep = {.any = run_nanosleep};

/* setmaxnreg (PTX ISA, section 9.7.19.5): a count of 24 to 256, a multiple of 8; the whole warp. */
static void run_setmaxnreg(warp *w, const op *o, uint32_t mask)
{
    uint32_t count = o->arg[0];
    if (!divergence_aligned(w, mask))
        return;
    if (count < 24 || count > 256 || count % 8)
        warp_fault(w, "setmaxnreg to %u: 24 to 256 in steps of 8 are possible", count);
    if (w->max_registers && (o->modifiers & MOD(INC) ? count < w->max_registers : count > w->max_registers))
        warp_fault(w, "setmaxnreg.%s from %u to %u registers", o->modifiers & MOD(INC) ? "inc" : "dec",
                   w->max_registers, count);
    w->max_registers = count;
}

const op_family family_setmaxnreg = {.any = run_setmaxnreg};
