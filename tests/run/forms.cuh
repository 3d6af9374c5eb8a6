/* forms: one warp writes 32 numbers a stage, another reads them, each lane its neighbour's. */
#ifndef FORMS_CUH
#define FORMS_CUH

#include "ww/ww.cuh"
#include "forms_params.h"

using forms_info = ww::stage_info<forms_params>;

struct ring {
};

WW_WORK uint32_t ring_address(const forms_info &info, int lane)
{
    return info.buffer[0] + 4 * static_cast<uint32_t>(lane);
}

WW_WORK void ring_fill(ring &, const forms_info &info)
{
    const int value = info.loop_offset * 100 + info.lane;
    asm volatile("st.shared.u32 [%0], %1;" : : "r"(ring_address(info, info.lane)), "r"(value) : "memory");
}

WW_WORK void ring_read(ring &, const forms_info &info, int &value)
{
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"(ring_address(info, info.lane ^ 1)) : "memory");
}

struct sink {
};

/* What was read says itself which trip it is of. */
WW_WORK void sink_store(sink &, const forms_info &info, int value)
{
    info.params.out[value / 100 * 32 + info.lane] = value;
}

WW_WORK void sink_mark_first(sink &, const forms_info &info)
{
    if (info.lane == 0)
        info.params.marks[0] = info.loop_offset + 1;
}

WW_WORK void sink_mark_last(sink &, const forms_info &info)
{
    if (info.lane == 0)
        info.params.marks[1] = info.loop_offset + 1;
}

#endif
