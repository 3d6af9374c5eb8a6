/* expand.c: calls of device functions, expanded in place.
 *
 * Each call gets a copy of the body with registers of its own; `ret` becomes a branch behind the copy. The
 * .param variables of the call *are* those of the copy: they share a place in the thread's local memory. So
 * divergent calls need no stack. Recursion, and calls through registers, are not supported. */
#include "emu/core/core.h"
#include "emu/core/decode.h"

enum { CALL_DEPTH = 32, OPS_MAX = 4 << 20 };

static uint32_t place_local(decoder *d, const ptx_variable *v)
{
    uint32_t at = round_up(d->local_end, v->align);
    d->local_end = at + (uint32_t)v->bytes;
    return at;
}

expansion *decode_expansion(decoder *d, const ptx_function *f, expansion *caller)
{
    expansion *e = arena_new(d->arena, expansion);
    e->function = f;
    e->caller = caller;
    e->slots = decode_list(d, (uint32_t)f->registers.len);
    e->variables = decode_list(d, (uint32_t)f->variables.len);
    e->pcs = decode_list(d, (uint32_t)f->instructions.len + 1);
    for (size_t i = 0; i < f->registers.len; i++) {
        uint32_t bits = ptx_type_bits(f->registers.at[i].type);
        e->slots[i] = decode_new_register(d, bits);
    }
    for (size_t i = 0; i < f->variables.len; i++)
        e->variables[i] = ARG_NONE;
    return e;
}

void decode_place_variables(decoder *d, expansion *e)
{
    for (size_t i = 0; i < e->function->variables.len; i++)
        if (e->variables[i] == ARG_NONE)
            e->variables[i] = place_local(d, e->function->variables.at[i]);
}

/* ---- calls that the emulator answers itself --------------------------------------------------------- */

/* __assertfail(message, file, line, function, charSize): device code's assert. */
static void run_assertfail(warp *w, const op *o, uint32_t mask)
{
    (void)o;
    (void)mask;
    warp_fault(w, "an assertion of the kernel failed");
}

/* vprintf(format, arguments): nothing is printed; the result, which nobody reads, stays what it was. */
static void run_vprintf(warp *w, const op *o, uint32_t mask)
{
    (void)w;
    (void)o;
    (void)mask;
}

static op_run *known_function(const char *name)
{
    if (strcmp(name, "__assertfail") == 0)
        return run_assertfail;
    return strcmp(name, "vprintf") == 0 ? run_vprintf : NULL;
}

/* ---- expansion -------------------------------------------------------------------------------------- */

static bool recursive(const decoder *d, const ptx_function *f)
{
    for (const expansion *e = d->now; e; e = e->caller)
        if (e->function == f)
            return true;
    return false;
}

/* Binds the callee's .param variables to the caller's, given in order. */
static bool bind(decoder *d, expansion *e, ptx_variable *const *formal, size_t count,
                 const ptx_operand *actual)
{
    if ((actual ? actual->count : 0) != count)
        return decode_refuse(d, "%s takes %zu parameters and results here", e->function->name, count);
    for (size_t i = 0; i < count; i++) {
        const ptx_operand *o = &actual->items[i];
        if (o->kind != PTX_OPERAND_VARIABLE || o->variable->space != PTX_PARAM ||
            o->variable->bytes < formal[i]->bytes || o->variable->index >= d->now->function->variables.len ||
            d->now->function->variables.at[o->variable->index] != o->variable)
            return decode_refuse(d, "an argument is not a .param variable of its size");
        e->variables[formal[i]->index] = d->now->variables[o->variable->index];
    }
    return true;
}

static bool expand(decoder *d, const ptx_function *f, const ptx_operand *results, const ptx_operand *params)
{
    if (recursive(d, f) || d->depth == CALL_DEPTH || d->ops.len > OPS_MAX)
        return decode_refuse(d, "%s is recursive, or calls are nested too deep", f->name);
    expansion *e = decode_expansion(d, f, d->now);
    if (!bind(d, e, f->returns.at, f->returns.len, results) ||
        !bind(d, e, f->params.at, f->params.len, params))
        return false;
    decode_place_variables(d, e);
    d->depth++;
    decode_body(d, e);
    d->depth--;
    return true;
}

/* A guarded call branches around the copy where the guard does not hold. */
static void emit_guard(decoder *d)
{
    extern const op_family family_bra;
    if (!d->instruction->guard)
        return;
    op o = decode_new_op(d);
    o.guard_flip = ~o.guard_flip;
    o.run = family_bra.any;
    o.flow = FLOW_BRANCH;
    vec_push(&d->ops, o);
}

/* call (results), function, (params); results and params may be absent. */
bool decode_call(decoder *d)
{
    const ptx_instruction *i = d->instruction;
    const ptx_operand *results = NULL, *params = NULL, *callee = NULL;
    for (uint32_t n = 0; n < i->operand_count; n++) {
        const ptx_operand *o = &i->operands[n];
        if (o->kind == PTX_OPERAND_LIST)
            *(callee ? &params : &results) = o;
        else if (!callee)
            callee = o;
    }
    if (!callee || callee->kind != PTX_OPERAND_FUNCTION)
        return decode_refuse(d, "calls through registers are not supported");
    op_run *known = known_function(callee->function->name);
    if (known && !callee->function->has_body) {
        op o = decode_new_op(d);
        o.run = known;
        vec_push(&d->ops, o);
        return true;
    }
    if (!callee->function->has_body || callee->function->is_entry)
        return decode_refuse(d, "%s has no body in this module", callee->function->name);
    size_t guard = d->ops.len;
    emit_guard(d);
    bool guarded = d->ops.len > guard;
    if (!expand(d, callee->function, results, params)) {
        d->ops.len = guard;
        return false;
    }
    if (guarded)
        d->ops.at[guard].target = (uint32_t)d->ops.len;
    return true;
}
