/* multicast_params: operand tiles that CTAs of a cluster load for each other. A and B are matrices of words, tile after
 * tile downwards; the tile of A that a CTA works on is that of its m in trip t, of B that of its n.
 *
 *     A   tile number m * trips + t      B   tile number n * trips + t      MULTI_ROWS x MULTI_COLS each */
#ifndef MULTICAST_PARAMS_H
#define MULTICAST_PARAMS_H

#include "ww/types.h"

enum {
    MULTI_ROWS = 8, /* of a tile; a CTA loads all, a half or a quarter of them */
    MULTI_COLS = 32,
    MULTI_WORDS = MULTI_ROWS * MULTI_COLS,
    MULTI_BYTES = 4 * MULTI_WORDS
};

struct multicast_params {
    ww_tensor_map a_part, b_part; /* f32; boxes of the rows that one CTA loads */
    uint32_t *out;                /* a CTA, a trip: the tile of A, then that of B */
    int trips;
};

#endif
