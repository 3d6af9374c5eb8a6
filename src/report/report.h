/* report: the task program drawn for people. Every report reads the IR and nothing else, so what it shows is
 * what is proved and emitted. */
#ifndef WW_REPORT_H
#define WW_REPORT_H

#include "lower/lower.h"

#include <stdio.h>

/* Schedules side by side, then registers, memories, arrivals and the values between work calls. */
void report_table(const ir_program *p, FILE *out);

/* The values alone: made by which work call, taken by which. */
void report_routes(const ir_program *p, FILE *out);
bool report_has_routes(const ir_program *p);

/* Graphviz: tasks with their work, resources between them, the dependency graph. */
void report_graph(const ir_program *p, FILE *out);

#endif
