/* decode.c: from the statements of a kernel to ops: once, when a module is loaded.
 *
 * Every instruction becomes exactly one op, except calls, which are replaced by the body of what they call. An
 * instruction whose opcode is not in the table, or whose form its row refuses, becomes an op that ends the
 * launch with EMU_UNSUPPORTED if it is ever executed; loading does not fail for it. */
#include "emu/core/decode.h"

#include "emu/core/core.h"

#include <stdio.h>

bool decode_refuse(decoder *d, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    d->refusal = arena_vprintf(d->arena, fmt, args);
    va_end(args);
    return false;
}

/* ---- one instruction -------------------------------------------------------------------------------- */

static void run_unsupported(warp *w, const op *o, uint32_t mask)
{
    (void)mask;
    warp_unsupported(w, "%s", (const char *)o->extra);
}

op decode_new_op(decoder *d)
{
    op o = {.line = d->instruction ? d->instruction->at.line : 0, .join = NO_PC};
    o.guard = decode_constant(d, ALL_LANES, 1);
    for (int i = 0; i < OP_ARGS; i++)
        o.arg[i] = ARG_NONE;
    for (int i = 0; i < OP_ADDRESSES; i++)
        o.address[i].base = ARG_NONE;
    const ptx_operand *guard = d->instruction ? d->instruction->guard : NULL;
    if (guard) {
        o.guard = d->now->slots[guard->index];
        o.guard_flip = guard->negated ? ALL_LANES : 0;
    }
    return o;
}

/* Bits meant by the second letter of an operand code, see instructions.def. */
static uint32_t code_bits(char letter, const opcode *code)
{
    ptx_type second = code->type_count > 1 ? code->types[1] : code->types[0];
    switch (letter) {
    case 't': return ptx_type_bits(code->types[0]);
    case 'T': return ptx_type_bits(code->types[0]) * 2;
    case 'u': return ptx_type_bits(second);
    case 'p': return 1;
    case 'h': return 16;
    case 'w': return 32;
    case 'l': return 64;
    default: return 0;
    }
}

typedef struct operand_cursor {
    uint32_t operand, argument, address;
} operand_cursor;

static bool decode_pair(decoder *d, op *o, const ptx_operand *operand, operand_cursor *at)
{
    ptx_operand first = *operand, none = {.kind = PTX_OPERAND_SINK};
    first.pair = NULL;
    return decode_destination(d, &first, 1, &o->arg[at->argument++]) &&
           decode_destination(d, operand->pair ? operand->pair : &none, 1, &o->arg[at->argument++]);
}

static bool decode_branch_target(decoder *d, const ptx_operand *operand)
{
    if (operand->kind != PTX_OPERAND_LABEL)
        return decode_refuse(d, "a label expected");
    branch_fixup fixup = {(uint32_t)d->ops.len, ARG_NONE, operand->index};
    vec_push(&d->fixups, fixup);
    return true;
}

static bool decode_integer(decoder *d, const ptx_operand *operand, uint32_t *argument)
{
    int64_t value;
    if (!decode_immediate(d, operand, &value))
        return false;
    *argument = (uint32_t)value;
    return true;
}

/* One operand by its code: "dt" a destination of the instruction's type, "sw" a 32-bit source, ... */
static bool decode_by_code(decoder *d, op *o, const opcode *code, const char *item, size_t len,
                           const ptx_operand *operand, operand_cursor *at)
{
    ptx_space ignored = PTX_GENERIC;
    uint32_t bits = len > 1 ? code_bits(item[1], code) : 0;
    ptx_type type = len > 1 && item[1] == 'u' && code->type_count > 1 ? code->types[1] : code->types[0];
    if (len == 3 && item[2] == '|')
        return decode_pair(d, o, operand, at);
    switch (item[0]) {
    case 'd': return decode_destination(d, operand, bits, &o->arg[at->argument++]);
    case 's': return decode_source(d, operand, bits, type, &o->arg[at->argument++]);
    case 'i': return decode_integer(d, operand, &o->arg[at->argument++]);
    case 'm': return decode_address(d, operand, &o->address[at->address++], &ignored);
    case 'L': return decode_branch_target(d, operand);
    default: return decode_refuse(d, "operands of this form");
    }
}

/* Walks the row's operand codes and the instruction's operands side by side. */
static bool decode_operands(decoder *d, op *o, const opcode *code)
{
    const ptx_instruction *i = d->instruction;
    operand_cursor at = {0};
    for (const char *p = code->row->operands; *p;) {
        bool optional = *p == '?';
        const char *item = p + optional;
        size_t len = strcspn(item, " ");
        p = item + len + (item[len] == ' ');
        if (at.operand == i->operand_count) {
            if (!optional)
                return decode_refuse(d, "operands are missing");
            continue;
        }
        if (!decode_by_code(d, o, code, item, len, &i->operands[at.operand++], &at))
            return false;
    }
    return at.operand == i->operand_count || decode_refuse(d, "too many operands");
}

