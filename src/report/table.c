/* The schedule table: one column a task, one row a step, sections (head, loop, tail; before, in and after the
 * tile loop) aligned. Columns are as wide as their longest cell; where they do not fit a page side by side,
 * the table goes on in a second band below. */
#include "report/report.h"
#include "report/cells.h"
#include "report/summary.h"

enum { PAGE_WIDTH = 160, MARGIN_WIDTH = 6, GAP_WIDTH = 3, LINE_WIDTH = 4, INDENT = 2, ARROW_WIDTH = 2 };
enum { NARROWEST_CUT = 44 }; /* columns are not cut below this to share a page */

/* Widths of the parts of a column; 0: the part is absent. */
typedef struct column_shape {
    int left, verb, right, resource, detail;
    int width; /* of the whole */
} column_shape;

typedef struct table {
    FILE *out;
    VEC(cell_column) columns;
    VEC(column_shape) shapes;
    bool has_tiles;
} table;

static int at_least(int width, size_t wanted)
{
    return (size_t)width < wanted ? (int)wanted : width;
}

/* ---- shapes ----------------------------------------------------------------------------------------- */

static void head_texts(const ir_task *t, text *name, text *size)
{
    text_printf(name, "%s [%d:%d)", t->name, t->first_warp, t->first_warp + t->warps);
    text_printf(size, "%d warp%s", t->warps, t->warps == 1 ? "" : "s");
    if (t->registers)
        text_printf(size, ", %d registers", t->registers);
    if (t->only_cta >= 0)
        text_printf(size, ", rank %d only", t->only_cta);
}

static int head_width(const ir_task *t)
{
    text name = {0}, size = {0};
    head_texts(t, &name, &size);
    int width = at_least(at_least(0, name.len), size.len);
    text_free(&name);
    text_free(&size);
    return width;
}

static int parts_width(const column_shape *s)
{
    int parts[] = {s->left, s->verb, s->right, s->resource, s->detail}, width = LINE_WIDTH;
    for (size_t i = 0; i < ARRAY_LEN(parts); i++)
        width += parts[i] ? parts[i] + 1 : 0;
    return width;
}

static column_shape shape_of(const cell_column *column)
{
    column_shape s = {0};
    const cell *c;
    int widest_block = 0;
    vec_each(c, &column->cells) {
        size_t indented = (size_t)(c->depth * INDENT) + strlen(c->verb);
        if (c->block) {
            widest_block = at_least(widest_block, indented);
            continue;
        }
        s.left = *c->left ? ARROW_WIDTH : s.left;
        s.right = *c->right ? ARROW_WIDTH : s.right;
        s.verb = at_least(s.verb, indented);
        s.resource = at_least(s.resource, strlen(c->resource));
        s.detail = at_least(s.detail, strlen(c->detail));
    }
    s.width = at_least(parts_width(&s),
                       (size_t)LINE_WIDTH + 1 + (size_t)(s.left ? s.left + 1 : 0) + (size_t)widest_block);
    s.width = at_least(s.width, (size_t)head_width(column->task));
    return s;
}

/* ---- one row ---------------------------------------------------------------------------------------- */

static void put_part(text *t, const char *s, int width)
{
    if (width)
        text_printf(t, " %-*s", width, s);
}

static void cell_text(const cell *c, const column_shape *s, text *t)
{
    text_printf(t, "%*d", LINE_WIDTH, c->line);
    put_part(t, c->left, s->left);
    text_printf(t, " %*s", c->depth * INDENT, "");
    if (c->block) {
        text_add(t, c->verb);
        return;
    }
    text_printf(t, "%-*s", s->verb - c->depth * INDENT, c->verb);
    put_part(t, c->right, s->right);
    put_part(t, c->resource, s->resource);
    put_part(t, c->detail, s->detail);
}

