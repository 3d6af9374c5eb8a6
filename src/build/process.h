/* process: running another program and reading what it says. */
#ifndef WW_BUILD_PROCESS_H
#define WW_BUILD_PROCESS_H

#include "base/base.h"

/* Runs command (ended by NULL; command[0] is a path), its stdout and stderr appended to output. Returns its
 * exit status, or -1 when it could not be run or died of a signal. */
int process_run(const char *const *command, text *output);

/* Makes a new folder under $TMPDIR or /tmp and appends its path. */
bool process_temporary_folder(text *path);

#endif
