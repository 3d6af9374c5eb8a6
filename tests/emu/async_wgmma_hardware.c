/* wgmma against an H200: the hashes below are of what the hardware computed from the same inputs, which a
 * generator makes again here. A hash that differs says that a bit differs somewhere; the tests of
 * async_wgmma.c are there to say where. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "emu/async/async.h"
#include "emu/num/num.h"

/* ---- random operands ----------------------------------------------------------------------------- */

typedef enum spread { ANY_BITS, NEAR_ONE, ALL_EXPONENTS, MANY_SUBNORMALS, NEAR_AND_ZERO, SPREADS } spread;

typedef struct generator {
    uint64_t state;
} generator;

static uint32_t draw(generator *g)
{
    g->state ^= g->state << 13;
    g->state ^= g->state >> 7;
    g->state ^= g->state << 17;
    return (uint32_t)(g->state >> 16);
}

/* Seven times in eight a number, else any encoding; special: infinities and NaNs among those. */
static uint32_t draw_any_exponent(generator *g, uint32_t all_ones, bool special)
{
    uint32_t exponent = draw(g) & all_ones;
    if (!special && exponent == all_ones)
        exponent--;
    if (draw(g) % 8) {
        exponent = draw(g) & all_ones;
        exponent -= exponent == all_ones;
    }
    return exponent;
}

static uint32_t draw_exponent(generator *g, uint32_t all_ones, spread how, bool special, uint32_t *fraction)
{
    uint32_t bias = all_ones >> 1, exponent;
    switch (how) {
    case ANY_BITS: return draw_any_exponent(g, all_ones, special);
    case NEAR_ONE: return bias - 2 + draw(g) % 4;
    case ALL_EXPONENTS: return draw(g) % all_ones;
    case MANY_SUBNORMALS: return draw(g) % 3 ? draw(g) % 3 : draw(g) % all_ones;
    default: break;
    }
    exponent = bias - 8 + draw(g) % 12;
    if ((int32_t)exponent < 0 || exponent >= all_ones)
        exponent = draw(g) % all_ones;
    if (draw(g) % 4 == 0)
        exponent = *fraction = 0;
    return exponent;
}

static uint32_t draw_number(generator *g, int exponent_bits, int fraction_bits, spread how, bool special)
{
    uint32_t sign = draw(g) & 1, fraction = draw(g) & ((1u << fraction_bits) - 1);
    uint32_t exponent = draw_exponent(g, (1u << exponent_bits) - 1, how, special, &fraction);
    return sign << (exponent_bits + fraction_bits) | exponent << fraction_bits | fraction;
}

static uint32_t draw_operand(generator *g, async_type type, spread how)
{
    switch (type) {
    case ASYNC_F16: return draw_number(g, 5, 10, how, true);
    case ASYNC_BF16: return draw_number(g, 8, 7, how, true);
    case ASYNC_TF32: return draw_number(g, 8, 23, how, true);
    case ASYNC_E4M3: return draw_number(g, 4, 3, how, true);
    case ASYNC_E5M2: return draw_number(g, 5, 2, how, true);
    default: return draw(g) & 255;
    }
}

static uint32_t draw_accumulator(generator *g, async_type type, spread how)
{
    if (type == ASYNC_S32)
        return draw(g);
    if (type == ASYNC_F16) {
        uint32_t low = draw_number(g, 5, 10, how, false), high = draw_number(g, 5, 10, how, false);
        return how == NEAR_ONE && draw(g) % 4 == 0 ? 0 : low | high << 16;
    }
    if (how == NEAR_ONE && draw(g) % 4 == 0)
        return 0;
    if (how == ALL_EXPONENTS) {
        uint32_t exponent = 127 - 30 + draw(g) % 60, sign = (draw(g) & 1) << 31;
        return sign | exponent << 23 | (draw(g) & 0x7fffff);
    }
    return draw_number(g, 8, 23, how, false);
}

