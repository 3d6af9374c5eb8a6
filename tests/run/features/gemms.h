/* gemms: work tables and problems of the small GEMMs, for the families that have some. */
#ifndef GEMMS_H
#define GEMMS_H

#include "feature.h"
#include "gemms_params.h"

extern const ww_work operands_work[], shared_operands_work[], operand_a_work[], operand_b_work[],
    seen_a_work[], staging_work[];

/* Sums that read the stages of the named rings. */
ww_resource *gemms_sums(ww_kernel *k, const char *ring, const char *other_ring);

ww_kernel *gemms_kernel(const char *name, const char *body, ww_cluster cluster);

/* A resource that stores sums into D. */
ww_resource *gemms_result(ww_kernel *k);

typedef enum gemms_output {
    GEMMS_D,
    GEMMS_D_AND_TILES, /* and the tiles of A */
    GEMMS_D_BY_TURNS,  /* one D of the even K tiles, one of the odd ones */
} gemms_output;

/* Runs several numbers of K tiles (even ones by turns) on two CTAs, and compares. */
void gemms_check(trial *t, gemms_output output);

#endif
