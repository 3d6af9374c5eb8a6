/* The marked regions of the files in docs/explain, which are compiled into this tool. A region begins with a line
 *
 *     wrong: caption      or      right: caption      or, for what both have,      given: caption
 *
 * in a comment, and ends with the comment "end"; tests/explain holds the files to what they say. */
#include "examples.h"

#include "base/base.h"

typedef struct example_file {
    int code;
    const char *content;
} example_file;

static const example_file files[] = {
#include "examples.inc"
};

/* ---- regions ------------------------------------------------------------------------------------------ */

typedef struct region {
    text caption, code;
} region;

static void region_free(region *r)
{
    text_free(&r->caption);
    text_free(&r->code);
}

/* What follows the opening of a region: after "wrong: ". NULL: there is none. */
static const char *find_opening(const char *content, const char *which)
{
    text opening = {0};
    text_printf(&opening, "/* %s: ", which);
    const char *found = strstr(content, text_str(&opening));
    size_t len = opening.len;
    text_free(&opening);
    return found ? found + len : NULL;
}

static const char *next_line(const char *s)
{
    const char *end = strchr(s, '\n');
    return end ? end + 1 : s + strlen(s);
}

/* Blanks before the first letter; a blank line has as many as any. */
static size_t indent_of(const char *line)
{
    size_t blanks = strspn(line, " ");
    return line[blanks] == '\n' ? SIZE_MAX : blanks;
}

static bool is_end(const char *line)
{
    line += strspn(line, " ");
    return !*line || strncmp(line, "/* end */", strlen("/* end */")) == 0;
}

static size_t least_indent(const char *first)
{
    size_t least = SIZE_MAX;
    for (const char *line = first; !is_end(line); line = next_line(line))
        least = indent_of(line) < least ? indent_of(line) : least;
    return least;
}

static void read_code(const char *first, text *out)
{
    size_t indent = least_indent(first);
    for (const char *line = first; !is_end(line); line = next_line(line)) {
        const char *from = *line == '\n' ? line : line + indent;
        text_add_n(out, from, (size_t)(next_line(line) - from));
    }
}

/* A caption may go on in the next lines of its comment. */
static const char *read_caption(const char *s, text *out)
{
    for (; *s && strncmp(s, " */", 3) != 0; s++) {
        if (*s != '\n') {
            text_add_n(out, s, 1);
            continue;
        }
        text_add(out, " ");
        s += strspn(s, "\n *") - 1;
    }
    return next_line(s);
}

static region find_region(ww_code code, const char *which)
{
    region r = {0};
    for (size_t i = 0; i < ARRAY_LEN(files); i++) {
        const char *opening = files[i].code == (int)code ? find_opening(files[i].content, which) : NULL;
        if (!opening)
            continue;
        read_code(read_caption(opening, &r.caption), &r.code);
        break;
    }
    return r;
}

/* ---- printing ----------------------------------------------------------------------------------------- */

static void print_indented(const char *code, int indent)
{
    for (const char *line = code; *line; line = next_line(line))
        printf("%*s%.*s", *line == '\n' ? 0 : indent, "", (int)(next_line(line) - line), line);
}

/* What is given may be missing; wrong and right may not, which tests/explain sees to. */
static bool is_missing(const region *r)
{
    return r->code.len == 0;
}

static void print_one(ww_code code, const char *which, const char *heading)
{
    region r = find_region(code, which);
    if (!is_missing(&r))
        printf("\n  %s: %s\n\n", heading, text_str(&r.caption));
    print_indented(text_str(&r.code), 6);
    region_free(&r);
}

void example_print(ww_code code)
{
    print_one(code, "given", "GIVEN");
    print_one(code, "wrong", "WRONG");
    print_one(code, "right", "RIGHT");
}

static void markdown_one(ww_code code, const char *which, const char *heading)
{
    region r = find_region(code, which);
    if (!is_missing(&r))
        printf("\n%s: %s\n\n```c\n%s```\n", heading, text_str(&r.caption), text_str(&r.code));
    region_free(&r);
}

void example_markdown(ww_code code)
{
    markdown_one(code, "given", "Given");
    markdown_one(code, "wrong", "Wrong");
    markdown_one(code, "right", "Right");
}
