/* tensor_core.c: what a Hopper tensor core computes, bit for bit.
 *
 * The PTX ISA leaves the precision of wgmma open (section 9.7.15.5.2). The hardware's is this, for one
 * element of D, over all K products of an instruction and the accumulator together:
 *
 *   - Each product is exact. Its exponent is the sum of its operands' (of their significands as they
 *     stand: below 2, below 1 for subnormals). A product with a zero has none.
 *   - The largest exponent among products and accumulator, emax, fixes the unit: 2^(emax - 25), or
 *     2^(emax - 13) for 8-bit operands. Every term is cut (towards zero) to a whole number of units.
 *   - The terms are added exactly.
 *   - The sum becomes f32 by cutting, for 8-bit operands to 13 fraction bits; or f16 by rounding to
 *     nearest even. A sum of 0 is +0.
 *
 * NaN, infinity times zero and infinities of both signs give the canonical NaN. Subnormals count in full.
 * The order of the products does not matter. Compared with an H200 on 512,000 random elements for each of
 * f16, bf16, tf32, e4m3, e5m2 and e4m3 x e5m2 with f32 accumulators, f16 and e4m3 with f16 accumulators:
 * all equal (tests/emu/async_wgmma_hardware.c keeps a part of it). The same model, of other generations
 * too: Khattak and Mikaitis, "Accurate Models of NVIDIA Tensor Cores", arXiv 2512.07004.
 *
 * A term is below 2^27 units, so 8 of them and an accumulator fit 32 bits and 16 do not: they are summed
 * in two halves. */
#include "emu/async/tensor_core.h"
#include "emu/num/num.h"

#include <math.h>

typedef struct row_state {
    const operand_slab *restrict a, *restrict b;
    uint32_t row, depth;
    int32_t unit_bits;
    _Alignas(64) float significand[SLAB_WIDTH]; /* of the accumulators */
    _Alignas(64) int32_t exponent[SLAB_WIDTH];
    _Alignas(64) int32_t emax[SLAB_WIDTH];
    _Alignas(64) int32_t sum[2][SLAB_WIDTH]; /* the terms in units; the accumulator is among the first */
} row_state;

/* ---- the sums ------------------------------------------------------------------------------------ */

/* A term in units, cut. base is what turns the term's exponent into that of its scale, in f32's encoding;
 * far below the unit the scale is held at 2^-63, which gives 0 without making subnormals. */
static ALWAYS_INLINE int32_t term_units(float significand, int32_t exponent, int32_t base)
{
    int32_t field = exponent + base;
    field = field < 64 ? 64 : field;
    return (int32_t)(significand * num_f32_from_bits((uint32_t)field << 23));
}

static ALWAYS_INLINE void find_emax(row_state *restrict state)
{
    memcpy(state->emax, state->exponent, sizeof state->emax);
    for (uint32_t k = 0; k < state->depth; k++) {
        const int32_t exponent = state->a->exponent[k][state->row];
        const int32_t *restrict exponents = state->b->exponent[k];
        for (int i = 0; i < SLAB_WIDTH; i++) {
            int32_t sum = exponent + exponents[i];
            state->emax[i] = sum > state->emax[i] ? sum : state->emax[i];
        }
    }
}

static ALWAYS_INLINE void add_products(const row_state *restrict state, const int32_t *restrict base,
                                       uint32_t first, int32_t *restrict sum)
{
    for (uint32_t k = first; k < first + state->depth / 2; k++) {
        const int32_t exponent = state->a->exponent[k][state->row];
        const float significand = state->a->significand[k][state->row];
        const int32_t *restrict exponents = state->b->exponent[k];
        const float *restrict significands = state->b->significand[k];
        for (int i = 0; i < SLAB_WIDTH; i++)
            sum[i] += term_units(significand * significands[i], exponent + exponents[i], base[i]);
    }
}

/* The same of moderate operands, whose products and terms f32 holds as they are: one scale a lane does. */
static ALWAYS_INLINE void add_moderate_products(const row_state *restrict state, const float *restrict scale,
                                                uint32_t first, int32_t *restrict sum)
{
    for (uint32_t k = first; k < first + state->depth / 2; k++) {
        const float value = state->a->value[k][state->row];
        const float *restrict values = state->b->value[k];
        for (int i = 0; i < SLAB_WIDTH; i++)
            sum[i] += (int32_t)(value * values[i] * scale[i]);
    }
}

static ALWAYS_INLINE void row_sums(row_state *restrict state)
{
    int32_t base[SLAB_WIDTH], sum[2][SLAB_WIDTH] = {{0}};
    float scale[SLAB_WIDTH];
    find_emax(state);
    for (int i = 0; i < SLAB_WIDTH; i++)
        base[i] = state->unit_bits + 127 - state->emax[i];
    for (int i = 0; i < SLAB_WIDTH; i++) {
        int32_t field = base[i] > 254 ? 254 : base[i]; /* above only when all products are zero */
        scale[i] = num_f32_from_bits((uint32_t)field << 23);
        sum[0][i] = term_units(state->significand[i], state->exponent[i], base[i]);
    }
    if (state->a->moderate && state->b->moderate) {
        add_moderate_products(state, scale, 0, sum[0]);
        add_moderate_products(state, scale, state->depth / 2, sum[1]);
    } else {
        add_products(state, base, 0, sum[0]);
        add_products(state, base, state->depth / 2, sum[1]);
    }
    memcpy(state->sum, sum, sizeof state->sum);
}

