/* mbarrier.c: mbarrier objects (PTX ISA, section 9.7.13.15).
 *
 * A barrier is the eight bytes of shared memory it was initialised in. Its layout is ours, as the ISA leaves it open:
 *
 *   bits    field      meaning
 *   0-19    expected   arrivals that a phase takes, 1 to 2^20 - 1
 *   20-39   pending    arrivals still missing in the current phase
 *   40-60   tx         bytes still missing in it, two's complement: -(2^20 - 1) to 2^20 - 1
 *   61-62   phase      number of the current phase, modulo 4; its low bit is the parity
 *   63      valid      1
 *
 * The phase is complete when pending and tx are both zero: then pending starts again at expected, and the next
 * phase begins. A copy of each word is kept beside shared memory (cta.barrier_words; zero: no barrier there), so
 * that use before initialisation is seen, and a barrier overwritten by a store is too. */
#include "emu/check/races.h"
#include "emu/core/decode.h"

#include <stdio.h>

#define COUNT_MAX ((UINT32_C(1) << 20) - 1)
#define FIELD(word, low, bits) ((uint32_t)((word) >> (low)) & ((UINT32_C(1) << (bits)) - 1))
#define VALID (UINT64_C(1) << 63)

typedef struct mbarrier {
    uint32_t expected, pending;
    int32_t tx;
    uint32_t phase; /* modulo 4 */
} mbarrier;

static uint64_t pack(mbarrier b)
{
    uint64_t tx = (uint64_t)((uint32_t)b.tx & 0x1fffff);
    return VALID | (uint64_t)(b.phase & 3) << 61 | tx << 40 | (uint64_t)b.pending << 20 | b.expected;
}

static mbarrier unpack(uint64_t word)
{
    int32_t tx = (int32_t)(FIELD(word, 40, 21) << 11) >> 11;
    return (mbarrier){FIELD(word, 0, 20), FIELD(word, 20, 20), tx, FIELD(word, 61, 2)};
}

/* ---- objects ------------------------------------------------------------------------------------------ */

/* A barrier's place: whose shared memory, and where in it. */
typedef struct place {
    cta *cta;
    uint32_t offset;
} place;

static uint64_t *shadow(const cta *c, uint32_t offset)
{
    return &c->barrier_words[offset / 8];
}

static _Noreturn void barrier_fault(warp *w, const place *p, const char *fmt, ...) PRINTF_LIKE(3, 4);
static _Noreturn void barrier_fault(warp *w, const place *p, const char *fmt, ...)
{
    char what[192], message[320];
    text where = {0};
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    report_shared_address(p->cta, p->offset, &where);
    (void)snprintf(message, sizeof message, "mbarrier %s of CTA rank %u: %s", text_str(&where), p->cta->rank,
                   what);
    text_free(&where);
    warp_fault(w, "%s", message);
}

static mbarrier load(warp *w, const place *p)
{
    uint64_t word;
    memcpy(&word, p->cta->shared + p->offset, sizeof word);
    if (!*shadow(p->cta, p->offset))
        barrier_fault(w, p, "used before mbarrier.init");
    if (word != *shadow(p->cta, p->offset))
        barrier_fault(w, p, "something has overwritten it");
    return unpack(word);
}

static void store(const place *p, mbarrier b)
{
    uint64_t word = pack(b);
    uint64_t old = *shadow(p->cta, p->offset);
    memcpy(p->cta->shared + p->offset, &word, sizeof word);
    *shadow(p->cta, p->offset) = word;
    if (old && unpack(old).phase != b.phase && script_runs(p->cta->cluster))
        script_completed(p->cta->cluster, p->cta, p->offset);
    if (old && unpack(old).phase != b.phase && p->cta->cluster->races)
        races_completed(p->cta, p->offset);
    cluster_effect(p->cta->cluster);
}

/* ---- what happens to a barrier ------------------------------------------------------------------------ */

/* Of no arrivals at all, which scripts allow, it never is. */
static void complete_if_done(mbarrier *b)
{
    if (b->pending || b->tx || !b->expected)
        return;
    b->phase = (b->phase + 1) & 3;
    b->pending = b->expected;
}

