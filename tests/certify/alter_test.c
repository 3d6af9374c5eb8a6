/* A certificate in which anything is altered is none; nor is one of another kernel; nor one of the right kernel for its broken
 * twin, even if it says that it is for that one. */
#include "certify/certify.h"
#include "certify/form.h"
#include "kernels.h"
#include "rows.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

/* Sanitized checks take five times as long. */
#if defined(__SANITIZE_ADDRESS__)
enum { ONE_IN = 12 };
#else
enum { ONE_IN = 1 };
#endif

/* ---- altering ------------------------------------------------------------------------------------------------------------ */

typedef struct altered {
    const char *name;
    ww_kernel *k;
    const char *text;
    size_t length;
    size_t tried;
    size_t every; /* of the alterations, one in so many is tried */
    uint64_t random;
} altered;

static uint64_t next_random(altered *a)
{
    a->random ^= a->random << 13; /* xorshift64 (Marsaglia) */
    a->random ^= a->random >> 7;
    a->random ^= a->random << 17;
    return a->random;
}

static bool is_valid(const altered *a, const text *t)
{
    return certify_check(a->k, a->k->program, text_str(t), t->len).valid;
}

/* [from, to) becomes `with`. */
static void refused(altered *a, size_t from, size_t to, const char *with, size_t length)
{
    if (to - from == length && memcmp(a->text + from, with, length) == 0)
        return;
    if (a->every > 1 && next_random(a) % a->every)
        return;
    text t = {0};
    text_add_n(&t, a->text, from);
    text_add_n(&t, with, length);
    text_add_n(&t, a->text + to, a->length - to);
    if (is_valid(a, &t)) {
        print_message("%s: valid with \"%.*s\" in place of \"%.*s\" at %zu\n", a->name, (int)length, with,
                      (int)(to - from), a->text + from, from);
        fail();
    }
    a->tried++;
    text_free(&t);
}

/* Each number one more, one less, and with a zero before it; those in names, too. */
static void alter_numbers(altered *a)
{
    for (size_t i = 0; i < a->length; i++) {
        if (!isdigit((unsigned char)a->text[i]) || (i && isdigit((unsigned char)a->text[i - 1])))
            continue;
        char *end, with[32];
        unsigned long long number = strtoull(a->text + i, &end, 10);
        size_t to = (size_t)(end - a->text);
        int n = snprintf(with, sizeof with, "%llu", number + 1);
        refused(a, i, to, with, (size_t)n);
        n = number ? snprintf(with, sizeof with, "%llu", number - 1) : snprintf(with, sizeof with, "-1");
        refused(a, i, to, with, (size_t)n);
        refused(a, i, i, "0", 1);
        refused(a, i, i, "-", 1);
    }
}

static size_t word_end(const altered *a, size_t i)
{
    while (i < a->length && a->text[i] != ' ' && a->text[i] != '\n')
        i++;
    return i;
}

/* Each word left out, said twice, and replaced by the next one that is another, and by one from elsewhere. */
static void alter_words(altered *a)
{
    for (size_t i = 0; i < a->length; i = word_end(a, i) + 1) {
        size_t end = word_end(a, i), next = end + 1, elsewhere = next_random(a) % a->length;
        refused(a, i, end < a->length ? end + 1 : end, "", 0);
        refused(a, i, i, a->text + i, end + 1 - i);
        refused(a, end, end, " ", 1);
        if (next < a->length)
            refused(a, i, end, a->text + next, word_end(a, next) - next);
        while (elsewhere && a->text[elsewhere - 1] != ' ' && a->text[elsewhere - 1] != '\n')
            elsewhere--;
        refused(a, i, end, a->text + elsewhere, word_end(a, elsewhere) - elsewhere);
    }
}

static size_t line_end(const altered *a, size_t i)
{
    while (i < a->length && a->text[i++] != '\n')
        ;
    return i;
}

