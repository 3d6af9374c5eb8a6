/* The plain way to place memory, and what holds of every placement: what tests of packing and of layout
 * compare with. */
#ifndef WW_TESTS_PACK_ORACLE_H
#define WW_TESTS_PACK_ORACLE_H

#include "model/pack.h"

enum { ORACLE_GROUPS = 3, ORACLE_PHASES = 3, NO_GROUP = -1 };

uint64_t oracle_align_up(uint64_t value, uint32_t unit);

/* Blocks by falling alignment, first items of no group as declared, then the groups (up to ORACLE_GROUPS, of
 * up to ORACLE_PHASES), whose phases are placed as declared; one behind the other. Sets the offsets and
 * returns the end. */
uint64_t oracle_plain(pack_item *items, size_t count);

/* Fails the test unless all items are aligned, the last one ends at `used`, and none lies over another
 * except one in another phase of its group. */
void oracle_check(const pack_item *items, size_t count, uint64_t used);

/* 0 to n - 1, from a generator of the caller's. */
uint32_t oracle_random(uint64_t *state, uint32_t n);

#endif
