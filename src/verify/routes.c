/* Routes: where an author writes down how values go from call to call, it is what the tokens do.
 *
 * A route names methods, not calls: "gmem_ab.coords.k" to "smem_ab.load.k". The tokens of a schedule give the list to
 * compare with, each pair once. What the tokens do not do is told from what they could not do: a value that is not
 * there, or that is made after it is read. */
#include "verify/rules.h"

enum { MOST_ROUTES = 256 };

typedef struct route {
    const ww_resource *from, *to;
    const model_work *writer, *reader;
    int output, input;
    bool given; /* by the author */
} route;

typedef struct route_list {
    route at[MOST_ROUTES];
    int count;
} route_list;

/* ---- what the tokens do -------------------------------------------------------------------------------- */

static bool same_route(const route *a, const route *b)
{
    return a->writer == b->writer && a->reader == b->reader && a->output == b->output && a->input == b->input;
}

static route *find_route(route_list *list, const route *r)
{
    for (int i = 0; i < list->count; i++)
        if (same_route(&list->at[i], r))
            return &list->at[i];
    return NULL;
}

static int output_of(const ir_op *producer, int value)
{
    for (int i = 0; i < producer->work->out_count; i++)
        if (producer->out[i] == value)
            return i;
    return -1;
}

static void collect_tokens(const rule_run *run, const ir_task *t, route_list *list)
{
    for (size_t i = 0; i < t->ops.len; i++) {
        const ir_op *op = &t->ops.at[i];
        for (int j = 0; op->kind == IR_WORK && j < op->work->in_count; j++) {
            if (op->in[j] < 0)
                continue;
            const ir_op *producer = &t->ops.at[t->values.at[op->in[j]].producer];
            route r = {rule_resource(run, producer->resource),
                       rule_resource(run, op->resource),
                       producer->work,
                       op->work,
                       output_of(producer, op->in[j]),
                       j,
                       false};
            if (!find_route(list, &r) && list->count < MOST_ROUTES)
                list->at[list->count++] = r;
        }
    }
}

static void route_text(const route *r, text *out)
{
    text_printf(out, "%s.%s.%s -> %s.%s.%s", r->from->name, r->writer->declared->name,
                r->writer->out[r->output].name, r->to->name, r->reader->declared->name,
                r->reader->in[r->input].name);
}

/* ---- reading what is given ----------------------------------------------------------------------------- */

static const ww_resource *resource_named(const ww_kernel *k, const char *name, size_t len)
{
    for (size_t i = 0; i < k->resources.len; i++)
        if (strlen(k->resources.at[i]->name) == len && memcmp(k->resources.at[i]->name, name, len) == 0)
            return k->resources.at[i];
    return NULL;
}

static const model_work *work_named(const ww_resource *r, const char *name, size_t len)
{
    for (size_t i = 0; i < r->work.len; i++)
        if (strlen(r->work.at[i].declared->name) == len &&
            memcmp(r->work.at[i].declared->name, name, len) == 0)
            return &r->work.at[i];
    return NULL;
}

static int value_named(const model_value *values, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(values[i].name, name) == 0)
            return i;
    return -1;
}

/* One end: "resource.method.value"; false when there is no such value. */
static bool read_end(const ww_kernel *k, const char *end, bool from, route *r)
{
    const char *dot = strchr(end, '.'), *second = dot ? strchr(dot + 1, '.') : NULL;
    const ww_resource *resource = dot ? resource_named(k, end, (size_t)(dot - end)) : NULL;
    const model_work *work =
        resource && second ? work_named(resource, dot + 1, (size_t)(second - dot - 1)) : NULL;
    if (!work)
        return false;
    if (from) {
        r->from = resource;
        r->writer = work;
        r->output = value_named(work->out, work->out_count, second + 1);
        return r->output >= 0;
    }
    r->to = resource;
    r->reader = work;
    r->input = value_named(work->in, work->in_count, second + 1);
    return r->input >= 0;
}

/* On the resource that an end of a route names. */
static void rest_on_end(const rule_run *run, ww_diag *d, const char *end)
{
    const char *dot = end ? strchr(end, '.') : NULL;
    const ww_resource *r = dot ? resource_named(run->kernel, end, (size_t)(dot - end)) : NULL;
    if (r)
        rule_rests_on(run, d, r);
}

