/* wgmma against three nested loops over small whole numbers, whose products and sums are exact in every
 * model of the arithmetic; then the arithmetic itself on cases small enough to work out by hand; then
 * misuse. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "emu/async/async.h"
#include "emu/num/num.h"

enum { SMEM_BYTES = 1 << 17, A_BASE = 0, B_BASE = 1 << 15, MAX_N = 256, MAX_K = 32 };

/* How a matrix lies in shared memory, in the words of the spec's section 8.7: an image with rows of a
 * swizzle span, XORed by row. */
typedef struct image {
    uint32_t layout; /* code in the descriptor */
    uint32_t span;
    bool mn_major;
} image;

static const image images[] = {
    {1, 128, false}, {2, 64, false}, {3, 32, false}, {0, 16, false},
    {1, 128, true},  {2, 64, true},  {3, 32, true},  {0, 16, true},
};

typedef struct problem {
    async_wgmma shape;
    image a, b;
    bool a_in_registers;
    int32_t a_values[64][MAX_K], b_values[MAX_N][MAX_K], d_values[64][MAX_N];
    uint8_t *smem;
} problem;

static uint32_t type_bytes(async_type type)
{
    return type == ASYNC_TF32 ? 4 : type <= ASYNC_BF16 ? 2 : 1;
}

static uint32_t encode(async_type type, int32_t value)
{
    switch (type) {
    case ASYNC_F16: return num_encode(NUM_F16, value, NUM_RN, 0);
    case ASYNC_BF16: return num_encode(NUM_BF16, value, NUM_RN, 0);
    case ASYNC_TF32: return num_f32_bits((float)value) | 0x1abc; /* bits that do not count */
    case ASYNC_E4M3: return num_encode(NUM_E4M3, value, NUM_RN, 0);
    case ASYNC_E5M2: return num_encode(NUM_E5M2, value, NUM_RN, 0);
    case ASYNC_F32: return num_f32_bits((float)value);
    default: return (uint32_t)value;
    }
}

/* ---- placing matrices ---------------------------------------------------------------------------- */

/* Distances of the image: of K-major, groups of 8 rows lie one after the other; of MN-major, blocks of a
 * span along MN do, each with all its k rows. Without swizzle, 8 x 16-byte blocks, those along K 128
 * bytes apart. */
static uint32_t place(const image *im, uint32_t mn, uint32_t k, uint32_t bytes)
{
    uint32_t line = im->mn_major ? k : mn, along = (im->mn_major ? mn : k) * bytes;
    if (im->span == 16 && !im->mn_major)
        return mn / 8 * 256 + along / 16 * 128 + mn % 8 * 16 + along % 16;
    uint32_t block = along / im->span * (im->span * 16); /* of 16 lines */
    uint32_t byte = line * im->span + along % im->span;
    uint32_t mask = im->span / 16 - 1;
    return (im->mn_major ? block : 0) + (byte ^ (byte >> 7 & mask) << 4);
}

static uint64_t describe(const image *im, uint32_t base)
{
    uint64_t leading = 1, stride = im->span * 8 / 16; /* in 16 bytes; leading unused by swizzled K-major */
    if (im->span == 16 && !im->mn_major) {
        leading = 128 / 16;
        stride = 256 / 16;
    } else if (im->span == 16) {
        leading = 128 / 16;    /* to the next 8 k */
        stride = 16 * 16 / 16; /* to the next 8 mn */
    } else if (im->mn_major) {
        leading = im->span * 16 / 16;
    }
    return base >> 4 | leading << 16 | stride << 32 | (uint64_t)im->layout << 62;
}

static void store(problem *p, const image *im, uint32_t base, async_type type, uint32_t mn, uint32_t k,
                  int32_t value)
{
    uint32_t bits = encode(type, value);
    memcpy(p->smem + base + place(im, mn, k, type_bytes(type)), &bits, type_bytes(type));
}

/* ---- fragments ----------------------------------------------------------------------------------- */

