/* 413: values in local memory */
#include "audited.cuh"

struct kinds {
};

/* right: loops that are unrolled, so that each index is a constant */
WW_WORK void kinds_count(kinds &, const info &info)
{
    unsigned count[16] = {};
    for (int i = 0; i < info.params.tiles; i++)
#pragma unroll
        for (unsigned kind = 0; kind < 16; kind++)
            count[kind] += (info.params.in[i] & 15) == kind;
#pragma unroll
    for (int kind = 0; kind < 16; kind++)
        info.params.out[kind] = count[kind];
}
/* end */
