/* load_store.c: ld, st and what else moves between registers and memory lane by lane (PTX ISA, sections 9.7.9.8
 * to 9.7.9.13).
 *
 * Cache operators, eviction priorities and prefetch sizes have no effect on what a program computes, and are
 * ignored. So are memory orders within a cluster, which runs on one host thread; towards other clusters, strong
 * accesses (.volatile, .relaxed, .acquire, .release) are atomic ones of the host. */
#include "emu/check/fences.h"
#include "emu/core/decode.h"

/* ---- elements ----------------------------------------------------------------------------------------- */

/* From memory to a register and back, of exact widths. */
#define FETCH(T)                                                                                             \
    {                                                                                                        \
        T *d = REG(w, argument);                                                                             \
        LANE_LOOP(mask, memcpy(&d[lane], at[lane] + offset, sizeof(T)))                                      \
    }                                                                                                        \
    break;

#define PUT(T)                                                                                               \
    {                                                                                                        \
        const T *s = REG(w, argument);                                                                       \
        LANE_LOOP(mask, memcpy(at[lane] + offset, &s[lane], sizeof(T)))                                      \
    }                                                                                                        \
    break;

typedef struct b128 {
    uint64_t low, high;
} b128;

static void write_wide(void *register_lanes, uint32_t lane, uint32_t width, uint64_t value)
{
    switch (width) {
    case 2: ((uint16_t *)register_lanes)[lane] = (uint16_t)value; break;
    case 4: ((uint32_t *)register_lanes)[lane] = (uint32_t)value; break;
    default: ((uint64_t *)register_lanes)[lane] = value; break;
    }
}

/* A register wider than the element: the value is extended by its type. */
static void fetch_extended(warp *w, const op *o, uint32_t mask, uint32_t argument, uint8_t *const *at,
                           uint32_t offset)
{
    uint32_t bytes = ptx_type_bytes((ptx_type)o->type), unused = 64 - 8 * bytes;
    bool is_signed = ptx_type_kind((ptx_type)o->type) == PTX_KIND_SIGNED;
    void *d = REG(w, argument);
    EACH_LANE(mask)
    {
        uint64_t value = 0;
        memcpy(&value, at[lane] + offset, bytes);
        if (is_signed)
            value = (uint64_t)((int64_t)(value << unused) >> unused);
        write_wide(d, lane, o->width, value);
    }
}

static void fetch_element(warp *w, const op *o, uint32_t mask, uint32_t argument, uint8_t *const *at,
                          uint32_t offset)
{
    uint32_t bytes = ptx_type_bytes((ptx_type)o->type);
    switch (bytes == o->width ? bytes : 0) {
    case 2: FETCH(uint16_t)
    case 4: FETCH(uint32_t)
    case 8: FETCH(uint64_t)
    case 16: FETCH(b128)
    default: fetch_extended(w, o, mask, argument, at, offset); break;
    }
}

/* A register wider than the element: its low part, which comes first on the host too. */
static void put_low_part(warp *w, const op *o, uint32_t mask, uint32_t argument, uint8_t *const *at,
                         uint32_t offset)
{
    uint32_t bytes = ptx_type_bytes((ptx_type)o->type);
    const uint8_t *s = REG(w, argument);
    EACH_LANE(mask)
    {
        memcpy(at[lane] + offset, s + lane * o->width, bytes);
    }
}

static void put_element(warp *w, const op *o, uint32_t mask, uint32_t argument, uint8_t *const *at,
                        uint32_t offset)
{
    uint32_t bytes = ptx_type_bytes((ptx_type)o->type);
    switch (bytes == o->width ? bytes : 0) {
    case 2: PUT(uint16_t)
    case 4: PUT(uint32_t)
    case 8: PUT(uint64_t)
    case 16: PUT(b128)
    default: put_low_part(w, o, mask, argument, at, offset); break;
    }
}

/* ---- ld, st ------------------------------------------------------------------------------------------- */

static void run_load(warp *w, const op *o, uint32_t mask)
{
    uint8_t *at[WARP_LANES];
    uint32_t bytes = ptx_type_bytes((ptx_type)o->type);
    memory_lanes(w, o, mask, bytes * o->count, MEMORY_READ, at);
    for (uint32_t i = 0; i < o->count; i++)
        fetch_element(w, o, mask, o->list[i], at, i * bytes);
}