static void add_tx(warp *w, const place *p, mbarrier *b, int64_t bytes)
{
    int64_t tx = b->tx + bytes;
    if (tx > (int64_t)COUNT_MAX || tx < -(int64_t)COUNT_MAX)
        barrier_fault(w, p, "its tx-count would be %lld, beyond %u", (long long)tx, COUNT_MAX);
    b->tx = (int32_t)tx;
}

static void take_arrivals(warp *w, const place *p, mbarrier *b, uint32_t count)
{
    if (count == 0 || count > COUNT_MAX)
        barrier_fault(w, p, "%u arrivals at once", count);
    if (count > b->pending)
        barrier_fault(w, p, "%u arrivals while %u of %u are pending: one too many", count, b->pending,
                      b->expected);
    b->pending -= count;
}

void mbarrier_complete_tx(warp *w, cta *c, uint32_t offset, uint32_t bytes)
{
    place p = {c, offset};
    mbarrier b = load(w, &p);
    if (CLUSTER(w)->races)
        races_arrived(w, c, offset);
    add_tx(w, &p, &b, -(int64_t)bytes);
    complete_if_done(&b);
    store(&p, b);
}

void mbarrier_async_pend(warp *w, cta *c, uint32_t offset)
{
    place p = {c, offset};
    mbarrier b = load(w, &p);
    if (b.pending == COUNT_MAX)
        barrier_fault(w, &p, "its pending count would exceed %u", COUNT_MAX);
    b.pending++;
    store(&p, b);
}

void mbarrier_async_arrive(warp *w, cta *c, uint32_t offset)
{
    place p = {c, offset};
    mbarrier b = load(w, &p);
    if (CLUSTER(w)->races)
        races_arrived(w, c, offset);
    take_arrivals(w, &p, &b, 1);
    complete_if_done(&b);
    store(&p, b);
}

void mbarrier_check(warp *w, cta *c, uint32_t offset)
{
    place p = {c, offset};
    (void)load(w, &p);
}

bool mbarrier_phase_done(const cta *c, uint32_t offset, uint32_t parity)
{
    uint64_t word = *shadow(c, offset);
    return !word || (unpack(word).phase & 1) != parity;
}

bool mbarrier_missing(const cta *c, uint32_t offset, uint32_t *pending, int32_t *bytes)
{
    uint64_t word = offset / 8 * 8 < c->shared_bytes ? *shadow(c, offset) : 0;
    if (!word)
        return false;
    *pending = unpack(word).pending;
    *bytes = unpack(word).tx;
    return true;
}

void mbarrier_describe(const cta *c, uint32_t offset, text *out)
{
    uint64_t word = *shadow(c, offset);
    if (!word) {
        text_add(out, "no barrier is there any more");
        return;
    }
    mbarrier b = unpack(word);
    text_printf(out, "it is in a phase of parity %u, %u of %u arrivals pending, %d bytes pending",
                b.phase & 1, b.pending, b.expected, b.tx);
}

/* ---- operands ----------------------------------------------------------------------------------------- */

/* The place that a lane's address operand names. Only what may be remote may name another CTA. */
static place place_of(warp *w, const op *o, uint32_t lane)
{
    place p;
    uint32_t address = memory_to_shared(w, lane, memory_lane_address(w, o->address[0], lane));
    if (address % 8)
        lane_fault(w, lane, "an mbarrier at 0x%x, which is not a multiple of 8", address);
    uint8_t *at = memory_shared(w, lane, address, 8, &p.cta);
    p.offset = (uint32_t)(at - p.cta->shared);
    if (p.cta != w->cta && !(o->modifiers & MOD(SHARED_CLUSTER)))
        lane_fault(w, lane, "the mbarrier at 0x%x is another CTA's: .shared::cluster is needed", address);
    return p;
}

static uint32_t operand(const warp *w, uint32_t argument, uint32_t lane, uint32_t absent)
{
    return argument == ARG_NONE ? absent : ((const uint32_t *)REG(w, argument))[lane];
}

/* ---- init, inval -------------------------------------------------------------------------------------- */

