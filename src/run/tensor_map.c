/* Tensor maps that TMA does not take. cuTensorMapEncodeTiled answers any mistake with one and the same error, so the limits
 * of CUtensorMap (CUDA driver API, tensor map object management) are looked at one by one before either device is asked. */
#include "run/device.h"

#include "warpwright/diag.h"

#include <inttypes.h>

enum { MAP_UNIT = 16, BOX_MOST = 256, SPAN_UNIT = 32 };

static const uint8_t element_bytes[] = {
    [DEVICE_U8] = 1,      [DEVICE_U16] = 2,  [DEVICE_U32] = 4,     [DEVICE_S32] = 4, [DEVICE_U64] = 8,
    [DEVICE_S64] = 8,     [DEVICE_F16] = 2,  [DEVICE_F32] = 4,     [DEVICE_F64] = 8, [DEVICE_BF16] = 2,
    [DEVICE_F32_FTZ] = 4, [DEVICE_TF32] = 4, [DEVICE_TF32_FTZ] = 4};

static void begin(text *out)
{
    text_printf(out, "WW%d: a tensor map that TMA does not take: ", WW_TENSOR_MAP);
}

static bool kind_fault(const device_tensor *t, text *out)
{
    const char *what = (unsigned)t->element >= ARRAY_LEN(element_bytes)  ? "element type"
                       : (unsigned)t->swizzle > DEVICE_SWIZZLE_128B      ? "swizzle"
                       : t->rank < 1 || t->rank > DEVICE_TENSOR_RANK_MAX ? "number of dimensions"
                                                                         : NULL;
    if (!what)
        return false;
    begin(out);
    text_printf(out,
                "its %s is none that there is (element %d, swizzle %d, %u dimensions; 1 to %d are possible)",
                what, (int)t->element, (int)t->swizzle, t->rank, DEVICE_TENSOR_RANK_MAX);
    return true;
}

static bool address_fault(const device_tensor *t, text *out)
{
    if (t->address && t->address % MAP_UNIT == 0)
        return false;
    begin(out);
    text_printf(out, "global address %#" PRIx64 ": expected a multiple of %d bytes, not 0", t->address,
                MAP_UNIT);
    return true;
}

static bool extent_fault(const device_tensor *t, text *out)
{
    for (uint32_t d = 0; d < t->rank; d++) {
        if (t->extent[d] >= 1 && t->extent[d] <= UINT64_C(1) << 32)
            continue;
        begin(out);
        text_printf(out, "%" PRIu64 " elements along dimension %u: expected 1 to 2^32", t->extent[d], d);
        return true;
    }
    return false;
}

static bool stride_fault(const device_tensor *t, text *out)
{
    for (uint32_t d = 0; d + 1 < t->rank; d++) {
        uint64_t stride = t->stride_bytes[d];
        if (stride % MAP_UNIT == 0 && stride < UINT64_C(1) << 40)
            continue;
        begin(out);
        text_printf(out,
                    "stride of %" PRIu64
                    " bytes along dimension %u (from row to row, where there are two): expected a "
                    "multiple of %d below 2^40; pad the rows",
                    stride, d + 1, MAP_UNIT);
        return true;
    }
    return false;
}

static bool box_fault(const device_tensor *t, text *out)
{
    for (uint32_t d = 0; d < t->rank; d++) {
        if (t->box[d] >= 1 && t->box[d] <= BOX_MOST)
            continue;
        begin(out);
        text_printf(out, "a box of %u elements along dimension %u: expected 1 to %d", t->box[d], d, BOX_MOST);
        return true;
    }
    return false;
}

static bool inner_fault(const device_tensor *t, text *out)
{
    uint32_t bytes = t->box[0] * element_bytes[t->element];
    bool swizzled = t->swizzle != DEVICE_SWIZZLE_NONE;
    uint32_t span = (uint32_t)SPAN_UNIT << (swizzled ? (uint32_t)t->swizzle - 1 : 0);
    if (bytes % MAP_UNIT == 0 && (!swizzled || bytes <= span))
        return false;
    begin(out);
    text_printf(out,
                "a box of %u elements of %u bytes along dimension 0, %u bytes: expected a multiple of %d",
                t->box[0], element_bytes[t->element], bytes, MAP_UNIT);
    if (swizzled)
        text_printf(out, ", at most the span of its swizzle, %u", span);
    return true;
}

bool device_tensor_fault(const device_tensor *t, text *out)
{
    static bool (*const faults[])(const device_tensor *, text *) = {kind_fault,   address_fault, extent_fault,
                                                                    stride_fault, box_fault,     inner_fault};
    for (size_t i = 0; i < ARRAY_LEN(faults); i++)
        if (faults[i](t, out))
            return true;
    return false;
}
