/* operand.c: from shared memory or registers to slabs (operand.h).
 *
 * Loading goes in two steps, so that each stays simple: copy encodings to raw[k][lane], wherever they lie;
 * then take whole lines of encodings apart, one loop for all formats, which the compiler turns into vector
 * code. */
#include "emu/async/operand.h"
#include "emu/num/num.h"

static const operand_format formats[] = {
    [ASYNC_F16] = {.bytes = 2, .exponent_bits = 5, .fraction_bits = 10, .has_infinity = true},
    [ASYNC_BF16] = {.bytes = 2, .exponent_bits = 8, .fraction_bits = 7, .has_infinity = true},
    [ASYNC_TF32] =
        {.bytes = 4, .unused_bits = 13, .exponent_bits = 8, .fraction_bits = 10, .has_infinity = true},
    [ASYNC_E4M3] = {.bytes = 1, .exponent_bits = 4, .fraction_bits = 3},
    [ASYNC_E5M2] = {.bytes = 1, .exponent_bits = 5, .fraction_bits = 2, .has_infinity = true},
    [ASYNC_S8] = {.bytes = 1, .is_signed = true},
    [ASYNC_U8] = {.bytes = 1},
    [ASYNC_F32] = {.bytes = 4, .exponent_bits = 8, .fraction_bits = 23, .has_infinity = true},
    [ASYNC_S32] = {.bytes = 4, .is_signed = true},
};

const operand_format *operand_format_of(async_type type)
{
    return &formats[type];
}

operand_class operand_classify(const operand_format *format, uint32_t raw)
{
    uint32_t fraction_mask = (UINT32_C(1) << format->fraction_bits) - 1;
    uint32_t magnitude_mask = (UINT32_C(1) << (format->exponent_bits + format->fraction_bits)) - 1;
    uint32_t magnitude = raw & magnitude_mask, infinity = magnitude_mask & ~fraction_mask;
    if (!format->has_infinity)
        return magnitude == magnitude_mask ? OPERAND_NAN : OPERAND_FINITE;
    return magnitude < infinity ? OPERAND_FINITE : magnitude == infinity ? OPERAND_INFINITE : OPERAND_NAN;
}

/* ---- taking encodings apart ---------------------------------------------------------------------- */

static void split_integers(const operand_format *format, const uint32_t *restrict raw,
                           int32_t *restrict value)
{
    const int32_t sign = format->is_signed ? 0x80 : 0;
    for (int i = 0; i < SLAB_WIDTH; i++)
        value[i] = ((int32_t)raw[i] ^ sign) - sign;
}

/* Drops bits that are not read and flips the sign where asked to. */
static ALWAYS_INLINE void adjust_raw(uint32_t *raw, uint32_t unused_bits, uint32_t sign)
{
    for (int i = 0; i < SLAB_WIDTH; i++)
        raw[i] = raw[i] >> unused_bits ^ sign;
}

/* value = significand * 2^exponent. Returns whether all exponents of numbers but 0 are moderate; if they are
 * not, values may be anything. */
static ALWAYS_INLINE bool scale_line(const float *restrict significand, const int32_t *restrict exponent,
                                     float *restrict value)
{
    int32_t extreme = 0;
    for (int i = 0; i < SLAB_WIDTH; i++) {
        int32_t low = exponent[i] < -MODERATE_EXPONENT ? -MODERATE_EXPONENT : exponent[i];
        int32_t held = low > MODERATE_EXPONENT ? MODERATE_EXPONENT : low;
        value[i] = significand[i] * num_f32_from_bits((uint32_t)(held + 127) << 23);
        extreme |= (held ^ exponent[i]) & (exponent[i] ^ EXPONENT_OF_ZERO ? -1 : 0);
    }
    return extreme == 0;
}

static uint32_t depth_of(const operand_format *format)
{
    return 32u / format->bytes;
}

static ALWAYS_INLINE bool split_lines_body(operand_slab *slab, uint32_t sign)
{
    const operand_format format = *slab->format;
    slab->special = false;
    slab->moderate = true;
    for (uint32_t k = 0; k < depth_of(&format); k++) {
        adjust_raw(slab->raw[k], format.unused_bits, sign);
        slab->special |= operand_split(&format, slab->raw[k], slab->significand[k], slab->exponent[k]);
        slab->moderate &= scale_line(slab->significand[k], slab->exponent[k], slab->value[k]);
    }
    return true;
}

