/* collective.c: instructions of several lanes at once (PTX ISA, sections 9.7.9.6 and 9.7.13.8 to 9.7.13.11,
 * 9.7.13.14): shfl, vote, match, redux, elect, activemask, bar.warp.sync.
 *
 * All lanes of the member mask must come; divergence_gather sees to that. Lanes with different masks may stand at
 * the same instruction: each set is served on its own. */
#include "emu/core/decode.h"
#include "emu/core/float.h"

typedef void set_handler(warp *w, const op *o, uint32_t lanes, uint32_t members);

/* Waits until all have come, then calls `serve` for each set of lanes with the same member mask. */
static void with_members(warp *w, const op *o, uint32_t mask, uint32_t argument, set_handler *serve)
{
    const uint32_t *members = REG(w, argument);
    uint32_t all = 0;
    if ((argument & ARG_CONSTANT) && members[0] == ALL_LANES) {
        if (divergence_gather(w, mask, ALL_LANES))
            serve(w, o, mask, ALL_LANES);
        return;
    }
    EACH_LANE(mask)
    {
        if (!(members[lane] >> lane & 1))
            lane_fault(w, lane, "the lane is not in its own member mask 0x%08x", members[lane]);
        all |= members[lane];
    }
    if (!divergence_gather(w, mask, all))
        return;
    while (mask) {
        uint32_t same = members[__builtin_ctz(mask)], lanes = 0;
        EACH_LANE(mask)
        {
            if (members[lane] == same)
                lanes |= UINT32_C(1) << lane;
        }
        serve(w, o, lanes, same);
        mask &= ~lanes;
    }
}

/* ---- shfl --------------------------------------------------------------------------------------------- */

typedef enum shuffle { SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_BFLY, SHUFFLE_IDX } shuffle;

/* Source lane and predicate (PTX ISA, section 9.7.9.6, "Description"). */
static bool shuffle_source(shuffle mode, uint32_t lane, uint32_t b, uint32_t c, uint32_t *from)
{
    uint32_t segment = c >> 8 & 31, clamp = c & 31, offset = b & 31;
    int32_t greatest = (int32_t)((lane & segment) | (clamp & ~segment)), least = (int32_t)(lane & segment), j;
    bool valid;
    switch (mode) {
    case SHUFFLE_UP:
        j = (int32_t)lane - (int32_t)offset;
        valid = j >= greatest;
        break;
    case SHUFFLE_DOWN:
        j = (int32_t)(lane + offset);
        valid = j <= greatest;
        break;
    case SHUFFLE_BFLY:
        j = (int32_t)(lane ^ offset);
        valid = j <= greatest;
        break;
    default:
        j = least | (int32_t)(offset & ~segment);
        valid = j <= greatest;
        break;
    }
    *from = valid ? (uint32_t)j : lane;
    return valid;
}

/* What a lane gets from one that does not take part: undefined, so something that shows. */
#define SHUFFLE_UNDEFINED UINT32_C(0xffffffff)

/* arg: d, p, a, b, c, members */
static void serve_shfl(warp *w, const op *o, uint32_t lanes, uint32_t members)
{
    uint32_t *d = REG(w, o->arg[0]), from[WARP_LANES], valid = 0;
    const uint32_t *b = REG(w, o->arg[3]), *c = REG(w, o->arg[4]);
    (void)members;
    memcpy(from, REG(w, o->arg[2]), sizeof from);
    EACH_LANE(lanes)
    {
        uint32_t source;
        valid |= (uint32_t)shuffle_source((shuffle)o->choice, lane, b[lane], c[lane], &source) << lane;
        d[lane] = lanes >> source & 1 ? from[source] : SHUFFLE_UNDEFINED;
    }
    predicate_write(&PREDICATE(w, o->arg[1]), lanes, valid);
}

static void run_shfl(warp *w, const op *o, uint32_t mask)
{
    with_members(w, o, mask, o->arg[5], serve_shfl);
}

