/* mutate: what the files of this test share.
 *
 * A kernel is declared once for each of its mutants. While it is declared, every place where a single edit is possible
 * asks mutate_here; places are numbered as they come, and exactly one of them, or none, is told to make its edit. */
#ifndef MUTATE_H
#define MUTATE_H

#include "lower/lower.h"
#include "warpwright/warpwright.h"

/* ---- places of edits: edits.c -------------------------------------------------------------------------- */

enum { NO_EDIT = -1 };

/* Whether the edit described is to be made now. */
bool mutate_here(const char *format, ...) PRINTF_LIKE(1, 2);
/* Begins a declaration in which place `number` makes its edit (NO_EDIT: none). */
void mutate_begin(int number);
/* Places seen since. */
int mutate_places(void);
/* What the edit of that declaration is; "" for none. Valid until the next begins. */
const char *mutate_text(void);

/* The kernel as its author wrote it, checked: where edits of counts find what was derived. NULL while it is declared. */
void mutate_set_original(ww_kernel *original);
const ww_kernel *mutate_original(void);
/* The resource of that name there; NULL: none. */
const ww_resource *mutate_original_resource(const char *name);

/* ---- kernels: kernels.c -------------------------------------------------------------------------------- */

typedef struct subject {
    char name[64];
    const char *group; /* of the table */
    const struct feature *feature;
    ww_kernel *(*declare)(void);
    int (*program)(int argc, char **argv); /* an example */
    int argc;
    const char *argv[8];
} subject;

typedef VEC(subject) subject_list;
void subjects_add_all(subject_list *list);
ww_kernel *subject_declare(const subject *s);
/* Declares s under the present edit, runs it on the emulator with copies carried out late, early and at random, and
 * compares its output. */
typedef enum subject_run { RUN_NOT_TRIED, RUN_RIGHT, RUN_WRONG } subject_run;
subject_run subject_try(const subject *s, text *why);

/* Runs k, declared of s, along its counterexample; why: it could not be run. */
void subject_replay(const subject *s, ww_kernel *k, const ww_witness *w, ww_replay *seen, text *why);

/* ---- judging ------------------------------------------------------------------------------------------- */

/* What the tasks of a program do in small instances: for each task and resource the work done on it, with values and
 * places in the ring. trace.c */
void trace_program(const ir_program *p, text *out);
/* What the explorer says of small instances. Of an accepted kernel: up to two trips more than is promised, and two tiles, as
 * far as they have few states. Of a refuted one: up to six more, and three tiles, until there is a fault; that there is none is
 * said only if none of them was too large. explored.c */
typedef enum explored { EXPLORED_NOT, EXPLORED_CLEAN, EXPLORED_FAULT, EXPLORED_TOO_LARGE } explored;
explored explore_accepted(ww_kernel *k);
explored explore_refuted(ww_kernel *k);

#endif
