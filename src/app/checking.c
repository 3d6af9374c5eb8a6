/* check and prove, and what the other commands need of them: the kernel declared, its findings shown. Findings go to
 * stderr as text; with --format json they go into one object on stdout, and nothing else does. */
#include "app/command.h"
#include "app/findings.h"
#include "app/witness_file.h"

#include <stdio.h>

enum { TIMELINE_ROWS = 40 };

/* ---- shared steps ------------------------------------------------------------------------------------- */

ww_kernel *command_declare(const command_line *line)
{
    ww_kernel *k = line->app->declare(line->app->problem);
    for (int i = 0; i < line->suppressed_count; i++)
        ww_kernel_suppress_at((ww_place){0}, k, line->suppressed[i].code, line->suppressed[i].reason);
    if (line->unchecked)
        ww_kernel_unchecked(k);
    return k;
}

bool command_accepts(const command_line *line, ww_kernel *k)
{
    return ww_diag_count(ww_kernel_check(k), line->werror ? WW_WARNING : WW_ERROR) == 0;
}

bool command_report(const command_line *line, ww_kernel *k)
{
    const ww_diag *found = ww_kernel_check(k);
    bool accepted = command_accepts(line, k);
    ww_diag_print(stderr, found);
    if (!accepted && !ww_diag_count(found, WW_ERROR))
        (void)fprintf(stderr, "%s: warnings are errors here (--werror)\n", line->app->name);
    return accepted;
}

static int write_json(const command_line *line, ww_kernel *k, const ww_diag *refutation, const char *verdict,
                      const ww_verdict *proof)
{
    text out = {0};
    findings_write(&out, k, refutation, verdict, proof);
    int status = command_write(line, text_str(&out), out.len);
    text_free(&out);
    return status;
}

/* Nothing is passed over in silence: one line a finding, and the reason. */
static void print_suppressed(ww_kernel *k)
{
    for (const ww_diag *d = ww_kernel_suppressed(k); d; d = d->next) {
        printf("suppressed: ");
        if (d->place.file)
            printf("%s:%d: ", d->place.file, d->place.line);
        printf("WW%d %s: %s\n    reason: %s\n", (int)d->code, ww_code_name(d->code), d->message,
               d->suppressed);
    }
}

/* ---- check -------------------------------------------------------------------------------------------- */

static const char *check_verdict(const command_line *line, ww_kernel *k)
{
    if (!command_accepts(line, k))
        return "refused";
    return ww_kernel_is_unchecked(k) ? "unchecked" : "accepted";
}

static void print_summary(ww_kernel *k, double declare_ms, double check_ms)
{
    const ww_diag *found = ww_kernel_check(k);
    size_t errors = ww_diag_count(found, WW_ERROR),
           suppressed = ww_diag_count(ww_kernel_suppressed(k), WW_NOTE);
    printf("check: %s, %zu warnings", errors ? "errors" : "no errors",
           ww_diag_count(found, WW_WARNING) - errors);
    if (suppressed)
        printf(", %zu suppressed", suppressed);
    printf(" (declare %.3f ms, check %.3f ms)\n", declare_ms, check_ms);
    print_suppressed(k);
}

static bool list_accepts(const command_line *line, const ww_diag *list)
{
    return ww_diag_count(list, line->werror ? WW_WARNING : WW_ERROR) == 0;
}

/* The audit of an accepted kernel, if it was asked for. True if it has nothing to object. */
static bool audit_passes(const command_line *line, ww_kernel *k, ww_audit *audit)
{
    if (!line->audit || !command_accepts(line, k))
        return true;
    *audit = ww_kernel_audit(k);
    if (!audit->done)
        (void)fprintf(stderr, "%s: not audited: %s\n", line->app->name, audit->why_not);
    return audit->done && list_accepts(line, audit->findings);
}

static void print_audit(const ww_audit *a)
{
    if (!a->done)
        return;
    size_t errors = ww_diag_count(a->findings, WW_ERROR);
    printf(
        "audit: %s, %zu warnings; %u bodies, %u of them with something undecided (%.1f ms, of these compile "
        "%.1f ms%s)\n",
        errors ? "errors" : "no errors", ww_diag_count(a->findings, WW_WARNING) - errors, a->bodies,
        a->undecided, a->milliseconds, a->compile_ms, a->compiled_before ? " from the cache" : "");
}

