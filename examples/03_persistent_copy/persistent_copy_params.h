/* persistent_copy_params: what the host tells the persistent copy.
 *
 * A rows x cols matrix of 16-bit elements in strips of 128 columns, a strip a tile. The tile space is made
 * larger than the matrix on purpose: tiles from `logical_tiles` on are handed out and skipped. */
#ifndef PERSISTENT_COPY_PARAMS_H
#define PERSISTENT_COPY_PARAMS_H

#include "ww/types.h"

enum { PERSISTENT_COPY_COLUMNS = 128 }; /* a strip, and the threads of the copy task */

struct persistent_copy_params {
    const uint16_t *from;
    uint16_t *to;
    int rows, cols;
    int tiles;         /* of the tile space: logical_tiles and the overlaunched ones */
    int logical_tiles; /* ceil(cols / PERSISTENT_COPY_COLUMNS) */
};

#endif
