/* Independent findings come in one go, and none that would go away by mending another. A kernel of three pairs of tasks has
 * the faults one asks for, in whatever combination; a fault of declaring must leave of the rules' findings some of those
 * that they make without it, and add none. */
#include "warpwright/warpwright.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

typedef struct pair_params {
    int trips;
} pair_params;

enum {
    /* of declaring, all of pair a */
    UNKNOWN_WORK = 1,
    UNFINISHED_BLOCK = 2,
    BAD_REGISTERS = 4,
    BAD_WARPS = 8,
    NO_STAGES = 16,
    BAD_BUFFER = 32,
    BAD_ROW = 64,
    NO_DOWNSTREAM = 128,
    NAME_TWICE = 256,
    OTHER_MEMBER = 512,
    DECLARING = 1023,
    /* of the rules, of pairs b and c */
    NO_RELEASE = 1024,
    WRONG_COUNT = 2048,
    NO_WAIT = 4096,
    SHARED_WARPS = 8192,
    ALL = 16383,
};

typedef struct pair {
    unsigned faults;
    char which;
    ww_resource *ring;
} pair;

static const ww_work work[] = {
    {.name = "fill", .side = WW_PRODUCER}, {.name = "use", .side = WW_CONSUMER}, {0}};
static const ww_work bad_work[] = {
    {.name = "fill", .side = WW_PRODUCER, .touches = {"datum"}}, {.name = "use", .side = WW_CONSUMER}, {0}};

static bool has(const pair *p, char which, unsigned fault)
{
    return p->which == which && p->faults & fault;
}

static void load(ww_schedule *s, void *context)
{
    pair *p = context;
    ww_domain_loop(s, ww_imm(0), ww_arg(pair_params, trips, 0), ww_imm(1)) {
        ww_acquire(s, p->ring);
        ww_produce(s, p->ring, has(p, 'a', UNKNOWN_WORK) ? "filll" : "fill");
        ww_commit(s, p->ring);
        if (has(p, 'a', UNFINISHED_BLOCK))
            break;
    }
}

static void store(ww_schedule *s, void *context)
{
    pair *p = context;
    ww_domain_loop(s, ww_imm(0), ww_arg(pair_params, trips, 0), ww_imm(1)) {
        if (!has(p, 'c', NO_WAIT))
            ww_wait(s, p->ring);
        else
            ww_try_wait(s, p->ring);
        ww_consume(s, p->ring, "use");
        if (!has(p, 'b', NO_RELEASE))
            ww_release(s, p->ring);
    }
}

/* Each resource and task has a line of its own: "pairs.c", 10 to 39. */
static ww_place at(const pair *p, int line)
{
    return (ww_place){"pairs.c", (p->which - 'a') * 10 + 10 + line};
}

static void declare_pair(ww_kernel *k, pair *p)
{
    char names[3][16];
    static const char *const kinds[] = {"ring", "load", "store"};
    for (int i = 0; i < 3; i++)
        (void)snprintf(names[i], sizeof names[i], "%s_%c", kinds[i], p->which);
    ww_resource_options ring = {.pipeline = {.type = WW_ASYNC_ASYNC,
                                             .stages = has(p, 'a', NO_STAGES) ? 0 : 2,
                                             .consumer_arrivals = has(p, 'b', WRONG_COUNT) ? 7 : 0,
                                             .advance_on_wait = has(p, 'a', OTHER_MEMBER)},
                                .buffers = {{has(p, 'a', BAD_BUFFER) ? "full" : "data", 512}},
                                .work = has(p, 'a', BAD_ROW) ? bad_work : work};
    p->ring = ww_resource_new_at(at(p, 0), k, names[0], &ring);
    int first = (p->which - 'a') * 2, shared = has(p, 'c', SHARED_WARPS);
    ww_task_options loads = {.first_warp = has(p, 'a', BAD_WARPS) ? -1 : first - shared,
                             .warps = 1,
                             .registers = has(p, 'a', BAD_REGISTERS) ? 250 : 0,
                             .schedule = load,
                             .context = p};
    ww_task_options stores = {.first_warp = first + 1, .warps = 1, .schedule = store, .context = p};
    (void)ww_task_new_at(at(p, 1), k, names[1], &loads);
    (void)ww_task_new_at(at(p, 2), k, names[2], &stores);
}

static ww_kernel *declare(unsigned faults, pair pairs[3])
{
    ww_kernel *k = ww_kernel_new("pairs", &(ww_kernel_options){.body = "pairs.cuh",
                                                               .params = "pair_params",
                                                               .params_bytes = sizeof(pair_params)});
    for (int i = 0; i < 3; i++) {
        pairs[i] = (pair){.faults = faults, .which = (char)('a' + i)};
        declare_pair(k, &pairs[i]);
    }
    if (faults & NO_DOWNSTREAM)
        ww_depends(k, NULL, pairs[0].ring);
    if (faults & NAME_TWICE)
        (void)ww_resource_new_at((ww_place){"pairs.c", 50}, k, "ring_a",
                                 &(ww_resource_options){.buffers = {{"data", 512}}});
    if (faults & OTHER_MEMBER)
        (void)ww_group_new_at((ww_place){"pairs.c", 51}, k, "both",
                              &(ww_group_options){.members = {pairs[0].ring, pairs[1].ring}});
    return k;
}

/* ---- sets of findings --------------------------------------------------------------------------------- */

