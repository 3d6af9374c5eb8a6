/* Runs all cases: each refused declaration gives exactly one diagnostic, to the letter and at the blamed line; each
 * accepted one gives none and is proved. Every code from 200 to 299 must have a case. */
#include "reject.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* ---- pieces of declarations -------------------------------------------------------------------------- */

ww_place reject_blamed;

static const ww_work async_work[] = {{.name = "fill", .side = WW_PRODUCER},
                                     {.name = "use", .side = WW_CONSUMER},
                                     {.name = "touch", .side = WW_PRODUCER, .auxiliary = true},
                                     {.name = NULL}};
static const ww_work tma_work[] = {{.name = "fill", .side = WW_PRODUCER, .copies = {{"data", 1024}}},
                                   {.name = "use", .side = WW_CONSUMER},
                                   {.name = "touch", .side = WW_PRODUCER, .auxiliary = true},
                                   {.name = NULL}};
static const ww_work plain_work[] = {
    {.name = "get", .side = WW_CONSUMER}, {.name = "put", .side = WW_PRODUCER}, {.name = NULL}};

ww_resource *reject_ring(ww_kernel *k, const char *name, ww_pipeline pipeline)
{
    if (!pipeline.stages)
        pipeline.stages = 2;
    const ww_work *work = pipeline.type == WW_TMA_ASYNC ? tma_work : async_work;
    return ww_resource_new(
        k, name, &(ww_resource_options){.pipeline = pipeline, .buffers = {{"data", 1024, 0}}, .work = work});
}

ww_resource *reject_plain(ww_kernel *k, const char *name)
{
    return ww_resource_new(k, name, &(ww_resource_options){.work = plain_work});
}

void reject_task(ww_kernel *k, const char *name, int first_warp, int warps, ww_schedule_function *schedule,
                 void *context)
{
    (void)ww_task_new(
        k, name,
        &(ww_task_options){
            .first_warp = first_warp, .warps = warps, .schedule = schedule, .context = context});
}

void reject_producer(ww_schedule *s, void *ring)
{
    reject_loop(s)
    {
        ww_acquire(s, ring);
        ww_produce(s, ring, "fill");
        ww_commit(s, ring);
    }
}

void reject_consumer(ww_schedule *s, void *ring)
{
    reject_loop(s)
    {
        ww_wait(s, ring);
        ww_consume(s, ring, "use");
        ww_release(s, ring);
    }
}

/* ---- running the cases --------------------------------------------------------------------------------- */

static const reject_case *const files[] = {
#define REJECT_FILE(name) reject_##name,
#include "cases.def"
#undef REJECT_FILE
};

static const char *shown(const char *s)
{
    return s ? s : "(none)";
}

/* cmocka's assert_string_equal says which strings differ. */
static void check_refusal(const reject_case *c, const ww_diag *d)
{
    assert_non_null(d); /* accepted */
    if (!d)
        return;
    if (d->code != c->code || d->next || strcmp(shown(d->message), shown(c->message)) != 0 ||
        strcmp(shown(d->expected), shown(c->expected)) != 0 || strcmp(shown(d->found), shown(c->found)) != 0)
        ww_diag_print(stderr, d);
    assert_int_equal(d->code, c->code);
    assert_string_equal(shown(d->message), shown(c->message));
    assert_string_equal(shown(d->expected), shown(c->expected));
    assert_string_equal(shown(d->found), shown(c->found));
    assert_non_null(d->hint);
    assert_null(d->next);
    assert_string_equal(d->place.file, reject_blamed.file);
    assert_int_equal(d->place.line, reject_blamed.line);
}

static void check_acceptance(const reject_case *c, ww_kernel *k)
{
    const ww_diag *d = ww_kernel_check(k);
    if (d) {
        ww_diag_print(stderr, d);
        fail_msg("%s: refused", c->name);
    }
    ww_verdict v = ww_kernel_prove(k);
    if (!v.proved) {
        ww_diag_print(stderr, v.refutation);
        fail_msg("%s: accepted and not proved", c->name);
    }
}

static void run_case(const reject_case *c)
{
    ww_kernel *k = ww_kernel_new("sample", &(ww_kernel_options){.body = "sample.cuh",
                                                                .params = "reject_params",
                                                                .params_bytes = sizeof(reject_params)});
    reject_blamed = (ww_place){NULL, 0};
    c->declare(k);
    if (c->code) {
        check_refusal(c, ww_kernel_check(k));
        assert_null(ww_kernel_emit(k)); /* no code is generated */
    } else {
        check_acceptance(c, k);
    }
    ww_kernel_free(k);
}

static void all_cases(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        for (const reject_case *c = files[i]; c->name; c++) {
            print_message("  %s\n", c->name);
            run_case(c);
        }
}

static bool has_case(ww_code code)
{
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        for (const reject_case *c = files[i]; c->name; c++)
            if (c->code == code)
                return true;
    return false;
}

static void every_rule_has_a_case(void **unused)
{
    (void)unused;
    static const int codes[] = {
#define WW_DIAGNOSTIC(name, number, severity, title, explanation) (number),
#include "warpwright/diagnostics.def"
#undef WW_DIAGNOSTIC
    };
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (codes[i] >= 200 && codes[i] < 300 && !has_case((ww_code)codes[i]))
            fail_msg("code %d has no case in this folder", codes[i]);
}

static void every_file_has_a_neighbour(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        int accepted = 0, refused = 0;
        for (const reject_case *c = files[i]; c->name; c++) {
            accepted += !c->code;
            refused += c->code != 0;
        }
        assert_true(accepted && refused);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_cases),
        cmocka_unit_test(every_rule_has_a_case),
        cmocka_unit_test(every_file_has_a_neighbour),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