static bool finish_shfl(decoder *d, op *o, const opcode *code)
{
    const ptx_instruction *i = d->instruction;
    int mode = opcode_pick(code, "up down bfly idx", -1);
    if (mode < 0 || i->operand_count != 5)
        return decode_refuse(d, "operands of this form");
    ptx_operand first = i->operands[0], none = {.kind = PTX_OPERAND_SINK};
    const ptx_operand *pair = first.pair ? first.pair : &none;
    first.pair = NULL;
    o->choice = (uint8_t)mode;
    o->run = run_shfl;
    bool ok = decode_destination(d, &first, 32, &o->arg[0]) && decode_destination(d, pair, 1, &o->arg[1]);
    for (uint32_t n = 1; ok && n < 5; n++)
        ok = decode_source(d, &i->operands[n], 32, PTX_B32, &o->arg[n + 1]);
    return ok;
}

const op_family family_shfl = {.finish = finish_shfl};

/* ---- vote --------------------------------------------------------------------------------------------- */

/* arg: d, a, members */
static void serve_vote(warp *w, const op *o, uint32_t lanes, uint32_t members)
{
    uint32_t votes = PREDICATE_READ(w, o->arg[1]) & lanes;
    bool result = o->modifiers & MOD(ALL)   ? votes == lanes
                  : o->modifiers & MOD(ANY) ? votes != 0
                                            : votes == 0 || votes == lanes;
    (void)members;
    predicate_write(&PREDICATE(w, o->arg[0]), lanes, result ? ALL_LANES : 0);
}

static void serve_ballot(warp *w, const op *o, uint32_t lanes, uint32_t members)
{
    uint32_t votes = PREDICATE_READ(w, o->arg[1]) & lanes, *d = REG(w, o->arg[0]);
    (void)members;
    EACH_LANE(lanes)
    {
        d[lane] = votes;
    }
}

static void run_vote(warp *w, const op *o, uint32_t mask)
{
    with_members(w, o, mask, o->arg[2], serve_vote);
}

static void run_ballot(warp *w, const op *o, uint32_t mask)
{
    with_members(w, o, mask, o->arg[2], serve_ballot);
}

const op_family family_vote = {.any = run_vote};
const op_family family_ballot = {.any = run_ballot};

static void run_activemask(warp *w, const op *o, uint32_t mask)
{
    uint32_t *d = REG(w, o->arg[0]);
    EACH_LANE(mask)
    {
        d[lane] = mask;
    }
}

const op_family family_activemask = {.any = run_activemask};

/* ---- match -------------------------------------------------------------------------------------------- */

static uint64_t match_value(const warp *w, const op *o, uint32_t lane)
{
    const void *a = REG(w, o->arg[2]);
    return o->type == PTX_B64 ? ((const uint64_t *)a)[lane] : ((const uint32_t *)a)[lane];
}

/* arg: d, p, a, members; any: the lanes that have the same value */
static void serve_match(warp *w, const op *o, uint32_t lanes, uint32_t members)
{
    uint32_t *d = REG(w, o->arg[0]), all = 0;
    (void)members;
    uint64_t first = match_value(w, o, (uint32_t)__builtin_ctz(lanes));
    EACH_LANE(lanes)
    {
        all |= (uint32_t)(match_value(w, o, lane) == first) << lane;
    }
    for (uint32_t me = 0; me < WARP_LANES; me++) {
        if (!(lanes >> me & 1))
            continue;
        uint32_t same = 0;
        EACH_LANE(lanes)
        {
            same |= (uint32_t)(match_value(w, o, lane) == match_value(w, o, me)) << lane;
        }
        d[me] = o->modifiers & MOD(ANY) ? same : all == lanes ? lanes : 0;
    }
    predicate_write(&PREDICATE(w, o->arg[1]), lanes, all == lanes ? ALL_LANES : 0);
}

static void run_match(warp *w, const op *o, uint32_t mask)
{
    with_members(w, o, mask, o->arg[3], serve_match);
}

