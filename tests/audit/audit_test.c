/* Work bodies beside their rows: each case of cases.def is a row and the body of bodies.cuh that its name picks. The audit
 * finds nothing, or exactly the one thing that the case says, to the letter and at the call. Each code of the audit has cases
 * that it refuses, and each case of those a neighbour that it accepts. */
#include "warpwright/warpwright.h"
#include "audit_params.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* What the row is called in; zeros: a TmaAsync ring on Hopper, called in a task of one warp of eight. */
typedef struct setting {
    ww_pipeline_type type;
    ww_producer_op op;
    const char *arch;
    int registers; /* of the task */
    int warps;     /* of the task */
    bool plain;    /* a resource without a pipeline */
    bool proved;   /* rules and prover look at it, too, and the kernel itself is compiled */
} setting;

typedef struct audit_case {
    const char *name;
    ww_work row;
    setting in;
    ww_code code; /* 0: accepted */
    const char *message, *expected, *found;
    const char *undecided; /* what the listing says cannot be told; NULL: nothing */
    int constant;
} audit_case;

static const audit_case cases[] = {
#include "cases.def"
};

enum { CASES = sizeof cases / sizeof *cases };

/* ---- a kernel around a row ---------------------------------------------------------------------------------- */

static ww_place blamed;

typedef struct called {
    ww_resource *ring, *named;
    const audit_case *c;
} called;

#define BLAME (blamed = WW_HERE)

static void call(ww_schedule *s, void *context)
{
    const called *in = context;
    const ww_work *row = &in->c->row;
    int n = in->c->constant;
    ww_domain_loop(s, ww_imm(0), ww_arg(struct audit_params, trips, 0), ww_imm(1)) {
        if (row->side == WW_PRODUCER)
            BLAME, ww_produce(s, in->ring, row->name, .constants = {n});
        else
            BLAME, ww_consume(s, in->ring, row->name, .constants = {n});
    }
}

static void meet(ww_schedule *s, void *context)
{
    const called *in = context;
    ww_sync(s, in->named);
}

/* Rules and prover would say more of such kernels, which is not the matter here. */
static ww_kernel *declared(const audit_case *c, called *in)
{
    const char *arch = c->in.arch ? c->in.arch : "sm_90a";
    ww_kernel *k =
        ww_kernel_new("audited", &(ww_kernel_options){.arch = arch,
                                                      .body = "bodies.cuh",
                                                      .body_folder = TEST_FOLDER,
                                                      .params = "audit_params",
                                                      .params_bytes = sizeof(struct audit_params)});
    if (!c->in.proved)
        ww_kernel_unchecked(k);
    const ww_work work[] = {c->row, {0}};
    in->c = c;
    ww_pipeline ring = {.type = c->in.type ? c->in.type : WW_TMA_ASYNC, .stages = 2, .producer_op = c->in.op};
    in->ring =
        ww_resource_new(k, "ring",
                        &(ww_resource_options){.pipeline = c->in.plain ? (ww_pipeline){0} : ring,
                                               .buffers = {{"a", 1024}, {"b", 1024}},
                                               .tmem = {{c->in.arch ? "sums" : NULL, c->in.arch ? 32 : 0}},
                                               .work = work});
    in->named = ww_named_barrier_new(k, "named", 0);
    int warps = c->in.warps ? c->in.warps : 1;
    ww_task_new(
        k, "caller",
        &(ww_task_options){.warps = warps, .registers = c->in.registers, .schedule = call, .context = in});
    if (warps < 8)
        ww_task_new(k, "others",
                    &(ww_task_options){.first_warp = 4, .warps = 4, .schedule = meet, .context = in});
    return k;
}

/* ---- one case ------------------------------------------------------------------------------------------------ */

static bool same_text(const char *expected, const char *found)
{
    return !expected || (found && strcmp(expected, found) == 0);
}

/* At the call, with the table's place beside it; what is said of the whole kernel, anywhere. */
static bool is_placed(const audit_case *c, const ww_diag *d)
{
    return c->code == WW_LOCAL_MEMORY || (d->place.line == blamed.line && d->related.file);
}

static bool is_the_one(const audit_case *c, const ww_diag *d)
{
    return d && !d->next && d->code == c->code && same_text(c->message, d->message) &&
           same_text(c->expected, d->expected) && same_text(c->found, d->found) && is_placed(c, d);
}

static bool says_undecided(const audit_case *c, const ww_audit *a)
{
    const char *at = strstr(a->listing, "undecided: ");
    if (!c->undecided || !at)
        return !c->undecided && !at && !a->undecided;
    return a->undecided == 1 && strncmp(at + strlen("undecided: "), c->undecided, strlen(c->undecided)) == 0;
}

static bool run_case(const audit_case *c)
{
    called in = {0};
    ww_kernel *k = declared(c, &in);
    ww_audit a = ww_kernel_audit(k);
    bool right = a.done && a.bodies == 1 && (c->code ? is_the_one(c, a.findings) : !a.findings) &&
                 (c->code || says_undecided(c, &a));
    if (!right) {
        print_error("    should be: WW%d \"%s\"; not \"%s\"\n    %s", (int)c->code,
                    c->message ? c->message : "", a.done ? "" : a.why_not, a.listing);
        ww_diag_print(stderr, a.findings ? a.findings : ww_kernel_check(k));
    }
    ww_kernel_free(k);
    return right;
}

