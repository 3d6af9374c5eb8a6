/* Where lowering places fences, and what the prover says where one is missing (WW307). Texts of tasks are mini.h's; what
 * they are lowered to is told by letters:
 *
 *     ( )  loop       { }  block     W  work     P  proxy fence     B, A  tcgen05 fence before, after
 *     a    arrival    w    wait      .  all else is left out */
#include "mini.h"

#include "model/model.h"
#include "prove/prove.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static char letter(const ir_op *op)
{
    static const char letters[IR_KIND_COUNT] = {
        [IR_LOOP] = '(',        [IR_LOOP_END] = ')',   [IR_GUARD] = '{',  [IR_GUARD_END] = '}',
        [IR_WORK] = 'W',        [IR_WAIT] = 'w',       [IR_ARRIVE] = 'a', [IR_EXPECT] = 'a',
        [IR_COPY_ARRIVE] = 'a', [IR_UMMA_COMMIT] = 'a'};
    static const char fences[] = {
        [IR_FENCE_PROXY] = 'P', [IR_FENCE_TCGEN05_BEFORE] = 'B', [IR_FENCE_TCGEN05_AFTER] = 'A'};
    return op->kind == IR_FENCE ? fences[op->fence] : letters[op->kind];
}

static void assert_lowered(const mini *m, int task, const char *expected)
{
    char found[256] = "";
    size_t n = 0;
    const ir_task *t = &m->kernel->program->tasks.at[task];
    for (size_t i = 0; i < t->ops.len && n + 1 < sizeof found; i++)
        if (letter(&t->ops.at[i]))
            found[n++] = letter(&t->ops.at[i]);
    found[n] = '\0';
    assert_string_equal(found, expected);
}

/* A kernel of a buffer x, rings a (AsyncAsync) and t (TmaAsync), and named barriers n and o. */
static mini memory(const char *arch, bool tensor)
{
    mini m = mini_new_with((mini_options){.arch = arch});
    mini_ring(&m, "a", (ww_pipeline){.type = WW_ASYNC_ASYNC, .stages = 2});
    mini_ring(&m, "t", (ww_pipeline){.type = WW_TMA_ASYNC, .stages = 2});
    mini_ring_with(&m, "x", (mini_ring_options){.tensor = tensor});
    mini_named(&m, "n", 0);
    mini_named(&m, "o", 0);
    return m;
}

static void assert_one_task(const char *schedule, const char *expected)
{
    mini m = memory(NULL, false);
    mini_add(&m, "P", 2, schedule);
    ww_verdict v = mini_prove(&m);
    if (v.refutation)
        ww_diag_print(stderr, v.refutation);
    assert_true(v.proved);
    assert_lowered(&m, 0, expected);
    mini_free(&m);
}

static void before_the_next_arrival(void **unused)
{
    (void)unused;
    assert_one_task("(W x Y n S x bulk0 Y n)*k", "(WPawWWaw)");
    assert_one_task("(W x W x Y n S x bulk0 Y n)*k", "(WWPawWWaw)");        /* one for both */
    assert_one_task("(W x Y n W x Y n S x bulk0 Y n)*k", "(WPawWPawWWaw)"); /* one each */
}

static void none_where_no_engine_looks(void **unused)
{
    (void)unused;
    assert_one_task("(W x Y n R x Y n)*k", "(WawWaw)");
}

static void in_blocks_and_loops(void **unused)
{
    (void)unused;
    /* the write may be left out, the arrival not; a trip pays what it owes */
    assert_one_task("(f{W x} Y n S x bulk0 Y n)*k", "({W}PawWWaw)");
    assert_one_task("(W x)*k Y n S x bulk0", "(WP)awWW");
    assert_one_task("W x (Y n S x bulk0)*k", "WP(awWW)");
}

