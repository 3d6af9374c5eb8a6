/* reduce.c: the element-wise reductions of cp.reduce.async.bulk and its tensor form.
 *
 * A row of the table below is an element type with the operations the PTX ISA allows on it (section
 * 9.7.9.25.4.2, cp.reduce.async.bulk). Integers are combined in 64 bits and cut to size; floats in f32
 * (f64 for f64), rounded once. An element is replaced by compare-and-exchange, because the CTAs of a grid
 * run on several host threads. */
#include "emu/async/async.h"
#include "emu/num/num.h"

#include <assert.h>
#include <math.h>

typedef uint64_t combine_fn(async_reduction reduction, uint64_t old, uint64_t with);

static combine_fn combine_u32, combine_s32, combine_u64, combine_s64, combine_f16, combine_bf16, combine_f32,
    combine_f32_ftz, combine_f64;

#define OP(reduction) (1u << ASYNC_##reduction)
#define BITWISE (OP(AND) | OP(OR) | OP(XOR))
#define ORDERED (OP(ADD) | OP(MIN) | OP(MAX))

typedef struct element_row {
    uint32_t bytes;
    unsigned allowed; /* bit set of reductions */
    combine_fn *combine;
} element_row;

static const element_row elements[] = {
    [EMU_U8] = {1, 0, NULL},
    [EMU_U16] = {2, 0, NULL},
    [EMU_U32] = {4, ORDERED | BITWISE | OP(INC) | OP(DEC), combine_u32},
    [EMU_S32] = {4, ORDERED | BITWISE, combine_s32},
    [EMU_U64] = {8, ORDERED | BITWISE, combine_u64},
    [EMU_S64] = {8, OP(MIN) | OP(MAX), combine_s64},
    [EMU_F16] = {2, ORDERED, combine_f16},
    [EMU_F32] = {4, OP(ADD), combine_f32},
    [EMU_F64] = {8, OP(ADD), combine_f64},
    [EMU_BF16] = {2, ORDERED, combine_bf16},
    [EMU_F32_FTZ] = {4, OP(ADD), combine_f32_ftz},
    [EMU_TF32] = {4, OP(ADD), combine_f32},
    [EMU_TF32_FTZ] = {4, OP(ADD), combine_f32_ftz},
};

uint32_t async_element_bytes(emu_element element)
{
    return elements[element].bytes;
}

/* ---- combining: what memory holds after the reduction -------------------------------------------- */

static uint64_t combine_u64(async_reduction reduction, uint64_t old, uint64_t with)
{
    switch (reduction) {
    case ASYNC_ADD: return old + with;
    case ASYNC_MIN: return with < old ? with : old;
    case ASYNC_MAX: return with > old ? with : old;
    case ASYNC_INC: return old >= with ? 0 : old + 1;
    case ASYNC_DEC: return old == 0 || old > with ? with : old - 1;
    case ASYNC_AND: return old & with;
    case ASYNC_OR: return old | with;
    case ASYNC_XOR: return old ^ with;
    }
    return old;
}

static uint64_t combine_u32(async_reduction reduction, uint64_t old, uint64_t with)
{
    return combine_u64(reduction, old, with);
}

/* Flipping the sign bits makes the unsigned order the signed one; the other operations see bits or sums
 * only. */
static uint64_t combine_s64(async_reduction reduction, uint64_t old, uint64_t with)
{
    const uint64_t flip = reduction == ASYNC_MIN || reduction == ASYNC_MAX ? UINT64_C(1) << 63 : 0;
    return combine_u64(reduction, old ^ flip, with ^ flip) ^ flip;
}

static uint64_t combine_s32(async_reduction reduction, uint64_t old, uint64_t with)
{
    return combine_s64(reduction, old << 32, with << 32) >> 32;
}

