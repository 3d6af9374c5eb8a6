/* convert.c: cvt (PTX ISA, section 9.7.9.21).
 *
 * The pairs that kernels are full of have handlers of their own, in a table by destination and source type. All
 * others go lane by lane through a number that is either a 64-bit integer or a double, both of which hold
 * every value of every type exactly. Registers may be wider than the types. */
#include "emu/core/decode.h"
#include "emu/core/float.h"

/* ---- fast pairs --------------------------------------------------------------------------------------- */

HANDLER_1(u64_u32, uint64_t, uint32_t, a)
HANDLER_1(s64_s32, int64_t, int32_t, a)
HANDLER_1(u32_u64, uint32_t, uint64_t, a)
HANDLER_1(u32_u16, uint32_t, uint16_t, a)
HANDLER_1(s32_s16, int32_t, int16_t, a)
HANDLER_1(u16_u32, uint16_t, uint32_t, a)
HANDLER_1(u64_u16, uint64_t, uint16_t, a)
HANDLER_1(s64_s16, int64_t, int16_t, a)
HANDLER_1(f32_s32, float, int32_t, a)
HANDLER_1(f32_u32, float, uint32_t, a)
HANDLER_1(f64_f32, double, float, (double)a)
HANDLER_1(f32_f16, float, uint16_t, float_canonical(num_f16_to_f32(a)))
HANDLER_1(f32_bf16, uint32_t, uint16_t, (uint32_t)a << 16) /* the upper half, of a NaN too */
HANDLER_1(f16_f32, uint16_t, float, num_f32_to_f16(a))
HANDLER_1(bf16_f32, uint16_t, float, float_to_bf16(a))
HANDLER_1(f32_f64, float, double, (float)a)
HANDLER_1(f64_s32, double, int32_t, a)
HANDLER_1(f64_u32, double, uint32_t, a)
HANDLER_1(f32_u16, float, uint16_t, a)
HANDLER_1(f32_s16, float, int16_t, a)
/* 8-bit integers in 16- and 32-bit registers. */
HANDLER_1(u32_u8_16, uint32_t, uint16_t, a & 0xff)
HANDLER_1(u32_u8_32, uint32_t, uint32_t, a & 0xff)
HANDLER_1(s32_s8_16, int32_t, uint16_t, (int8_t)(uint8_t)a)
HANDLER_1(s32_s8_32, int32_t, uint32_t, (int8_t)(uint8_t)a)
HANDLER_1(u16_u8_16, uint16_t, uint16_t, a & 0xff)
HANDLER_1(u16_u8_32, uint16_t, uint32_t, a & 0xff)
HANDLER_1(s16_s8_16, int16_t, uint16_t, (int8_t)(uint8_t)a)
HANDLER_1(s16_s8_32, int16_t, uint32_t, (int8_t)(uint8_t)a)
HANDLER_1(f32_u8_16, float, uint16_t, a & 0xff)
HANDLER_1(f32_u8_32, float, uint32_t, a & 0xff)
HANDLER_2(f16x2_f32, uint32_t, float, float, (uint32_t)num_f32_to_f16(a) << 16 | num_f32_to_f16(b))
HANDLER_2(bf16x2_f32, uint32_t, float, float, (uint32_t)float_to_bf16(a) << 16 | float_to_bf16(b))

