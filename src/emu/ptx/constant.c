/* constant.c: constant expressions (PTX ISA, section 4.5.4) and initialisers of variables.
 *
 * Expressions are evaluated in 64-bit two's complement while they are read, by precedence climbing. */
#include "emu/ptx/parse.h"

/* ---- expressions ------------------------------------------------------------------------------------ */

static const struct binary_operator {
    char text[3];
    int precedence;
} operators[] = {{"|", 1}, {"^", 2}, {"&", 3}, {"<<", 4}, {">>", 4}, {"+", 5}, {"-", 5}, {"*", 6}, {"/", 6}};

/* The operator at the current token; two characters stand side by side in << and >>. */
static const struct binary_operator *operator_here(const parser *p)
{
    if (p->lex.token.kind != LEX_PUNCTUATION)
        return NULL;
    const char *here = p->lex.token.text;
    for (size_t i = 0; i < ARRAY_LEN(operators); i++) {
        size_t len = strlen(operators[i].text);
        if ((size_t)(p->lex.end - here) >= len && memcmp(here, operators[i].text, len) == 0)
            return &operators[i];
    }
    return NULL;
}

static int64_t apply(parser *p, char op, int64_t left, int64_t right)
{
    uint64_t a = (uint64_t)left, b = (uint64_t)right;
    switch (op) {
    case '|': return (int64_t)(a | b);
    case '^': return (int64_t)(a ^ b);
    case '&': return (int64_t)(a & b);
    case '<': return b < 64 ? (int64_t)(a << b) : 0;
    case '>': return b < 64 ? (int64_t)(a >> b) : 0;
    case '+': return (int64_t)(a + b);
    case '-': return (int64_t)(a - b);
    case '*': return (int64_t)(a * b);
    default:
        if (right == 0 || (left == INT64_MIN && right == -1))
            lex_fail(&p->lex, p->lex.token.at, "division by zero, or out of range, in a constant");
        return left / right;
    }
}

static int64_t expression(parser *p, int lowest);

static int64_t primary(parser *p)
{
    lex_token t = p->lex.token;
    if (t.kind == LEX_INTEGER) {
        lex_advance(&p->lex);
        return (int64_t)t.value;
    }
    char c = t.kind == LEX_PUNCTUATION ? *t.text : '\0';
    if (c != '(' && c != '-' && c != '+' && c != '~' && c != '!')
        lex_fail(&p->lex, t.at, "an integer constant expected");
    parse_enter(p);
    lex_advance(&p->lex);
    int64_t value = c == '(' ? expression(p, 1) : primary(p);
    if (c == '(')
        parse_expect(p, ')');
    parse_leave(p);
    return c == '-' ? (int64_t)(0 - (uint64_t)value) : c == '~' ? ~value : c == '!' ? !value : value;
}

static int64_t expression(parser *p, int lowest)
{
    int64_t left = primary(p);
    const struct binary_operator *op;
    while ((op = operator_here(p)) && op->precedence >= lowest) {
        for (size_t i = 0; i < strlen(op->text); i++)
            lex_advance(&p->lex);
        left = apply(p, op->text[0], left, expression(p, op->precedence + 1));
    }
    return left;
}

int64_t parse_constant(parser *p)
{
    return expression(p, 1);
}

/* ---- initialisers ----------------------------------------------------------------------------------- */

typedef struct initialiser {
    ptx_variable *variable;
    uint8_t *bytes;
    uint64_t next; /* offset of the element to be read */
} initialiser;

static void put_value(parser *p, initialiser *init, uint64_t value)
{
    uint32_t width = ptx_type_bytes(init->variable->type);
    if (init->next + width > init->variable->bytes)
        lex_fail(&p->lex, p->lex.token.at, "%s has more initialisers than elements", init->variable->name);
    memcpy(init->bytes + init->next, &value, width < 8 ? width : 8);
    init->next += width;
}

static uint64_t float_bits(ptx_type type, uint64_t f64_bits)
{
    double value;
    memcpy(&value, &f64_bits, sizeof value);
    if (type != PTX_F32)
        return f64_bits;
    float narrow = (float)value;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    return bits;
}

/* name, name + 4, generic(name): the address of a variable */
static void read_address_value(parser *p, initialiser *init)
{
    ptx_position at = p->lex.token.at;
    const char *name = parse_name(p, "a name");
    bool wrapped = strcmp(name, "generic") == 0 && parse_accept(p, '(');
    if (wrapped)
        name = parse_name(p, "a variable's name");
    const name_entry *e = names_find(&p->names, p->scope, name, (uint32_t)strlen(name));
    ptx_relocation relocation = {.offset = init->next};
    if (e && e->kind == NAME_VARIABLE)
        relocation.variable = e->variable;
    else
        lex_fail(&p->lex, at, "%s is not a variable declared before", name);
    if (wrapped)
        parse_expect(p, ')');
    if (parse_at(p, '+') || parse_at(p, '-'))
        relocation.addend = expression(p, 1);
    relocation.bytes = ptx_type_bytes(init->variable->type);
    if (relocation.bytes > 8)
        lex_fail(&p->lex, at, "an address does not initialise a %s", ptx_type_name(init->variable->type));
    put_value(p, init, 0);
    vec_push(&p->relocations, relocation);
}

static void read_scalar(parser *p, initialiser *init)
{
    bool negative = parse_at(p, '-');
    lex_token t = p->lex.token;
    if (t.kind == LEX_NAME) {
        read_address_value(p, init);
    } else if (t.kind == LEX_F32 || t.kind == LEX_F64) {
        lex_advance(&p->lex);
        put_value(p, init, t.kind == LEX_F32 ? t.value : float_bits(init->variable->type, t.value));
    } else if (negative && lex_float_follows(&p->lex)) {
        lex_advance(&p->lex);
        uint64_t bits = p->lex.token.value ^ UINT64_C(1) << 63; /* decimal floats are read as f64 */
        lex_advance(&p->lex);
        put_value(p, init, float_bits(init->variable->type, bits));
    } else {
        put_value(p, init, (uint64_t)expression(p, 1));
    }
}

/* Braces nest by dimension, but the elements lie in a row all the same; a short inner list is not padded by
 * compilers, which always print whole rows. */
static void read_list(parser *p, initialiser *init)
{
    if (!parse_at(p, '{')) {
        read_scalar(p, init);
        return;
    }
    parse_enter(p);
    lex_advance(&p->lex);
    while (!parse_at(p, '}')) {
        read_list(p, init);
        if (!parse_accept(p, ','))
            break;
    }
    parse_expect(p, '}');
    parse_leave(p);
}

void parse_initialiser(parser *p, ptx_variable *v)
{
    initialiser *init = arena_new(p->module->arena, initialiser);
    init->variable = v;
    init->bytes = arena_alloc(p->module->arena, v->bytes);
    p->relocations.len = 0;
    read_list(p, init);
    v->init = init->bytes;
    v->relocation_count = p->relocations.len;
    ptx_relocation *kept = arena_array(p->module->arena, ptx_relocation, p->relocations.len);
    if (p->relocations.len)
        memcpy(kept, p->relocations.at, sizeof(ptx_relocation) * p->relocations.len);
    v->relocations = kept;
}
