/* statement.c: the body of a function: blocks, labels, instructions and their operands.
 *
 * Registers, variables and functions must be declared before they are used, so they are resolved at once.
 * Labels may come later: such operands stay NAMEs, with the scope they stand in, until the body has ended. */
#include "emu/ptx/parse.h"

typedef VEC(ptx_operand) operand_vector;

static void read_operand(parser *p, ptx_operand *o);

/* ---- operands ----------------------------------------------------------------------------------------- */

/* Comma-separated operands up to `close`, which is read too. */
static void read_items(parser *p, ptx_operand *o, char close)
{
    operand_vector *items = arena_alloc(p->module->arena, sizeof *items);
    parse_enter(p);
    ptx_operand first[PARSE_ITEMS];
    uint32_t count = 0;
    while (!parse_at(p, close)) {
        if (count == PARSE_ITEMS)
            lex_fail(&p->lex, p->lex.token.at, "more than %d operands", PARSE_ITEMS);
        read_operand(p, &first[count++]);
        if (!parse_accept(p, ','))
            break;
    }
    parse_expect(p, close);
    parse_leave(p);
}
