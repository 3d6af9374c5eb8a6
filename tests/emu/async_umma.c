/* tcgen05.mma and .cp as functions: every layout of operands and of D against sums made here. Operands are written by
 * an independent reading of the layouts (PTX ISA, "Shared memory descriptor", "Data path layout organization"); all
 * numbers are small integers, so that sums are exact. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "emu/async/umma.h"
#include "emu/num/num.h"

enum { SMEM = 64 << 10, A_AT = 1024, B_AT = 32 << 10, D_COLUMN = 64, A_COLUMN = 16, LANES = 128 };

typedef struct form {
    umma_kind kind;
    uint32_t code; /* of both types */
    num_format format;
    bool is_integer;
    uint32_t bytes, m, n, ctas;
    uint32_t swizzle; /* span in bytes; 16: none */
    bool mn_major, a_in_tmem;
} form;

static int a_value(uint32_t row, uint32_t k)
{
    return (int)((row * 5 + k * 3) % 7) - 3;
}

static int b_value(uint32_t n, uint32_t k)
{
    return (int)((n * 2 + k * 11) % 5) - 2;
}

static uint32_t encode(const form *f, int value)
{
    if (f->is_integer)
        return (uint32_t)value & 0xff;
    return num_encode(f->format, (double)value, NUM_RN, 0) << (f->format == NUM_TF32 ? 13 : 0);
}

/* Byte of element k of a row, from the start of the operand. Without swizzle cores of 8 rows of 16 bytes, 128 bytes
 * each, those along K first. */
static uint32_t place(const form *f, uint32_t row, uint32_t k)
{
    uint32_t span = f->swizzle, line = f->mn_major ? k : row, across = (f->mn_major ? row : k) * f->bytes;
    if (span == 16)
        return line / 8 * 256 + line % 8 * 16 + across / 16 * 128 + across % 16;
    uint32_t at = line / 8 * span * 8 + line % 8 * span + across % span + across / span * span * 16;
    uint32_t number = at / 128 % 8 % (span / 16);
    return at ^ number << 4;
}

static uint64_t descriptor_of(const form *f, uint32_t address)
{
    uint64_t layout = f->swizzle == 128 ? 2 : f->swizzle == 64 ? 4 : f->swizzle == 32 ? 6 : 0;
    uint64_t leading = f->swizzle == 16 ? 128 : f->swizzle * 16,
             stride = f->swizzle == 16 ? 256 : f->swizzle * 8;
    return layout << 61 | UINT64_C(1) << 46 | stride >> 4 << 32 | leading >> 4 << 16 | address >> 4;
}

static void put(uint8_t *smem, const form *f, uint32_t base, uint32_t row, uint32_t k, int value)
{
    uint32_t raw = encode(f, value);
    memcpy(smem + base + place(f, row, k), &raw, f->bytes);
}

typedef struct machine {
    uint8_t *smem[2];
    uint32_t *tmem[2];
    async_umma_cta ctas[2];
} machine;

static void machine_fill(machine *x, const form *f)
{
    uint32_t depth = 32 / f->bytes, rows = f->m / f->ctas, share = f->n / f->ctas;
    for (uint32_t i = 0; i < f->ctas; i++) {
        x->smem[i] = calloc(1, SMEM);
        x->tmem[i] = calloc(LANES * 512, sizeof(uint32_t));
        x->ctas[i] = (async_umma_cta){x->smem[i], SMEM, x->tmem[i]};
        for (uint32_t k = 0; k < depth; k++) {
            for (uint32_t row = 0; row < rows; row++) {
                int value = a_value(i * rows + row, k);
                put(x->smem[i], f, A_AT, row, k, value);
                uint32_t per = 4 / f->bytes, *word = &x->tmem[i][(A_COLUMN + k / per) * LANES + row % LANES];
                if (f->a_in_tmem)
                    *word |= encode(f, value) << k % per * f->bytes * 8;
            }
            for (uint32_t n = 0; n < share; n++)
                put(x->smem[i], f, B_AT, n, k, b_value(i * share + n, k));
        }
    }
}

