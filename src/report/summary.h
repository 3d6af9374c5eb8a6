/* summary: what stands under the schedule table. Each prints one block with its title, after a blank line. */
#ifndef WW_REPORT_SUMMARY_H
#define WW_REPORT_SUMMARY_H

#include "lower/lower.h"

#include <stdio.h>

void summary_registers(const ir_program *p, FILE *out); /* warps x registers against the kernel's pool */
void summary_memory(const ir_program *p, FILE *out);    /* maps of shared and of tensor memory */
/* rings that are deeper than their producers can get ahead; nothing where there are none. credits.c */
void summary_idle_stages(const ir_program *p, FILE *out);
void summary_arrivals(const ir_program *p, FILE *out); /* who arrives on which barrier, how often and why */

void summary_reuse(const ir_program *p, FILE *out);  /* by which barriers memory is used again */
void summary_advice(const ir_program *p, FILE *out); /* what would make it faster */

/* "smem_ab.full", "order.turn 0", "meet (id 1)" */
void summary_barrier_name(const ir_program *p, const ir_barrier *b, text *out);

#endif
