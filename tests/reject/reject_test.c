/* Runs all cases: each refused declaration gives exactly one diagnostic, to the letter and at the blamed line; each
 * accepted one gives none and is proved. Where only the prover can tell, its code is compared. Every code from 200 to 299
 * must have a case. */
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

static bool counts_bytes(ww_pipeline_type type)
{
    return type == WW_TMA_ASYNC || type == WW_TMA_WGMMA || type == WW_TMA_UMMA || type == WW_PEER_ASYNC;
}

ww_resource *reject_ring(ww_kernel *k, const char *name, ww_pipeline pipeline)
{
    if (!pipeline.stages)
        pipeline.stages = 2;
    const ww_work *work = counts_bytes(pipeline.type) ? tma_work : async_work;
    return ww_resource_new(
        k, name, &(ww_resource_options){.pipeline = pipeline, .buffers = {{"data", 1024, 0}}, .work = work});
}

ww_resource *reject_tokens(ww_kernel *k, const char *name)
{
    return ww_resource_new(k, name, &(ww_resource_options){.pipeline = ww_pipeline_async_async(.stages = 2)});
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

void reject_pinned(ww_kernel *k, const char *name, int first_warp, int warps, int cta,
                   ww_schedule_function *schedule, void *context)
{
    (void)ww_task_new(k, name,
                      &(ww_task_options){.first_warp = first_warp,
                                         .warps = warps,
                                         .only_cta = WW_ONLY_CTA(cta),
                                         .schedule = schedule,
                                         .context = context});
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

static bool differs(const char *what, const char *is, const char *should_be)
{
    if (strcmp(shown(is), shown(should_be)) == 0)
        return false;
    print_error("    %s:   \"%s\"\n    should be: \"%s\"\n", what, shown(is), shown(should_be));
    return true;
}

/* True when the diagnostic is the one that the case asks for, and the only one. */
static bool check_refusal(const reject_case *c, const ww_diag *d)
{
    if (!d) {
        print_error("    accepted\n");
        return false;
    }
    bool wrong = d->code != c->code || d->next || (c->code >= 200 && !d->hint);
    wrong |= differs("message", d->message, c->message);
    wrong |= differs("expected", d->expected, c->expected);
    wrong |= differs("found", d->found, c->found);
    wrong |= c->hint && differs("hint", d->hint, c->hint);
    if (d->place.line != reject_blamed.line || !d->place.file || !reject_blamed.file ||
        strcmp(d->place.file, reject_blamed.file) != 0) {
        print_error("    blamed: %s:%d\n", shown(reject_blamed.file), reject_blamed.line);
        wrong = true;
    }
    if (wrong)
        ww_diag_print(stderr, d);
    return !wrong;
}

static bool check_acceptance(const reject_case *c, ww_kernel *k)
{
    const ww_diag *d = ww_kernel_check(k);
    if (d) {
        print_error("    refused\n");
        ww_diag_print(stderr, d);
        return false;
    }
    ww_verdict v = ww_kernel_prove(k);
    if (v.proved || (c->setting.unmodelled && v.refutation->code == WW_UNPROVABLE))
        return true;
    print_error("    accepted and not proved\n");
    ww_diag_print(stderr, v.refutation);
    return false;
}

/* What the rules accept and the prover refutes; its messages have tests of their own (tests/prove). */
static bool check_refutation(const reject_case *c, ww_kernel *k)
{
    ww_verdict v = ww_kernel_prove(k);
    if (!ww_diag_count(ww_kernel_check(k), WW_ERROR) && v.refutation && v.refutation->code == c->code &&
        (!c->hint || !differs("hint", v.refutation->hint, c->hint)))
        return true;
    ww_diag_print(stderr, ww_kernel_check(k));
    ww_diag_print(stderr, v.refutation);
    print_error("    not refuted by the code\n");
    return false;
}

static bool check(const reject_case *c, ww_kernel *k)
{
    if (!c->code)
        return check_acceptance(c, k);
    bool right = c->code >= 300 ? check_refutation(c, k) : check_refusal(c, ww_kernel_check(k));
    bool warned = c->code < 300 && !ww_diag_count(ww_kernel_check(k), WW_ERROR);
    return right && warned == (ww_kernel_emit(k) != NULL); /* of what is refused no code is generated */
}

static bool run_case(const reject_case *c)
{
    const reject_setting *s = &c->setting;
    ww_kernel *k = ww_kernel_new("sample", &(ww_kernel_options){.arch = s->arch,
                                                                .cluster = s->cluster,
                                                                .pdl_wait_done = s->pdl_wait_done,
                                                                .body = "sample.cuh",
                                                                .params = "reject_params",
                                                                .params_bytes = sizeof(reject_params)});
    reject_blamed = (ww_place){NULL, 0};
    c->declare(k);
    bool right = check(c, k);
    ww_kernel_free(k);
    return right;
}

static void all_cases(void **unused)
{
    (void)unused;
    int wrong = 0;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        for (const reject_case *c = files[i]; c->name; c++) {
            print_message("  %s\n", c->name);
            wrong += !run_case(c);
        }
    assert_int_equal(wrong, 0);
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
    int rules = 0;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        if (codes[i] < 200 || codes[i] >= 300)
            continue;
        rules++;
        if (!has_case((ww_code)codes[i]))
            fail_msg("code %d has no case in this folder", codes[i]);
    }
    print_message("%d rules, each with a case that is refused\n", rules);
}

static void every_file_has_a_neighbour(void **unused)
{
    (void)unused;
    int all_accepted = 0, all_refused = 0;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        int accepted = 0, refused = 0;
        for (const reject_case *c = files[i]; c->name; c++) {
            accepted += !c->code;
            refused += c->code != 0;
        }
        assert_true(accepted && refused);
        all_accepted += accepted;
        all_refused += refused;
    }
    print_message("%d cases: %d refused, %d accepted\n", all_accepted + all_refused, all_refused,
                  all_accepted);
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
