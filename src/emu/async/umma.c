/* umma.c: what tcgen05.mma computes and tcgen05.cp copies (PTX ISA, "TensorCore 5th Generation Family
 * Instructions").
 *
 * There has been no Blackwell GPU to compare with. Where operands lie follows the PTX ISA ("Data path layout
 * organization", "Shared memory descriptor", "Instruction descriptor"). The arithmetic is this model of ours:
 * products are exact; those of one instruction are added in f64 in the order of k, the accumulator last, and
 * the sum is rounded once to f32, to nearest. Sums of small integers are therefore exact; of others the last
 * bits need not be a GPU's. Integers are exact, modulo 2^32 or clamped.
 *
 * Row r of D and A and column n of D lie, in tensor memory (lane, column from D's address):
 *
 *   M    CTAs   CTA      lane                          column
 *   128  1      -        r                             n
 *   64   1      -        r / 16 * 32 + r % 16          n
 *   256  2      r / 128  r % 128                       n
 *   128  2      r / 64   r % 64 + (n < N / 2 ? 0 : 64)  n % (N / 2)
 *
 * With two CTAs each has its rows of A and, in its shared memory, half of the rows of B: the even one the first.
 * A in tensor memory has its row's lane and eight columns, the lower k in the lower bits.
 *
 * Factors of block-scaled kinds are bytes of words in tensor memory: that of row r (of the CTA's rows of A, or of all N of
 * B) and block b is byte scale id + b of column r / 32, lane r % 32 ("Scale factors"). All four quarters of the lanes must
 * hold them; that they do not is an error here. */
#include "emu/async/umma.h"
#include "emu/async/clones.h"
#include "emu/async/descriptor.h"
#include "emu/async/operand.h"
#include "emu/num/num.h"

enum { MAX_N = 256, MAX_K = 64, LANES = 128, STEP_BYTES = 32 };

/* ---- descriptors --------------------------------------------------------------------------------------- */

static bool fail(const char **error, const char *what)
{
    *error = what;
    return false;
}

#define BITS(word, low, count) ((uint32_t)((word) >> (low)) & ((UINT32_C(1) << (count)) - 1))

/* Type codes by kind; NO_TYPE: none, or none that is had here. */
enum { NO_TYPE = 0xff };
static const uint8_t type_codes[][8] = {
    [UMMA_F16] = {ASYNC_F16, ASYNC_BF16, NO_TYPE, NO_TYPE, NO_TYPE, NO_TYPE, NO_TYPE, NO_TYPE},
    [UMMA_TF32] = {NO_TYPE, NO_TYPE, ASYNC_TF32, NO_TYPE, NO_TYPE, NO_TYPE, NO_TYPE, NO_TYPE},
    [UMMA_F8F6F4] = {ASYNC_E4M3, ASYNC_E5M2, NO_TYPE, NO_TYPE, NO_TYPE, NO_TYPE, NO_TYPE, NO_TYPE},
    [UMMA_I8] = {ASYNC_U8, ASYNC_S8, NO_TYPE, NO_TYPE, NO_TYPE, NO_TYPE, NO_TYPE, NO_TYPE},
    [UMMA_MXF8F6F4] = {ASYNC_E4M3, ASYNC_E5M2, NO_TYPE, NO_TYPE, NO_TYPE, NO_TYPE, NO_TYPE, NO_TYPE},
    [UMMA_MXF4] = {NO_TYPE, ASYNC_E2M1, NO_TYPE, NO_TYPE, NO_TYPE, NO_TYPE, NO_TYPE, NO_TYPE},
    [UMMA_MXF4NVF4] = {NO_TYPE, ASYNC_E2M1, NO_TYPE, NO_TYPE, NO_TYPE, NO_TYPE, NO_TYPE, NO_TYPE},
};

/* ("Matrix shapes") */
static bool check_shape(const async_umma *u, umma_kind kind, const char **error)
{
    bool m = u->ctas == 1 ? u->m == 64 || u->m == 128 : u->m == 128 || u->m == 256;
    uint32_t step = u->ctas == 1 && u->m == 64 && kind != UMMA_I8 ? 8 : 16;
    if (!m)
        return fail(error, "tcgen05.mma: M of the instruction descriptor is neither 64 nor 128 (of a pair, "
                           "128 nor 256)");
    if (u->n < step || u->n > MAX_N || u->n % step)
        return fail(error, "tcgen05.mma: N of the instruction descriptor does not go with M");
    return true;
}