/* Element (row, column) of D: PTX ISA, figure of the m64nN accumulator fragment. */
static uint32_t *d_register(uint32_t (*d)[32], const async_wgmma *shape, uint32_t row, uint32_t column)
{
    uint32_t pairs = shape->d == ASYNC_F16 ? 1 : 2;
    uint32_t lane = row % 8 * 4 + column % 8 / 2;
    return &d[(column / 8 * 2 + row / 8) * pairs + (pairs == 2 ? column % 2 : 0)][lane];
}

static int32_t read_d(uint32_t (*d)[32], const async_wgmma *shape, uint32_t row, uint32_t column)
{
    uint32_t bits = *d_register(d, shape, row, column);
    if (shape->d == ASYNC_S32)
        return (int32_t)bits;
    if (shape->d == ASYNC_F16)
        return (int32_t)num_f16_to_f32((uint16_t)(bits >> column % 2 * 16));
    return (int32_t)num_f32_from_bits(bits);
}

static void write_d(uint32_t (*d)[32], const async_wgmma *shape, uint32_t row, uint32_t column, int32_t value)
{
    uint32_t *at = d_register(d, shape, row, column), shift = column % 2 * 16;
    if (shape->d == ASYNC_F16)
        *at = (*at & ~(UINT32_C(0xffff) << shift)) | encode(ASYNC_F16, value) << shift;
    else
        *at = shape->d == ASYNC_S32 ? (uint32_t)value : encode(ASYNC_F32, value);
}

/* A in registers: PTX ISA, figures of A for each K. Row groups alternate, then k halves; a register holds
 * 4 bytes. */
static void a_fragment(const problem *p, uint32_t warp, uint32_t (*registers)[32])
{
    uint32_t bytes = type_bytes(p->shape.a), mask = bytes == 4 ? UINT32_MAX : (1u << bytes * 8) - 1;
    memset(registers, 0, 4 * sizeof *registers);
    for (uint32_t row = 0; row < 16; row++)
        for (uint32_t k = 0; k < p->shape.k; k++) {
            uint32_t byte = k * bytes, lane = row % 8 * 4 + byte % 16 / 4, i = row / 8 + byte / 16 * 2;
            uint32_t bits = encode(p->shape.a, p->a_values[warp * 16 + row][k]) & mask;
            registers[i][lane] |= bits << byte % 4 * 8;
        }
}

/* ---- problems ------------------------------------------------------------------------------------ */

static uint32_t roll(uint64_t *seed, uint32_t sides)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 40) % sides;
}

static int32_t whole_number(uint64_t *seed, async_type type)
{
    if (type == ASYNC_S8 || type == ASYNC_U8)
        return (int32_t)roll(seed, 256) - (type == ASYNC_S8 ? 128 : 0);
    return (int32_t)roll(seed, 17) - 8;
}

static void fill(problem *p, uint64_t seed)
{
    memset(p->smem, 0xff, SMEM_BYTES); /* NaNs wherever nothing is placed */
    for (uint32_t k = 0; k < p->shape.k; k++) {
        for (uint32_t m = 0; m < 64; m++) {
            p->a_values[m][k] = whole_number(&seed, p->shape.a);
            store(p, &p->a, A_BASE, p->shape.a, m, k, p->a_values[m][k]);
        }
        for (uint32_t n = 0; n < p->shape.n; n++) {
            p->b_values[n][k] = whole_number(&seed, p->shape.b);
            store(p, &p->b, B_BASE, p->shape.b, n, k, p->b_values[n][k]);
        }
    }
    for (uint32_t m = 0; m < 64; m++)
        for (uint32_t n = 0; n < p->shape.n; n++)
            p->d_values[m][n] = (int32_t)roll(&seed, 65) - 32;
}

static int32_t expected(const problem *p, uint32_t m, uint32_t n)
{
    int32_t sum = 0, sign = (p->shape.scale_a < 0) == (p->shape.scale_b < 0) ? 1 : -1;
    for (uint32_t k = 0; k < p->shape.k; k++)
        sum += p->a_values[m][k] * p->b_values[n][k];
    return sign * sum + (p->shape.scale_d ? p->d_values[m][n] : 0);
}

