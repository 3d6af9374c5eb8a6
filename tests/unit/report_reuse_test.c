/* Under the table: by which barriers memory is used again, and advice on rings. Lines are those of a file "reuse.c". */
#include "base/base.h"
#include "warpwright/warpwright.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

typedef struct relay_params {
    int trips;
} relay_params;

typedef struct relay {
    ww_resource *scratch, *there, *on, *back;
    bool broken; /* the task in the middle does not wait */
    ww_bound end;
} relay;

static const ww_work work[] = {
    {.name = "put", .side = WW_PRODUCER}, {.name = "get", .side = WW_CONSUMER}, {0}};

/* A plain buffer that three rings without memory hand round: first -> middle -> last -> first. */
/* clang-format off */
#line 10 "reuse.c"
static void first(ww_schedule *s, void *context)
{
    relay *r = context;
    ww_domain_loop(s, ww_imm(0), r->end, ww_imm(1)) {
        ww_wait(s, r->back);
        ww_release(s, r->back);
        ww_acquire(s, r->there);
        ww_produce(s, r->scratch, "put");
        ww_commit(s, r->there);
    }
}

#line 30 "reuse.c"
static void middle(ww_schedule *s, void *context)
{
    relay *r = context;
    ww_domain_loop(s, ww_imm(0), r->end, ww_imm(1)) {
        if (!r->broken)
            ww_wait(s, r->there);
        ww_acquire(s, r->on);
        ww_commit(s, r->on);
        ww_release(s, r->there);
    }
}

#line 50 "reuse.c"
static void last(ww_schedule *s, void *context)
{
    relay *r = context;
    ww_acquire(s, r->back);
    ww_commit(s, r->back);
    ww_domain_loop(s, ww_imm(0), r->end, ww_imm(1)) {
        ww_wait(s, r->on);
        ww_consume(s, r->scratch, "get");
        ww_release(s, r->on);
        ww_acquire(s, r->back);
        ww_commit(s, r->back);
    }
}
/* clang-format on */

static ww_resource *signal(ww_kernel *k, const char *name)
{
    return ww_resource_new(k, name, &(ww_resource_options){.pipeline = ww_pipeline_async_async(.stages = 2)});
}

static text table_of(relay *r)
{
    ww_kernel *k = ww_kernel_new("relay", &(ww_kernel_options){.body = "relay.cuh",
                                                               .params = "relay_params",
                                                               .params_bytes = sizeof(relay_params)});
    r->scratch =
        ww_resource_new(k, "scratch", &(ww_resource_options){.buffers = {{"data", 512}}, .work = work});
    r->there = signal(k, "there");
    r->on = signal(k, "on");
    r->back = signal(k, "back");
    ww_schedule_function *const schedules[] = {first, middle, last};
    static const char *const names[] = {"first", "middle", "last"};
    for (int i = 0; i < 3; i++)
        (void)ww_task_new(
            k, names[i],
            &(ww_task_options){.first_warp = i, .warps = 1, .schedule = schedules[i], .context = r});
    ww_kernel_unchecked(k); /* the last slot of `back` is left over; what is drawn matters here */
    char *bytes = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&bytes, &len);
    assert_non_null(out);
    ww_kernel_table(k, out);
    assert_int_equal(fclose(out), 0);
    text t = {0};
    text_add_n(&t, bytes, len);
    free(bytes);
    ww_kernel_free(k);
    return t;
}

static void check_has(const text *table, const char *wanted)
{
    if (!strstr(text_str(table), wanted))
        fail_msg("no \"%s\" in\n%s", wanted, strstr(text_str(table), "\nreuse"));
}

static void test_a_chain_over_a_third_task(void **state)
{
    (void)state;
    relay r = {.end = ww_arg(relay_params, trips, 0)};
    text table = table_of(&r);
    check_has(&table, "  scratch.data\n"
                      "    written by first.put (line 17), read by last.get (line 57)\n"
                      "      full   there.full (32 arrivals of commit line 18) -> middle: wait line 35 -> "
                      "on.full (32 arrivals of commit line 37) -> last: wait line 56\n"
                      "      empty  back.full (32 arrivals of commit line 60) -> first: wait line 14\n");
    text_free(&table);
}

/* Without the wait in the middle nobody tells the last task. */
static void test_a_chain_that_is_cut(void **state)
{
    (void)state;
    relay r = {.broken = true, .end = ww_arg(relay_params, trips, 0)};
    text table = table_of(&r);
    check_has(&table, "      full   no chain of barriers found\n"
                      "      empty  back.full (32 arrivals of commit line 60) -> first: wait line 14\n");
    text_free(&table);
}

/* ---- advice ------------------------------------------------------------------------------------------- */

