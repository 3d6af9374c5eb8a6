/* parse.h: what the files of the parser share. Not for others: their face is ptx.h. */
#ifndef WW_EMU_PTX_PARSE_H
#define WW_EMU_PTX_PARSE_H

#include "emu/ptx/lex.h"
#include "emu/ptx/names.h"

enum {
    PARSE_MAX_REGISTERS = 1 << 20,  /* of one function */
    PARSE_MAX_VARIABLE = 256 << 20, /* bytes of one variable */
    PARSE_MAX_DEPTH = 32,           /* of nested parentheses, braces of an initialiser or a vector */
    PARSE_MAX_OPERANDS = 1024,      /* of one instruction, vector or list */
};

typedef struct parser {
    lexer lex;
    ptx_module *module;
    ptx_function *function; /* being read, or NULL */
    names names;
    VEC(ptx_variable *) params;      /* the list of parameters read last */
    VEC(ptx_operand) scratch;        /* operands of lists whose end has not been read yet */
    VEC(ptx_relocation) relocations; /* of the initialiser that is being read */
    uint32_t scope;
    uint32_t depth;
} parser;

/* tokens */
bool parse_at(const parser *p, char punctuation);
bool parse_at_directive(const parser *p, const char *word);
bool parse_accept(parser *p, char punctuation);
void parse_expect(parser *p, char punctuation);
bool parse_accept_directive(parser *p, const char *word);
const char *parse_name(parser *p, const char *what); /* reads one; the text is in the arena */
uint64_t parse_count(parser *p, const char *what, uint64_t limit);
void parse_skip_past(parser *p, char punctuation);
void parse_skip_line(parser *p);
void parse_enter(parser *p); /* one level deeper; fails beyond PARSE_MAX_DEPTH */
void parse_leave(parser *p);

/* constant.c: constant expressions and initialisers */
int64_t parse_constant(parser *p);
void parse_initialiser(parser *p, ptx_variable *v);

/* variable.c: declarations */
bool parse_space(const parser *p, ptx_space *space); /* the current directive names a state space */
ptx_variable *parse_parameter(parser *p, bool of_entry);
void parse_variables(parser *p, ptx_space space, bool is_extern);
void parse_registers(parser *p);

/* statement.c: bodies */
void parse_body(parser *p);

#endif
