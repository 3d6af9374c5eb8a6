/* Diagnostics: the list that the layers append to, and the table of codes.
 *
 * Records and texts live in the list's arena and are never freed one by one. Expected, found, hint and related are filled
 * in by the calls that follow diag_add; of errors the first three are never left out (tests/complete.h). */
#include "base/diag.h"

#include <assert.h>
#include <ctype.h>

/* ---- the table -------------------------------------------------------------------------------------- */

enum { NAME_CAP = 20 }; /* longest code name and its terminator */

/* "BAD_VALUE" becomes "bad-value" at compile time: letter i of the name, in lower case (ASCII). */
#define LETTER_AT(s, i) ((s)[(i) % sizeof(s)])
#define LETTER(s, i)                                                                                         \
    ((i) >= sizeof(s)         ? '\0'                                                                         \
     : LETTER_AT(s, i) == '_' ? '-'                                                                          \
     : LETTER_AT(s, i) >= 'A' ? (char)(LETTER_AT(s, i) | 0x20)                                               \
                              : LETTER_AT(s, i))
#define FOUR_LETTERS(s, i) LETTER(s, (i)), LETTER(s, (i) + 1), LETTER(s, (i) + 2), LETTER(s, (i) + 3)
#define NAME_LETTERS(s)                                                                                      \
    {                                                                                                        \
        FOUR_LETTERS(s, 0), FOUR_LETTERS(s, 4), FOUR_LETTERS(s, 8), FOUR_LETTERS(s, 12), FOUR_LETTERS(s, 16) \
    }

typedef struct code_row {
    ww_code code;
    ww_severity severity;
    char name[NAME_CAP];
    const char *title, *explanation;
} code_row;

static const code_row rows[] = {
#define WW_DIAGNOSTIC(name, number, severity, title, explanation)                                            \
    {(ww_code)(number), WW_##severity, NAME_LETTERS(#name), title, explanation},
#include "warpwright/diagnostics.def"
#undef WW_DIAGNOSTIC
};

#define WW_DIAGNOSTIC(name, ...)                                                                             \
    _Static_assert(sizeof(#name) <= NAME_CAP, "a longer NAME_CAP is needed for " #name);
#include "warpwright/diagnostics.def"
#undef WW_DIAGNOSTIC

static const code_row *row_of(ww_code code)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (rows[i].code == code)
            return &rows[i];
    return NULL;
}

const char *ww_code_name(ww_code code)
{
    const code_row *row = row_of(code);
    return row ? row->name : "unknown";
}

const char *ww_code_title(ww_code code)
{
    const code_row *row = row_of(code);
    return row ? row->title : NULL;
}

const char *ww_code_explanation(ww_code code)
{
    const code_row *row = row_of(code);
    return row ? row->explanation : NULL;
}

ww_severity diag_severity(ww_code code)
{
    const code_row *row = row_of(code);
    return row ? row->severity : WW_ERROR;
}

const char *ww_severity_name(ww_severity severity)
{
    static const char *const names[] = {[WW_NOTE] = "note", [WW_WARNING] = "warning", [WW_ERROR] = "error"};
    return (size_t)severity < ARRAY_LEN(names) ? names[severity] : "unknown";
}

/* ---- reading a code --------------------------------------------------------------------------------- */

static char lower_letter(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Whether wanted is name, case and the choice between '_' and '-' aside. */
static bool name_matches(const char *name, const char *wanted)
{
    for (; *name && *wanted; name++, wanted++) {
        char letter = *wanted == '_' ? '-' : lower_letter(*wanted);
        if (letter != *name)
            return false;
    }
    return *name == *wanted;
}

/* "WW301" and "301" are 301; -1 when wanted is no number. */
static long code_number(const char *wanted)
{
    if (name_matches("ww", (char[]){wanted[0], wanted[0] ? wanted[1] : '\0', '\0'}))
        wanted += 2;
    if (!isdigit((unsigned char)*wanted))
        return -1;
    char *end;
    long number = strtol(wanted, &end, 10);
    return *end ? -1 : number;
}

ww_code ww_code_from_text(const char *wanted)
{
    if (!wanted)
        return WW_NO_CODE;
    long number = code_number(wanted);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if ((long)rows[i].code == number || name_matches(rows[i].name, wanted))
            return rows[i].code;
    return WW_NO_CODE;
}

/* ---- the list --------------------------------------------------------------------------------------- */

void diag_list_init(diag_list *list, arena *a)
{
    *list = (diag_list){.arena = a};
    list->end = &list->first;
}

/* What callers see, and what it rests on. */
typedef struct basis {
    struct basis *next;
    diag_kind kind;
    int number;
} basis;

typedef struct record {
    ww_diag face; /* first: the two are one address */
    basis *rests_on;
} record;

ww_diag *diag_add_v(diag_list *list, ww_code code, ww_place place, const char *fmt, va_list args)
{
    assert(row_of(code) && "diagnostics carry a code of the table");
    ww_diag *d = &arena_new(list->arena, record)->face;
    *d = (ww_diag){.code = code,
                   .severity = diag_severity(code),
                   .place = place,
                   .message = arena_vprintf(list->arena, fmt, args)};
    *list->end = d;
    list->end = &d->next;
    return d;
}

ww_diag *diag_add(diag_list *list, ww_code code, ww_place place, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    ww_diag *d = diag_add_v(list, code, place, fmt, args);
    va_end(args);
    return d;
}

void diag_rests_on(diag_list *list, ww_diag *d, diag_kind kind, int number)
{
    record *r = (record *)d;
    basis *b = arena_new(list->arena, basis);
    *b = (basis){r->rests_on, kind, number};
    r->rests_on = b;
}

bool diag_does_rest_on(const ww_diag *d, diag_kind kind, int number)
{
    for (const basis *b = ((const record *)d)->rests_on; b; b = b->next)
        if (b->kind == kind && b->number == number)
            return true;
    return false;
}

#define FORMAT_INTO(list, member, fmt)                                                                       \
    do {                                                                                                     \
        va_list args;                                                                                        \
        va_start(args, fmt);                                                                                 \
        (member) = arena_vprintf((list)->arena, fmt, args);                                                  \
        va_end(args);                                                                                        \
    } while (0)

void diag_expected(diag_list *list, ww_diag *d, const char *fmt, ...)
{
    FORMAT_INTO(list, d->expected, fmt);
}

void diag_found(diag_list *list, ww_diag *d, const char *fmt, ...)
{
    FORMAT_INTO(list, d->found, fmt);
}

void diag_hint(diag_list *list, ww_diag *d, const char *fmt, ...)
{
    FORMAT_INTO(list, d->hint, fmt);
}

void diag_texts(diag_list *list, ww_diag *d, const char *expected, const char *found, const char *hint)
{
    diag_expected(list, d, "%s", expected);
    diag_found(list, d, "%s", found);
    diag_hint(list, d, "%s", hint);
}

void diag_related(diag_list *list, ww_diag *d, ww_place place, const char *fmt, ...)
{
    d->related = place;
    FORMAT_INTO(list, d->related_why, fmt);
}

size_t ww_diag_count(const ww_diag *list, ww_severity at_least)
{
    size_t count = 0;
    for (; list; list = list->next)
        count += list->severity >= at_least;
    return count;
}