/* ---- arithmetic ---------------------------------------------------------------------------------- */

typedef struct arithmetic_case {
    async_type a, b, d;
    uint32_t bytes; /* of an operand's element */
    uint64_t hash;  /* of D's registers, of 100 m64n16 products, as the H200 left them */
} arithmetic_case;

static const arithmetic_case arithmetic_cases[] = {
    {ASYNC_F16, ASYNC_F16, ASYNC_F32, 2, 0x5ade6cd3d7a909aa},
    {ASYNC_BF16, ASYNC_BF16, ASYNC_F32, 2, 0x24fb9d9dec16bf5f},
    {ASYNC_TF32, ASYNC_TF32, ASYNC_F32, 4, 0x380d7a3678a945a1},
    {ASYNC_E4M3, ASYNC_E4M3, ASYNC_F32, 1, 0xddbf5c913b2d7f07},
    {ASYNC_E5M2, ASYNC_E5M2, ASYNC_F32, 1, 0x80dbb152f59028ee},
    {ASYNC_F16, ASYNC_F16, ASYNC_F16, 2, 0xfa67688772e45f46},
    {ASYNC_E4M3, ASYNC_E4M3, ASYNC_F16, 1, 0x0720227993f24f0e},
    {ASYNC_S8, ASYNC_S8, ASYNC_S32, 1, 0x3b5e14461085b55f},
    {ASYNC_U8, ASYNC_U8, ASYNC_S32, 1, 0x4e860f8d53313d15},
    {ASYNC_E4M3, ASYNC_E5M2, ASYNC_F32, 1, 0xc0a337239f61813a},
};

enum {
    A_ROWS = 64,
    B_ROWS = 16,
    ROW_BYTES = 32,
    B_AT = A_ROWS * ROW_BYTES,
    IMAGE_BYTES = B_AT + B_ROWS * ROW_BYTES
};

/* Without swizzle: blocks of 8 rows by 16 bytes, those of a row 128 bytes apart. */
static uint32_t image_place(uint32_t row, uint32_t byte)
{
    return row / 8 * 256 + byte / 16 * 128 + row % 8 * 16 + byte % 16;
}

static uint64_t image_descriptor(uint32_t at)
{
    return at >> 4 | 128 >> 4 << 16 | (uint64_t)(256 >> 4) << 32;
}

static void draw_trial(const arithmetic_case *c, uint32_t number, uint32_t trial, uint8_t *image,
                       uint32_t (*d)[128])
{
    generator g = {UINT64_C(0x9e3779b97f4a7c15) * (trial * 16 + number + 1)};
    spread how = trial % SPREADS;
    for (int i = 0; i < 8; i++)
        draw(&g);
    for (uint32_t row = 0; row < A_ROWS + B_ROWS; row++)
        for (uint32_t byte = 0; byte < ROW_BYTES; byte += c->bytes) {
            uint32_t bits = draw_operand(&g, row < A_ROWS ? c->a : c->b, how);
            memcpy(image + image_place(row, byte), &bits, c->bytes);
        }
    for (uint32_t i = 0; i < 8 * 128; i++)
        d[i / 128][i % 128] = draw_accumulator(&g, c->d, how);
}

typedef struct operands {
    const uint8_t *smem;
    uint32_t smem_bytes;
    uint64_t a, b;               /* descriptors */
    const uint32_t *a_registers; /* instead of a's, when not NULL */
} operands;

/* One warp's part; d as a warpgroup has it, [registers][128 threads]. */
static void multiply(const async_wgmma *shape, uint32_t warp, const operands *o, uint32_t (*d)[128])
{
    uint32_t part[128][32];
    const char *error = "none";
    const uint32_t registers = async_wgmma_d_registers(shape), thread = warp * 32;
    for (uint32_t i = 0; i < registers; i++)
        memcpy(part[i], &d[i][thread], sizeof part[i]);
    if (!async_wgmma_run(shape, warp, o->smem, o->smem_bytes, o->a, o->b, o->a_registers, part[0], &error))
        fail_msg("%s", error);
    for (uint32_t i = 0; i < registers; i++)
        memcpy(&d[i][thread], part[i], sizeof part[i]);
}

