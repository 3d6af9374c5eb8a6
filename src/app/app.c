/* ww_app_main: picks the command, reads the options, runs it. */
#include "app/command.h"

#include <stdio.h>

int ww_app_main(const ww_app *app, int argc, char **argv)
{
    command_line line = {
        .app = app, .warm_up = 10, .repetitions = 100, .trips = 2, .tiles = 2, .states = 1000000};
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            command_usage(app, stdout);
            return 0;
        }
    for (const command *c = command_table; argc > 1 && c->name; c++)
        if (strcmp(argv[1], c->name) == 0)
            return command_parse(&line, c, argc - 2, argv + 2) ? c->function(&line) : 2;
    command_usage(app, stderr);
    return 2;
}
