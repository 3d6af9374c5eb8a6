/* process: running another program, or a piece of this one that may crash, and reading what it says. */
#ifndef WW_BUILD_PROCESS_H
#define WW_BUILD_PROCESS_H

#include "base/base.h"

/* Runs command (ended by NULL; command[0] is a path), its stdout and stderr appended to output. Returns its
 * exit status, or -1 when it could not be run or died of a signal. */
int process_run(const char *const *command, text *output);

/* Does work in a forked child and appends to result what the child's work appended to its own. False, with
 * why_not set, when the child died: of a crash in a library, say. Nothing else that the work does to memory is
 * seen here. */
typedef void (*process_work)(void *context, text *result);
bool process_guard(process_work work, void *context, text *result, text *why_not);

/* Makes a new folder under $TMPDIR or /tmp and appends its path. */
bool process_temporary_folder(text *path);

#endif