/* Pairs without modifiers, or rounding to nearest, and the bytes of the source's register. */
static const struct fast_pair {
    ptx_type to, from;
    uint8_t bytes;
    op_run *run;
} fast_pairs[] = {
    {PTX_U64, PTX_U32, 4, u64_u32},     {PTX_S64, PTX_U32, 4, u64_u32},
    {PTX_S64, PTX_S32, 4, s64_s32},     {PTX_U64, PTX_S32, 4, s64_s32},
    {PTX_U32, PTX_U64, 8, u32_u64},     {PTX_U32, PTX_S64, 8, u32_u64},
    {PTX_S32, PTX_U64, 8, u32_u64},     {PTX_S32, PTX_S64, 8, u32_u64},
    {PTX_U32, PTX_U16, 2, u32_u16},     {PTX_S32, PTX_U16, 2, u32_u16},
    {PTX_S32, PTX_S16, 2, s32_s16},     {PTX_U32, PTX_S16, 2, s32_s16},
    {PTX_U16, PTX_U32, 4, u16_u32},     {PTX_U16, PTX_S32, 4, u16_u32},
    {PTX_S16, PTX_U32, 4, u16_u32},     {PTX_S16, PTX_S32, 4, u16_u32},
    {PTX_U64, PTX_U16, 2, u64_u16},     {PTX_S64, PTX_U16, 2, u64_u16},
    {PTX_S64, PTX_S16, 2, s64_s16},     {PTX_F32, PTX_S32, 4, f32_s32},
    {PTX_F32, PTX_U32, 4, f32_u32},     {PTX_F64, PTX_F32, 4, f64_f32},
    {PTX_F32, PTX_F16, 2, f32_f16},     {PTX_F32, PTX_BF16, 2, f32_bf16},
    {PTX_F16, PTX_F32, 4, f16_f32},     {PTX_BF16, PTX_F32, 4, bf16_f32},
    {PTX_F16X2, PTX_F32, 4, f16x2_f32}, {PTX_BF16X2, PTX_F32, 4, bf16x2_f32},
    {PTX_F32, PTX_F64, 8, f32_f64},     {PTX_F64, PTX_S32, 4, f64_s32},
    {PTX_F64, PTX_U32, 4, f64_u32},     {PTX_F32, PTX_U16, 2, f32_u16},
    {PTX_F32, PTX_S16, 2, f32_s16},     {PTX_U32, PTX_U8, 2, u32_u8_16},
    {PTX_U32, PTX_U8, 4, u32_u8_32},    {PTX_S32, PTX_U8, 2, u32_u8_16},
    {PTX_S32, PTX_U8, 4, u32_u8_32},    {PTX_S32, PTX_S8, 2, s32_s8_16},
    {PTX_S32, PTX_S8, 4, s32_s8_32},    {PTX_U32, PTX_S8, 2, s32_s8_16},
    {PTX_U32, PTX_S8, 4, s32_s8_32},    {PTX_U16, PTX_U8, 2, u16_u8_16},
    {PTX_U16, PTX_U8, 4, u16_u8_32},    {PTX_S16, PTX_S8, 2, s16_s8_16},
    {PTX_S16, PTX_S8, 4, s16_s8_32},    {PTX_F32, PTX_U8, 2, f32_u8_16},
    {PTX_F32, PTX_U8, 4, f32_u8_32},
};

/* f32 to 32-bit integers, rounded as one modifier says; clamped, NaN to 0. */
#define TO_S32(value)                                                                                        \
    (value) >= 0x1p31f    ? INT32_MAX                                                                        \
    : (value) >= -0x1p31f ? (int32_t)(value)                                                                 \
    : (value) == (value)  ? INT32_MIN                                                                        \
                          : 0
#define TO_U32(value) (value) >= 0x1p32f ? UINT32_MAX : (value) > 0.0f ? (uint32_t)(value) : 0
HANDLER_1(s32_f32_rzi, int32_t, float, TO_S32(a))
HANDLER_1(s32_f32_rni, int32_t, float, TO_S32(float_round(a)))
HANDLER_1(s32_f32_rmi, int32_t, float, TO_S32(floorf(a)))
HANDLER_1(s32_f32_rpi, int32_t, float, TO_S32(ceilf(a)))
HANDLER_1(u32_f32_rzi, uint32_t, float, TO_U32(a))
HANDLER_1(u32_f32_rni, uint32_t, float, TO_U32(float_round(a)))

static const struct rounded_pair {
    ptx_type to;
    uint64_t modifier;
    op_run *run;
} rounded_pairs[] = {
    {PTX_S32, MOD(RZI), s32_f32_rzi}, {PTX_S32, MOD(RNI), s32_f32_rni}, {PTX_S32, MOD(RMI), s32_f32_rmi},
    {PTX_S32, MOD(RPI), s32_f32_rpi}, {PTX_U32, MOD(RZI), u32_f32_rzi}, {PTX_U32, MOD(RNI), u32_f32_rni},
};

static op_run *find_rounded(const op *o)
{
    for (size_t i = 0; i < ARRAY_LEN(rounded_pairs) && o->type2 == PTX_F32; i++)
        if (rounded_pairs[i].to == o->type && rounded_pairs[i].modifier == o->modifiers)
            return rounded_pairs[i].run;
    return NULL;
}

static bool fits(const struct fast_pair *pair, const op *o)
{
    return pair->to == o->type && pair->from == o->type2 && o->width == ptx_type_bytes(pair->to) &&
           o->count == pair->bytes;
}

