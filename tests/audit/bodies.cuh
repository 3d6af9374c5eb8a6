/* bodies: for each rule of the audit a body that breaks it, beside one that does not. The rows are in audit_test.c. */
#ifndef AUDIT_BODIES_CUH
#define AUDIT_BODIES_CUH

#include "ww/ww.cuh"
#include "audit_params.h"

using audit_info = ww::stage_info<audit_params>;

/* A ring with buffers a and b of 1024 bytes each, and 32 columns of tensor memory on Blackwell. */
struct ring {
    float d[4];
    uint32_t words[4];
};

WW_WORK uint32_t load_word(uint32_t address)
{
    uint32_t value;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"(address) : "memory");
    return value;
}

WW_WORK void store_word(uint32_t address, uint32_t value)
{
    asm volatile("st.shared.u32 [%0], %1;" : : "r"(address), "r"(value) : "memory");
}

WW_WORK uint32_t word_of(const audit_info &info, int buffer)
{
    return info.buffer[buffer] + 4 * static_cast<uint32_t>(info.lane);
}

/* ---- copies --------------------------------------------------------------------------------------------------- */

WW_WORK void ring_copies_both(ring &, const audit_info &info)
{
    if (ww::elect_one()) {
        ww::bulk_load(info.buffer[0], info.params.in, 1024, info.barrier);
        ww::bulk_load(info.buffer[1], info.params.in, 1024, info.barrier);
    }
}

WW_WORK void ring_copies_in_halves(ring &, const audit_info &info)
{
    if (ww::elect_one())
        for (uint32_t half = 0; half < 2; half++)
            for (int buffer = 0; buffer < 2; buffer++)
                ww::bulk_load(info.buffer[buffer] + 512 * half, info.params.in, 512, info.barrier);
}

/* How many there are is known when it runs. */
WW_WORK void ring_copies_rows(ring &, const audit_info &info)
{
    if (ww::elect_one())
#pragma unroll 1
        for (int row = 0; row < info.params.rows; row++) {
            ww::bulk_load(info.buffer[0] + 128 * row, info.params.in, 128, info.barrier);
            ww::bulk_load(info.buffer[1] + 128 * row, info.params.in, 128, info.barrier);
        }
}

/* Each lane its share. */
WW_WORK void ring_copies_by_lanes(ring &, const audit_info &info)
{
    ww::bulk_load(info.buffer[0] + 32 * info.lane, info.params.in, 32, info.barrier);
    ww::bulk_load(info.buffer[1] + 32 * info.lane, info.params.in, 32, info.barrier);
}

WW_WORK void ring_copies_tiles(ring &, const audit_info &info)
{
    if (ww::elect_one()) {
        ww::tensor_load_2d(info.buffer[0], &info.params.map, info.barrier, 0, 0);
        ww::tensor_load_2d(info.buffer[1], &info.params.map, info.barrier, 0, 0);
    }
}

WW_WORK void ring_copies_nothing(ring &, const audit_info &)
{
}

WW_WORK void ring_copies_a(ring &, const audit_info &info)
{
    if (ww::elect_one())
        ww::bulk_load(info.buffer[0], info.params.in, 1024, info.barrier);
}

WW_WORK void ring_copies_either(ring &, const audit_info &info)
{
    if (ww::elect_one())
        ww::tensor_load_2d(info.buffer[info.tile.m & 1], &info.params.map, info.barrier, 0, 0);
}

WW_WORK void ring_copies_short(ring &, const audit_info &info)
{
    if (ww::elect_one()) {
        ww::bulk_load(info.buffer[0], info.params.in, 1024, info.barrier);
        ww::bulk_load(info.buffer[1], info.params.in, 512, info.barrier);
    }
}

WW_WORK void ring_copies_to_empty(ring &, const audit_info &info)
{
    if (ww::elect_one()) {
        ww::bulk_load(info.buffer[0], info.params.in, 1024, info.barrier);
        ww::bulk_load(info.buffer[1], info.params.in, 1024, info.empty_barrier);
    }
}

WW_WORK void ring_copies_by_all(ring &, const audit_info &info)
{
    ww::tensor_load_2d(info.buffer[0], &info.params.map, info.barrier, 0, 0);
}

/* What a function does that is not inlined is not looked at. */
static __device__ __noinline__ void copy_elsewhere(uint32_t smem, const void *from, uint32_t barrier)
{
    ww::bulk_load(smem, from, 1024, barrier);
}

WW_WORK void ring_copies_elsewhere(ring &, const audit_info &info)
{
    if (ww::elect_one())
        copy_elsewhere(info.buffer[0], info.params.in, info.barrier);
}

