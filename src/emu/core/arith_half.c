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
    num_format format = is_bf16(o) ? NUM_BF16 : NUM_F16;
    uint16_t half;
    if ((double)(float)value == value || value != value)
        half = is_bf16(o) ? num_f32_to_bf16((float)value) : num_f32_to_f16((float)value);
    else
        half = (uint16_t)num_encode(format, value, NUM_RN, 0);
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
        d[lane] = compute(o, a[lane], b[lane], c[lane]);
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
        d[lane] = low | (uint32_t)compute(o, (uint16_t)(a >> 16), (uint16_t)(b >> 16), (uint16_t)(c >> 16)) << 16;
    }
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
