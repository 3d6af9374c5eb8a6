/* command: what the commands of a program's command line share. */
#ifndef WW_APP_COMMAND_H
#define WW_APP_COMMAND_H

#include "base/base.h"
#include "warpwright/warpwright.h"

#include <stdio.h>

enum { COMMAND_MOST_SUPPRESSED = 32 };

/* --suppress CODE=REASON */
typedef struct command_suppression {
    ww_code code;
    const char *reason;
} command_suppression;

typedef struct command_line {
    const ww_app *app;
    ww_run_options run;
    const char *output;      /* -o; NULL: stdout */
    const char *certificate; /* prove: where to write it; NULL: nowhere */
    const char *to_check;    /* prove: a certificate; NULL: none */
    int warm_up, repetitions;
    bool unchecked;
    bool routes;         /* table: only the values between work calls */
    bool werror;         /* warnings refuse the kernel */
    bool json;           /* check, prove, audit: one JSON object in place of text */
    bool audit;          /* check: the compiled work bodies, too */
    const char *witness; /* prove: where the counterexample goes as JSON; NULL: nowhere */
    bool timeline;       /* prove: the whole of it is printed, not its last rows */
    const char *replay;  /* run: the counterexample that the emulator is to follow; NULL: none */
    bool explore;        /* prove: by the search over interleavings, of one instance ... */
    bool whole;          /* ... without reduction */
    int trips, tiles, states;
    command_suppression suppressed[COMMAND_MOST_SUPPRESSED];
    int suppressed_count;
} command_line;

typedef struct command {
    const char *name, *help;
    int (*function)(const command_line *); /* returns the exit status */
} command;

/* The table of commands, ended by a row without a name. */
extern const command command_table[];

/* Reads the options after the name of command c. False after a message: the exit status is 2. options.c */
bool command_parse(command_line *line, const command *c, int argc, char **argv);
void command_usage(const ww_app *app, FILE *out);

/* run --replay: exit status 0 if the fault is reproduced. replaying.c */
int command_replay(const command_line *line);

/* Writes to -o FILE, or to stdout; returns the exit status. commands.c */
int command_write(const command_line *line, const void *bytes, size_t len);

/* The kernel, with what the command line suppresses. checking.c, like all that follows. */
ww_kernel *command_declare(const command_line *line);
/* Whether there are no errors among its findings, and with --werror no warnings. */
bool command_accepts(const command_line *line, ww_kernel *k);
/* The same, with the findings printed. */
bool command_report(const command_line *line, ww_kernel *k);
int command_check(const command_line *line);
int command_prove(const command_line *line);
int command_audit(const command_line *line);
/* prove --explore. exploring.c */
int command_explore(const command_line *line);

/* What prove --certificate and prove --check do; exit statuses. certificates.c */
int command_certify(const command_line *line, ww_kernel *k);
int command_check_certificate(const command_line *line, ww_kernel *k);

#endif
