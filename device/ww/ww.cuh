/* ww: all of the device side. A generated kernel includes this and its author's work bodies, nothing else. */
#ifndef WW_CUH
#define WW_CUH

#include "types.h"
#include "warp.cuh"
#include "mbarrier.cuh"
#include "fence.cuh"
#include "cp_async.cuh"
#include "tma.cuh"
#include "wgmma.cuh"
#include "tcgen05.cuh"
#include "umma_descriptor.cuh"
#include "matrix.cuh"
#include "swizzle.cuh"
#include "cluster.cuh"
#include "cluster_layout.cuh"
#include "clc.cuh"
#include "pdl.cuh"
#include "stage_info.cuh"
#include "tile_queue.cuh"
#include "dynamic_queue.cuh"
#include "loop.cuh"

#endif