/* Bits as in the "Instruction descriptor" of kinds f16, tf32, f8f6f4, i8:
 *
 *     31 30 | 29 | 28..24 | 23 | 22..17 | 16 15    | 14 13  | 12..10 | 9..7   | 6 | 5 4    | 3        | 2..0
 *       0   | 0  | M >> 4 | 0  | N >> 3 | B, A     | B, A   | B type | A type | 0 | D type | saturate | 0
 *                                         MN-major   negate */
static bool decode_plain(umma_kind kind, uint32_t idesc, async_umma *u, const char **error, bool *missing)
{
    uint32_t d = BITS(idesc, 4, 2), want = kind == UMMA_I8 ? 2 : 1;
    if (idesc & UINT32_C(0xe0800047))
        return fail(error, "tcgen05.mma: bits of the instruction descriptor that must be zero are not");
    u->d = kind == UMMA_I8 ? ASYNC_S32 : ASYNC_F32;
    u->saturate = BITS(idesc, 3, 1);
    *missing = kind != UMMA_I8 && d == 0;
    return d == want || fail(error, "tcgen05.mma: the type of D does not go with the kind");
}

/* Of the block-scaled kinds:
 *
 *     31   | 30 29 | 28..24 | 23    | 22..17 | 16 15    | 14 13  | 12..10 | 9..7   | 6 | 5 4  | 3..0
 *     K 96 | scale | M >> 4 | UE8M0 | N >> 3 | B, A     | B, A   | B type | A type | 0 | scale | 0
 *            id A                              MN-major   negate                        id B */
static bool decode_scaled(umma_kind kind, uint32_t idesc, async_umma *u, const char **error, bool *missing)
{
    uint32_t factors = (kind == UMMA_MXF8F6F4 ? 32 : 64) / u->block;
    u->d = ASYNC_F32;
    u->ue8m0 = BITS(idesc, 23, 1);
    u->a_scale = BITS(idesc, 29, 2);
    u->b_scale = BITS(idesc, 4, 2);
    if (idesc & UINT32_C(0x4f))
        return fail(error, "tcgen05.mma: bits of the instruction descriptor that must be zero are not");
    if (!u->ue8m0 && u->block != 16)
        return fail(error, "tcgen05.mma: factors of UE4M3 are for blocks of 16");
    if (u->a_scale % factors || u->b_scale % factors)
        return fail(error, "tcgen05.mma: a scale id that does not go with the size of the blocks");
    *missing = idesc >> 31 || u->m / u->ctas != LANES;
    return !*missing || fail(error, "tcgen05.mma: a block-scaled shape of this form");
}

bool async_umma_decode(const umma_form *form, uint32_t idesc, async_umma *u, const char **error,
                       bool *missing)
{
    const umma_kind kind = form->kind;
    uint32_t a = type_codes[kind][BITS(idesc, 7, 3)], b = type_codes[kind][BITS(idesc, 10, 3)];
    *u = (async_umma){.a = (async_type)a,
                      .b = (async_type)b,
                      .negate_a = BITS(idesc, 13, 1),
                      .negate_b = BITS(idesc, 14, 1),
                      .a_mn_major = BITS(idesc, 15, 1),
                      .b_mn_major = BITS(idesc, 16, 1),
                      .n = BITS(idesc, 17, 6) << 3,
                      .m = BITS(idesc, 24, 5) << 4,
                      .ctas = form->ctas,
                      .block = form->block};
    *missing = false;
    if (!(form->block ? decode_scaled : decode_plain)(kind, idesc, u, error, missing))
        return false;
    *missing = kind == UMMA_F8F6F4 || kind == UMMA_MXF8F6F4;
    if (a == NO_TYPE || b == NO_TYPE)
        return fail(error, "tcgen05.mma: types of the instruction descriptor do not go with the kind");
    *missing = (u->a_mn_major || u->b_mn_major) && kind != UMMA_F16;
    if (*missing)
        return fail(error, "tcgen05.mma: MN-major operands of this kind");
    return check_shape(u, kind, error);
}