static op_run *find_fast(const op *o)
{
    if (o->modifiers & ~(MOD(RN)))
        return o->width == 4 && o->count == 4 ? find_rounded(o) : NULL;
    for (size_t i = 0; i < ARRAY_LEN(fast_pairs); i++)
        if (fits(&fast_pairs[i], o))
            return fast_pairs[i].run;
    return NULL;
}

/* ---- numbers ------------------------------------------------------------------------------------------ */

typedef struct number {
    bool is_float, is_signed;
    uint64_t integer; /* sign-extended when is_signed */
    double value;
} number;

static uint64_t load_bits(const void *lanes, uint32_t lane, uint32_t bytes)
{
    switch (bytes) {
    case 2: return ((const uint16_t *)lanes)[lane];
    case 4: return ((const uint32_t *)lanes)[lane];
    default: return ((const uint64_t *)lanes)[lane];
    }
}

static void store_bits(void *lanes, uint32_t lane, uint32_t bytes, uint64_t bits)
{
    switch (bytes) {
    case 2: ((uint16_t *)lanes)[lane] = (uint16_t)bits; break;
    case 4: ((uint32_t *)lanes)[lane] = (uint32_t)bits; break;
    default: ((uint64_t *)lanes)[lane] = bits; break;
    }
}

static uint64_t sign_extend(uint64_t bits, uint32_t width)
{
    uint32_t unused = 64 - width;
    return (uint64_t)((int64_t)(bits << unused) >> unused);
}

static double float_value(ptx_type type, uint64_t bits, bool ftz)
{
    double wide;
    switch (type) {
    case PTX_F16: return (double)num_f16_to_f32((uint16_t)bits);
    case PTX_BF16: return (double)num_bf16_to_f32((uint16_t)bits);
    case PTX_F32: {
        float value = num_f32_from_bits((uint32_t)bits);
        return (double)(ftz ? float_flush(value) : value);
    }
    default: memcpy(&wide, &bits, sizeof wide); return wide;
    }
}

static number read_number(const op *o, ptx_type type, uint64_t bits)
{
    uint32_t width = ptx_type_bits(type);
    number n = {0};
    if (ptx_type_kind(type) == PTX_KIND_FLOATING) {
        n.is_float = true;
        n.value = float_value(type, bits, o->modifiers & MOD(FTZ));
        return n;
    }
    n.is_signed = ptx_type_kind(type) == PTX_KIND_SIGNED;
    n.integer = n.is_signed  ? sign_extend(bits, width)
                : width < 64 ? bits & ((UINT64_C(1) << width) - 1)
                             : bits;
    return n;
}

/* A NaN from or to f64 keeps what it can of its payload and its sign, as on a device; other NaNs become the
 * canonical one of their new format. */
static uint64_t convert_nan(ptx_type to, ptx_type from, uint64_t bits)
{
    uint64_t wide = bits;
    if (from == PTX_F16)
        wide = (bits & 0x8000) << 48 | UINT64_C(0x7ff8) << 48 | (bits & 0x3ff) << 42;
    else if (from == PTX_F32)
        wide = (bits & UINT32_C(0x80000000)) << 32 | UINT64_C(0x7ff8) << 48 | (bits & 0x7fffff) << 29;
    if (to == PTX_F32)
        return (uint32_t)(wide >> 32 & UINT32_C(0x80000000)) | UINT32_C(0x7fc00000) | (wide >> 29 & 0x7fffff);
    return to == PTX_F16 ? (wide >> 48 & 0x8000) | 0x7e00 | (wide >> 42 & 0x3ff) : wide;
}

/* ---- to integers -------------------------------------------------------------------------------------- */

static double round_to_integral(const op *o, double value)
{
    if (o->modifiers & (MOD(RZI) | MOD(RZ)))
        return trunc(value);
    if (o->modifiers & (MOD(RMI) | MOD(RM)))
        return floor(value);
    if (o->modifiers & (MOD(RPI) | MOD(RP)))
        return ceil(value);
    return nearbyint(value);
}

/* Out of range is clamped. NaN is 0, except where f64 or a 64-bit integer takes part: then it is the top bit. */
static uint64_t float_to_int(const op *o, double value, ptx_type to, ptx_type from)
{
    uint32_t width = ptx_type_bits(to);
    bool is_signed = ptx_type_kind(to) == PTX_KIND_SIGNED;
    if (value != value)
        return from == PTX_F64 || width == 64 ? UINT64_C(1) << (width - 1) : 0;
    value = round_to_integral(o, value);
    double top = (is_signed ? 0.5 : 1.0) * (width == 64 ? 0x1p64 : (double)(UINT64_C(1) << width));
    uint64_t greatest = is_signed     ? (UINT64_C(1) << (width - 1)) - 1
                        : width == 64 ? ~UINT64_C(0)
                                      : (UINT64_C(1) << width) - 1;
    if (value >= top)
        return greatest;
    if (!is_signed)
        return value > 0.0 ? (uint64_t)value : 0;
    return value <= -top ? ~greatest : (uint64_t)(int64_t)value;
}

