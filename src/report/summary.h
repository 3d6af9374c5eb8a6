/* summary: what stands under the schedule table. Each prints one block with its title, after a blank line. */
#ifndef WW_REPORT_SUMMARY_H
#define WW_REPORT_SUMMARY_H

#include "lower/lower.h"

#include <stdio.h>

void summary_registers(const ir_program *p, FILE *out); /* warps x registers against the kernel's pool */
void summary_memory(const ir_program *p, FILE *out);    /* the shared-memory map */
void summary_arrivals(const ir_program *p, FILE *out);  /* who arrives on which barrier, how often and why */
void summary_values(const ir_program *p, FILE *out);    /* values handed from one work call to another */

#endif
