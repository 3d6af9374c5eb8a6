/* witness: a finding as diagnostics, and what a proof covers as one line. */
#ifndef WW_WITNESS_H
#define WW_WITNESS_H

#include "prove/steady.h"

/* The refutation: the finding first, then notes that complete it. In the kernel's arena. */
const ww_diag *witness_of(const machine *m, const steady_result *result);

/* An execution that ended with a finding. */
typedef struct witness_run {
    const machine *m;
    const steady_result *result;
} witness_run;

/* "with k_tiles = 5, 2 tiles" or "in every execution". In the kernel's arena. */
const char *witness_values(const witness_run *run);
/* As the author spells it. */
void witness_value_name(const plan *p, int value, text *out);

/* "k_tiles >= 1, any number of tiles, every skip pattern" */
void witness_covered(const plan *p, const steady_result *result, text *out);

#endif