static void expect_product(problem *p, uint64_t seed)
{
    fill(p, seed);
    for (uint32_t warp = 0; warp < 4; warp++) {
        uint32_t d[MAX_N / 2][32] = {{0}}, a[4][32];
        const char *error = "none";
        a_fragment(p, warp, a);
        for (uint32_t row = 0; row < 16; row++)
            for (uint32_t n = 0; n < p->shape.n; n++)
                write_d(d, &p->shape, row, n, p->d_values[warp * 16 + row][n]);
        bool ok = async_wgmma_run(&p->shape, warp, p->smem, SMEM_BYTES, describe(&p->a, A_BASE),
                                  describe(&p->b, B_BASE), p->a_in_registers ? a[0] : NULL, d[0], &error);
        if (!ok)
            fail_msg("%s", error);
        for (uint32_t row = 0; row < 16; row++)
            for (uint32_t n = 0; n < p->shape.n; n++)
                assert_int_equal(read_d(d, &p->shape, row, n), expected(p, warp * 16 + row, n));
    }
}

static int problem_open(void **state)
{
    problem *p = base_alloc(sizeof *p);
    *p = (problem){.smem = base_alloc(SMEM_BYTES)};
    *state = p;
    return 0;
}

static int problem_close(void **state)
{
    problem *p = *state;
    free(p->smem);
    free(p);
    return 0;
}

/* A problem of n columns in the plainest form. */
static problem *plain(void **state, uint32_t n, async_type type, async_type d)
{
    problem *p = *state;
    p->shape =
        (async_wgmma){.n = n, .k = 32 / type_bytes(type), .a = type, .b = type, .d = d, .scale_d = true};
    p->a = p->b = images[0];
    p->a_in_registers = false;
    return p;
}

/* ---- products ------------------------------------------------------------------------------------ */

static void every_n(void **state)
{
    for (uint32_t n = 8; n <= 256; n += 8)
        expect_product(plain(state, n, ASYNC_BF16, ASYNC_F32), n);
}

static void every_layout_of_16_bit_operands(void **state)
{
    for (size_t a = 0; a < ARRAY_LEN(images); a++)
        for (size_t b = 0; b < ARRAY_LEN(images); b++) {
            problem *p = plain(state, 8 + (uint32_t)b * 24, a % 2 ? ASYNC_F16 : ASYNC_BF16, ASYNC_F32);
            p->a = images[a];
            p->b = images[b];
            p->shape.a_mn_major = p->a.mn_major;
            p->shape.b_mn_major = p->b.mn_major;
            expect_product(p, a * 8 + b);
        }
}

typedef struct type_case {
    async_type a, b, d;
} type_case;

static const type_case type_cases[] = {
    {ASYNC_F16, ASYNC_F16, ASYNC_F32},   {ASYNC_BF16, ASYNC_BF16, ASYNC_F32},
    {ASYNC_TF32, ASYNC_TF32, ASYNC_F32}, {ASYNC_E4M3, ASYNC_E4M3, ASYNC_F32},
    {ASYNC_E5M2, ASYNC_E4M3, ASYNC_F32}, {ASYNC_F16, ASYNC_F16, ASYNC_F16},
    {ASYNC_E4M3, ASYNC_E5M2, ASYNC_F16}, {ASYNC_S8, ASYNC_S8, ASYNC_S32},
    {ASYNC_U8, ASYNC_S8, ASYNC_S32},     {ASYNC_S8, ASYNC_U8, ASYNC_S32},
    {ASYNC_U8, ASYNC_U8, ASYNC_S32},
};

static void every_type_in_every_k_major_layout(void **state)
{
    for (size_t t = 0; t < ARRAY_LEN(type_cases); t++)
        for (size_t i = 0; i < 4; i++) {
            problem *p = plain(state, 48, type_cases[t].a, type_cases[t].d);
            p->shape.b = type_cases[t].b;
            p->a = images[i];
            p->b = images[3 - i];
            expect_product(p, t);
            p->a_in_registers = true;
            expect_product(p, t);
        }
}