/* Adds s in exactly `width` columns; ".." stands for what does not fit. */
static void put_cut(text *row, const char *s, int width)
{
    size_t len = strlen(s);
    while (len && s[len - 1] == ' ')
        len--;
    if (len > (size_t)width)
        text_printf(row, "%.*s..", width - 2, s);
    else
        text_printf(row, "%-*.*s", width, (int)len, s);
}

static void put_cell(const table *t, size_t column, const cell *c, text *row)
{
    text s = {0};
    if (c)
        cell_text(c, &t->shapes.at[column], &s);
    text_add(row, " | ");
    put_cut(row, text_str(&s), t->shapes.at[column].width);
    text_free(&s);
}

/* Prints a row without the blanks at its end, and frees it. */
static void put_line(const table *t, text *row)
{
    while (row->len && row->at[row->len - 1] == ' ')
        row->at[--row->len] = '\0';
    (void)fprintf(t->out, "%s\n", text_str(row));
    text_free(row);
}

/* ---- a band: some of the columns -------------------------------------------------------------------- */

typedef struct band {
    size_t first, end; /* columns */
    size_t *next;      /* of each column of the table, the cell that comes next */
} band;

static void put_rule(const table *t, const band *b, char line)
{
    text row = {0};
    for (int i = 0; i < MARGIN_WIDTH; i++)
        text_add_n(&row, &line, 1);
    for (size_t i = b->first; i < b->end; i++) {
        text_printf(&row, "%c+", line);
        for (int j = 0; j < t->shapes.at[i].width + 1; j++)
            text_add_n(&row, &line, 1);
    }
    put_line(t, &row);
}

static void put_heads(const table *t, const band *b)
{
    text rows[2] = {{0}, {0}};
    for (int line = 0; line < 2; line++)
        text_printf(&rows[line], "%*s", MARGIN_WIDTH, "");
    for (size_t i = b->first; i < b->end; i++) {
        text heads[2] = {{0}, {0}};
        head_texts(t->columns.at[i].task, &heads[0], &heads[1]);
        for (int line = 0; line < 2; line++) {
            text_add(&rows[line], " | ");
            put_cut(&rows[line], text_str(&heads[line]), t->shapes.at[i].width);
            text_free(&heads[line]);
        }
    }
    put_line(t, &rows[0]);
    put_line(t, &rows[1]);
}

/* The cell of a column that comes next; NULL at its end. */
static const cell *next_cell(const table *t, const band *b, size_t column)
{
    const cell_column *c = &t->columns.at[column];
    return b->next[column] < c->cells.len ? &c->cells.at[b->next[column]] : NULL;
}

/* The first section that any column of the table has still to print; false when all are at their end. */
static bool next_section(const table *t, const band *b, cell_section *section)
{
    bool any = false;
    for (size_t i = b->first; i < b->end; i++) {
        const cell *c = next_cell(t, b, i);
        if (c && (!any || c->section < *section))
            *section = c->section;
        any = any || c;
    }
    return any;
}

/* One row: the next cell of each column that is in this section. */
static void put_row(const table *t, band *b, cell_section section, const char *margin)
{
    text row = {0};
    text_printf(&row, "%-*s", MARGIN_WIDTH, margin);
    for (size_t i = b->first; i < b->end; i++) {
        const cell *c = next_cell(t, b, i);
        bool here = c && c->section == section;
        put_cell(t, i, here ? c : NULL, &row);
        b->next[i] += here;
    }
    put_line(t, &row);
}

static void put_band(const table *t, band *b)
{
    put_heads(t, b);
    cell_section section = 0;
    const char *shown = "";
    while (next_section(t, b, &section)) {
        const char *name = cell_section_name(section, t->has_tiles);
        bool opens = strcmp(name, shown) != 0;
        if (opens)
            put_rule(t, b, *shown ? '-' : '=');
        put_row(t, b, section, opens ? name : "");
        shown = name;
    }
    put_rule(t, b, '=');
}

/* ---- the whole -------------------------------------------------------------------------------------- */

