/* tma_copy_params: what the host tells the TMA copy.
 *
 * A rows x cols matrix of 16-bit elements. CTA x copies columns 128 x .. 128 x + 127 of every row, a row an
 * iteration. `from` is a 2-D map, columns innermost: dimensions (cols, rows), box 128 x 1, no swizzle. */
#ifndef TMA_COPY_PARAMS_H
#define TMA_COPY_PARAMS_H

#include "ww/types.h"

enum {
    TMA_COPY_COLUMNS = 128,                   /* a strip, and the threads of the store task */
    TMA_COPY_ROW_BYTES = TMA_COPY_COLUMNS * 2 /* a stage: what TMA delivers */
};

struct tma_copy_params {
    ww_tensor_map from;
    uint16_t *to;
    int rows, cols;
    int pitch; /* elements between rows of `to` */
};

#endif
