/* Kernels broken on purpose, each by one edit of the TMA copy. Twice over: the rules refuse each before any code is
 * generated and name the place; and with the rules switched off, the emulator reports the hang, or the copy is wrong.
 * So the rules guard against something real. */
#include "warpwright/warpwright.h"
#include "tma_copy_params.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { ROWS = 23, COLUMNS = 256, STAGES = 4 };

typedef struct copy {
    ww_resource *input, *ring, *other, *output;
} copy;

static ww_bound rows(void)
{
    return ww_arg(struct tma_copy_params, rows, 0);
}

/* ---- schedules: the right ones, then the broken ones ------------------------------------------------ */

static void load(ww_schedule *s, void *context)
{
    copy *c = context;
    ww_domain_loop(s, ww_imm(0), rows(), ww_imm(1)) {
        ww_token x;
        ww_consume(s, c->input, "coords", .out = {&x});
        ww_acquire(s, c->ring);
        ww_produce(s, c->ring, "tma_load", .in = {x});
        ww_commit(s, c->ring);
    }
}

static void store(ww_schedule *s, void *context)
{
    copy *c = context;
    ww_domain_loop(s, ww_imm(0), rows(), ww_imm(1)) {
        ww_token item;
        ww_wait(s, c->ring);
        ww_consume(s, c->ring, "read", .out = {&item});
        ww_release(s, c->ring);
        ww_produce(s, c->output, "store", .in = {item});
    }
}

static void store_without_release(ww_schedule *s, void *context)
{
    copy *c = context;
    ww_domain_loop(s, ww_imm(0), rows(), ww_imm(1)) {
        ww_token item;
        ww_wait(s, c->ring);
        ww_consume(s, c->ring, "read", .out = {&item});
        ww_produce(s, c->output, "store", .in = {item});
    }
}

static void store_with_two_releases(ww_schedule *s, void *context)
{
    copy *c = context;
    ww_domain_loop(s, ww_imm(0), rows(), ww_imm(1)) {
        ww_token item;
        ww_wait(s, c->ring);
        ww_consume(s, c->ring, "read", .out = {&item});
        ww_release(s, c->ring);
        ww_release(s, c->ring);
        ww_produce(s, c->output, "store", .in = {item});
    }
}

static void load_with_commit_before_acquire(ww_schedule *s, void *context)
{
    copy *c = context;
    ww_domain_loop(s, ww_imm(0), rows(), ww_imm(1)) {
        ww_token x;
        ww_consume(s, c->input, "coords", .out = {&x});
        ww_commit(s, c->ring);
        ww_produce(s, c->ring, "tma_load", .in = {x});
        ww_acquire(s, c->ring);
    }
}

static void store_waiting_for_the_other(ww_schedule *s, void *context)
{
    copy *c = context;
    ww_domain_loop(s, ww_imm(0), rows(), ww_imm(1)) {
        ww_token item;
        ww_wait(s, c->other);
        ww_consume(s, c->ring, "read", .out = {&item});
        ww_release(s, c->ring);
        ww_produce(s, c->output, "store", .in = {item});
    }
}

/* ---- the kernel ------------------------------------------------------------------------------------- */

static const ww_work input_work[] = {{.name = "coords", .side = WW_CONSUMER, .out = {"int x"}}, {0}};
static const ww_work ring_work[] = {
    {.name = "tma_load", .side = WW_PRODUCER, .in = {"int x"}, .copies = {{"row", TMA_COPY_ROW_BYTES}}},
    {.name = "read", .side = WW_CONSUMER, .out = {"uint16_t item"}},
    {0},
};
static const ww_work output_work[] = {{.name = "store", .side = WW_PRODUCER, .in = {"uint16_t item"}}, {0}};

typedef struct variant {
    const char *name;
    ww_schedule_function *load, *store;
    ww_pipeline pipeline;
    ww_code code; /* of an error that must be among those reported; WW_NO_CODE: the kernel is right */
} variant;

static ww_resource *ring(ww_kernel *k, const char *name, ww_pipeline p)
{
    p.type = WW_TMA_ASYNC;
    p.stages = STAGES;
    return ww_resource_new(
        k, name,
        &(ww_resource_options){
            .type = "smem", .pipeline = p, .buffers = {{"row", TMA_COPY_ROW_BYTES, 128}}, .work = ring_work});
}

static ww_kernel *declare(const variant *v)
{
    copy c;
    ww_kernel *k =
        ww_kernel_new("broken", &(ww_kernel_options){.body = "tma_copy.cuh",
                                                     .body_folder = EXAMPLE_FOLDER,
                                                     .params = "tma_copy_params",
                                                     .params_bytes = sizeof(struct tma_copy_params)});
    c.input = ww_resource_new(k, "input", &(ww_resource_options){.work = input_work});
    c.ring = ring(k, "ring", v->pipeline);
    if (v->store == store_waiting_for_the_other)
        c.other = ring(k, "other", (ww_pipeline){.producer_arrivals = 1, .consumer_arrivals = 4});
    c.output = ww_resource_new(k, "output", &(ww_resource_options){.work = output_work});
    ww_task_new(k, "store", &(ww_task_options){.warps = 4, .schedule = v->store, .context = &c});
    ww_task_new(k, "load",
                &(ww_task_options){.first_warp = 4, .warps = 1, .schedule = v->load, .context = &c});
    return k;
}

