/* operand.c: operands of an instruction to arguments of an op. */
#include "emu/core/decode.h"

#include <assert.h>

#include "emu/core/core.h"

/* ---- storage ---------------------------------------------------------------------------------------- */

static uint32_t lane_bytes(uint32_t bits)
{
    return bits == 1 ? 0 : bits <= 16 ? 2 : bits / 8;
}

static uint32_t slot_bytes(uint32_t bits)
{
    return bits == 1 ? 4 : lane_bytes(bits) * WARP_LANES;
}

uint32_t decode_new_register(decoder *d, uint32_t bits)
{
    uint32_t at = round_up(d->register_end, bits == 1 ? 4 : 64);
    d->register_end = at + slot_bytes(bits);
    return at;
}

static uint32_t find_constant(decoder *d, uint64_t value, uint32_t bits)
{
    uint64_t hash = hash_bytes(hash_bytes(HASH_SEED, &value, sizeof value), &bits, sizeof bits);
    size_t i = (size_t)hash & (d->constant_cap - 1);
    while (d->constant_table[i].bits &&
           (d->constant_table[i].value != value || d->constant_table[i].bits != bits))
        i = (i + 1) & (d->constant_cap - 1);
    return (uint32_t)i;
}

static void grow_constants(decoder *d)
{
    constant_slot *old = d->constant_table;
    size_t old_cap = d->constant_cap;
    d->constant_cap = old_cap ? old_cap * 2 : 64;
    d->constant_table = base_alloc(sizeof(constant_slot) * d->constant_cap);
    memset(d->constant_table, 0, sizeof(constant_slot) * d->constant_cap);
    for (size_t i = 0; i < old_cap; i++)
        if (old[i].bits)
            d->constant_table[find_constant(d, old[i].value, old[i].bits)] = old[i];
    free(old);
}

/* The value in every lane of a new slot of the constant file. */
static uint32_t broadcast(decoder *d, uint64_t value, uint32_t bits)
{
    while (bits != 1 && d->constants.len % 64)
        vec_push(&d->constants, 0);
    uint32_t at = (uint32_t)d->constants.len, step = bits == 1 ? 4 : lane_bytes(bits);
    for (uint32_t i = 0; i < slot_bytes(bits); i++) {
        uint32_t byte = i % step;
        uint8_t part = 0; /* of 128 bits the upper 64 are zero */
        if (byte < 8)
            part = (uint8_t)(value >> (8 * byte));
        vec_push(&d->constants, part);
    }
    return at | ARG_CONSTANT;
}

uint32_t decode_constant(decoder *d, uint64_t value, uint32_t bits)
{
    if (bits < 64 && bits != 1)
        value &= (UINT64_C(1) << bits) - 1;
    if (d->constant_used * 2 >= d->constant_cap)
        grow_constants(d);
    constant_slot *slot = &d->constant_table[find_constant(d, value, bits)];
    if (!slot->bits) {
        *slot = (constant_slot){value, bits, broadcast(d, value, bits)};
        d->constant_used++;
    }
    return slot->argument;
}

uint32_t *decode_list(decoder *d, uint32_t count)
{
    return arena_array(d->arena, uint32_t, count ? count : 1);
}

/* ---- registers -------------------------------------------------------------------------------------- */

uint32_t decode_register_bits(const decoder *d, const ptx_operand *o)
{
    if (o->kind == PTX_OPERAND_SPECIAL)
        return ptx_special_bits((ptx_special)o->index);
    if (o->kind != PTX_OPERAND_REGISTER)
        return 0;
    uint32_t bits = ptx_type_bits(d->now->function->registers.at[o->index].type);
    return bits == 8 ? 16 : bits; /* an 8-bit register is kept as a 16-bit one */
}

static bool check_width(decoder *d, const ptx_operand *o, uint32_t want)
{
    uint32_t bits = decode_register_bits(d, o);
    if (want == 8)
        want = 16;
    if (o->value)
        return decode_refuse(d, "%s has a displacement", o->name);
    if ((want && bits != want) || (!want && bits == 1))
        return decode_refuse(d, "%s is %u bits wide, %u expected", o->name, bits, want);
    return true;
}

static uint32_t mark_wide(uint32_t argument, uint32_t bits, uint32_t want)
{
    return want == 0 && bits == 64 ? argument | ARG_WIDE : argument;
}