static void scales_negate_and_drop(void **state)
{
    for (int i = 0; i < 8; i++) {
        problem *p = plain(state, 40, ASYNC_F16, i % 2 ? ASYNC_F16 : ASYNC_F32);
        p->shape.scale_a = i & 1 ? -1 : 1;
        p->shape.scale_b = i & 2 ? -1 : 1;
        p->shape.scale_d = i & 4;
        p->a_in_registers = i & 1;
        expect_product(p, 99);
    }
}

/* The next k of a swizzled tile begins inside the pattern: 32 bytes on, as the spec's section 8.4
 * advances. */
static void descriptors_advance_inside_the_pattern(void **state)
{
    problem *p = plain(state, 64, ASYNC_F16, ASYNC_F32);
    fill(p, 5);
    for (uint32_t step = 1; step < 4; step++) {
        for (uint32_t k = 0; k < 16; k++)
            for (uint32_t n = 0; n < 64; n++) {
                store(p, &p->a, A_BASE, ASYNC_F16, n, step * 16 + k, p->a_values[n][k]);
                store(p, &p->b, B_BASE, ASYNC_F16, n, step * 16 + k, p->b_values[n][k]);
            }
        uint32_t want[32][32] = {{0}}, got[32][32] = {{0}};
        const char *error = NULL;
        uint64_t a = describe(&p->a, A_BASE), b = describe(&p->b, B_BASE);
        assert_true(async_wgmma_run(&p->shape, 1, p->smem, SMEM_BYTES, a, b, NULL, want[0], &error));
        assert_true(async_wgmma_run(&p->shape, 1, p->smem, SMEM_BYTES, a + 2 * (uint64_t)step,
                                    b + 2 * (uint64_t)step, NULL, got[0], &error));
        assert_memory_equal(want, got, sizeof want);
    }
}

/* The spec's golden descriptor: a 128B-swizzled K-major tile at 0x400. */
static void golden_descriptor(void **state)
{
    (void)state;
    assert_true(describe(&images[0], 0x400) == UINT64_C(0x4000004000010040));
}

/* ---- the arithmetic ------------------------------------------------------------------------------ */

/* D[0][0] with row 0 of A and column 0 of B as given (encodings), all other operands zero. */
static uint32_t dot(void **state, async_type type, const uint32_t *a, const uint32_t *b, uint32_t count,
                    uint32_t c)
{
    problem *p = plain(state, 8, type, ASYNC_F32);
    uint32_t d[4][32] = {{0}};
    const char *error = NULL;
    memset(p->smem, 0, SMEM_BYTES);
    for (uint32_t k = 0; k < count; k++) {
        memcpy(p->smem + A_BASE + place(&p->a, 0, k, type_bytes(type)), &a[k], type_bytes(type));
        memcpy(p->smem + B_BASE + place(&p->b, 0, k, type_bytes(type)), &b[k], type_bytes(type));
    }
    d[0][0] = c;
    assert_true(async_wgmma_run(&p->shape, 0, p->smem, SMEM_BYTES, describe(&p->a, A_BASE),
                                describe(&p->b, B_BASE), NULL, d[0], &error));
    return d[0][0];
}

typedef struct dot_case {
    const char *what;
    async_type type;
    double a[3], b[3]; /* up to three products; f32's bits of c and of the result */
    uint32_t c, result;
} dot_case;

