/* The tables of pipeline protocols and architectures, filled from pipelines.def and archs.def. */
#include "model/model.h"

#include <assert.h>

/* The words of the option column. */

enum {
    BYTES = MODEL_OPTION_BYTES,
    LOAD = MODEL_OPTION_LOAD,
    WAIT_AHEAD = MODEL_OPTION_WAIT_AHEAD,
    ACQUIRE_AHEAD = MODEL_OPTION_ACQUIRE_AHEAD,
    STRIDE_IN = MODEL_OPTION_STRIDE_IN,
    STRIDE_OUT = MODEL_OPTION_STRIDE_OUT,
    MULTICAST = MODEL_OPTION_MULTICAST,
    WAIT_SIGNALS = MODEL_OPTION_WAIT_SIGNALS,
    WARP_LEADER = MODEL_OPTION_WARP_LEADER,
    SHIFT = MODEL_OPTION_SHIFT,
};

/* Words that mean different things in different columns are told apart by the column. */
#define AGENT_WORD(word) MODEL_##word
#define BY_WORD(word) MODEL_BY_##word
#define TO_WORD(word) MODEL_TO_##word
#define NEED_WORD(word) NEED_##word

enum {
    NEED_MBARRIER = MODEL_MBARRIER,
    NEED_BULK = MODEL_BULK,
    NEED_CLUSTER = MODEL_CLUSTER,
    NEED_WGMMA = MODEL_WGMMA_UNIT,
    NEED_TCGEN05 = MODEL_TCGEN05,
};

static const model_protocol protocols[] = {
    [WW_NO_PIPELINE] = {.label = "none"},
#define WW_PIPELINE(name, label, producer, consumer, full_verb, full_by, full_to, empty_by, empty_to,        \
                    options, needs)                                                                          \
    [WW_##name] = {label,                                                                                    \
                   AGENT_WORD(producer),                                                                     \
                   AGENT_WORD(consumer),                                                                     \
                   AGENT_WORD(full_verb),                                                                    \
                   BY_WORD(full_by),                                                                         \
                   TO_WORD(full_to),                                                                         \
                   BY_WORD(empty_by),                                                                        \
                   TO_WORD(empty_to),                                                                        \
                   (options),                                                                                \
                   NEED_WORD(needs)},
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

/* ---- architectures ---------------------------------------------------------------------------------- */

enum {
    MBARRIER = MODEL_MBARRIER,
    BULK = MODEL_BULK,
    CLUSTER = MODEL_CLUSTER,
    WGMMA = MODEL_WGMMA_UNIT,
    TCGEN05 = MODEL_TCGEN05,
    CLC = MODEL_CLC,
    CLC_MULTICAST = MODEL_CLC_MULTICAST,
    SETMAXNREG = MODEL_SETMAXNREG,
};

static const model_arch architectures[] = {
#define WW_ARCH(name, smem_bytes, features) {name, smem_bytes, (features)},
#include "warpwright/archs.def"
#undef WW_ARCH
};

const model_arch *model_arch_of(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(architectures); i++)
        if (strcmp(architectures[i].name, name) == 0)
            return &architectures[i];
    return NULL;
}

const char *model_arch_list(arena *a, unsigned features)
{
    text list = {0};
    for (size_t i = 0; i < ARRAY_LEN(architectures); i++)
        if ((architectures[i].features & features) == features)
            text_printf(&list, "%s%s", list.len ? ", " : "", architectures[i].name);
    const char *copy = arena_strdup(a, text_str(&list));
    text_free(&list);
    return copy;
}

static const struct {
    model_feature feature;
    const char *name;
} features[] = {
    {MODEL_MBARRIER, "mbarriers"},
    {MODEL_BULK, "bulk copies and try_wait"},
    {MODEL_CLUSTER, "thread block clusters"},
    {MODEL_WGMMA_UNIT, "wgmma"},
    {MODEL_TCGEN05, "tcgen05 and tensor memory"},
    {MODEL_CLC, "cluster launch control"},
    {MODEL_CLC_MULTICAST, "cluster launch control for more than one CTA"},
    {MODEL_SETMAXNREG, "setmaxnreg"},
};

const char *model_feature_name(model_feature f)
{
    for (size_t i = 0; i < ARRAY_LEN(features); i++)
        if (features[i].feature == f)
            return features[i].name;
    return "?";
}
