/* weaken: a weaker machine that many come to have, so that there are few, and short to spell. Nothing here need be right: whatever
 * machine a text stands for, the checker runs it, and sees that it covers those that lead to it.
 *
 * weaken.c  loops, values
 * forget.c  facts, laps */
#ifndef WW_CERTIFY_WEAKEN_H
#define WW_CERTIFY_WEAKEN_H

#include "certify/state.h"

/* Reads off the program who may be asked about what. Once for a world. */
void weaken_prepare(world *w);
/* A machine at rest that has its new names. */
void weaken_machine(state *s);
void weaken_facts(state *s);
/* Facts that are not forgotten; and forgetting all but these. */
void weaken_find_kept(const state *s, uint64_t *kept);
void weaken_forget_but(state *s, const uint64_t *kept);
/* Whether loops or guards that have not started may ask about that instance. */
bool weaken_asked_later(const state *s, int value, int instance);

#endif