/* ---- results ------------------------------------------------------------------------------------- */

static double sum_value(const row_state *state, int i)
{
    int32_t exponent = state->emax[i] < -600 ? -600 : state->emax[i]; /* lower only when all terms are zero */
    return ldexp((double)state->sum[0][i] + (double)state->sum[1][i], exponent - state->unit_bits);
}

/* f32 towards zero; what f32 cannot hold is infinite. */
static uint32_t cut_to_f32(double value)
{
    if (fabs(value) >= 0x1p128)
        value = copysign(INFINITY, value);
    return num_encode(NUM_F32, value, NUM_RZ, 0);
}

/* By way of an f32 whose last bit is odd when something was cut: rounding that to nearest is rounding
 * once. */
static uint32_t round_to_f16(double value)
{
    uint32_t cut = cut_to_f32(value);
    bool inexact = (double)num_f32_from_bits(cut) != value;
    return num_f32_to_f16(num_f32_from_bits(cut | inexact));
}

/* The sum of both halves as f32, cut; *subnormal is set when the result is one and has to be computed
 * again.
 *
 * 33 bits are needed: 32 of magnitude, and the sign. Of the bits below the first 24, clearing those that
 * magnitude >> 24 selects clears the highest, so that the conversion, which rounds to nearest, rounds
 * down. */
static ALWAYS_INLINE uint32_t sum_to_f32(int32_t first, int32_t second, int32_t exponent, uint32_t *subnormal)
{
    uint32_t sum = (uint32_t)first + (uint32_t)second;
    uint32_t negative = (uint32_t)((first >> 1) + (second >> 1) + (first & second & 1)) >> 31;
    uint32_t magnitude = (sum ^ (0 - negative)) + negative;
    uint32_t cut = magnitude & ~(magnitude >> 24);
    float value = (float)(int32_t)(cut >> 8) * 256.0f + (float)(int32_t)(cut & 255);
    exponent = exponent < -252 ? -252 : exponent; /* lower only for results far below f32 */
    int32_t half = exponent >> 1;
    value *= num_f32_from_bits((uint32_t)(half + 127) << 23);
    value *= num_f32_from_bits((uint32_t)(exponent - half + 127) << 23);
    uint32_t bits = num_f32_bits(value);
    *subnormal |= bits < 0x00800000 && magnitude != 0;
    return bits | negative << 31;
}

/* Results as f32; true when some are subnormal and have to be computed again. */
static ALWAYS_INLINE bool row_results(const row_state *restrict state, uint32_t *restrict accumulators)
{
    uint32_t subnormal = 0;
    for (int i = 0; i < SLAB_WIDTH; i++)
        accumulators[i] =
            sum_to_f32(state->sum[0][i], state->sum[1][i], state->emax[i] - state->unit_bits, &subnormal);
    return subnormal != 0;
}

/* What row_compute has to tell of the accumulators it read or wrote. */
enum row_note { ROW_SUBNORMAL = 1, ROW_SPECIAL = 2 };

static ALWAYS_INLINE unsigned row_compute_body(row_state *restrict state, async_type d,
                                               uint32_t *restrict accumulators)
{
    static const operand_format single = {.exponent_bits = 8, .fraction_bits = 23, .has_infinity = true};
    static const operand_format half = {.exponent_bits = 5, .fraction_bits = 10, .has_infinity = true};
    bool special = d == ASYNC_F16 ? operand_split(&half, accumulators, state->significand, state->exponent)
                                  : operand_split(&single, accumulators, state->significand, state->exponent);
    row_sums(state);
    bool subnormal = row_results(state, accumulators);
    return (special ? ROW_SPECIAL : 0) | (subnormal ? ROW_SUBNORMAL : 0);
}

DEFINE_CLONES(unsigned, row_compute,
              (row_state *restrict state, async_type d, uint32_t *restrict accumulators),
              (state, d, accumulators))

/* ---- infinities and NaNs ------------------------------------------------------------------------- */

typedef struct infinities {
    bool nan, positive, negative;
} infinities;

static void note_term(infinities *seen, operand_class class, bool negative)
{
    seen->nan |= class == OPERAND_NAN;
    seen->positive |= class == OPERAND_INFINITE && !negative;
    seen->negative |= class == OPERAND_INFINITE && negative;
}

static bool is_negative(const operand_format *format, uint32_t raw)
{
    return raw >> (format->exponent_bits + format->fraction_bits) & 1;
}

