/* command: what the commands of a program's command line share. */
#ifndef WW_APP_COMMAND_H
#define WW_APP_COMMAND_H

#include "base/base.h"
#include "warpwright/warpwright.h"

#include <stdio.h>

typedef struct command_line {
    const ww_app *app;
    ww_run_options run;
    const char *output; /* -o; NULL: stdout */
    int warm_up, repetitions;
    bool unchecked;
    bool routes; /* table: only the values between work calls */
} command_line;

typedef struct command {
    const char *name, *help;
    int (*function)(const command_line *); /* returns the exit status */
} command;

/* The table of commands, ended by a row without a name. */
extern const command command_table[];

/* Reads the options after the command's name. False after a message: the exit status is 2. */
bool command_parse(command_line *line, int argc, char **argv);
void command_usage(const ww_app *app, FILE *out);

#endif
