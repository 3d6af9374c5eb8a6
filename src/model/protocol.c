/* The table of pipeline protocols, filled from pipelines.def. */
#include "model/model.h"

#include <assert.h>

enum { ASYNC = MODEL_ASYNC, TMA = MODEL_TMA };
enum { ALL = MODEL_LANES_ALL, WARP = MODEL_LANES_WARP };
enum { COMMIT = MODEL_FULL_BY_COMMIT, ACQUIRE = MODEL_FULL_BY_ACQUIRE };

static const model_protocol protocols[] = {
    [WW_NO_PIPELINE] = {.label = "none"},
#define WW_PIPELINE(name, label, producer, consumer, full_verb, full_lanes, full_tx, empty_lanes)            \
    [WW_##name] = {label,                                                                                    \
                   (model_agent)(producer),                                                                  \
                   (model_agent)(consumer),                                                                  \
                   (model_full_verb)(full_verb),                                                             \
                   (model_lanes)(full_lanes),                                                                \
                   (full_tx) != 0,                                                                           \
                   (model_lanes)(empty_lanes)},
#include "warpwright/pipelines.def"
#undef WW_PIPELINE
};

const model_protocol *model_protocol_of(ww_pipeline_type type)
{
    assert(type > WW_NO_PIPELINE && type < ARRAY_LEN(protocols));
    return &protocols[type];
}

bool model_pipeline_known(ww_pipeline_type type)
{
    return (size_t)type < ARRAY_LEN(protocols);
}
