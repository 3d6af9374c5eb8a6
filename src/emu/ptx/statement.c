/* statement.c: the body of a function: blocks, labels, instructions and their operands.
 *
 * Registers, variables and functions must be declared before they are used, so they are resolved at once.
 * Labels may come later: such operands stay NAMEs, with the scope they stand in, until the body has ended. */
#include "emu/ptx/parse.h"

#include <assert.h>

static ptx_operand read_operand(parser *p);

/* ---- operands --------------------------------------------------------------------------------------- */

/* Moves the operands on the scratch stack from `base` on into the arena. */
static ptx_operand *take_items(parser *p, size_t base, uint32_t *count)
{
    *count = (uint32_t)(p->scratch.len - base);
    ptx_operand *items = arena_array(p->module->arena, ptx_operand, *count);
    if (*count)
        memcpy(items, p->scratch.at + base, sizeof(ptx_operand) * *count);
    p->scratch.len = base;
    return items;
}

/* Comma-separated operands up to `close`, which is read too. */
static void read_items(parser *p, ptx_operand *o, char close)
{
    size_t base = p->scratch.len;
    parse_enter(p);
    while (!parse_at(p, close)) {
        if (p->scratch.len - base == PARSE_MAX_OPERANDS)
            lex_fail(&p->lex, p->lex.token.at, "more than %d operands", PARSE_MAX_OPERANDS);
        ptx_operand item = read_operand(p);
        vec_push(&p->scratch, item);
        if (!parse_accept(p, ','))
            break;
    }
    parse_expect(p, close);
    parse_leave(p);
    o->items = take_items(p, base, &o->count);
}

static bool find_special(const lex_token *t, uint32_t *index)
{
    for (uint32_t i = 0; i < PTX_SPECIAL_COUNT; i++) {
        const char *name = ptx_special_name((ptx_special)i);
        if (strlen(name) == t->len && memcmp(name, t->text, t->len) == 0) {
            *index = i;
            return true;
        }
    }
    return false;
}

static void resolve(ptx_operand *o, const name_entry *e, const lex_token *t)
{
    o->index = e->first;
    o->variable = e->variable;
    o->function = e->function;
    switch (e->kind) {
    case NAME_REGISTER_RANGE: o->index += names_range_index(t->text, t->len); /* fall through */
    case NAME_REGISTER: o->kind = PTX_OPERAND_REGISTER; break;
    case NAME_VARIABLE: o->kind = PTX_OPERAND_VARIABLE; break;
    case NAME_FUNCTION: o->kind = PTX_OPERAND_FUNCTION; break;
    default: o->kind = PTX_OPERAND_NAME; break;
    }
}

static void read_name_operand(parser *p, ptx_operand *o)
{
    lex_token t = p->lex.token;
    const name_entry *e = names_find(&p->names, p->scope, t.text, t.len);
    o->name = arena_strndup(p->module->arena, t.text, t.len);
    lex_advance(&p->lex);
    if (e && e->kind != NAME_LABEL) {
        resolve(o, e, &t);
    } else if (t.len == 1 && *t.text == '_') {
        o->kind = PTX_OPERAND_SINK;
    } else if (find_special(&t, &o->index)) {
        o->kind = PTX_OPERAND_SPECIAL;
    } else if (strcmp(o->name, "WARP_SZ") == 0) {
        o->kind = PTX_OPERAND_INTEGER;
        o->value = 32;
    } else {
        o->kind = PTX_OPERAND_NAME;
        o->scope = p->scope;
    }
}

/* + 4, +-4, - 4: may be absent */
static int64_t read_displacement(parser *p)
{
    if (parse_accept(p, '+'))
        return parse_constant(p);
    return parse_at(p, '-') ? parse_constant(p) : 0;
}

/* [base + 4], [base, {coordinates}] */
static void read_address(parser *p, ptx_operand *o)
{
    o->kind = PTX_OPERAND_ADDRESS;
    lex_advance(&p->lex);
    read_items(p, o, ']');
    if (o->count == 0)
        lex_fail(&p->lex, o->at, "an empty address");
}

static void read_number(parser *p, ptx_operand *o)
{
    bool negative = parse_at(p, '-') && lex_float_follows(&p->lex);
    if (negative)
        lex_advance(&p->lex);
    lex_token t = p->lex.token;
    if (t.kind == LEX_F32 || t.kind == LEX_F64) {
        lex_advance(&p->lex);
        o->kind = t.kind == LEX_F32 ? PTX_OPERAND_F32 : PTX_OPERAND_F64;
        o->value = (int64_t)(t.value ^ (negative ? UINT64_C(1) << (t.kind == LEX_F32 ? 31 : 63) : 0));
    } else {
        o->kind = PTX_OPERAND_INTEGER;
        o->value = parse_constant(p);
    }
}

