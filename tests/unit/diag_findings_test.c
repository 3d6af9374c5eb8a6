/* Findings as JSON, read back: what stands in the object is what the library found, and docs/json.md lists its members. */
#include "app/findings.h"
#include "diag_json_reader.h"
#include "diag_sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

enum { MISTAKES = 2 * DIAG_UNPROVED };

/* The object of a kernel as prove writes it, and the kernel. */
typedef struct sample_json {
    diag_sample sample;
    ww_kernel *kernel;
    const ww_diag *refutation;
    text out;
} sample_json;

static void write_sample(sample_json *s, unsigned mistakes)
{
    *s = (sample_json){.sample = {.mistakes = mistakes}};
    s->kernel = diag_sample_kernel(&s->sample);
    ww_kernel_suppress(s->kernel, WW_ARRIVALS, "a \"reason\"\nof two lines");
    ww_verdict v = ww_kernel_prove(s->kernel);
    bool refused = ww_diag_count(ww_kernel_check(s->kernel), WW_ERROR) > 0;
    s->refutation = refused ? NULL : v.refutation;
    findings_write(&s->out, s->kernel, s->refutation, "some verdict", v.proved ? &v : NULL);
}

static void free_sample(sample_json *s)
{
    ww_kernel_free(s->kernel);
    text_free(&s->out);
}

/* ---- reading back ------------------------------------------------------------------------------------- */

static void check_text(const text *json, const char *list, int at, const char *member, const char *expected)
{
    text path = {0};
    text_printf(&path, "%s.%d.%s", list, at, member);
    bool right = expected ? json_says(text_str(json), text_str(&path), expected)
                          : json_is(text_str(json), text_str(&path), "null");
    if (!right)
        fail_msg("%s is not \"%s\" in\n%s", text_str(&path), expected ? expected : "null", text_str(json));
    text_free(&path);
}

static void check_number(const text *json, const char *path, uint64_t expected)
{
    text number = {0};
    text_printf(&number, "%llu", (unsigned long long)expected);
    if (!json_is(text_str(json), path, text_str(&number)))
        fail_msg("%s is not %s in\n%s", path, text_str(&number), text_str(json));
    text_free(&number);
}

static void check_line(const text *json, const char *list, int at, const char *member, int line)
{
    text path = {0};
    text_printf(&path, "%s.%d.%s", list, at, member);
    check_number(json, text_str(&path), (uint64_t)line);
    text_free(&path);
}

static void check_finding(const text *json, const char *list, int at, const ww_diag *d)
{
    char code[16];
    (void)snprintf(code, sizeof code, "WW%d", (int)d->code);
    check_text(json, list, at, "code", code);
    check_text(json, list, at, "name", ww_code_name(d->code));
    check_text(json, list, at, "severity", ww_severity_name(d->severity));
    check_text(json, list, at, "message", d->message);
    check_text(json, list, at, "file", d->place.file);
    check_line(json, list, at, "line", d->place.line);
    check_text(json, list, at, "expected", d->expected);
    check_text(json, list, at, "found", d->found);
    check_text(json, list, at, "hint", d->hint);
    if (d->suppressed)
        check_text(json, list, at, "reason", d->suppressed);
    if (!d->related.file)
        return;
    check_text(json, list, at, "related.0.file", d->related.file);
    check_line(json, list, at, "related.0.line", d->related.line);
    check_text(json, list, at, "related.0.text", d->related_why);
}

static int check_list(const text *json, const char *list, int at, const ww_diag *first)
{
    for (const ww_diag *d = first; d; d = d->next)
        check_finding(json, list, at++, d);
    return at;
}

static void check_end(const text *json, const char *list, int count)
{
    text path = {0};
    text_printf(&path, "%s.%d", list, count);
    assert_false(json_has(text_str(json), text_str(&path)));
    text_free(&path);
}

static void test_every_finding_is_read_back(void **state)
{
    (void)state;
    for (unsigned mistakes = 0; mistakes < MISTAKES; mistakes++) {
        sample_json s;
        write_sample(&s, mistakes);
        assert_true(json_valid(text_str(&s.out)));
        int found = check_list(&s.out, "findings", 0, ww_kernel_check(s.kernel));
        found = check_list(&s.out, "findings", found, s.refutation);
        int hidden = check_list(&s.out, "suppressed_findings", 0, ww_kernel_suppressed(s.kernel));
        check_end(&s.out, "findings", found);
        check_end(&s.out, "suppressed_findings", hidden);
        check_number(&s.out, "suppressed", (uint64_t)hidden);
        free_sample(&s);
    }
}

/* ---- the page ----------------------------------------------------------------------------------------- */

/* Whether the text has the words `before`name`after`. */
static bool has_name(const text *in, const char *before, const char *name, size_t len, const char *after)
{
    text wanted = {0};
    text_printf(&wanted, "%s%.*s%s", before, (int)len, name, after);
    bool has = strstr(text_str(in), text_str(&wanted)) != NULL;
    text_free(&wanted);
    return has;
}

static void check_members(const text *page, const text *json)
{
    for (const char *line = text_str(json); line; line = strchr(line, '\n')) {
        line += strspn(line, "\n ");
        size_t len = *line == '"' ? strcspn(line + 1, "\"") : 0;
        if (len && line[len + 2] == ':' && !has_name(page, "`", line + 1, len, "`"))
            fail_msg("docs/json.md lacks the member %.*s", (int)len, line + 1);
    }
}

/* Rows of the tables above the verdicts begin with a member. */
static void check_rows(const text *page, const text *json)
{
    const char *end = strstr(text_str(page), "| verdict | of");
    assert_non_null(end);
    for (const char *row = strstr(text_str(page), "\n| `"); row && row < end;
         row = strstr(row + 1, "\n| `")) {
        const char *name = row + strlen("\n| `");
        size_t len = strcspn(name, "`");
        if (!has_name(json, "\"", name, len, "\":"))
            fail_msg("docs/json.md has a member %.*s, and no object has", (int)len, name);
    }
}

static void test_the_page_lists_the_members(void **state)
{
    (void)state;
    text page = {0}, all = {0};
    assert_true(file_read(WW_REPOSITORY "/docs/json.md", &page));
    for (unsigned mistakes = 0; mistakes < MISTAKES; mistakes++) {
        sample_json s;
        write_sample(&s, mistakes);
        check_members(&page, &s.out);
        text_add(&all, text_str(&s.out));
        free_sample(&s);
    }
    check_rows(&page, &all);
    text_free(&page);
    text_free(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_finding_is_read_back),
        cmocka_unit_test(test_the_page_lists_the_members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
