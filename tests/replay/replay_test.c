/* Each broken declaration is refuted; its counterexample ends at the predicted operation; and on the emulator the generated
 * code follows it, read back from JSON, to the fault: the hang, the two accesses, the arrival or wait of the wrong phase. What
 * is no counterexample of a declaration is told from one. */
#include "kernels.h"
#include "app/witness_file.h"
#include "lower/lower.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

typedef struct trial {
    ww_kernel *kernel;
    ww_verdict verdict;
    arena arena;
    ww_replay seen;
    char error[4096];
} trial;

static const broken *find(const char *name)
{
    const broken *b = broken_kernels;
    while (strcmp(b->name, name) != 0)
        b++;
    return b;
}

static void take_out_fences(ir_program *p)
{
    for (size_t i = 0; i < p->tasks.len; i++)
        for (size_t at = 0; at < p->tasks.at[i].ops.len; at++)
            if (p->tasks.at[i].ops.at[at].kind == IR_FENCE)
                p->tasks.at[i].ops.at[at].kind = IR_GRIDDEP_LAUNCH; /* does nothing here */
}

static trial prove(const broken *b)
{
    trial t = {.kernel = broken_declare(b)};
    ww_kernel_unchecked(t.kernel);
    (void)ww_kernel_check(t.kernel);
    if (b->unfenced)
        take_out_fences(t.kernel->program);
    t.verdict = ww_kernel_prove(t.kernel);
    return t;
}

static void end(trial *t)
{
    ww_kernel_free(t->kernel);
    arena_free(&t->arena);
}

/* The same after a way through JSON. */
static const ww_witness *through_json(trial *t)
{
    text written = {0}, again = {0}, error = {0};
    witness_write(&written, t->verdict.witness);
    const ww_witness *w = witness_read(text_str(&written), written.len, &t->arena, &error);
    assert_string_equal(text_str(&error), "");
    assert_non_null(w);
    witness_write(&again, w);
    assert_string_equal(text_str(&written), text_str(&again));
    text_free(&written);
    text_free(&again);
    return w;
}

static void replay(const broken *b, trial *t, const ww_witness *w)
{
    ww_launch launch = {0};
    ww_run *r = ww_run_open(t->kernel, &(ww_run_options){.device = WW_DEVICE_EMULATOR, .marks = true});
    t->seen = (ww_replay){.text = ""};
    if (!ww_run_error(r) && broken_prepare(b, r, &launch))
        ww_run_replay(r, &launch, w, &t->seen);
    (void)snprintf(t->error, sizeof t->error, "%s", ww_run_error(r) ? ww_run_error(r) : "");
    ww_run_close(r);
}

/* ---- the broken ones ---------------------------------------------------------------------------------------------- */

static bool is_at(const ww_witness *w, int event, const broken *b)
{
    const ww_event *e = &w->events[event];
    return strcmp(w->tasks[e->task].name, b->task) == 0 && strcmp(e->text, b->step) == 0;
}

/* The fault is where the table says: the last event, or one of those that wait for ever. */
static bool is_predicted(const ww_witness *w, const broken *b)
{
    bool found = !b->task;
    if (b->task && w->fault != WW_FAULT_DEADLOCK)
        return w->second == w->event_count - 1 && is_at(w, w->second, b);
    for (int i = 0; b->task && i < w->waiter_count; i++)
        found |= is_at(w, w->waiters[i].event, b);
    return found;
}

static void run_case(const broken *b)
{
    trial t = prove(b);
    assert_false(t.verdict.proved);
    assert_non_null(t.verdict.witness);
    const ww_witness *w = through_json(&t);
    assert_int_equal(w->fault, b->fault);
    assert_int_equal(w->code, b->code);
    assert_int_equal(w->event_count, b->events);
    assert_true(is_predicted(w, b));
    replay(b, &t, w);
    print_message("%s: %s\n%s%s\n", b->name, w->message, t.error, t.seen.text);
    assert_string_equal(t.error, "");
    assert_true(t.seen.reproduced);
    assert_int_equal(t.seen.events, b->events);
    end(&t);
}

/* Without the counterexample, in whatever order the emulator takes: its clocks know. */
static void find_race(const broken *b)
{
    ww_launch launch = {0};
    ww_kernel *k = broken_declare(b);
    ww_kernel_unchecked(k);
    ww_run *r = ww_run_open(k, &(ww_run_options){.device = WW_DEVICE_EMULATOR, .check_races = true});
    assert_null(ww_run_error(r));
    assert_true(broken_prepare(b, r, &launch));
    ww_run_launch(r, &launch);
    ww_run_wait(r);
    print_message("%s: %s\n", b->name, ww_run_error(r) ? ww_run_error(r) : "no error");
    assert_non_null(ww_run_error(r));
    assert_non_null(strstr(ww_run_error(r), "X-SMEM-RACE"));
    ww_run_close(r);
    ww_kernel_free(k);
}

static void test_races_are_found_in_plain_runs(void **state)
{
    (void)state;
    for (const broken *b = broken_kernels; b->name; b++)
        if (b->fault == WW_FAULT_RACE)
            find_race(b);
}

static void test_broken(void **state)
{
    (void)state;
    for (const broken *b = broken_kernels; b->name; b++)
        run_case(b);
}

/* ---- what is told from one ---------------------------------------------------------------------------------------- */

