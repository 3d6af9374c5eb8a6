/* queue_params: a kernel that counts how often each tile is dealt out. */
#ifndef QUEUE_PARAMS_H
#define QUEUE_PARAMS_H

#include "ww/types.h"

struct queue_params {
    int *counts; /* tiles_m x tiles_n x tiles_l, and one more: tiles outside that were dealt out */
    int tiles_m, tiles_n, tiles_l;
};

#endif