/* Layout codes of bits 61-63; the rest is wgmma's descriptor, but for the version in bits 46 and 47. */
static bool decode_descriptor(uint64_t bits, descriptor *to, const char **error)
{
    static const int layouts[8] = {EMU_SWIZZLE_NONE, -1, EMU_SWIZZLE_128B, -1,
                                   EMU_SWIZZLE_64B,  -1, EMU_SWIZZLE_32B,  -1};
    int layout = layouts[bits >> 61];
    if (BITS(bits, 46, 2) != 1)
        return fail(error, "tcgen05: the version of a shared memory descriptor (bits 46, 47) is not 1");
    if (layout < 0 || BITS(bits, 52, 9))
        return fail(error, "tcgen05: a shared memory descriptor with a layout that is not had here");
    *to = descriptor_decode(bits & ~(UINT64_C(7) << 61));
    to->swizzle = (emu_swizzle)layout;
    return true;
}

/* ---- operands ------------------------------------------------------------------------------------------ */

typedef struct operand {
    async_type type;
    bool mn_major, negate;
    descriptor from;
} operand;

static uint32_t bits_of(async_type type)
{
    return type == ASYNC_E2M1 ? 4 : operand_format_of(type)->bytes * 8u;
}

static double value_of(async_type type, uint32_t raw)
{
    switch (type) {
    case ASYNC_F16: return (double)num_f16_to_f32((uint16_t)raw);
    case ASYNC_BF16: return (double)num_bf16_to_f32((uint16_t)raw);
    case ASYNC_TF32: return (double)num_f32_from_bits(raw & UINT32_C(0xffffe000));
    case ASYNC_E4M3: return (double)num_e4m3_to_f32((uint8_t)raw);
    case ASYNC_E5M2: return (double)num_e5m2_to_f32((uint8_t)raw);
    case ASYNC_E2M1: return (double)num_decode(NUM_E2M1, raw);
    case ASYNC_S8: return (double)(int8_t)raw;
    default: return (double)raw;
    }
}

static double operand_value(const operand *o, uint32_t raw)
{
    double value = value_of(o->type, raw);
    return o->negate ? -value : value;
}

/* Element k of a row; false when it is not in shared memory. */
static bool load_element(const operand *o, const async_umma_cta *cta, uint32_t row, uint32_t k, double *value)
{
    uint32_t bits = bits_of(o->type), per = 128 / bits, bytes = (bits + 7) / 8, raw = 0;
    uint32_t line = o->mn_major ? k : row, across = o->mn_major ? row : k;
    uint32_t at = descriptor_chunk(&o->from, o->mn_major, line, across / per) + across % per * bits / 8;
    if (cta->smem_bytes < bytes || at > cta->smem_bytes - bytes)
        return false;
    memcpy(&raw, cta->smem + at, bytes);
    if (bits == 4)
        raw = raw >> across % 2 * 4 & 15;
    *value = operand_value(o, raw);
    return true;
}

typedef struct umma_state {
    double a[LANES][MAX_K];
    double b[MAX_K][MAX_N];
    double sum[MAX_N];
} umma_state;

static uint32_t depth_of(const async_umma *u)
{
    return STEP_BYTES * 8 / bits_of(u->a);
}

static uint32_t rows_of_cta(const async_umma *u)
{
    return u->m / u->ctas;
}

/* The lane of row r of a CTA; of M = 128 of a pair, in the lower half. */
static uint32_t lane_of(const async_umma *u, uint32_t row)
{
    return u->ctas == 1 && u->m == 64 ? row / 16 * 32 + row % 16 : row;
}

/* The rows of A of one CTA. */
static bool load_a(umma_state *s, const async_umma *u, const async_umma_cta *cta, const operand *o,
                   const char **error)
{
    for (uint32_t row = 0; row < rows_of_cta(u); row++)
        for (uint32_t k = 0; k < depth_of(u); k++)
            if (!load_element(o, cta, row, k, &s->a[row][k]))
                return fail(error, "tcgen05.mma: the descriptor of A leads outside shared memory");
    return true;
}

static void load_a_from_tmem(umma_state *s, const async_umma *u, const async_umma_cta *cta, const operand *o,
                             uint32_t column)
{
    uint32_t bits = bits_of(u->a), per = 32 / bits;
    for (uint32_t row = 0; row < rows_of_cta(u); row++)
        for (uint32_t k = 0; k < depth_of(u); k++) {
            uint32_t word = cta->tmem[(column + k / per) * LANES + lane_of(u, row)];
            s->a[row][k] = operand_value(o, word >> k % per * bits & UINT32_MAX >> (32 - bits));
        }
}

