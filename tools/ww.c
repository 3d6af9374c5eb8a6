/* ww: what can be asked of warpwright without a kernel at hand. Commands are rows of a table; each gets the
 * arguments after its name and returns the exit status: 0, 1 when what was asked for is not there, 2 when the
 * question is malformed. Answers go to stdout, complaints to stderr. */
#include "examples.h"
#include "model/model.h"
#include "model/names.h"
#include "warpwright/diag.h"

#include <ctype.h>
#include <stdio.h>

#ifndef WW_VERSION
#define WW_VERSION "(unversioned build)"
#endif

enum { STATUS_OK, STATUS_NOT_FOUND, STATUS_USAGE };
enum { TERMINAL_WIDTH = 90 };

typedef struct command {
    const char *name, *arguments, *summary;
    int (*run)(int count, char **arguments);
} command;

/* ---- the codes -------------------------------------------------------------------------------------- */

typedef struct code_entry {
    ww_code code;
    ww_severity severity;
} code_entry;

static const code_entry codes[] = {
#define WW_DIAGNOSTIC(name, number, severity, title, explanation) {WW_##name, WW_##severity},
#include "warpwright/diagnostics.def"
#undef WW_DIAGNOSTIC
};

/* Hundreds of the numbering, as diagnostics.def groups them. */
static const char *const families[] = {
    [1] = "Declaring and recording",
    [2] = "Rules on the whole kernel",
    [3] = "The prover",
    [4] = "Building",
    [5] = "Running",
};

static const char *family_of(ww_code code)
{
    size_t hundred = (size_t)code / 100;
    return hundred < ARRAY_LEN(families) && families[hundred] ? families[hundred] : "Others";
}

static bool opens_family(size_t i)
{
    return i == 0 || codes[i].code / 100 != codes[i - 1].code / 100;
}

static const code_entry *entry_of(ww_code code)
{
    for (size_t i = 0; i < ARRAY_LEN(codes); i++)
        if (codes[i].code == code)
            return &codes[i];
    return NULL;
}

/* ---- ww explain ------------------------------------------------------------------------------------- */

/* Prints s filled to `width` columns, each line after `indent` blanks. */
static void print_filled(const char *s, int indent, int width)
{
    for (int column = 0; *s;) {
        int len = (int)strcspn(s, " ");
        if (column && column + 1 + len > width) {
            (void)putchar('\n');
            column = 0;
        }
        column += printf("%*s%.*s", column ? 1 : indent, "", len, s);
        s += len;
        s += strspn(s, " ");
    }
    (void)putchar('\n');
}

static void explain(const code_entry *entry)
{
    printf("WW%d %s (%s)\n", (int)entry->code, ww_code_name(entry->code), ww_severity_name(entry->severity));
    print_filled(ww_code_title(entry->code), 2, TERMINAL_WIDTH);
    (void)putchar('\n');
    print_filled(ww_code_explanation(entry->code), 2, TERMINAL_WIDTH);
    example_print(entry->code);
}

static int explain_all(void)
{
    for (size_t i = 0; i < ARRAY_LEN(codes); i++) {
        if (i)
            (void)putchar('\n');
        explain(&codes[i]);
    }
    return STATUS_OK;
}

static int explain_unknown(const char *wanted)
{
    const char *nearest = NULL;
    size_t distance = 0;
    for (size_t i = 0; i < ARRAY_LEN(codes); i++)
        name_nearest(wanted, ww_code_name(codes[i].code), &nearest, &distance);
    (void)fprintf(stderr, "ww: there is no diagnostic '%s'", wanted);
    if (nearest)
        (void)fprintf(stderr, "; did you mean WW%d %s?\n", (int)ww_code_from_text(nearest), nearest);
    else
        (void)fprintf(stderr, "; `ww explain --all` lists them\n");
    return STATUS_NOT_FOUND;
}

/* ---- ww explain --markdown -------------------------------------------------------------------------- */

static void markdown_index(void)
{
    printf("| code | name | severity | meaning |\n|---|---|---|---|\n");
    for (size_t i = 0; i < ARRAY_LEN(codes); i++) {
        const char *name = ww_code_name(codes[i].code);
        printf("| WW%d | [%s](#ww%d-%s) | %s | %s |\n", (int)codes[i].code, name, (int)codes[i].code, name,
               ww_severity_name(codes[i].severity), ww_code_title(codes[i].code));
    }
}

static void markdown_entry(const code_entry *entry)
{
    const char *title = ww_code_title(entry->code);
    printf("\n### WW%d %s\n\n", (int)entry->code, ww_code_name(entry->code));
    printf("*%c%s (%s).*\n\n", toupper((unsigned char)*title), title + 1, ww_severity_name(entry->severity));
    print_filled(ww_code_explanation(entry->code), 0, 110);
    example_markdown(entry->code);
}