static void before_the_own_engine(void **unused)
{
    (void)unused;
    mini m = memory(NULL, false);
    mini_add(&m, "P", 1, "(W x M x wait0)*k");
    assert_true(mini_prove(&m).proved);
    assert_lowered(&m, 0, "(WPWW)");
    mini_free(&m);
}

/* Named barriers know nothing of tensor memory. */
static void around_named_barriers(void **unused)
{
    (void)unused;
    mini m = memory("sm_100a", true);
    mini_add(&m, "P", 1, "(W x Y n Y o)*k");
    mini_add(&m, "Q", 1, "(Y n R x Y o)*k");
    assert_true(mini_prove(&m).proved);
    assert_lowered(&m, 0, "(WBawawA)");
    assert_lowered(&m, 1, "(awAWBawA)");
    mini_free(&m);
}

/* ---- WW307 -------------------------------------------------------------------------------------------- */

/* What the prover says without fence number `number` of the program. */
static ww_verdict without(mini *m, int number)
{
    const ir_program *p = m->kernel->program;
    for (size_t t = 0; t < p->tasks.len; t++)
        for (size_t i = 0; i < p->tasks.at[t].ops.len; i++)
            if (p->tasks.at[t].ops.at[i].kind == IR_FENCE && number-- == 0)
                p->tasks.at[t].ops.at[i].kind = IR_GRIDDEP_LAUNCH; /* does nothing in the prover */
    return prove_program(m->kernel, p);
}

static void assert_unfenced(const ww_verdict *v, const char *message, const char *expected)
{
    assert_false(v->proved);
    assert_int_equal(v->refutation->code, WW_UNFENCED);
    assert_non_null(strstr(v->refutation->message, message));
    assert_non_null(strstr(v->refutation->expected, expected));
}

static void a_missing_proxy_fence(void **unused)
{
    (void)unused;
    mini m = memory(NULL, false);
    mini_add(&m, "P", 2, "(W x Y n Y o)*k");
    mini_add(&m, "Q", 1, "(Y n S x bulk0 Y o)*k");
    assert_true(mini_prove(&m).proved);
    ww_verdict v = without(&m, 0);
    assert_unfenced(
        &v, "task Q: x.store in trip 0 of its loop stores in bulk from x.b, after task P and without a fence",
        "fence.proxy.async between x.put of task P and this access");
    mini_free(&m);
}

/* A reader's fence stands for the writer's, for all that the reader has heard of. */
static void a_fence_of_the_reader(void **unused)
{
    (void)unused;
    mini m = memory(NULL, false);
    mini_add(&m, "P", 2, "(W x Y n Y o)*k");
    mini_add(&m, "Q", 1, "(Y n W x Y o)*k S x bulk0");
    assert_true(mini_prove(&m).proved);
    assert_lowered(&m, 0, "(WPawaw)");
    assert_lowered(&m, 1, "(awWPaw)WW");
    assert_true(without(&m, 0).proved);
    assert_int_equal(without(&m, 0).refutation->code, WW_UNFENCED); /* that was the last one */
    mini_free(&m);
}

static void a_missing_tcgen05_fence(void **unused)
{
    (void)unused;
    for (int number = 0; number < 4; number++) {
        mini m = memory("sm_100a", true);
        mini_add(&m, "P", 1, "(W x Y n Y o)*k");
        mini_add(&m, "Q", 1, "(Y n R x Y o)*k");
        assert_true(mini_prove(&m).proved);
        ww_verdict v = without(&m, number);
        assert_unfenced(&v, "x.b, after task", "tcgen05.fence::before_thread_sync");
        mini_free(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(before_the_next_arrival), cmocka_unit_test(none_where_no_engine_looks),
        cmocka_unit_test(in_blocks_and_loops),     cmocka_unit_test(before_the_own_engine),
        cmocka_unit_test(around_named_barriers),   cmocka_unit_test(a_missing_proxy_fence),
        cmocka_unit_test(a_fence_of_the_reader),   cmocka_unit_test(a_missing_tcgen05_fence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
