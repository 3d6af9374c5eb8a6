/* bodies: those of bodies.c, wrong as people have written them, and right. */
#ifndef CORPUS_BODIES_CUH
#define CORPUS_BODIES_CUH

#include "ww/ww.cuh"

struct corpus_params {
    int trips, tiles;
};

using corpus_info = ww::stage_info<corpus_params>;

__device__ uint32_t corpus_words[4096];

WW_WORK void put_word(const corpus_info &info)
{
    const uint32_t at = 4 * static_cast<uint32_t>(info.lane);
    asm volatile("st.shared.u32 [%0], %1;" : : "r"(info.buffer[0] + at), "r"(corpus_words[info.lane]) : "memory");
}

WW_WORK void take_word(const corpus_info &info)
{
    uint32_t word;
    asm volatile("ld.shared.u32 %0, [%1];"
                 : "=r"(word)
                 : "r"(info.buffer[0] + 4 * static_cast<uint32_t>(info.lane))
                 : "memory");
    corpus_words[info.lane] = word;
}

struct right {
    uint32_t words[4];
};

WW_WORK void right_copy(right &, const corpus_info &info)
{
    if (ww::elect_one())
        ww::bulk_load(info.buffer[0], corpus_words, 1024, info.barrier);
}

WW_WORK void right_stage(right &, const corpus_info &info)
{
    put_word(info);
}

WW_WORK void right_store(right &, const corpus_info &info)
{
    if (ww::elect_one()) {
        ww::bulk_store(corpus_words, info.buffer[0], 1024);
        ww::bulk_commit_group();
    }
}

WW_WORK void right_settle(right &, const corpus_info &)
{
    if (ww::elect_one())
        ww::bulk_wait_group_read<0>();
}

WW_WORK void right_put(right &self, const corpus_info &info)
{
    ww::tcgen05_st_32x32b(info.tmem[0], self.words);
    ww::tcgen05_wait_st();
}

WW_WORK void right_take(right &self, const corpus_info &info)
{
    ww::tcgen05_ld_32x32b(info.tmem[0], self.words);
    ww::tcgen05_wait_ld();
    ww::tcgen05_pin(self.words);
}

WW_WORK void right_use(right &, const corpus_info &info)
{
    take_word(info);
}

/* ---- the same, with the one that is wrong in a place of its own; types are named after the bugs ------------- */

#define RIGHT(type, method)                                                                                  \
    WW_WORK void type##_##method(type &self, const corpus_info &info)                                        \
    {                                                                                                        \
        right_##method(self, info);                                                                          \
    }

/* A barrier of the whole CTA, in a task of four warps. */
struct bug9 : right {
};
RIGHT(bug9, copy)
WW_WORK void bug9_use(bug9 &, const corpus_info &info)
{
    take_word(info);
    __syncthreads();
}

/* Half the bytes of the row. */
struct bug24 : right {
};
RIGHT(bug24, use)
WW_WORK void bug24_copy(bug24 &, const corpus_info &info)
{
    if (ww::elect_one())
        ww::bulk_load(info.buffer[0], corpus_words, 512, info.barrier);
}

/* One for all memory. */
struct bug39 : right {
};
RIGHT(bug39, store)
RIGHT(bug39, settle)
WW_WORK void bug39_stage(bug39 &, const corpus_info &info)
{
    put_word(info);
    asm volatile("fence.proxy.async;" : : : "memory");
}

/* The commit behind this says that the stores are done. */
struct bug43 : right {
};
RIGHT(bug43, take)
WW_WORK void bug43_put(bug43 &self, const corpus_info &info)
{
    ww::tcgen05_st_32x32b(info.tmem[0], self.words);
}

/* In a task that has given registers back. */
struct bug65 : right {
};
RIGHT(bug65, use)
WW_WORK void bug65_copy(bug65 &self, const corpus_info &info)
{
    right_copy(self, info);
    printf("trip %d\n", info.loop_offset);
}

#endif