/* All of B. */
static bool load_b(umma_state *s, const async_umma *u, const async_umma_cta *ctas, const operand *o,
                   const char **error)
{
    uint32_t share = u->n / u->ctas;
    for (uint32_t n = 0; n < u->n; n++)
        for (uint32_t k = 0; k < depth_of(u); k++)
            if (!load_element(o, &ctas[n / share], n % share, k, &s->b[k][n]))
                return fail(error, "tcgen05.mma: the descriptor of B leads outside shared memory");
    return true;
}

/* ---- factors ------------------------------------------------------------------------------------------- */

/* The word with a row's factors; false when the quarters of the lanes do not agree. */
static bool factor_word(const async_umma_cta *cta, uint32_t column, uint32_t row, uint32_t *word)
{
    const uint32_t *lanes = &cta->tmem[(column + row / 32) * LANES + row % 32];
    *word = lanes[0];
    return lanes[32] == *word && lanes[64] == *word && lanes[96] == *word;
}

static double factor_of(const async_umma *u, uint32_t word, uint32_t scale_id, uint32_t k)
{
    uint32_t byte = word >> (scale_id + k / u->block) * 8 & 0xff;
    return (double)num_decode(u->ue8m0 ? NUM_UE8M0 : NUM_UE4M3, byte);
}

static bool scale_a(umma_state *s, const async_umma *u, const async_umma_cta *cta, uint32_t column)
{
    uint32_t word;
    for (uint32_t row = 0; row < rows_of_cta(u); row++) {
        if (!factor_word(cta, column, row, &word))
            return false;
        for (uint32_t k = 0; k < depth_of(u); k++)
            s->a[row][k] *= factor_of(u, word, u->a_scale, k);
    }
    return true;
}

static bool scale_b(umma_state *s, const async_umma *u, const async_umma_cta *cta, uint32_t column)
{
    uint32_t word;
    for (uint32_t n = 0; n < u->n; n++) {
        if (!factor_word(cta, column, n, &word))
            return false;
        for (uint32_t k = 0; k < depth_of(u); k++)
            s->b[k][n] *= factor_of(u, word, u->b_scale, k);
    }
    return true;
}

uint32_t async_umma_b_factor_columns(const async_umma *u)
{
    return (u->n + 31) / 32;
}

/* ---- the multiplication -------------------------------------------------------------------------------- */

static ALWAYS_INLINE bool multiply_row_body(const double *restrict a, const umma_state *restrict s,
                                            uint32_t depth, uint32_t n, double *restrict sum)
{
    for (uint32_t k = 0; k < depth; k++) {
        const double factor = a[k];
        const double *restrict factors = s->b[k];
        for (uint32_t i = 0; i < n; i++)
            sum[i] += factor * factors[i];
    }
    return true;
}

DEFINE_CLONES(bool, multiply_row,
              (const double *restrict a, const umma_state *restrict s, uint32_t depth, uint32_t n,
               double *restrict sum),
              (a, s, depth, n, sum))

uint32_t async_umma_d_columns(const async_umma *u)
{
    return u->ctas == 2 && u->m == 128 ? u->n / 2 : u->n;
}

static uint32_t *d_word(const async_umma *u, const async_umma_cta *ctas, uint32_t column, uint32_t row,
                        uint32_t n)
{
    uint32_t columns = async_umma_d_columns(u), lane = lane_of(u, row % rows_of_cta(u));
    lane += n / columns * 64;
    return &ctas[row / rows_of_cta(u)].tmem[(column + n % columns) * LANES + lane];
}

static uint32_t integer_result(const async_umma *u, double sum, uint32_t before)
{
    int64_t total = (int64_t)sum + (u->accumulate ? (int64_t)(int32_t)before : 0);
    if (u->saturate)
        total = total > INT32_MAX ? INT32_MAX : total < INT32_MIN ? INT32_MIN : total;
    return (uint32_t)total;
}

static uint32_t float_result(const async_umma *u, double sum, uint32_t before)
{
    if (u->accumulate)
        sum += (double)num_f32_from_bits(before);
    return num_f32_bits((float)sum);
}

