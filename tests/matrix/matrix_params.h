/* matrix_params: what the host tells a kernel of the matrix. The kernels are compiled and assembled,
 * never launched, so that no host fills this; it says what a launch would need. */
#ifndef MATRIX_PARAMS_H
#define MATRIX_PARAMS_H

#include "ww/types.h"

enum { MATRIX_TILE_BYTES = 4096 }; /* of each of a ring's two buffers: 128 rows of 16 elements of 16 bits */

struct matrix_params {
    ww_tensor_map a, b;        /* 2-D maps; boxes as large as the slices that tile_ring_load wants */
    const unsigned char *from; /* what threads copy */
    int *out;
    unsigned *counter; /* of a counter queue */
    int trips;
    int tiles;
};

#endif
