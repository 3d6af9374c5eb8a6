/* coverage_test: docs/coverage.md against the tests it names.
 *
 *     coverage_test PAGE TESTS
 *
 * A row of the page is
 *
 *     | S12 | what is asked | how it is done | `unit/lower_test.c: test_effects`, ... |
 *
 * Every number of each series has one row; every row names a test, or says "not applicable"; every test named is there:
 * in C files as a registered unit test or as a whole string (the title of a case, the name of a kernel), in other files as
 * text. Problems are printed; exit status 0: none. */
#include "base/base.h"

#include <ctype.h>
#include <stdio.h>

enum { CELLS = 4, MOST_NUMBERS = 100 };

typedef struct series {
    char letter;
    int last;
    const char *what;
    int rows[MOST_NUMBERS + 1]; /* line of each number's row, 0: none yet */
} series;

typedef struct check {
    const char *page, *tests;
    series series[4];
    int line, problems, references;
    text path, content; /* the test file read last */
} check;

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

/* "file: name" */
static void check_reference(check *c, char *reference)
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
}

static int check_references(check *c, char *cell)
{
    int found = 0;
    for (char *open = strchr(cell, '`'); open; found++) {
        char *close = strchr(open + 1, '`');
        if (!close) {
            PROBLEM(c, "a ` without its other");
            return found;
        }
        *close = 0;
        check_reference(c, open + 1);
        open = strchr(close + 1, '`');
    }
    return found;
}

/* ---- rows ----------------------------------------------------------------------------------------------------- */

static series *series_of(check *c, char letter)
{
    for (size_t i = 0; i < ARRAY_LEN(c->series); i++)
        if (c->series[i].letter == letter)
            return &c->series[i];
    return NULL;
}

static char *trimmed(char *s)
{
    while (*s == ' ')
        s++;
    for (size_t len = strlen(s); len && s[len - 1] == ' '; len--)
        s[len - 1] = 0;
    return s;
}

/* Takes "| a | b |" apart; how many cells there were. */
static int split_cells(char *line, char *cells[CELLS])
{
    int n = 0;
    char *cell = line + 1;
    for (char *bar = strchr(cell, '|'); bar; cell = bar + 1, bar = strchr(cell, '|')) {
        *bar = 0;
        if (n < CELLS)
            cells[n] = trimmed(cell);
        n++;
    }
    return n;
}

static void note_number(check *c, series *s, const char *number)
{
    int n = atoi(number + 1);
    if (n < 1 || n > s->last)
        PROBLEM(c, "%s: there are %s %c1 to %c%d", number, s->what, s->letter, s->letter, s->last);
    else if (s->rows[n])
        PROBLEM(c, "%s has a row in line %d already", number, s->rows[n]);
    else
        s->rows[n] = c->line;
}

static void check_row(check *c, series *s, char *line)
{
    char *cells[CELLS];
    int n = split_cells(line, cells);
    if (n != CELLS) {
        PROBLEM(c, "a row of %d cells, not of %d", n, CELLS);
        return;
    }
    note_number(c, s, cells[0]);
    if (!*cells[1] || !*cells[2])
        PROBLEM(c, "%s: an empty cell", cells[0]);
    if (!check_references(c, cells[3]) && !strstr(cells[2], "not applicable"))
        PROBLEM(c, "%s names no test, and is not \"not applicable\"", cells[0]);
}

static void check_line(check *c, char *line)
{
    series *s = strncmp(line, "| ", 2) == 0 && isdigit((unsigned char)line[2] ? (unsigned char)line[3] : 0)
                    ? series_of(c, line[2])
                    : NULL;
    if (s)
        check_row(c, s, line);
}

static void check_page(check *c, char *page)
{
    for (char *line = page; line;) {
        char *end = strchr(line, '\n');
        if (end)
            *end = 0;
        c->line++;
        check_line(c, line);
        line = end ? end + 1 : NULL;
    }
    for (size_t i = 0; i < ARRAY_LEN(c->series); i++)
        for (int n = 1; n <= c->series[i].last; n++)
            if (!c->series[i].rows[n])
                PROBLEM(c, "%c%d has no row", c->series[i].letter, n);
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        (void)fprintf(stderr, "usage: coverage_test PAGE TESTS\n");
        return 2;
    }
    check c = {.page = argv[1],
               .tests = argv[2],
               .series = {{'S', 100, "statements", {0}},
                          {'N', 10, "newer features", {0}},
                          {'D', 32, "defects of the schedule layer", {0}},
                          {'Q', 24, "defects of the resource layer", {0}}}};
    text page = {0};
    if (!file_read(c.page, &page)) {
        perror(c.page);
        return 2;
    }
    check_page(&c, page.at);
    printf("%s: %d references, %d problems\n", c.page, c.references, c.problems);
    text_free(&page);
    text_free(&c.path);
    text_free(&c.content);
    return c.problems != 0;
}
