/* The examples of docs/explain are true: what they call wrong gives the diagnostic that they stand for and no other, what
 * they call right gives none and is proved. Every row of diagnostics.def has one. */
#include "explain.h"

#include "model/model.h"
#include "prove/prove.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* A row without an example does not link. */
#define WW_DIAGNOSTIC(name, number, severity, title, explanation) extern const explain_case explain_##number;
#include "warpwright/diagnostics.def"
#undef WW_DIAGNOSTIC

static const explain_case *const cases[] = {
#define WW_DIAGNOSTIC(name, number, severity, title, explanation) &explain_##number,
#include "warpwright/diagnostics.def"
#undef WW_DIAGNOSTIC
};

/* ---- kernels ------------------------------------------------------------------------------------------ */

static ww_kernel *make(const explain_case *c, bool wrong)
{
    if (c->new_wrong)
        return wrong ? c->new_wrong() : c->new_right();
    const char *body = wrong ? c->body_wrong : c->body_right;
    ww_kernel *k = ww_kernel_new("example", &(ww_kernel_options){.arch = c->arch,
                                                                 .cluster = c->cluster,
                                                                 .body = body ? body : "example.cuh",
                                                                 .body_folder = WW_EXPLAIN_FOLDER,
                                                                 .params = "tile_params",
                                                                 .params_bytes = sizeof(tile_params)});
    (wrong ? c->wrong : c->right)(k);
    return k;
}

static void show(const explain_case *c, bool wrong, const char *what, const ww_diag *found)
{
    print_error("%d, the %s example: %s\n", (int)c->code, wrong ? "wrong" : "right", what);
    ww_diag_print(stderr, found);
}

/* ---- what is printed ---------------------------------------------------------------------------------- */

static bool has_region(const char *file, const char *which)
{
    char path[512], opening[32], line[256];
    (void)snprintf(path, sizeof path, WW_EXPLAIN_FOLDER "/%s", file);
    (void)snprintf(opening, sizeof opening, "/* %s: ", which);
    FILE *in = fopen(path, "r");
    if (!in)
        return false;
    bool opened = false, closed = false;
    while (fgets(line, sizeof line, in)) {
        closed |= opened && strstr(line, "/* end */");
        opened |= strstr(line, opening) != NULL;
    }
    (void)fclose(in);
    return closed;
}

/* What `ww explain` shows is what is tested here: in the file of that number or in the header that is compiled. */
static bool is_shown(const explain_case *c, const char *which, const char *body)
{
    char declared[16];
    (void)snprintf(declared, sizeof declared, "%d.c", (int)c->code);
    bool own = body && strncmp(body, declared, 3) == 0;
    bool shown = has_region(declared, which) || (own && has_region(body, which));
    if (!shown)
        print_error("%d has no region \"%s\"\n", (int)c->code, which);
    return shown;
}

static void test_regions(void **state)
{
    (void)state;
    int faults = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        faults += !is_shown(cases[i], "wrong", cases[i]->body_wrong) +
                  !is_shown(cases[i], "right", cases[i]->body_right);
    assert_int_equal(faults, 0);
}

/* ---- 1xx to 3xx: findings ----------------------------------------------------------------------------- */

static bool is_alone(const ww_diag *found, ww_code code)
{
    for (const ww_diag *d = found; d; d = d->next)
        if (d->code != code)
            return false;
    return found != NULL;
}

static void lose_a_fence(ww_kernel *k)
{
    for (size_t t = 0; t < k->program->tasks.len; t++)
        for (size_t i = 0; i < k->program->tasks.at[t].ops.len; i++)
            if (k->program->tasks.at[t].ops.at[i].kind == IR_FENCE) {
                k->program->tasks.at[t].ops.at[i].kind = IR_GRIDDEP_LAUNCH; /* does nothing in the prover */
                return;
            }
}

static const ww_diag *refutation(const explain_case *c, ww_kernel *k)
{
    if (!c->loses_a_fence)
        return ww_kernel_prove(k).refutation;
    lose_a_fence(k);
    return prove_program(k, k->program).refutation;
}

