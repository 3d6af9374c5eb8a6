/* Counterexamples of mutants, replayed: rules are left out, so that the prover judges every mutant that can be lowered, and
 * each counterexample it gives is followed on the emulator. */
#include "mutate.h"
#include "replayed.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TIME_LIMIT_S = 120 };

static const char *const end_names[] = {"none",     "reproduced", "not reproduced",
                                        "diverged", "not run",    "DIED"};

static void print_lines(const char *s)
{
    for (; *s; s++)
        (void)putchar(*s == '\n' ? ' ' : *s);
}

static replay_end follow(const subject *s, ww_kernel *k, ww_verdict v, const char *label)
{
    ww_replay seen = {0};
    text why = {0};
    if (!v.witness)
        return REPLAY_NO_WITNESS;
    subject_replay(s, k, v.witness, &seen, &why);
    replay_end e = why.len           ? REPLAY_NOT_RUN
                   : seen.reproduced ? REPLAY_REPRODUCED
                   : seen.text && strstr(seen.text, "not reproduced: diverged at event")
                       ? REPLAY_DIVERGED
                       : REPLAY_NOT_REPRODUCED;
    if (e != REPLAY_REPRODUCED) {
        (void)printf("%s | %s | %s | %s | ", s->name, label, end_names[e], v.refutation->message);
        print_lines(why.len ? text_str(&why) : seen.text ? seen.text : "");
        (void)printf("\n");
    }
    text_free(&why);
    return e;
}

static replay_end follow_mutant(const subject *s, int number)
{
    text label = {0};
    mutate_begin(number);
    ww_kernel *k = subject_declare(s);
    ww_kernel_unchecked(k);
    (void)ww_kernel_check(k);
    text_printf(&label, "%d | %s", number, mutate_text());
    replay_end e = follow(s, k, k->program ? ww_kernel_prove(k) : (ww_verdict){0}, text_str(&label));
    text_free(&label);
    return e;
}

/* ---- each in a process of its own ------------------------------------------------------------------------------- */

/* In the child: true. */
static bool begin_apart(pid_t *child)
{
    (void)fflush(stdout);
    *child = fork();
    if (*child == 0)
        (void)alarm(TIME_LIMIT_S);
    return *child == 0;
}

static _Noreturn void end_apart(replay_end e)
{
    (void)fflush(stdout);
    _exit((int)e);
}

static replay_end end_of(pid_t child)
{
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
        WEXITSTATUS(status) >= REPLAY_ENDS)
        return REPLAY_DIED;
    return (replay_end)WEXITSTATUS(status);
}

static replay_end replay_apart(const subject *s, int number)
{
    pid_t child;
    if (begin_apart(&child))
        end_apart(follow_mutant(s, number));
    return end_of(child);
}

replay_end replay_refuted(const subject *s, ww_kernel *k, ww_verdict v, const char *label)
{
    pid_t child;
    if (begin_apart(&child))
        end_apart(follow(s, k, v, label));
    return end_of(child);
}

/* ---- all mutants of a kernel ------------------------------------------------------------------------------------ */

/* The kernel as it stands is where edits of counts find what was derived. */
static ww_kernel *declare_original(const subject *s, int *mutants)
{
    mutate_set_original(NULL);
    mutate_begin(NO_EDIT);
    ww_kernel *k = subject_declare(s);
    (void)ww_kernel_check(k);
    mutate_set_original(k);
    mutate_begin(NO_EDIT);
    ww_kernel_free(subject_declare(s));
    *mutants = mutate_places();
    return k;
}

static void print_row(const char *name, const int *of)
{
    (void)printf("%-28s", name);
    for (int i = 0; i < REPLAY_ENDS; i++)
        (void)printf(" %6d", of[i]);
    (void)printf("\n");
}

int replay_mutants(const subject *s, int step, int *sum)
{
    int mutants = 0, of[REPLAY_ENDS] = {0};
    if (!s) {
        (void)printf("%-28s %6s %6s %6s %6s %6s %6s\n", "kernel", "none", "yes", "no", "diverg", "norun",
                     "died");
        return 0;
    }
    ww_kernel *original = declare_original(s, &mutants);
    for (int number = (int)(strlen(s->name) % (size_t)step); number < mutants; number += step)
        of[replay_apart(s, number)]++;
    mutate_set_original(NULL);
    ww_kernel_free(original);
    print_row(s->name, of);
    for (int i = 0; i < REPLAY_ENDS; i++)
        sum[i] += of[i];
    return of[REPLAY_DIED];
}

void replay_show(const subject *s, int number)
{
    int mutants = 0;
    ww_kernel *original = declare_original(s, &mutants);
    mutate_begin(number);
    ww_kernel *k = subject_declare(s);
    ww_kernel_unchecked(k);
    (void)ww_kernel_check(k);
    ww_verdict v = k->program ? ww_kernel_prove(k) : (ww_verdict){0};
    if (v.witness)
        ww_witness_print(v.witness, stdout, 0);
    ww_kernel_free(k);
    (void)printf("%s\n", end_names[replay_apart(s, number)]);
    mutate_set_original(NULL);
    ww_kernel_free(original);
}

void replay_print_sum(const int *sum)
{
    print_row("sum", sum);
}