static int explain_markdown(void)
{
    printf("# Diagnostics\n\n"
           "<!-- Made by `ww explain --markdown` from include/warpwright/diagnostics.def and docs/explain; "
           "do not "
           "edit. -->\n\n"
           "Every diagnostic has a number that never changes and a name; `ww explain WW204` and `ww explain\n"
           "arrivals` print the same entry. The examples are parts of the files in docs/explain, which\n"
           "tests/explain compiles and checks: the wrong one gives that diagnostic, the right one none.\n\n");
    markdown_index();
    for (size_t i = 0; i < ARRAY_LEN(codes); i++) {
        if (opens_family(i))
            printf("\n## %s (%dxx)\n", family_of(codes[i].code), (int)codes[i].code / 100);
        markdown_entry(&codes[i]);
    }
    return STATUS_OK;
}

static int run_explain(int count, char **arguments)
{
    if (count == 0) {
        (void)fprintf(stderr, "ww: explain wants a code (WW204, 204 or arrivals), --all or --markdown\n");
        return STATUS_USAGE;
    }
    if (strcmp(arguments[0], "--all") == 0)
        return explain_all();
    if (strcmp(arguments[0], "--markdown") == 0)
        return explain_markdown();
    int status = STATUS_OK;
    for (int i = 0; i < count; i++) {
        const code_entry *entry = entry_of(ww_code_from_text(arguments[i]));
        if (entry)
            explain(entry);
        else
            status = explain_unknown(arguments[i]);
    }
    return status;
}

/* ---- ww pipelines: one row of the table in words ------------------------------------------------------ */

static const char *const agent_texts[] = {
    [MODEL_ASYNC] = "threads", [MODEL_TMA] = "bulk copies",    [MODEL_UMMA] = "tcgen05",
    [MODEL_WGMMA] = "wgmma",   [MODEL_FETCH] = "a tile query", [MODEL_PEER] = "a peer's bulk copies"};
static const char *const by_texts[] = {[MODEL_BY_THREADS] = "every lane of every warp",
                                       [MODEL_BY_WARPS] = "one lane a warp",
                                       [MODEL_BY_EXPECT] = "one lane a warp, announcing the stage's bytes",
                                       [MODEL_BY_UMMA] = "one lane, by tcgen05.commit"};
static const char *const to_texts[] = {[MODEL_TO_OWN] = "",
                                       [MODEL_TO_LEADER] = ", at the leader of the MMA's CTAs",
                                       [MODEL_TO_PAIR] = ", at all CTAs of the MMA",
                                       [MODEL_TO_PEERS] = ", at those whose copies come here",
                                       [MODEL_TO_FIRST] = ", at rank 0",
                                       [MODEL_TO_EVERY] = ", at every CTA of the cluster",
                                       [MODEL_TO_NEXT] = ", at the CTA peer_shift ranks on",
                                       [MODEL_TO_PREVIOUS] = ", at the CTA peer_shift ranks back"};

static const struct {
    model_option option;
    const char *members;
} options[] = {
    {MODEL_OPTION_BYTES, "tx_bytes, bytes_per_warp_per_cta"},
    {MODEL_OPTION_LOAD, "producer_op"},
    {MODEL_OPTION_WAIT_AHEAD, "advance_on_wait"},
    {MODEL_OPTION_ACQUIRE_AHEAD, "advance_on_acquire"},
    {MODEL_OPTION_STRIDE_IN, "stride.acquire, stride.commit"},
    {MODEL_OPTION_STRIDE_OUT, "stride.wait, stride.release"},
    {MODEL_OPTION_MULTICAST, "multicast"},
    {MODEL_OPTION_WAIT_SIGNALS, "wait_signaling"},
    {MODEL_OPTION_WARP_LEADER, "WW_SIGNAL_WARP_LEADER"},
    {MODEL_OPTION_SHIFT, "peer_shift"},
};

typedef struct pipeline_row {
    const char *name;
    ww_pipeline_type type;
} pipeline_row;

static const pipeline_row pipelines[] = {
#define WW_PIPELINE(name, ...) {"WW_" #name, WW_##name},
#include "warpwright/pipelines.def"
#undef WW_PIPELINE
};

static const char *full_verb(const model_protocol *p)
{
    return p->full_verb == MODEL_COMMIT ? "commit" : "acquire";
}

static void print_pipeline(const pipeline_row *row)
{
    const model_protocol *p = model_protocol_of(row->type);
    printf("%-13s %-20s %s: %s%s\n", p->label, row->name, full_verb(p), by_texts[p->full_by],
           to_texts[p->full_to]);
    printf("%-13s %-20s release: %s%s\n", "", "", by_texts[p->empty_by], to_texts[p->empty_to]);
}