static uint64_t clamp_int(number n, ptx_type to)
{
    uint32_t width = ptx_type_bits(to);
    bool to_signed = ptx_type_kind(to) == PTX_KIND_SIGNED, negative = n.is_signed && (int64_t)n.integer < 0;
    uint64_t greatest = to_signed    ? (UINT64_C(1) << (width - 1)) - 1
                        : width < 64 ? (UINT64_C(1) << width) - 1
                                     : ~UINT64_C(0);
    uint64_t least = to_signed ? ~greatest : 0;
    if (negative)
        return !to_signed || (int64_t)n.integer < (int64_t)least ? least : n.integer;
    return n.integer > greatest ? greatest : n.integer;
}

static uint64_t number_to_int(const op *o, number n, ptx_type to, ptx_type from)
{
    if (n.is_float)
        return float_to_int(o, n.value, to, from);
    return o->modifiers & MOD(SAT) ? clamp_int(n, to) : n.integer;
}

/* ---- to floats ---------------------------------------------------------------------------------------- */

static num_rounding rounding_of(const op *o)
{
    return o->modifiers & MOD(RZ)    ? NUM_RZ
           : o->modifiers & MOD(RM)  ? NUM_RM
           : o->modifiers & MOD(RP)  ? NUM_RP
           : o->modifiers & MOD(RNA) ? NUM_RNA
                                     : NUM_RN;
}

static unsigned options_of(const op *o)
{
    return (o->modifiers & MOD(SATFINITE) ? NUM_SATFINITE : 0u) | (o->modifiers & MOD(RELU) ? NUM_RELU : 0u);
}