/* The corrected declaration of a row. */
static broken corrected(const char *name)
{
    broken b = *find(name);
    b.read = "WrR";
    b.pipeline.consumer_arrivals = 0;
    return b;
}

static void test_right_kernels_are_proved(void **state)
{
    (void)state;
    broken b = corrected("copy_after_release");
    trial t = prove(&b);
    assert_true(t.verdict.proved);
    assert_null(t.verdict.witness);
    end(&t);
}

static void test_another_declaration(void **state)
{
    (void)state;
    broken b = corrected("copy_after_release");
    trial t = prove(find("copy_after_release")), right = prove(&b);
    replay(&b, &right, t.verdict.witness);
    assert_false(right.seen.reproduced);
    assert_non_null(strstr(right.error, "not of this kernel"));
    end(&t);
    end(&right);
}

/* What generated files say of their declaration is what a counterexample is checked by. */
static uint64_t declaration_of(ww_kernel *k)
{
    static const char line[] = "// Declaration ";
    const char *at = strstr(ww_kernel_emit(k), line);
    assert_non_null(at);
    return strtoull(at + strlen(line), NULL, 16);
}

/* Though the file claims to be of it: operation numbers mean something else there, and the last ones are not to be had. */
static void test_the_corrected_kernel_diverges(void **state)
{
    (void)state;
    broken b = corrected("copy_after_release");
    trial t = prove(find("copy_after_release")), right = prove(&b);
    ww_witness w = *t.verdict.witness;
    w.declaration = declaration_of(right.kernel);
    replay(&b, &right, &w);
    assert_string_equal(right.error, "");
    assert_false(right.seen.reproduced);
    assert_non_null(strstr(right.seen.text, "not reproduced: diverged at event 9 of 10"));
    end(&t);
    end(&right);
}

static void test_a_wrong_event_diverges(void **state)
{
    (void)state;
    const broken *b = find("fill_after_commit");
    trial t = prove(b);
    ww_witness w = *t.verdict.witness;
    ww_event events[16];
    memcpy(events, w.events, sizeof *events * (size_t)w.event_count);
    w.events = events;
    events[4].op++;
    replay(b, &t, &w);
    assert_string_equal(t.error, "");
    assert_false(t.seen.reproduced);
    assert_int_equal(t.seen.events, 4);
    assert_non_null(strstr(t.seen.text, "diverged at event 5 of 8"));
    end(&t);
}

/* All events are made, but the fault is claimed of two that are ordered. */
static void test_a_wrong_claim_is_not_reproduced(void **state)
{
    (void)state;
    const broken *b = find("fill_after_commit");
    trial t = prove(b);
    ww_witness w = *t.verdict.witness;
    w.first = 3;
    replay(b, &t, &w);
    assert_string_equal(t.error, "");
    assert_false(t.seen.reproduced);
    assert_int_equal(t.seen.events, w.event_count);
    end(&t);
}

/* The two accesses are there in the kernel as it is declared, too, and a fence between them. */
static void test_a_fence_is_no_missing_one(void **state)
{
    (void)state;
    broken b = *find("fences_taken_out");
    trial t = prove(&b);
    b.unfenced = false;
    trial right = prove(&b);
    assert_true(right.verdict.proved);
    ww_witness w = *t.verdict.witness;
    w.declaration = declaration_of(right.kernel);
    replay(&b, &right, &w);
    assert_string_equal(right.error, "");
    assert_false(right.seen.reproduced);
    assert_int_equal(right.seen.events, w.event_count);
    assert_non_null(strstr(right.seen.text, "but a fence lies between the two"));
    end(&t);
    end(&right);
}

static void test_a_wrong_barrier_is_not_reproduced(void **state)
{
    (void)state;
    const broken *b = find("bytes_missing");
    trial t = prove(b);
    ww_witness w = *t.verdict.witness;
    ww_witness_waiter waiter = w.waiters[0];
    waiter.barrier_offset += 8;
    w.waiters = &waiter;
    w.waiter_count = 1;
    replay(b, &t, &w);
    assert_string_equal(t.error, "");
    assert_false(t.seen.reproduced);
    assert_non_null(strstr(t.seen.text, "it does not"));
    end(&t);
}

/* Without marks there is nothing to stop at, and nothing of them in the code that is shipped. */
static void test_marks_are_for_replays(void **state)
{
    (void)state;
    const broken *b = find("bytes_missing");
    trial t = prove(b);
    assert_null(strstr(ww_kernel_emit(t.kernel), "mark"));
    ww_run *r = ww_run_open(t.kernel, &(ww_run_options){.device = WW_DEVICE_EMULATOR});
    assert_null(strstr(ww_run_ptx(r), "mark"));
    ww_run_replay(r, &(ww_launch){0}, t.verdict.witness, &t.seen);
    assert_non_null(strstr(ww_run_error(r), "opened with marks"));
    ww_run_close(r);
    end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_broken),
        cmocka_unit_test(test_races_are_found_in_plain_runs),
        cmocka_unit_test(test_right_kernels_are_proved),
        cmocka_unit_test(test_another_declaration),
        cmocka_unit_test(test_the_corrected_kernel_diverges),
        cmocka_unit_test(test_a_wrong_event_diverges),
        cmocka_unit_test(test_a_wrong_claim_is_not_reproduced),
        cmocka_unit_test(test_a_fence_is_no_missing_one),
        cmocka_unit_test(test_a_wrong_barrier_is_not_reproduced),
        cmocka_unit_test(test_marks_are_for_replays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
