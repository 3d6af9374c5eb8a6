/* 412: barriers in bodies */
#include "audited.cuh"

struct sums {
};

/* wrong: the prover does not see who meets here */
WW_WORK void sums_add(sums &, const info &info)
{
    atomicAdd(&info.params.out[0], info.params.in[32 * info.warp + info.lane]);
    ww::named_barrier_sync(5, 128);
    info.params.out[1 + info.warp] = info.params.out[0];
}
/* end */