static uint32_t result_at(const machine *x, const form *f, uint32_t row, uint32_t n)
{
    uint32_t rows = f->m / f->ctas, cta = row / rows, lane = row % rows, column = D_COLUMN + n;
    if (f->ctas == 1 && f->m == 64)
        lane = row % 16 + row / 16 * 32;
    if (f->ctas == 2 && f->m == 128 && n >= f->n / 2) {
        lane += 64;
        column -= f->n / 2;
    }
    return x->tmem[cta][column * LANES + lane];
}

static uint32_t idesc_of(const form *f)
{
    return f->m >> 4 << 24 | f->n >> 3 << 17 | (f->mn_major ? 3u << 15 : 0) | f->code << 10 | f->code << 7 |
           (f->is_integer ? 2u : 1u) << 4;
}

static int expected(const form *f, uint32_t row, uint32_t n)
{
    int sum = 0;
    for (uint32_t k = 0; k < 32 / f->bytes; k++)
        sum += a_value(row, k) * b_value(n, k);
    return sum;
}

/* Once overwriting, once adding. */
static void check(const form *f)
{
    machine x = {0};
    async_umma u;
    const char *error = "none";
    bool missing;
    machine_fill(&x, f);
    const umma_form as = {f->kind, f->ctas, 0};
    assert_true(async_umma_decode(&as, idesc_of(f), &u, &error, &missing));
    async_umma_operands in = {.desc_a = descriptor_of(f, A_AT),
                              .desc_b = descriptor_of(f, B_AT),
                              .a_in_tmem = f->a_in_tmem,
                              .a_tmem = A_COLUMN,
                              .d_tmem = D_COLUMN};
    for (int times = 1; times <= 2; times++) {
        u.accumulate = times == 2;
        if (!async_umma_run(&u, x.ctas, &in, &error))
            fail_msg("%s", error);
        for (uint32_t row = 0; row < f->m; row++)
            for (uint32_t n = 0; n < f->n; n++) {
                int want = times * expected(f, row, n);
                assert_int_equal(result_at(&x, f, row, n),
                                 f->is_integer ? (uint32_t)want : num_f32_bits((float)want));
            }
    }
    for (uint32_t i = 0; i < f->ctas; i++) {
        free(x.smem[i]);
        free(x.tmem[i]);
    }
}

static void shapes_of_d_lie_where_the_isa_says(void **state)
{
    static const uint32_t shapes[][3] = {{128, 16, 1}, {128, 256, 1}, {64, 8, 1},   {64, 128, 1},
                                         {256, 32, 2}, {256, 256, 2}, {128, 32, 2}, {128, 256, 2}};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(shapes); i++)
        check(&(form){.kind = UMMA_F16,
                      .format = NUM_F16,
                      .bytes = 2,
                      .m = shapes[i][0],
                      .n = shapes[i][1],
                      .ctas = shapes[i][2],
                      .swizzle = 128});
}

static void every_swizzle_is_undone(void **state)
{
    (void)state;
    for (uint32_t swizzle = 16; swizzle <= 128; swizzle *= 2)
        for (uint32_t ctas = 1; ctas <= 2; ctas++)
            check(&(form){.kind = UMMA_F16,
                          .code = 1,
                          .format = NUM_BF16,
                          .bytes = 2,
                          .m = 128 * ctas,
                          .n = 64,
                          .ctas = ctas,
                          .swizzle = swizzle});
}

static void operands_may_be_mn_major(void **state)
{
    (void)state;
    for (uint32_t swizzle = 32; swizzle <= 128; swizzle *= 2)
        check(&(form){.kind = UMMA_F16,
                      .format = NUM_F16,
                      .bytes = 2,
                      .m = 128,
                      .n = 64,
                      .ctas = 1,
                      .swizzle = swizzle,
                      .mn_major = true});
}

static void every_kind_multiplies(void **state)
{
    static const form forms[] = {
        {.kind = UMMA_TF32, .code = 2, .format = NUM_TF32, .bytes = 4},
        {.kind = UMMA_F8F6F4, .code = 0, .format = NUM_E4M3, .bytes = 1},
        {.kind = UMMA_F8F6F4, .code = 1, .format = NUM_E5M2, .bytes = 1},
        {.kind = UMMA_I8, .code = 1, .is_integer = true, .bytes = 1},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
        form f = forms[i];
        f.m = 128, f.n = 48, f.ctas = 1, f.swizzle = 128;
        check(&f);
        f.m = 256, f.n = 64, f.ctas = 2, f.swizzle = 64;
        check(&f);
    }
}