/* ---- threads and shared memory ---------------------------------------------------------------------------------- */

WW_WORK void ring_reads(ring &, const audit_info &info)
{
    info.params.out[info.lane] = load_word(word_of(info, 0)) + load_word(word_of(info, 1));
}

WW_WORK void ring_reads_a(ring &, const audit_info &info)
{
    info.params.out[info.lane] = load_word(word_of(info, 0));
}

WW_WORK void ring_reads_either(ring &, const audit_info &info)
{
    info.params.out[info.lane] = load_word(word_of(info, info.tile.m & 1));
}

/* Through a pointer, as C++ does it. */
WW_WORK void ring_reads_by_pointer(ring &, const audit_info &info)
{
    const auto *row = static_cast<const uint32_t *>(__cvta_shared_to_generic(word_of(info, 0)));
    info.params.out[info.lane] = *row;
}

WW_WORK void ring_writes(ring &, const audit_info &info)
{
    store_word(word_of(info, 0), info.params.in[info.lane]);
    store_word(word_of(info, 1), info.params.in[info.lane]);
}

WW_WORK void ring_writes_a(ring &, const audit_info &info)
{
    store_word(word_of(info, 0), info.params.in[info.lane]);
}

WW_WORK void ring_counts(ring &self, const audit_info &)
{
    self.words[0]++;
}

WW_WORK void ring_copies_and_writes(ring &self, const audit_info &info)
{
    ring_copies_both(self, info);
    store_word(word_of(info, 0), 0);
}

WW_WORK void ring_keeps(ring &, const audit_info &info)
{
    __shared__ uint32_t kept[32];
    kept[info.lane] = info.params.in[info.lane];
    ww::syncwarp();
    info.params.out[info.lane] = kept[31 - info.lane];
}

/* ---- bulk stores ------------------------------------------------------------------------------------------------- */

WW_WORK void ring_stores(ring &, const audit_info &info)
{
    if (ww::elect_one()) {
        ww::bulk_store(info.params.out, info.buffer[0], 1024);
        ww::bulk_commit_group();
    }
}

WW_WORK void ring_stores_uncommitted(ring &, const audit_info &info)
{
    if (ww::elect_one())
        ww::bulk_store(info.params.out, info.buffer[0], 1024);
}

WW_WORK void ring_stores_b(ring &, const audit_info &info)
{
    if (ww::elect_one()) {
        ww::bulk_store(info.params.out, info.buffer[1], 1024);
        ww::bulk_commit_group();
    }
}

/* The group committed behind the wait is the one that may be pending. */
WW_WORK void ring_settles_and_stores(ring &self, const audit_info &info)
{
    if (ww::elect_one()) {
        ww::bulk_wait_group_read<0>();
        ww::bulk_store(info.params.out, info.buffer[0], 1024);
        ww::bulk_commit_group();
    }
}

template <int groups> WW_WORK void ring_settles(ring &, const audit_info &)
{
    if (ww::elect_one())
        ww::bulk_wait_group_read<groups>();
}

WW_WORK void ring_settles_sometimes(ring &, const audit_info &info)
{
    if (info.tile.m)
        ww::bulk_wait_group_read<0>();
}

/* ---- wgmma -------------------------------------------------------------------------------------------------------- */

WW_WORK void multiply(ring &self, uint64_t a, uint64_t b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
                 : "+f"(self.d[0]), "+f"(self.d[1]), "+f"(self.d[2]), "+f"(self.d[3])
                 : "l"(a), "l"(b)
                 : "memory");
}

WW_WORK void ring_multiplies(ring &self, const audit_info &info)
{
    ww::wgmma_fence();
    multiply(self, info.buffer[0], info.buffer[1]);
    ww::wgmma_commit_group();
}

WW_WORK void ring_multiplies_uncommitted(ring &self, const audit_info &info)
{
    ww::wgmma_fence();
    multiply(self, info.buffer[0], info.buffer[1]);
}

/* All in one: nothing is under way behind it. */
WW_WORK void ring_multiplies_and_waits(ring &self, const audit_info &info)
{
    ring_multiplies(self, info);
    ww::wgmma_wait_group<0>();
}

template <int groups> WW_WORK void ring_finishes(ring &, const audit_info &)
{
    ww::wgmma_wait_group<groups>();
}

/* ---- cp.async ------------------------------------------------------------------------------------------------------ */

WW_WORK void ring_loads(ring &, const audit_info &info)
{
    ww::cp_async_16(info.buffer[0] + 16 * info.lane, info.params.in + 4 * info.lane);
}

WW_WORK void ring_loads_and_waits(ring &self, const audit_info &info)
{
    ring_loads(self, info);
    ww::cp_async_wait_all();
}