static void store_row(const async_umma *u, const async_umma_cta *ctas, uint32_t column, uint32_t row,
                      const double *sum)
{
    for (uint32_t n = 0; n < u->n; n++) {
        uint32_t *word = d_word(u, ctas, column, row, n);
        *word = u->d == ASYNC_S32 ? integer_result(u, sum[n], *word) : float_result(u, sum[n], *word);
    }
}

/* What CTA number `at` multiplies: its rows of A, and all of B, by its own factors. */
static bool load_operands(umma_state *s, const async_umma *u, const async_umma_cta *ctas, uint32_t at,
                          const async_umma_operands *in, const char **error)
{
    operand a = {.type = u->a, .mn_major = u->a_mn_major, .negate = u->negate_a};
    operand b = {.type = u->b, .mn_major = u->b_mn_major, .negate = u->negate_b};
    if (!decode_descriptor(in->desc_b, &b.from, error) || !load_b(s, u, ctas, &b, error))
        return false;
    if (in->a_in_tmem)
        load_a_from_tmem(s, u, &ctas[at], &a, in->a_tmem);
    else if (!decode_descriptor(in->desc_a, &a.from, error) || !load_a(s, u, &ctas[at], &a, error))
        return false;
    if (u->block && !(scale_a(s, u, &ctas[at], in->a_factors) && scale_b(s, u, &ctas[at], in->b_factors)))
        return fail(error, "tcgen05.mma: factors differ between the four quarters of the lanes");
    return true;
}

bool async_umma_run(const async_umma *u, const async_umma_cta *ctas, const async_umma_operands *in,
                    const char **error)
{
    umma_state *s = base_alloc(sizeof *s);
    bool ok = true;
    for (uint32_t row = 0; ok && row < u->m; row++) {
        uint32_t rows = rows_of_cta(u);
        if (row % rows == 0 && !load_operands(s, u, ctas, row / rows, in, error))
            ok = false;
        if (!ok)
            break;
        memset(s->sum, 0, sizeof s->sum);
        multiply_row(s->a[row % rows], s, depth_of(u), u->n, s->sum);
        store_row(u, ctas, in->d_tmem, row, s->sum);
    }
    free(s);
    return ok;
}

void async_umma_chunks(const async_umma *u, const async_umma_operands *in, async_chunk *tell, void *context)
{
    descriptor a, b;
    const char *error;
    if (!in->a_in_tmem && decode_descriptor(in->desc_a, &a, &error))
        descriptor_chunks(&a, u->a_mn_major, 0, rows_of_cta(u), tell, context);
    if (decode_descriptor(in->desc_b, &b, &error))
        descriptor_chunks(&b, u->b_mn_major, 0, u->n / u->ctas, tell, context);
}

/* ---- tcgen05.cp ---------------------------------------------------------------------------------------- */

/* A row is one or two chunks of 16 bytes, of four columns each. */
bool async_umma_copy_run(const async_umma_copy *shape, const async_umma_cta *cta, uint64_t desc,
                         uint32_t column, const char **error)
{
    descriptor from;
    if (!decode_descriptor(desc, &from, error))
        return false;
    for (uint32_t lane = 0; lane < LANES; lane++)
        for (uint32_t chunk = 0; chunk < shape->bits / 128; chunk++) {
            uint32_t row = shape->from[lane / 32] * 32u + lane % 32, words[4];
            uint32_t at = descriptor_chunk(&from, false, row, chunk);
            if (cta->smem_bytes < 16 || at > cta->smem_bytes - 16)
                return fail(error, "tcgen05.cp: the descriptor leads outside shared memory");
            memcpy(words, cta->smem + at, sizeof words);
            for (uint32_t i = 0; i < 4; i++)
                cta->tmem[(column + 4 * chunk + i) * LANES + lane] = words[i];
        }
    return true;
}

void async_umma_copy_chunks(const async_umma_copy *shape, uint64_t desc, async_chunk *tell, void *context)
{
    descriptor from;
    const char *error;
    if (!decode_descriptor(desc, &from, &error))
        return;
    for (uint32_t row = 0; row < shape->rows; row++)
        for (uint32_t chunk = 0; chunk < shape->bits / 128; chunk++)
            tell(context, descriptor_chunk(&from, false, row, chunk));
}