typedef enum copy_fault { RIGHT, NO_ACQUIRE, NO_WAIT, READ_LATE, WRITTEN_LATE } copy_fault;

typedef struct copy {
    ww_resource *ring;
    ww_bound end;
    copy_fault fault;
} copy;

static void load(ww_schedule *s, void *context)
{
    copy *c = context;
    ww_domain_loop(s, ww_imm(0), c->end, ww_imm(1)) {
        if (c->fault != NO_ACQUIRE)
            ww_acquire(s, c->ring);
        if (c->fault != WRITTEN_LATE)
            ww_produce(s, c->ring, "put");
        ww_commit(s, c->ring);
        if (c->fault == WRITTEN_LATE)
            ww_produce(s, c->ring, "put");
    }
}

static void store(ww_schedule *s, void *context)
{
    copy *c = context;
    ww_domain_loop(s, ww_imm(0), c->end, ww_imm(1)) {
        if (c->fault != NO_WAIT)
            ww_wait(s, c->ring);
        if (c->fault != READ_LATE)
            ww_consume(s, c->ring, "get");
        ww_release(s, c->ring);
        if (c->fault == READ_LATE)
            ww_consume(s, c->ring, "get");
    }
}

/* The table from a heading on; "" where there is none. */
static text part_of_table(const char *heading, int stages, uint32_t bytes, ww_bound end, copy_fault fault)
{
    ww_kernel *k = ww_kernel_new("copy", &(ww_kernel_options){.body = "copy.cuh",
                                                              .params = "relay_params",
                                                              .params_bytes = sizeof(relay_params)});
    copy c = {.end = end, .fault = fault};
    c.ring = ww_resource_new(k, "ring",
                             &(ww_resource_options){.pipeline = ww_pipeline_async_async(.stages = stages),
                                                    .buffers = {{"data", bytes}},
                                                    .work = work});
    (void)ww_task_new(k, "load", &(ww_task_options){.warps = 1, .schedule = load, .context = &c});
    (void)ww_task_new(k, "store",
                      &(ww_task_options){.first_warp = 1, .warps = 1, .schedule = store, .context = &c});
    if (fault)
        ww_kernel_unchecked(k);
    assert_null(ww_kernel_check(k));
    char *bytes_of = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&bytes_of, &len);
    assert_non_null(out);
    ww_kernel_table(k, out);
    assert_int_equal(fclose(out), 0);
    text t = {0};
    const char *part = strstr(bytes_of, heading);
    text_add(&t, part ? part : "");
    free(bytes_of);
    ww_kernel_free(k);
    return t;
}

static void check_advice(int stages, uint32_t bytes, ww_bound end, const char *expected)
{
    text advice = part_of_table("\nadvice\n", stages, bytes, end, RIGHT);
    assert_string_equal(text_str(&advice), expected);
    text_free(&advice);
}

static void test_advice(void **state)
{
    (void)state;
    ww_bound any = ww_arg(relay_params, trips, 0);
    check_advice(4, 49152, any, ""); /* 4 x 49152 = 196608 of 232448 */
    check_advice(3, 49152, any,
                 "\nadvice\n  ring: 3 stages, and memory for 4; WW_STAGES_MAX takes what fits\n");
    check_advice(3, 512, any, "");         /* too small to matter */
    check_advice(2, 49152, ww_imm(2), ""); /* more would not be used either */
}

/* What the prover calls a race has no chain here, on the side where it is missing. */
static void check_sides(copy_fault fault, bool full, bool empty)
{
    text reuse = part_of_table("\nreuse of memory", 2, 49152, ww_arg(relay_params, trips, 0), fault);
    const char *no = "no chain of barriers found", *at = strstr(text_str(&reuse), "      full   ");
    assert_non_null(at);
    at += strlen("      full   ");
    if ((strncmp(at, no, strlen(no)) != 0) != full)
        fail_msg("fault %d:\n%s", (int)fault, text_str(&reuse));
    at = strstr(at, "      empty  ") + strlen("      empty  ");
    if ((strncmp(at, no, strlen(no)) != 0) != empty)
        fail_msg("fault %d:\n%s", (int)fault, text_str(&reuse));
    text_free(&reuse);
}

static void test_what_nothing_orders_has_no_chain(void **state)
{
    (void)state;
    check_sides(RIGHT, true, true);
    check_sides(NO_ACQUIRE, true, false);
    check_sides(NO_WAIT, false, true);
    check_sides(READ_LATE, false, true); /* the next slot, which nobody has waited for */
    check_sides(WRITTEN_LATE, true, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_chain_over_a_third_task),
        cmocka_unit_test(test_a_chain_that_is_cut),
        cmocka_unit_test(test_what_nothing_orders_has_no_chain),
        cmocka_unit_test(test_advice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
