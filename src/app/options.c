/* Options: those every program has, then the program's own. */
#include "app/command.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>

enum { MAX_INTS = 8 };

/* Reads `count` comma-separated ints of at least `least`; writes none of them unless all are good. */
static bool parse_ints(const char *value, int count, int least, int *target)
{
    int read[MAX_INTS] = {0};
    for (int i = 0; i < count; i++) {
        char *end;
        errno = 0;
        long v = strtol(value, &end, 10);
        if (end == value || errno || v < least || v > INT_MAX || *end != (i + 1 < count ? ',' : '\0'))
            return false;
        read[i] = (int)v;
        value = end + 1;
    }
    memcpy(target, read, sizeof *read * (size_t)count);
    return true;
}

static bool parse_word(const char *value, const char *const *words, int *choice)
{
    for (int i = 0; words[i]; i++)
        if (strcmp(value, words[i]) == 0) {
            *choice = i;
            return true;
        }
    return false;
}

static bool set_device(command_line *line, const char *value)
{
    static const char *const words[] = {"auto", "gpu", "emu", NULL};
    int choice;
    if (!parse_word(value, words, &choice))
        return false;
    line->run.device = (ww_device_kind)choice;
    return true;
}

static bool set_order(command_line *line, const char *value)
{
    static const char *const words[] = {"late", "early", "random", NULL};
    int choice;
    if (!parse_word(value, words, &choice))
        return false;
    line->run.async_order = (ww_async_order)choice;
    return true;
}

static bool set_order_seed(command_line *line, const char *value)
{
    int seed;
    bool ok = parse_ints(value, 1, 0, &seed);
    line->run.seed = ok ? (uint64_t)seed : 0;
    return ok;
}

static bool set_threads(command_line *line, const char *value)
{
    int threads;
    bool ok = parse_ints(value, 1, 1, &threads);
    line->run.host_threads = ok ? (unsigned)threads : 0;
    return ok;
}

static bool set_output(command_line *line, const char *value)
{
    line->output = value;
    return true;
}

static bool set_certificate(command_line *line, const char *value)
{
    line->certificate = value;
    return true;
}

static bool set_certificate_to_check(command_line *line, const char *value)
{
    line->to_check = value;
    return true;
}

static bool set_repetitions(command_line *line, const char *value)
{
    return parse_ints(value, 1, 1, &line->repetitions);
}

static bool set_warm_up(command_line *line, const char *value)
{
    return parse_ints(value, 1, 1, &line->warm_up);
}

static bool set_format(command_line *line, const char *value)
{
    static const char *const words[] = {"text", "json", NULL};
    int choice;
    if (!parse_word(value, words, &choice))
        return false;
    line->json = choice == 1;
    return true;
}

/* "WW108=the value is for the debugger" */
static bool set_suppressed(command_line *line, const char *value)
{
    char code[32];
    size_t len = strcspn(value, "=");
    if (!value[len] || !value[len + 1] || len >= sizeof code ||
        line->suppressed_count == COMMAND_MOST_SUPPRESSED)
        return false;
    memcpy(code, value, len);
    code[len] = '\0';
    command_suppression *s = &line->suppressed[line->suppressed_count];
    *s = (command_suppression){ww_code_from_text(code), value + len + 1};
    line->suppressed_count += s->code != WW_NO_CODE;
    return s->code != WW_NO_CODE;
}

static bool set_trips(command_line *line, const char *value)
{
    return parse_ints(value, 1, 0, &line->trips);
}

static bool set_tiles(command_line *line, const char *value)
{
    return parse_ints(value, 1, 0, &line->tiles);
}

static bool set_states(command_line *line, const char *value)
{
    return parse_ints(value, 1, 1, &line->states);
}

static bool set_witness(command_line *line, const char *value)
{
    line->witness = value;
    return true;
}

static bool set_replay(command_line *line, const char *value)
{
    line->replay = value;
    return true;
}

