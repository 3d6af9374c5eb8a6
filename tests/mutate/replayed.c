/* Counterexamples of mutants, replayed: rules are left out, so that the prover judges every mutant that can be lowered, and
 * each counterexample it gives is followed on the emulator. */
#include "mutate.h"
#include "replayed.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TIME_LIMIT_S = 120 };

typedef enum end { NO_WITNESS, REPRODUCED, NOT_REPRODUCED, DIVERGED, NOT_RUN, DIED, ENDS } end;

static const char *const end_names[] = {"none",     "reproduced", "not reproduced",
                                        "diverged", "not run",    "DIED"};

static void print_lines(const char *s)
{
    for (; *s; s++)
        (void)putchar(*s == '\n' ? ' ' : *s);
}

static end replay_one(const subject *s, int number)
{
    ww_replay seen = {0};
    text why = {0};
    mutate_begin(number);
    ww_kernel *k = subject_declare(s);
    ww_kernel_unchecked(k);
    (void)ww_kernel_check(k);
    ww_verdict v = k->program ? ww_kernel_prove(k) : (ww_verdict){0};
    if (!v.witness)
        return NO_WITNESS;
    subject_replay(s, k, v.witness, &seen, &why);
    end e = why.len                                                               ? NOT_RUN
            : seen.reproduced                                                     ? REPRODUCED
            : seen.text && strstr(seen.text, "not reproduced: diverged at event") ? DIVERGED
                                                                                  : NOT_REPRODUCED;
    if (e != REPRODUCED) {
        (void)printf("%s %d | %s | %s | %s | ", s->name, number, mutate_text(), end_names[e],
                     v.refutation->message);
        print_lines(why.len ? text_str(&why) : seen.text ? seen.text : "");
        (void)printf("\n");
    }
    return e;
}

static end replay_apart(const subject *s, int number)
{
    int status = 0;
    (void)fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        (void)alarm(TIME_LIMIT_S);
        end e = replay_one(s, number);
        (void)fflush(stdout);
        _exit((int)e);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) >= ENDS)
        return DIED;
    return (end)WEXITSTATUS(status);
}

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
    for (int i = 0; i < ENDS; i++)
        (void)printf(" %6d", of[i]);
    (void)printf("\n");
}

int replay_mutants(const subject *s, int step, int *sum)
{
    int mutants = 0, of[ENDS] = {0};
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
    for (int i = 0; i < ENDS; i++)
        sum[i] += of[i];
    return of[DIED];
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
