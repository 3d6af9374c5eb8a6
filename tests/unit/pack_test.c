/* Packing: the known vector, corner cases, and thousands of random sets beside the plain algorithm. */
#include "pack_oracle.h"

#include "base/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

enum { MOST_ITEMS = 24 };

enum { X, Y, Z, P, Q, R };

#define VECTOR                                                                                               \
    {                                                                                                        \
        [X] = {100, 16, NO_GROUP, 0, 0}, [Y] = {50, 1024, NO_GROUP, 0, 0}, [Z] = {8, 16, NO_GROUP, 0, 0},    \
        [P] = {300, 128, 0, 0, 0}, [Q] = {64, 16, 0, 0, 0}, [R] = {500, 128, 0, 1, 0},                       \
    }

/* The oracle does what is known of the plain algorithm, so that the comparisons below mean something. */
static void the_oracle_places_the_known_vector(void **unused)
{
    (void)unused;
    pack_item items[] = VECTOR;
    assert_int_equal(oracle_plain(items, ARRAY_LEN(items)), 760);
    assert_int_equal(items[Y].offset, 0);
    assert_int_equal(items[P].offset, 128);
    assert_int_equal(items[Q].offset, 432);
    assert_int_equal(items[R].offset, 128);
    assert_int_equal(items[X].offset, 640);
    assert_int_equal(items[Z].offset, 752);
}

/* The same, but for z, which goes into the hole behind y. */
static void the_known_vector_is_packed_with_its_hole_filled(void **unused)
{
    (void)unused;
    pack_item items[] = VECTOR;
    assert_int_equal(pack_items(items, ARRAY_LEN(items)), 740);
    assert_int_equal(items[Y].offset, 0);
    assert_int_equal(items[P].offset, 128);
    assert_int_equal(items[Q].offset, 432);
    assert_int_equal(items[R].offset, 128);
    assert_int_equal(items[X].offset, 640);
    assert_int_equal(items[Z].offset, 64);
    oracle_check(items, ARRAY_LEN(items), 740);
}

static void nothing_needs_nothing(void **unused)
{
    (void)unused;
    assert_int_equal(pack_items(NULL, 0), 0);
}

static void items_that_look_alike_stay_apart(void **unused)
{
    (void)unused;
    pack_item items[] = {
        {64, 64, 0, 0, 0}, {64, 64, 0, 0, 0}, {64, 64, 0, 1, 0}, {64, 64, 1, 0, 0}, {64, 64, 1, 1, 0}};
    assert_int_equal(pack_items(items, ARRAY_LEN(items)), 192);
    oracle_check(items, ARRAY_LEN(items), 192);
    assert_int_equal(items[2].offset, items[0].offset);
    assert_int_equal(items[4].offset, items[3].offset);
}

static void a_phase_is_packed_tighter_than_it_is_declared(void **unused)
{
    (void)unused;
    pack_item items[] = {{8, 8, 0, 0, 0}, {1024, 1024, 0, 0, 0}, {8, 8, 0, 0, 0}, {16, 16, 0, 1, 0}};
    pack_item same[ARRAY_LEN(items)];
    memcpy(same, items, sizeof items);
    assert_int_equal(oracle_plain(same, ARRAY_LEN(same)), 2056);
    assert_int_equal(pack_items(items, ARRAY_LEN(items)), 1040);
    oracle_check(items, ARRAY_LEN(items), 1040);
}

/* Where sorting a phase by alignment would lose, the declared order is taken. */
static void the_declared_order_of_a_phase_wins_where_it_is_shorter(void **unused)
{
    (void)unused;
    pack_item items[] = {{40, 8, 0, 0, 0}, {24, 8, 0, 0, 0}, {70, 64, 0, 0, 0}, {1, 8, 0, 1, 0}};
    assert_int_equal(pack_items(items, ARRAY_LEN(items)), 64 + 70);
    assert_int_equal(items[2].offset, 64);
    oracle_check(items, ARRAY_LEN(items), 64 + 70);
}

static pack_item random_item(uint64_t *state)
{
    static const uint32_t most[] = {64, 700, 5000};
    pack_item item = {.size = 1 + oracle_random(state, most[oracle_random(state, 3)]),
                      .align = 1u << oracle_random(state, 11),
                      .group = NO_GROUP};
    if (oracle_random(state, 2))
        return item;
    item.group = (int)oracle_random(state, ORACLE_GROUPS);
    item.phase = (int)oracle_random(state, ORACLE_PHASES);
    return item;
}

static void random_sets_are_sound_and_never_larger_than_plain(void **unused)
{
    (void)unused;
    enum { SETS = 20000 };
    uint64_t state = 20;
    int better = 0;
    for (int set = 0; set < SETS; set++) {
        pack_item items[MOST_ITEMS], again[MOST_ITEMS], same[MOST_ITEMS];
        size_t count = oracle_random(&state, MOST_ITEMS + 1);
        for (size_t i = 0; i < count; i++)
            items[i] = again[i] = same[i] = random_item(&state);
        uint64_t used = pack_items(items, count), reference = oracle_plain(same, count);
        oracle_check(items, count, used);
        oracle_check(same, count, reference);
        assert_true(used <= reference);
        better += used < reference;
        assert_int_equal(pack_items(again, count), used); /* nothing but the items decides */
        for (size_t i = 0; i < count; i++)
            assert_int_equal(again[i].offset, items[i].offset);
    }
    assert_true(better > SETS / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_oracle_places_the_known_vector),
        cmocka_unit_test(the_known_vector_is_packed_with_its_hole_filled),
        cmocka_unit_test(nothing_needs_nothing),
        cmocka_unit_test(items_that_look_alike_stay_apart),
        cmocka_unit_test(a_phase_is_packed_tighter_than_it_is_declared),
        cmocka_unit_test(the_declared_order_of_a_phase_wins_where_it_is_shorter),
        cmocka_unit_test(random_sets_are_sound_and_never_larger_than_plain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