/* Each line left out, said twice, and behind the next one. */
static void alter_lines(altered *a)
{
    for (size_t i = 0; i < a->length; i = line_end(a, i)) {
        size_t end = line_end(a, i), next = line_end(a, end);
        refused(a, i, end, "", 0);
        refused(a, i, i, a->text + i, end - i);
        text swapped = {0};
        text_add_n(&swapped, a->text + end, next - end);
        text_add_n(&swapped, a->text + i, end - i);
        refused(a, i, next, text_str(&swapped), swapped.len);
        text_free(&swapped);
    }
}

static size_t alter_all(const char *name, ww_kernel *k, const char *certificate, size_t every)
{
    altered a = {.name = name,
                 .k = k,
                 .text = certificate,
                 .length = strlen(certificate),
                 .every = every * ONE_IN,
                 .random = HASH_SEED};
    alter_numbers(&a);
    alter_words(&a);
    alter_lines(&a);
    return a.tried;
}

/* Everything in small certificates. There are as many alterations as bytes, nearly, and a check takes longer for more bytes, too. */
static size_t every_for(const char *certificate)
{
    size_t length = strlen(certificate);
    return 1 + length * length / 1500000;
}

static void examples_altered(void **unused)
{
    (void)unused;
    for (int i = 0; i < EXAMPLE_COUNT; i++) {
        ww_kernel *k = example_declare(i);
        ww_certificate c = ww_kernel_certify(k);
        assert_non_null(c.text);
        size_t every = strlen(c.text) < 20000 ? 1 : 50;
        size_t tried = alter_all(example_names[i], k, c.text, every);
        print_message("%s: %zu alterations refused, one in %zu\n", example_names[i], tried, every * ONE_IN);
        assert_true(tried > 500 / ONE_IN);
        ww_kernel_free(k);
    }
}

static void visit_feature(const char *name, ww_kernel *k, void *context)
{
    size_t *tried = context;
    ww_certificate c = ww_kernel_certify(k);
    if (c.text)
        *tried += alter_all(name, k, c.text, every_for(c.text));
}

static void features_altered(void **unused)
{
    (void)unused;
    size_t tried = 0;
    each_feature(visit_feature, &tried);
    print_message("%zu alterations refused\n", tried);
    assert_true(tried > 5000 / ONE_IN);
}

static size_t alter_row(const mini_row *r, const mini *m)
{
    text certificate = {0};
    size_t tried = 0;
    if (certify_write(m->kernel, m->kernel->program, &certificate).valid)
        tried = alter_all(r->name, m->kernel, text_str(&certificate), every_for(text_str(&certificate)));
    text_free(&certificate);
    return tried;
}

static void rows_altered(void **unused)
{
    (void)unused;
    size_t tried = 0;
    for (size_t i = 0; row_at(i); i++) {
        mini m;
        bool proved;
        if (row_prove(row_at(i), &m, &proved) && proved)
            tried += alter_row(row_at(i), &m);
        mini_free(&m);
    }
    print_message("%zu alterations refused\n", tried);
    assert_true(tried > 5000 / ONE_IN);
}

/* ---- certificates of others ----------------------------------------------------------------------------------------------- */

static size_t header_length(ww_kernel *k)
{
    text header = {0};
    world *w = world_new(k, k->program);
    form_header(w, &header);
    world_free(w);
    size_t length = header.len;
    text_free(&header);
    return length;
}

/* The certificate of one kernel, with the other's header. */
static void readdress(ww_kernel *from, const char *certificate, ww_kernel *to, text *out)
{
    world *w = world_new(to, to->program);
    form_header(w, out);
    world_free(w);
    text_add(out, certificate + header_length(from));
}

static void of_another_kernel(void **unused)
{
    (void)unused;
    for (int i = 0; i < EXAMPLE_COUNT; i++)
        for (int j = 0; j < EXAMPLE_COUNT; j++) {
            if (i == j)
                continue;
            ww_kernel *from = example_declare(i), *to = example_declare(j);
            ww_certificate c = ww_kernel_certify(from);
            assert_non_null(c.text);
            assert_non_null(ww_kernel_certify(to).text);
            ww_certificate other = ww_certificate_check(to, c.text, strlen(c.text));
            assert_null(other.text);
            assert_string_equal(other.why, "it is for another kernel");
            text readdressed = {0};
            readdress(from, c.text, to, &readdressed);
            assert_null(ww_certificate_check(to, text_str(&readdressed), readdressed.len).text);
            text_free(&readdressed);
            ww_kernel_free(from);
            ww_kernel_free(to);
        }
}

