/* lex.c: from characters to tokens.
 *
 * Comments and blanks are skipped before a token. Every function leaves `next` behind what it has read. */
#include "emu/ptx/lex.h"

#include <ctype.h>

static bool is_name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static char peek(const lexer *lex, size_t ahead)
{
    return (size_t)(lex->end - lex->next) > ahead ? lex->next[ahead] : '\0';
}

/* ---- errors ----------------------------------------------------------------------------------------- */

/* The line that `at` is in, and a caret under its column. */
static void quote_line(const lexer *lex, ptx_position at, text *out)
{
    const char *line = lex->source;
    for (uint32_t n = 1; n < at.line && line < lex->end; line++)
        n += *line == '\n';
    const char *end = line;
    while (end < lex->end && *end != '\n')
        end++;
    text_add(out, "    ");
    text_add_n(out, line, (size_t)(end - line));
    text_add(out, "\n    ");
    for (const char *p = line; p < end && (uint32_t)(p - line) + 1 < at.column; p++)
        text_add(out, *p == '\t' ? "\t" : " ");
    text_add(out, "^\n");
}

void lex_fail(lexer *lex, ptx_position at, const char *fmt, ...)
{
    if (lex->errors) {
        va_list args;
        va_start(args, fmt);
        text_printf(lex->errors, "%u:%u: ", at.line, at.column);
        text_vprintf(lex->errors, fmt, args);
        text_add(lex->errors, "\n");
        va_end(args);
        quote_line(lex, at, lex->errors);
    }
    longjmp(lex->failed, 1);
}

static ptx_position position(const lexer *lex, const char *p)
{
    return (ptx_position){lex->line, (uint32_t)(p - lex->line_start) + 1};
}

/* ---- blanks and comments ---------------------------------------------------------------------------- */

static void newline(lexer *lex)
{
    lex->line++;
    lex->line_start = lex->next;
}

static void skip_block_comment(lexer *lex)
{
    ptx_position at = position(lex, lex->next);
    lex->next += 2;
    while (!(peek(lex, 0) == '*' && peek(lex, 1) == '/')) {
        if (lex->next >= lex->end)
            lex_fail(lex, at, "this comment does not end");
        if (*lex->next++ == '\n')
            newline(lex);
    }
    lex->next += 2;
}

/* `#` opens a preprocessor line marker, which compilers may leave behind. */
static bool at_line_comment(const lexer *lex)
{
    return (peek(lex, 0) == '/' && peek(lex, 1) == '/') ||
           (peek(lex, 0) == '#' && lex->next == lex->line_start);
}

static void skip_blanks(lexer *lex)
{
    while (lex->next < lex->end) {
        if (at_line_comment(lex))
            while (lex->next < lex->end && *lex->next != '\n')
                lex->next++;
        else if (peek(lex, 0) == '/' && peek(lex, 1) == '*')
            skip_block_comment(lex);
        else if (*lex->next == '\n')
            lex->next++, newline(lex);
        else if (isspace((unsigned char)*lex->next))
            lex->next++;
        else
            return;
    }
}

/* ---- tokens ----------------------------------------------------------------------------------------- */

static void read_name(lexer *lex)
{
    bool special = *lex->next == '%';
    lex->next++;
    while (is_name_char(peek(lex, 0)))
        lex->next++;
    char dot = peek(lex, 0), part = peek(lex, 1);
    if (special && dot == '.' && part >= 'w' && part <= 'z' && !is_name_char(peek(lex, 2)))
        lex->next += 2; /* %tid.x */
    lex->token.kind = LEX_NAME;
}

static void read_directive(lexer *lex)
{
    lex->next++;
    lex->token.text = lex->next;
    while (is_name_char(peek(lex, 0)) || (peek(lex, 0) == ':' && peek(lex, 1) == ':') ||
           (peek(lex, 0) == ':' && lex->next[-1] == ':'))
        lex->next++;
    lex->token.kind = LEX_DIRECTIVE;
}

static void read_string(lexer *lex)
{
    lex->next++;
    lex->token.text = lex->next;
    while (peek(lex, 0) != '"') {
        if (lex->next >= lex->end || *lex->next == '\n')
            lex_fail(lex, lex->token.at, "this string does not end");
        lex->next++;
    }
    lex->token.kind = LEX_STRING;
    lex->token.len = (uint32_t)(lex->next - lex->token.text);
    lex->next++;
}

static uint64_t read_digits(lexer *lex, unsigned base)
{
    uint64_t value = 0;
    while (isxdigit((unsigned char)peek(lex, 0))) {
        char c = *lex->next;
        unsigned digit = c <= '9' ? (unsigned)(c - '0') : ((unsigned)c | 0x20u) - 'a' + 10;
        if (digit >= base)
            break;
        value = value * base + digit;
        lex->next++;
    }
    return value;
}