static void run_init(warp *w, const op *o, uint32_t mask)
{
    EACH_LANE(mask)
    {
        place p = place_of(w, o, lane);
        uint32_t count = operand(w, o->arg[0], lane, 0);
        if ((count == 0 && !script_runs(CLUSTER(w))) || count > COUNT_MAX)
            barrier_fault(w, &p, "initialised with the count %u; 1 to %u are possible", count, COUNT_MAX);
        if (*shadow(p.cta, p.offset))
            barrier_fault(w, &p, "initialised again without mbarrier.inval");
        store(&p, (mbarrier){.expected = count, .pending = count});
    }
}

static void run_inval(warp *w, const op *o, uint32_t mask)
{
    EACH_LANE(mask)
    {
        place p = place_of(w, o, lane);
        (void)load(w, &p);
        *shadow(p.cta, p.offset) = 0;
        memset(p.cta->shared + p.offset, 0xff, 8);
        cluster_effect(CLUSTER(w));
    }
}

const op_family family_mbarrier_init = {.any = run_init};
const op_family family_mbarrier_inval = {.any = run_inval};

/* ---- arrive ------------------------------------------------------------------------------------------- */

/* What `choice` says. */
enum { DROP = 1, EXPECT = 2 };

/* arg: state, count (arrivals, or bytes with .expect_tx) */
static void arrive_lane(warp *w, const op *o, uint32_t lane, uint64_t *state)
{
    place p = place_of(w, o, lane);
    mbarrier b = load(w, &p);
    bool expect = o->choice & EXPECT;
    uint32_t operand_value = operand(w, o->arg[1], lane, 1), count = expect ? 1 : operand_value;
    if (state)
        *state = pack(b);
    if (CLUSTER(w)->races)
        races_arrived(w, p.cta, p.offset);
    if (expect)
        add_tx(w, &p, &b, operand_value);
    take_arrivals(w, &p, &b, count);
    if (o->choice & DROP) {
        if (b.expected < count)
            barrier_fault(w, &p, "%u arrivals dropped of %u expected", count, b.expected);
        b.expected -= count;
    }
    if ((o->modifiers & MOD(NOCOMPLETE)) && !b.pending && !b.tx)
        barrier_fault(w, &p, "an arrival with .noComplete completes the phase");
    complete_if_done(&b);
    store(&p, b);
}

static void run_arrive(warp *w, const op *o, uint32_t mask)
{
    uint64_t *states = o->arg[0] == ARG_NONE ? NULL : REG(w, o->arg[0]);
    EACH_LANE(mask)
    {
        arrive_lane(w, o, lane, states ? &states[lane] : NULL);
    }
}

/* {state,} [address] {, count}: the state may be absent, or a sink. */
static bool finish_arrive(decoder *d, op *o, const opcode *code)
{
    const ptx_instruction *i = d->instruction;
    uint32_t n = 0;
    ptx_space ignored = PTX_SHARED;
    o->run = run_arrive;
    o->choice = (uint8_t)((opcode_has(code, "arrive_drop") ? DROP : 0) |
                          (o->modifiers & MOD(EXPECT_TX) ? EXPECT : 0));
    if (n < i->operand_count && i->operands[n].kind != PTX_OPERAND_ADDRESS) {
        if (!decode_destination(d, &i->operands[n], 64, &o->arg[0]))
            return false;
        if (i->operands[n].kind == PTX_OPERAND_SINK)
            o->arg[0] = ARG_NONE;
        n++;
    }
    if (n >= i->operand_count || !decode_address(d, &i->operands[n++], &o->address[0], &ignored))
        return decode_refuse(d, "operands of this form");
    if (n < i->operand_count && !decode_source(d, &i->operands[n++], 32, PTX_U32, &o->arg[1]))
        return false;
    if (n != i->operand_count || ((o->choice & EXPECT) && o->arg[1] == ARG_NONE))
        return decode_refuse(d, "operands of this form");
    return true;
}

const op_family family_mbarrier_arrive = {.finish = finish_arrive};

