/* lex.h: tokens of PTX (PTX ISA, section 4). */
#ifndef WW_EMU_PTX_LEX_H
#define WW_EMU_PTX_LEX_H

#include <setjmp.h>

#include "emu/ptx/ptx.h"

typedef enum lex_kind {
    LEX_END,
    LEX_NAME,      /* add, %r1, %tid.x, $L__BB0_1 */
    LEX_DIRECTIVE, /* .reg; the text excludes the dot */
    LEX_INTEGER,
    LEX_F32, /* 0f3F800000 */
    LEX_F64, /* 0d3FF0000000000000, 1.5 */
    LEX_STRING,
    LEX_PUNCTUATION, /* one character */
} lex_kind;

typedef struct lex_token {
    lex_kind kind;
    const char *text;
    uint32_t len;
    uint64_t value; /* of numbers: the integer, or the bits */
    ptx_position at;
} lex_token;

/* A lexer holds exactly one token, the next one to be read. An error is written down and leaves by longjmp to
 * `failed`, which the parser has set. */
typedef struct lexer {
    const char *source, *end;
    const char *next; /* first character behind the token */
    const char *line_start;
    uint32_t line;
    lex_token token;
    text *errors;
    jmp_buf failed;
} lexer;

void lex_start(lexer *lex, const char *source, size_t len, text *errors);
void lex_advance(lexer *lex);

/* Widens the current name to a whole opcode, dots, digits and double colons included:
 * cp.async.bulk.tensor.2d.shared::cluster.global */
void lex_widen_opcode(lexer *lex);

/* True when a float constant follows the current token. */
bool lex_float_follows(const lexer *lex);

/* True when the current name is followed by a single colon. */
bool lex_at_label(const lexer *lex);

_Noreturn void lex_fail(lexer *lex, ptx_position at, const char *fmt, ...) PRINTF_LIKE(3, 4);

#endif
