/* coverage_test: a page of docs/ against the tests it names.
 *
 *     coverage_test PAGE TESTS KEYS
 *
 * A row of the page is
 *
 *     | S12 | what is asked | how it is done | `unit/lower_test.c: test_effects`, ... |
 *
 * KEYS says which rows there are: "S1..S100", or a name, a line each. Every key has one row; every row names a test, or
 * says "not applicable" or "not there yet"; every test named is there: in C files as a registered unit test or as a whole
 * string (the title of a case, the name of a kernel), in other files as text.
 *
 * KEYS may say "verdicts": then rows have five cells, the last two of them tests of what is refused and of what is
 * accepted. A case of a table that stands in the former must be one of a code that the row's third cell names (WW202), one
 * that stands in the latter one of no code.
 *
 * Problems are printed; exit status 0: none. */
#include "base/base.h"

#include <ctype.h>
#include <stdio.h>

enum { MOST_CELLS = 5, MOST_KEYS = 400, MOST_KEY = 40 };

typedef struct key {
    char name[MOST_KEY];
    int line; /* of its row, 0: none yet */
} key;

typedef struct check {
    const char *page, *tests;
    key keys[MOST_KEYS];
    int key_count, cells;
    int line, problems, references, refused, accepted;
    text path, content; /* the test file read last */
} check;

/* What a test is named for. */
typedef enum purpose { SHOWN, REFUSED, ACCEPTED } purpose;

/* A diagnostic by its enumerator and as pages name it. */
typedef struct code {
    const char *enumerator, *number;
} code;

static const code codes[] = {
#define WW_DIAGNOSTIC(name, number, ...) {"WW_" #name, "WW" #number},
#include "warpwright/diagnostics.def"
#undef WW_DIAGNOSTIC
};

#define PROBLEM(c, ...)                                                                                      \
    ((c)->problems++, printf("%s:%d: ", (c)->page, (c)->line), printf(__VA_ARGS__), printf("\n"))

/* ---- tests that are named ------------------------------------------------------------------------------------ */

static bool ends_with(const char *s, const char *end)
{
    size_t len = strlen(s), n = strlen(end);
    return len >= n && strcmp(s + len - n, end) == 0;
}

static bool open_tests(check *c, const char *file)
{
    text path = {0};
    text_printf(&path, "%s/%s", c->tests, file);
    bool known = strcmp(text_str(&path), text_str(&c->path)) == 0;
    if (known) {
        text_free(&path);
        return true;
    }
    text_free(&c->path);
    text_free(&c->content);
    c->path = path;
    if (file_read(text_str(&path), &c->content))
        return true;
    text_free(&c->path);
    return false;
}

static bool has_format(const check *c, const char *format, const char *name)
{
    text wanted = {0};
    for (; *format; format++)
        if (*format == '@')
            text_add(&wanted, name);
        else
            text_add_n(&wanted, format, 1);
    bool found = strstr(text_str(&c->content), text_str(&wanted)) != NULL;
    text_free(&wanted);
    return found;
}

static bool has_test(const check *c, const char *file, const char *name)
{
    if (!ends_with(file, ".c") && !ends_with(file, ".def"))
        return has_format(c, "@", name);
    return has_format(c, "cmocka_unit_test(@)", name) || has_format(c, "\"@\"", name);
}

/* ---- what a case of a table says --------------------------------------------------------------------------------- */

static bool begins_entry(const char *line)
{
    return line[0] == '}' || (line[0] == '{' && strchr("\".0", line[1]));
}

/* The entry of a table from its title on: up to the line that begins the next one. */
static char *entry_of(const check *c, const char *title)
{
    text wanted = {0};
    text_printf(&wanted, "\"%s\"", title);
    const char *from = strstr(text_str(&c->content), text_str(&wanted));
    text_free(&wanted);
    if (!from)
        return NULL;
    const char *to = from;
    do {
        to += strcspn(to, "\n");
        to += *to == '\n';
    } while (*to && !begins_entry(to + strspn(to, " ")));
    char *entry = base_alloc((size_t)(to - from) + 1);
    memcpy(entry, from, (size_t)(to - from));
    entry[to - from] = 0;
    return entry;
}

static bool has_word(const char *s, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = strstr(s, word); at; at = strstr(at + n, word))
        if (!isalnum((unsigned char)at[n]) && at[n] != '_')
            return true;
    return false;
}

/* Whether an entry is of a code, and of one that the row names. */
static void check_verdict(check *c, purpose why, const char *title, const char *entry, const char *how)
{
    bool any = false, named = false;
    for (size_t i = 0; i < ARRAY_LEN(codes); i++)
        if (has_word(entry, codes[i].enumerator)) {
            any = true;
            named |= strstr(how, codes[i].number) != NULL;
        }
    if (why == ACCEPTED && any)
        PROBLEM(c, "\"%s\" is refused, and named among what is accepted", title);
    if (why == REFUSED && !any)
        PROBLEM(c, "\"%s\" is accepted, and named among what is refused", title);
    else if (why == REFUSED && !named)
        PROBLEM(c, "\"%s\" is refused by a code that the row does not name", title);
}

static void check_outcome(check *c, purpose why, const char *title, const char *how)
{
    c->refused += why == REFUSED;
    c->accepted += why == ACCEPTED;
    char *entry = why == SHOWN ? NULL : entry_of(c, title);
    if (entry)
        check_verdict(c, why, title, entry, how);
    free(entry);
}

