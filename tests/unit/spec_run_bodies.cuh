/* Work bodies of spec_run_test: they write down what they are told. */
#ifndef SPEC_RUN_BODIES_CUH
#define SPEC_RUN_BODIES_CUH

#include "ww/ww.cuh"
#include "spec_run_params.h"

using spec_info = ww::stage_info<spec_run_params>;

struct book {
    int calls[SPEC_PLACES];
};

template <int PLACE> WW_WORK void book_note(book &self, const spec_info &info)
{
    self.calls[PLACE]++;
    if (info.lane == 0)
        info.params.notes[blockIdx.z * SPEC_PLACES + PLACE] = {
            self.calls[PLACE], info.loop_offset, info.loop_start, info.loop_end,
            info.loop_step,    info.stage,       info.tile.m,     info.tile.valid};
}

/* Bodies that do not keep to what they may do, or to what their rows say, beside those that do. */
template <class I> WW_WORK void book_scribble(book &, I &info)
{
    info.loop_offset = 0;
}

WW_WORK void book_make(book &, const spec_info &info, int &x)
{
    x = info.lane;
}

WW_WORK void book_change(book &, const spec_info &, int &x)
{
    x++;
}

WW_WORK void book_follow(book &, const spec_info &info, const int *x)
{
    info.params.out[info.lane] = *x;
}

WW_WORK void book_make_float(book &, const spec_info &info, int &x)
{
    x = info.lane;
}

WW_WORK void book_take(book &, const spec_info &info, int x)
{
    info.params.out[info.lane] = x;
}

/* A slow writer and a fast reader of one word a lane. */
struct ring {
    int rows;
};

WW_WORK void ring_fill(ring &self, const spec_info &info)
{
    for (int i = 0; i < 50; i++)
        asm volatile("nanosleep.u32 20;");
    asm volatile("st.shared.u32 [%0], %1;"
                 :
                 : "r"(info.buffer[0] + 4 * info.lane), "r"(100 * self.rows++ + info.lane)
                 : "memory");
}

WW_WORK void ring_read(ring &self, const spec_info &info)
{
    int value;
    asm volatile("ld.shared.u32 %0, [%1];"
                 : "=r"(value)
                 : "r"(info.buffer[0] + 4 * (info.lane ^ 1))
                 : "memory");
    info.params.out[32 * self.rows++ + info.lane] = value;
}

#endif