static const struct {
    const char *name, *value, *help;
    bool (*set)(command_line *, const char *);
} common[] = {
    {"--device", "auto|gpu|emu", "where to run; auto takes the GPU if there is one", set_device},
    {"-o", "FILE", "where emit, ptx, cubin, table and graph write; stdout if not given", set_output},
    {"--format", "text|json",
     "check, prove, audit: findings as text, or as one JSON object on stdout or in the -o file", set_format},
    {"--certificate", "FILE", "prove: writes the proof, so that it can be checked", set_certificate},
    {"--check", "FILE", "prove: checks such a proof in place of finding one", set_certificate_to_check},
    {"--suppress", "CODE=REASON",
     "do not count warnings, or errors of the rules, of that code; may be repeated", set_suppressed},
    {"--async", "late|early|random", "emulator: when asynchronous copies and wgmma are carried out",
     set_order},
    {"--async-seed", "N", "emulator: seed of --async random", set_order_seed},
    {"--threads", "N", "emulator: host threads; all cores if not given", set_threads},
    {"--trips", "N", "prove --explore: value of every symbolic bound, if that is not below its minimum (2)",
     set_trips},
    {"--tiles", "N", "prove --explore: tiles of a work queue (2)", set_tiles},
    {"--states", "N", "prove --explore: give up after so many (1000000)", set_states},
    {"--witness", "FILE", "prove: where the counterexample goes, as JSON (docs/witness.md)", set_witness},
    {"--replay", "FILE", "run: the emulator follows that counterexample, of the kernel as declared",
     set_replay},
    {"--repetitions", "N", "bench: timed launches (100)", set_repetitions},
    {"--warm-up", "N", "bench: launches before (10)", set_warm_up},
};

void command_usage(const ww_app *app, FILE *out)
{
    (void)fprintf(out, "%s: %s\n\nusage: %s COMMAND [OPTION VALUE]...\n\ncommands:\n", app->name,
                  app->summary, app->name);
    for (const command *c = command_table; c->name; c++)
        (void)fprintf(out, "  %-10s %s\n", c->name, c->help);
    (void)fprintf(out, "\noptions:\n");
    for (const ww_option *o = app->options; o && o->name; o++)
        (void)fprintf(out, "  --%-14s %-18s %s\n", o->name, o->value, o->help);
    for (size_t i = 0; i < ARRAY_LEN(common); i++)
        (void)fprintf(out, "  %-16s %-18s %s\n", common[i].name, common[i].value, common[i].help);
    (void)fprintf(out, "  %-16s %-18s %s\n", "--werror", "", "warnings refuse the kernel, as errors do");
    (void)fprintf(out, "  %-16s %-18s %s\n", "--unchecked", "",
                  "skip rules and prover: shows what they are there to prevent");
    (void)fprintf(out, "  %-16s %-18s %s\n", "--explore", "",
                  "prove: one small instance, by visiting every state of every interleaving");
    (void)fprintf(out, "  %-16s %-18s %s\n", "--no-reduction", "",
                  "prove --explore: also those that differ in the order of independent steps");
    (void)fprintf(out, "  %-16s %-18s %s\n", "--timeline", "",
                  "prove: all events of a counterexample, not the last ones alone");
    (void)fprintf(out, "  %-16s %-18s %s\n", "--routes", "",
                  "table: only which value goes from which work call to which");
    (void)fprintf(out, "  %-16s %-18s %s\n", "--audit", "",
                  "check: compare the compiled work bodies with their rows, too");
    (void)fprintf(out, "  %-16s %-18s %s\n", "--help", "", "this text");
}

static bool set_own(const ww_option *o, const char *value)
{
    if (o->kind == WW_OPTION_INTS)
        return parse_ints(value, o->count, o->least, o->target);
    *(const char **)o->target = value;
    return true;
}

static bool bad_value(const char *option, const char *value, const char *form)
{
    (void)fprintf(stderr, "%s %s: expected %s\n", option, value, form);
    return false;
}

static bool set_option(command_line *line, const char *name, const char *value)
{
    for (size_t i = 0; i < ARRAY_LEN(common); i++)
        if (strcmp(name, common[i].name) == 0)
            return common[i].set(line, value) || bad_value(name, value, common[i].value);
    for (const ww_option *o = line->app->options; o && o->name; o++)
        if (strncmp(name, "--", 2) == 0 && strcmp(name + 2, o->name) == 0)
            return set_own(o, value) || bad_value(name, value, o->value);
    (void)fprintf(stderr, "%s: unknown option; see --help\n", name);
    return false;
}

/* The options without a value. */
static bool *flag_of(command_line *line, const char *name)
{
    const struct {
        const char *name;
        bool *flag;
    } flags[] = {{"--werror", &line->werror},    {"--unchecked", &line->unchecked},
                 {"--routes", &line->routes},    {"--audit", &line->audit},
                 {"--explore", &line->explore},  {"--no-reduction", &line->whole},
                 {"--timeline", &line->timeline}};
    for (size_t i = 0; i < ARRAY_LEN(flags); i++)
        if (strcmp(name, flags[i].name) == 0)
            return flags[i].flag;
    return NULL;
}

bool command_parse(command_line *line, int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        bool *flag = flag_of(line, argv[i]);
        if (flag) {
            *flag = true;
            continue;
        }
        if (i + 1 == argc) {
            (void)fprintf(stderr, "%s: a value is missing, or the option is unknown; see --help\n", argv[i]);
            return false;
        }
        if (!set_option(line, argv[i], argv[i + 1]))
            return false;
        i++;
    }
    return true;
}