/* "file: name" */
static void check_reference(check *c, purpose why, char *reference, const char *how)
{
    char *colon = strstr(reference, ": ");
    c->references++;
    if (!colon) {
        PROBLEM(c, "\"%s\" is not \"file: test\"", reference);
        return;
    }
    *colon = 0;
    if (!open_tests(c, reference))
        PROBLEM(c, "there is no tests/%s", reference);
    else if (!has_test(c, reference, colon + 2))
        PROBLEM(c, "tests/%s has no test \"%s\"", reference, colon + 2);
    else
        check_outcome(c, why, colon + 2, how);
}

static int check_references(check *c, purpose why, char *cell, const char *how)
{
    int found = 0;
    for (char *open = strchr(cell, '`'); open; found++) {
        char *close = strchr(open + 1, '`');
        if (!close) {
            PROBLEM(c, "a ` without its other");
            return found;
        }
        *close = 0;
        check_reference(c, why, open + 1, how);
        open = strchr(close + 1, '`');
    }
    return found;
}

/* ---- rows ----------------------------------------------------------------------------------------------------- */

static char *trimmed(char *s)
{
    while (*s == ' ')
        s++;
    for (size_t len = strlen(s); len && s[len - 1] == ' '; len--)
        s[len - 1] = 0;
    return s;
}

/* Takes "| a | b |" apart; how many cells there were. */
static int split_cells(char *line, char *cells[MOST_CELLS])
{
    int n = 0;
    char *cell = line + 1;
    for (char *bar = strchr(cell, '|'); bar; cell = bar + 1, bar = strchr(cell, '|')) {
        *bar = 0;
        if (n < MOST_CELLS)
            cells[n] = trimmed(cell);
        n++;
    }
    return n;
}

static void note_key(check *c, const char *name)
{
    for (int i = 0; i < c->key_count; i++)
        if (strcmp(c->keys[i].name, name) == 0) {
            if (c->keys[i].line)
                PROBLEM(c, "%s has a row in line %d already", name, c->keys[i].line);
            else
                c->keys[i].line = c->line;
            return;
        }
    PROBLEM(c, "%s is not on the list of rows", name);
}

static bool needs_no_test(const char *how)
{
    return strstr(how, "not applicable") || strstr(how, "not there yet");
}

static void check_row(check *c, char *line)
{
    char *cells[MOST_CELLS];
    int n = split_cells(line, cells);
    if (n != c->cells) {
        PROBLEM(c, "a row of %d cells, not of %d", n, c->cells);
        return;
    }
    note_key(c, cells[0]);
    if (!*cells[1] || !*cells[2])
        PROBLEM(c, "%s: an empty cell", cells[0]);
    bool verdicts = c->cells == MOST_CELLS;
    int tests = check_references(c, verdicts ? REFUSED : SHOWN, cells[3], cells[2]);
    if (verdicts)
        tests += check_references(c, ACCEPTED, cells[4], cells[2]);
    if (!tests && !needs_no_test(cells[2]))
        PROBLEM(c, "%s names no test, and is not \"not applicable\"", cells[0]);
}

/* "S12" or "V-TX-BYTES" */
static bool begins_with_key(const char *cell)
{
    return isupper((unsigned char)cell[0]) && (isdigit((unsigned char)cell[1]) || cell[1] == '-');
}

static void check_page(check *c, char *page)
{
    for (char *line = page; line;) {
        char *end = strchr(line, '\n');
        if (end)
            *end = 0;
        c->line++;
        if (strncmp(line, "| ", 2) == 0 && begins_with_key(line + 2))
            check_row(c, line);
        line = end ? end + 1 : NULL;
    }
    for (int i = 0; i < c->key_count; i++)
        if (!c->keys[i].line)
            PROBLEM(c, "%s has no row", c->keys[i].name);
}

/* ---- the list of rows ------------------------------------------------------------------------------------------- */

/* A name, with a number behind it where that is not 0. */
static void add_key(check *c, const char *name, long number)
{
    if (c->key_count == MOST_KEYS) {
        PROBLEM(c, "more than %d rows", MOST_KEYS);
        return;
    }
    char digits[24] = "";
    if (number)
        (void)snprintf(digits, sizeof digits, "%ld", number);
    (void)snprintf(c->keys[c->key_count++].name, MOST_KEY, "%s%s", name, digits);
}

/* "S1..S100" or a name */
static void read_key(check *c, char *line)
{
    char *dots = strstr(line, "..");
    if (strcmp(line, "verdicts") == 0) {
        c->cells = MOST_CELLS;
    } else if (!dots) {
        add_key(c, line, 0);
    } else {
        long first = strtol(line + 1, NULL, 10), last = strtol(dots + 3, NULL, 10);
        line[1] = 0;
        for (long n = first; n <= last; n++)
            add_key(c, line, n);
    }
}

static void read_keys(check *c, char *keys)
{
    for (char *line = keys; *line;) {
        size_t length = strcspn(line, "\n");
        char *next = line + length + (line[length] == '\n');
        line[length] = 0;
        if (*line && *line != '#')
            read_key(c, trimmed(line));
        line = next;
    }
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        (void)fprintf(stderr, "usage: coverage_test PAGE TESTS KEYS\n");
        return 2;
    }
    static check c;
    c = (check){.page = argv[1], .tests = argv[2], .cells = MOST_CELLS - 1};
    text page = {0}, keys = {0};
    if (!file_read(c.page, &page) || !file_read(argv[3], &keys)) {
        perror(c.page);
        return 2;
    }
    read_keys(&c, keys.at);
    check_page(&c, page.at);
    if (c.cells == MOST_CELLS)
        printf("%s: %d rules, %d tests of what is refused, %d of what is accepted\n", c.page, c.key_count,
               c.refused, c.accepted);
    printf("%s: %d references, %d problems\n", c.page, c.references, c.problems);
    text_free(&page);
    text_free(&keys);
    text_free(&c.path);
    text_free(&c.content);
    return c.problems != 0;
}
