/* witness: a finding as diagnostics, and what a proof covers as one line. */
#ifndef WW_WITNESS_H
#define WW_WITNESS_H

#include "prove/steady.h"
#include "warpwright/witness.h"

/* The refutation: the finding first, then notes that complete it. In the kernel's arena. */
const ww_diag *witness_of(const machine *m, const steady_result *result);

/* The same as events, in the kernel's arena; NULL: there is no order to show (witness_build.c). */
const ww_witness *witness_events(const machine *m, const steady_result *result, const ww_diag *refutation);

/* ---- names (witness_names.c) --------------------------------------------------------------------------- */

/* "acquire(ring)", "ring.tma_load" */
void witness_step_name(const plan *p, int agent_index, int op, text *out);
/* "ring.full[2]", "order.turn 1", "staged"; in a cluster with " of CTA 1" */
void witness_stage_name(const plan *p, int stage, text *out);
/* "ring.row[2]" */
void witness_slot_name(const plan *p, int slot, text *out);
/* Who would have to arrive on a stage, and where these are. */
void witness_arrivers(const machine *m, int stage, text *out);

/* ---- values (witness_values.c) ------------------------------------------------------------------------- */

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