static void read_vector_or_list(parser *p, ptx_operand *o)
{
    o->kind = parse_at(p, '{') ? PTX_OPERAND_VECTOR : PTX_OPERAND_LIST;
    lex_advance(&p->lex);
    read_items(p, o, o->kind == PTX_OPERAND_VECTOR ? '}' : ')');
}

static void read_plain_operand(parser *p, ptx_operand *o)
{
    if (parse_at(p, '{') || parse_at(p, '('))
        read_vector_or_list(p, o);
    else if (parse_at(p, '['))
        read_address(p, o);
    else if (p->lex.token.kind == LEX_NAME)
        read_name_operand(p, o);
    else
        read_number(p, o);
}

/* p|q, !p, variable + 4, variable[4] and all that read_plain_operand knows. Within brackets a register may
 * also have a displacement. */
static ptx_operand read_operand(parser *p)
{
    ptx_operand o = {.at = p->lex.token.at};
    o.negated = parse_accept(p, '!');
    read_plain_operand(p, &o);
    if (o.kind == PTX_OPERAND_VARIABLE || o.kind == PTX_OPERAND_REGISTER)
        o.value = read_displacement(p);
    if (o.kind == PTX_OPERAND_VARIABLE && parse_accept(p, '[')) {
        o.value += parse_constant(p);
        parse_expect(p, ']');
    }
    if (parse_accept(p, '|')) {
        parse_enter(p);
        o.pair = arena_new(p->module->arena, ptx_operand);
        *o.pair = read_operand(p);
        parse_leave(p);
    }
    return o;
}

/* ---- labels ----------------------------------------------------------------------------------------- */

static void read_label(parser *p)
{
    ptx_function *f = p->function;
    ptx_position at = p->lex.token.at;
    ptx_label label = {.scope = p->scope, .instruction = (uint32_t)f->instructions.len};
    label.name = parse_name(p, "a label");
    parse_expect(p, ':');
    if (parse_accept_directive(p, "branchtargets")) {
        ptx_operand list = {.at = at};
        read_items(p, &list, ';');
        label.targets = list.items;
        label.target_count = list.count;
    } else if (parse_at_directive(p, "callprototype") || parse_at_directive(p, "calltargets")) {
        parse_skip_past(p, ';');
    }
    name_entry entry = {.text = label.name,
                        .len = (uint32_t)strlen(label.name),
                        .scope = p->scope,
                        .kind = NAME_LABEL,
                        .first = (uint32_t)f->labels.len};
    if (!names_add(&p->names, entry))
        lex_fail(&p->lex, at, "%s is declared twice", label.name);
    vec_push(&f->labels, label);
}

static void resolve_labels(parser *p, ptx_operand *o)
{
    for (uint32_t i = 0; i < o->count; i++)
        resolve_labels(p, &o->items[i]);
    if (o->pair)
        resolve_labels(p, o->pair);
    if (o->kind != PTX_OPERAND_NAME)
        return;
    const name_entry *e = names_find(&p->names, o->scope, o->name, (uint32_t)strlen(o->name));
    if (!e || e->kind != NAME_LABEL)
        lex_fail(&p->lex, o->at, "%s is not declared", o->name);
    o->kind = PTX_OPERAND_LABEL;
    o->index = e->first;
}

static void resolve_body(parser *p)
{
    ptx_function *f = p->function;
    ptx_instruction *i;
    vec_each(i, &f->instructions)
        for (uint32_t n = 0; n < i->operand_count; n++)
            resolve_labels(p, &i->operands[n]);
    ptx_label *label;
    vec_each(label, &f->labels)
        for (uint32_t n = 0; n < label->target_count; n++)
            resolve_labels(p, &label->targets[n]);
}

/* ---- statements ------------------------------------------------------------------------------------- */

static ptx_operand *read_guard(parser *p)
{
    ptx_operand *guard = arena_new(p->module->arena, ptx_operand);
    parse_expect(p, '@');
    *guard = read_operand(p);
    bool predicate = guard->kind == PTX_OPERAND_REGISTER && !guard->pair && !guard->value &&
                     p->function->registers.at[guard->index].type == PTX_PRED;
    if (!predicate)
        lex_fail(&p->lex, guard->at, "a guard is a predicate register");
    return guard;
}