/* A right kernel and the same with one mistake. */
typedef struct twins {
    ww_pipeline pipeline;
    const char *right[2], *broken[2];
} twins;

static const twins pairs[] = {
    {ASYNC(2), {"(A s W s C s)*k", "(w s R s L s)*k"}, {"(A s W s C s)*k", "(w s R s)*k"}},
    {ASYNC(2), {"(A s W s C s)*k", "(w s R s L s)*k"}, {"(A s W s)*k", "(w s R s L s)*k"}},
    {ASYNC(2), {"(A s W s C s)*k", "(w s R s L s)*k"}, {"(W s A s C s)*k", "(w s R s L s)*k"}},
    {ASYNC(2), {"(A s W s C s)*k", "(w s R s L s)*k"}, {"(A s C s W s)*k", "(w s R s L s)*k"}},
    {ASYNC(2), {"(A s W s C s)*k", "(w s R s L s)*k"}, {"(A s W s C s)*k", "(R s w s L s)*k"}},
    {ASYNC(2), {"(A s W s C s)*k", "(w s R s L s)*k"}, {"(A s W s C s)*k", "(w s L s R s)*k"}},
    {ASYNC(2), {"(A s W s C s)*k", "(w s R s L s)*k"}, {"(A s W s C s)*k", "(w s R s L s L s)*k"}},
    {ASYNC(2), {"(A s W s C s)*k", "(w s R s L s)*k"}, {"(A s W s C s)*k", "(w s R s L s)*1k"}},
    {ASYNC(2), {"(A s W s C s)*k", "(w s R s L s)*k"}, {"(A s W s C s)*k", "(w s R s L s)*d"}},
    {ASYNC(2), {"(A s W s C s)*3", "(w s R s L s)*3"}, {"(A s W s C s)*3", "(w s R s L s)*4"}},
    {ASYNC(2), {"(A s W s C s)*3", "(w s R s L s)*3"}, {"(A s W s C s)*4", "(w s R s L s)*3"}},
    {TMA(3), {"(A s W s C s)*k", "(w s R s L s)*k"}, {"(A s W s C s)*k", "(w s R s)*k"}},
    {TMA(3), {"(A s W s C s)*k", "(w s R s L s)*k"}, {"(W s A s C s)*k", "(w s R s L s)*k"}},
    {TMA(3), {"(A s W s C s)*k", "(w s M s wait0 L s)*k"}, {"(A s W s C s)*k", "(w s M s wait1 L s)*k"}},
    {TMA(3), {"(A s W s C s)*k", "(w s M s wait0 L s)*k"}, {"(A s W s C s)*k", "(w s M s L s wait0)*k"}},
    {TMA(3), {"(A s W s C s)*k", "(w s S s bulk0 L s)*k"}, {"(A s W s C s)*k", "(w s S s bulk1 L s)*k"}},
    {TMA(3), {"(A s W s C s)*k", "(w s S s bulk0 L s)*k"}, {"(A s W s C s)*k", "(w s S s L s bulk0)*k"}},
    {TMA(2),
     {"tiles{ (A s W s C s)*k }", "tiles{ (w s R s L s)*k }"},
     {"tiles{ (A s W s C s)*k }", "tiles{ (w s R s)*k L s }"}},
    {TMA(2),
     {"tiles{ (A s W s C s)*d }", "tiles{ (w s R s L s)*d }"},
     {"tiles{ (A s W s C s)*d }", "tiles{ (w s R s L s)*k }"}},
    {ASYNC(2), {"(A s W s C s)*k", "(w s R s f{R s} L s)*k"}, {"(A s W s C s)*k", "(w s R s f{L s} L s)*k"}},
    {TMA(2),
     {"(A? s A s W s C s)*k", "(w? s w s R s L s)*k"},
     {"A? s (A s W s C s A? s)*k", "(w? s w s R s)*k"}},
};

