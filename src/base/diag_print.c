/* Printing diagnostics the way compilers do, so that editors can jump to them:
 *
 *   gemm.c:88: error: WW204 arrivals: the empty barrier of smem_ab completes early
 *      88 |     ww_release(s, g->smem_ab);
 *         |     ^
 *     expected: 8 arrivals (8 warps of task math, one elected lane each)
 *     found:    7
 *     hint:     ...
 *   gemm.c:41: note: the count is given here
 *
 * The source line is shown when the file can be read from the current folder. Colours go to terminals only,
 * and never where the environment sets NO_COLOR. */
#include "base/diag.h"

#include <unistd.h>

enum { LINE_CAP = 512, LABEL_WIDTH = 14 };

typedef struct printer {
    FILE *out;
    bool colours;
} printer;

#define BOLD "1"
#define CYAN "1;36"
#define GREEN "1;32"

static const char *severity_colour(ww_severity severity)
{
    static const char *const colours[] = {[WW_NOTE] = "1;36", [WW_WARNING] = "1;35", [WW_ERROR] = "1;31"};
    return (size_t)severity < ARRAY_LEN(colours) ? colours[severity] : BOLD;
}

static void put_coloured(const printer *p, const char *colour, const char *s)
{
    if (p->colours)
        (void)fprintf(p->out, "\033[%sm%s\033[0m", colour, s);
    else
        (void)fputs(s, p->out);
}

/* A text of several lines: those after the first are indented. */
static void put_lines(const printer *p, const char *s, int indent)
{
    for (; *s; s++) {
        (void)fputc(*s, p->out);
        if (*s == '\n' && s[1])
            (void)fprintf(p->out, "%*s", indent, "");
        else if (*s == '\n')
            return; /* the caller ends the last line */
    }
}

/* Line `number` of a file without its line end, cut where it is longer than the buffer. */
static bool read_line(const char *file, int number, char line[LINE_CAP])
{
    FILE *in = fopen(file, "r");
    if (!in)
        return false;
    bool found = false;
    for (int at = 1; !found && fgets(line, LINE_CAP, in);) {
        bool whole = strchr(line, '\n') != NULL;
        found = at == number;
        at += whole;
    }
    (void)fclose(in);
    line[found ? strcspn(line, "\r\n") : 0] = '\0';
    return found;
}

/* The source line, and a caret under its first column that is not blank. */
static void put_source(const printer *p, ww_place place)
{
    char line[LINE_CAP];
    if (!read_line(place.file, place.line, line))
        return;
    size_t blank = strspn(line, " \t");
    if (!line[blank])
        return;
    (void)fprintf(p->out, "%7d | %s\n        | %.*s", place.line, line, (int)blank, line);
    put_coloured(p, GREEN, "^");
    (void)fputc('\n', p->out);
}

static void put_place(const printer *p, ww_place place)
{
    char where[LINE_CAP];
    if (place.file)
        (void)snprintf(where, sizeof where, "%s:%d: ", place.file, place.line);
    else
        (void)snprintf(where, sizeof where, "warpwright: ");
    put_coloured(p, BOLD, where);
}

static void put_label(const printer *p, const char *label, const char *value)
{
    if (!value)
        return;
    (void)fprintf(p->out, "    ");
    put_coloured(p, CYAN, label);
    (void)fprintf(p->out, "%*s", LABEL_WIDTH - 4 - (int)strlen(label), "");
    put_lines(p, value, LABEL_WIDTH);
    (void)fputc('\n', p->out);
}

static void put_headline(const printer *p, const ww_diag *d)
{
    put_place(p, d->place);
    (void)fputs(d->suppressed ? "suppressed " : "", p->out);
    put_coloured(p, severity_colour(d->severity), ww_severity_name(d->severity));
    (void)fprintf(p->out, ": WW%d %s: ", (int)d->code, ww_code_name(d->code));
    put_lines(p, d->message, 4);
    (void)fputc('\n', p->out);
}

static void put_related(const printer *p, const ww_diag *d)
{
    put_place(p, d->related);
    put_coloured(p, severity_colour(WW_NOTE), ww_severity_name(WW_NOTE));
    (void)fputs(": ", p->out);
    put_lines(p, d->related_why ? d->related_why : "see also", 4);
    (void)fputc('\n', p->out);
    put_source(p, d->related);
}

static void put_diag(const printer *p, const ww_diag *d)
{
    put_headline(p, d);
    if (d->place.file)
        put_source(p, d->place);
    put_label(p, "expected:", d->expected);
    put_label(p, "found:", d->found);
    put_label(p, "hint:", d->hint);
    put_label(p, "reason:", d->suppressed);
    if (d->related.file)
        put_related(p, d);
}

static bool wants_colours(FILE *out)
{
    const char *refused = getenv("NO_COLOR");
    int descriptor = fileno(out); /* -1 for a memory stream */
    return !(refused && *refused) && descriptor >= 0 && isatty(descriptor);
}

void ww_diag_print(FILE *out, const ww_diag *list)
{
    printer p = {.out = out, .colours = wants_colours(out)};
    for (const ww_diag *d = list; d; d = d->next)
        put_diag(&p, d);
}
