/* Seeded numbers: the same ones every time, of the right range and spread. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "run/random.h"

#include <math.h>

enum { DRAWS = 100000 };

/* xoshiro256** from the state {1, 2, 3, 4}: the published first outputs. */
static void the_generator_is_the_published_one(void **state)
{
    (void)state;
    random_state r = {{1, 2, 3, 4}};
    static const uint64_t expected[] = {UINT64_C(11520), UINT64_C(0), UINT64_C(1509978240),
                                        UINT64_C(1215971899390074240), UINT64_C(1216172134540287360)};
    for (size_t i = 0; i < ARRAY_LEN(expected); i++)
        assert_true(random_next(&r) == expected[i]);
}

/* splitmix64 from 0 yields e220a8397b1dcdaf first; the state of seed 0 begins with it. */
static void a_seed_gives_its_state(void **state)
{
    (void)state;
    random_state zero = random_seed(0);
    assert_true(zero.word[0] == UINT64_C(0xe220a8397b1dcdaf));
    random_state first = random_seed(42), again = random_seed(42), other = random_seed(43);
    assert_memory_equal(&first, &again, sizeof first);
    assert_memory_not_equal(&first, &other, sizeof first);
}

static void uniform_numbers_fill_their_range(void **state)
{
    (void)state;
    random_state r = random_seed(7);
    double sum = 0, squares = 0, low = 1, high = -1;
    for (int i = 0; i < DRAWS; i++) {
        double x = (double)random_uniform(&r);
        assert_true(x >= -1.0 && x < 1.0);
        sum += x;
        squares += x * x;
        low = fmin(low, x);
        high = fmax(high, x);
    }
    assert_true(fabs(sum / DRAWS) < 0.01);
    assert_true(fabs(squares / DRAWS - 1.0 / 3.0) < 0.01);
    assert_true(low < -0.999 && high > 0.999);
}

static void normal_numbers_have_mean_0_and_variance_1(void **state)
{
    (void)state;
    random_state r = random_seed(8);
    double sum = 0, squares = 0;
    int beyond_two = 0;
    for (int i = 0; i < DRAWS; i++) {
        double x = (double)random_normal(&r);
        sum += x;
        squares += x * x;
        beyond_two += fabs(x) > 2.0;
    }
    assert_true(fabs(sum / DRAWS) < 0.02);
    assert_true(fabs(squares / DRAWS - 1.0) < 0.03);
    assert_true(fabs(beyond_two / (double)DRAWS - 0.0455) < 0.005);
}

static void numbers_below_a_bound_are_even(void **state)
{
    (void)state;
    random_state r = random_seed(9);
    int hits[3] = {0};
    for (int i = 0; i < 30000; i++)
        hits[random_below(&r, 3)]++;
    for (size_t i = 0; i < ARRAY_LEN(hits); i++)
        assert_in_range(hits[i], 9600, 10400);
    assert_int_equal(random_below(&r, 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_generator_is_the_published_one),
        cmocka_unit_test(a_seed_gives_its_state),
        cmocka_unit_test(uniform_numbers_fill_their_range),
        cmocka_unit_test(normal_numbers_have_mean_0_and_variance_1),
        cmocka_unit_test(numbers_below_a_bound_are_even),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
