/* Every single edit of a declaration is refused, or is explained.
 *
 *     mutate_test                     every so-manieth mutant of each kernel, in seconds
 *     mutate_test full [NAME ...]     all of them, with a table
 *     mutate_test list [NAME ...]     as full, and prints each mutant with what came of it
 *     mutate_test run [NAME ...]      as list; those accepted run on the emulator, where the kernel can
 *     mutate_test replay [NAME ...]   every so-manieth: the counterexamples of those refuted, on the emulator (replayed.c)
 *     mutate_test replay NAME NUMBER  one of them, with its timeline
 *     mutate_test show NAME NUMBER    one mutant: diagnostics, program, code
 *
 * A mutant that is accepted must be explained: its code is the author's but for comments, or its tasks do the same work on the
 * same fillings in the same order. Everything else that is accepted is another program, soundly synchronised, and stands
 * in the list of docs/mutation.md. The explorer must find no fault in any that is accepted, and one in each that the prover
 * refutes, as far as instances are small enough. Mutants are judged in child
 * processes, so that one that ends the process is counted like any other. */
#include "mutate.h"
#include "outcome.h"
#include "replayed.h"

#include <stdio.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TIME_LIMIT_S = 60, SAMPLE = 60, SHOWN = 200 };

static const char *const outcome_names[OUTCOMES] = {"rule",      "prover",        "unprovable", "same code",
                                                    "same work", "other program", "listed",     "UNEXPLAINED",
                                                    "FAULT",     "CRASH"};

typedef struct verdict {
    outcome outcome;
    int code;
    explored explored;
    subject_run run;
    char text[SHOWN], why[SHOWN], wrong[SHOWN];
} verdict;

typedef struct original {
    ww_kernel *kernel;
    text code, trace;
    int mutants;
} original;

typedef struct settings {
    bool full, list, run;
    int step;
} settings;

/* ---- comparing ------------------------------------------------------------------------------------------- */

/* What is emitted, without comments: they name lines of the schedule. */
static void code_of(ww_kernel *k, text *out)
{
    const char *c = ww_kernel_emit(k);
    while (c && *c) {
        const char *comment = strstr(c, "/*"), *line = strstr(c, "//");
        const char *next = !comment || (line && line < comment) ? line : comment;
        text_add_n(out, c, next ? (size_t)(next - c) : strlen(c));
        if (!next)
            return;
        const char *end = next == line ? strchr(next, '\n') : strstr(next, "*/");
        c = !end ? NULL : next == line ? end : end + 2;
    }
}

static bool equal(text *a, const text *b)
{
    bool same = a->len == b->len && memcmp(text_str(a), text_str(b), a->len) == 0;
    text_free(a);
    return same;
}

static outcome compare(ww_kernel *k, const original *o)
{
    text code = {0}, trace = {0};
    code_of(k, &code);
    if (equal(&code, &o->code))
        return SAME_CODE;
    trace_program(k->program, &trace);
    return equal(&trace, &o->trace) ? SAME_WORK : OTHER_PROGRAM;
}

/* ---- one mutant ------------------------------------------------------------------------------------------ */

static const ww_diag *first_error(const ww_diag *d)
{
    while (d && d->severity != WW_ERROR)
        d = d->next;
    return d;
}

static void refuse(verdict *v, outcome what, const ww_diag *d)
{
    v->outcome = what;
    v->code = (int)d->code;
    (void)snprintf(v->why, sizeof v->why, "%.*s", SHOWN - 1, d->message);
}

/* What an accepted edit is put down to. */
static void explain(verdict *v, const subject *s)
{
    const char *why = reason_listed(s->name, v->text);
    if (why)
        v->outcome = LISTED;
    else if (!(why = reason_of(v->outcome, v->text)))
        v->outcome = UNEXPLAINED;
    (void)snprintf(v->why, sizeof v->why, "%s", why ? why : "");
}

static void judge_accepted(verdict *v, ww_kernel *k, const subject *s, const original *o)
{
    v->outcome = compare(k, o);
    if (v->outcome == SAME_CODE)
        return;
    v->explored = explore_accepted(k);
    if (v->explored == EXPLORED_FAULT)
        v->outcome = FAULT;
    else
        explain(v, s);
    const ww_diag *warned = ww_kernel_check(k);
    v->code = warned ? (int)warned->code : 0;
}

/* A refutation names an instance; the explorer must find a fault in one of about that size, unless it is too large. */
static void judge_refuted(verdict *v, ww_kernel *k, const ww_diag *refutation)
{
    bool refuted = refutation->code != WW_UNPROVABLE;
    refuse(v, refuted ? REFUSED_BY_PROVER : UNPROVABLE, refutation);
    if (refuted)
        v->explored = explore_refuted(k);
}