static void a_may_lie_in_tensor_memory(void **state)
{
    (void)state;
    for (uint32_t ctas = 1; ctas <= 2; ctas++)
        check(&(form){.kind = UMMA_F16,
                      .code = 1,
                      .format = NUM_BF16,
                      .bytes = 2,
                      .m = 128 * ctas,
                      .n = 32,
                      .ctas = ctas,
                      .swizzle = 128,
                      .a_in_tmem = true});
}

/* ---- block-scaled kinds --------------------------------------------------------------------------------- */

typedef struct scaled {
    umma_kind kind;
    uint32_t code, bits, block, scale_id, ctas;
    num_format element, factor;
} scaled;

enum { SCALED_N = 96, A_FACTORS = 300, B_FACTORS = 310 };

/* 1/2 .. 4 */
static double factor_value(uint32_t row, uint32_t block)
{
    return (double)(1u << (row + 3 * block) % 4) * 0.5;
}

/* Rows of 32 bytes, without swizzle. */
static void put_scaled(uint8_t *smem, const scaled *x, uint32_t base, uint32_t row, uint32_t k, int value)
{
    uint32_t byte = k * x->bits / 8, shift = k * x->bits % 8;
    uint8_t *at = &smem[base + row / 8 * 256 + row % 8 * 16 + byte / 16 * 128 + byte % 16];
    *at = (uint8_t)(*at | num_encode(x->element, (double)value, NUM_RN, 0) << shift);
}

static void put_factor(uint32_t *tmem, const scaled *x, uint32_t column, uint32_t row, uint32_t block)
{
    uint32_t byte = num_encode(x->factor, factor_value(row, block), NUM_RN, 0) << (x->scale_id + block) * 8;
    for (uint32_t quarter = 0; quarter < 4; quarter++)
        tmem[(column + row / 32) * LANES + quarter * 32 + row % 32] |= byte;
}

static void fill_scaled(machine *x, const scaled *f, uint32_t depth)
{
    for (uint32_t i = 0; i < f->ctas; i++) {
        x->smem[i] = calloc(1, SMEM);
        x->tmem[i] = calloc(LANES * 512, sizeof(uint32_t));
        x->ctas[i] = (async_umma_cta){x->smem[i], SMEM, x->tmem[i]};
        for (uint32_t k = 0; k < depth; k++) {
            for (uint32_t row = 0; row < 128; row++)
                put_scaled(x->smem[i], f, A_AT, row, k, a_value(128 * i + row, k));
            for (uint32_t n = 0; n < SCALED_N / f->ctas; n++)
                put_scaled(x->smem[i], f, B_AT, n, k, b_value(SCALED_N / f->ctas * i + n, k));
        }
        for (uint32_t block = 0; block < depth / f->block; block++) {
            for (uint32_t row = 0; row < 128; row++)
                put_factor(x->tmem[i], f, A_FACTORS, row, block);
            for (uint32_t n = 0; n < SCALED_N; n++)
                put_factor(x->tmem[i], f, B_FACTORS, n, block);
        }
    }
}

static double scaled_sum(const scaled *f, uint32_t depth, uint32_t row, uint32_t n)
{
    double sum = 0;
    for (uint32_t k = 0; k < depth; k++)
        sum += a_value(row, k) * b_value(n, k) * factor_value(row % 128, k / f->block) *
               factor_value(n, k / f->block);
    return sum;
}

static void check_scaled(const scaled *f)
{
    machine x = {0};
    async_umma u;
    const char *error = "none";
    bool missing;
    const umma_form as = {f->kind, f->ctas, f->block};
    const uint32_t depth = 256 / f->bits;
    uint32_t idesc = f->scale_id << 29 | 128 * f->ctas >> 4 << 24 | (f->factor == NUM_UE8M0 ? 1u << 23 : 0) |
                     SCALED_N >> 3 << 17 | f->code << 10 | f->code << 7 | f->scale_id << 4;
    const form plain = {.swizzle = 16};
    async_umma_operands in = {.desc_a = descriptor_of(&plain, A_AT),
                              .desc_b = descriptor_of(&plain, B_AT),
                              .d_tmem = D_COLUMN,
                              .a_factors = A_FACTORS,
                              .b_factors = B_FACTORS};
    fill_scaled(&x, f, depth);
    if (!async_umma_decode(&as, idesc, &u, &error, &missing) || !async_umma_run(&u, x.ctas, &in, &error))
        fail_msg("%s", error);
    for (uint32_t row = 0; row < 128 * f->ctas; row++)
        for (uint32_t n = 0; n < SCALED_N; n++)
            assert_int_equal(x.tmem[row / 128][(D_COLUMN + n) * LANES + row % 128],
                             num_f32_bits((float)scaled_sum(f, depth, row, n)));
    x.tmem[0][B_FACTORS * LANES + 64] ^= 0xff;
    assert_false(async_umma_run(&u, x.ctas, &in, &error)); /* a quarter of the lanes has other factors */
    for (uint32_t i = 0; i < f->ctas; i++) {
        free(x.smem[i]);
        free(x.tmem[i]);
    }
}

