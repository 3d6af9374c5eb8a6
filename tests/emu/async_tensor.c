/* Tensor copies: random boxes of random tensors against a reference that moves one element at a time by
 * coordinates, and the single facts and faults, one a test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "emu/async/async.h"
#include "emu/num/num.h"

#include <math.h>

/* ---- a world with one allocation ----------------------------------------------------------------- */

enum { GLOBAL_BYTES = 1 << 18, SMEM_BYTES = 1 << 16 };
static const uint64_t GLOBAL_BASE = 0x7f0000000000;

typedef struct world {
    uint8_t *global, *global_expected; /* GLOBAL_BYTES, at device address GLOBAL_BASE */
    uint8_t *smem, *smem_expected;
    size_t allocated; /* bytes of global that may be touched */
    uint64_t seed;
} world;

static uint8_t *world_map(void *ctx, uint64_t address, size_t bytes)
{
    world *w = ctx;
    uint64_t offset = address - GLOBAL_BASE;
    return address >= GLOBAL_BASE && offset + bytes <= w->allocated ? w->global + offset : NULL;
}

static uint32_t roll(world *w, uint32_t sides)
{
    w->seed ^= w->seed << 13;
    w->seed ^= w->seed >> 7;
    w->seed ^= w->seed << 17;
    return (uint32_t)(w->seed >> 20) % sides;
}

static int world_open(void **state)
{
    world *w = base_alloc(sizeof *w);
    *w = (world){.global = base_alloc(GLOBAL_BYTES),
                 .global_expected = base_alloc(GLOBAL_BYTES),
                 .smem = base_alloc(SMEM_BYTES),
                 .smem_expected = base_alloc(SMEM_BYTES),
                 .allocated = GLOBAL_BYTES,
                 .seed = 0x9e3779b97f4a7c15};
    *state = w;
    return 0;
}

static int world_close(void **state)
{
    world *w = *state;
    free(w->global);
    free(w->global_expected);
    free(w->smem);
    free(w->smem_expected);
    free(w);
    return 0;
}

/* New random bytes everywhere, the expectation being that nothing changes. */
static void world_fill(world *w)
{
    for (size_t i = 0; i < GLOBAL_BYTES; i++)
        w->global[i] = (uint8_t)roll(w, 256);
    for (size_t i = 0; i < SMEM_BYTES; i++)
        w->smem[i] = (uint8_t)roll(w, 256);
    memcpy(w->global_expected, w->global, GLOBAL_BYTES);
    memcpy(w->smem_expected, w->smem, SMEM_BYTES);
}

static void expect_world(const world *w)
{
    assert_memory_equal(w->global, w->global_expected, GLOBAL_BYTES);
    assert_memory_equal(w->smem, w->smem_expected, SMEM_BYTES);
}

static async_global global_of(world *w)
{
    return (async_global){w, world_map};
}

/* ---- the reference ------------------------------------------------------------------------------- */

static const uint32_t element_bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4}; /* by emu_element */

/* Where the element of a box at index lies, counted from shared address 0; base is the address of the
 * box. */
static uint32_t place_in_smem(const emu_tensor *t, const uint32_t *index, uint32_t base)
{
    static const uint32_t spans[] = {0, 32, 64, 128}; /* by emu_swizzle */
    uint32_t bytes = element_bytes[t->element], row_bytes = t->box[0] * bytes, row = 0;
    for (uint32_t d = t->rank; d-- > 1;)
        row = row * t->box[d] + index[d];
    uint32_t span = spans[t->swizzle], pitch = span > row_bytes ? span : row_bytes;
    uint32_t address = base + row * pitch + index[0] * bytes;
    if (!span)
        return address;
    uint32_t chunks = span / 16, chunk = address / 16 % chunks, line = address / 128 % chunks;
    return address / span * span + (chunk ^ line) * 16 + address % 16;
}

/* Whether the element is inside the tensor, and its offset in global memory. round_up: dimension 0 counts
 * in whole 16 bytes. */
static bool place_in_global(const emu_tensor *t, const int32_t *coord, const uint32_t *index, bool round_up,
                            uint64_t *offset)
{
    uint64_t bytes = element_bytes[t->element];
    *offset = t->address - GLOBAL_BASE;
    for (uint32_t d = 0; d < t->rank; d++) {
        int64_t at = (int64_t)coord[d] + index[d], extent = (int64_t)t->extent[d];
        while (round_up && d == 0 && extent * (int64_t)bytes % 16)
            extent++;
        if (at < 0 || at >= extent)
            return false;
        *offset += (uint64_t)at * (d ? t->stride_bytes[d - 1] : bytes);
    }
    return true;
}

