/* stores_params: rows of words that threads fill and the copy engine takes away. A row is a box of STORE_BOX_ROWS x
 * STORE_COLS of the tensor map; row r of CTA c begins at map row (c * trips + r) * STORE_BOX_ROWS. */
#ifndef STORES_PARAMS_H
#define STORES_PARAMS_H

#include "words_params.h"

enum { STORE_COLS = 64, STORE_BOX_ROWS = ROW_WORDS / STORE_COLS };

struct stores_params {
    ww_tensor_map to; /* f32 */
    const uint32_t *in;
    uint32_t *out; /* the same memory as the map's */
    int trips;
};

#endif
