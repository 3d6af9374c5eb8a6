/* What values come from: each register has the set of things that may have had a part in it, found by going over the code
 * until nothing changes. Which of several definitions holds at an instruction is not asked, so a set may be too large,
 * never too small; conditions are no part of it. */
#include "audit/body.h"

/* ---- operands ------------------------------------------------------------------------------------------ */

static origin_set origin_of_special(uint32_t index)
{
    static const char *const threads[] = {"%tid", "%laneid", "%lanemask", "%warpid"};
    static const char *const others[] = {"%clock", "%globaltimer", "%smid", "%nsmid", "%gridid", "%envreg"};
    const char *name = ptx_special_name((ptx_special)index);
    for (size_t i = 0; i < ARRAY_LEN(threads); i++)
        if (strncmp(name, threads[i], strlen(threads[i])) == 0)
            return ORIGIN_BIT(THREAD);
    for (size_t i = 0; i < ARRAY_LEN(others); i++)
        if (strncmp(name, others[i], strlen(others[i])) == 0)
            return ORIGIN_BIT(OTHER);
    return ORIGIN_BIT(CTA);
}

/* A parameter of the kernel, by its place; a variable in local memory; another variable is memory like any. */
static origin_set origin_of_variable(const body *b, const ptx_variable *v)
{
    for (size_t i = 0; i < b->code->params.len; i++)
        if (b->code->params.at[i] == v) {
            if (i == EMIT_BODY_PARAMS)
                return ORIGIN_BIT(PARAMS);
            return i == EMIT_BODY_VALUES ? ORIGIN_BIT(AT) : UINT64_C(1) << (i - EMIT_BODY_FIRST_INPUT);
        }
    return v->space == PTX_LOCAL ? ORIGIN_BIT(STACK) : ORIGIN_BIT(OTHER);
}

origin_set origins_of(const body *b, const ptx_operand *o)
{
    origin_set set = 0;
    switch (o->kind) {
    case PTX_OPERAND_REGISTER: set = b->origins.at[o->index]; break;
    case PTX_OPERAND_SPECIAL: set = origin_of_special(o->index); break;
    case PTX_OPERAND_VARIABLE: set = origin_of_variable(b, o->variable); break;
    default:
        for (uint32_t i = 0; i < o->count; i++)
            set |= origins_of(b, &o->items[i]);
    }
    return set;
}

int64_t operand_constant(const body *b, const ptx_operand *o)
{
    if (o->kind == PTX_OPERAND_INTEGER)
        return o->value;
    return o->kind == PTX_OPERAND_REGISTER ? b->constants.at[o->index] : BODY_UNKNOWN;
}

/* ---- addresses ----------------------------------------------------------------------------------------- */

const ptx_operand *site_address(const body *b, const site *s, int n)
{
    const ptx_instruction *i = site_code(b, s);
    const ptx_operand *last = NULL;
    for (uint32_t o = 0; o < i->operand_count; o++)
        if (i->operands[o].kind == PTX_OPERAND_ADDRESS) {
            last = &i->operands[o];
            if (n-- == 0)
                return last;
        }
    return n < -1 ? last : NULL;
}

origin_set site_origins(const body *b, const site *s, int address)
{
    const ptx_operand *o = site_address(b, s, address);
    return o ? origins_of(b, &o->items[0]) : 0;
}

/* ---- instructions -------------------------------------------------------------------------------------- */

/* Whether the first operand is what the instruction makes. */
static bool makes(const ptx_instruction *i)
{
    static const char *const nothing[] = {"st",  "red",     "call",       "bra",      "brx",
                                          "bar", "barrier", "setmaxnreg", "nanosleep"};
    for (size_t n = 0; n < ARRAY_LEN(nothing); n++)
        if (opcode_begins(i, nothing[n]))
            return false;
    const ptx_operand *first = i->operand_count ? &i->operands[0] : NULL;
    return first && (first->kind == PTX_OPERAND_REGISTER || first->kind == PTX_OPERAND_VECTOR || first->pair);
}

/* What is stored in local memory, in one set. */
typedef struct local_memory {
    origin_set content;
} local_memory;

