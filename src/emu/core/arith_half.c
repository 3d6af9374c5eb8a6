/* arith_half.c: f16 and bf16 arithmetic, single and packed (PTX ISA, section 9.7.4).
 *
 * Each half is computed in a wider type and rounded once. f32 is wide enough for sums and products: its 24
 * bits are at least 2p + 2 of p = 11 and p = 8, so rounding twice is rounding once (Figueroa). A fused
 * multiply-add is computed in f64, and rounded to odd where f64 is not exact. */
#include "emu/core/decode.h"
#include "emu/core/float.h"

typedef enum half_operation {
    HALF_ADD,
    HALF_SUB,
    HALF_MUL,
    HALF_FMA,
    HALF_MIN,
    HALF_MAX,
    HALF_NEG,
    HALF_ABS,
    HALF_EX2,
    HALF_TANH,
} half_operation;

#define HALF_OPERATIONS "add sub mul fma min max neg abs ex2 tanh"

static bool is_bf16(const op *o)
{
    return o->type == PTX_BF16 || o->type == PTX_BF16X2;
}

static float widen(const op *o, uint16_t half)
{
    float value = is_bf16(o) ? num_bf16_to_f32(half) : num_f16_to_f32(half);
    bool subnormal = !(half & (is_bf16(o) ? 0x7f80 : 0x7c00));
    return subnormal && (o->modifiers & MOD(FTZ)) ? copysignf(0.0f, value) : value;
}

static uint16_t narrow(const op *o, double value)
{
    if ((o->modifiers & MOD(RELU)) && value < 0.0)
        value = 0.0;
    if (o->modifiers & MOD(SAT))
        value = double_saturate(value);
    float odd = double_to_float_odd(value);
    uint16_t half = is_bf16(o) ? float_to_bf16(odd) : num_f32_to_f16(odd);
    bool subnormal = !(half & (is_bf16(o) ? 0x7f80 : 0x7c00));
    return subnormal && (o->modifiers & MOD(FTZ)) ? half & 0x8000 : half;
}

/* NaN of the format where both are, the number where one is, unless .NaN; -0 is less than +0. */
static float pick(const op *o, float a, float b, bool least)
{
    bool nan = a != a || b != b;
    if (nan && ((o->modifiers & MOD(NAN)) || (a != a && b != b)))
        return NAN;
    if (nan)
        return a != a ? b : a;
    if (a == b)
        return (signbit(a) != 0) == least ? a : b;
    return (a < b) == least ? a : b;
}

/* fma of bf16 and f16: the product is exact in f64. */
static double fused(float a, float b, float c)
{
    return double_add_odd((double)a * (double)b, (double)c);
}

static uint16_t compute(const op *o, uint16_t a_bits, uint16_t b_bits, uint16_t c_bits)
{
    float a = widen(o, a_bits), b = widen(o, b_bits);
    switch ((half_operation)o->choice) {
    case HALF_ADD: return narrow(o, (double)(a + b));
    case HALF_SUB: return narrow(o, (double)(a - b));
    case HALF_MUL: return narrow(o, (double)(a * b));
    case HALF_FMA: return narrow(o, fused(a, b, widen(o, c_bits)));
    case HALF_MIN: return narrow(o, (double)pick(o, a, b, true));
    case HALF_MAX: return narrow(o, (double)pick(o, a, b, false));
    case HALF_NEG: return narrow(o, (double)-a);
    case HALF_ABS: return narrow(o, (double)fabsf(a));
    case HALF_EX2: return narrow(o, (double)exp2f(a));
    default: return narrow(o, (double)tanhf(a));
    }
}

static void run_single(warp *w, const op *o, uint32_t mask)
{
    uint16_t *d = REG(w, o->arg[0]);
    const uint16_t *a = REG(w, o->arg[1]), *b = a, *c = a;
    if (o->arg[2] != ARG_NONE)
        b = REG(w, o->arg[2]);
    if (o->arg[3] != ARG_NONE)
        c = REG(w, o->arg[3]);
    EACH_LANE(mask)
    {
        d[lane] = compute(o, a[lane], b[lane], c[lane]);
    }
}