static void all_cases(void **unused)
{
    (void)unused;
    int wrong = 0;
    for (size_t i = 0; i < CASES; i++) {
        print_message("  %s\n", cases[i].name);
        wrong += !run_case(&cases[i]);
    }
    assert_int_equal(wrong, 0);
}

static void every_code_has_a_case(void **unused)
{
    (void)unused;
    static const int codes[] = {
#define WW_DIAGNOSTIC(name, number, severity, title, explanation) (number),
#include "warpwright/diagnostics.def"
#undef WW_DIAGNOSTIC
    };
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        bool found = codes[i] < WW_BODY_COPIES || codes[i] >= 500;
        for (size_t j = 0; j < CASES; j++)
            found |= (int)cases[j].code == codes[i];
        if (!found)
            fail_msg("code %d has no case in cases.def", codes[i]);
    }
}

/* "copies: by all": cases of one kind have one beginning. */
static bool same_kind(const audit_case *a, const audit_case *b)
{
    size_t n = strcspn(a->name, ":");
    return strncmp(a->name, b->name, n + 1) == 0;
}

static void every_kind_has_a_neighbour(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < CASES; i++) {
        bool accepted = false, refused = false;
        for (size_t j = 0; j < CASES; j++)
            if (same_kind(&cases[i], &cases[j])) {
                accepted |= !cases[j].code;
                refused |= cases[j].code != 0;
            }
        if (!accepted || !refused)
            fail_msg("%s: no neighbour", cases[i].name);
    }
}

/* ---- the calls around it --------------------------------------------------------------------------------------- */

static const audit_case *case_named(const char *name)
{
    for (size_t i = 0; i < CASES; i++)
        if (strcmp(cases[i].name, name) == 0)
            return &cases[i];
    fail_msg("no case %s", name);
    return NULL;
}

/* Once, however often it is asked for; and the kernel's own CUDA is what it was. */
static void done_once(void **unused)
{
    (void)unused;
    called in = {0}, other = {0};
    const audit_case *c = case_named("copies: both");
    ww_kernel *k = declared(c, &in), *unaudited = declared(c, &other);
    ww_audit first = ww_kernel_audit(k), second = ww_kernel_audit(k);
    assert_true(first.done);
    assert_ptr_equal(first.listing, second.listing);
    assert_string_equal(ww_kernel_emit(k), ww_kernel_emit(unaudited));
    ww_kernel_free(k);
    ww_kernel_free(unaudited);
}

static void suppressed(void **unused)
{
    (void)unused;
    called in = {0};
    ww_kernel *k = declared(case_named("fence: of all memory"), &in);
    ww_kernel_suppress(k, WW_BODY_FENCE, "the copy reads global memory that we wrote");
    ww_audit a = ww_kernel_audit(k);
    assert_true(a.done);
    assert_null(a.findings);
    assert_int_equal(ww_kernel_suppressed(k)->code, WW_BODY_FENCE);
    ww_kernel_free(k);
}

static void an_idle_suppression_is_a_warning(void **unused)
{
    (void)unused;
    called in = {0};
    ww_kernel *k = declared(case_named("local: a hundred values"), &in);
    ww_kernel_suppress(k, WW_BODY_FENCE, "in case"), BLAME;
    assert_null(ww_kernel_check(k));
    ww_audit a = ww_kernel_audit(k);
    assert_true(a.done);
    assert_int_equal(a.findings->code, WW_IDLE_SUPPRESSION);
    assert_string_equal(a.findings->message,
                        "the suppression of WW410 body-fence hides nothing in kernel audited");
    assert_int_equal(a.findings->place.line, blamed.line);
    assert_string_equal(a.findings->found, "none");
    assert_null(a.findings->next);
    ww_kernel_free(k);
}

/* An error of the audit is not a matter of taste. */
static void errors_stand(void **unused)
{
    (void)unused;
    called in = {0};
    ww_kernel *k = declared(case_named("copies: none"), &in);
    ww_kernel_suppress(k, WW_BODY_COPIES, "no");
    assert_int_equal(ww_kernel_check(k)->code, WW_SUPPRESSION);
    ww_kernel_free(k);
}

static void not_compiled(void **unused)
{
    (void)unused;
    called in = {0};
    const audit_case c = {.row = {.name = "nowhere", .side = WW_CONSUMER}};
    ww_kernel *k = declared(&c, &in);
    ww_audit a = ww_kernel_audit(k);
    assert_false(a.done);
    assert_memory_equal(a.why_not, "WW401", 5);
    assert_non_null(strstr(a.why_not, "ring_nowhere"));
    ww_kernel_free(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_has_a_case),
        cmocka_unit_test(all_cases),
        cmocka_unit_test(every_kind_has_a_neighbour),
        cmocka_unit_test(done_once),
        cmocka_unit_test(suppressed),
        cmocka_unit_test(errors_stand),
        cmocka_unit_test(an_idle_suppression_is_a_warning),
        cmocka_unit_test(not_compiled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
