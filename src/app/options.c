/* Options: those every program has, then the program's own. Those of another command are refused, and those that contradict
 * each other, so that none is passed over in silence. */
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

/* ---- the table ----------------------------------------------------------------------------------------- */

typedef enum option_kind {
    OPTION_FLAG, /* a bool; no value */
    OPTION_TEXT, /* a const char * */
    OPTION_INT,  /* an int, at least `least` */
    OPTION_OTHER /* what `set` makes of it */
} option_kind;

typedef struct option {
    const char *name, *value, *commands; /* commands: that take it; NULL: all */
    const char *help;
    option_kind kind;
    size_t at; /* of the member of command_line */
    int least;
    bool (*set)(command_line *, const char *);
} option;

#define FLAG(member) OPTION_FLAG, offsetof(command_line, member), 0, NULL
#define TEXT(member) OPTION_TEXT, offsetof(command_line, member), 0, NULL
#define INT(member, least) OPTION_INT, offsetof(command_line, member), least, NULL
#define OTHER(set) OPTION_OTHER, 0, 0, set

/* At most 32: a bit each says which are given. */
static const option common[] = {
    {"--device", "auto|gpu|emu", NULL, "where to run; auto takes the GPU if there is one", OTHER(set_device)},
    {"-o", "FILE", "emit, ptx, cubin, table, graph, check, prove, audit",
     "where they write (the last three: JSON); stdout if not given", TEXT(output)},
    {"--format", "text|json", "check, prove, audit",
     "findings as text, or as one JSON object on stdout or in the -o file", OTHER(set_format)},
    {"--certificate", "FILE", "prove", "writes the proof, so that it can be checked", TEXT(certificate)},
    {"--check", "FILE", "prove", "checks such a proof in place of finding one", TEXT(to_check)},
    {"--suppress", "CODE=REASON", NULL,
     "do not count warnings, or errors of the rules, of that code; may be repeated", OTHER(set_suppressed)},
    {"--werror", "", NULL, "warnings refuse the kernel, as errors do", FLAG(werror)},
    {"--unchecked", "", NULL, "skip rules and prover: shows what they are there to prevent", FLAG(unchecked)},
    {"--async", "late|early|random", NULL, "emulator: when asynchronous copies and wgmma are carried out",
     OTHER(set_order)},
    {"--async-seed", "N", NULL, "emulator: seed of --async random", OTHER(set_order_seed)},
    {"--threads", "N", NULL, "emulator: host threads; all cores if not given", OTHER(set_threads)},
    {"--check-fences", "", "run", "emulator: accesses of memory without the fences that they need are faults",
     FLAG(run.check_fences)},
    {"--check-races", "", "run", "emulator: accesses to shared memory that nothing orders are faults",
     FLAG(run.check_races)},
    {"--explore", "", "prove", "one small instance, by visiting every state of every interleaving",
     FLAG(explore)},
    {"--no-reduction", "", "prove",
     "with --explore, also those that differ in the order of independent steps", FLAG(whole)},
    {"--trips", "N", "prove",
     "with --explore, value of every symbolic bound, if that is not below its minimum (2)", INT(trips, 0)},
    {"--tiles", "N", "prove", "with --explore, tiles of a work queue (2)", INT(tiles, 0)},
    {"--states", "N", "prove", "with --explore, give up after so many (1000000)", INT(states, 1)},
    {"--witness", "FILE", "prove", "where the counterexample goes, as JSON (docs/witness.md)", TEXT(witness)},
    {"--timeline", "", "prove", "all events of a counterexample, not the last ones alone", FLAG(timeline)},
    {"--replay", "FILE", "run", "the emulator follows that counterexample, of the kernel as declared",
     TEXT(replay)},
    {"--routes", "", "table", "only which value goes from which work call to which", FLAG(routes)},
    {"--audit", "", "check", "compare the compiled work bodies with their rows, too", FLAG(audit)},
    {"--repetitions", "N", "bench", "timed launches (100)", INT(repetitions, 1)},
    {"--warm-up", "N", "bench", "launches before (10)", INT(warm_up, 1)},
};

void command_usage(const ww_app *app, FILE *out)
{
    (void)fprintf(out, "%s: %s\n\nusage: %s COMMAND [OPTION [VALUE]]...\n\ncommands:\n", app->name,
                  app->summary, app->name);
    for (const command *c = command_table; c->name; c++)
        (void)fprintf(out, "  %-10s %s\n", c->name, c->help);
    (void)fprintf(out, "\noptions:\n");
    for (const ww_option *o = app->options; o && o->name; o++)
        (void)fprintf(out, "  --%-14s %-18s %s\n", o->name, o->value, o->help);
    for (const option *o = common; o < common + ARRAY_LEN(common); o++)
        (void)fprintf(out, "  %-16s %-18s %s%s%s\n", o->name, o->value, o->commands ? o->commands : "",
                      o->commands ? ": " : "", o->help);
    (void)fprintf(out, "  %-16s %-18s %s\n", "--help", "", "this text");
    (void)fprintf(
        out, "\nexit status: 0 when the command found nothing to object to; 1 when the kernel is refused or "
             "refuted, a result\nis wrong, or something could not be done; 2 when the command line cannot be "
             "read\n");
}