static bool next_index(const emu_tensor *t, uint32_t *index)
{
    for (uint32_t d = 0; d < t->rank; d++) {
        if (++index[d] < t->box[d])
            return true;
        index[d] = 0;
    }
    return false;
}

static void reference_load(world *w, const emu_tensor *t, const int32_t *coord, uint32_t base)
{
    uint32_t index[5] = {0}, bytes = element_bytes[t->element];
    do {
        uint64_t offset;
        uint8_t *to = w->smem_expected + place_in_smem(t, index, base);
        memset(to, 0, bytes);
        if (place_in_global(t, coord, index, false, &offset))
            memcpy(to, w->global + offset, bytes);
        if (t->element == EMU_TF32 || t->element == EMU_TF32_FTZ) {
            float value;
            memcpy(&value, to, 4);
            uint32_t rounded = num_encode(NUM_TF32, (double)value, NUM_RN, 0) << 13;
            memcpy(to, &rounded, 4);
        }
    } while (next_index(t, index));
}

static void reference_store(world *w, const emu_tensor *t, const int32_t *coord, uint32_t base)
{
    uint32_t index[5] = {0}, bytes = element_bytes[t->element];
    do {
        uint64_t offset;
        if (place_in_global(t, coord, index, true, &offset))
            memcpy(w->global_expected + offset, w->smem + place_in_smem(t, index, base), bytes);
    } while (next_index(t, index));
}

/* ---- random tensors ------------------------------------------------------------------------------ */

typedef struct copy {
    emu_tensor tensor;
    int32_t coord[5];
    uint32_t base; /* shared address of the box */
} copy;

static void random_box(world *w, emu_tensor *t)
{
    uint32_t bytes = element_bytes[t->element], spans[] = {128, 32, 64, 128};
    uint32_t chunks = 1 + roll(w, spans[t->swizzle] / 16);
    t->box[0] = chunks * 16 / bytes;
    uint32_t rows_left = 16384 / 128;
    for (uint32_t d = 1; d < t->rank; d++) {
        t->box[d] = 1 + roll(w, rows_left < 40 ? rows_left : 40);
        rows_left /= t->box[d];
    }
}

static copy random_copy(world *w, emu_element element, bool negative)
{
    copy c = {.tensor = {.element = element, .rank = 1 + roll(w, 5), .swizzle = roll(w, 4)}};
    emu_tensor *t = &c.tensor;
    uint32_t bytes = element_bytes[t->element];
    random_box(w, t);
    t->address = GLOBAL_BASE + 16 * (uint64_t)roll(w, 16);
    uint64_t stride = 0;
    for (uint32_t d = 0; d < t->rank; d++) {
        t->extent[d] = 1 + roll(w, d == 0 ? 80 : d == 1 ? 24 : 4);
        stride = d == 0 ? (t->extent[0] * bytes + 15) / 16 * 16 + 16 * (uint64_t)roll(w, 2)
                        : stride * t->extent[d];
        if (d + 1 < t->rank)
            t->stride_bytes[d] = stride;
        int32_t box = (int32_t)t->box[d], extent = (int32_t)t->extent[d],
                unit = d ? 1 : (int32_t)(16 / bytes);
        int32_t lowest = negative ? -box - unit : 0;
        c.coord[d] = (lowest + (int32_t)roll(w, (uint32_t)(extent - lowest + 3))) / unit * unit;
    }
    c.base = 128 * roll(w, 16);
    return c;
}

static void random_loads_equal_the_reference(void **state)
{
    world *w = *state;
    async_global global = global_of(w);
    const char *error = NULL;
    for (int i = 0; i < 1500; i++) {
        copy c = random_copy(w, roll(w, EMU_TF32_FTZ + 1), true);
        if (i % 50 == 0)
            world_fill(w);
        memcpy(w->smem_expected, w->smem, SMEM_BYTES);
        reference_load(w, &c.tensor, c.coord, c.base);
        assert_true(async_tensor_load(&c.tensor, c.coord, w->smem + c.base, c.base, &global, &error));
        expect_world(w);
    }
}

static void random_stores_equal_the_reference(void **state)
{
    world *w = *state;
    async_global global = global_of(w);
    const char *error = NULL;
    for (int i = 0; i < 1500; i++) {
        copy c = random_copy(w, roll(w, EMU_TF32_FTZ + 1), false);
        if (i % 50 == 0)
            world_fill(w);
        memcpy(w->global_expected, w->global, GLOBAL_BYTES);
        reference_store(w, &c.tensor, c.coord, c.base);
        assert_true(async_tensor_store(&c.tensor, c.coord, w->smem + c.base, c.base, &global, &error));
        expect_world(w);
    }
}

