/* grid_stride_params: what the host tells the grid-stride copy: `count` 16-bit integers from `from` to `to`.
 */
#ifndef GRID_STRIDE_PARAMS_H
#define GRID_STRIDE_PARAMS_H

#include "ww/types.h"

struct grid_stride_params {
    const int16_t *from;
    int16_t *to;
    int count; /* plus the loop's step it must not pass INT_MAX */
};

#endif
