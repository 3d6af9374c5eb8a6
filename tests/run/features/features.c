/* features: runs the kernels of all families on one device and lists which of them did what they should.
 *
 *     features [--device gpu|emu|none] [--async late|early|random] [--seed N] [--repeat N]
 *              [--check-fences] [--check-races] [--list] [--cuda|--table|--audit|--bodies] [NAME ...]
 *
 * Device none: assembles the kernels and runs nothing. --audit compares compiled bodies with their rows in place of running;
 * --bodies does that, and prints a line a body. A NAME is a family or family.kernel; none: all. Each kernel runs
 * in a process of its own, so that one that hangs or faults does not take the others along. Kernels for another
 * architecture than the GPU's are skipped, and counted as such. Exit status 0: none failed. */
#include "feature.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const family *const families[] = {
    &rings_family,     &bulk_family,    &gemms_family,  &stores_family,    &peers_family,
    &turns_family,     &named_family,   &groups_family, &multicast_family, &queues_family,
    &schedules_family, &aliases_family, &pdl_family,    &only_family,      &blackwell_family,
};

enum { TIME_LIMIT_S = 180 }; /* of one kernel */

typedef struct settings {
    ww_run_options run;
    unsigned long repeat; /* of each check: races may need several tries to show */
    bool list, cuda, table, audit, bodies;
    const char *const *names;
    int name_count;
} settings;

/* How a kernel ended; what its process ends with. */
typedef enum outcome { PASSED, FAILED, SKIPPED, OUTCOMES } outcome;

/* ---- one kernel ------------------------------------------------------------------------------------------- */

/* No finding, and proved. */
static bool is_accepted(ww_kernel *k)
{
    const ww_diag *found = ww_kernel_check(k);
    if (ww_diag_count(found, WW_WARNING)) {
        ww_diag_print(stdout, found);
        return false;
    }
    ww_verdict v = ww_kernel_prove(k);
    if (v.proved)
        return true;
    ww_diag_print(stdout, v.refutation);
    return false;
}

static void try_kernel(trial *t, const feature *f, const settings *s)
{
    size_t bytes = 0;
    bool runs = s->run.device != WW_DEVICE_NONE;
    if (ww_run_error(t->run))
        (void)snprintf(t->wrong, sizeof t->wrong, "%s", ww_run_error(t->run));
    else if (!runs && (!ww_run_cubin(t->run, &bytes) || !bytes))
        (void)snprintf(t->wrong, sizeof t->wrong, "no CUBIN");
    for (unsigned long i = 0; runs && i < s->repeat && !*t->wrong; i++)
        f->check(t, f);
}

/* The GPU that was asked for is of another architecture than the family's. */
static bool is_foreign(const family *in, const settings *s, const trial *t)
{
    const char *error = ww_run_error(t->run);
    return in->arch && s->run.device == WW_DEVICE_GPU && error && strstr(error, "cannot run code for");
}

static outcome run_kernel(const family *in, const feature *f, ww_kernel *k, const settings *s,
                          const char *label)
{
    if (!is_accepted(k)) {
        printf("FAIL %-28s refused\n", label);
        return FAILED;
    }
    trial t = {.run = ww_run_open(k, &s->run)};
    bool foreign = is_foreign(in, s, &t);
    if (!foreign)
        try_kernel(&t, f, s);
    ww_run_close(t.run);
    if (foreign) {
        printf("SKIP %-28s proved; it is for %s\n", label, in->arch);
        return SKIPPED;
    }
    printf("%s %-28s proved%s%s\n", *t.wrong ? "FAIL" : "PASS", label, *t.wrong ? "; " : "", t.wrong);
    return *t.wrong ? FAILED : PASSED;
}

static bool print_cuda(ww_kernel *k)
{
    const char *text = ww_kernel_emit(k);
    if (text)
        puts(text);
    else
        ww_diag_print(stdout, ww_kernel_check(k));
    return text != NULL;
}

static bool print_table(ww_kernel *k)
{
    ww_kernel_table(k, stdout);
    return !ww_diag_count(ww_kernel_check(k), WW_ERROR);
}

/* No finding about its bodies. */
static outcome audit_kernel(ww_kernel *k, const settings *s, const char *label)
{
    ww_audit a = ww_kernel_audit(k);
    bool passed = a.done && !a.findings;
    ww_diag_print(stdout, a.findings);
    if (s->bodies)
        printf("%s", a.listing);
    printf("%s %-28s %u bodies, %u undecided, %.0f ms%s%s\n", passed ? "PASS" : "FAIL", label, a.bodies,
           a.undecided, a.milliseconds, a.done ? "" : "; ", a.done ? "" : a.why_not);
    return passed ? PASSED : FAILED;
}

static outcome look_at_kernel(ww_kernel *k, const settings *s, const char *label)
{
    if (s->cuda)
        return print_cuda(k) ? PASSED : FAILED;
    if (s->table)
        return print_table(k) ? PASSED : FAILED;
    return audit_kernel(k, s, label);
}

static outcome run_feature(const family *in, const feature *f, const settings *s)
{
    char kernel[64], label[64];
    (void)snprintf(kernel, sizeof kernel, "%s_%s", in->name, f->name);
    (void)snprintf(label, sizeof label, "%s.%s", in->name, f->name);
    ww_kernel *k = f->declare(f, kernel);
    bool look = s->cuda || s->table || s->audit;
    outcome o = look ? look_at_kernel(k, s, label) : run_kernel(in, f, k, s, label);
    ww_kernel_free(k);
    return o;
}