/* ---- tcgen05 ------------------------------------------------------------------------------------------------------- */

WW_WORK void ring_issues(ring &, const audit_info &info)
{
    if (ww::elect_one())
        ww::tcgen05_mma_f16<1>(info.tmem[0], info.buffer[0], info.buffer[1], 0u, true);
}

WW_WORK void ring_issues_by_all(ring &, const audit_info &info)
{
    ww::tcgen05_mma_f16<1>(info.tmem[0], info.buffer[0], info.buffer[1], 0u, true);
}

WW_WORK void ring_takes(ring &self, const audit_info &info)
{
    ww::tcgen05_ld_32x32b(info.tmem[0], self.words);
    ww::tcgen05_wait_ld();
    ww::tcgen05_pin(self.words);
}

WW_WORK void ring_takes_early(ring &self, const audit_info &info)
{
    ww::tcgen05_ld_32x32b(info.tmem[0], self.words);
}

WW_WORK void ring_puts(ring &self, const audit_info &info)
{
    ww::tcgen05_st_32x32b(info.tmem[0], self.words);
    ww::tcgen05_wait_st();
}

WW_WORK void ring_puts_and_leaves(ring &self, const audit_info &info)
{
    ww::tcgen05_st_32x32b(info.tmem[0], self.words);
}

WW_WORK void ring_commits(ring &, const audit_info &info)
{
    if (ww::elect_one())
        ww::tcgen05_commit<1>(info.barrier);
}

WW_WORK void ring_allocates(ring &, const audit_info &info)
{
    ww::tcgen05_alloc<1>(info.buffer[0], 32);
}

WW_WORK void ring_asks(ring &, const audit_info &info)
{
    if (ww::elect_one())
        ww::clc_try_cancel(info.buffer[0], info.barrier);
}

/* ---- the framework's business --------------------------------------------------------------------------------------- */

WW_WORK void ring_arrives(ring &, const audit_info &info)
{
    ww::mbarrier_arrive(info.empty_barrier);
}

WW_WORK void ring_waits(ring &, const audit_info &info)
{
    ww::mbarrier_wait(info.barrier, 0);
}

WW_WORK void ring_meets_all(ring &, const audit_info &)
{
    __syncthreads();
}

template <int id> WW_WORK void ring_meets(ring &, const audit_info &)
{
    ww::named_barrier_sync(id, 128);
}

WW_WORK void ring_meets_warp(ring &, const audit_info &)
{
    ww::syncwarp();
}

WW_WORK void ring_meets_cluster(ring &, const audit_info &)
{
    ww::cluster_arrive();
    ww::cluster_wait();
}

WW_WORK void ring_awaits_grid(ring &, const audit_info &)
{
    ww::griddepcontrol_wait();
}

WW_WORK void ring_grows(ring &, const audit_info &)
{
    ww::setmaxnreg_inc<240>();
}

WW_WORK void ring_leaves(ring &, const audit_info &info)
{
    if (info.tile.m)
        asm volatile("exit;");
}

/* ---- fences and calls ------------------------------------------------------------------------------------------------- */

WW_WORK void ring_fences(ring &, const audit_info &)
{
    ww::fence_proxy_async_shared();
}

/* For what was written to global memory, and says so. */
WW_WORK void ring_fences_global(ring &, const audit_info &)
{
    ww::fence_proxy_async_global();
}

WW_WORK void ring_fences_all(ring &, const audit_info &)
{
    asm volatile("fence.proxy.async;" : : : "memory");
}

WW_WORK void ring_prints(ring &, const audit_info &info)
{
    printf("%d\n", info.tile.m);
}

/* ---- registers -------------------------------------------------------------------------------------------------------- */

/* Takes n words, and only then gives them away. */
template <int n> WW_WORK void ring_holds(ring &, const audit_info &info)
{
    uint32_t words[n];
#pragma unroll
    for (int i = 0; i < n; i++)
        asm volatile("ld.global.u32 %0, [%1];" : "=r"(words[i]) : "l"(info.params.in + i) : "memory");
#pragma unroll
    for (int i = 0; i < n; i++)
        asm volatile("st.global.u32 [%0], %1;" : : "l"(info.params.out + i), "r"(words[n - 1 - i]) : "memory");
}

WW_WORK void ring_looks_up(ring &, const audit_info &info)
{
    uint32_t words[32];
#pragma unroll
    for (int i = 0; i < 32; i++)
        asm volatile("ld.global.u32 %0, [%1];" : "=r"(words[i]) : "l"(info.params.in + i) : "memory");
    for (int i = 0; i < info.params.rows; i++)
        info.params.out[i] = words[info.params.in[i] & 31];
}

#endif