static void blocks_are_scaled_by_their_factors(void **state)
{
    static const scaled rows[] = {
        {UMMA_MXF4NVF4, 1, 4, 16, 0, 1, NUM_E2M1, NUM_UE4M3},
        {UMMA_MXF4NVF4, 1, 4, 16, 0, 2, NUM_E2M1, NUM_UE4M3},
        {UMMA_MXF4NVF4, 1, 4, 32, 2, 1, NUM_E2M1, NUM_UE8M0},
        {UMMA_MXF4, 1, 4, 32, 2, 2, NUM_E2M1, NUM_UE8M0},
        {UMMA_MXF8F6F4, 0, 8, 32, 3, 1, NUM_E4M3, NUM_UE8M0},
        {UMMA_MXF8F6F4, 1, 8, 32, 1, 2, NUM_E5M2, NUM_UE8M0},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        check_scaled(&rows[i]);
}

/* Scale factors: row r of 16 bytes goes to lane r of four columns, in each quarter of the lanes. */
static void a_copy_repeats_rows_in_every_quarter(void **state)
{
    uint8_t smem[4096] = {0};
    uint32_t *tmem = calloc(LANES * 512, sizeof *tmem);
    const char *error;
    async_umma_cta cta = {smem, sizeof smem, tmem};
    (void)state;
    for (uint32_t i = 0; i < 128; i++)
        memcpy(smem + 1024 + 4 * i, &i, sizeof i);
    async_umma_copy shape = {32, 128, {0, 0, 0, 0}};
    assert_true(async_umma_copy_run(&shape, &cta, UINT64_C(0x0000400800010040), 8, &error));
    for (uint32_t lane = 0; lane < LANES; lane++)
        for (uint32_t column = 0; column < 4; column++)
            assert_int_equal(tmem[(8 + column) * LANES + lane], lane % 32 * 4 + column);
    free(tmem);
}

static void wrong_descriptors_are_refused(void **state)
{
    static const struct {
        umma_kind kind;
        uint32_t idesc, ctas;
        bool missing;
    } rows[] = {
        {UMMA_F16, 0x08400011, 1, false},   /* a bit that must be zero */
        {UMMA_F16, 0x10400010, 1, false},   /* M = 256 of one CTA */
        {UMMA_F16, 0x04400010, 2, false},   /* M = 64 of a pair */
        {UMMA_F16, 0x08420010, 1, false},   /* N = 264 */
        {UMMA_F16, 0x08020010, 1, false},   /* N = 8 with M = 128 */
        {UMMA_F16, 0x08400910, 1, false},   /* tf32 */
        {UMMA_F16, 0x08400000, 1, true},    /* sums in f16 */
        {UMMA_F8F6F4, 0x08400290, 1, true}, /* e2m1 */
    };
    async_umma u;
    const char *error;
    bool missing;
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const umma_form as = {rows[i].kind, rows[i].ctas, 0};
        assert_false(async_umma_decode(&as, rows[i].idesc, &u, &error, &missing));
        assert_int_equal(missing, rows[i].missing);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_of_d_lie_where_the_isa_says),
        cmocka_unit_test(every_swizzle_is_undone),
        cmocka_unit_test(operands_may_be_mn_major),
        cmocka_unit_test(every_kind_multiplies),
        cmocka_unit_test(a_may_lie_in_tensor_memory),
        cmocka_unit_test(blocks_are_scaled_by_their_factors),
        cmocka_unit_test(a_copy_repeats_rows_in_every_quarter),
        cmocka_unit_test(wrong_descriptors_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