/* The width of the whole table where no column is wider than `widest`. */
static int width_with(const table *t, int widest)
{
    int width = MARGIN_WIDTH;
    for (size_t i = 0; i < t->shapes.len; i++)
        width += GAP_WIDTH + (t->shapes.at[i].width < widest ? t->shapes.at[i].width : widest);
    return width;
}

/* Cuts the widest columns where that lets the table fit a page; a page is always wider than one column. */
static void fit_page(table *t)
{
    int widest = PAGE_WIDTH - MARGIN_WIDTH - GAP_WIDTH;
    while (widest > NARROWEST_CUT && width_with(t, widest) > PAGE_WIDTH)
        widest--;
    column_shape *s;
    vec_each(s, &t->shapes) {
        s->width = s->width < widest ? s->width : widest;
    }
}

static table table_new(const ir_program *p, FILE *out, arena *a)
{
    table t = {.out = out};
    for (size_t i = 0; i < p->tasks.len; i++) {
        if (p->tasks.at[i].ops.len == 0)
            continue; /* a padding task */
        vec_push(&t.columns, cells_of(p, &p->tasks.at[i], a));
        vec_push(&t.shapes, shape_of(vec_last(&t.columns)));
        t.has_tiles = t.has_tiles || p->tasks.at[i].queue >= 0;
    }
    fit_page(&t);
    return t;
}

static void table_free(table *t)
{
    cell_column *column;
    vec_each(column, &t->columns)
        vec_free(&column->cells);
    vec_free(&t->columns);
    vec_free(&t->shapes);
}

/* As many columns from `first` on as a page holds, one at least. */
static size_t band_end(const table *t, size_t first)
{
    int width = MARGIN_WIDTH;
    size_t end = first;
    while (end < t->shapes.len && (end == first || width + t->shapes.at[end].width + GAP_WIDTH <= PAGE_WIDTH))
        width += t->shapes.at[end++].width + GAP_WIDTH;
    return end;
}

static bool has_named_barriers(const ir_program *p)
{
    const ir_barrier *b;
    vec_each(b, &p->barriers)
        if (b->side == IR_NAMED)
            return true;
    return false;
}

static void put_legend(const ir_program *p, FILE *out)
{
    (void)fputs("a step: line in the source, verb or work, resource, values or arrivals it makes (+ bytes it "
                "announces)\n",
                out);
    if (p->barriers.len)
        (void)fputs("acquire <-  blocks until a slot is empty     commit or copy ->  fills it     ?  asks, "
                    "never blocks\n"
                    "-> wait     blocks until a slot is full      <- release         empties it\n",
                    out);
    if (has_named_barriers(p))
        (void)fputs("<> sync     arrives, and blocks until all others have\n", out);
}

static void put_schedules(const ir_program *p, FILE *out, arena *a)
{
    table t = table_new(p, out, a);
    size_t *next = arena_array(a, size_t, t.columns.len + 1);
    for (size_t first = 0, end; first < t.columns.len; first = end) {
        end = band_end(&t, first);
        put_band(&t, &(band){.first = first, .end = end, .next = next});
        (void)fputs("\n", out);
    }
    put_legend(p, out);
    table_free(&t);
}

void report_table(const ir_program *p, FILE *out)
{
    arena a = {0};
    const ww_cluster *c = &p->cluster;
    (void)fprintf(out, "kernel %s: %zu task%s, %d warps", p->kernel->name, p->tasks.len,
                  p->tasks.len == 1 ? "" : "s", p->warps);
    if (p->cluster_size > 1)
        (void)fprintf(out, ", clusters of %d CTAs (v %d, m %d, n %d, k %d)", p->cluster_size, c->v, c->m,
                      c->n, c->k);
    (void)fputs("\n\n", out);
    put_schedules(p, out, &a);
    summary_registers(p, out);
    summary_memory(p, out);
    summary_idle_stages(p, out);
    summary_arrivals(p, out);
    summary_reuse(p, out);
    if (report_has_routes(p)) {
        (void)fputs("\n", out);
        report_routes(p, out);
    }
    summary_advice(p, out);
    arena_free(&a);
}