/* The volatile reads and writes keep the conversion between the two calls. */
static uint64_t int_to_f64(const op *o, uint64_t integer, bool is_signed)
{
    volatile uint64_t source = integer;
    volatile double wide;
    fesetround(float_rounding(o));
    wide = is_signed ? (double)(int64_t)source : (double)source;
    fesetround(FE_TONEAREST);
    double value = wide;
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The high and the low half are exact doubles; their sum is rounded to odd, then once more. */
static uint64_t int_to_float(const op *o, number n, ptx_type to)
{
    if (to == PTX_F64)
        return int_to_f64(o, n.integer, n.is_signed);
    bool negative = n.is_signed && (int64_t)n.integer < 0;
    uint64_t magnitude = negative ? 0 - n.integer : n.integer;
    double sum = double_add_odd((double)(magnitude >> 32) * 0x1p32, (double)(magnitude & UINT32_MAX));
    num_format format = to == PTX_F16 ? NUM_F16 : to == PTX_BF16 ? NUM_BF16 : NUM_F32;
    return num_encode(format, negative ? -sum : sum, rounding_of(o), 0);
}

static uint64_t encode_f64(const op *o, double value)
{
    uint64_t bits;
    if (o->modifiers & MOD(SAT))
        value = double_saturate(value);
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t float_to_float(const op *o, double value, ptx_type to)
{
    bool integral = o->modifiers & (MOD(RNI) | MOD(RZI) | MOD(RMI) | MOD(RPI));
    if (integral)
        value = copysign(round_to_integral(o, value), value);
    if (to == PTX_F64)
        return encode_f64(o, value);
    if (o->modifiers & MOD(SAT))
        value = double_saturate(value);
    num_format format = to == PTX_F16 ? NUM_F16 : to == PTX_BF16 ? NUM_BF16 : NUM_F32;
    uint32_t bits = num_encode(format, value, rounding_of(o), options_of(o));
    if (to == PTX_F32 && (o->modifiers & MOD(FTZ)))
        bits = num_f32_bits(float_flush(num_f32_from_bits(bits)));
    return bits;
}

/* ---- the general case --------------------------------------------------------------------------------- */

static uint64_t convert(const op *o, uint64_t bits)
{
    ptx_type to = (ptx_type)o->type, from = (ptx_type)o->type2;
    number n = read_number(o, from, bits);
    bool keeps_nan = (to == PTX_F64 || from == PTX_F64) && !(o->modifiers & MOD(SAT));
    if (n.is_float && n.value != n.value && keeps_nan && to != PTX_BF16 && from != PTX_BF16 &&
        ptx_type_kind(to) == PTX_KIND_FLOATING)
        return convert_nan(to, from, bits);
    if (ptx_type_kind(to) == PTX_KIND_FLOATING)
        return n.is_float ? float_to_float(o, n.value, to) : int_to_float(o, n, to);
    uint64_t result = number_to_int(o, n, to, from);
    uint32_t width = ptx_type_bits(to);
    if (ptx_type_kind(to) == PTX_KIND_SIGNED)
        return sign_extend(result, width);
    return width < 64 ? result & ((UINT64_C(1) << width) - 1) : result;
}

static void run_cvt(warp *w, const op *o, uint32_t mask)
{
    void *d = REG(w, o->arg[0]);
    const void *a = REG(w, o->arg[1]);
    EACH_LANE(mask)
    {
        store_bits(d, lane, o->width, convert(o, load_bits(a, lane, o->count)));
    }
}

static void run_cvt_tf32(warp *w, const op *o, uint32_t mask)
{
    uint32_t *d = REG(w, o->arg[0]);
    const float *a = REG(w, o->arg[1]);
    EACH_LANE(mask)
    {
        d[lane] = num_tf32_round(a[lane], rounding_of(o), options_of(o));
    }
}

/* ---- packed destinations and sources ------------------------------------------------------------------ */

static num_format packed_format(ptx_type type)
{
    switch (type) {
    case PTX_F16X2: return NUM_F16;
    case PTX_BF16X2: return NUM_BF16;
    case PTX_E4M3X2: return NUM_E4M3;
    default: return NUM_E5M2;
    }
}

/* d = a in the upper half, b in the lower. */
static void run_pack_f32(warp *w, const op *o, uint32_t mask)
{
    void *d = REG(w, o->arg[0]);
    const float *a = REG(w, o->arg[1]), *b = REG(w, o->arg[2]);
    num_format format = packed_format((ptx_type)o->type);
    EACH_LANE(mask)
    {
        uint32_t high = num_encode(format, (double)a[lane], rounding_of(o), options_of(o));
        uint32_t low = num_encode(format, (double)b[lane], rounding_of(o), options_of(o));
        store_bits(d, lane, o->width, high << num_bits(format) | low);
    }
}

/* Two numbers of one format to two of another: e4m3x2 <-> f16x2. */
static void run_repack(warp *w, const op *o, uint32_t mask)
{
    void *d = REG(w, o->arg[0]);
    const void *a = REG(w, o->arg[1]);
    num_format to = packed_format((ptx_type)o->type), from = packed_format((ptx_type)o->type2);
    EACH_LANE(mask)
    {
        uint32_t bits = (uint32_t)load_bits(a, lane, o->count);
        double high = (double)num_decode(from, bits >> num_bits(from)), low = (double)num_decode(from, bits);
        store_bits(d, lane, o->width,
                   num_encode(to, high, NUM_RN, options_of(o)) << num_bits(to) |
                       num_encode(to, low, NUM_RN, options_of(o)));
    }
}

/* ---- decoding ----------------------------------------------------------------------------------------- */

static bool is_packed(ptx_type type)
{
    return ptx_type_kind(type) == PTX_KIND_PACKED && type != PTX_U16X2 && type != PTX_S16X2 &&
           type != PTX_F32X2;
}

static bool finish_packed(decoder *d, op *o)
{
    const ptx_instruction *i = d->instruction;
    uint32_t to_bits = ptx_type_bits((ptx_type)o->type), from_bits = ptx_type_bits((ptx_type)o->type2);
    bool from_f32 = o->type2 == PTX_F32;
    if (i->operand_count != (from_f32 ? 3 : 2) || (!from_f32 && !is_packed((ptx_type)o->type2)))
        return decode_refuse(d, "operands of this form");
    o->width = (uint8_t)(to_bits / 8);
    o->count = (uint8_t)(from_bits / 8);
    o->run = from_f32 ? run_pack_f32 : run_repack;
    if (from_f32 && find_fast(o))
        o->run = find_fast(o);
    return decode_destination(d, &i->operands[0], to_bits, &o->arg[0]) &&
           decode_source(d, &i->operands[1], from_bits, PTX_F32, &o->arg[1]) &&
           (!from_f32 || decode_source(d, &i->operands[2], 32, PTX_F32, &o->arg[2]));
}

/* Bytes a lane of an operand's register, or of the type where it is a constant. */
static uint32_t operand_bytes(const decoder *d, const ptx_operand *o, ptx_type type)
{
    uint32_t bits = decode_register_bits(d, o), least = ptx_type_bits(type);
    if (o->kind != PTX_OPERAND_REGISTER && o->kind != PTX_OPERAND_SPECIAL)
        bits = least < 16 ? 16 : least;
    return bits < least ? 0 : bits / 8;
}

static bool finish_scalar(decoder *d, op *o)
{
    const ptx_instruction *i = d->instruction;
    if (i->operand_count != 2)
        return decode_refuse(d, "two operands expected");
    o->width = (uint8_t)operand_bytes(d, &i->operands[0], (ptx_type)o->type);
    o->count = (uint8_t)operand_bytes(d, &i->operands[1], (ptx_type)o->type2);
    if (i->operands[0].kind == PTX_OPERAND_SINK)
        o->width = (uint8_t)(ptx_type_bits((ptx_type)o->type) / 8);
    if (!o->width || !o->count || o->width > 8 || o->count > 8)
        return decode_refuse(d, "a register is narrower than its type");
    o->run = find_fast(o);
    if (!o->run)
        o->run = run_cvt;
    return decode_destination(d, &i->operands[0], o->width * 8u, &o->arg[0]) &&
           decode_source(d, &i->operands[1], o->count * 8u, (ptx_type)o->type2, &o->arg[1]);
}

static bool finish_cvt(decoder *d, op *o, const opcode *code)
{
    if (code->type_count != 2)
        return decode_refuse(d, "two types expected");
    if (o->type == PTX_TF32) {
        o->run = run_cvt_tf32;
        return d->instruction->operand_count == 2 &&
               decode_destination(d, &d->instruction->operands[0], 32, &o->arg[0]) &&
               decode_source(d, &d->instruction->operands[1], 32, PTX_F32, &o->arg[1]);
    }
    if (is_packed((ptx_type)o->type) || is_packed((ptx_type)o->type2))
        return finish_packed(d, o);
    return finish_scalar(d, o);
}

const op_family family_cvt = {.finish = finish_cvt};

/* ---- cvt.pack ----------------------------------------------------------------------------------------- */

static uint32_t clamp_to(int32_t value, ptx_type type)
{
    number n = {.is_signed = true, .integer = (uint64_t)(int64_t)value};
    uint64_t bits = clamp_int(n, type);
    return (uint32_t)(bits & ((UINT64_C(1) << ptx_type_bits(type)) - 1));
}

/* cvt.pack.sat.to.s32{.b32} d, a, b{, c}: a and b, clamped, below what is left of c moved up. */
static void run_cvt_pack(warp *w, const op *o, uint32_t mask)
{
    uint32_t *d = REG(w, o->arg[0]), bits = ptx_type_bits((ptx_type)o->type);
    const int32_t *a = REG(w, o->arg[1]), *b = REG(w, o->arg[2]);
    const uint32_t *c = o->arg[3] == ARG_NONE ? NULL : REG(w, o->arg[3]);
    EACH_LANE(mask)
    {
        uint32_t pair = clamp_to(a[lane], (ptx_type)o->type) << bits | clamp_to(b[lane], (ptx_type)o->type);
        d[lane] = bits == 16 ? pair : (c ? c[lane] << (2 * bits) : 0) | pair;
    }
}

static bool finish_cvt_pack(decoder *d, op *o, const opcode *code)
{
    const ptx_instruction *i = d->instruction;
    uint32_t bits = ptx_type_bits(code->types[0]);
    bool fits = (bits == 8 || bits == 16) && code->types[1] == PTX_S32 && i->operand_count >= 3 &&
                i->operand_count <= 4;
    if (!fits)
        return decode_refuse(d, "only u8, s8, u16 and s16 from s32");
    o->run = run_cvt_pack;
    return decode_destination(d, &i->operands[0], 32, &o->arg[0]) &&
           decode_source(d, &i->operands[1], 32, PTX_S32, &o->arg[1]) &&
           decode_source(d, &i->operands[2], 32, PTX_S32, &o->arg[2]) &&
           (i->operand_count == 3 || decode_source(d, &i->operands[3], 32, PTX_B32, &o->arg[3]));
}

const op_family family_cvt_pack = {.finish = finish_cvt_pack};