/* min and max of PTX: a NaN loses against a number, -0 is below +0. */
static float ordered_f32(async_reduction reduction, float old, float with)
{
    if (reduction == ASYNC_ADD)
        return old + with;
    if (old != old)
        return with;
    if (with != with)
        return old;
    bool below = with < old || (with == old && signbit(with));
    return below == (reduction == ASYNC_MIN) ? with : old;
}

static uint64_t combine_f16(async_reduction reduction, uint64_t old, uint64_t with)
{
    return num_f32_to_f16(
        ordered_f32(reduction, num_f16_to_f32((uint16_t)old), num_f16_to_f32((uint16_t)with)));
}

static uint64_t combine_bf16(async_reduction reduction, uint64_t old, uint64_t with)
{
    return num_f32_to_bf16(
        ordered_f32(reduction, num_bf16_to_f32((uint16_t)old), num_bf16_to_f32((uint16_t)with)));
}

static uint64_t combine_f32(async_reduction reduction, uint64_t old, uint64_t with)
{
    (void)reduction; /* only ADD is allowed */
    float sum = num_f32_from_bits((uint32_t)old) + num_f32_from_bits((uint32_t)with);
    return sum != sum ? NUM_F32_NAN : num_f32_bits(sum);
}

/* A subnormal as the zero of its sign. */
static uint64_t flush(uint64_t bits)
{
    return (bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits;
}

static uint64_t combine_f32_ftz(async_reduction reduction, uint64_t old, uint64_t with)
{
    return flush(combine_f32(reduction, flush(old), flush(with)));
}

/* A NaN passes through as it is, unlike in f32. */
static uint64_t combine_f64(async_reduction reduction, uint64_t old, uint64_t with)
{
    (void)reduction;
    double a, b;
    memcpy(&a, &old, sizeof a);
    memcpy(&b, &with, sizeof b);
    if (a != a)
        return old;
    if (b != b)
        return with;
    a += b;
    memcpy(&old, &a, sizeof a);
    return old;
}

/* ---- memory -------------------------------------------------------------------------------------- */

/* One loop a word size: replace the word until nobody came between. destination is aligned, source need not
 * be. */
#define DEFINE_REDUCE_WORDS(bits)                                                                            \
    static void reduce_words_##bits(combine_fn *combine, async_reduction reduction, uint8_t *destination,    \
                                    const uint8_t *source, size_t count)                                     \
    {                                                                                                        \
        uint##bits##_t *words = (uint##bits##_t *)(void *)destination;                                       \
        for (size_t i = 0; i < count; i++) {                                                                 \
            uint##bits##_t with, old, next;                                                                  \
            memcpy(&with, source + i * sizeof with, sizeof with);                                            \
            old = __atomic_load_n(&words[i], __ATOMIC_RELAXED);                                              \
            do                                                                                               \
                next = (uint##bits##_t)combine(reduction, old, with);                                        \
            while (!__atomic_compare_exchange_n(&words[i], &old, next, true, __ATOMIC_RELAXED,               \
                                                __ATOMIC_RELAXED));                                          \
        }                                                                                                    \
    }

DEFINE_REDUCE_WORDS(16)
DEFINE_REDUCE_WORDS(32)
DEFINE_REDUCE_WORDS(64)

bool async_reduction_allowed(emu_element element, async_reduction reduction)
{
    return elements[element].allowed >> reduction & 1;
}

bool async_reduce(emu_element element, async_reduction reduction, uint8_t *destination, const uint8_t *source,
                  size_t count, const char **error)
{
    const element_row *row = &elements[element];
    if (!async_reduction_allowed(element, reduction)) {
        *error = "this reduction is not defined for the element type";
        return false;
    }
    if ((uintptr_t)destination % row->bytes != 0) {
        *error = "the destination of a reduction is not aligned to its element";
        return false;
    }
    switch (row->bytes) {
    case 2: reduce_words_16(row->combine, reduction, destination, source, count); break;
    case 4: reduce_words_32(row->combine, reduction, destination, source, count); break;
    default: reduce_words_64(row->combine, reduction, destination, source, count); break;
    }
    return true;
}