bool decode_destination(decoder *d, const ptx_operand *o, uint32_t bits, uint32_t *argument)
{
    if (o->pair)
        return decode_refuse(d, "an unexpected pair of destinations");
    if (o->kind == PTX_OPERAND_SINK) {
        *argument = 0;
        return true;
    }
    if (o->kind != PTX_OPERAND_REGISTER || o->negated)
        return decode_refuse(d, "a register expected as destination");
    if (!check_width(d, o, bits))
        return false;
    *argument = mark_wide(d->now->slots[o->index], decode_register_bits(d, o), bits);
    return true;
}

/* One register a special register, filled in when a warp starts (special.c). */
static uint32_t special_slot(decoder *d, ptx_special special)
{
    program_special *s;
    vec_each(s, &d->specials)
        if (s->special == special)
            return s->slot;
    program_special added = {special, decode_new_register(d, ptx_special_bits(special))};
    vec_push(&d->specials, added);
    return added.slot;
}

static bool moves(ptx_special special)
{
    return special >= PTX_SPECIAL_CLOCK && special <= PTX_SPECIAL_GLOBALTIMER_HI;
}

/* ---- variables -------------------------------------------------------------------------------------- */

/* Offset of a .shared variable in shared memory; dynamic ones are 0 until place_shared. */
static uint32_t shared_offset(decoder *d, const ptx_variable *v)
{
    if (v->bytes == 0)
        return 0;
    for (size_t i = 0; i < d->shared_placed.len; i++)
        if (d->shared_placed.at[i] == v)
            return d->shared_offsets.at[i];
    uint32_t at = round_up(d->shared_end, v->align);
    vec_push(&d->shared_placed, v);
    vec_push(&d->shared_offsets, at);
    d->shared_end = at + (uint32_t)v->bytes;
    return at;
}

static uint32_t shared_slot(decoder *d, const ptx_variable *v, int64_t displacement, uint32_t bits)
{
    uint32_t offset = shared_offset(d, v) + (uint32_t)displacement;
    program_shared *s;
    vec_each(s, &d->shared)
        if (s->variable == v && s->offset == offset && s->bits == bits)
            return s->slot;
    program_shared added = {v, offset, bits, decode_new_register(d, bits)};
    vec_push(&d->shared, added);
    return added.slot;
}

static bool own_frame(const decoder *d, const ptx_variable *v)
{
    const ptx_function *f = d->now->function;
    return v->space == PTX_LOCAL || (v->space == PTX_PARAM && !f->is_entry) ||
           (v->space == PTX_PARAM && v->index < f->variables.len && f->variables.at[v->index] == v);
}

/* The address of a variable in its state space, as an argument `bits` wide. */
static bool variable_address(decoder *d, const ptx_variable *v, int64_t displacement, uint32_t bits,
                             uint32_t *argument)
{
    if (bits != 32 && bits != 64)
        return decode_refuse(d, "an address takes 32 or 64 bits");
    assert(v);
    uint64_t address = v->address + (uint64_t)displacement;
    if (v->space == PTX_SHARED) {
        *argument = shared_slot(d, v, displacement, bits);
        return true;
    }
    if (own_frame(d, v))
        address = d->now->variables[v->index] + (uint64_t)displacement;
    if ((v->space == PTX_GLOBAL || v->space == PTX_CONST) && bits == 32)
        return decode_refuse(d, "the address of %s does not fit 32 bits", v->name);
    if (v->is_extern && !v->address && (v->space == PTX_GLOBAL || v->space == PTX_CONST))
        return decode_refuse(d, "%s is defined in no module", v->name);
    *argument = decode_constant(d, address, bits);
    return true;
}

/* ---- sources ---------------------------------------------------------------------------------------- */

/* A float constant in the bits of `type`: PTX writes them as f32 or f64 whatever the instruction's type. */
static uint64_t float_constant(const ptx_operand *o, ptx_type type)
{
    if (o->kind == PTX_OPERAND_F64 && type == PTX_F32) {
        double value;
        memcpy(&value, &o->value, sizeof value);
        float narrow = (float)value;
        uint32_t bits;
        memcpy(&bits, &narrow, sizeof bits);
        return bits;
    }
    if (o->kind == PTX_OPERAND_F32 && type == PTX_F64) {
        uint32_t bits = (uint32_t)o->value;
        float value;
        memcpy(&value, &bits, sizeof value);
        double wide = (double)value;
        uint64_t wide_bits;
        memcpy(&wide_bits, &wide, sizeof wide);
        return wide_bits;
    }
    return (uint64_t)o->value;
}