static const dot_case dot_cases[] = {
    {"one product below the unit of f32", ASYNC_BF16, {0x1p-12}, {0x1p-12}, 0x3f800000, 0x3f800000},
    {"two of them make one unit", ASYNC_BF16, {0x1p-12, 0x1p-12}, {0x1p-12, 0x1p-12}, 0x3f800000, 0x3f800001},
    {"2^-25 below 1 is one unit of the sum", ASYNC_BF16, {-0x1p-25}, {1}, 0x3f800000, 0x3f7fffff},
    {"2^-26 below 1 is cut", ASYNC_BF16, {-0x1p-26}, {1}, 0x3f800000, 0x3f800000},
    {"alone, small products count in full", ASYNC_BF16, {0x1.8p-26, 0x1.8p-26}, {1, 1}, 0, 0x33400000},
    {"beside a 1 each is cut, though their sum is a unit",
     ASYNC_BF16,
     {-0x1.8p-26, -0x1.8p-26},
     {1, 1},
     0x3f800000,
     0x3f800000},
    {"cancelling leaves what the unit let through",
     ASYNC_F16,
     {1, -1, 0x1p-13},
     {1, 1, 0x1p-12},
     0,
     0x33000000},
    {"2^-26 beside a 1 is gone even if the 1 is not there at last",
     ASYNC_F16,
     {1, -1, 0x1p-13},
     {1, 1, 0x1p-13},
     0,
     0},
    {"a sum of nothing is +0", ASYNC_F16, {-1, 0}, {0, -1}, 0x80000000, 0},
    {"8-bit operands: 2^-13 beside a 1 counts", ASYNC_E5M2, {0x1p-13}, {1}, 0x3f800000, 0x3f800400},
    {"2^-14 does not", ASYNC_E5M2, {0x1p-14}, {1}, 0x3f800000, 0x3f800000},
    {"nor do the accumulator's lower bits", ASYNC_E4M3, {1}, {0}, 0x3f8003ff, 0x3f800000},
    {"overflow is infinite", ASYNC_BF16, {0x1p100}, {0x1p28}, 0, 0x7f800000},
    {"the largest f32 is not exceeded by cutting", ASYNC_BF16, {0x1p100}, {0x1p3}, 0x7f7fffff, 0x7f7fffff},
    {"f32 subnormals are kept", ASYNC_BF16, {0x1p-75}, {0x1p-74}, 0, 0x00000001},
};

static num_format number_of(async_type type)
{
    static const num_format numbers[] = {NUM_F16, NUM_BF16, NUM_TF32, NUM_E4M3, NUM_E5M2};
    return numbers[type];
}

static void arithmetic_of_the_tensor_core(void **state)
{
    for (size_t i = 0; i < ARRAY_LEN(dot_cases); i++) {
        const dot_case *c = &dot_cases[i];
        uint32_t a[3], b[3];
        for (int k = 0; k < 3; k++) {
            a[k] = num_encode(number_of(c->type), c->a[k], NUM_RN, 0);
            b[k] = num_encode(number_of(c->type), c->b[k], NUM_RN, 0);
        }
        uint32_t got = dot(state, c->type, a, b, 3, c->c);
        if (got != c->result)
            fail_msg("%s: %08x, not %08x", c->what, got, c->result);
    }
}

static void infinities_and_nans(void **state)
{
    const uint32_t one = 0x3c00, infinity = 0x7c00, minus = 0xfc00, zero = 0, nan = 0x7c01;
    assert_int_equal(dot(state, ASYNC_F16, &infinity, &one, 1, 0), 0x7f800000);
    assert_int_equal(dot(state, ASYNC_F16, &minus, &one, 1, 0), 0xff800000);
    assert_int_equal(dot(state, ASYNC_F16, &infinity, &zero, 1, 0), NUM_F32_NAN);
    assert_int_equal(dot(state, ASYNC_F16, &one, &nan, 1, 0), NUM_F32_NAN);
    assert_int_equal(dot(state, ASYNC_F16, &infinity, &one, 1, 0xff800000), NUM_F32_NAN);
    assert_int_equal(dot(state, ASYNC_F16, &one, &one, 1, 0x7f800001), NUM_F32_NAN);
    assert_int_equal(dot(state, ASYNC_F16, (uint32_t[2]){infinity, minus}, (uint32_t[2]){one, one}, 2, 0),
                     NUM_F32_NAN);
}

