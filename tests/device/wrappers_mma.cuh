/* wrappers_mma: wgmma in every type and shape, and operands in every layout that there is a descriptor for.
 *
 * A type says how an integer is written in it, a layout where element k of a row lies and how far a step of
 * 32 bytes along K moves the descriptor. Threads write both operands so; D (64 x N) = A.B^T over the whole K
 * of the layout is then small integers, exact in every type. */
#ifndef WRAPPERS_MMA_CUH
#define WRAPPERS_MMA_CUH

#include "wrapper_test.cuh"

__host__ __device__ static int a_value(int row, int k)
{
    return (row * 7 + k * 3) % 9 - 4;
}

__host__ __device__ static int b_value(int column, int k)
{
    return (column * 5 + k * 11) % 7 - 3;
}

/* ---- types ------------------------------------------------------------------------------------------ */

/* An integer from -4 to 4 whose magnitude has the bits of `magnitudes`, with the sign in the top one of
 * eight. */
__device__ static uint32_t small_float(int x, const uint8_t (&magnitudes)[5])
{
    return x < 0 ? magnitudes[-x] | 0x80u : magnitudes[x];
}

struct bf16 {
    typedef float number;
    enum { BYTES = 2 };
    __device__ static uint32_t encode(int x)
    {
        return __float_as_uint(static_cast<float>(x)) >> 16;
    }
};

struct f16 {
    typedef float number;
    enum { BYTES = 2 };
    __device__ static uint32_t encode(int x)
    {
        return ww::pack_f16(static_cast<float>(x), 0.0f) & 0xffffu;
    }
};

struct tf32 {
    typedef float number;
    enum { BYTES = 4 };
    __device__ static uint32_t encode(int x)
    {
        return __float_as_uint(static_cast<float>(x));
    }
};

struct e4m3 {
    typedef float number;
    enum { BYTES = 1 };
    __device__ static uint32_t encode(int x)
    {
        return small_float(x, {0x00, 0x38, 0x40, 0x44, 0x48});
    }
};

struct e5m2 {
    typedef float number;
    enum { BYTES = 1 };
    __device__ static uint32_t encode(int x)
    {
        return small_float(x, {0x00, 0x3c, 0x40, 0x42, 0x44});
    }
};

struct s8 {
    typedef int number;
    enum { BYTES = 1 };
    __device__ static uint32_t encode(int x)
    {
        return static_cast<uint32_t>(x);
    }
};

/* ---- layouts ---------------------------------------------------------------------------------------- */

struct k_major_128 {
    enum { K_BYTES = 128, STEP = 2, MN_MAJOR = 0 };
    __device__ static uint32_t place(int row, int byte)
    {
        return ww::swizzle_128(static_cast<uint32_t>(row * 128 + byte));
    }
    __device__ static uint64_t descriptor(uint32_t smem)
    {
        return ww::descriptor_k_major_sw128(smem);
    }
};

struct k_major_64 {
    enum { K_BYTES = 64, STEP = 2, MN_MAJOR = 0 };
    __device__ static uint32_t place(int row, int byte)
    {
        return ww::swizzle_64(static_cast<uint32_t>(row * 64 + byte));
    }
    __device__ static uint64_t descriptor(uint32_t smem)
    {
        return ww::descriptor_k_major_sw64(smem);
    }
};

struct k_major_32 {
    enum { K_BYTES = 32, STEP = 2, MN_MAJOR = 0 };
    __device__ static uint32_t place(int row, int byte)
    {
        return ww::swizzle_32(static_cast<uint32_t>(row * 32 + byte));
    }
    __device__ static uint64_t descriptor(uint32_t smem)
    {
        return ww::descriptor_k_major_sw32(smem);
    }
};

/* Cores of 8 rows follow each other along the rows, and along K in distances of 2048 bytes, two cores a step.
 * */
struct k_major_plain {
    enum { K_BYTES = 64, STEP = 2 * 2048 / 16, MN_MAJOR = 0 };
    __device__ static uint32_t place(int row, int byte)
    {
        return static_cast<uint32_t>(byte / 16 * 2048 + row / 8 * 128 + row % 8 * 16 + byte % 16);
    }
    __device__ static uint64_t descriptor(uint32_t smem)
    {
        return ww::descriptor_k_major_plain(smem, 2048, 128);
    }
};

/* Atoms of 64 rows x 8 of K follow each other along K, two a step, then along the rows; elements of two
 * bytes. */
struct mn_major_128 {
    enum { K_BYTES = 128, STEP = 2 * 1024 / 16, MN_MAJOR = 1 };
    __device__ static uint32_t place(int row, int byte)
    {
        const int k = byte / 2, atom = row / 64 * 8 + k / 8;
        return static_cast<uint32_t>(atom * 1024) +
               ww::swizzle_128(static_cast<uint32_t>(k % 8 * 128 + row % 64 * 2 + byte % 2));
    }
    __device__ static uint64_t descriptor(uint32_t smem)
    {
        return ww::descriptor_mn_major_sw128(smem, 8 * 1024, 1024);
    }
};

/* ---- the kernel ------------------------------------------------------------------------------------- */

