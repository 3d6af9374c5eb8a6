/* warpwright: check, prove, generate and run warp-specialised CUDA kernels. Includes the whole public API. */
#ifndef WARPWRIGHT_H
#define WARPWRIGHT_H

#include "warpwright/diag.h"
#include "warpwright/kernel.h"
#include "warpwright/schedule.h"
#include "warpwright/tile_space.h"
#include "warpwright/run.h"
#include "warpwright/matrix.h"
#include "warpwright/witness.h"
#include "warpwright/app.h"

#endif
