/* arith_float.c: f32 and f64 arithmetic (PTX ISA, section 9.7.3).
 *
 * The host's IEEE arithmetic is the device's, up to the NaN. Every operation has a fast handler, round to
 * nearest and nothing else, which vectorises, and a general one for the other rounding modes, .ftz and .sat.
 * The .approx functions are computed more exactly than a device does: their error there is only bounded. */
#include "emu/core/decode.h"
#include "emu/core/float.h"

#define GENERAL (MOD(RZ) | MOD(RM) | MOD(RP) | MOD(FTZ) | MOD(SAT))

static float flush_if(const op *o, float value)
{
    return o->modifiers & MOD(FTZ) ? float_flush(value) : value;
}

/* What happens to a result: in this order. */
static float finish_f32(const op *o, float value)
{
    value = flush_if(o, float_canonical(value));
    return o->modifiers & MOD(SAT) ? float_saturate(value) : value;
}

static double finish_f64(const op *o, double value)
{
    return o->modifiers & MOD(SAT) ? double_saturate(value) : value;
}

/* The two handlers of an operation in two types. In the general one, lanes that do not execute compute too. */
#define FLOAT_LANES(name, T, canonical, flush, finish, expression)                                           \
    static void name##_fast(warp *w, const op *o, uint32_t mask)                                             \
    {                                                                                                        \
        T *d = REG(w, o->arg[0]);                                                                            \
        const T *as = REG(w, o->arg[1]), *bs = as, *cs = as;                                                 \
        if (o->arg[2] != ARG_NONE)                                                                           \
            bs = REG(w, o->arg[2]);                                                                          \
        if (o->arg[3] != ARG_NONE)                                                                           \
            cs = REG(w, o->arg[3]);                                                                          \
        LANE_LOOP(mask, T a = as[lane]; T b = bs[lane]; T c = cs[lane]; (void)b; (void)c;                    \
                  d[lane] = canonical(expression))                                                           \
    }                                                                                                        \
    static void name##_general(warp *w, const op *o, uint32_t mask)                                          \
    {                                                                                                        \
        T *d = REG(w, o->arg[0]);                                                                            \
        const T *as = REG(w, o->arg[1]), *bs = as, *cs = as;                                                 \
        if (o->arg[2] != ARG_NONE)                                                                           \
            bs = REG(w, o->arg[2]);                                                                          \
        if (o->arg[3] != ARG_NONE)                                                                           \
            cs = REG(w, o->arg[3]);                                                                          \
        fesetround(float_rounding(o));                                                                       \
        EACH_LANE(mask)                                                                                      \
        {                                                                                                    \
            T a = flush(o, as[lane]), b = flush(o, bs[lane]), c = flush(o, cs[lane]);                        \
            (void)b;                                                                                         \
            (void)c;                                                                                         \
            d[lane] = finish(o, expression);                                                                 \
        }                                                                                                    \
        fesetround(FE_TONEAREST);                                                                            \
    }

#define SAME(value) (value)
#define KEEP(o, value) (value)

