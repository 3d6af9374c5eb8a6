/* 410: fences in bodies */
#include "audited.cuh"

/* wrong: it waits for global memory, too */
WW_WORK void tile_fill(tile &, const info &info)
{
    set_word(info, info.params.in[info.lane]);
    asm volatile("fence.proxy.async;" : : : "memory");
}
/* end */