/* Adding to zeros is storing, whatever the box. */
static void random_reductions_go_where_stores_go(void **state)
{
    world *w = *state;
    async_global global = global_of(w);
    const char *error = NULL;
    for (int i = 0; i < 600; i++) {
        copy c = random_copy(w, EMU_U32, false);
        if (i % 50 == 0)
            world_fill(w);
        memset(w->global, 0, GLOBAL_BYTES);
        memset(w->global_expected, 0, GLOBAL_BYTES);
        reference_store(w, &c.tensor, c.coord, c.base);
        assert_true(async_tensor_reduce(&c.tensor, c.coord, i % 2 ? ASYNC_ADD : ASYNC_XOR, w->smem + c.base,
                                        c.base, &global, &error));
        expect_world(w);
    }
}

/* ---- single facts -------------------------------------------------------------------------------- */

/* 64 x 8 f16 in a 128-byte swizzle: the matrix a wgmma operand starts with. */
static emu_tensor plain_matrix(void)
{
    return (emu_tensor){.element = EMU_F16,
                        .rank = 2,
                        .address = GLOBAL_BASE,
                        .extent = {64, 8},
                        .stride_bytes = {128},
                        .box = {64, 8},
                        .swizzle = EMU_SWIZZLE_128B};
}

static void swizzle_moves_chunks_by_address_bits(void **state)
{
    world *w = *state;
    async_global global = global_of(w);
    const char *error = NULL;
    emu_tensor t = plain_matrix();
    world_fill(w);
    for (uint32_t base = 0; base < 1024; base += 128) {
        assert_true(async_tensor_load(&t, (int32_t[2]){0}, w->smem + base, base, &global, &error));
        for (uint32_t byte = 0; byte < 1024; byte++) {
            uint32_t address = base + byte;
            assert_int_equal(w->smem[address ^ (address >> 7 & 7) << 4], w->global[byte]);
        }
    }
}

static void box_bytes_count_in_full(void **state)
{
    (void)state;
    emu_tensor t = plain_matrix();
    assert_int_equal(async_tensor_box_bytes(&t), 1024);
    assert_int_equal(async_tensor_box_span(&t), 1024);
    t.box[0] = 8; /* 16 bytes a row, which still take a line each */
    assert_int_equal(async_tensor_box_bytes(&t), 128);
    assert_int_equal(async_tensor_box_span(&t), 1024);
    t.rank = 5;
    for (int d = 0; d < 5; d++)
        t.box[d] = 256;
    assert_int_equal(async_tensor_box_bytes(&t), UINT32_MAX);
}

static void tf32_loads_round_and_ftz_does_not_flush(void **state)
{
    world *w = *state;
    async_global global = global_of(w);
    const char *error = NULL;
    static const uint32_t in[4] = {0x3f801001, 0x3f801000, 0x00001fff, 0xff812345};
    static const uint32_t rounded[4] = {0x3f802000, 0x3f800000, 0x00002000, 0x7fffe000};
    emu_tensor t = {.rank = 1, .address = GLOBAL_BASE, .extent = {4}, .box = {4}};
    memcpy(w->global, in, sizeof in);
    for (emu_element element = EMU_F32_FTZ; element <= EMU_TF32_FTZ; element++) {
        t.element = element;
        assert_true(async_tensor_load(&t, (int32_t[1]){0}, w->smem, 0, &global, &error));
        assert_memory_equal(w->smem, element == EMU_F32_FTZ ? in : rounded, sizeof in);
    }
}

/* As on an H200: the last chunk of a row is written whole. Past the end of an allocation it is not. */
static void stores_write_whole_chunks(void **state)
{
    world *w = *state;
    async_global global = global_of(w);
    const char *error = NULL;
    emu_tensor t = {.element = EMU_U8, .rank = 1, .address = GLOBAL_BASE, .extent = {20}, .box = {48}};
    world_fill(w);
    memcpy(w->global_expected, w->smem, 32);
    assert_true(async_tensor_store(&t, (int32_t[1]){0}, w->smem, 0, &global, &error));
    expect_world(w);
    world_fill(w);
    w->allocated = 20;
    memcpy(w->global_expected, w->smem, 20);
    assert_true(async_tensor_store(&t, (int32_t[1]){0}, w->smem, 0, &global, &error));
    expect_world(w);
    w->allocated = GLOBAL_BYTES;
}

/* ---- faults -------------------------------------------------------------------------------------- */

typedef struct fault_case {
    const char *error;
    int32_t coord[2], coord_good[2];
    uint32_t smem_address;
    bool load_too; /* otherwise a load takes it */
} fault_case;