int command_check(const command_line *line)
{
    double start = clock_ms();
    ww_kernel *k = command_declare(line);
    double declared = clock_ms();
    (void)ww_kernel_check(k);
    double checked = clock_ms();
    ww_audit audit = {0};
    bool passes = audit_passes(line, k, &audit);
    int status = !command_accepts(line, k) || !passes;
    if (line->json) {
        status |= write_json(line, k, audit.findings, passes ? check_verdict(line, k) : "refused", NULL);
    } else {
        (void)command_report(line, k);
        ww_diag_print(stderr, audit.findings);
        print_audit(&audit);
        print_summary(k, declared - start, checked - declared);
    }
    ww_kernel_free(k);
    return status;
}

/* ---- audit -------------------------------------------------------------------------------------------- */

int command_audit(const command_line *given)
{
    command_line line = *given;
    line.audit = true;
    ww_kernel *k = command_declare(&line);
    bool accepted = line.json ? command_accepts(&line, k) : command_report(&line, k);
    ww_audit audit = {0};
    bool passes = audit_passes(&line, k, &audit) && accepted;
    int status = !passes;
    if (line.json) {
        status |= write_json(&line, k, audit.findings, passes ? "accepted" : "refused", NULL);
    } else if (audit.done) {
        (void)fputs(audit.listing, stdout);
        ww_diag_print(stderr, audit.findings);
        print_audit(&audit);
        print_suppressed(k);
    }
    ww_kernel_free(k);
    return status;
}

/* ---- prove -------------------------------------------------------------------------------------------- */

/* What the prover did not model is neither proved nor refuted. */
static const char *prove_verdict(const ww_verdict *v, bool accepted)
{
    if (!accepted)
        return "refused";
    if (v->proved)
        return "proved";
    return v->refutation && v->refutation->code == WW_UNPROVABLE ? "unproved" : "refuted";
}

static void print_verdict(const ww_verdict *v, const char *verdict)
{
    const char *message = v->refutation ? v->refutation->message : "";
    if (v->proved)
        printf("prove: %u canonical runs, %llu events, period %u, %.3f ms\nverdict: PROVED %s\n", v->runs,
               (unsigned long long)v->events, v->period, v->milliseconds, v->covered);
    else
        printf("verdict: %s %s\n", strcmp(verdict, "unproved") == 0 ? "UNPROVED" : "REFUTED", message);
}

static void print_proof(const command_line *line, ww_kernel *k, const ww_verdict *v)
{
    bool accepted = command_report(line, k);
    if (accepted && !v->proved)
        ww_diag_print(stderr, v->refutation);
    size_t errors = ww_diag_count(ww_kernel_check(k), WW_ERROR);
    if (errors)
        printf("verdict: REFUSED %zu error%s of declaring or of the rules\n", errors, errors == 1 ? "" : "s");
    else if (!accepted)
        printf("verdict: REFUSED warnings are errors here (--werror)\n");
    else
        print_verdict(v, prove_verdict(v, accepted));
    if (v->witness)
        ww_witness_print(v->witness, stdout, line->timeline ? 0 : TIMELINE_ROWS);
    print_suppressed(k);
}

/* --witness; 1 when it cannot be written, or there is none. */
static int write_witness(const command_line *line, const ww_verdict *v)
{
    text out = {0};
    if (!line->witness)
        return 0;
    if (!v->witness) {
        (void)fprintf(stderr, "%s: there is no counterexample to write\n", line->witness);
        return !v->proved;
    }
    witness_write(&out, v->witness);
    bool ok = file_write(line->witness, text_str(&out), out.len);
    if (!ok)
        perror(line->witness);
    text_free(&out);
    return !ok;
}

int command_prove(const command_line *line)
{
    if (line->explore)
        return command_explore(line);
    ww_kernel *k = command_declare(line);
    if (line->to_check) {
        int refused = command_check_certificate(line, k);
        ww_kernel_free(k);
        return refused;
    }
    bool accepted = command_accepts(line, k);
    ww_verdict v = ww_kernel_prove(k);
    bool errors = ww_diag_count(ww_kernel_check(k), WW_ERROR) > 0; /* then v.refutation is these */
    int status = !accepted || !v.proved;
    if (line->json)
        status |= write_json(line, k, errors ? NULL : v.refutation, prove_verdict(&v, accepted),
                             accepted && v.proved ? &v : NULL);
    else
        print_proof(line, k, &v);
    status |= write_witness(line, &v);
    if (!status && line->certificate)
        status = command_certify(line, k);
    ww_kernel_free(k);
    return status;
}