/* expect_tx, complete_tx: bytes without an arrival. arg: bytes */
static void change_tx(warp *w, const op *o, uint32_t mask, int64_t sign)
{
    EACH_LANE(mask)
    {
        place p = place_of(w, o, lane);
        mbarrier b = load(w, &p);
        add_tx(w, &p, &b, sign * (int64_t)operand(w, o->arg[0], lane, 0));
        if (sign < 0 && CLUSTER(w)->races)
            races_arrived(w, p.cta, p.offset);
        if (sign < 0)
            complete_if_done(&b);
        store(&p, b);
    }
}

static void run_expect_tx(warp *w, const op *o, uint32_t mask)
{
    change_tx(w, o, mask, 1);
}

static void run_complete_tx(warp *w, const op *o, uint32_t mask)
{
    change_tx(w, o, mask, -1);
}

const op_family family_mbarrier_expect_tx = {.any = run_expect_tx};
const op_family family_mbarrier_complete_tx = {.any = run_complete_tx};

/* ---- test_wait, try_wait ------------------------------------------------------------------------------ */

/* The parity of the phase that a lane asks for: given, or that of the state an arrive has returned. */
static uint32_t wanted_parity(warp *w, const op *o, uint32_t lane)
{
    if (!(o->modifiers & MOD(PARITY))) {
        uint64_t state = ((const uint64_t *)REG(w, o->arg[1]))[lane];
        if (!(state & VALID))
            lane_fault(w, lane, "0x%llx is not a state that mbarrier.arrive returned",
                       (unsigned long long)state);
        return unpack(state).phase & 1;
    }
    uint32_t parity = ((const uint32_t *)REG(w, o->arg[1]))[lane];
    if (parity > 1)
        lane_fault(w, lane, "the parity is %u; 0 and 1 are possible", parity);
    return parity;
}

/* When it holds for no lane, the group waits until it does, or until nothing else can run, when the time limit
 * of a try_wait is said to be over. A test_wait does not block; but that a thread is slow is always possible. */
static void run_wait(warp *w, const op *o, uint32_t mask)
{
    wait over = {0};
    bool timed_out = warp_resumes(w, &over) && over.timed_out;
    uint32_t done = 0;
    place first = {0};
    EACH_LANE(mask)
    {
        place p = place_of(w, o, lane);
        mbarrier b = load(w, &p);
        bool passes = (b.phase & 1) != wanted_parity(w, o, lane);
        done |= (uint32_t)passes << lane;
        if (passes && CLUSTER(w)->races && (!first.cta || first.cta != p.cta || first.offset != p.offset))
            races_passed(w, p.cta, p.offset);
        if (!first.cta)
            first = p;
    }
    if (done || timed_out)
        predicate_write(&PREDICATE(w, o->arg[0]), mask, done);
    else
        warp_wait(w, (wait){.kind = WAIT_MBARRIER,
                            .cta = first.cta,
                            .address = first.offset,
                            .parity = wanted_parity(w, o, (uint32_t)__builtin_ctz(mask))});
}

/* p, [address], state or parity {, time limit} */
static bool finish_wait(decoder *d, op *o, const opcode *code)
{
    const ptx_instruction *i = d->instruction;
    uint32_t bits = o->modifiers & MOD(PARITY) ? 32 : 64;
    ptx_space ignored = PTX_SHARED;
    (void)code;
    o->run = run_wait;
    if (i->operand_count != 3 && i->operand_count != 4)
        return decode_refuse(d, "operands of this form");
    return decode_destination(d, &i->operands[0], 1, &o->arg[0]) &&
           decode_address(d, &i->operands[1], &o->address[0], &ignored) &&
           decode_source(d, &i->operands[2], bits, PTX_B64, &o->arg[1]);
}

const op_family family_mbarrier_wait = {.finish = finish_wait};

static void run_pending_count(warp *w, const op *o, uint32_t mask)
{
    uint32_t *d = REG(w, o->arg[0]);
    const uint64_t *state = REG(w, o->arg[1]);
    EACH_LANE(mask)
    {
        d[lane] = unpack(state[lane]).pending;
    }
}

const op_family family_mbarrier_pending_count = {.any = run_pending_count};
