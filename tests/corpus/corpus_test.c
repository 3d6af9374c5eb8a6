/* Runs all cases and prints how many. Each bug of corpus.def has its cases in the file that it names, each case a bug of
 * the list, and docs/corpus.md a row for each bug, with its link and the codes of its cases. */
#include "corpus.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* ---- pieces of declarations -------------------------------------------------------------------------- */

static const ww_work threads_work[] = {
    {.name = "fill", .side = WW_PRODUCER}, {.name = "use", .side = WW_CONSUMER}, {.name = NULL}};
static const ww_work copies_work[] = {{.name = "fill", .side = WW_PRODUCER, .copies = {{"data", 1024}}},
                                      {.name = "use", .side = WW_CONSUMER},
                                      {.name = NULL}};
static const ww_work plain_work[] = {{.name = "get", .side = WW_CONSUMER},
                                     {.name = "test", .side = WW_CONSUMER, .out = {"bool yes"}},
                                     {.name = NULL}};

static bool counts_bytes(ww_pipeline_type type)
{
    return type == WW_TMA_ASYNC || type == WW_TMA_WGMMA || type == WW_TMA_UMMA || type == WW_PEER_ASYNC;
}

ww_resource *corpus_ring(ww_kernel *k, const char *name, ww_pipeline pipeline)
{
    if (!pipeline.stages)
        pipeline.stages = 2;
    const ww_work *work = counts_bytes(pipeline.type) ? copies_work : threads_work;
    return ww_resource_new(
        k, name, &(ww_resource_options){.pipeline = pipeline, .buffers = {{"data", 1024}}, .work = work});
}

ww_resource *corpus_plain(ww_kernel *k, const char *name)
{
    return ww_resource_new(k, name, &(ww_resource_options){.work = plain_work});
}

void corpus_task(ww_kernel *k, const char *name, int first_warp, int warps, ww_schedule_function *schedule,
                 void *context)
{
    (void)ww_task_new(
        k, name,
        &(ww_task_options){
            .first_warp = first_warp, .warps = warps, .schedule = schedule, .context = context});
}

void corpus_fill(ww_schedule *s, ww_resource *ring)
{
    ww_acquire(s, ring);
    ww_produce(s, ring, "fill");
    ww_commit(s, ring);
}

void corpus_use(ww_schedule *s, ww_resource *ring)
{
    ww_wait(s, ring);
    ww_consume(s, ring, "use");
    ww_release(s, ring);
}

void corpus_producer(ww_schedule *s, void *ring)
{
    corpus_loop(s)
    {
        corpus_fill(s, ring);
    }
}

void corpus_consumer(ww_schedule *s, void *ring)
{
    corpus_loop(s)
    {
        corpus_use(s, ring);
    }
}

/* ---- the list ------------------------------------------------------------------------------------------ */

typedef struct bug {
    const char *number, *link, *what;
    const corpus_case *cases;
} bug;

static const bug bugs[] = {
#define CORPUS_BUG(number, link, what, file) {number, link, what, corpus_##file},
#include "corpus.def"
#undef CORPUS_BUG
};

static const corpus_case *const files[] = {
#define CORPUS_FILE(name) corpus_##name,
#include "corpus.def"
#undef CORPUS_FILE
};

enum { BUGS = sizeof bugs / sizeof *bugs, FILES = sizeof files / sizeof *files };

/* ---- one case ------------------------------------------------------------------------------------------ */

static ww_kernel *declared(const corpus_case *c, void (*declare)(ww_kernel *k))
{
    ww_kernel *k =
        ww_kernel_new("sample", &(ww_kernel_options){.arch = c->arch,
                                                     .cluster = c->cluster,
                                                     .body = c->audited ? "bodies.cuh" : "sample.cuh",
                                                     .body_folder = CORPUS_FOLDER,
                                                     .params = "corpus_params",
                                                     .params_bytes = sizeof(corpus_params)});
    declare(k);
    return k;
}

/* What is said of the faulty form: by the rules, or, where they say nothing, by the prover. */
static bool is_refused(const corpus_case *c, ww_kernel *k)
{
    const ww_diag *d = ww_kernel_check(k);
    if (!d)
        d = ww_kernel_prove(k).refutation;
    if (d && d->code == c->code && strncmp(d->message, c->message, strlen(c->message)) == 0)
        return !ww_kernel_emit(k);
    print_error("    should be: WW%d \"%s\"\n", (int)c->code, c->message);
    ww_diag_print(stderr, d);
    return false;
}

static bool emits(const corpus_case *c, const char *code)
{
    for (size_t i = 0; i < CORPUS_LINES && c->emits[i]; i++) {
        const char *at = strstr(code, c->emits[i]);
        if (!at) {
            print_error("    not in the code, or not in this order: %s\n%s", c->emits[i], code);
            return false;
        }
        code = at + strlen(c->emits[i]);
    }
    return true;
}

static bool is_accepted(const corpus_case *c, ww_kernel *k)
{
    const ww_diag *d = ww_kernel_check(k);
    if (!d)
        d = ww_kernel_prove(k).refutation;
    if (d) {
        print_error("    the twin is refused\n");
        ww_diag_print(stderr, d);
        return false;
    }
    const char *code = ww_kernel_emit(k);
    return code && emits(c, code);
}