/* A kernel parameter at a fixed place, in a register as wide: one check, and the same value for all lanes. */
#define LOAD_PARAM(name, T)                                                                                  \
    static void name(warp *w, const op *o, uint32_t mask)                                                    \
    {                                                                                                        \
        T *d = REG(w, o->list[0]), value;                                                                    \
        uint64_t address = memory_lane_address(w, o->address[0], 0);                                         \
        memcpy(&value, memory_param(w, 0, address, sizeof value, MEMORY_READ), sizeof value);                \
        LANE_LOOP(mask, d[lane] = value)                                                                     \
    }
LOAD_PARAM(load_param_16, uint16_t)
LOAD_PARAM(load_param_32, uint32_t)
LOAD_PARAM(load_param_64, uint64_t)

static op_run *param_handler(const op *o)
{
    bool fixed = o->space == PTX_PARAM && (o->address[0].base & ARG_CONSTANT) && o->count == 1;
    if (!fixed || o->width != ptx_type_bytes((ptx_type)o->type))
        return run_load;
    return o->width == 2   ? load_param_16
           : o->width == 4 ? load_param_32
           : o->width == 8 ? load_param_64
                           : run_load;
}

/* Strong accesses of one element. */
#define STRONG (MOD(VOLATILE) | MOD(RELAXED) | MOD(ACQUIRE) | MOD(RELEASE))

static uint64_t load_strong(const uint8_t *at, uint32_t bytes)
{
    switch (bytes) {
    case 1: return __atomic_load_n(at, __ATOMIC_ACQUIRE);
    case 2: return __atomic_load_n((const uint16_t *)(const void *)at, __ATOMIC_ACQUIRE);
    case 4: return __atomic_load_n((const uint32_t *)(const void *)at, __ATOMIC_ACQUIRE);
    default: return __atomic_load_n((const uint64_t *)(const void *)at, __ATOMIC_ACQUIRE);
    }
}

static void store_strong(uint8_t *at, uint32_t bytes, uint64_t value)
{
    switch (bytes) {
    case 1: __atomic_store_n(at, (uint8_t)value, __ATOMIC_RELEASE); break;
    case 2: __atomic_store_n((uint16_t *)(void *)at, (uint16_t)value, __ATOMIC_RELEASE); break;
    case 4: __atomic_store_n((uint32_t *)(void *)at, (uint32_t)value, __ATOMIC_RELEASE); break;
    default: __atomic_store_n((uint64_t *)(void *)at, value, __ATOMIC_RELEASE); break;
    }
}

static void run_load_strong(warp *w, const op *o, uint32_t mask)
{
    uint8_t *at[WARP_LANES];
    uint32_t bytes = ptx_type_bytes((ptx_type)o->type), unused = 64 - 8 * bytes;
    bool is_signed = ptx_type_kind((ptx_type)o->type) == PTX_KIND_SIGNED;
    memory_lanes(w, o, mask, bytes, MEMORY_READ, at);
    EACH_LANE(mask)
    {
        uint64_t value = load_strong(at[lane], bytes);
        if (is_signed)
            value = (uint64_t)((int64_t)(value << unused) >> unused);
        write_wide(REG(w, o->list[0]), lane, o->width, value);
    }
}

static void run_store_strong(warp *w, const op *o, uint32_t mask)
{
    uint8_t *at[WARP_LANES];
    uint32_t bytes = ptx_type_bytes((ptx_type)o->type);
    memory_lanes(w, o, mask, bytes, MEMORY_WRITE, at);
    EACH_LANE(mask)
    {
        uint64_t value = 0;
        memcpy(&value, (const uint8_t *)REG(w, o->list[0]) + lane * o->width, bytes);
        store_strong(at[lane], bytes, value);
    }
    cluster_effect(CLUSTER(w));
}

static bool is_strong(const op *o)
{
    return (o->modifiers & STRONG) && o->count == 1 && o->width <= 8;
}

static void run_store(warp *w, const op *o, uint32_t mask)
{
    uint8_t *at[WARP_LANES];
    uint32_t bytes = ptx_type_bytes((ptx_type)o->type);
    memory_lanes(w, o, mask, bytes * o->count, MEMORY_WRITE, at);
    for (uint32_t i = 0; i < o->count; i++)
        put_element(w, o, mask, o->list[i], at, i * bytes);
    cluster_effect(CLUSTER(w));
}

