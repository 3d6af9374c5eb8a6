/* judge: one kernel after the other is checked, proved and emitted, and what came of it is compared with
 * what was expected. Disagreements are counted by their kind, each with its first example. */
#include "matrix.h"

#include <inttypes.h>

enum { MOST_CODE = 600 };

/* All kernels that were to give one set of codes and gave another. */
typedef struct disagreement {
    text kind, example;
    uint32_t count;
} disagreement;

struct judge {
    compiler *compiler;
    VEC(disagreement) disagreements;
    uint32_t declared, legal, refused, proved, unproved, emitted;
    uint32_t of_code[MOST_CODE]; /* kernels refused for this reason, as expected */
    text unproved_example, longest_proof;
    double check_ms, prove_ms, emit_ms, longest_proof_ms;
};

judge *judge_new(bool keep)
{
    judge *j = base_alloc(sizeof *j);
    *j = (judge){.compiler = compiler_new(keep)};
    return j;
}

void judge_free(judge *j)
{
    disagreement *d;
    vec_each(d, &j->disagreements) {
        text_free(&d->kind);
        text_free(&d->example);
    }
    vec_free(&j->disagreements);
    text_free(&j->unproved_example);
    text_free(&j->longest_proof);
    compiler_free(j->compiler);
    free(j);
}

/* ---- one kernel ------------------------------------------------------------------------------------ */

static void add_errors(code_set *set, const ww_diag *list)
{
    for (const ww_diag *d = list; d; d = d->next)
        if (d->severity == WW_ERROR)
            codes_add(set, d->code);
}

static const ww_diag *first_error(const ww_diag *list)
{
    while (list && list->severity != WW_ERROR)
        list = list->next;
    return list;
}

static bool as_expected(const expectation *e, const code_set *found)
{
    for (int i = 0; i < found->count; i++)
        if (!codes_have(&e->codes, found->at[i]))
            return false;
    return e->declared ? found->count == e->codes.count : !e->codes.count || found->count;
}

static void disagree(judge *j, const expectation *e, const code_set *found, const char *what,
                     const ww_diag *why)
{
    text kind = {0};
    text_add(&kind, "expected ");
    codes_text(&e->codes, &kind);
    text_add(&kind, "; found ");
    codes_text(found, &kind);
    disagreement *d;
    vec_each(d, &j->disagreements)
        if (strcmp(text_str(&d->kind), text_str(&kind)) == 0) {
            d->count++;
            text_free(&kind);
            return;
        }
    disagreement fresh = {.kind = kind, .count = 1};
    text_printf(&fresh.example, "%s\n", what);
    if (why)
        text_printf(&fresh.example, "        WW%d: %.*s\n", (int)why->code, 400, why->message);
    if (why && why->expected)
        text_printf(&fresh.example, "        expected %.*s\n", 300, why->expected);
    if (why && why->found)
        text_printf(&fresh.example, "        found    %.*s\n", 300, why->found);
    vec_push(&j->disagreements, fresh);
}

/* The errors of check, or else of the prover; what it does not model is no error. */
static code_set codes_of(judge *j, ww_kernel *k, const char *what, const ww_diag **why)
{
    code_set found = {0};
    double start = clock_ms();
    *why = first_error(ww_kernel_check(k));
    j->check_ms += clock_ms() - start;
    add_errors(&found, *why);
    if (found.count)
        return found;
    start = clock_ms();
    ww_verdict v = ww_kernel_prove(k);
    double took = clock_ms() - start;
    j->prove_ms += took;
    if (took > j->longest_proof_ms) {
        j->longest_proof_ms = took;
        j->longest_proof.len = 0;
        text_add(&j->longest_proof, what);
    }
    if (v.proved) {
        j->proved++;
    } else if (v.refutation && v.refutation->code == WW_UNPROVABLE) {
        if (!j->unproved++)
            text_printf(&j->unproved_example, "%s: %s", what, v.refutation->message);
    } else {
        *why = v.refutation;
        add_errors(&found, v.refutation);
    }
    return found;
}

static void emit(judge *j, ww_kernel *k, const char *arch, const char *what)
{
    static const expectation legal;
    double start = clock_ms();
    const char *cuda = ww_kernel_emit(k);
    j->emit_ms += clock_ms() - start;
    if (cuda) {
        j->emitted++;
        compiler_add(j->compiler, arch, cuda, what);
    } else {
        code_set none = {0};
        disagree(j, &legal, &none, what, NULL);
    }
}

void judge_kernel(judge *j, ww_kernel *k, const char *arch, const expectation *expected, const char *what)
{
    const ww_diag *why = NULL;
    code_set found = codes_of(j, k, what, &why);
    j->declared++;
    if (!as_expected(expected, &found)) {
        disagree(j, expected, &found, what, why);
    } else if (expected->codes.count) {
        j->refused++;
        for (int i = 0; i < found.count; i++)
            j->of_code[found.at[i]]++;
    } else {
        j->legal++;
        emit(j, k, arch, what);
    }
    ww_kernel_free(k);
}

/* ---- all of them ----------------------------------------------------------------------------------- */

bool judge_compile(judge *j, size_t step)
{
    return compiler_run(j->compiler, step);
}

static void report_codes(const judge *j)
{
    for (int code = 0; code < MOST_CODE; code++)
        if (j->of_code[code])
            (void)printf("    %6" PRIu32 "  WW%d %s\n", j->of_code[code], code, ww_code_title((ww_code)code));
}

bool judge_report(judge *j, double seconds)
{
    (void)printf("%" PRIu32 " kernels declared: %" PRIu32 " legal, %" PRIu32
                 " refused as they ought to be, of which for\n",
                 j->declared, j->legal, j->refused);
    report_codes(j);
    (void)printf("proved %" PRIu32 ", not modelled %" PRIu32 ", emitted %" PRIu32
                 "; checking took %.2f s, proving %.2f s, "
                 "emitting %.2f s\n    the longest proof took %.0f ms: %s\n",
                 j->proved, j->unproved, j->emitted, j->check_ms / 1e3, j->prove_ms / 1e3, j->emit_ms / 1e3,
                 j->longest_proof_ms, text_str(&j->longest_proof));
    if (j->unproved)
        (void)printf("    not modelled, for example: %s\n", text_str(&j->unproved_example));
    compiler_report(j->compiler);
    uint32_t disagreements = 0;
    const disagreement *d;
    vec_each(d, &j->disagreements) {
        (void)printf("DISAGREEMENT, %" PRIu32 " kernels: %s\n    for example: %s", d->count,
                     text_str(&d->kind), text_str(&d->example));
        disagreements += d->count;
    }
    size_t failures = compiler_failures(j->compiler);
    (void)printf("%" PRIu32 " disagreements, %zu kernels that do not compile, %.1f s\n", disagreements,
                 failures, seconds);
    return !disagreements && !failures;
}