/* A load: of the kernel's parameters, of the body's values, of local memory, or of memory. */
static origin_set origin_of_load(const ptx_instruction *i, origin_set address, const local_memory *local)
{
    if (has_word(i->opcode, "param"))
        return address;
    if (address & ORIGIN_BIT(AT))
        return ORIGIN_BIT(VALUES);
    if (has_word(i->opcode, "local") || (address & ORIGIN_BIT(STACK)))
        return local->content;
    return has_word(i->opcode, "const") ? 0 : ORIGIN_BIT(MEMORY);
}

static origin_set origin_of_sources(const body *b, const ptx_instruction *i)
{
    origin_set set = 0;
    for (uint32_t o = 1; o < i->operand_count; o++)
        set |= origins_of(b, &i->operands[o]);
    return set;
}

static origin_set origin_of_result(const body *b, const ptx_instruction *i, const local_memory *local)
{
    origin_set sources = origin_of_sources(b, i);
    if (opcode_begins(i, "ld") || opcode_begins(i, "ldu"))
        return origin_of_load(i, sources, local);
    if (opcode_begins(i, "elect"))
        return ORIGIN_BIT(ELECTED);
    if (opcode_begins(i, "ldmatrix") || opcode_begins(i, "atom") || opcode_begins(i, "tcgen05.ld") ||
        opcode_begins(i, "mbarrier"))
        return ORIGIN_BIT(MEMORY);
    if (opcode_begins(i, "activemask"))
        return ORIGIN_BIT(OTHER);
    return opcode_begins(i, "mapa") ? sources | ORIGIN_BIT(MAPPED) : sources;
}

/* ---- registers ----------------------------------------------------------------------------------------- */

static bool add_origins(body *b, const ptx_operand *o, origin_set set)
{
    bool changed = false;
    if (o->kind == PTX_OPERAND_REGISTER) {
        changed = (set & ~b->origins.at[o->index]) != 0;
        b->origins.at[o->index] |= set;
    }
    for (uint32_t i = 0; o->kind == PTX_OPERAND_VECTOR && i < o->count; i++)
        changed |= add_origins(b, &o->items[i], set);
    return o->pair ? add_origins(b, o->pair, set) || changed : changed;
}

static bool store_locally(const body *b, const ptx_instruction *i, local_memory *local)
{
    bool to_stack = opcode_begins(i, "st") && i->operand_count > 1 &&
                    (has_word(i->opcode, "local") || (origins_of(b, &i->operands[0]) & ORIGIN_BIT(STACK)));
    origin_set set = to_stack ? origin_of_sources(b, i) : 0;
    bool changed = (set & ~local->content) != 0;
    local->content |= set;
    return changed;
}

static bool go_over(body *b, local_memory *local)
{
    bool changed = false;
    const ptx_instruction *i;
    vec_each(i, &b->code->instructions) {
        changed |= store_locally(b, i, local);
        if (makes(i))
            changed |= add_origins(b, &i->operands[0], origin_of_result(b, i, local));
    }
    return changed;
}

/* ---- constants ----------------------------------------------------------------------------------------- */

static void count_definitions(const ptx_operand *o, uint32_t *definitions)
{
    if (o->kind == PTX_OPERAND_REGISTER)
        definitions[o->index]++;
    for (uint32_t i = 0; o->kind == PTX_OPERAND_VECTOR && i < o->count; i++)
        count_definitions(&o->items[i], definitions);
    if (o->pair)
        count_definitions(o->pair, definitions);
}

static void find_constants(body *b)
{
    uint32_t *definitions = arena_array(b->arena, uint32_t, b->code->registers.len + 1);
    const ptx_instruction *i;
    vec_each(i, &b->code->instructions)
        if (makes(i))
            count_definitions(&i->operands[0], definitions);
    vec_each(i, &b->code->instructions) {
        bool moves = opcode_begins(i, "mov") && i->operand_count == 2 && !i->guard &&
                     i->operands[0].kind == PTX_OPERAND_REGISTER &&
                     i->operands[1].kind == PTX_OPERAND_INTEGER;
        if (moves && definitions[i->operands[0].index] == 1)
            b->constants.at[i->operands[0].index] = i->operands[1].value;
    }
}

void origins_find(body *b)
{
    for (size_t i = 0; i < b->code->registers.len; i++) {
        vec_push(&b->origins, 0);
        vec_push(&b->constants, BODY_UNKNOWN);
    }
    local_memory local = {0};
    while (go_over(b, &local))
        ;
    find_constants(b);
}
