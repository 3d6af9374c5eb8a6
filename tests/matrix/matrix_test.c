/* matrix_test: every pipeline type, in one CTA, in pairs and in clusters, with every signalling, stride,
 * look-ahead, number of stages and architecture. What is legal is proved, emitted, compiled by NVRTC and
 * assembled; what is not is refused with the diagnostic that it ought to have.
 *
 *     matrix_test         a sample with every two values together
 *     matrix_test full    every legal combination: takes the better part of an hour
 *     matrix_test full N  likewise, but of the kernels that differ every Nth alone is compiled; 0: none
 *     matrix_test rows    only what stands beside the matrix: groups, queues, barriers without data, counts
 *     matrix_test N       combination number N alone, its diagnostics and its CUDA printed
 *     matrix_test NAME    likewise the rows whose names contain this
 *
 * Exits 77 (skipped) where there is no compiler. */
#include "sample.h"

#include <inttypes.h>
#include <stdio.h>

enum { SKIPPED = 77 };

static ww_kernel *declare(const combination *c)
{
    form f = matrix_form(c);
    ww_kernel *k = matrix_kernel_new(f.arch, f.cluster);
    kernel_declare(k, &f);
    return k;
}

static void judge_combination(judge *j, uint32_t index)
{
    combination c = matrix_at(index);
    expectation e = matrix_expected(&c);
    text what = {0};
    text_printf(&what, "%" PRIu32 ": ", index);
    matrix_text(&c, &what);
    judge_kernel(j, declare(&c), matrix_form(&c).arch, &e, text_str(&what));
    text_free(&what);
}

static void judge_matrix(judge *j, bool full)
{
    sample s = full ? sample_full() : sample_pairs();
    (void)printf("the matrix has %" PRIu32 " combinations: %" PRIu32 " legal, %" PRIu32
                 " illegal for one reason, %" PRIu32
                 " for several; %zu of them are tried, from %zu classes\n",
                 matrix_size(), s.legal, s.one_reason, s.more_reasons, s.indexes.len, s.classes);
    for (size_t i = 0; i < s.indexes.len; i++)
        judge_combination(j, s.indexes.at[i]);
    sample_free(&s);
}

static ww_kernel *declare_row(const row *r)
{
    ww_kernel *k = matrix_kernel_new(r->arch, r->cluster);
    r->declare(k, r);
    return k;
}

static void free_rows(row_list *rows)
{
    row *r;
    vec_each(r, rows)
        text_free(&r->name);
    vec_free(rows);
}

static void judge_rows(judge *j)
{
    row_list rows = {0};
    rows_add_groups(&rows);
    size_t groups = rows.len;
    rows_add_counts(&rows);
    size_t counts = rows.len - groups;
    rows_add_queues(&rows);
    size_t queues = rows.len - counts - groups;
    rows_add_splits(&rows);
    rows_add_singles(&rows);
    (void)printf("besides %zu groups, %zu stated counts, %zu persistent kernels, %zu single rows\n", groups,
                 counts, queues, rows.len - queues - counts - groups);
    const row *r;
    vec_each(r, &rows)
        judge_kernel(j, declare_row(r), r->arch, &r->expected, text_str(&r->name));
    free_rows(&rows);
}

/* ---- one of them, in full -------------------------------------------------------------------------- */

static void show(const char *what, const expectation *e, ww_kernel *k)
{
    text codes = {0};
    codes_text(&e->codes, &codes);
    (void)printf("%s: expected %s\n", what, text_str(&codes));
    text_free(&codes);
    ww_diag_print(stdout, ww_kernel_check(k));
    ww_verdict v = ww_kernel_prove(k);
    if (v.proved)
        (void)printf("proved: %s\n", v.covered);
    else
        ww_diag_print(stdout, v.refutation);
    const char *cuda = ww_kernel_emit(k);
    (void)printf("%s\n", cuda ? cuda : "nothing is emitted");
    ww_kernel_free(k);
}

static int show_combination(uint32_t index)
{
    combination c = matrix_at(index);
    expectation e = matrix_expected(&c);
    text what = {0};
    matrix_text(&c, &what);
    show(text_str(&what), &e, declare(&c));
    text_free(&what);
    return EXIT_SUCCESS;
}

static int show_rows(const char *name)
{
    row_list rows = {0};
    rows_add_groups(&rows);
    rows_add_counts(&rows);
    rows_add_queues(&rows);
    rows_add_splits(&rows);
    rows_add_singles(&rows);
    const row *r;
    vec_each(r, &rows)
        if (strstr(text_str(&r->name), name))
            show(text_str(&r->name), &r->expected, declare_row(r));
    free_rows(&rows);
    return EXIT_SUCCESS;
}

/* ---- all ------------------------------------------------------------------------------------------- */

static bool is(const char *mode, const char *name)
{
    return strcmp(mode, name) == 0;
}

/* step: every which of the different kernels is compiled; 0: none. */
static int run(const char *mode, size_t step)
{
    double start = clock_ms();
    bool full = is(mode, "full");
    judge *j = judge_new(!full);
    if (!is(mode, "rows"))
        judge_matrix(j, full);
    judge_rows(j);
    bool compiled = !step || judge_compile(j, step);
    bool ok = judge_report(j, (clock_ms() - start) / 1e3);
    judge_free(j);
    return !ok ? EXIT_FAILURE : compiled ? EXIT_SUCCESS : SKIPPED;
}

int main(int argc, char **argv)
{
    static const char *const modes[] = {"", "full", "rows"};
    const char *mode = argc > 1 ? argv[1] : "";
    (void)setvbuf(stdout, NULL, _IOLBF, 0); /* the full matrix takes its time */
    for (size_t i = 0; i < ARRAY_LEN(modes); i++)
        if (is(mode, modes[i]))
            return run(mode, argc > 2 ? strtoul(argv[2], NULL, 10) : 1);
    if (*mode >= '0' && *mode <= '9')
        return show_combination((uint32_t)strtoul(mode, NULL, 10));
    return show_rows(mode);
}
