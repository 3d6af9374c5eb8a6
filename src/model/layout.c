/* Shared memory: buffers by falling alignment, then the barriers. One formula serves placement and
 * WW_STAGES_MAX. */
#include "model/model.h"

enum { BARRIER_BYTES = 8, MAX_ALIGN = 1024 };

/* Places everything for the stage counts as they stand; returns the bytes used. */
static uint32_t place_all(ww_kernel *k)
{
    uint32_t at = 0;
    for (uint32_t align = MAX_ALIGN; align; align /= 2)
        for (size_t i = 0; i < k->resources.len; i++) {
            ww_resource *r = k->resources.at[i];
            for (int b = 0; b < r->buffer_count; b++) {
                if (r->buffers[b].align != align)
                    continue;
                r->buffers[b].offset = round_up(at, align);
                at = r->buffers[b].offset + (uint32_t)model_stages(r) * round_up(r->buffers[b].bytes, align);
            }
        }
    k->smem_data_bytes = at;
    at = round_up(at, BARRIER_BYTES);
    for (size_t i = 0; i < k->resources.len; i++) {
        ww_resource *r = k->resources.at[i];
        if (!model_pipelined(r))
            continue;
        r->barrier_offset = at;
        at += 2 * BARRIER_BYTES * (uint32_t)model_stages(r);
    }
    return k->smem_bytes = at;
}

/* Gives every WW_STAGES_MAX resource the same depth: the greatest that fits (at least 1, which may not). */
void model_layout(ww_kernel *k)
{
    VEC(ww_resource *) deepest = {0};
    for (size_t i = 0; i < k->resources.len; i++)
        if (model_pipelined(k->resources.at[i]) && k->resources.at[i]->pipeline.stages == WW_STAGES_MAX)
            vec_push(&deepest, k->resources.at[i]);
    for (int stages = deepest.len ? WW_MAX_STAGES : 1; stages >= 1; stages--) {
        for (size_t i = 0; i < deepest.len; i++)
            deepest.at[i]->pipeline.stages = stages;
        if (place_all(k) <= model_smem_capacity(k))
            break;
    }
    vec_free(&deepest);
}