static void run_packed(warp *w, const op *o, uint32_t mask)
{
    uint32_t *d = REG(w, o->arg[0]);
    const uint32_t *as = REG(w, o->arg[1]), *bs = as, *cs = as;
    if (o->arg[2] != ARG_NONE)
        bs = REG(w, o->arg[2]);
    if (o->arg[3] != ARG_NONE)
        cs = REG(w, o->arg[3]);
    EACH_LANE(mask)
    {
        uint32_t a = as[lane], b = bs[lane], c = cs[lane];
        uint32_t low = compute(o, (uint16_t)a, (uint16_t)b, (uint16_t)c);
        d[lane] = low | (uint32_t)compute(o, (uint16_t)(a >> 16), (uint16_t)(b >> 16), (uint16_t)(c >> 16))
                            << 16;
    }
}

/* ---- fast handlers: no modifiers ----------------------------------------------------------------------- */

#define FAST_HALF(name, WIDEN, NARROW, expression)                                                           \
    static inline uint16_t name##_bits(uint16_t a_bits, uint16_t b_bits, uint16_t c_bits)                    \
    {                                                                                                        \
        float a = WIDEN(a_bits), b = WIDEN(b_bits), c = WIDEN(c_bits);                                       \
        (void)c;                                                                                             \
        return NARROW(expression);                                                                           \
    }                                                                                                        \
    HANDLER_3(name##_single, uint16_t, uint16_t, uint16_t, uint16_t, name##_bits(a, b, c))                   \
    HANDLER_3(name##_packed, uint32_t, uint32_t, uint32_t, uint32_t,                                         \
              (uint32_t)name##_bits((uint16_t)(a >> 16), (uint16_t)(b >> 16), (uint16_t)(c >> 16)) << 16 |   \
                  name##_bits((uint16_t)a, (uint16_t)b, (uint16_t)c))

FAST_HALF(f16_add, num_f16_to_f32, num_f32_to_f16, a + b)
FAST_HALF(f16_sub, num_f16_to_f32, num_f32_to_f16, a - b)
FAST_HALF(f16_mul, num_f16_to_f32, num_f32_to_f16, PRODUCT(a, b))
FAST_HALF(f16_fma, num_f16_to_f32, num_f32_to_f16, double_to_float_odd(fused(a, b, c)))
FAST_HALF(bf16_add, num_bf16_to_f32, float_to_bf16, a + b)
FAST_HALF(bf16_sub, num_bf16_to_f32, float_to_bf16, a - b)
FAST_HALF(bf16_mul, num_bf16_to_f32, float_to_bf16, PRODUCT(a, b))
FAST_HALF(bf16_fma, num_bf16_to_f32, float_to_bf16, double_to_float_odd(fused(a, b, c)))

/* By format, operation (add, sub, mul, fma) and whether packed. */
static op_run *const fast_handlers[2][4][2] = {
    {{f16_add_single, f16_add_packed},
     {f16_sub_single, f16_sub_packed},
     {f16_mul_single, f16_mul_packed},
     {f16_fma_single, f16_fma_packed}},
    {{bf16_add_single, bf16_add_packed},
     {bf16_sub_single, bf16_sub_packed},
     {bf16_mul_single, bf16_mul_packed},
     {bf16_fma_single, bf16_fma_packed}},
};

static void choose_handler(op *o)
{
    bool packed = ptx_type_kind((ptx_type)o->type) == PTX_KIND_PACKED;
    if ((o->modifiers & ~MOD(RN)) || o->choice > HALF_FMA)
        return;
    if (o->arg[3] == ARG_NONE)
        o->arg[3] = o->arg[1]; /* read and not used */
    o->run = fast_handlers[is_bf16(o)][o->choice][packed];
}

static bool finish_half(decoder *d, op *o, const opcode *code)
{
    char base[16] = "";
    size_t len = strcspn(code->full, ".");
    memcpy(base, code->full, len < sizeof base ? len : sizeof base - 1);
    const char *names = HALF_OPERATIONS;
    uint8_t index = 0;
    for (const char *p = names; *p; index++) {
        size_t n = strcspn(p, " ");
        if (n == strlen(base) && memcmp(p, base, n) == 0) {
            o->choice = index;
            choose_handler(o);
            return true;
        }
        p += n + (p[n] == ' ');
    }
    return decode_refuse(d, "not for halves");
}

const op_family family_half = {.finish = finish_half,
                               .typed = {[PTX_F16] = run_single,
                                         [PTX_BF16] = run_single,
                                         [PTX_F16X2] = run_packed,
                                         [PTX_BF16X2] = run_packed}};
