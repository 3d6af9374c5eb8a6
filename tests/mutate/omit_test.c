/* What lowering adds to a kernel is needed: each fence and each operation on a barrier is taken out of the task program, one
 * at a time, and the prover must refuse what is left. A declaration could not say most of these programs.
 *
 *     omit_test [list] [NAME ...]    NAME: a kernel, or a group of them; list: print each that is still proved
 *     omit_test replay [NAME ...]    and the counterexamples of those without a fence are followed on the emulator, which must
 *                                    find the two accesses without a fence between
 *     omit_test sample [NAME ...]    of every fourth of them */
#include "mutate.h"
#include "prove/prove.h"
#include "replayed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Operations that may go, and why: the rest of the program says the same. */
typedef struct spare {
    const char *kernel, *task, *operation; /* the kernel's name begins with it; NULL: any */
    const char *why;
} spare;

static const spare spares[] = {
#define SPARE(kernel, task, operation, why) {kernel, task, operation, why},
#include "spare.def"
#undef SPARE
};

typedef struct counts {
    int kernels, omitted, refused, fences, unfenced, spared, wrong;
    int replays[REPLAY_ENDS]; /* of those without a fence */
} counts;

typedef struct wishes {
    bool list;
    int replay; /* one in so many; 0: none */
} wishes;

static bool can_be_omitted(ir_kind kind)
{
    return kind == IR_FENCE || kind == IR_WAIT || kind == IR_ARRIVE || kind == IR_EXPECT ||
           kind == IR_COPY_ARRIVE || kind == IR_UMMA_COMMIT;
}

static bool fits(const char *wanted, const char *name)
{
    return !wanted || strncmp(wanted, name, strlen(wanted)) == 0;
}

static const spare *find_spare(const char *kernel, const char *task, const char *operation)
{
    for (size_t i = 0; i < ARRAY_LEN(spares); i++)
        if (fits(spares[i].kernel, kernel) && (!spares[i].task || strcmp(spares[i].task, task) == 0) &&
            strcmp(spares[i].operation, operation) == 0)
            return &spares[i];
    return NULL;
}

/* ---- taking out ---------------------------------------------------------------------------------------- */

/* From `at`, so many operations: those of a sync with a named barrier go together, too. */
typedef struct cut {
    ir_task *task;
    int at, length;
} cut;

/* An operation that does nothing in the prover and on the emulator takes the place of each, so that no other moves. */
static void take_out(cut c, ir_kind kinds[3])
{
    for (int i = 0; i < c.length; i++) {
        kinds[i] = c.task->ops.at[c.at + i].kind;
        c.task->ops.at[c.at + i].kind = IR_GRIDDEP_LAUNCH;
    }
}

static void put_back(cut c, const ir_kind kinds[3])
{
    for (int i = 0; i < c.length; i++)
        c.task->ops.at[c.at + i].kind = kinds[i];
}

static bool is_sync(const ir_program *p, const ir_task *t, int at)
{
    const ir_op *op = &t->ops.at[at];
    return op->kind == IR_ARRIVE && p->barriers.at[op->barrier].side == IR_NAMED &&
           at + 2 < (int)t->ops.len && op[1].kind == IR_WAIT && op[2].kind == IR_ADVANCE;
}

/* ---- judging ------------------------------------------------------------------------------------------- */

static void describe(const ww_kernel *k, cut c, text *out)
{
    text_add(out, c.length > 1 ? "sync: " : "");
    ir_op_text(k->program, c.task, &c.task->ops.at[c.at], out);
}

static void complain(const subject *s, const char *operation, cut c, const char *what)
{
    printf("%s, task %s, operation %d: %s: %s\n", s->name, c.task->name, c.at, operation, what);
}

/* With the operation out. */
static ww_verdict prove_without(const subject *s, ww_kernel *k, cut c, const char *operation, counts *n,
                                bool replay)
{
    ir_kind kinds[3];
    take_out(c, kinds);
    ww_verdict v = prove_program(k, k->program);
    if (replay && !v.proved && v.refutation->code == WW_UNFENCED && !s->declare)
        n->replays[replay_refuted(s, k, v, operation)]++;
    put_back(c, kinds);
    return v;
}