static void note_product(infinities *seen, const operand_slab *a, uint32_t row, const operand_slab *b,
                         int lane, uint32_t k)
{
    uint32_t raw_a = a->raw[k][row], raw_b = b->raw[k][lane];
    operand_class class_a = operand_classify(a->format, raw_a), class_b = operand_classify(b->format, raw_b);
    operand_class class = class_a > class_b ? class_a : class_b;
    bool zero = (class_a == OPERAND_FINITE && a->significand[k][row] == 0) ||
                (class_b == OPERAND_FINITE && b->significand[k][lane] == 0);
    if (class == OPERAND_INFINITE && zero)
        class = OPERAND_NAN;
    note_term(seen, class, is_negative(a->format, raw_a) != is_negative(b->format, raw_b));
}

/* Lanes of b that hold an infinity or a NaN, by bit. */
static uint32_t special_lanes(const operand_slab *b, uint32_t depth)
{
    uint32_t lanes = 0;
    for (uint32_t k = 0; k < depth && b->special; k++)
        for (int i = 0; i < SLAB_WIDTH; i++)
            lanes |= (uint32_t)(operand_classify(b->format, b->raw[k][i]) != OPERAND_FINITE) << i;
    return lanes;
}

static bool row_is_special(const operand_slab *a, uint32_t row, uint32_t depth)
{
    bool special = false;
    for (uint32_t k = 0; k < depth && a->special; k++)
        special |= operand_classify(a->format, a->raw[k][row]) != OPERAND_FINITE;
    return special;
}

/* Replaces the results of lanes in which infinities or NaNs took part. */
static void settle_specials(const row_state *state, async_type d, const uint32_t *before,
                            uint32_t *accumulators)
{
    const operand_format *format = operand_format_of(d);
    const num_format number = d == ASYNC_F16 ? NUM_F16 : NUM_F32;
    uint32_t lanes = special_lanes(state->b, state->depth);
    bool all = row_is_special(state->a, state->row, state->depth);
    for (int i = 0; i < SLAB_WIDTH; i++) {
        infinities seen = {0};
        note_term(&seen, operand_classify(format, before[i]), is_negative(format, before[i]));
        for (uint32_t k = 0; k < state->depth && (all || (lanes >> i & 1)); k++)
            note_product(&seen, state->a, state->row, state->b, i, k);
        if (seen.nan || (seen.positive && seen.negative))
            accumulators[i] = num_nan(number);
        else if (seen.positive || seen.negative)
            accumulators[i] = num_encode(number, seen.positive ? INFINITY : -INFINITY, NUM_RN, 0);
    }
}

/* ---- a row --------------------------------------------------------------------------------------- */

void tensor_core_row(const operand_slab *a, uint32_t row, const operand_slab *b, async_type d,
                     uint32_t *accumulators)
{
    const uint32_t bytes = a->format->bytes;
    const uint32_t kept = bytes == 1 ? ~UINT32_C(0x3ff) : UINT32_MAX;
    row_state state = {.a = a, .b = b, .row = row, .depth = 32u / bytes, .unit_bits = bytes == 1 ? 13 : 25};
    uint32_t before[SLAB_WIDTH];
    memcpy(before, accumulators, sizeof before);
    unsigned notes = row_compute(&state, d, accumulators);
    for (int i = 0; i < SLAB_WIDTH && d == ASYNC_F16; i++)
        accumulators[i] = round_to_f16(sum_value(&state, i));
    for (int i = 0; i < SLAB_WIDTH && d == ASYNC_F32 && (notes & ROW_SUBNORMAL); i++)
        accumulators[i] = cut_to_f32(sum_value(&state, i));
    for (int i = 0; i < SLAB_WIDTH && d == ASYNC_F32; i++)
        accumulators[i] &= kept;
    if ((notes & ROW_SPECIAL) || a->special || b->special)
        settle_specials(&state, d, before, accumulators);
}

/* ---- integers ------------------------------------------------------------------------------------ */

/* 32 products of 16 bits cannot overflow. */
static ALWAYS_INLINE bool row_integers_body(const operand_slab *restrict a, uint32_t row,
                                            const operand_slab *restrict b, int32_t *restrict sum)
{
    for (uint32_t k = 0; k < SLAB_DEPTH; k++) {
        const int32_t factor = a->exponent[k][row];
        const int32_t *restrict factors = b->exponent[k];
        for (int i = 0; i < SLAB_WIDTH; i++)
            sum[i] += factor * factors[i];
    }
    return true;
}

DEFINE_CLONES(bool, row_integers,
              (const operand_slab *restrict a, uint32_t row, const operand_slab *restrict b,
               int32_t *restrict sum),
              (a, row, b, sum))

void tensor_core_row_s32(const operand_slab *a, uint32_t row, const operand_slab *b, bool saturate,
                         uint32_t *accumulators)
{
    int32_t sum[SLAB_WIDTH] = {0};
    row_integers(a, row, b, sum);
    for (int i = 0; i < SLAB_WIDTH; i++) {
        int64_t total = (int64_t)(int32_t)accumulators[i] + sum[i];
        if (saturate)
            total = total > INT32_MAX ? INT32_MAX : total < INT32_MIN ? INT32_MIN : total;
        accumulators[i] = (uint32_t)total;
    }
}