/* ---- what goes with what ------------------------------------------------------------------------------- */

/* The first is of no use without the second. */
static const char *const needs[][2] = {{"--no-reduction", "--explore"},
                                       {"--trips", "--explore"},
                                       {"--tiles", "--explore"},
                                       {"--states", "--explore"}};

/* One of them would be ignored. */
static const char *const apart[][2] = {
    {"--explore", "--certificate"}, {"--explore", "--check"},  {"--explore", "--witness"},
    {"--explore", "--timeline"},    {"--explore", "--format"}, {"--check", "--certificate"},
    {"--check", "--witness"},       {"--check", "--timeline"}, {"--check", "--format"},
    {"--check", "--werror"},        {"--check", "--suppress"},
};

typedef struct parser {
    command_line *line;
    const command *command;
    uint32_t given; /* by option of `common` */
} parser;

static const option *common_option(const char *name)
{
    for (const option *o = common; o < common + ARRAY_LEN(common); o++)
        if (strcmp(name, o->name) == 0)
            return o;
    return NULL;
}

static bool is_given(const parser *p, const char *name)
{
    return p->given >> (common_option(name) - common) & 1;
}

/* Whether a list "check, prove" has a word. */
static bool lists(const char *list, const char *word)
{
    size_t len = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at++)
        if ((at == list || at[-1] == ' ') && (at[len] == ',' || !at[len]))
            return true;
    return false;
}

static bool options_agree(const parser *p)
{
    const char *who = p->command->name;
    for (size_t i = 0; i < ARRAY_LEN(needs); i++)
        if (is_given(p, needs[i][0]) && !is_given(p, needs[i][1])) {
            (void)fprintf(stderr, "%s: %s goes with %s\n", who, needs[i][0], needs[i][1]);
            return false;
        }
    for (size_t i = 0; i < ARRAY_LEN(apart); i++)
        if (is_given(p, apart[i][0]) && is_given(p, apart[i][1])) {
            (void)fprintf(stderr, "%s: %s and %s do not go together\n", who, apart[i][0], apart[i][1]);
            return false;
        }
    if (is_given(p, "--async-seed") && p->line->run.async_order != WW_ASYNC_RANDOM) {
        (void)fprintf(stderr, "%s: --async-seed goes with --async random\n", who);
        return false;
    }
    if (p->line->output && !p->line->json && lists(common_option("--format")->commands, who)) {
        (void)fprintf(stderr, "%s: -o goes with --format json\n", who);
        return false;
    }
    return true;
}

/* ---- reading ------------------------------------------------------------------------------------------- */

static bool bad_value(const char *name, const char *value, const char *form)
{
    (void)fprintf(stderr, "%s %s: expected %s\n", name, value, form);
    return false;
}

static bool set_own(const ww_option *o, const char *value)
{
    if (o->kind == WW_OPTION_INTS)
        return parse_ints(value, o->count, o->least, o->target);
    *(const char **)o->target = value;
    return true;
}

static const ww_option *own_option(const ww_app *app, const char *name)
{
    for (const ww_option *o = app->options; o && o->name; o++)
        if (strncmp(name, "--", 2) == 0 && strcmp(name + 2, o->name) == 0)
            return o;
    return NULL;
}

static bool set_common(command_line *line, const option *o, const char *value)
{
    void *member = (char *)line + o->at;
    switch (o->kind) {
    case OPTION_FLAG: *(bool *)member = true; return true;
    case OPTION_TEXT: *(const char **)member = value; return true;
    case OPTION_INT: return parse_ints(value, 1, o->least, member);
    case OPTION_OTHER: return o->set(line, value);
    }
    return false;
}

static bool take_common(parser *p, const option *o, const char *value)
{
    if (o->commands && !lists(o->commands, p->command->name)) {
        (void)fprintf(stderr, "%s: %s goes with %s\n", p->command->name, o->name, o->commands);
        return false;
    }
    p->given |= 1u << (o - common);
    return set_common(p->line, o, value) || bad_value(o->name, value, o->value);
}

static bool take_option(parser *p, const char *name, const char *value)
{
    const option *o = common_option(name);
    if (o)
        return take_common(p, o, value);
    const ww_option *own = own_option(p->line->app, name);
    if (own)
        return set_own(own, value) || bad_value(name, value, own->value);
    (void)fprintf(stderr, "%s: unknown option; see --help\n", name);
    return false;
}

bool command_parse(command_line *line, const command *c, int argc, char **argv)
{
    parser p = {line, c, 0};
    for (int i = 0; i < argc; i++) {
        const option *o = common_option(argv[i]);
        bool flag = o && o->kind == OPTION_FLAG;
        if (!flag && i + 1 == argc) {
            (void)fprintf(stderr, "%s: a value is missing, or the option is unknown; see --help\n", argv[i]);
            return false;
        }
        if (!take_option(&p, argv[i], flag ? "" : argv[i + 1]))
            return false;
        i += !flag;
    }
    return options_agree(&p);
}