static const variant variants[] = {
    {"right", load, store, {0}, WW_NO_CODE},
    {"a consumer that never releases", load, store_without_release, {.consumer_arrivals = 4}, WW_COVERAGE},
    {"a release too many", load, store_with_two_releases, {0}, WW_BRACKET},
    {"a wrong arrival count", load, store, {.consumer_arrivals = 5}, WW_ARRIVALS},
    {"wrong bytes", load, store, {.tx_bytes = 2 * TMA_COPY_ROW_BYTES}, WW_TX_BYTES},
    {"commit and acquire swapped", load_with_commit_before_acquire, store, {0}, WW_BRACKET},
    {"a wait on the wrong resource", load, store_waiting_for_the_other, {0}, WW_BRACKET},
};

/* ---- running ---------------------------------------------------------------------------------------- */

/* "" when the copy is right, else what is wrong with it: the run's error, or that the result differs. */
static const char *run_on_emulator(ww_kernel *k, char *why, size_t why_bytes)
{
    static uint16_t data[ROWS * COLUMNS], found[ROWS * COLUMNS];
    struct tma_copy_params params = {.rows = ROWS, .cols = COLUMNS, .pitch = COLUMNS};
    ww_run *r = ww_run_open(k, &(ww_run_options){.device = WW_DEVICE_EMULATOR});
    for (size_t i = 0; i < ROWS * COLUMNS; i++)
        data[i] = (uint16_t)(i * 40503u >> 3);
    uint64_t from = ww_run_alloc(r, sizeof data), to = ww_run_alloc(r, sizeof data);
    ww_run_upload(r, from, data, sizeof data);
    ww_run_tensor_map(r,
                      &(ww_tensor_2d){.element = WW_F16,
                                      .address = from,
                                      .rows = ROWS,
                                      .cols = COLUMNS,
                                      .row_bytes = COLUMNS * 2,
                                      .box_rows = 1,
                                      .box_cols = TMA_COPY_COLUMNS},
                      &params.from);
    params.to = (uint16_t *)to;
    ww_run_launch(r, &(ww_launch){.params = &params, .grid = {COLUMNS / TMA_COPY_COLUMNS, 1, 1}});
    ww_run_wait(r);
    ww_run_download(r, found, to, sizeof found);
    (void)snprintf(why, why_bytes, "%s",
                   ww_run_error(r)                         ? ww_run_error(r)
                   : memcmp(data, found, sizeof data) != 0 ? "the result differs"
                                                           : "");
    ww_run_close(r);
    return why;
}

static const ww_diag *find_error(const ww_diag *d, ww_code code)
{
    while (d && (d->severity != WW_ERROR || d->code != code))
        d = d->next;
    return d;
}

static void test_refused(void **state)
{
    (void)state;
    for (size_t i = 1; i < sizeof variants / sizeof *variants; i++) {
        ww_kernel *k = declare(&variants[i]);
        const ww_diag *d = find_error(ww_kernel_check(k), variants[i].code);
        print_message("%s: %s\n", variants[i].name, d ? d->message : "not refused");
        assert_non_null(d);
        assert_non_null(strstr(d->place.file, "broken_test.c"));
        assert_null(ww_kernel_emit(k));
        ww_kernel_free(k);
    }
}

static void test_harmful(void **state)
{
    (void)state;
    char why[16384];
    for (size_t i = 1; i < sizeof variants / sizeof *variants; i++) {
        ww_kernel *k = declare(&variants[i]);
        ww_kernel_unchecked(k);
        run_on_emulator(k, why, sizeof why);
        print_message("%s: %s\n", variants[i].name, why);
        assert_string_not_equal(why, "");
        ww_kernel_free(k);
    }
}

static void test_right(void **state)
{
    (void)state;
    char why[16384];
    ww_kernel *k = declare(&variants[0]);
    ww_diag_print(stdout, ww_kernel_check(k));
    assert_int_equal(ww_diag_count(ww_kernel_check(k), WW_ERROR), 0);
    assert_string_equal(run_on_emulator(k, why, sizeof why), "");
    ww_kernel_free(k);
}

/* The report of a hang says who waits on which barrier, with stage, parity and what is missing, by the author's names. */
static void test_deadlock_report(void **state)
{
    (void)state;
    char why[16384];
    ww_kernel *k = declare(&variants[1]);
    ww_kernel_unchecked(k);
    run_on_emulator(k, why, sizeof why);
    assert_non_null(strstr(why, "deadlock"));
    assert_non_null(strstr(why, "task load"));
    assert_non_null(strstr(why, "ring.empty[0]"));
    assert_non_null(strstr(why, "for parity 0: it is in a phase of parity 0, 4 of 4 arrivals pending"));
    ww_kernel_free(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_harmful),
        cmocka_unit_test(test_deadlock_report),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