/* The register, or vector of registers, that moves: all equally wide, at least as wide as the type. */
static bool finish_registers(decoder *d, op *o, const ptx_operand *operand, bool destination)
{
    uint32_t type_bits = ptx_type_bits((ptx_type)o->type), bits = type_bits < 16 ? 16 : type_bits;
    const ptx_operand *first = operand->kind == PTX_OPERAND_VECTOR ? &operand->items[0] : operand;
    uint32_t register_bits = decode_register_bits(d, first);
    for (uint32_t i = 1; operand->kind == PTX_OPERAND_VECTOR && i < operand->count && !register_bits; i++)
        register_bits = decode_register_bits(d, &operand->items[i]);
    if (register_bits > bits && register_bits <= 64)
        bits = register_bits;
    uint32_t *list = decode_list(d, o->count);
    o->list = list;
    o->list_len = o->count;
    o->width = (uint8_t)(bits / 8);
    return decode_vector(d, operand, destination, bits, (ptx_type)o->type, list, o->count);
}

static bool finish_memory(decoder *d, op *o, const opcode *code, bool load)
{
    const ptx_instruction *i = d->instruction;
    if (i->operand_count < 2 || i->operand_count > 3 || o->type == PTX_PRED || o->type == PTX_NO_TYPE)
        return decode_refuse(d, "operands of this form");
    o->count = (uint8_t)opcode_number(code, 'v', 1);
    if (ptx_type_bytes((ptx_type)o->type) * o->count > 32)
        return decode_refuse(d, "more than 32 bytes");
    ptx_space space = (ptx_space)o->space;
    if (!decode_address(d, &i->operands[load ? 1 : 0], &o->address[0], &space))
        return false;
    o->space = (uint8_t)space;
    return finish_registers(d, o, &i->operands[load ? 0 : 1], load);
}

static bool finish_ld(decoder *d, op *o, const opcode *code)
{
    if (!finish_memory(d, o, code, true))
        return false;
    o->run = is_strong(o) ? run_load_strong : param_handler(o);
    return true;
}

static bool finish_st(decoder *d, op *o, const opcode *code)
{
    if (!finish_memory(d, o, code, false))
        return false;
    o->run = is_strong(o) ? run_store_strong : run_store;
    return (o->space != PTX_PARAM && o->space != PTX_CONST) ||
           decode_refuse(d, "a store to read-only memory");
}

const op_family family_ld = {.finish = finish_ld};
const op_family family_st = {.finish = finish_st};

/* ---- fences ------------------------------------------------------------------------------------------- */

/* membar, fence: between clusters. Within one, lanes already see each other's writes in order. */
static void run_fence(warp *w, const op *o, uint32_t mask)
{
    (void)w;
    (void)o;
    (void)mask;
    atomic_thread_fence(memory_order_seq_cst);
}

/* fence.proxy.async: both proxies see one memory here, but for what check/fences.c makes of it. */
static void run_proxy_fence(warp *w, const op *o, uint32_t mask)
{
    run_fence(w, o, mask);
    if (CLUSTER(w)->fences)
        fences_proxy(w, o->choice);
}

/* choice: not of the CTA's own shared memory alone */
static bool finish_fence(decoder *d, op *o, const opcode *code)
{
    (void)d;
    bool shared =
        opcode_has(code, "async") ? !opcode_has(code, "global") : opcode_has(code, "async::generic");
    o->run = opcode_has(code, "proxy") && shared ? run_proxy_fence : run_fence;
    o->choice = !opcode_has(code, "shared::cta");
    return true;
}

const op_family family_fence = {.finish = finish_fence};

/* createpolicy: a cache policy, of which nothing is made. */
static void run_createpolicy(warp *w, const op *o, uint32_t mask)
{
    uint64_t *d = REG(w, o->arg[0]);
    EACH_LANE(mask)
    {
        d[lane] = 0;
    }
}

static bool finish_createpolicy(decoder *d, op *o, const opcode *code)
{
    (void)code;
    o->run = run_createpolicy;
    return d->instruction->operand_count >= 1 &&
           decode_destination(d, &d->instruction->operands[0], 64, &o->arg[0]);
}

const op_family family_createpolicy = {.finish = finish_createpolicy};