static void read_instruction(parser *p)
{
    ptx_instruction i = {.at = p->lex.token.at};
    if (parse_at(p, '@'))
        i.guard = read_guard(p);
    if (p->lex.token.kind != LEX_NAME)
        lex_fail(&p->lex, p->lex.token.at, "an instruction expected");
    lex_widen_opcode(&p->lex);
    i.opcode = parse_name(p, "an instruction");
    ptx_operand list = {.kind = PTX_OPERAND_LIST};
    read_items(p, &list, ';');
    i.operands = list.items;
    i.operand_count = list.count;
    vec_push(&p->function->instructions, i);
}

/* Pragmas of ours: a word, a number, and so many registers. */
typedef struct pragma {
    const char *word;
    int registers;
} pragma;

static const pragma pragmas[] = {{"mark", 0}, {"answer", 3}};

enum { MOST_DIGITS = 9 };

static size_t skip_word(const lex_token *t, size_t at, const char *word)
{
    size_t len = strlen(word);
    return at + len <= t->len && memcmp(t->text + at, word, len) == 0 ? at + len : SIZE_MAX;
}

/* Behind characters that are none of `ends`. */
static size_t skip_to(const lex_token *t, size_t at, const char *ends)
{
    while (at < t->len && !strchr(ends, t->text[at]))
        at++;
    return at;
}

static bool is_pragma(const lex_token *t, const pragma *p)
{
    size_t at = t->kind == LEX_STRING ? skip_word(t, 0, p->word) : SIZE_MAX;
    if (at == SIZE_MAX || (at = skip_word(t, at, " ")) == SIZE_MAX)
        return false;
    size_t digits = at;
    while (at < t->len && t->text[at] >= '0' && t->text[at] <= '9')
        at++;
    if (at == digits || at - digits > MOST_DIGITS)
        return false;
    for (int i = 0; i < p->registers; i++) {
        if ((at = skip_word(t, at, ", %")) == SIZE_MAX)
            return false;
        at = skip_to(t, at, ", ");
    }
    return at == t->len;
}

/* Operands up to the end of the source. */
static void read_all_operands(parser *p, ptx_instruction *i)
{
    size_t base = p->scratch.len;
    do {
        ptx_operand item = read_operand(p);
        vec_push(&p->scratch, item);
    } while (p->scratch.len - base < PARSE_MAX_OPERANDS && parse_accept(p, ','));
    if (p->lex.token.kind != LEX_END)
        lex_fail(&p->lex, p->lex.token.at, "the end of the pragma expected");
    i->operands = take_items(p, base, &i->operand_count);
}

/* The string is read as what follows an opcode; then all goes on as before. */
static void read_our_pragma(parser *p, const char *opcode)
{
    const lex_token t = p->lex.token;
    const char *next = p->lex.next, *end = p->lex.end;
    ptx_instruction i = {.at = t.at, .opcode = opcode};
    p->lex.next = t.text + strlen(opcode);
    p->lex.end = t.text + t.len;
    lex_advance(&p->lex);
    read_all_operands(p, &i);
    p->lex.next = next;
    p->lex.end = end;
    p->lex.token = t;
    vec_push(&p->function->instructions, i);
}

/* .pragma "mark 17"; and .pragma "answer 5, %r1, %r2, %r3"; become instructions of ours, for scripts (emu.h). */
static void read_pragma(parser *p)
{
    lex_advance(&p->lex);
    for (size_t i = 0; i < ARRAY_LEN(pragmas); i++)
        if (is_pragma(&p->lex.token, &pragmas[i]))
            read_our_pragma(p, pragmas[i].word);
    parse_skip_past(p, ';');
}

static void read_directive(parser *p)
{
    ptx_space space;
    if (parse_at_directive(p, "reg"))
        parse_registers(p);
    else if (parse_space(p, &space))
        parse_variables(p, space, false);
    else if (parse_at_directive(p, "loc") || parse_at_directive(p, "file"))
        parse_skip_line(p);
    else if (parse_at_directive(p, "pragma"))
        read_pragma(p);
    else
        parse_skip_past(p, ';'); /* directives that say nothing about execution */
}

static void read_statement(parser *p)
{
    if (p->lex.token.kind == LEX_DIRECTIVE)
        read_directive(p);
    else if (lex_at_label(&p->lex))
        read_label(p);
    else if (!parse_accept(p, ';'))
        read_instruction(p);
}

void parse_body(parser *p)
{
    uint32_t outermost = p->scope, open = 1;
    parse_expect(p, '{');
    while (open > 0) {
        if (parse_accept(p, '{')) {
            p->scope = names_scope(&p->names, p->scope);
            open++;
        } else if (parse_accept(p, '}')) {
            if (--open > 0)
                p->scope = p->names.parents.at[p->scope];
        } else {
            read_statement(p);
        }
    }
    assert(p->scope == outermost);
    (void)outermost;
    resolve_body(p);
}