static void arithmetic_is_the_hardwares(void **state)
{
    (void)state;
    for (uint32_t number = 0; number < ARRAY_LEN(arithmetic_cases); number++) {
        const arithmetic_case *c = &arithmetic_cases[number];
        async_wgmma shape = {
            .n = B_ROWS, .k = ROW_BYTES / c->bytes, .a = c->a, .b = c->b, .d = c->d, .scale_d = true};
        uint64_t hash = HASH_SEED;
        for (uint32_t trial = 0; trial < 100; trial++) {
            uint8_t image[IMAGE_BYTES];
            uint32_t d[8][128];
            draw_trial(c, number, trial, image, d);
            operands o = {image, sizeof image, image_descriptor(0), image_descriptor(B_AT), NULL};
            for (uint32_t warp = 0; warp < 4; warp++)
                multiply(&shape, warp, &o, d);
            hash = hash_bytes(hash, d, async_wgmma_d_registers(&shape) * sizeof d[0]);
        }
        if (hash != c->hash)
            fail_msg("case %u: %llx", number, (unsigned long long)hash);
    }
}

/* ---- layouts ------------------------------------------------------------------------------------- */

/* Shared memory holds its own index, which a one-hot other operand brings out: D says which element each
 * place of A or B was read from. f16 holds whole numbers to 2,048, so the index comes in two parts. */

enum { TILE_AT = 1024, ONE_HOT_AT = TILE_AT + (1 << 17), SMEM_BYTES = ONE_HOT_AT + 512, INDEX_SPLIT = 10 };

typedef struct tried_descriptor {
    uint32_t mn_major, layout, leading, stride, base_offset, start;
} tried_descriptor;

static uint64_t pack(const tried_descriptor *t)
{
    return (TILE_AT + t->start) >> 4 | (uint64_t)(t->leading >> 4) << 16 | (uint64_t)(t->stride >> 4) << 32 |
           (uint64_t)t->base_offset << 49 | (uint64_t)t->layout << 62;
}

static void fill_with_index(uint8_t *smem, bool upper)
{
    for (uint32_t i = 0; i < 1 << 16; i++) {
        uint32_t part = upper ? i >> INDEX_SPLIT : i & ((1 << INDEX_SPLIT) - 1);
        uint16_t half = num_f32_to_f16((float)part);
        memcpy(smem + TILE_AT + 2 * (size_t)i, &half, sizeof half);
    }
}

/* The identity: as B (n by k) in shared memory, and as every 16 rows of A in registers. */
static void one_hot(uint8_t *smem, uint32_t (*a)[32])
{
    const uint16_t one = 0x3c00;
    memset(smem + ONE_HOT_AT, 0, 512);
    memset(a, 0, 4 * sizeof *a);
    for (uint32_t i = 0; i < 16; i++) {
        memcpy(smem + ONE_HOT_AT + image_place(i, 2 * i), &one, sizeof one);
        uint32_t lane = i % 8 * 4 + i % 8 / 2, index = i / 8 * 3;
        a[index][lane] |= (uint32_t)one << i % 2 * 16;
    }
}

static uint64_t hash_indexes(uint64_t hash, uint32_t (*lower)[128], uint32_t (*upper)[128], bool is_a)
{
    for (uint32_t i = 0; i < (is_a ? 8 : 64); i++)
        for (uint32_t thread = 0; thread < (is_a ? 128 : 32); thread++) {
            uint32_t index = (uint32_t)num_f32_from_bits(lower[i][thread]) |
                             (uint32_t)num_f32_from_bits(upper[i][thread]) << INDEX_SPLIT;
            hash = hash_bytes(hash, &index, sizeof index);
        }
    return hash;
}