static verdict judge(const subject *s, const original *o, int number, const settings *set)
{
    verdict v = {.run = RUN_NOT_TRIED};
    mutate_begin(number);
    ww_kernel *k = subject_declare(s);
    (void)snprintf(v.text, sizeof v.text, "%s", mutate_text());
    const ww_diag *error = first_error(ww_kernel_check(k));
    ww_verdict proof = {0};
    if (!error)
        proof = ww_kernel_prove(k);
    if (error)
        refuse(&v, REFUSED_BY_RULE, error);
    else if (!proof.proved)
        judge_refuted(&v, k, proof.refutation);
    else
        judge_accepted(&v, k, s, o);
    ww_kernel_free(k);
    if (set->run && v.outcome > SAME_CODE && v.outcome < FAULT) {
        text why = {0};
        mutate_begin(number);
        v.run = subject_try(s, &why);
        (void)snprintf(v.wrong, sizeof v.wrong, "%s", text_str(&why));
        text_free(&why);
    }
    return v;
}

/* ---- in child processes ---------------------------------------------------------------------------------- */

static void judge_from(const subject *s, const original *o, int number, const settings *set, int to)
{
    for (; number < o->mutants; number += set->step) {
        (void)alarm(TIME_LIMIT_S);
        verdict v = judge(s, o, number, set);
        if (write(to, &v, sizeof v) != (ssize_t)sizeof v)
            _exit(1);
    }
    _exit(0);
}

static bool read_verdict(int from, verdict *v)
{
    size_t have = 0;
    while (have < sizeof *v) {
        ssize_t n = read(from, (char *)v + have, sizeof *v - have);
        if (n <= 0)
            return false;
        have += (size_t)n;
    }
    return true;
}

typedef VEC(verdict) verdict_list;

/* One child's work: as far as it comes. */
static bool judge_some(const subject *s, const original *o, int number, const settings *set,
                       verdict_list *out)
{
    int ends[2];
    (void)fflush(stdout);
    if (pipe(ends) != 0)
        return false;
    pid_t child = fork();
    if (child < 0)
        return false;
    if (child == 0) {
        (void)close(ends[0]);
        judge_from(s, o, number, set, ends[1]);
    }
    (void)close(ends[1]);
    verdict v;
    while (read_verdict(ends[0], &v))
        vec_push(out, v);
    (void)close(ends[0]);
    return waitpid(child, NULL, 0) == child;
}

static void judge_all(const subject *s, const original *o, const settings *set, verdict_list *out)
{
    int first = set->full ? 0 : (int)(strlen(s->name) % (size_t)set->step);
    for (int number = first; number < o->mutants; number = first + (int)out->len * set->step) {
        if (!judge_some(s, o, number, set, out))
            return;
        int ended_at = first + (int)out->len * set->step;
        if (ended_at >= o->mutants)
            return;
        verdict crash = {.outcome = CRASH};
        mutate_begin(ended_at);
        ww_kernel_free(subject_declare(s));
        (void)snprintf(crash.text, sizeof crash.text, "%s", mutate_text());
        vec_push(out, crash);
    }
}

/* ---- one kernel ------------------------------------------------------------------------------------------ */

/* False when the kernel as it stands is not proved: such a one says nothing about mutants. */
static bool declare_original(const subject *s, original *o)
{
    mutate_set_original(NULL);
    mutate_begin(NO_EDIT);
    o->kernel = subject_declare(s);
    if (first_error(ww_kernel_check(o->kernel)) || !ww_kernel_prove(o->kernel).proved)
        return false;
    code_of(o->kernel, &o->code);
    trace_program(o->kernel->program, &o->trace);
    mutate_set_original(o->kernel);
    mutate_begin(NO_EDIT);
    ww_kernel_free(subject_declare(s));
    o->mutants = mutate_places();
    return true;
}

static void free_original(original *o)
{
    mutate_set_original(NULL);
    ww_kernel_free(o->kernel);
    text_free(&o->code);
    text_free(&o->trace);
}

static const char *const explored_names[] = {[EXPLORED_NOT] = "",
                                             [EXPLORED_CLEAN] = " explored: clean",
                                             [EXPLORED_FAULT] = " explored: fault",
                                             [EXPLORED_TOO_LARGE] = " too large to explore"};
static const char *const run_names[] = {
    [RUN_RIGHT] = "runs right", [RUN_WRONG] = "runs wrong", [RUN_NOT_TRIED] = ""};

static bool is_shown(const verdict *v, const settings *set)
{
    return v->outcome >= UNEXPLAINED || set->list ||
           (v->outcome == REFUSED_BY_PROVER && v->explored == EXPLORED_CLEAN);
}

static void print_mutant(const subject *s, int number, const verdict *v)
{
    (void)printf("%s %d | %s | %s", s->name, number, v->text, outcome_names[v->outcome]);
    if (v->code)
        (void)printf(" WW%d", v->code);
    (void)printf(" | %s%s | %s | %s\n", run_names[v->run], explored_names[v->explored], v->why, v->wrong);
}

typedef struct tally {
    int mutants, of[OUTCOMES], right, wrong, explored, confirmed, unconfirmed;
} tally;

