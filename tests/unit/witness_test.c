/* A counterexample in its two forms: the timeline as printed, and JSON that comes back as it was, is checked member by
 * member, and survives any damage. */
#define _POSIX_C_SOURCE 200809L
#include "app/witness_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

static ww_witness_task tasks[] = {{"load", 0, 1}, {"store", 4, 2}};
static ww_witness_value values[] = {{WW_VALUE_LAUNCH, "rows", -1, 3, -1, -1},
                                    {WW_VALUE_TILES, "queue", -1, 1, -1, -1},
                                    {WW_VALUE_SKIP, "queue", -1, 0, 0, -1},
                                    {WW_VALUE_CONDITION, "odd", 4, 1, 0, 2}};
static ww_event events[] = {
    {WW_EVENT_STEP, 0, 0, 0, 3, -1, -1, 0, -1, false, "ring.load", "copies into ring.row[0]", "k.c", 12},
    {WW_EVENT_LANDING, 0, 0, 0, 3, 0, 0, 0, -1, false, "ring.load",
     "arrives; ring.full[0], phase 1: complete", "k.c", 12},
    {WW_EVENT_STEP, 0, 1, 4, 2, -1, -1, 1, 0, false, "wait(ring)", "waits for ring.full[0], phase 1", "k.c",
     20},
    {WW_EVENT_STEP, 0, 1, 5, 2, -1, -1, 1, 0, false, "wait(ring)", "waits for ring.full[0], phase 1", "k.c",
     20},
    {WW_EVENT_STEP, 1, 1, 5, 4, -1, -1, 1, 0, true, "wait(ring)", "waits for ring.full[1], phase 1, for ever",
     "k.c", 20},
};
static ww_witness_waiter waiters[] = {{4, "ring.full[1]", 1, 72, 1, 1, 512, "task load has ended"}};

static ww_witness sample(void)
{
    return (ww_witness){.kernel = "copy",
                        .declaration = UINT64_C(0xfedcba9876543210),
                        .ctas = 2,
                        .fault = WW_FAULT_DEADLOCK,
                        .code = WW_DEADLOCK,
                        .message = "task store waits for ever",
                        .tasks = tasks,
                        .task_count = ARRAY_LEN(tasks),
                        .values = values,
                        .value_count = ARRAY_LEN(values),
                        .events = events,
                        .event_count = ARRAY_LEN(events),
                        .first = -1,
                        .second = 4,
                        .waiters = waiters,
                        .waiter_count = 1};
}

static void printed(const ww_witness *w, int rows, const char *expected)
{
    char *bytes = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&bytes, &len);
    assert_non_null(out);
    ww_witness_print(w, out, rows);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(bytes, expected);
    free(bytes);
}

#define HEAD                                                                                                 \
    "counterexample of kernel copy: deadlock; with rows = 3, queue tiles = 1, queue skipped = 0 of tile 0, " \
    "odd = 1 in "                                                                                            \
    "trip 2 of tile 0\n\n"
#define TAIL                                                                                                 \
    "\nWW301 deadlock: task store waits for ever\n"                                                          \
    "  task store waits at wait(ring) for ring.full[1], phase 1 (parity 0): 1 arrivals and 512 bytes "       \
    "missing; task load "                                                                                    \
    "has ended\n"

static void timeline(void **state)
{
    (void)state;
    const ww_witness w = sample();
    printed(&w, 0,
            HEAD
            "      0:load       0:store x2  1:store x2      \n"
            "   1  ring.load    \xc2\xb7           \xc2\xb7               trip 0: copies into ring.row[0]\n"
            "   2  (ring.load)  \xc2\xb7           \xc2\xb7               trip 0: arrives; ring.full[0], "
            "phase 1: complete\n"
            "   3  \xc2\xb7            wait(ring)  \xc2\xb7               tile 0, trip 1: waits for "
            "ring.full[0], phase 1\n"
            "   4  \xc2\xb7            \xc2\xb7           w1: wait(ring)  tile 0, trip 1: waits for "
            "ring.full[1], phase 1, for "
            "ever\n" TAIL);
}

static void the_last_rows(void **state)
{
    (void)state;
    const ww_witness w = sample();
    printed(&w, 1,
            HEAD "      0:load  0:store x2  1:store x2      \n"
                 "      ... 3 rows before these\n"
                 "   4  \xc2\xb7       \xc2\xb7           w1: wait(ring)  tile 0, trip 1: waits for "
                 "ring.full[1], phase 1, for "
                 "ever\n" TAIL);
}

static void nothing_has_happened(void **state)
{
    (void)state;
    ww_witness w = sample();
    w.event_count = w.value_count = w.waiter_count = 0;
    printed(&w, 0,
            "counterexample of kernel copy: deadlock\n\n      \n      initial state\n\nWW301 deadlock: task "
            "store waits for "
            "ever\n");
}

/* ---- JSON --------------------------------------------------------------------------------------------------------- */