static uint64_t hash_layout(uint64_t hash, uint8_t *smem, const tried_descriptor *t, bool is_a)
{
    static uint32_t d[2][64][128];
    uint32_t a[4][32];
    async_wgmma shape = {.n = is_a ? 16 : 128, .k = 16, .a = ASYNC_F16, .b = ASYNC_F16, .d = ASYNC_F32};
    shape.a_mn_major = is_a && t->mn_major;
    shape.b_mn_major = !is_a && t->mn_major;
    one_hot(smem, a);
    operands o = {smem, SMEM_BYTES, pack(t), is_a ? image_descriptor(ONE_HOT_AT) : pack(t),
                  is_a ? NULL : a[0]};
    for (int upper = 0; upper < 2; upper++) {
        fill_with_index(smem, upper);
        for (uint32_t warp = 0; warp < (is_a ? 4 : 1); warp++)
            multiply(&shape, warp, &o, d[upper]);
    }
    return hash_indexes(hash, d[0], d[1], is_a);
}

/* All that was tried of one layout, in order. */
static uint64_t hash_layouts_of(uint64_t hash, uint8_t *smem, uint32_t layout, bool is_a)
{
    static const uint32_t spans[] = {16, 128, 64, 32}, bases[] = {1, 2, 3, 5, 7};
    const uint32_t span = spans[layout], group = 8 * span;
    VEC(tried_descriptor) tried = {0};
#define TRY(...) vec_push(&tried, ((tried_descriptor){__VA_ARGS__}))
    TRY(0, layout, layout ? 16 : 128, layout ? group : 256, 0, 0);
    TRY(0, layout, 0x1000, layout ? group + 1024 : 0x90, 0, 0x400);
    if (layout)
        TRY(0, layout, 16, group, 0, 32); /* starts inside the pattern */
    for (uint32_t start = 64; start <= 112 && layout == 1; start += start == 64 ? 32 : 16)
        TRY(0, layout, 16, group, 0, start);
    for (size_t i = 0; i < ARRAY_LEN(bases) && layout; i++) {
        uint32_t base = bases[i];
        TRY(0, layout, 16, group, base, 128 * (layout == 1 ? base : base % 4));
        TRY(0, layout, 16, group, 0, 128 * base);
        TRY(0, layout, 16, group, base, 0);
    }
    TRY(1, layout, layout ? group : 0x800, layout ? 0x1000 : 128, 0, 0);
    TRY(1, layout, 0x2000, layout ? 0x400 : 0x80, 0, 0);
    TRY(1, layout, 0x200, 0x1000, 0, 0);
    TRY(1, layout, layout ? 0x90 : 0x3010, layout ? 0x3010 : 0x90, 0, 0x400);
    for (uint32_t i = 0; i < 3 && layout; i++)
        TRY(1, layout, 0x2000, 0x400, i == 1 ? 3 : 0, i == 0 ? 32 : i == 1 ? 384 : 256);
#undef TRY
    const tried_descriptor *t;
    vec_each(t, &tried) {
        hash = hash_layout(hash, smem, t, is_a);
    }
    vec_free(&tried);
    return hash;
}

static void layouts_are_the_hardwares(void **state)
{
    (void)state;
    static const uint64_t hashes[] = {0x327db38d3b92cb2d,
                                      0x620133becc6c7035}; /* of B, of A; 84 descriptors each */
    uint8_t *smem = base_alloc(SMEM_BYTES);
    for (int is_a = 0; is_a < 2; is_a++) {
        uint64_t hash = HASH_SEED;
        for (uint32_t layout = 0; layout < 4; layout++)
            hash = hash_layouts_of(hash, smem, layout, is_a);
        if (hash != hashes[is_a])
            fail_msg("%s: %llx", is_a ? "A" : "B", (unsigned long long)hash);
    }
    free(smem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic_is_the_hardwares),
        cmocka_unit_test(layouts_are_the_hardwares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
