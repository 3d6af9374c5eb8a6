/* verify: the rules that a declaration must keep before the prover looks at it.
 *
 * Each family of rules is one file; verify.c lists them in the order they run. Every rule runs, whatever the
 * others found, so an author sees all independent mistakes at once. Rules name the author's call and propose
 * one edit; what takes an execution to see (deadlocks, races, laps) is left to the prover. */
#ifndef WW_VERIFY_H
#define WW_VERIFY_H

#include "lower/lower.h"

/* Runs every rule on a lowered kernel and appends what they find to the kernel's diagnostics. */
void verify_kernel(ww_kernel *k, const ir_program *p);

/* What declaring has found wrong, and with it what cannot be judged yet. */
typedef struct verify_doubts verify_doubts;

/* Of a kernel with errors of declaring, its declaration completed; NULL: nothing of it can be judged. Takes the steps of
 * tasks in doubt out of their schedules, so that the rest can be lowered. Allocated in the kernel's arena. */
const verify_doubts *verify_set_aside(ww_kernel *k);
/* Runs every rule and appends those findings that do not rest on anything in doubt. */
void verify_the_rest(ww_kernel *k, const ir_program *p, const verify_doubts *doubts);

#endif