static void rest_on_given(const rule_run *run, ww_diag *d, const ww_route *given)
{
    rest_on_end(run, d, given->from);
    rest_on_end(run, d, given->to);
}

static void report_unknown(const rule_run *run, const ir_task *t, const ww_route *given, bool from)
{
    ww_diag *d = rule_finding(run, WW_ROUTE, t->task->place, ON({t}),
                              "task %s: a route %s \"%s\", which is no %s", t->name, from ? "from" : "to",
                              from        ? given->from
                              : given->to ? given->to
                                          : "",
                              from ? "output of a work method" : "input of a work method");
    rest_on_given(run, d, given);
    diag_expected(run->diags, d, "\"resource.method.%s\"", from ? "output" : "input");
    diag_found(run->diags, d, "\"%s\"", from ? given->from : given->to ? given->to : "");
    diag_hint(run->diags, d, "leave .routes out: the tokens say the same");
}

static int first_call(const ir_task *t, const model_work *w)
{
    for (size_t i = 0; i < t->ops.len; i++)
        if (t->ops.at[i].kind == IR_WORK && t->ops.at[i].work == w)
            return (int)i;
    return -1;
}

static int last_call(const ir_task *t, const model_work *w)
{
    for (size_t i = t->ops.len; i-- > 0;)
        if (t->ops.at[i].kind == IR_WORK && t->ops.at[i].work == w)
            return (int)i;
    return -1;
}

/* Why no token could do it, or NULL. */
static const char *why_impossible(const ir_task *t, const route *r)
{
    int writer = first_call(t, r->writer), reader = last_call(t, r->reader);
    if (writer < 0)
        return "the task does not call the writer";
    if (reader < 0)
        return "the task does not call the reader";
    return writer < reader ? NULL : "the writer is called after the reader";
}

/* ---- comparing ----------------------------------------------------------------------------------------- */

static void add_extra(const ir_task *t, const route *r, text *extra)
{
    const char *why = why_impossible(t, r);
    text_add(extra, extra->len ? ", " : "");
    route_text(r, extra);
    if (why)
        text_printf(extra, " (%s)", why);
}

static void report_difference(const rule_run *run, const ir_task *t, const route_list *tokens,
                              const text *extra, const text *missing)
{
    ww_diag *d = rule_finding(run, WW_ROUTE, t->task->place, ON({t}),
                              "task %s: its routes are not those of its tokens", t->name);
    for (int i = 0; i < tokens->count; i++) {
        rule_rests_on(run, d, tokens->at[i].from);
        rule_rests_on(run, d, tokens->at[i].to);
    }
    for (const ww_route *given = t->task->options.routes; given->from; given++)
        rest_on_given(run, d, given);
    if (missing->len)
        diag_expected(run->diags, d, "also %s", text_str(missing));
    else
        diag_expected(run->diags, d, "the routes of the tokens alone");
    diag_found(run->diags, d, extra->len ? "too many: %s" : "only the others", text_str(extra));
    diag_hint(run->diags, d, "leave .routes out, or pass the tokens that they speak of");
}

static bool read_given(const rule_run *run, const ir_task *t, route_list *tokens, text *extra)
{
    for (const ww_route *given = t->task->options.routes; given->from; given++) {
        route r = {.given = true};
        bool from = read_end(run->kernel, given->from, true, &r);
        if (!from || !given->to || !read_end(run->kernel, given->to, false, &r)) {
            report_unknown(run, t, given, !from);
            return false;
        }
        route *known = find_route(tokens, &r);
        if (known)
            known->given = true;
        else
            add_extra(t, &r, extra);
    }
    return true;
}

static void check_task(const rule_run *run, const ir_task *t)
{
    text extra = {0}, missing = {0};
    route_list tokens = {.count = 0};
    collect_tokens(run, t, &tokens);
    bool readable = read_given(run, t, &tokens, &extra);
    for (int i = 0; i < tokens.count; i++) {
        if (tokens.at[i].given)
            continue;
        text_add(&missing, missing.len ? ", " : "");
        route_text(&tokens.at[i], &missing);
    }
    if (readable && (extra.len || missing.len))
        report_difference(run, t, &tokens, &extra, &missing);
    text_free(&extra);
    text_free(&missing);
}

void verify_routes(const rule_run *run)
{
    for (size_t i = 0; i < run->program->tasks.len; i++)
        if (run->program->tasks.at[i].task->options.routes)
            check_task(run, &run->program->tasks.at[i]);
}