static bool wrong_is_found(const explain_case *c)
{
    ww_kernel *k = make(c, true);
    bool by_prover = (int)c->code >= 300;
    const ww_diag *found = ww_kernel_check(k);
    if (by_prover && !found)
        found = refutation(c, k);
    bool right = is_alone(found, c->code);
    if (!right)
        show(c, true, "does not give that code alone", found);
    ww_kernel_free(k);
    return right;
}

static bool right_is_clean(const explain_case *c)
{
    ww_kernel *k = make(c, false);
    const ww_diag *found = ww_kernel_check(k);
    ww_verdict v = ww_kernel_prove(k);
    bool proved = v.proved || (c->unmodelled && v.refutation->code == WW_UNPROVABLE);
    bool right = !found && proved;
    if (!right)
        show(c, false, "is refused", found ? found : v.refutation);
    ww_kernel_free(k);
    return right;
}

static void test_declarations(void **state)
{
    (void)state;
    int faults = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if ((int)cases[i]->code < 400)
            faults += !wrong_is_found(cases[i]) + !right_is_clean(cases[i]);
    assert_int_equal(faults, 0);
}

/* Without a compiler there is nothing to audit and nothing to run. */
static bool can_compile(void)
{
    ww_kernel *k = make(&explain_401, false);
    ww_run *r = ww_run_open(k, &(ww_run_options){.device = WW_DEVICE_NONE});
    const char *error = ww_run_error(r);
    bool can = !error || strncmp(error, "WW402", strlen("WW402")) != 0;
    ww_run_close(r);
    ww_kernel_free(k);
    return can;
}

/* ---- 4xx: findings in compiled bodies --------------------------------------------------------------------- */

/* Rules and prover have nothing to say of either: the body alone makes the difference. */
static bool audit_says(const explain_case *c, bool wrong)
{
    ww_kernel *k = make(c, wrong);
    const ww_diag *refused = ww_kernel_check(k);
    if (!refused)
        refused = ww_kernel_prove(k).refutation;
    ww_audit a = ww_kernel_audit(k);
    bool right = !refused && a.done && (wrong ? is_alone(a.findings, c->code) : !a.findings);
    if (!right)
        show(c, wrong, a.done ? a.listing : a.why_not, refused ? refused : a.findings);
    ww_kernel_free(k);
    return right;
}

static void test_audits(void **state)
{
    (void)state;
    if (!can_compile())
        skip();
    int faults = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (cases[i]->audited)
            faults += !audit_says(cases[i], true) + !audit_says(cases[i], false);
    assert_int_equal(faults, 0);
}

/* ---- 4xx and 5xx: messages of a run ------------------------------------------------------------------- */

/* Whether the run fails with a code: `code`, 0 for none. */
static bool runs_into(const explain_case *c, bool wrong, ww_code code)
{
    ww_kernel *k = make(c, wrong);
    ww_run *r = ww_run_open(k, &(ww_run_options){.device = WW_DEVICE_EMULATOR});
    void (*run)(ww_run *) = wrong ? c->run_wrong : c->run_right;
    if (run && !ww_run_error(r)) {
        run(r);
        ww_run_wait(r);
    }
    const char *error = ww_run_error(r);
    char prefix[16];
    (void)snprintf(prefix, sizeof prefix, "WW%d: ", (int)code);
    bool right = code ? error && strncmp(error, prefix, strlen(prefix)) == 0 : !error;
    if (!right)
        print_error("%d, the %s example: %s\n", (int)c->code, wrong ? "wrong" : "right",
                    error ? error : "no error");
    ww_run_close(r);
    ww_kernel_free(k);
    return right;
}

static void test_runs(void **state)
{
    (void)state;
    if (!can_compile())
        skip();
    int faults = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if ((int)cases[i]->code >= 400 && !cases[i]->audited)
            faults += !runs_into(cases[i], true, cases[i]->code) + !runs_into(cases[i], false, WW_NO_CODE);
    assert_int_equal(faults, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_regions),
        cmocka_unit_test(test_declarations),
        cmocka_unit_test(test_audits),
        cmocka_unit_test(test_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