#define FLOAT_F32(name, expression)                                                                          \
    FLOAT_LANES(name##_f32, float, float_canonical, flush_if, finish_f32, expression)
#define FLOAT_F64(name, expression) FLOAT_LANES(name##_f64, double, SAME, KEEP, finish_f64, expression)

/* Picks the handler; `f64` may be NULL. */
static bool pick(decoder *d, op *o, op_run *const f32[2], op_run *const f64[2])
{
    bool general = (o->modifiers & GENERAL) != 0;
    if (o->type == PTX_F32)
        o->run = f32[general];
    else if (o->type == PTX_F64 && f64)
        o->run = f64[general];
    else
        return decode_refuse(d, "not for type .%s", ptx_type_name((ptx_type)o->type));
    return true;
}

#define FLOAT_FAMILY(name)                                                                                   \
    static bool finish_##name(decoder *d, op *o, const opcode *code)                                         \
    {                                                                                                        \
        (void)code;                                                                                          \
        return pick(d, o, (op_run *const[]){name##_f32_fast, name##_f32_general},                            \
                    (op_run *const[]){name##_f64_fast, name##_f64_general});                                 \
    }                                                                                                        \
    const op_family family_##name = {.finish = finish_##name};

#define FLOAT_FAMILY_F32(name)                                                                               \
    static bool finish_##name(decoder *d, op *o, const opcode *code)                                         \
    {                                                                                                        \
        (void)code;                                                                                          \
        return pick(d, o, (op_run *const[]){name##_f32_fast, name##_f32_general}, NULL);                     \
    }                                                                                                        \
    const op_family family_##name = {.finish = finish_##name};

/* ---- sums, products, quotients ------------------------------------------------------------------------ */

FLOAT_F32(add_float, a + b)
FLOAT_F64(add_float, a + b)
FLOAT_FAMILY(add_float)

FLOAT_F32(sub_float, a - b)
FLOAT_F64(sub_float, a - b)
FLOAT_FAMILY(sub_float)

FLOAT_F32(mul_float, PRODUCT(a, b))
FLOAT_F64(mul_float, PRODUCT(a, b))
FLOAT_FAMILY(mul_float)

FLOAT_F32(div_float, a / b)
FLOAT_F64(div_float, a / b)
FLOAT_FAMILY(div_float)

FLOAT_F32(rcp, 1.0f / a)
FLOAT_F64(rcp, 1.0 / a)
FLOAT_FAMILY(rcp)

FLOAT_F32(sqrt, sqrtf(a))
FLOAT_F64(sqrt, sqrt(a))
FLOAT_FAMILY(sqrt)

FLOAT_F32(rsqrt, (float)(1.0 / sqrt((double)a)))
FLOAT_F64(rsqrt, 1.0 / sqrt(a))
FLOAT_FAMILY(rsqrt)

/* ---- fused multiply-add ------------------------------------------------------------------------------- */

FLOAT_F32(fma, fmaf(a, b, c))
FLOAT_F64(fma, fma(a, b, c))

#if defined(__x86_64__)
/* The same with the host's instruction, where it has one: a library call a lane costs ten times as much. */
__attribute__((target("avx2,fma"))) static void fma_f32_host(warp *w, const op *o, uint32_t mask)
{
    float *d = REG(w, o->arg[0]);
    const float *a = REG(w, o->arg[1]), *b = REG(w, o->arg[2]), *c = REG(w, o->arg[3]);
    LANE_LOOP(mask, float r = __builtin_fmaf(a[lane], b[lane], c[lane]); d[lane] = float_canonical(r))
}

static op_run *fastest_fma(void)
{
    return __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2") ? fma_f32_host : fma_f32_fast;
}
#else
static op_run *fastest_fma(void)
{
    return fma_f32_fast;
}
#endif

static bool finish_fma(decoder *d, op *o, const opcode *code)
{
    (void)code;
    return pick(d, o, (op_run *const[]){fastest_fma(), fma_f32_general},
                (op_run *const[]){fma_f64_fast, fma_f64_general});
}

const op_family family_fma = {.finish = finish_fma};

/* ---- functions ---------------------------------------------------------------------------------------- */

FLOAT_F32(sin, sinf(a))
FLOAT_FAMILY_F32(sin)
FLOAT_F32(cos, cosf(a))
FLOAT_FAMILY_F32(cos)
FLOAT_F32(lg2, log2f(a))
FLOAT_FAMILY_F32(lg2)
FLOAT_F32(ex2, exp2f(a))
FLOAT_FAMILY_F32(ex2)
FLOAT_F32(tanh, tanhf(a))
FLOAT_FAMILY_F32(tanh)

/* ---- order and sign ----------------------------------------------------------------------------------- */

/* A NaN loses against a number, unless .NaN; -0 is less than +0. */
static float pick_f32(const op *o, float a, float b, bool least)
{
    uint32_t signs = num_f32_bits(a) ^ num_f32_bits(b);
    if (o->modifiers & MOD(XORSIGN))
        a = fabsf(a), b = fabsf(b);
    bool a_is_nan = a != a, b_is_nan = b != b;
    float r;
    if (a_is_nan || b_is_nan)
        r = (o->modifiers & MOD(NAN)) || (a_is_nan && b_is_nan) ? num_f32_from_bits(NUM_F32_NAN)
                                                                : (a_is_nan ? b : a);
    else if (a == b)
        r = (signbit(a) != 0) == least ? a : b;
    else
        r = (a < b) == least ? a : b;
    if ((o->modifiers & MOD(XORSIGN)) && r == r)
        r = num_f32_from_bits((num_f32_bits(r) & UINT32_C(0x7fffffff)) | (signs & UINT32_C(0x80000000)));
    return r;
}

static double pick_f64(double a, double b, bool least)
{
    if (a != a || b != b)
        return a != a ? b : a;
    if (a == b)
        return (signbit(a) != 0) == least ? a : b;
    return (a < b) == least ? a : b;
}

FLOAT_F32(min_float, pick_f32(o, a, b, true))
FLOAT_F64(min_float, pick_f64(a, b, true))
FLOAT_F32(max_float, pick_f32(o, a, b, false))
FLOAT_F64(max_float, pick_f64(a, b, false))

/* Without modifiers, and without branches: among equals the sign decides, which | and & of the bits pick. */
static inline float merge_bits(float a, float b, bool least)
{
    uint32_t x = num_f32_bits(a), y = num_f32_bits(b);
    return num_f32_from_bits(least ? x | y : x & y);
}

HANDLER_2(min_plain, float, float, float,
          float_canonical(a < b || b != b   ? a
                          : b < a || a != a ? b
                                            : merge_bits(a, b, true)))
HANDLER_2(max_plain, float, float, float,
          float_canonical(a > b || b != b   ? a
                          : b > a || a != a ? b
                                            : merge_bits(a, b, false)))

static bool finish_pick(decoder *d, op *o, op_run *plain, op_run *const f32[2], op_run *const f64[2])
{
    if (o->type == PTX_F32 && !o->modifiers) {
        o->run = plain;
        return true;
    }
    return pick(d, o, f32, f64);
}

static bool finish_min(decoder *d, op *o, const opcode *code)
{
    (void)code;
    return finish_pick(d, o, min_plain, (op_run *const[]){min_float_f32_fast, min_float_f32_general},
                       (op_run *const[]){min_float_f64_fast, min_float_f64_general});
}

static bool finish_max(decoder *d, op *o, const opcode *code)
{
    (void)code;
    return finish_pick(d, o, max_plain, (op_run *const[]){max_float_f32_fast, max_float_f32_general},
                       (op_run *const[]){max_float_f64_fast, max_float_f64_general});
}

const op_family family_min_float = {.finish = finish_min};
const op_family family_max_float = {.finish = finish_max};

/* An f32 NaN becomes the canonical one here too; an f64 NaN keeps its sign when negated. */
HANDLER_1(neg_f32, float, float, float_canonical(-a))
HANDLER_1(neg_f64, double, double, a == a ? -a : a)
HANDLER_1(neg_ftz, float, float, float_canonical(-float_flush(a)))
HANDLER_1(abs_f32, float, float, float_canonical(fabsf(a)))
HANDLER_1(abs_f64, uint64_t, uint64_t, a & ~(UINT64_C(1) << 63))
HANDLER_1(abs_ftz, float, float, float_canonical(fabsf(float_flush(a))))
HANDLER_2(copysign_f32, uint32_t, uint32_t, uint32_t, (a & UINT32_C(0x80000000)) | (b & UINT32_C(0x7fffffff)))
HANDLER_2(copysign_f64, uint64_t, uint64_t, uint64_t, (a & UINT64_C(1) << 63) | (b & ~(UINT64_C(1) << 63)))

static bool finish_neg(decoder *d, op *o, const opcode *code)
{
    (void)d;
    (void)code;
    if (o->modifiers & MOD(FTZ))
        o->run = neg_ftz;
    return true;
}

static bool finish_abs(decoder *d, op *o, const opcode *code)
{
    (void)d;
    (void)code;
    if (o->modifiers & MOD(FTZ))
        o->run = abs_ftz;
    return true;
}

const op_family family_neg_float = {.finish = finish_neg,
                                    .typed = {[PTX_F32] = neg_f32, [PTX_F64] = neg_f64}};
const op_family family_abs_float = {.finish = finish_abs,
                                    .typed = {[PTX_F32] = abs_f32, [PTX_F64] = abs_f64}};
const op_family family_copysign = {.typed = {[PTX_F32] = copysign_f32, [PTX_F64] = copysign_f64}};

/* ---- testp -------------------------------------------------------------------------------------------- */

#define TESTP_CLASSES "finite infinite number notanumber normal subnormal"

static bool has_property(int classified, uint32_t property)
{
    switch (property) {
    case 0: return classified != FP_NAN && classified != FP_INFINITE;
    case 1: return classified == FP_INFINITE;
    case 2: return classified != FP_NAN;
    case 3: return classified == FP_NAN;
    case 4: return classified == FP_NORMAL || classified == FP_ZERO;
    default: return classified == FP_SUBNORMAL;
    }
}

#define TESTP(name, T)                                                                                       \
    static void name(warp *w, const op *o, uint32_t mask)                                                    \
    {                                                                                                        \
        const T *a = REG(w, o->arg[1]);                                                                      \
        uint32_t bits = 0;                                                                                   \
        EACH_LANE(mask)                                                                                      \
        {                                                                                                    \
            bits |= (uint32_t)has_property(fpclassify(a[lane]), o->choice) << lane;                          \
        }                                                                                                    \
        predicate_write(&PREDICATE(w, o->arg[0]), mask, bits);                                               \
    }
TESTP(testp_f32, float)
TESTP(testp_f64, double)

static bool finish_testp(decoder *d, op *o, const opcode *code)
{
    (void)d;
    o->choice = (uint8_t)opcode_pick(code, TESTP_CLASSES, 0);
    return true;
}

const op_family family_testp = {.finish = finish_testp,
                                .typed = {[PTX_F32] = testp_f32, [PTX_F64] = testp_f64}};
