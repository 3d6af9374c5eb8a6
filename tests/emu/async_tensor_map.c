/* Tensor maps as bytes: what is encoded is decoded, each rule of cuTensorMapEncodeTiled with the smallest
 * accepted neighbour of what breaks it, and bytes that are no map. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "emu/emu.h"

static emu_tensor largest_map(void)
{
    return (emu_tensor){
        .element = EMU_U8,
        .rank = 5,
        .address = UINT64_C(0xfffffffffffffff0),
        .extent = {UINT64_C(1) << 32, 1, UINT64_C(1) << 32, 2, 3},
        .stride_bytes = {(UINT64_C(1) << 40) - 16, 0, 16, UINT64_C(0x123456789a0)},
        .box = {256, 1, 256, 2, 1},
        .swizzle = EMU_SWIZZLE_NONE,
    };
}

static emu_tensor plain_map(void)
{
    return (emu_tensor){
        .element = EMU_F16,
        .rank = 2,
        .address = 0x1000,
        .extent = {64, 8},
        .stride_bytes = {128},
        .box = {64, 8},
        .swizzle = EMU_SWIZZLE_128B,
    };
}

static void expect_same(const emu_tensor *a, const emu_tensor *b)
{
    assert_int_equal(a->element, b->element);
    assert_int_equal(a->rank, b->rank);
    assert_int_equal(a->swizzle, b->swizzle);
    assert_true(a->address == b->address);
    assert_memory_equal(a->extent, b->extent, a->rank * sizeof a->extent[0]);
    assert_memory_equal(a->box, b->box, a->rank * sizeof a->box[0]);
    assert_memory_equal(a->stride_bytes, b->stride_bytes, (a->rank - 1) * sizeof a->stride_bytes[0]);
}

static void what_is_encoded_is_decoded(void **state)
{
    (void)state;
    emu_tensor maps[] = {largest_map(), plain_map()}, back;
    uint8_t bytes[EMU_TENSOR_MAP_BYTES + 1]; /* decoding asks for no alignment */
    for (size_t i = 0; i < ARRAY_LEN(maps); i++)
        for (uint32_t rank = 1; rank <= maps[i].rank; rank++) {
            maps[i].rank = rank;
            assert_null(emu_tensor_map_encode(&maps[i], bytes + 1));
            assert_true(emu_tensor_map_decode(bytes + 1, &back));
            expect_same(&maps[i], &back);
        }
}

static void every_changed_bit_is_noticed(void **state)
{
    (void)state;
    emu_tensor t = plain_map(), back;
    uint8_t bytes[EMU_TENSOR_MAP_BYTES];
    assert_null(emu_tensor_map_encode(&t, bytes));
    for (int bit = 0; bit < EMU_TENSOR_MAP_BYTES * 8; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_false(emu_tensor_map_decode(bytes, &back));
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    assert_true(emu_tensor_map_decode(bytes, &back));
    memset(bytes, 0, sizeof bytes);
    assert_false(emu_tensor_map_decode(bytes, &back));
}

/* ---- rules --------------------------------------------------------------------------------------- */

static void expect_verdict(const emu_tensor *t, const char *want)
{
    uint8_t bytes[EMU_TENSOR_MAP_BYTES];
    const char *got = emu_tensor_map_encode(t, bytes);
    if (want)
        assert_string_equal(got, want);
    else
        assert_null(got);
}

/* The rule's text with member = bad, none with member = good. */
#define RULE(text, member, bad, good)                                                                        \
    do {                                                                                                     \
        emu_tensor t = plain_map();                                                                          \
        t.member = bad;                                                                                      \
        expect_verdict(&t, text);                                                                            \
        t.member = good;                                                                                     \
        expect_verdict(&t, NULL);                                                                            \
    } while (0)

static void rules_of_kinds(void **state)
{
    (void)state;
    RULE("the element type is not one of a tensor map's", element, (emu_element)13, EMU_BF16);
    RULE("the swizzle is not none, 32B, 64B or 128B", swizzle, (emu_swizzle)4, EMU_SWIZZLE_128B);
    RULE("the rank is not 1 to 5", rank, 0, 1);
    RULE("the rank is not 1 to 5", rank, 6, 2);
    RULE("the global address is not a multiple of 16", address, 0x1008, 0x1010);
}

static void rules_of_tensors(void **state)
{
    (void)state;
    const uint64_t four_giga = UINT64_C(1) << 32, tera = UINT64_C(1) << 40;
    RULE("an extent is not 1 to 2^32", extent[0], 0, 1);
    RULE("an extent is not 1 to 2^32", extent[1], four_giga + 1, four_giga);
    RULE("a stride is not a multiple of 16 bytes", stride_bytes[0], 136, 144);
    RULE("a stride is not below 2^40 bytes", stride_bytes[0], tera, tera - 16);
}

static void rules_of_boxes(void **state)
{
    (void)state;
    RULE("a box dimension is not 1 to 256", box[1], 0, 1);
    RULE("a box dimension is not 1 to 256", box[1], 257, 256);
    RULE("the inner box dimension is not a multiple of 16 bytes", box[0], 60, 56);
    RULE("the inner box dimension is larger than the swizzle span", box[0], 72, 64);
    RULE("the inner box dimension is larger than the swizzle span", swizzle, EMU_SWIZZLE_64B,
         EMU_SWIZZLE_NONE);
}

static void a_box_fits_shared_memory(void **state)
{
    (void)state;
    emu_tensor t = {.element = EMU_U8,
                    .rank = 3,
                    .extent = {256, 256, 4},
                    .stride_bytes = {256, 65536},
                    .box = {16, 256, 57}};
    expect_verdict(&t, NULL); /* 228 KiB */
    t.box[2] = 58;
    expect_verdict(&t, "the box is larger than 228 KiB");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_encoded_is_decoded),
        cmocka_unit_test(every_changed_bit_is_noticed),
        cmocka_unit_test(rules_of_kinds),
        cmocka_unit_test(rules_of_tensors),
        cmocka_unit_test(rules_of_boxes),
        cmocka_unit_test(a_box_fits_shared_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