static void judge(const subject *s, ww_kernel *k, cut c, counts *n, wishes w)
{
    bool fence = c.task->ops.at[c.at].kind == IR_FENCE;
    text operation = {0};
    describe(k, c, &operation);
    ww_verdict v =
        prove_without(s, k, c, text_str(&operation), n, w.replay && fence && n->unfenced % w.replay == 0);
    const spare *spared = find_spare(s->name, c.task->name, text_str(&operation));
    n->omitted++;
    n->refused += !v.proved;
    n->spared += v.proved && spared;
    n->fences += fence;
    n->unfenced += fence && !v.proved && v.refutation->code == WW_UNFENCED;
    if (v.proved && (w.list || !spared))
        complain(s, text_str(&operation), c, spared ? spared->why : "still proved without it");
    if (fence && !v.proved && v.refutation->code != WW_UNFENCED)
        complain(s, text_str(&operation), c, v.refutation->message);
    n->wrong += (v.proved && !spared) || (fence && !v.proved && v.refutation->code != WW_UNFENCED);
    text_free(&operation);
}

static void judge_task(const subject *s, ww_kernel *k, ir_task *t, counts *n, wishes w)
{
    for (int i = 0; i < (int)t->ops.len; i++) {
        if (can_be_omitted(t->ops.at[i].kind))
            judge(s, k, (cut){t, i, 1}, n, w);
        if (is_sync(k->program, t, i))
            judge(s, k, (cut){t, i, 3}, n, w);
    }
}

static void judge_subject(const subject *s, counts *n, wishes w)
{
    mutate_begin(NO_EDIT);
    ww_kernel *k = subject_declare(s);
    if (!ww_diag_count(ww_kernel_check(k), WW_ERROR) && ww_kernel_prove(k).proved) {
        n->kernels++;
        for (size_t i = 0; i < k->program->tasks.len; i++)
            judge_task(s, k, &k->program->tasks.at[i], n, w);
    }
    ww_kernel_free(k);
}

static bool is_named(const subject *s, int count, char **names)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], s->name) == 0 || strcmp(names[i], s->group) == 0)
            return true;
    return count == 0;
}

static bool all_reproduced(const int *replays)
{
    int all = 0;
    for (int i = 0; i < REPLAY_ENDS; i++)
        all += replays[i];
    printf("%d counterexamples reproduced, %d not, %d diverged, %d not run, %d died, %d without events\n",
           replays[REPLAY_REPRODUCED], replays[REPLAY_NOT_REPRODUCED], replays[REPLAY_DIVERGED],
           replays[REPLAY_NOT_RUN], replays[REPLAY_DIED], replays[REPLAY_NO_WITNESS]);
    return all > 0 && replays[REPLAY_REPRODUCED] == all;
}

int main(int argc, char **argv)
{
    wishes w = {.list = argc > 1 && strcmp(argv[1], "list") == 0};
    if (argc > 1 && strcmp(argv[1], "replay") == 0)
        w.replay = 1;
    if (argc > 1 && strcmp(argv[1], "sample") == 0)
        w.replay = 4;
    int words = w.list || w.replay;
    subject_list subjects = {0};
    counts n = {0};
    subjects_add_all(&subjects);
    for (size_t i = 0; i < subjects.len; i++)
        if (is_named(&subjects.at[i], argc - 1 - words, argv + 1 + words))
            judge_subject(&subjects.at[i], &n, w);
    vec_free(&subjects);
    printf("%d kernels, %d omissions: %d refused, %d spared, %d wrong; of %d fences %d refused for want of "
           "them\n",
           n.kernels, n.omitted, n.refused, n.spared, n.wrong, n.fences, n.unfenced);
    return n.wrong || (w.replay && !all_reproduced(n.replays)) ? EXIT_FAILURE : EXIT_SUCCESS;
}
