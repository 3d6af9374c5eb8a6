/* tile_params: the kernel parameter of the examples, here and in their work bodies. */
#ifndef TILE_PARAMS_H
#define TILE_PARAMS_H

#include "ww/types.h"

typedef struct tile_params {
    int trips, tiles;
    unsigned *counter;
    const unsigned *in;
    unsigned *out;
} tile_params;

#endif