static bool decode_row(decoder *d, op *o, const opcode *code)
{
    const op_family *family = code->row->family;
    o->modifiers = code->modifiers;
    o->type = (uint8_t)code->types[0];
    o->type2 = (uint8_t)(code->type_count > 1 ? code->types[1] : code->types[0]);
    o->space = (uint8_t)opcode_space(code);
    o->run = family->typed[code->types[0]] ? family->typed[code->types[0]] : family->any;
    if (strcmp(code->row->operands, "*") != 0 && !decode_operands(d, o, code))
        return false;
    if (family->finish && !family->finish(d, o, code))
        return false;
    return o->run || decode_refuse(d, "not for type .%s", ptx_type_name(code->types[0]));
}

static void decode_instruction(decoder *d)
{
    const ptx_instruction *i = d->instruction;
    opcode code = {.full = i->opcode};
    if (strcmp(i->opcode, "call") == 0 || strncmp(i->opcode, "call.", 5) == 0) {
        if (decode_call(d))
            return;
    }
    size_t fixups = d->fixups.len;
    op o = decode_new_op(d);
    bool call = strncmp(i->opcode, "call", 4) == 0;
    if (!call && !table_find(arena_strdup(d->arena, i->opcode), &code)) {
        decode_refuse(d, "no such instruction, or not with these modifiers");
    } else if (!call && decode_row(d, &o, &code)) {
        vec_push(&d->ops, o);
        return;
    }
    d->fixups.len = fixups;
    o.run = run_unsupported;
    o.extra = arena_printf(d->arena, "%s: %s", i->opcode, d->refusal);
    vec_push(&d->ops, o);
}

/* ---- bodies ----------------------------------------------------------------------------------------- */

static void patch_branches(decoder *d, const expansion *e, size_t first)
{
    for (size_t i = first; i < d->fixups.len; i++) {
        branch_fixup f = d->fixups.at[i];
        uint32_t at = f.label == ARG_NONE ? (uint32_t)e->function->instructions.len
                                          : e->function->labels.at[f.label].instruction;
        if (f.operand == ARG_NONE)
            d->ops.at[f.op].target = e->pcs[at];
        else
            ((uint32_t *)d->ops.at[f.op].list)[f.operand] = e->pcs[at];
    }
    d->fixups.len = first;
}

void decode_body(decoder *d, expansion *e)
{
    const ptx_function *f = e->function;
    expansion *outer = d->now;
    const ptx_instruction *call = d->instruction;
    size_t first_fixup = d->fixups.len;
    d->now = e;
    for (size_t i = 0; i < f->instructions.len; i++) {
        e->pcs[i] = (uint32_t)d->ops.len;
        d->instruction = &f->instructions.at[i];
        decode_instruction(d);
    }
    e->pcs[f->instructions.len] = (uint32_t)d->ops.len;
    patch_branches(d, e, first_fixup);
    d->now = outer;
    d->instruction = call;
}

/* ---- kernels ---------------------------------------------------------------------------------------- */

/* The addresses of shared variables are known when all have been met: dynamic ones lie behind the others. */
static void place_shared(decoder *d, program *p)
{
    p->static_shared = d->shared_end;
    p->dynamic_base = round_up(d->shared_end, 1024);
    program_shared *s;
    vec_each(s, &d->shared)
        if (s->variable->bytes == 0)
            s->offset += p->dynamic_base;
}

static void *keep(decoder *d, const void *data, size_t bytes)
{
    return memcpy(arena_alloc(d->arena, bytes ? bytes : 1), data ? data : "", bytes);
}

static void finish_program(decoder *d, program *p)
{
    place_shared(d, p);
    p->ops = keep(d, d->ops.at, sizeof(op) * d->ops.len);
    p->op_count = (uint32_t)d->ops.len;
    p->constants = keep(d, d->constants.at, d->constants.len);
    p->specials = keep(d, d->specials.at, sizeof(program_special) * d->specials.len);
    p->special_count = (uint32_t)d->specials.len;
    p->shared = keep(d, d->shared.at, sizeof(program_shared) * d->shared.len);
    p->shared_count = (uint32_t)d->shared.len;
    p->register_bytes = d->register_end;
    p->local_bytes = round_up(d->local_end, 16);
    flow_find_joins(p->ops, p->op_count);
    vec_free(&d->ops);
    vec_free(&d->fixups);
    vec_free(&d->constants);
    vec_free(&d->specials);
    vec_free(&d->shared);
    vec_free(&d->shared_placed);
    vec_free(&d->shared_offsets);
    free(d->constant_table);
}

static void emit_final_exit(decoder *d)
{
    extern const op_family family_exit;
    d->instruction = NULL;
    op o = decode_new_op(d);
    o.run = family_exit.any;
    o.flow = FLOW_EXIT;
    vec_push(&d->ops, o);
}

program *decode_kernel(arena *a, const ptx_module *module, const ptx_function *entry)
{
    program *p = arena_new(a, program);
    p->name = entry->name;
    p->module = module;
    p->function = entry;
    decoder *d = arena_new(a, decoder);
    *d = (decoder){.arena = a, .module = module, .program = p, .shared_end = SHARED_RESERVED};
    d->register_end = WARP_LANES * 16; /* what is written to a sink goes to the start of the file */
    expansion *e = decode_expansion(d, entry, NULL);
    decode_place_variables(d, e);
    decode_body(d, e);
    emit_final_exit(d);
    finish_program(d, p);
    return p;
}
