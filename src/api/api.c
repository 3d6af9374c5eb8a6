/* The public calls that walk through the layers: check, prove, emit, report. Each step is done once and kept.
 */
#include "capture/capture.h"
#include "api/run.h"
#include "certify/certify.h"
#include "emit/emit.h"
#include "lower/lower.h"
#include "prove/prove.h"
#include "report/report.h"
#include "verify/verify.h"

#include <stdio.h>

/* WW_DUMP=lower,emit prints what a pass made on stderr. */
static bool dump_wanted(const char *pass)
{
    const char *list = getenv("WW_DUMP");
    return list && strstr(list, pass);
}

/* What was declared badly is set aside: the rules look at the rest, so that the author hears of all at once. */
static void check_the_rest(ww_kernel *k)
{
    const verify_doubts *doubts = k->unchecked ? NULL : verify_set_aside(k);
    if (!doubts)
        return;
    ir_program *p = lower_kernel(k);
    verify_the_rest(k, p, doubts);
    lower_free(p);
}

/* Closes the declaration and lowers it, unless there are errors in it. */
static void close_declaration(ww_kernel *k)
{
    model_resolve(k);
    capture_complete(k);
    model_layout(k);
    k->last_declared = diag_list_last(&k->diags);
    if (ww_diag_count(k->diags.first, WW_ERROR)) {
        check_the_rest(k);
        return;
    }
    k->program = lower_kernel(k);
    if (dump_wanted("lower")) {
        text dump = {0};
        ir_dump(k->program, &dump);
        (void)fputs(text_str(&dump), stderr);
        text_free(&dump);
    }
    if (!k->unchecked)
        verify_kernel(k, k->program);
}

const ww_diag *ww_kernel_check(ww_kernel *k)
{
    if (!k->closed) {
        close_declaration(k);
        k->closed = true;
        model_suppress(k);
    }
    diag_list_settle(&k->diags);
    return k->diags.first;
}

const ww_diag *ww_kernel_suppressed(ww_kernel *k)
{
    (void)ww_kernel_check(k);
    return k->suppressed.first;
}

static bool has_errors(ww_kernel *k)
{
    return ww_diag_count(ww_kernel_check(k), WW_ERROR) > 0;
}

ww_verdict ww_kernel_prove(ww_kernel *k)
{
    if (has_errors(k))
        return (ww_verdict){.refutation = k->diags.first};
    if (!k->verdict) {
        k->verdict = arena_new(&k->arena, ww_verdict);
        *k->verdict = prove_program(k, k->program);
    }
    return *k->verdict;
}

static ww_certificate certificate_of(const certify_result *r, const char *spelled, double start)
{
    ww_certificate c = {.text = r->valid ? spelled : NULL,
                        .machines = (uint32_t)r->nodes,
                        .events = r->events,
                        .milliseconds = clock_ms() - start};
    (void)snprintf(c.why, sizeof c.why, "%s", r->why);
    return c;
}

ww_certificate ww_kernel_certify(ww_kernel *k)
{
    double start = clock_ms();
    text certificate = {0};
    certify_result r = {.why = "the kernel is not proved"};
    if (ww_kernel_prove(k).proved)
        r = certify_write(k, k->program, &certificate);
    ww_certificate c =
        certificate_of(&r, arena_strndup(&k->arena, text_str(&certificate), certificate.len), start);
    text_free(&certificate);
    return c;
}

ww_certificate ww_certificate_check(ww_kernel *k, const char *certificate, size_t length)
{
    double start = clock_ms();
    certify_result r = {.why = "the declaration has errors"};
    (void)ww_kernel_check(k); /* lowers it */
    if (k->program)
        r = certify_check(k, k->program, certificate, length);
    return certificate_of(&r, certificate, start);
}

/* A kernel that is not proved is not generated, unless its author allows what the prover does not model. A refutation
 * is never allowed. */
static bool may_be_emitted(ww_kernel *k)
{
    if (k->unchecked)
        return true;
    ww_verdict v = ww_kernel_prove(k);
    return v.proved || (k->options.allow_unproved && v.refutation && v.refutation->code == WW_UNPROVABLE);
}

const char *ww_kernel_emit(ww_kernel *k)
{
    if (k->cuda || has_errors(k))
        return k->cuda;
    if (!may_be_emitted(k))
        return NULL;
    text cuda = {0};
    emit_program(k->program, false, &cuda);
    k->cuda = arena_strndup(&k->arena, text_str(&cuda), cuda.len);
    text_free(&cuda);
    if (dump_wanted("emit"))
        (void)fputs(k->cuda, stderr);
    return k->cuda;
}

const char *api_emit_marked(ww_kernel *k)
{
    (void)ww_kernel_check(k);
    if (!k->program)
        return NULL;
    text cuda = {0};
    emit_program(k->program, true, &cuda);
    const char *kept = arena_strndup(&k->arena, text_str(&cuda), cuda.len);
    text_free(&cuda);
    return kept;
}

void ww_kernel_table(ww_kernel *k, FILE *out)
{
    (void)ww_kernel_check(k);
    if (k->program)
        report_table(k->program, out);
}

void ww_kernel_routes(ww_kernel *k, FILE *out)
{
    (void)ww_kernel_check(k);
    if (k->program)
        report_routes(k->program, out);
}

void ww_kernel_graph(ww_kernel *k, FILE *out)
{
    (void)ww_kernel_check(k);
    if (k->program)
        report_graph(k->program, out);
}

void ww_kernel_free(ww_kernel *k)
{
    if (!k)
        return;
    if (k->program)
        lower_free(k->program);
    for (size_t i = 0; i < k->tasks.len; i++) {
        vec_free(&k->tasks.at[i]->schedule->steps);
        vec_free(&k->tasks.at[i]->schedule->values);
        vec_free(&k->tasks.at[i]->schedule->open);
    }
    for (size_t i = 0; i < k->resources.len; i++)
        vec_free(&k->resources.at[i]->work);
    vec_free(&k->resources);
    vec_free(&k->tasks);
    vec_free(&k->edges);
    arena_free(&k->arena);
    free(k);
}