/* ---- each in a process of its own -------------------------------------------------------------------------- */

static outcome wait_for(pid_t child, const family *in, const feature *f)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return FAILED;
    if (WIFSIGNALED(status))
        printf("FAIL %s.%s: ended by signal %d%s\n", in->name, f->name, WTERMSIG(status),
               WTERMSIG(status) == SIGALRM ? ", the time limit" : "");
    return WIFEXITED(status) && WEXITSTATUS(status) < OUTCOMES ? (outcome)WEXITSTATUS(status) : FAILED;
}

static outcome run_apart(const family *in, const feature *f, const settings *s)
{
    (void)fflush(stdout);
    pid_t child = fork();
    if (child < 0) {
        perror("fork");
        return FAILED;
    }
    if (child > 0)
        return wait_for(child, in, f);
    (void)alarm(TIME_LIMIT_S);
    exit((int)run_feature(in, f, s));
}

/* ---- which ones -------------------------------------------------------------------------------------------- */

static bool is_named(const family *in, const feature *f, const char *name)
{
    size_t length = strlen(in->name);
    if (strncmp(name, in->name, length) != 0)
        return false;
    return !name[length] || (name[length] == '.' && strcmp(name + length + 1, f->name) == 0);
}

static bool is_wanted(const family *in, const feature *f, const settings *s)
{
    bool wanted = !s->name_count;
    for (int i = 0; i < s->name_count; i++)
        wanted |= is_named(in, f, s->names[i]);
    return wanted;
}

static int run_wanted(const settings *s)
{
    int run = 0, counts[OUTCOMES] = {0};
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        for (const feature *f = families[i]->features; f->name; f++) {
            if (!is_wanted(families[i], f, s))
                continue;
            run++;
            if (s->list)
                printf("%s.%s\n", families[i]->name, f->name);
            else
                counts[run_apart(families[i], f, s)]++;
        }
    if (!run)
        printf("no such kernel\n");
    else if (!s->list && !s->cuda && !s->table)
        printf("features: %d of %d passed, %d skipped: %s\n", counts[PASSED], run, counts[SKIPPED],
               counts[FAILED] ? "FAIL" : "PASS");
    return !run || counts[FAILED];
}

/* ---- command line ------------------------------------------------------------------------------------------- */

typedef struct choice {
    const char *option, *word;
    int value;
} choice;

static const choice choices[] = {
    {"--device", "gpu", WW_DEVICE_GPU},   {"--device", "emu", WW_DEVICE_EMULATOR},
    {"--device", "none", WW_DEVICE_NONE}, {"--async", "late", WW_ASYNC_LATE},
    {"--async", "early", WW_ASYNC_EARLY}, {"--async", "random", WW_ASYNC_RANDOM},
};

static bool choose_word(settings *s, const char *option, const char *word)
{
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        const choice *c = &choices[i];
        if (strcmp(c->option, option) != 0 || strcmp(c->word, word) != 0)
            continue;
        if (option[2] == 'd')
            s->run.device = (ww_device_kind)c->value;
        else
            s->run.async_order = (ww_async_order)c->value;
        return true;
    }
    return false;
}

static bool choose(settings *s, const char *option, const char *word)
{
    if (strcmp(option, "--seed") == 0)
        s->run.seed = strtoull(word, NULL, 0);
    else if (strcmp(option, "--repeat") == 0)
        s->repeat = strtoul(word, NULL, 0);
    else
        return choose_word(s, option, word);
    return true;
}

static bool choose_flag(settings *s, const char *option)
{
    bool bodies = strcmp(option, "--bodies") == 0;
    if (strcmp(option, "--list") == 0)
        s->list = true;
    else if (strcmp(option, "--cuda") == 0)
        s->cuda = true;
    else if (strcmp(option, "--table") == 0)
        s->table = true;
    else if (strcmp(option, "--check-fences") == 0)
        s->run.check_fences = true;
    else if (strcmp(option, "--check-races") == 0)
        s->run.check_races = true;
    else if (bodies || strcmp(option, "--audit") == 0)
        s->audit = true;
    else
        return false;
    s->bodies |= bodies;
    return true;
}

static bool read_options(settings *s, int argc, char **argv)
{
    int i = 1;
    for (; i < argc && argv[i][0] == '-'; i++) {
        if (choose_flag(s, argv[i]))
            continue;
        if (i + 1 < argc && choose(s, argv[i], argv[i + 1]))
            i++;
        else
            return false;
    }
    s->names = (const char *const *)&argv[i];
    s->name_count = argc - i;
    return true;
}

static const char usage[] =
    "usage: features [--device gpu|emu|none] [--async late|early|random] [--seed N] [--repeat N] "
    "[--check-fences] [--check-races] [--list] [--cuda|--table|--audit|--bodies] [NAME ...]\n";

int main(int argc, char **argv)
{
    settings s = {.run = {.seed = 1}, .repeat = 1};
    if (!read_options(&s, argc, argv)) {
        (void)fputs(usage, stderr);
        return 2;
    }
    return run_wanted(&s);
}
