/* wrapper_test: what the tests of instruction wrappers share: parameters, shared memory by the word, a test.
 * */
#ifndef WRAPPER_TEST_CUH
#define WRAPPER_TEST_CUH

#include <cstdint>
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>
#include <vector>

#include "ww/ww.cuh"

enum { WORDS = 1 << 16 };

struct test_params {
    ww_tensor_map rows; /* 16 rows of 64 16-bit elements; element i is i; box 64 x 8, 128-byte swizzle */
    uint32_t *out;      /* WORDS words, poisoned */
    uint16_t *global;   /* the memory of `rows` */
    uint16_t *copied;   /* as many elements, a second tensor's worth */
    ww_tensor_map copied_rows;
    ww_tensor_map boxes[5],
        copied_boxes[5]; /* `global` and `copied` as 512 words in 1 .. 5 dimensions, see shapes */
};

#define KERNEL(name) __global__ void __launch_bounds__(128, 1) name(const __grid_constant__ test_params p)

__device__ static uint32_t dynamic_smem()
{
    extern __shared__ __align__(1024) unsigned char memory[];
    return ww::shared_address(memory);
}

__device__ static void store_word(uint32_t smem, uint32_t word)
{
    asm volatile("st.shared.b32 [%0], %1;" : : "r"(smem), "r"(word) : "memory");
}

__device__ static uint32_t load_word(uint32_t smem)
{
    uint32_t word;
    asm volatile("ld.shared.b32 %0, [%1];" : "=r"(word) : "r"(smem) : "memory");
    return word;
}

/* A barrier at the start of dynamic shared memory, for `count` arrivals; the CTA has seen it. */
__device__ static uint32_t barrier_new(uint32_t count)
{
    const uint32_t barrier = dynamic_smem();
    if (threadIdx.x == 0) {
        ww::mbarrier_init(barrier, count);
        ww::fence_mbarrier_init();
    }
    __syncthreads();
    return barrier;
}

struct test {
    const char *name;
    void (*kernel)(test_params);
    uint32_t (*expected)(int);
    int words, ctas;
};

/* Word i of `global`, whose 16-bit elements count up. */
static uint32_t pair_expected(int i)
{
    return static_cast<uint32_t>(i * 2 | (i * 2 + 1) << 16);
}

#endif
