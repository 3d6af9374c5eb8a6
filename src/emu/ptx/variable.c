/* variable.c: declarations of registers, variables and parameters (PTX ISA, sections 5.1 and 5.4). */
#include "emu/ptx/parse.h"

static const struct space_row {
    const char *word;
    ptx_space space;
} spaces[] = {
    {"global", PTX_GLOBAL}, {"const", PTX_CONST}, {"shared", PTX_SHARED},
    {"local", PTX_LOCAL},   {"param", PTX_PARAM}, {"shared::cta", PTX_SHARED},
};

bool parse_space(const parser *p, ptx_space *space)
{
    for (size_t i = 0; i < ARRAY_LEN(spaces); i++)
        if (parse_at_directive(p, spaces[i].word)) {
            *space = spaces[i].space;
            return true;
        }
    return false;
}

/* What stands between the state space and the name, in any order. */
typedef struct attributes {
    ptx_type type;
    uint32_t align;  /* 0: not given */
    uint32_t vector; /* 1, 2 or 4 elements */
    bool is_parameter;
} attributes;

static uint32_t read_align(parser *p)
{
    ptx_position at = p->lex.token.at;
    uint64_t align = parse_count(p, "the alignment", 1 << 16);
    if (align == 0 || (align & (align - 1)))
        lex_fail(&p->lex, at, "an alignment is a power of two");
    return (uint32_t)align;
}

/* .ptr .global .align 16: says where a parameter points to, of which nothing is made here. */
static void skip_pointer_attribute(parser *p)
{
    ptx_space ignored;
    if (parse_space(p, &ignored))
        lex_advance(&p->lex);
    if (parse_accept_directive(p, "align"))
        (void)read_align(p);
}

static attributes read_attributes(parser *p)
{
    attributes a = {.vector = 1};
    while (p->lex.token.kind == LEX_DIRECTIVE) {
        lex_token t = p->lex.token;
        ptx_type type = ptx_type_find(t.text, t.len);
        lex_advance(&p->lex);
        if (type != PTX_NO_TYPE)
            a.type = type;
        else if (t.len == 5 && memcmp(t.text, "align", 5) == 0)
            a.align = read_align(p);
        else if (t.len == 2 && t.text[0] == 'v' && (t.text[1] == '2' || t.text[1] == '4'))
            a.vector = (uint32_t)(t.text[1] - '0');
        else if (t.len == 3 && memcmp(t.text, "ptr", 3) == 0)
            skip_pointer_attribute(p);
        else if (t.len == 9 && memcmp(t.text, "attribute", 9) == 0)
            parse_skip_past(p, ')');
        else
            lex_fail(&p->lex, t.at, ".%.*s is not a type or attribute", (int)t.len, t.text);
    }
    if (a.type == PTX_NO_TYPE)
        lex_fail(&p->lex, p->lex.token.at, "a type expected");
    return a;
}

static void declare(parser *p, name_entry entry, ptx_position at)
{
    entry.scope = p->scope;
    entry.len = (uint32_t)strlen(entry.text);
    if (!names_add(&p->names, entry))
        lex_fail(&p->lex, at, "%s is declared twice", entry.text);
}

/* [4][8]: bytes of the whole; an empty first dimension is `open`. */
static uint64_t read_dimensions(parser *p, uint64_t bytes, bool *open)
{
    *open = false;
    while (parse_accept(p, '[')) {
        ptx_position at = p->lex.token.at;
        if (parse_at(p, ']'))
            *open = true;
        else
            bytes *= parse_count(p, "a dimension", PARSE_MAX_VARIABLE);
        if (bytes > PARSE_MAX_VARIABLE)
            lex_fail(&p->lex, at, "a variable of more than %d bytes", PARSE_MAX_VARIABLE);
        parse_expect(p, ']');
    }
    return bytes;
}

/* An `extern` declaration may be followed by the definition of the same name. */
static ptx_variable *variable_named(parser *p, const char *name, ptx_position at)
{
    const name_entry *known = names_find(&p->names, p->scope, name, (uint32_t)strlen(name));
    if (known && known->kind == NAME_VARIABLE && known->scope == p->scope && known->variable->is_extern)
        return known->variable;
    ptx_variable *v = arena_new(p->module->arena, ptx_variable);
    v->name = name;
    declare(p, (name_entry){.text = name, .kind = NAME_VARIABLE, .variable = v}, at);
    return v;
}

