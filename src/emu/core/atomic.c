/* atomic.c: atom and red (PTX ISA, sections 9.7.13.6 and 9.7.13.7).
 *
 * Lanes act one after the other, lowest first. Each exchange is an atomic one of the host, as other clusters may be at
 * the same word; shared memory is treated alike. */
#include "emu/core/atomic.h"

#include "emu/core/decode.h"
#include "emu/core/float.h"

/* ---- what an operation makes of two values ------------------------------------------------------------ */

static uint64_t combine_unsigned(atomic_operation how, uint64_t old, uint64_t b)
{
    switch (how) {
    case ATOMIC_ADD: return old + b;
    case ATOMIC_MIN: return old < b ? old : b;
    case ATOMIC_MAX: return old > b ? old : b;
    case ATOMIC_INC: return old >= b ? 0 : old + 1;
    case ATOMIC_DEC: return old == 0 || old > b ? b : old - 1;
    case ATOMIC_AND: return old & b;
    case ATOMIC_OR: return old | b;
    case ATOMIC_XOR: return old ^ b;
    default: return b; /* exch */
    }
}

static uint64_t combine_signed(atomic_operation how, int64_t old, int64_t b)
{
    switch (how) {
    case ATOMIC_MIN: return (uint64_t)(old < b ? old : b);
    case ATOMIC_MAX: return (uint64_t)(old > b ? old : b);
    default: return combine_unsigned(how, (uint64_t)old, (uint64_t)b);
    }
}

/* On global memory, atom.add.f32 flushes subnormals; on shared memory it does not. */
static uint32_t add_f32(uint32_t old, uint32_t b, bool flush)
{
    float x = num_f32_from_bits(old), y = num_f32_from_bits(b);
    if (flush)
        x = float_flush(x), y = float_flush(y);
    float sum = float_canonical(x + y);
    return num_f32_bits(flush ? float_flush(sum) : sum);
}

static uint64_t add_f64(uint64_t old, uint64_t b)
{
    double x, y;
    memcpy(&x, &old, sizeof x);
    memcpy(&y, &b, sizeof y);
    x += y;
    memcpy(&old, &x, sizeof x);
    return old;
}

static uint16_t combine_half(atomic_operation how, bool bf16, uint16_t old, uint16_t b)
{
    float x = bf16 ? num_bf16_to_f32(old) : num_f16_to_f32(old);
    float y = bf16 ? num_bf16_to_f32(b) : num_f16_to_f32(b);
    float r = how == ATOMIC_ADD ? x + y : how == ATOMIC_MIN ? fminf(x, y) : fmaxf(x, y);
    return bf16 ? num_f32_to_bf16(r) : num_f32_to_f16(r);
}

static uint32_t combine_halves(atomic_operation how, bool bf16, uint32_t old, uint32_t b)
{
    uint32_t low = combine_half(how, bf16, (uint16_t)old, (uint16_t)b);
    return low | (uint32_t)combine_half(how, bf16, (uint16_t)(old >> 16), (uint16_t)(b >> 16)) << 16;
}

uint64_t atomic_combine(atomic_operation how, ptx_type type, uint64_t old, uint64_t b, bool flush)
{
    switch (type) {
    case PTX_S32: return combine_signed(how, (int32_t)(uint32_t)old, (int32_t)(uint32_t)b);
    case PTX_S64: return combine_signed(how, (int64_t)old, (int64_t)b);
    case PTX_F32: return how == ATOMIC_ADD ? add_f32((uint32_t)old, (uint32_t)b, flush) : b;
    case PTX_F64: return how == ATOMIC_ADD ? add_f64(old, b) : b;
    case PTX_F16:
    case PTX_BF16: return combine_half(how, type == PTX_BF16, (uint16_t)old, (uint16_t)b);
    case PTX_F16X2:
    case PTX_BF16X2: return combine_halves(how, type == PTX_BF16X2, (uint32_t)old, (uint32_t)b);
    default: return combine_unsigned(how, old, b);
    }
}

/* ---- one word of memory ------------------------------------------------------------------------------- */

#define EXCHANGE(T)                                                                                          \
    {                                                                                                        \
        T *word = (T *)(void *)at, old = __atomic_load_n(word, __ATOMIC_RELAXED), new;                       \
        do                                                                                                   \
            new =                                                                                            \
                (T)(how == ATOMIC_CAS ? (old == (T)b ? c : old) : atomic_combine(how, type, old, b, flush)); \
        while (!__atomic_compare_exchange_n(word, &old, new, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));    \
        *changed = *changed || old != new;                                                                   \
        return old;                                                                                          \
    }

uint64_t atomic_exchange_word(uint8_t *at, atomic_operation how, ptx_type type, uint64_t b, uint64_t c,
                              bool flush, bool *changed)
{
    switch (ptx_type_bytes(type)) {
    case 2: EXCHANGE(uint16_t)
    case 4: EXCHANGE(uint32_t)
    default: EXCHANGE(uint64_t)
    }
}

bool atomic_allowed(atomic_operation how, ptx_type type)
{
    bool half = ptx_type_bits(type) == 16 || ptx_type_kind(type) == PTX_KIND_PACKED;
    bool integer = ptx_type_kind(type) == PTX_KIND_UNSIGNED || ptx_type_kind(type) == PTX_KIND_SIGNED;
    if (type == PTX_B16)
        return how == ATOMIC_CAS;
    if (half)
        return ptx_type_kind(type) >= PTX_KIND_FLOATING && (how <= ATOMIC_MAX);
    if (ptx_type_bits(type) != 32 && ptx_type_bits(type) != 64)
        return false;
    switch (how) {
    case ATOMIC_ADD: return type != PTX_B32 && type != PTX_B64;
    case ATOMIC_MIN:
    case ATOMIC_MAX: return integer;
    case ATOMIC_INC:
    case ATOMIC_DEC: return type == PTX_U32;
    default: return ptx_type_kind(type) == PTX_KIND_BITS || integer;
    }
}

