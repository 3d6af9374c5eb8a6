/* What has a certificate and what has none: the examples, the feature kernels, and the small kernels of the prover's tests. A
 * kernel that the prover refutes never has one. */
#include "certify/certify.h"
#include "kernels.h"
#include "model/model.h"
#include "rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

/* Kernels that are proved and have no certificate, and why; ended by a row without a name. */
typedef struct without {
    const char *name, *why;
} without;

static const char *expected_reason(const without *list, const char *name)
{
    for (; list->name; list++)
        if (strcmp(list->name, name) == 0)
            return list->why;
    return "";
}

static size_t length_of(const without *list)
{
    size_t n = 0;
    while (list[n].name)
        n++;
    return n;
}

/* ---- kernels that run ------------------------------------------------------------------------------------------------- */

static void is_checked(const char *name, ww_kernel *k, const ww_certificate *c)
{
    ww_certificate again = ww_certificate_check(k, c->text, strlen(c->text));
    if (!again.text)
        print_message("%s: %s\n", name, again.why);
    assert_ptr_equal(again.text, c->text);
    assert_int_equal(again.machines, c->machines);
    assert_string_equal(again.why, "");
    print_message("%s: %u machines, %zu bytes, checked in %.1f ms\n", name, again.machines, strlen(c->text),
                  again.milliseconds);
}

static void examples(void **unused)
{
    (void)unused;
    for (int i = 0; i < EXAMPLE_COUNT; i++) {
        ww_kernel *k = example_declare(i);
        ww_certificate c = ww_kernel_certify(k);
        assert_string_equal(c.why, "");
        is_checked(example_names[i], k, &c);
        ww_kernel_free(k);
    }
}

static const without features_without[] = {{NULL}};

static void visit_feature(const char *name, ww_kernel *k, void *context)
{
    size_t *missing = context;
    ww_certificate c = ww_kernel_certify(k);
    if (strcmp(c.why, expected_reason(features_without, name)) != 0)
        print_message("%s: %s\n", name, c.why);
    assert_string_equal(c.why, expected_reason(features_without, name));
    if (c.text)
        is_checked(name, k, &c);
    else
        ++*missing;
}

static void features(void **unused)
{
    (void)unused;
    size_t missing = 0;
    each_feature(visit_feature, &missing);
    assert_int_equal(missing, length_of(features_without));
}

/* ---- kernels of the prover's tests --------------------------------------------------------------------------------------- */

static const without rows_without[] = {
    {"a billion trips", "Q.0 at operation 3: there are too many operations to execute"}, {NULL}};

typedef struct tally {
    size_t certified, refuted, without;
} tally;

static void judge_row(const mini_row *r, mini *m, bool proved, tally *t)
{
    text certificate = {0};
    certify_result c = certify_write(m->kernel, m->kernel->program, &certificate);
    text_free(&certificate);
    if (proved && strcmp(c.why, expected_reason(rows_without, r->name)) != 0) {
        print_message("%s: %s\n", r->name, c.why);
        fail();
    }
    if (!proved && c.valid) {
        print_message("%s: refuted, and has a certificate\n", r->name);
        fail();
    }
    t->certified += c.valid;
    t->refuted += !proved;
    t->without += proved && !c.valid;
}

static void rows(void **unused)
{
    (void)unused;
    tally t = {0};
    for (size_t i = 0; row_at(i); i++) {
        mini m;
        bool proved;
        if (row_prove(row_at(i), &m, &proved))
            judge_row(row_at(i), &m, proved, &t);
        mini_free(&m);
    }
    print_message("%zu certified, %zu refuted, %zu proved and without\n", t.certified, t.refuted, t.without);
    assert_int_equal(t.without, length_of(rows_without));
}

/* ---- conditions that are made anew in each trip --------------------------------------------------------------------------- */

static const char *const conditions[][3] = {
    /* one condition in two loops; in tiles; by an immediate bound */
    {"(?c A a W a C a t:c{ A b W b C b })*2 (?c A a W a C a t:c{ A b W b C b })*2",
     "(?c w a R a L a t:c{ w b R b L b })*2 (?c w a R a L a t:c{ w b R b L b })*2"},
    {"tiles{ (?c A a W a C a t:c{ A b W b C b })*d }", "tiles{ (?c w a R a L a t:c{ w b R b L b })*d }"},
    {"(?c A a W a C a t:c{ A b W b C b })*5", "(?c w a R a L a t:c{ w b R b L b })*5"},
    /* by the first trip, each third one, the last */
    {"(?c A a W a C a t:c{ f{ A b W b C b } })*k", "(?c w a R a L a t:c{ f{ w b R b L b } })*k"},
    {"(?c A a W a C a e3:1{ t:c{ A b W b C b } })*k", "(?c w a R a L a e3:1{ t:c{ w b R b L b } })*k"},
    {"(?c A a W a C a l{ n:c{ A b W b C b } })*k", "(?c w a R a L a l{ n:c{ w b R b L b } })*k"},
    /* two conditions, that tasks have one or both of */
    {"(?c ?d A a W a C a t:c{ A b W b C b } t:d{ A x W x C x })*k", "(?c w a R a L a t:c{ w b R b L b })*k",
     "(?d t:d{ w x R x L x })*k"},
};

static bool proves_and_certifies(const char *const *tasks)
{
    mini m = mini_new(false);
    text certificate = {0};
    mini_ring(&m, "a", (ww_pipeline)ASYNC(2));
    mini_ring(&m, "b", (ww_pipeline)ASYNC(1));
    mini_ring(&m, "x", (ww_pipeline)ASYNC(1));
    mini_add(&m, "P", 1, tasks[0]);
    mini_add(&m, "Q", 1, tasks[1]);
    if (tasks[2])
        mini_add(&m, "R", 1, tasks[2]);
    bool proved = mini_prove(&m).proved;
    certify_result c = certify_write(m.kernel, m.kernel->program, &certificate);
    bool told = c.valid && strstr(text_str(&certificate), " turn ");
    if (!proved || !told)
        print_message("%s: %s, %s\n", tasks[0], proved ? "proved" : "not proved", c.why);
    text_free(&certificate);
    mini_free(&m);
    return proved && told;
}

static void conditions_of_trips(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++)
        assert_true(proves_and_certifies(conditions[i]));
}

/* ---- what is not proved -------------------------------------------------------------------------------------------------------- */

static void only_what_is_proved(void **unused)
{
    (void)unused;
    mini m = mini_new(false);
    mini_ring(&m, "s", (ww_pipeline)ASYNC(2));
    mini_add(&m, "P", 1, "(A s W s C s)*k");
    mini_add(&m, "Q", 1, "(w s R s)*k");
    assert_false(mini_prove(&m).proved);
    ww_certificate c = ww_kernel_certify(m.kernel);
    assert_null(c.text);
    assert_string_equal(c.why, "the kernel is not proved");
    text certificate = {0};
    certify_result r = certify_write(m.kernel, m.kernel->program, &certificate);
    assert_false(r.valid);
    assert_int_equal(certificate.len, 0);
    assert_string_equal(r.why, "the end leaves more fills than releases, or fewer");
    text_free(&certificate);
    mini_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(examples), cmocka_unit_test(features),
                                       cmocka_unit_test(rows), cmocka_unit_test(conditions_of_trips),
                                       cmocka_unit_test(only_what_is_proved)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