static void markdown_pipeline(const pipeline_row *row)
{
    const model_protocol *p = model_protocol_of(row->type);
    arena a = {0};
    printf("\n## %s\n\n`%s`: filled by %s, read by %s.\n\n", p->label, row->name, agent_texts[p->producer],
           agent_texts[p->consumer]);
    printf("| barrier | arrives | who |\n|---|---|---|\n");
    printf("| full | on %s | %s%s |\n", full_verb(p), by_texts[p->full_by], to_texts[p->full_to]);
    printf("| empty | on release | %s%s |\n\nMembers of `ww_pipeline` besides type, stages and counts:",
           by_texts[p->empty_by], to_texts[p->empty_to]);
    for (size_t i = 0; i < ARRAY_LEN(options); i++)
        if (p->options & options[i].option)
            printf(" %s;", options[i].members);
    printf(" signalling.\nTargets: %s.\n", model_arch_list(&a, p->needs));
    arena_free(&a);
}

static void markdown_pipelines(void)
{
    printf("# Pipeline types\n\n"
           "<!-- Made by `ww pipelines --markdown` from include/warpwright/pipelines.def and archs.def; do "
           "not edit. "
           "-->\n\n"
           "Every type: acquire waits on the empty barrier, wait waits on the full one; commit and release "
           "move on to\n"
           "the next stage. Where bytes are announced, bulk copies complete them. Places in a cluster (\"at "
           "...\") mean\n"
           "the own CTA where there is only one.\n");
    for (size_t i = 0; i < ARRAY_LEN(pipelines); i++)
        markdown_pipeline(&pipelines[i]);
}

static int run_pipelines(int count, char **arguments)
{
    if (count == 1 && strcmp(arguments[0], "--markdown") == 0) {
        markdown_pipelines();
        return STATUS_OK;
    }
    if (count) {
        (void)fprintf(stderr, "ww: pipelines takes no arguments but --markdown\n");
        return STATUS_USAGE;
    }
    printf("%-13s %-20s who arrives on the full barrier, and on the empty one\n", "type", "in C");
    for (size_t i = 0; i < ARRAY_LEN(pipelines); i++)
        print_pipeline(&pipelines[i]);
    printf("\nEvery type: acquire waits on the empty barrier, wait waits on the full one;\n"
           "commit and release move on to the next stage.\n");
    return STATUS_OK;
}

/* ---- ww instructions -------------------------------------------------------------------------------- */

typedef struct instruction_row {
    const char *base, *needs, *semantics;
} instruction_row;

static const instruction_row instructions[] = {
#define INSTRUCTION(base, needs, may, operands, family, semantics) {base, needs, semantics},
#include "emu/ptx/instructions.def"
#undef INSTRUCTION
};

static int run_instructions(int count, char **arguments)
{
    for (size_t i = 0; i < ARRAY_LEN(instructions); i++) {
        const instruction_row *row = &instructions[i];
        if (count == 0 || strncmp(row->base, arguments[0], strlen(arguments[0])) == 0)
            printf("%-10s %-36s %s\n", row->base, row->needs, row->semantics);
    }
    return STATUS_OK;
}

/* ---- choosing a command ----------------------------------------------------------------------------- */

static const command commands[] = {
    {"explain", "CODE...", "what a diagnostic means and how to mend it (WW204, 204 or arrivals)",
     run_explain},
    {"explain", "--all", "every diagnostic", run_explain},
    {"explain", "--markdown", "the same as docs/diagnostics.md", run_explain},
    {"pipelines", "", "the pipeline types and their barrier protocols", run_pipelines},
    {"pipelines", "--markdown", "the same as docs/pipelines.md", run_pipelines},
    {"instructions", "[PREFIX]", "the PTX instructions that the emulator has", run_instructions},
};

static void print_help(FILE *out)
{
    (void)fprintf(out, "ww: a companion of the warpwright library\n\nusage:\n");
    for (size_t i = 0; i < ARRAY_LEN(commands); i++)
        (void)fprintf(out, "  ww %-12s %-10s %s\n", commands[i].name, commands[i].arguments,
                      commands[i].summary);
    (void)fprintf(out, "  ww --version\n  ww --help\n");
}

static int run_command(const char *name, int count, char **arguments)
{
    const char *nearest = NULL;
    size_t distance = 0;
    for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
        if (strcmp(commands[i].name, name) == 0)
            return commands[i].run(count, arguments);
        name_nearest(name, commands[i].name, &nearest, &distance);
    }
    (void)fprintf(stderr, "ww: there is no command '%s'", name);
    if (nearest)
        (void)fprintf(stderr, "; did you mean '%s'?", nearest);
    (void)fprintf(stderr, "\n");
    return STATUS_USAGE;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return STATUS_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_help(stdout);
        return STATUS_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("ww %s\n", WW_VERSION);
        return STATUS_OK;
    }
    return run_command(argv[1], argc - 2, argv + 2);
}