/* 16 products just below 4 are more than 32 bits of units. */
static void sums_do_not_overflow(void **state)
{
    uint32_t a[16], b[16];
    for (int k = 0; k < 16; k++)
        a[k] = b[k] = 0x3fff; /* 2 - 2^-10 */
    float value = 2 - 0x1p-10f, want = 16 * value * value + 1.5f;
    assert_int_equal(dot(state, ASYNC_F16, a, b, 16, num_f32_bits(1.5f)), num_f32_bits(want));
    for (int k = 0; k < 16; k++)
        b[k] |= 0x8000;
    assert_int_equal(dot(state, ASYNC_F16, a, b, 16, num_f32_bits(-1.5f)), num_f32_bits(-want));
}

static void integers_wrap_or_saturate(void **state)
{
    problem *p = plain(state, 8, ASYNC_S8, ASYNC_S32);
    fill(p, 3);
    p->smem[A_BASE + place(&p->a, 0, 0, 1)] = 1;
    for (uint32_t k = 0; k < 32; k++)
        p->smem[B_BASE + place(&p->b, 0, k, 1)] = k == 0;
    for (int saturate = 0; saturate < 2; saturate++) {
        uint32_t d[4][32] = {{INT32_MAX}};
        const char *error = NULL;
        p->shape.saturate = saturate;
        assert_true(async_wgmma_run(&p->shape, 0, p->smem, SMEM_BYTES, describe(&p->a, A_BASE),
                                    describe(&p->b, B_BASE), NULL, d[0], &error));
        assert_int_equal(d[0][0], saturate ? INT32_MAX : (uint32_t)INT32_MAX + 1);
    }
}

/* ---- misuse -------------------------------------------------------------------------------------- */

static void expect_verdict(problem *p, uint32_t smem_bytes, const char *want)
{
    uint32_t d[MAX_N / 2][32] = {{0}}, a[4][32] = {{0}};
    const char *error = NULL;
    bool ok = async_wgmma_run(&p->shape, 3, p->smem, smem_bytes, describe(&p->a, A_BASE),
                              describe(&p->b, B_BASE), p->a_in_registers ? a[0] : NULL, d[0], &error);
    assert_int_equal(ok, want == NULL);
    if (want)
        assert_string_equal(error, want);
}

/* The rule's text with member = bad, none with member = good. */
#define RULE(text, type, accumulator, member, bad, good)                                                     \
    do {                                                                                                     \
        problem *p = plain(state, 40, type, accumulator);                                                    \
        p->shape.member = bad;                                                                               \
        expect_verdict(p, SMEM_BYTES, text);                                                                 \
        p->shape.member = good;                                                                              \
        expect_verdict(p, SMEM_BYTES, NULL);                                                                 \
    } while (0)

static void sizes_that_are_no_instruction(void **state)
{
    static const char no_n[] = "wgmma: N is not a multiple of 8 from 8 to 256";
    RULE(no_n, ASYNC_F16, ASYNC_F32, n, 0, 8);
    RULE(no_n, ASYNC_F16, ASYNC_F32, n, 12, 16);
    RULE(no_n, ASYNC_F16, ASYNC_F32, n, 264, 256);
    RULE("wgmma: N of integer operands above 32 is not a multiple of 16", ASYNC_S8, ASYNC_S32, n, 40, 48);
    RULE("wgmma: K does not go with the operand type", ASYNC_F16, ASYNC_F32, k, 32, 16);
}

static void types_that_are_no_instruction(void **state)
{
    static const char no_pair[] = "wgmma: operand types do not go together";
    static const char no_d[] = "wgmma: the accumulator type does not go with the operands";
    RULE(no_pair, ASYNC_F16, ASYNC_F32, b, ASYNC_BF16, ASYNC_F16);
    RULE(no_pair, ASYNC_E4M3, ASYNC_F32, a, ASYNC_F32, ASYNC_E5M2);
    RULE("wgmma: unknown operand type", ASYNC_F16, ASYNC_F32, a, (async_type)99, ASYNC_F16);
    RULE(no_d, ASYNC_BF16, ASYNC_F32, d, ASYNC_F16, ASYNC_F32);
    RULE(no_d, ASYNC_F16, ASYNC_F32, d, ASYNC_S32, ASYNC_F16);
}