static bool finish_match(decoder *d, op *o, const opcode *code)
{
    const ptx_instruction *i = d->instruction;
    if (i->operand_count != 3 || (o->type != PTX_B32 && o->type != PTX_B64))
        return decode_refuse(d, "operands of this form");
    ptx_operand first = i->operands[0], none = {.kind = PTX_OPERAND_SINK};
    const ptx_operand *pair = first.pair ? first.pair : &none;
    (void)code;
    first.pair = NULL;
    o->run = run_match;
    return decode_destination(d, &first, 32, &o->arg[0]) && decode_destination(d, pair, 1, &o->arg[1]) &&
           decode_source(d, &i->operands[1], ptx_type_bits((ptx_type)o->type), PTX_B32, &o->arg[2]) &&
           decode_source(d, &i->operands[2], 32, PTX_B32, &o->arg[3]);
}

const op_family family_match = {.finish = finish_match};

/* ---- redux -------------------------------------------------------------------------------------------- */

typedef enum reduction { REDUX_ADD, REDUX_MIN, REDUX_MAX, REDUX_AND, REDUX_OR, REDUX_XOR } reduction;

static uint32_t reduce(const op *o, uint32_t a, uint32_t b)
{
    bool less = o->type == PTX_S32 ? (int32_t)a < (int32_t)b : a < b;
    switch ((reduction)o->choice) {
    case REDUX_ADD: return a + b;
    case REDUX_MIN: return less ? a : b;
    case REDUX_MAX: return less ? b : a;
    case REDUX_AND: return a & b;
    case REDUX_OR: return a | b;
    default: return a ^ b;
    }
}

/* arg: d, a, members */
static void serve_redux(warp *w, const op *o, uint32_t lanes, uint32_t members)
{
    uint32_t *d = REG(w, o->arg[0]), first = (uint32_t)__builtin_ctz(lanes);
    const uint32_t *a = REG(w, o->arg[1]);
    uint32_t result = a[first];
    (void)members;
    EACH_LANE(lanes & ~(UINT32_C(1) << first))
    {
        result = reduce(o, result, a[lane]);
    }
    EACH_LANE(lanes)
    {
        d[lane] = result;
    }
}

static void run_redux(warp *w, const op *o, uint32_t mask)
{
    with_members(w, o, mask, o->arg[2], serve_redux);
}

static bool finish_redux(decoder *d, op *o, const opcode *code)
{
    int how = opcode_pick(code, "add min max and or xor", -1);
    if (how < 0 || ptx_type_bits((ptx_type)o->type) != 32 || o->type == PTX_F32)
        return decode_refuse(d, "no such reduction");
    o->choice = (uint8_t)how;
    return true;
}

const op_family family_redux = {.any = run_redux, .finish = finish_redux};

/* ---- elect, bar.warp.sync ----------------------------------------------------------------------------- */

/* The leader is the lowest member. arg: d, p, members */
static void serve_elect(warp *w, const op *o, uint32_t lanes, uint32_t members)
{
    uint32_t *d = REG(w, o->arg[0]), leader = (uint32_t)__builtin_ctz(lanes);
    (void)members;
    EACH_LANE(lanes)
    {
        d[lane] = leader;
    }
    predicate_write(&PREDICATE(w, o->arg[1]), lanes, UINT32_C(1) << leader);
}

static void run_elect(warp *w, const op *o, uint32_t mask)
{
    with_members(w, o, mask, o->arg[2], serve_elect);
}

static bool finish_elect(decoder *d, op *o, const opcode *code)
{
    const ptx_instruction *i = d->instruction;
    (void)code;
    if (i->operand_count != 2 || !i->operands[0].pair)
        return decode_refuse(d, "d|p, membermask expected");
    ptx_operand first = i->operands[0];
    first.pair = NULL;
    o->run = run_elect;
    return decode_destination(d, &first, 32, &o->arg[0]) &&
           decode_destination(d, i->operands[0].pair, 1, &o->arg[1]) &&
           decode_source(d, &i->operands[1], 32, PTX_B32, &o->arg[2]);
}

const op_family family_elect = {.finish = finish_elect};

static void serve_nothing(warp *w, const op *o, uint32_t lanes, uint32_t members)
{
    (void)w;
    (void)o;
    (void)lanes;
    (void)members;
}

static void run_bar_warp(warp *w, const op *o, uint32_t mask)
{
    with_members(w, o, mask, o->arg[0], serve_nothing);
}

const op_family family_bar_warp = {.any = run_bar_warp};