/* 0f3F800000, 0d3FF0000000000000: the bits of a float, all digits given. */
static void read_float_bits(lexer *lex, bool is_double)
{
    lex->next += 2;
    const char *start = lex->next;
    lex->token.value = read_digits(lex, 16);
    ptrdiff_t want = is_double ? 16 : 8;
    if (lex->next - start != want)
        lex_fail(lex, lex->token.at, "a 0%c constant has %d hexadecimal digits", is_double ? 'd' : 'f',
                 (int)want);
    lex->token.kind = is_double ? LEX_F64 : LEX_F32;
}

static void read_decimal_float(lexer *lex)
{
    char digits[64];
    size_t n = 0;
    lex->next = lex->token.text;
    while (isalnum((unsigned char)peek(lex, 0)) || peek(lex, 0) == '.' ||
           ((peek(lex, 0) == '-' || peek(lex, 0) == '+') && tolower((unsigned char)lex->next[-1]) == 'e')) {
        if (n + 1 < sizeof digits)
            digits[n++] = *lex->next;
        lex->next++;
    }
    digits[n] = '\0';
    double value = strtod(digits, NULL);
    memcpy(&lex->token.value, &value, sizeof value);
    lex->token.kind = LEX_F64;
}

static void read_number(lexer *lex)
{
    char second = (char)tolower((unsigned char)peek(lex, 1));
    bool zero = peek(lex, 0) == '0';
    if (zero && (second == 'f' || second == 'd')) {
        read_float_bits(lex, second == 'd');
        return;
    }
    unsigned base = !zero                            ? 10
                    : second == 'x'                  ? 16
                    : second == 'b'                  ? 2
                    : isdigit((unsigned char)second) ? 8
                                                     : 10;
    if (base == 16 || base == 2)
        lex->next += 2;
    lex->token.kind = LEX_INTEGER;
    lex->token.value = read_digits(lex, base);
    char after = (char)tolower((unsigned char)peek(lex, 0));
    if (base >= 8 && base <= 10 && (after == '.' || after == 'e'))
        read_decimal_float(lex);
    else if (after == 'u')
        lex->next++;
}

void lex_advance(lexer *lex)
{
    skip_blanks(lex);
    lex->token = (lex_token){.text = lex->next, .at = position(lex, lex->next)};
    char c = peek(lex, 0);
    if (lex->next >= lex->end)
        return;
    if (isalpha((unsigned char)c) || c == '_' || c == '$' || c == '%')
        read_name(lex);
    else if (c == '.' && (isalpha((unsigned char)peek(lex, 1)) || peek(lex, 1) == '_'))
        read_directive(lex);
    else if (isdigit((unsigned char)c))
        read_number(lex);
    else if (c == '"')
        read_string(lex);
    else if (c && strchr("()[]{}<>,;:=+-*/!@|&^~", c))
        lex->token.kind = LEX_PUNCTUATION, lex->next++;
    else
        lex_fail(lex, lex->token.at, isprint((unsigned char)c) ? "stray character '%c'" : "stray byte 0x%02x",
                 (unsigned char)c);
    if (lex->token.kind != LEX_STRING)
        lex->token.len = (uint32_t)(lex->next - lex->token.text);
}

void lex_start(lexer *lex, const char *source, size_t len, text *errors)
{
    lex->source = lex->next = lex->line_start = source;
    lex->end = source + len;
    lex->line = 1;
    lex->errors = errors;
}

void lex_widen_opcode(lexer *lex)
{
    for (;;) {
        if (is_name_char(peek(lex, 0)) || (peek(lex, 0) == '.' && is_name_char(peek(lex, 1))))
            lex->next++;
        else if (peek(lex, 0) == ':' && peek(lex, 1) == ':')
            lex->next += 2;
        else
            break;
    }
    lex->token.len = (uint32_t)(lex->next - lex->token.text);
}

bool lex_at_label(const lexer *lex)
{
    if (lex->token.kind != LEX_NAME)
        return false;
    const char *p = lex->next;
    while (p < lex->end && (*p == ' ' || *p == '\t'))
        p++;
    return p < lex->end && *p == ':' && !(p + 1 < lex->end && p[1] == ':');
}

bool lex_float_follows(const lexer *lex)
{
    const char *p = lex->next;
    bool bits = p + 1 < lex->end && p[0] == '0' && strchr("fFdD", p[1]);
    while (p < lex->end && isdigit((unsigned char)*p))
        p++;
    return bits || (p > lex->next && p < lex->end && (*p == '.' || *p == 'e' || *p == 'E'));
}