/* ---- handlers ----------------------------------------------------------------------------------------- */

static uint64_t source(const warp *w, uint32_t argument, uint32_t lane, uint32_t bytes)
{
    uint64_t value = 0;
    if (argument != ARG_NONE)
        memcpy(&value, (const uint8_t *)REG(w, argument) + lane * bytes, bytes);
    return value;
}

static bool is_global(const op *o, uint64_t address)
{
    return o->space == PTX_GLOBAL || (o->space == PTX_GENERIC && (address & WINDOW_MASK) == 0);
}

/* The usual case, 32-bit integers. In shared memory, which one host thread has, nothing need be locked. */
static uint32_t exchange_32(uint32_t *word, const op *o, uint32_t b, uint32_t c)
{
    uint32_t old = __atomic_load_n(word, __ATOMIC_RELAXED), new;
    atomic_operation how = (atomic_operation)o->choice;
    if (o->space == PTX_SHARED) {
        *word = how == ATOMIC_CAS ? (old == b ? c : old)
                                  : (uint32_t)atomic_combine(how, (ptx_type)o->type, old, b, false);
        return old;
    }
    if (how == ATOMIC_ADD)
        return __atomic_fetch_add(word, b, __ATOMIC_SEQ_CST);
    do
        new = how == ATOMIC_CAS ? (old == b ? c : old)
                                : (uint32_t)atomic_combine(how, (ptx_type)o->type, old, b, false);
    while (!__atomic_compare_exchange_n(word, &old, new, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
    return old;
}

static void run_atomic_32(warp *w, const op *o, uint32_t mask)
{
    uint8_t *at[WARP_LANES];
    memory_lanes(w, o, mask, 4, MEMORY_WRITE, at);
    const uint32_t *b = REG(w, o->arg[1]), *c = o->arg[2] == ARG_NONE ? b : REG(w, o->arg[2]);
    uint32_t *d = o->arg[0] == ARG_NONE ? NULL : REG(w, o->arg[0]);
    bool changed = false; /* a lock that was not got is no effect */
    EACH_LANE(mask)
    {
        uint32_t *word = (uint32_t *)(void *)at[lane], old = exchange_32(word, o, b[lane], c[lane]);
        changed = changed || __atomic_load_n(word, __ATOMIC_RELAXED) != old;
        if (d)
            d[lane] = old;
    }
    if (changed)
        cluster_effect(CLUSTER(w));
}

/* arg: d (atom only), b, c */
static void run_atomic(warp *w, const op *o, uint32_t mask)
{
    uint8_t *at[WARP_LANES];
    uint32_t bytes = ptx_type_bytes((ptx_type)o->type);
    bool changed = false;
    memory_lanes(w, o, mask, bytes, MEMORY_WRITE, at);
    EACH_LANE(mask)
    {
        uint64_t b = source(w, o->arg[1], lane, bytes), c = source(w, o->arg[2], lane, bytes);
        bool flush = is_global(o, memory_lane_address(w, o->address[0], lane));
        uint64_t old = atomic_exchange_word(at[lane], (atomic_operation)o->choice, (ptx_type)o->type, b, c,
                                            flush, &changed);
        if (o->arg[0] != ARG_NONE)
            memcpy((uint8_t *)REG(w, o->arg[0]) + lane * bytes, &old, bytes);
    }
    if (changed)
        cluster_effect(CLUSTER(w));
}

/* {d,} [a], b {, c} {, policy} */
static bool finish_operands(decoder *d, op *o, bool has_result)
{
    const ptx_instruction *i = d->instruction;
    uint32_t bits = ptx_type_bits((ptx_type)o->type), next = 0;
    uint32_t want = (has_result ? 3u : 2u) + (o->choice == ATOMIC_CAS ? 1u : 0u);
    ptx_space space = (ptx_space)o->space;
    if (i->operand_count != want && !(i->operand_count == want + 1 && (o->modifiers & MOD(CACHE_HINT))))
        return decode_refuse(d, "operands of this form");
    if (has_result && !decode_destination(d, &i->operands[next++], bits, &o->arg[0]))
        return false;
    if (!decode_address(d, &i->operands[next++], &o->address[0], &space) ||
        !decode_source(d, &i->operands[next++], bits, (ptx_type)o->type, &o->arg[1]))
        return false;
    o->space = (uint8_t)space;
    return o->choice != ATOMIC_CAS ||
           decode_source(d, &i->operands[next], bits, (ptx_type)o->type, &o->arg[2]);
}

static bool finish_atomic(decoder *d, op *o, const opcode *code, bool has_result)
{
    int how = opcode_pick(code, ATOMIC_OPERATIONS, -1);
    if (how < 0 || !atomic_allowed((atomic_operation)how, (ptx_type)o->type))
        return decode_refuse(d, "no such operation for type .%s", ptx_type_name((ptx_type)o->type));
    o->choice = (uint8_t)how;
    o->modifiers |= MOD(VOLATILE);
    bool word = o->type == PTX_U32 || o->type == PTX_S32 || o->type == PTX_B32;
    o->run = word ? run_atomic_32 : run_atomic;
    return finish_operands(d, o, has_result);
}

static bool finish_atom(decoder *d, op *o, const opcode *code)
{
    return finish_atomic(d, o, code, true);
}

static bool finish_red(decoder *d, op *o, const opcode *code)
{
    return finish_atomic(d, o, code, false);
}

const op_family family_atom = {.finish = finish_atom};
const op_family family_red = {.finish = finish_red};