static bool predicate_source(decoder *d, const ptx_operand *o, uint32_t *argument)
{
    if (o->kind == PTX_OPERAND_INTEGER) {
        *argument = decode_constant(d, o->value != 0 ? ALL_LANES : 0, 1);
    } else {
        if (!check_width(d, o, 1))
            return false;
        *argument =
            o->kind == PTX_OPERAND_SPECIAL ? special_slot(d, (ptx_special)o->index) : d->now->slots[o->index];
    }
    if (o->negated)
        *argument |= ARG_NEGATED;
    return true;
}

bool decode_source(decoder *d, const ptx_operand *o, uint32_t bits, ptx_type type, uint32_t *argument)
{
    if (bits == 1)
        return predicate_source(d, o, argument);
    if (o->negated || o->pair)
        return decode_refuse(d, "an unexpected operand");
    uint32_t width = bits ? bits : 64;
    switch (o->kind) {
    case PTX_OPERAND_REGISTER:
        *argument = mark_wide(d->now->slots[o->index], decode_register_bits(d, o), bits);
        return check_width(d, o, bits);
    case PTX_OPERAND_SPECIAL:
        if (moves((ptx_special)o->index))
            return decode_refuse(d, "%s is read by mov only", ptx_special_name((ptx_special)o->index));
        *argument = mark_wide(special_slot(d, (ptx_special)o->index), decode_register_bits(d, o), bits);
        return check_width(d, o, bits);
    case PTX_OPERAND_INTEGER:
        *argument = mark_wide(decode_constant(d, (uint64_t)o->value, width), width, bits);
        return true;
    case PTX_OPERAND_F32:
    case PTX_OPERAND_F64:
        *argument = mark_wide(decode_constant(d, float_constant(o, type), width), width, bits);
        return true;
    case PTX_OPERAND_VARIABLE:
        if (!variable_address(d, o->variable, o->value, width, argument))
            return false;
        *argument = mark_wide(*argument, width, bits);
        return true;
    default: return decode_refuse(d, "an unexpected operand");
    }
}

bool decode_immediate(decoder *d, const ptx_operand *o, int64_t *value)
{
    if (o->kind != PTX_OPERAND_INTEGER)
        return decode_refuse(d, "an integer constant expected");
    *value = o->value;
    return true;
}

bool decode_vector(decoder *d, const ptx_operand *o, bool destination, uint32_t bits, ptx_type type,
                   uint32_t *list, uint32_t count)
{
    bool vector = o->kind == PTX_OPERAND_VECTOR;
    if ((vector ? o->count : 1) != count)
        return decode_refuse(d, "a vector of %u elements expected", count);
    for (uint32_t i = 0; i < count; i++) {
        const ptx_operand *item = vector ? &o->items[i] : o;
        if (!(destination ? decode_destination(d, item, bits, &list[i])
                          : decode_source(d, item, bits, type, &list[i])))
            return false;
    }
    return true;
}

/* ---- addresses -------------------------------------------------------------------------------------- */

static bool register_address(decoder *d, const ptx_operand *base, op_address *address)
{
    ptx_operand plain = *base;
    uint32_t bits = decode_register_bits(d, base);
    if (bits != 32 && bits != 64)
        return decode_refuse(d, "an address is 32 or 64 bits wide");
    if (base->value < INT32_MIN || base->value > INT32_MAX)
        return decode_refuse(d, "a displacement of more than 32 bits");
    plain.value = 0;
    address->displacement = (int32_t)base->value;
    return decode_source(d, &plain, 0, PTX_B64, &address->base);
}

/* The space that an access to a variable is in, where the opcode leaves it open. A parameter of a device function lives in
 * local memory, whatever the opcode says. */
static ptx_space variable_space(const decoder *d, const ptx_variable *v, ptx_space space)
{
    if (v->space == PTX_PARAM && own_frame(d, v))
        return PTX_LOCAL;
    bool open = space == PTX_GENERIC && v->space != PTX_GLOBAL && v->space != PTX_CONST;
    return open ? v->space : space;
}

/* `[base + displacement]` */
bool decode_address(decoder *d, const ptx_operand *o, op_address *address, ptx_space *space)
{
    if (o->kind != PTX_OPERAND_ADDRESS)
        return decode_refuse(d, "an address expected");
    const ptx_operand *base = &o->items[0];
    if (base->negated || base->pair)
        return decode_refuse(d, "an unexpected address");
    if (base->kind == PTX_OPERAND_REGISTER)
        return register_address(d, base, address);
    if (base->kind == PTX_OPERAND_VARIABLE)
        *space = variable_space(d, base->variable, *space);
    else if (base->kind != PTX_OPERAND_INTEGER)
        return decode_refuse(d, "an unexpected address");
    return decode_source(d, base, 0, PTX_B64, &address->base);
}
