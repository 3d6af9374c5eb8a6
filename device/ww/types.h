/* types: what host C and device code both say.
 *
 * Compiles as C11, as C++ and as CUDA under nvcc and NVRTC, without any CUDA or libc header under NVRTC. A
 * kernel's parameter struct is a plain struct in a header that includes this one, so that the host fills the
 * very bytes that the kernel reads. */
#ifndef WW_TYPES_H
#define WW_TYPES_H

#ifdef __CUDACC_RTC__
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
#else
#include <stdint.h>
#endif

#ifdef __CUDACC__
#define WW_DEVICE __device__ __forceinline__
#define WW_HOST_DEVICE __host__ __device__ __forceinline__
/* A work body: RESOURCE_METHOD(RESOURCE &self, const INFO &info, inputs by value, outputs by reference). All
 * lanes of all warps of the task execute it. */
#define WW_WORK static __device__ __forceinline__
#endif

#ifdef __cplusplus
#define WW_ALIGN(bytes) alignas(bytes)
#else
#define WW_ALIGN(bytes) _Alignas(bytes)
#endif

/* A CUtensorMap, opaque: the driver encodes it, TMA reads it. It stays in the parameter bank (a
 * __grid_constant__ parameter), where its address must be a multiple of 64. */
typedef struct ww_tensor_map {
    WW_ALIGN(64) unsigned char opaque[128];
} ww_tensor_map;

/* One tile of the output's tile space, in tiles; valid 0 ends a task's tile loop. */
typedef struct ww_tile {
    int m, n, l;
    int valid;
} ww_tile;

#endif