static void expect_copy(world *w, const emu_tensor *t, const int32_t *coord, uint32_t address, bool load,
                        const char *want)
{
    async_global global = global_of(w);
    const char *error = NULL;
    bool ok = load ? async_tensor_load(t, coord, w->smem, address, &global, &error)
                   : async_tensor_store(t, coord, w->smem, address, &global, &error);
    assert_int_equal(ok, want == NULL);
    if (want)
        assert_string_equal(error, want);
}

static void misuse_is_an_error_and_its_neighbour_is_not(void **state)
{
    static const fault_case cases[] = {
        {"the innermost coordinate of a tensor copy is not a multiple of 16 bytes", {4, 0}, {8, 0}, 0, true},
        {"the innermost coordinate of a tensor copy is not a multiple of 16 bytes", {-7, 0}, {0, 0}, 0, true},
        {"a coordinate of a tensor store or reduction is negative", {0, -1}, {0, 0}, 0, false},
        {"a coordinate of a tensor store or reduction is negative", {-8, 0}, {64, 8}, 0, false},
        {"the shared address of a tensor copy is not a multiple of 128", {0, 0}, {0, 0}, 64, true},
    };
    world *w = *state;
    emu_tensor t = plain_matrix();
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const fault_case *c = &cases[i];
        expect_copy(w, &t, c->coord, c->smem_address, false, c->error);
        expect_copy(w, &t, c->coord, c->smem_address, true, c->load_too ? c->error : NULL);
        expect_copy(w, &t, c->coord_good, 0, false, NULL);
        expect_copy(w, &t, c->coord_good, 0, true, NULL);
    }
}

static void leaving_the_allocation_is_an_error(void **state)
{
    static const char outside[] = "a tensor copy leaves its allocation in global memory";
    world *w = *state;
    emu_tensor t = plain_matrix();
    w->allocated = 1023;
    expect_copy(w, &t, (int32_t[2]){0, 0}, 0, true, outside);
    expect_copy(w, &t, (int32_t[2]){0, 0}, 0, false, outside);
    expect_copy(w, &t, (int32_t[2]){0, -1}, 0, true, NULL); /* its last row is not asked for */
    w->allocated = 1024;
    expect_copy(w, &t, (int32_t[2]){0, 0}, 0, true, NULL);
    w->allocated = GLOBAL_BYTES;
    t.box[1] = 256;
    t.rank = 3;
    t.box[2] = 16;
    t.extent[2] = 1;
    t.stride_bytes[1] = 1024;
    expect_copy(w, &t, (int32_t[3]){0}, 0, true, "the box of a tensor copy is larger than shared memory");
}

/* ---- reductions ---------------------------------------------------------------------------------- */

typedef struct reduction_case {
    emu_element element;
    async_reduction reduction;
    uint64_t old, with, result;
} reduction_case;