static mini twin_of(const twins *t, const char *const *tasks, mini *m)
{
    *m = mini_new(false);
    mini_ring(m, "s", t->pipeline);
    mini_add(m, "P", 1, tasks[0]);
    mini_add(m, "Q", 1, tasks[1]);
    return *m;
}

static void of_the_right_twin(void **unused)
{
    (void)unused;
    size_t certified = 0;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        mini right, broken;
        (void)twin_of(&pairs[i], pairs[i].right, &right);
        (void)twin_of(&pairs[i], pairs[i].broken, &broken);
        if (!mini_prove(&right).proved || mini_prove(&broken).proved) {
            print_message("pair %zu: %s\n", i, mini_prove(&broken).proved ? "both proved" : "neither proved");
            fail();
        }
        text certificate = {0}, readdressed = {0};
        certify_result c = certify_write(right.kernel, right.kernel->program, &certificate);
        assert_string_equal(c.why, "");
        readdress(right.kernel, text_str(&certificate), broken.kernel, &readdressed);
        c = certify_check(broken.kernel, broken.kernel->program, text_str(&readdressed), readdressed.len);
        assert_false(c.valid);
        assert_string_not_equal(c.why, "it is for another kernel");
        certified++;
        text_free(&certificate);
        text_free(&readdressed);
        mini_free(&right);
        mini_free(&broken);
    }
    assert_true(certified >= 20);
}

/* ---- any text at all --------------------------------------------------------------------------------------------------------- */

static void damage(altered *a, text *t)
{
    static const char *const words[] = {"0",
                                        "-1",
                                        "99999999999",
                                        "1099511627776",
                                        "end",
                                        "unknown 0 to 0\n",
                                        "node 0 asks 0\n",
                                        ",",
                                        "-",
                                        "any",
                                        "tells",
                                        "gathers",
                                        "\n",
                                        " "};
    size_t at = t->len ? (size_t)(next_random(a) % t->len) : 0;
    const char *word = words[next_random(a) % (sizeof words / sizeof *words)];
    switch (next_random(a) % 4) {
    case 0: t->at[at] = (char)next_random(a); break;
    case 1: t->len = at; break;
    default: {
        text result = {0};
        size_t from = (size_t)(next_random(a) % (t->len + 1)), length = (size_t)(next_random(a) % 40);
        length = from + length > t->len ? t->len - from : length;
        text_add_n(&result, t->at, at);
        if (next_random(a) % 2)
            text_add(&result, word);
        else
            text_add_n(&result, t->at + from, length);
        text_add_n(&result, t->at + at, t->len - at);
        text_free(t);
        *t = result;
    }
    }
}

static void fuzzed(const char *name, ww_kernel *k, void *context)
{
    ww_certificate c = ww_kernel_certify(k);
    if (!c.text || strlen(c.text) > 20000)
        return;
    altered a = {
        .name = name, .k = k, .text = c.text, .length = strlen(c.text), .random = hash_text(HASH_SEED, name)};
    for (int i = 0; i < 60; i++) {
        text t = {0};
        text_add_n(&t, a.text, a.length);
        for (uint64_t n = 1 + next_random(&a) % 4; n && t.len; n--)
            damage(&a, &t);
        bool same = t.len == a.length && memcmp(t.at, a.text, a.length) == 0;
        assert_int_equal(is_valid(&a, &t), same);
        text_free(&t);
        ++*(size_t *)context;
    }
}

static void any_text(void **unused)
{
    (void)unused;
    size_t tried = 0;
    each_feature(fuzzed, &tried);
    assert_true(tried > 3000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_altered),  cmocka_unit_test(features_altered),
        cmocka_unit_test(rows_altered),      cmocka_unit_test(of_another_kernel),
        cmocka_unit_test(of_the_right_twin), cmocka_unit_test(any_text)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