#define MMA(TYPE, K, N)                                                                                      \
    template <class LAYOUT>                                                                                  \
    __device__ static void mma(TYPE, LAYOUT, TYPE::number(&d)[N / 2], uint64_t a, uint64_t b,                \
                               int accumulate)                                                               \
    {                                                                                                        \
        ww::wgmma_m64n##N##k##K##_##TYPE<LAYOUT::MN_MAJOR, LAYOUT::MN_MAJOR>(d, a, b, accumulate);           \
    }
#define MMA_SHAPES(TYPE, K)                                                                                  \
    MMA(TYPE, K, 8)                                                                                          \
    MMA(TYPE, K, 16)                                                                                         \
    MMA(TYPE, K, 32)                                                                                         \
    MMA(TYPE, K, 64)                                                                                         \
    MMA(TYPE, K, 128)                                                                                        \
    MMA(TYPE, K, 256)
MMA_SHAPES(bf16, 16)
MMA_SHAPES(f16, 16)
MMA_SHAPES(tf32, 8)
MMA_SHAPES(e4m3, 32)
MMA_SHAPES(e5m2, 32)
MMA_SHAPES(s8, 32)

__device__ static void store_byte(uint32_t smem, uint32_t byte)
{
    asm volatile("st.shared.b8 [%0], %1;" : : "r"(smem), "h"(static_cast<uint16_t>(byte & 0xffu)) : "memory");
}

template <class TYPE, class LAYOUT>
__device__ static void write_operand(uint32_t smem, int rows, int (*value)(int row, int k))
{
    const int elements = LAYOUT::K_BYTES / TYPE::BYTES;
    for (int i = static_cast<int>(threadIdx.x); i < rows * elements; i += 128) {
        const int row = i / elements, k = i % elements;
        const uint32_t bits = TYPE::encode(value(row, k));
        for (int byte = 0; byte < TYPE::BYTES; byte++)
            store_byte(smem + LAYOUT::place(row, k * TYPE::BYTES + byte), bits >> (8 * byte));
    }
}

__device__ static uint32_t number_bits(float x)
{
    return __float_as_uint(x);
}

__device__ static uint32_t number_bits(int x)
{
    return static_cast<uint32_t>(x);
}

/* Word row * N + column of the output is that element of D. */
template <class TYPE, class LAYOUT, int N> KERNEL(mma_kernel)
{
    const uint32_t smem_a = dynamic_smem(), smem_b = smem_a + 8192;
    write_operand<TYPE, LAYOUT>(smem_a, 64, a_value);
    write_operand<TYPE, LAYOUT>(smem_b, N, b_value);
    ww::fence_proxy_async_shared();
    __syncthreads();
    typename TYPE::number d[N / 2];
    const uint64_t a = LAYOUT::descriptor(smem_a), b = LAYOUT::descriptor(smem_b);
    ww::wgmma_fence();
#pragma unroll
    for (int step = 0; step < LAYOUT::K_BYTES / 32; step++)
        mma(TYPE(), LAYOUT(), d, a + static_cast<uint64_t>(step * LAYOUT::STEP),
            b + static_cast<uint64_t>(step * LAYOUT::STEP), step > 0);
    ww::wgmma_commit_group();
    ww::wgmma_wait_group<0>();
    ww::wgmma_pin(d);
    const int warp = ww::warp_index(), lane = ww::lane_index();
#pragma unroll
    for (int i = 0; i < N / 2; i++) {
        const int row = 16 * warp + lane / 4 + (i & 2 ? 8 : 0), column = i / 4 * 8 + lane % 4 * 2 + (i & 1);
        p.out[row * N + column] = number_bits(d[i]);
    }
}

template <class TYPE, class LAYOUT, int N> static uint32_t mma_expected(int i)
{
    typename TYPE::number sum = 0;
    for (int k = 0; k < LAYOUT::K_BYTES / TYPE::BYTES; k++)
        sum += static_cast<typename TYPE::number>(a_value(i / N, k) * b_value(i % N, k));
    uint32_t bits;
    __builtin_memcpy(&bits, &sum, 4);
    return bits;
}

#define MMA_TEST(TYPE, LAYOUT, N)                                                                            \
    {                                                                                                        \
        "wgmma n" #N " " #TYPE " " #LAYOUT, mma_kernel<TYPE, LAYOUT, N>, mma_expected<TYPE, LAYOUT, N>,      \
            64 * N, 1                                                                                        \
    }
#define MMA_TESTS(TYPE)                                                                                      \
    MMA_TEST(TYPE, k_major_128, 8), MMA_TEST(TYPE, k_major_128, 16), MMA_TEST(TYPE, k_major_128, 32),        \
        MMA_TEST(TYPE, k_major_128, 64), MMA_TEST(TYPE, k_major_128, 128), MMA_TEST(TYPE, k_major_128, 256)

static const test mma_tests[] = {
    MMA_TESTS(bf16),
    MMA_TESTS(f16),
    MMA_TESTS(tf32),
    MMA_TESTS(e4m3),
    MMA_TESTS(e5m2),
    MMA_TESTS(s8),
    MMA_TEST(bf16, k_major_64, 128),
    MMA_TEST(e4m3, k_major_64, 32),
    MMA_TEST(bf16, k_major_32, 128),
    MMA_TEST(f16, k_major_plain, 128),
    MMA_TEST(s8, k_major_plain, 64),
    MMA_TEST(bf16, mn_major_128, 128),
    MMA_TEST(f16, mn_major_128, 256),
};

#endif