DEFINE_CLONES(bool, split_lines, (operand_slab * slab, uint32_t sign), (slab, sign))

static void split_slab(operand_slab *slab, bool negate)
{
    const operand_format *format = slab->format;
    if (format->exponent_bits)
        split_lines(slab, negate ? UINT32_C(1) << (format->exponent_bits + format->fraction_bits) : 0);
    else
        for (uint32_t k = 0; k < depth_of(format); k++)
            split_integers(format, slab->raw[k], slab->exponent[k]);
}

/* ---- from shared memory -------------------------------------------------------------------------- */

static const uint8_t *chunk_at(const operand_source *source, uint32_t line, uint32_t chunk)
{
    uint32_t address = descriptor_chunk(&source->descriptor, source->mn_major, line, chunk);
    bool inside = source->smem_bytes >= 16 && address <= source->smem_bytes - 16;
    return inside ? source->smem + address : NULL;
}

/* One chunk's elements become successive k of a lane. */
static void spread_chunk(operand_slab *slab, const uint8_t *chunk, uint32_t k, uint32_t lane)
{
    uint16_t halves[8];
    uint32_t words[4];
    switch (slab->format->bytes) {
    case 1:
        for (uint32_t i = 0; i < 16; i++)
            slab->raw[k + i][lane] = chunk[i];
        break;
    case 2:
        memcpy(halves, chunk, sizeof halves);
        for (uint32_t i = 0; i < 8; i++)
            slab->raw[k + i][lane] = halves[i];
        break;
    default:
        memcpy(words, chunk, sizeof words);
        for (uint32_t i = 0; i < 4; i++)
            slab->raw[k + i][lane] = words[i];
        break;
    }
}

/* Lines are lanes: each has two chunks of successive k. */
static bool load_k_major(operand_slab *slab, const operand_source *source, uint32_t first, uint32_t count)
{
    for (uint32_t lane = 0; lane < count; lane++)
        for (uint32_t chunk = 0; chunk < 2; chunk++) {
            const uint8_t *at = chunk_at(source, first + lane, chunk);
            if (!at)
                return false;
            spread_chunk(slab, at, chunk * depth_of(slab->format) / 2, lane);
        }
    return true;
}

/* Lines are k: a chunk has eight lanes, since only 16-bit types may lie so. */
static bool load_mn_major(operand_slab *slab, const operand_source *source, uint32_t first, uint32_t count)
{
    for (uint32_t k = 0; k < depth_of(slab->format); k++)
        for (uint32_t lane = 0; lane < count; lane += 8) {
            uint16_t halves[8];
            const uint8_t *at = chunk_at(source, k, (first + lane) / 8);
            if (!at)
                return false;
            memcpy(halves, at, sizeof halves);
            for (uint32_t i = 0; i < 8; i++)
                slab->raw[k][lane + i] = halves[i];
        }
    return true;
}

static void slab_start(operand_slab *slab, const operand_source *source, uint32_t lanes)
{
    slab->format = operand_format_of(source->type);
    if (lanes < SLAB_WIDTH)
        memset(slab->raw, 0, sizeof slab->raw[0] * depth_of(slab->format));
}

bool operand_load(operand_slab *slab, const operand_source *source, uint32_t first, uint32_t count)
{
    slab_start(slab, source, count);
    bool inside = source->mn_major ? load_mn_major(slab, source, first, count)
                                   : load_k_major(slab, source, first, count);
    if (inside)
        split_slab(slab, source->negate);
    return inside;
}

/* ---- from registers ------------------------------------------------------------------------------ */

/* A register holds successive k of one row: PTX ISA, section 9.7.15.5.1.1, figures of A for each K. */
void operand_from_registers(operand_slab *slab, const operand_source *source, const uint32_t *registers)
{
    slab_start(slab, source, 16);
    const uint32_t bytes = slab->format->bytes, packed = 4 / bytes;
    const uint32_t mask = UINT32_MAX >> (32 - 8 * bytes);
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t lane = 0; lane < 32; lane++)
            for (uint32_t part = 0; part < packed; part++) {
                uint32_t row = lane / 4 + i % 2 * 8;
                uint32_t k = packed * (lane % 4) + i / 2 * (4 * packed) + part;
                slab->raw[k][row] = registers[i * 32 + lane] >> (8 * bytes * part) & mask;
            }
    split_slab(slab, source->negate);
}