static void there_and_back(void **state)
{
    (void)state;
    const ww_witness w = sample();
    arena a = {0};
    text written = {0}, again = {0}, error = {0};
    witness_write(&written, &w);
    const ww_witness *r = witness_read(text_str(&written), written.len, &a, &error);
    assert_string_equal(text_str(&error), "");
    assert_non_null(r);
    assert_int_equal(r->declaration, w.declaration);
    assert_int_equal(r->second, 4);
    assert_int_equal(r->events[4].task, 1);
    assert_int_equal(r->events[1].of, 0);
    assert_int_equal(r->waiters[0].barrier_offset, 72);
    witness_write(&again, r);
    assert_string_equal(text_str(&written), text_str(&again));
    text_free(&written);
    text_free(&again);
    arena_free(&a);
}

/* With one piece of its text replaced. */
static void refuse(const char *from, const char *to, const char *why)
{
    const ww_witness w = sample();
    arena a = {0};
    text written = {0}, changed = {0}, error = {0};
    witness_write(&written, &w);
    const char *at = strstr(text_str(&written), from);
    assert_non_null(at);
    text_add_n(&changed, written.at, (size_t)(at - written.at));
    text_add(&changed, to);
    text_add(&changed, at + strlen(from));
    assert_null(witness_read(text_str(&changed), changed.len, &a, &error));
    print_message("%s\n", text_str(&error));
    assert_non_null(strstr(text_str(&error), why));
    text_free(&written);
    text_free(&changed);
    text_free(&error);
    arena_free(&a);
}

static void refusals(void **state)
{
    (void)state;
    refuse("\"version\": 2", "\"version\": 1", "version");
    refuse("\"fault\": \"deadlock\"", "\"fault\": \"dead\"", "fault");
    refuse("\"code\": \"WW301\"", "\"code\": \"WW1\"", "code");
    refuse("\"ctas\": 2", "\"ctas\": 17", "ctas");
    refuse("\"ctas\": 2", "\"ctas\": 1", "events");
    refuse("\"ctas\": 2,", "", "ctas");
    refuse("fedcba9876543210", "fedcba987654321", "declaration");
    refuse("\"task\": \"load\"", "\"task\": \"loads\"", "task");
    refuse("\"warp\": 5", "\"warp\": 6", "events");
    refuse("\"warps\": 1", "\"warps\": 33", "tasks");
    refuse("\"op\": 3", "\"op\": null", "events");
    refuse("\"of\": 0", "\"of\": 1", "of");
    refuse("\"of\": 0", "\"of\": null", "of");
    refuse("\"to\": 0", "\"to\": 2", "to");
    refuse("\"to\": 0", "\"to\": null", "to");
    refuse("\"second\": 4", "\"second\": 5", "at");
    refuse("\"event\": 4", "\"event\": 5", "waiters");
    refuse("\"blocked\": true", "\"blocked\": 1", "blocked");
    refuse("\"line\": 12", "\"line\": 1.5", "line");
    refuse("\"text\": \"wait(ring)\"", "\"text\": null", "events");
    refuse("\"kernel\": \"copy\"", "\"kernel\": null", "kernel");
    refuse("\"value\": 3", "\"value\": 9223372036854775808", "value");
}

/* ---- damage ------------------------------------------------------------------------------------------------------- */

static uint64_t next_random(uint64_t *random)
{
    *random ^= *random << 13; /* xorshift64 (Marsaglia) */
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return *random;
}

/* A byte replaced, left out or put in; a piece left out; a number put in place of a byte. */
static void damage(text *t, uint64_t *random)
{
    static const char *const words[] = {"null", "-1",   "99999999999", "\"",   "{",
                                        "]",    "true", "\\u0000",     "\xff", "1e9"};
    size_t at = next_random(random) % t->len, len = next_random(random) % 3 * (next_random(random) % 40);
    const char *with = words[next_random(random) % ARRAY_LEN(words)];
    char byte[2] = {(char)next_random(random), '\0'};
    text out = {0};
    len = len > t->len - at ? t->len - at : len;
    text_add_n(&out, t->at, at);
    text_add(&out, next_random(random) % 2 ? with : byte);
    text_add_n(&out, t->at + at + len, t->len - at - len);
    text_free(t);
    *t = out;
}

/* Whatever is accepted can be printed and written again. */
static void damaged_ones(void **state)
{
    (void)state;
    const ww_witness w = sample();
    uint64_t random = 12345;
    int accepted = 0;
    for (int i = 0; i < 4000; i++) {
        arena a = {0};
        text t = {0}, error = {0}, again = {0};
        witness_write(&t, &w);
        for (uint64_t n = 1 + next_random(&random) % 3; n > 0; n--)
            damage(&t, &random);
        const ww_witness *r = witness_read(text_str(&t), t.len, &a, &error);
        assert_int_equal(r == NULL, error.len > 0);
        if (r) {
            char *bytes = NULL;
            size_t len = 0;
            FILE *out = open_memstream(&bytes, &len);
            ww_witness_print(r, out, 0);
            (void)fclose(out);
            free(bytes);
            witness_write(&again, r);
            accepted++;
        }
        text_free(&t);
        text_free(&error);
        text_free(&again);
        arena_free(&a);
    }
    print_message("%d of 4000 damaged counterexamples are well-formed still\n", accepted);
    assert_true(accepted > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(timeline),
        cmocka_unit_test(the_last_rows),
        cmocka_unit_test(nothing_has_happened),
        cmocka_unit_test(there_and_back),
        cmocka_unit_test(refusals),
        cmocka_unit_test(damaged_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
