/* 406: what tensor cores read */
#include "audited.cuh"

/* given: the body */
WW_WORK void tile_multiply(tile &self, const info &info)
{
    const uint64_t a = ww::descriptor_k_major_sw128(info.buffer[0]), b = a;
    ww::wgmma_fence();
    ww::wgmma_m64n8k16_bf16(self.d, a, b, 1);
    ww::wgmma_commit_group();
}
/* end */

WW_WORK void tile_settle(tile &, const info &)
{
    ww::wgmma_wait_group<0>();
}
