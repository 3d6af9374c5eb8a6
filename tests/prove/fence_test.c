/* Where lowering places fences, and what the prover says where one is missing (WW307). Texts of tasks are mini.h's; what
 * they are lowered to is told by letters:
 *
 *     ( )  loop       { }  block     W  work     P  proxy fence     B, A  tcgen05 fence before, after
 *     a    arrival    w    wait      .  all else is left out */
#include "mini.h"

#include "model/model.h"
#include "prove/explore.h"
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

/* ---- the explorer: fences that come too early or too late -------------------------------------------------- */

static void swap_ops(ir_task *t, size_t a, size_t b)
{
    ir_op op = t->ops.at[a];
    t->ops.at[a] = t->ops.at[b];
    t->ops.at[b] = op;
}

/* The task's first fence of that kind: to the front, or behind the next arrival. */
static void move_fence(const mini *m, int task, ir_fence fence, bool early)
{
    ir_task *t = &m->kernel->program->tasks.at[task];
    size_t at = 0;
    while (t->ops.at[at].kind != IR_FENCE || t->ops.at[at].fence != fence)
        at++;
    for (; early && at > 0; at--)
        swap_ops(t, at, at - 1);
    for (; !early && t->ops.at[at - 1].kind != IR_ARRIVE; at++)
        swap_ops(t, at, at + 1);
}

/* That an access is unfenced, and nothing else is wrong, is found in few orders as it is in all; the prover says so, too. */
static void assert_found_unfenced(mini *m, int task, ir_fence fence, bool early)
{
    assert_true(mini_prove(m).proved);
    move_fence(m, task, fence, early);
    ww_verdict v = prove_program(m->kernel, m->kernel->program);
    assert_int_equal(v.refutation->code, WW_UNFENCED);
    for (int reduced = 0; reduced < 2; reduced++) {
        explore_result r = explore_program(m->kernel, m->kernel->program, (explore_values){.argument = 1},
                                           (explore_options){10000, reduced});
        assert_false(r.capped);
        assert_true(r.unfenced);
        r.unfenced = false;
        assert_true(explore_clean(&r));
    }
    mini_free(m);
}

/* Rings a and b hand nothing on but the order in which x is used. */
static mini chain(const char *arch, bool tensor)
{
    mini m = memory(arch, tensor);
    mini_ring(&m, "b", (ww_pipeline){.type = WW_ASYNC_ASYNC, .stages = 2});
    return m;
}

/* Before the wait by which the task hears of the write. */
static void a_fence_before_the_wait(void **unused)
{
    (void)unused;
    mini m = chain("sm_100a", true);
    mini_add(&m, "P", 1, "A a W a W x C a");
    mini_add(&m, "Q", 1, "w a R a R x L a");
    assert_found_unfenced(&m, 1, IR_FENCE_TCGEN05_AFTER, true);
}

/* It hears of it from a task that has waited. */
static void a_fence_before_a_wait_for_another(void **unused)
{
    (void)unused;
    mini m = chain("sm_100a", true);
    mini_add(&m, "P", 1, "A a W a W x C a");
    mini_add(&m, "Q", 1, "w a R a L a A b W b C b");
    mini_add(&m, "U", 1, "w b R b R x L b");
    assert_found_unfenced(&m, 2, IR_FENCE_TCGEN05_AFTER, true);
}

static void a_fence_after_the_arrival(void **unused)
{
    (void)unused;
    mini m = chain("sm_100a", true);
    mini_add(&m, "P", 1, "A a W a W x C a A a W a C a");
    mini_add(&m, "Q", 1, "w a R a R x L a w a R a L a");
    assert_found_unfenced(&m, 0, IR_FENCE_TCGEN05_BEFORE, false);
}

static void a_proxy_fence_after_the_arrival(void **unused)
{
    (void)unused;
    mini m = chain(NULL, false);
    mini_add(&m, "P", 1, "A a W a W x C a A a W a C a");
    mini_add(&m, "Q", 1, "w a R a S x bulk0 L a w a R a L a");
    assert_found_unfenced(&m, 0, IR_FENCE_PROXY, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(before_the_next_arrival),   cmocka_unit_test(none_where_no_engine_looks),
        cmocka_unit_test(in_blocks_and_loops),       cmocka_unit_test(before_the_own_engine),
        cmocka_unit_test(around_named_barriers),     cmocka_unit_test(a_missing_proxy_fence),
        cmocka_unit_test(a_fence_of_the_reader),     cmocka_unit_test(a_missing_tcgen05_fence),
        cmocka_unit_test(a_fence_before_the_wait),   cmocka_unit_test(a_fence_before_a_wait_for_another),
        cmocka_unit_test(a_fence_after_the_arrival), cmocka_unit_test(a_proxy_fence_after_the_arrival),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