static const reduction_case reductions[] = {
    {EMU_U32, ASYNC_ADD, 0xffffffff, 2, 1},
    {EMU_U32, ASYNC_MIN, 0x80000000, 1, 1},
    {EMU_U32, ASYNC_MAX, 0x80000000, 1, 0x80000000},
    {EMU_U32, ASYNC_INC, 4, 5, 5}, /* counts up to the operand, then 0 */
    {EMU_U32, ASYNC_INC, 5, 5, 0},
    {EMU_U32, ASYNC_DEC, 3, 5, 2}, /* counts down, then to the operand */
    {EMU_U32, ASYNC_DEC, 0, 5, 5},
    {EMU_U32, ASYNC_DEC, 6, 5, 5},
    {EMU_U32, ASYNC_AND, 0xc, 0xa, 0x8},
    {EMU_S32, ASYNC_OR, 0xc, 0xa, 0xe},
    {EMU_U64, ASYNC_XOR, UINT64_C(0xc00000000), 0xa, UINT64_C(0xc0000000a)},
    {EMU_S32, ASYNC_ADD, 0xffffffff, 1, 0},
    {EMU_S32, ASYNC_MIN, 0x80000000, 1, 0x80000000},
    {EMU_S32, ASYNC_MAX, 0x80000000, 1, 1},
    {EMU_U64, ASYNC_ADD, UINT64_MAX, 2, 1},
    {EMU_U64, ASYNC_MAX, UINT64_MAX, 2, UINT64_MAX},
    {EMU_S64, ASYNC_MIN, UINT64_MAX, 2, UINT64_MAX},
    {EMU_S64, ASYNC_MAX, UINT64_MAX, 2, 2},
    {EMU_F16, ASYNC_ADD, 0x3c00, 0x1000, 0x3c00}, /* 1 + 2^-11, a tie to even */
    {EMU_F16, ASYNC_ADD, 0x0001, 0x0001, 0x0002}, /* subnormals count */
    {EMU_F16, ASYNC_MIN, 0x7e00, 0x3c00, 0x3c00}, /* a NaN loses */
    {EMU_F16, ASYNC_MIN, 0x0000, 0x8000, 0x8000},
    {EMU_F16, ASYNC_MAX, 0x8000, 0x0000, 0x0000},
    {EMU_BF16, ASYNC_ADD, 0x3f80, 0x3f80, 0x4000},
    {EMU_BF16, ASYNC_MAX, 0xbf80, 0x3f80, 0x3f80},
    {EMU_F32, ASYNC_ADD, 0x3f800000, 0x33800000, 0x3f800000},
    {EMU_F32, ASYNC_ADD, 0x00000001, 0x00000001, 0x00000002},
    {EMU_F32, ASYNC_ADD, 0x7f800000, 0xff800000, 0x7fffffff},
    {EMU_F32_FTZ, ASYNC_ADD, 0x00000001, 0x00000001, 0},
    {EMU_F32_FTZ, ASYNC_ADD, 0x80000001, 0x80000001, 0x80000000},
    {EMU_TF32, ASYNC_ADD, 0x3f800001, 0x3f800001, 0x40000001}, /* not rounded to tf32 */
    {EMU_TF32_FTZ, ASYNC_ADD, 0x00800001, 0x80800000, 0},
    {EMU_F64, ASYNC_ADD, 0x3ff0000000000000, 0x3ff0000000000000, 0x4000000000000000},
    {EMU_F64, ASYNC_ADD, 0x7ff4000000000001, 0x3ff0000000000000, 0x7ff4000000000001},
};

static void reductions_combine_elements(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(reductions); i++) {
        const reduction_case *r = &reductions[i];
        uint64_t memory[2] = {r->old, UINT64_C(0x0123456789abcdef)};
        const char *error = NULL;
        assert_true(
            async_reduce(r->element, r->reduction, (uint8_t *)memory, (const uint8_t *)&r->with, 1, &error));
        if (memory[0] != r->result)
            fail_msg("case %zu: %llx, not %llx", i, (unsigned long long)memory[0],
                     (unsigned long long)r->result);
        assert_true(memory[1] == UINT64_C(0x0123456789abcdef));
    }
}

/* Rows by emu_element, columns by async_reduction: what an H200 carries out ('.') and what it traps on. */
static void reductions_not_of_the_type_are_refused(void **state)
{
    static const char *const allowed[] = {
        "--------", "--------", "........", "...--...", "...--...", "-..-----", "...-----",
        ".-------", ".-------", "...-----", ".-------", ".-------", ".-------",
    };
    (void)state;
    for (emu_element element = EMU_U8; element <= EMU_TF32_FTZ; element++)
        for (async_reduction reduction = ASYNC_ADD; reduction <= ASYNC_XOR; reduction++) {
            uint64_t memory = 0, with = 0;
            const char *error = NULL;
            bool ok = async_reduce(element, reduction, (uint8_t *)&memory, (uint8_t *)&with, 1, &error);
            assert_int_equal(ok, allowed[element][reduction] == '.');
            if (!ok)
                assert_string_equal(error, "this reduction is not defined for the element type");
        }
}

static void reductions_need_alignment(void **state)
{
    (void)state;
    uint32_t memory[2] = {0}, with = 1;
    const char *error = NULL;
    assert_false(async_reduce(EMU_U32, ASYNC_ADD, (uint8_t *)memory + 2, (uint8_t *)&with, 1, &error));
    assert_string_equal(error, "the destination of a reduction is not aligned to its element");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_loads_equal_the_reference),
        cmocka_unit_test(random_stores_equal_the_reference),
        cmocka_unit_test(random_reductions_go_where_stores_go),
        cmocka_unit_test(swizzle_moves_chunks_by_address_bits),
        cmocka_unit_test(box_bytes_count_in_full),
        cmocka_unit_test(tf32_loads_round_and_ftz_does_not_flush),
        cmocka_unit_test(stores_write_whole_chunks),
        cmocka_unit_test(misuse_is_an_error_and_its_neighbour_is_not),
        cmocka_unit_test(leaving_the_allocation_is_an_error),
        cmocka_unit_test(reductions_combine_elements),
        cmocka_unit_test(reductions_not_of_the_type_are_refused),
        cmocka_unit_test(reductions_need_alignment),
    };
    return cmocka_run_group_tests(tests, world_open, world_close);
}