static void count(tally *t, const verdict *v)
{
    t->mutants++;
    t->of[v->outcome]++;
    t->right += v->run == RUN_RIGHT;
    t->wrong += v->run == RUN_WRONG;
    t->explored += v->outcome != REFUSED_BY_PROVER && v->explored == EXPLORED_CLEAN;
    t->confirmed += v->outcome == REFUSED_BY_PROVER && v->explored == EXPLORED_FAULT;
    t->unconfirmed += v->outcome == REFUSED_BY_PROVER && v->explored == EXPLORED_CLEAN;
}

static void add_tally(tally *sum, const tally *t)
{
    sum->mutants += t->mutants;
    for (int i = 0; i < OUTCOMES; i++)
        sum->of[i] += t->of[i];
    sum->right += t->right;
    sum->wrong += t->wrong;
    sum->explored += t->explored;
    sum->confirmed += t->confirmed;
    sum->unconfirmed += t->unconfirmed;
}

static void print_tally(const char *name, const tally *t)
{
    (void)printf("%-28s %6d", name, t->mutants);
    for (int i = 0; i < OUTCOMES; i++)
        (void)printf(" %6d", t->of[i]);
    (void)printf(" %6d %6d %6d %6d %6d\n", t->explored, t->confirmed, t->unconfirmed, t->right, t->wrong);
}

static void try_subject(const subject *s, const settings *set, tally *sum)
{
    original o = {0};
    if (!declare_original(s, &o)) {
        (void)printf("%-28s not proved as it stands\n", s->name);
        free_original(&o);
        return;
    }
    verdict_list verdicts = {0};
    tally t = {0};
    judge_all(s, &o, set, &verdicts);
    int first = set->full ? 0 : (int)(strlen(s->name) % (size_t)set->step);
    for (size_t i = 0; i < verdicts.len; i++) {
        count(&t, &verdicts.at[i]);
        if (is_shown(&verdicts.at[i], set))
            print_mutant(s, first + (int)i * set->step, &verdicts.at[i]);
    }
    print_tally(s->name, &t);
    add_tally(sum, &t);
    vec_free(&verdicts);
    free_original(&o);
}

/* ---- command line ---------------------------------------------------------------------------------------- */

static void show(const subject *s, int number)
{
    original o = {0};
    (void)declare_original(s, &o);
    mutate_begin(number);
    ww_kernel *k = subject_declare(s);
    (void)printf("%s\n", mutate_text());
    ww_diag_print(stdout, ww_kernel_check(k));
    ww_verdict v = ww_kernel_prove(k);
    (void)printf("%s\n", v.proved ? v.covered : "not proved");
    if (v.refutation)
        ww_diag_print(stdout, v.refutation);
    text dump = {0};
    if (k->program)
        ir_dump(k->program, &dump);
    (void)printf("%s", text_str(&dump));
    text_free(&dump);
    ww_kernel_free(k);
    free_original(&o);
}

static bool is_named(const subject *s, int count, char **names)
{
    for (int i = 0; i < count; i++)
        if (strcmp(s->name, names[i]) == 0 || strcmp(s->group, names[i]) == 0)
            return true;
    return count == 0;
}

static int replay_all(const subject_list *subjects, int count, char **names)
{
    int sum[REPLAY_ENDS] = {0}, died = replay_mutants(NULL, 0, sum);
    bool one = count == 2 && atoi(names[1]) > 0;
    const subject *s;
    vec_each(s, subjects)
        if (one && is_named(s, 1, names))
            replay_show(s, atoi(names[1]));
        else if (!one && (s->feature || s->program) && is_named(s, count, names))
            died += replay_mutants(s, count ? 1 : SAMPLE, sum);
    replay_print_sum(sum);
    return died > 0;
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    settings set = {.run = strcmp(mode, "run") == 0};
    set.list = set.run || strcmp(mode, "list") == 0;
    set.full = set.list || strcmp(mode, "full") == 0;
    set.step = set.full ? 1 : SAMPLE;
    subject_list subjects = {0};
    subjects_add_all(&subjects);
    if (strcmp(mode, "replay") == 0)
        return replay_all(&subjects, argc - 2, argv + 2);
    tally sum = {0};
    (void)printf("%-28s %6s %6s %6s %6s %6s %6s %6s %6s %6s %6s %6s %6s %6s %6s %6s %6s\n", "kernel", "all",
                 "rule", "prover", "unprov", "code", "work", "other", "listed", "why?", "fault", "crash",
                 "explor", "confir", "clean?", "right", "wrong");
    subject *s;
    vec_each(s, &subjects) {
        bool named = is_named(s, argc > 2 ? (strcmp(mode, "show") == 0 ? 1 : argc - 2) : 0, argv + 2);
        if (strcmp(mode, "show") == 0 && named)
            show(s, argc > 3 ? atoi(argv[3]) : NO_EDIT);
        else if (named)
            try_subject(s, &set, &sum);
    }
    print_tally("sum", &sum);
    vec_free(&subjects);
    return sum.of[UNEXPLAINED] || sum.of[FAULT] || sum.of[CRASH] || sum.unconfirmed;
}