/* Right as a declaration; a body is what is faulty. */
static bool is_found_out(const corpus_case *c, ww_kernel *k)
{
    if (!is_accepted(c, k))
        return false;
    ww_audit a = ww_kernel_audit(k);
    const ww_diag *d = a.findings;
    if (d && d->code == c->code && strncmp(d->message, c->message, strlen(c->message)) == 0)
        return true;
    print_error("    the audit should say: WW%d \"%s\"; %s\n", (int)c->code, c->message,
                a.done ? "" : a.why_not);
    ww_diag_print(stderr, d);
    return false;
}

static bool has_right_bodies(const corpus_case *c, ww_kernel *k)
{
    if (!is_accepted(c, k))
        return false;
    ww_audit a = ww_kernel_audit(k);
    if (!a.done)
        print_error("    not audited: %s\n", a.why_not);
    ww_diag_print(stderr, a.findings);
    return a.done && !a.findings;
}

static bool holds(const corpus_case *c, void (*declare)(ww_kernel *k),
                  bool (*test)(const corpus_case *c, ww_kernel *k))
{
    ww_kernel *k = declared(c, declare);
    bool right = test(c, k);
    ww_kernel_free(k);
    return right;
}

static bool run_case(const corpus_case *c)
{
    print_message("  %s: %s\n", c->bug, c->name);
    bool right = !c->faulty || holds(c, c->faulty, c->audited ? is_found_out : is_refused);
    return holds(c, c->twin, c->audited ? has_right_bodies : is_accepted) && right;
}

static void all_cases(void **unused)
{
    (void)unused;
    int refused = 0, accepted = 0, wrong = 0;
    for (size_t i = 0; i < FILES; i++)
        for (const corpus_case *c = files[i]; c->bug; c++) {
            refused += c->faulty != NULL;
            accepted++;
            wrong += !run_case(c);
        }
    print_message("%d bugs: %d faulty forms refused, %d corrected ones accepted and proved\n", (int)BUGS,
                  refused, accepted);
    assert_int_equal(wrong, 0);
}

/* ---- list, cases and page agree ---------------------------------------------------------------------------- */

static const bug *bug_of(const char *number)
{
    for (size_t i = 0; i < BUGS; i++)
        if (strcmp(bugs[i].number, number) == 0)
            return &bugs[i];
    return NULL;
}

static void every_bug_has_a_case(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < BUGS; i++) {
        const corpus_case *c = bugs[i].cases;
        while (c->bug && strcmp(c->bug, bugs[i].number) != 0)
            c++;
        if (!c->bug)
            fail_msg("bug %s has no case in its file", bugs[i].number);
        if (bug_of(bugs[i].number) != &bugs[i])
            fail_msg("bug %s is listed twice", bugs[i].number);
    }
}

static void every_case_shows_a_bug_and_something(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < FILES; i++)
        for (const corpus_case *c = files[i]; c->bug; c++) {
            if (!bug_of(c->bug) || (bug_of(c->bug)->cases != files[i] && !c->audited))
                fail_msg("\"%s\" stands in another file than its bug, %s", c->name, c->bug);
            if (!c->twin || (!c->faulty && !c->emits[0]))
                fail_msg("\"%s\" shows nothing", c->name);
        }
}

static char *read_page(void)
{
    FILE *in = fopen(CORPUS_PAGE, "r");
    assert_non_null(in);
    char *page = calloc(1, 1 << 18);
    assert_non_null(page);
    size_t got = fread(page, 1, (1 << 18) - 1, in);
    (void)fclose(in);
    assert_in_range(got, 1, (1 << 18) - 2);
    return page;
}

/* The row of the page that begins with the number, as a line of its own; NULL: none. */
static char *row_of(char *page, const char *number)
{
    char start[32];
    (void)snprintf(start, sizeof start, "\n| %s |", number);
    char *row = strstr(page, start);
    if (!row)
        return NULL;
    size_t length = strcspn(row + 1, "\n");
    char *line = calloc(1, length + 1);
    assert_non_null(line);
    memcpy(line, row + 1, length);
    return line;
}

static void check_codes(const bug *b, const corpus_case *cases, const char *row)
{
    for (const corpus_case *c = cases; c->bug; c++) {
        char code[16];
        (void)snprintf(code, sizeof code, "WW%d", (int)c->code);
        if (strcmp(c->bug, b->number) == 0 && c->faulty && !strstr(row, code))
            fail_msg("the row of bug %s lacks %s", b->number, code);
    }
}

static void check_row(const bug *b, const char *row)
{
    if (!strstr(row, b->link))
        fail_msg("the row of bug %s lacks its link, %s", b->number, b->link);
    for (size_t i = 0; i < FILES; i++)
        check_codes(b, files[i], row);
}

static void the_page_has_a_row_for_every_bug(void **unused)
{
    (void)unused;
    char *page = read_page();
    for (size_t i = 0; i < BUGS; i++) {
        char *row = row_of(page, bugs[i].number);
        if (!row)
            fail_msg("bug %s has no row", bugs[i].number);
        check_row(&bugs[i], row);
        free(row);
    }
    free(page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_cases),
        cmocka_unit_test(every_bug_has_a_case),
        cmocka_unit_test(every_case_shows_a_bug_and_something),
        cmocka_unit_test(the_page_has_a_row_for_every_bug),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