static void layouts_that_are_no_instruction(void **state)
{
    RULE("wgmma: only 16-bit operands may be MN-major", ASYNC_E4M3, ASYNC_F32, b_mn_major, true, false);
    problem *p = plain(state, 8, ASYNC_F16, ASYNC_F32);
    p->a_in_registers = p->shape.a_mn_major = true;
    expect_verdict(p, SMEM_BYTES, "wgmma: A in registers cannot be M-major");
}

static void descriptors_that_lead_outside(void **state)
{
    problem *p = plain(state, 64, ASYNC_F16, ASYNC_F32);
    fill(p, 1);
    /* 64 lines of 128 bytes, of which the last chunk is nowhere: k 0-15 are the first 32 bytes, swizzled
     * by line 7. */
    uint32_t end = 63 * 128 + 128;
    expect_verdict(p, B_BASE + end, NULL);
    expect_verdict(p, B_BASE + end - 1, "wgmma: the descriptor of B leads outside shared memory");
    expect_verdict(p, A_BASE + end, "wgmma: the descriptor of B leads outside shared memory");
    expect_verdict(p, A_BASE + end - 1, "wgmma: the descriptor of A leads outside shared memory");
    expect_verdict(p, 0, "wgmma: the descriptor of A leads outside shared memory");
    p->a_in_registers = true;
    expect_verdict(p, A_BASE + end - 1, "wgmma: the descriptor of B leads outside shared memory");
}

/* Any bits at all are either refused or read within bounds; the sanitiser watches. */
static void random_descriptors_never_crash(void **state)
{
    uint64_t seed = 7;
    problem *p = plain(state, 256, ASYNC_F16, ASYNC_F32);
    fill(p, 1);
    int refused = 0;
    for (int i = 0; i < 1000; i++) {
        uint32_t d[MAX_N / 2][32] = {{0}};
        const char *error = NULL;
        uint64_t a = (uint64_t)roll(&seed, 1 << 24) << 40 ^ (uint64_t)roll(&seed, 1 << 24) << 20 ^
                     roll(&seed, 1 << 24);
        p->shape.a_mn_major = i & 1;
        p->shape.b_mn_major = i & 2;
        uint32_t bytes = roll(&seed, SMEM_BYTES);
        refused += !async_wgmma_run(&p->shape, 3, p->smem, bytes, a, a * 3, NULL, d[0], &error);
    }
    assert_in_range(refused, 1, 1000);
}

static void registers_of_d(void **state)
{
    assert_int_equal(async_wgmma_d_registers(&plain(state, 256, ASYNC_F16, ASYNC_F32)->shape), 128);
    assert_int_equal(async_wgmma_d_registers(&plain(state, 256, ASYNC_F16, ASYNC_F16)->shape), 64);
    assert_int_equal(async_wgmma_d_registers(&plain(state, 8, ASYNC_S8, ASYNC_S32)->shape), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_n),
        cmocka_unit_test(every_layout_of_16_bit_operands),
        cmocka_unit_test(every_type_in_every_k_major_layout),
        cmocka_unit_test(scales_negate_and_drop),
        cmocka_unit_test(descriptors_advance_inside_the_pattern),
        cmocka_unit_test(golden_descriptor),
        cmocka_unit_test(arithmetic_of_the_tensor_core),
        cmocka_unit_test(infinities_and_nans),
        cmocka_unit_test(sums_do_not_overflow),
        cmocka_unit_test(integers_wrap_or_saturate),
        cmocka_unit_test(sizes_that_are_no_instruction),
        cmocka_unit_test(types_that_are_no_instruction),
        cmocka_unit_test(layouts_that_are_no_instruction),
        cmocka_unit_test(descriptors_that_lead_outside),
        cmocka_unit_test(random_descriptors_never_crash),
        cmocka_unit_test(registers_of_d),
    };
    return cmocka_run_group_tests(tests, problem_open, problem_close);
}