static ptx_variable *read_variable(parser *p, ptx_space space, attributes a, bool *open)
{
    ptx_position at = p->lex.token.at;
    ptx_variable *v = variable_named(p, parse_name(p, "a variable's name"), at);
    uint32_t element = ptx_type_bytes(a.type) * a.vector;
    v->space = space;
    v->type = a.type;
    v->align = a.align ? a.align : element;
    v->bytes = read_dimensions(p, element, open);
    return v;
}

ptx_variable *parse_parameter(parser *p, bool of_entry)
{
    bool open, is_param = parse_accept_directive(p, "param");
    if (!is_param && (of_entry || !parse_accept_directive(p, "reg")))
        lex_fail(&p->lex, p->lex.token.at, ".param expected");
    return read_variable(p, PTX_PARAM, read_attributes(p), &open);
}

static void keep_variable(parser *p, ptx_variable *v)
{
    ptx_function *f = p->function;
    bool own = f && (v->space == PTX_LOCAL || v->space == PTX_PARAM);
    if (own) {
        v->index = (uint32_t)f->variables.len;
        vec_push(&f->variables, v);
    } else if (f && v->space == PTX_SHARED) {
        vec_push(&f->shared, v);
    } else {
        vec_push(&p->module->variables, v);
    }
}

/* name[] = {1, 2}: as many elements as the list has. Counted by the commas outside of nested braces. */
static uint64_t count_elements(const parser *p)
{
    uint64_t count = 1;
    const char *c = p->lex.token.text;
    int depth = 0;
    for (; c < p->lex.end && *c != ';'; c++) {
        depth += (*c == '{') - (*c == '}');
        count += *c == ',' && depth > 0;
        if (depth == 0 && *c == '}')
            break;
    }
    return count;
}

void parse_variables(parser *p, ptx_space space, bool is_extern)
{
    lex_advance(&p->lex);
    attributes a = read_attributes(p);
    do {
        bool open;
        ptx_position at = p->lex.token.at;
        ptx_variable *v = read_variable(p, space, a, &open);
        bool again = v->is_extern;
        v->is_extern = is_extern;
        bool initialised = parse_accept(p, '=');
        if (open)
            v->bytes = initialised ? ptx_type_bytes(a.type) * count_elements(p) : 0;
        if (open && !initialised && !(is_extern && space == PTX_SHARED))
            lex_fail(&p->lex, at, "%s has no size", v->name);
        if (initialised && space != PTX_GLOBAL && space != PTX_CONST)
            lex_fail(&p->lex, at, "only .global and .const variables have initialisers");
        if (v->bytes > PARSE_MAX_VARIABLE)
            lex_fail(&p->lex, at, "a variable of more than %d bytes", PARSE_MAX_VARIABLE);
        if (initialised)
            parse_initialiser(p, v);
        if (!again)
            keep_variable(p, v);
    } while (parse_accept(p, ','));
    parse_expect(p, ';');
}

/* ---- registers -------------------------------------------------------------------------------------- */

static void add_registers(parser *p, const char *name, ptx_type type, uint32_t count, bool is_range)
{
    ptx_function *f = p->function;
    if (f->registers.len + count > PARSE_MAX_REGISTERS)
        lex_fail(&p->lex, p->lex.token.at, "more than %d registers", PARSE_MAX_REGISTERS);
    ptx_position at = p->lex.token.at;
    name_entry entry = {.text = name,
                        .kind = is_range ? NAME_REGISTER_RANGE : NAME_REGISTER,
                        .first = (uint32_t)f->registers.len,
                        .count = count};
    declare(p, entry, at);
    for (uint32_t i = 0; i < count; i++) {
        ptx_register r = {name, type};
        vec_push(&f->registers, r);
    }
}

/* .reg .b32 %r<9>, a, b; */
void parse_registers(parser *p)
{
    lex_advance(&p->lex);
    attributes a = read_attributes(p);
    if (a.vector != 1)
        lex_fail(&p->lex, p->lex.token.at, "vector registers are not supported");
    do {
        const char *name = parse_name(p, "a register's name");
        bool is_range = parse_accept(p, '<');
        uint32_t count = 1;
        if (is_range) {
            count = (uint32_t)parse_count(p, "the number of registers", PARSE_MAX_REGISTERS);
            parse_expect(p, '>');
        }
        add_registers(p, name, a.type, count, is_range);
    } while (parse_accept(p, ','));
    parse_expect(p, ';');
}