static bool contains(const ww_diag *list, const ww_diag *d)
{
    for (; list; list = list->next)
        if (list->code == d->code && list->place.line == d->place.line &&
            strcmp(list->message, d->message) == 0)
            return true;
    return false;
}

static int bits(unsigned faults)
{
    int n = 0;
    for (; faults; faults &= faults - 1)
        n++;
    return n;
}

/* One fault of declaring and any of the rules: the first adds one finding and none that is not there without it. */
static void check_subset(unsigned declaring, unsigned rules)
{
    pair pairs[3], others[3];
    ww_kernel *with = declare(declaring | rules, pairs), *without = declare(rules, others);
    const ww_diag *expected = ww_kernel_check(without);
    int own = 0;
    for (const ww_diag *d = ww_kernel_check(with); d; d = d->next)
        if (!contains(expected, d))
            own++;
    if (own != 1) {
        print_error("faults %u and %u:\n", declaring, rules);
        ww_diag_print(stderr, ww_kernel_check(with));
        fail();
    }
    ww_kernel_free(with);
    ww_kernel_free(without);
}

static void test_no_finding_follows_from_another(void **state)
{
    (void)state;
    for (unsigned rules = 0; rules <= ALL; rules += NO_RELEASE)
        for (unsigned fault = 1; fault <= DECLARING; fault *= 2)
            check_subset(fault, rules);
}

/* Whatever is wrong with it, what is left can be lowered and judged. */
static void test_faults_of_all_kinds_together(void **state)
{
    (void)state;
    for (unsigned faults = 1; faults <= ALL; faults += 7) {
        pair pairs[3];
        ww_kernel *k = declare(faults, pairs);
        assert_true(ww_diag_count(ww_kernel_check(k), WW_ERROR) > 0);
        assert_null(ww_kernel_emit(k));
        ww_kernel_free(k);
    }
}

/* ---- in one go ---------------------------------------------------------------------------------------- */

static void check_codes(unsigned faults, const ww_code *codes)
{
    pair pairs[3];
    ww_kernel *k = declare(faults, pairs);
    const ww_diag *d = ww_kernel_check(k);
    bool right = true;
    for (; d && right; d = d->next)
        right = d->code == *codes++;
    if (!right || *codes != WW_NO_CODE) {
        ww_diag_print(stderr, ww_kernel_check(k));
        fail_msg("faults %u: other codes", faults);
    }
    assert_null(ww_kernel_emit(k));
    assert_false(ww_kernel_prove(k).proved);
    ww_kernel_free(k);
}

/* An unknown work in pair a, a wrong count in pair b, a probe without a wait in pair c. */
static void test_three_independent_faults_come_in_one_go(void **state)
{
    (void)state;
    check_codes(WRONG_COUNT, (ww_code[]){WW_ARRIVALS, WW_NO_CODE});
    check_codes(UNKNOWN_WORK | WRONG_COUNT | NO_WAIT,
                (ww_code[]){WW_UNKNOWN_WORK, WW_DANGLING_TRY, WW_BRACKET, WW_ARRIVALS, WW_NO_CODE});
    check_codes(NO_STAGES | NO_RELEASE, (ww_code[]){WW_COVERAGE, WW_BAD_VALUE, WW_NO_CODE});
    check_codes(UNFINISHED_BLOCK | WRONG_COUNT, (ww_code[]){WW_BAD_BLOCK, WW_ARRIVALS, WW_NO_CODE});
}

/* Of what an ill task or resource takes part in, nothing is said but what is wrong with itself. */
static void test_what_an_ill_task_uses_is_not_judged(void **state)
{
    (void)state;
    const ww_code codes[] = {WW_UNKNOWN_WORK, WW_BAD_BLOCK, WW_BAD_VALUE, WW_BAD_VALUE, WW_BAD_VALUE,
                             WW_BAD_NAME,     WW_BAD_WORK,  WW_GRAPH,     WW_BAD_NAME,  WW_GROUP};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        check_codes(1u << i, (ww_code[]){codes[i], WW_NO_CODE});
    assert_int_equal(bits(DECLARING), sizeof codes / sizeof *codes);
}

/* A suppressed finding stays hidden when declaring found something else; an error of declaring is never hidden. */
static void test_suppression_goes_on(void **state)
{
    (void)state;
    pair pairs[3];
    ww_kernel *k = declare(UNKNOWN_WORK | WRONG_COUNT, pairs);
    ww_kernel_suppress(k, WW_ARRIVALS, "counted by hand");
    const ww_diag *d = ww_kernel_check(k);
    assert_int_equal(d->code, WW_UNKNOWN_WORK);
    assert_null(d->next);
    assert_int_equal(ww_kernel_suppressed(k)->code, WW_ARRIVALS);
    ww_kernel_free(k);
    k = declare(NO_DOWNSTREAM, pairs);
    ww_kernel_suppress(k, WW_GRAPH, "never mind");
    assert_int_equal(ww_kernel_check(k)->code, WW_GRAPH);
    assert_null(ww_kernel_suppressed(k));
    ww_kernel_free(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_finding_follows_from_another),
        cmocka_unit_test(test_faults_of_all_kinds_together),
        cmocka_unit_test(test_three_independent_faults_come_in_one_go),
        cmocka_unit_test(test_what_an_ill_task_uses_is_not_judged),
        cmocka_unit_test(test_suppression_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
