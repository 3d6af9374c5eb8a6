/* queues_params: tiles of rows of words that a work queue deals out. A tile is one row. */
#ifndef QUEUES_PARAMS_H
#define QUEUES_PARAMS_H

#include "words_params.h"

struct queues_params {
    const uint32_t *in; /* a row a tile, m fastest */
    uint32_t *out;
    uint32_t *tally;   /* a tile: how often it was dealt out; then, of tiles outside, how many were */
    unsigned *counter; /* of a counter queue */
    int tiles_m, tiles_n, tiles_l;
};

#endif
