/* Rules on what completes a phase: arrivals and bytes. */
#include "verify/rules.h"

enum { WARP_LANES = 32, MOST_TX_BYTES = (1 << 20) - 1 }; /* PTX ISA, mbarrier: valid range of tx-count */

/* ---- arrivals --------------------------------------------------------------------------------------- */

static bool arrives(const ir_program *p, const ir_task *t, const ww_resource *r, ir_side side)
{
    for (size_t i = 0; i < t->ops.len; i++) {
        const ir_op *op = &t->ops.at[i];
        if ((op->kind == IR_ARRIVE || op->kind == IR_EXPECT) &&
            p->barriers.at[op->barrier].resource == r->index && p->barriers.at[op->barrier].side == side)
            return true;
    }
    return false;
}

/* "4 warps of math + 1 warp of load, one lane each". */
static void arrivals_formula(const rule_run *run, const ww_resource *r, ir_side side, model_lanes lanes,
                             text *out)
{
    bool first = true;
    for (size_t i = 0; i < run->program->tasks.len; i++) {
        const ir_task *t = &run->program->tasks.at[i];
        if (!arrives(run->program, t, r, side))
            continue;
        text_printf(out, "%s%d warp%s of %s", first ? "" : " + ", t->warps, t->warps > 1 ? "s" : "", t->name);
        first = false;
    }
    text_add(out, lanes == MODEL_LANES_ALL ? ", 32 lanes each" : ", one lane each");
}

static void check_arrivals(const rule_run *run, const ww_resource *r, ir_side side, uint32_t declared)
{
    const model_protocol *protocol = model_protocol_of(r->pipeline.type);
    model_lanes lanes = side == IR_FULL ? protocol->full_lanes : protocol->empty_lanes;
    uint32_t derived = lower_arrivals(run->kernel, r, side);
    bool all_lanes_too = side == IR_EMPTY && lanes == MODEL_LANES_WARP; /* see lower_arrivals */
    if (!declared || !derived || declared == derived || (all_lanes_too && declared == WARP_LANES * derived))
        return;
    const char *member = side == IR_FULL ? "producer_arrivals" : "consumer_arrivals";
    text formula = {0};
    arrivals_formula(run, r, side, lanes, &formula);
    ww_diag *d = diag_add(run->diags, WW_ARRIVALS, r->place,
                          "the %s barrier of %s expects %u arrival%s a phase, and %s",
                          side == IR_FULL ? "full" : "empty", r->name, declared, declared > 1 ? "s" : "",
                          declared > derived ? "never receives so many" : "receives more");
    diag_expected(run->diags, d, "%u = %s", derived, text_str(&formula));
    if (all_lanes_too)
        diag_expected(run->diags, d, "%u = %s (or %u, all lanes)", derived, text_str(&formula),
                      WARP_LANES * derived);
    diag_found(run->diags, d, ".%s = %u", member, declared);
    diag_hint(run->diags, d, ".%s = %u, or leave it out", member, derived);
    text_free(&formula);
}

void verify_arrivals(const rule_run *run)
{
    for (size_t i = 0; i < run->kernel->resources.len; i++) {
        const ww_resource *r = run->kernel->resources.at[i];
        if (!model_pipelined(r))
            continue;
        check_arrivals(run, r, IR_FULL, r->pipeline.producer_arrivals);
        check_arrivals(run, r, IR_EMPTY, r->pipeline.consumer_arrivals);
    }
}

/* ---- bytes: what is announced is what comes, in each bracket ---------------------------------------- */

/* State: whether a slot is open and by which operation (plus 1), and the bytes copied into each buffer since.
 */
enum { OPENED_BY, BUFFER_BYTES };

typedef struct slot_bytes {
    const rule_run *run;
    const ww_resource *resource;
    uint32_t most[WW_MAX_BUFFERS]; /* of this task, over all brackets */
} slot_bytes;

static uint32_t announced(const path_walk *w, int opener)
{
    for (size_t i = (size_t)opener; i < w->task->ops.len; i++)
        if (w->task->ops.at[i].kind == IR_EXPECT && w->task->ops.at[i].step == w->task->ops.at[opener].step)
            return w->task->ops.at[i].bytes;
    return 0;
}

static void bytes_formula(const ww_resource *r, const path_state *s, uint32_t sum, text *out)
{
    text_printf(out, "%u", sum);
    bool first = true;
    for (int b = 0; b < r->buffer_count; b++) {
        if (!s->word[BUFFER_BYTES + b])
            continue;
        text_printf(out, "%s%u (%s)", first ? " = " : " + ", s->word[BUFFER_BYTES + b], r->buffers[b].name);
        first = false;
    }
}

static void report_bytes(path_walk *w, int opener, const path_state *s, uint32_t sum)
{
    const slot_bytes *b = w->rule;
    const ww_resource *r = b->resource;
    const ir_op *op = &w->task->ops.at[opener];
    uint32_t expected = announced(w, opener);
    text formula = {0};
    bytes_formula(r, s, sum, &formula);
    ww_diag *d = diag_add(b->run->diags, WW_TX_BYTES, r->pipeline.tx_bytes ? r->place : op->place,
                          "task %s: each stage of %s announces %u bytes, and its copies bring %u",
                          w->task->name, r->name, expected, sum);
    diag_expected(b->run->diags, d, "%s, the copies between acquire and commit", text_str(&formula));
    if (r->pipeline.tx_bytes) {
        diag_found(b->run->diags, d, ".tx_bytes = %u", r->pipeline.tx_bytes);
        diag_hint(b->run->diags, d, "leave .tx_bytes out, or mend the .copies of the work");
        diag_related(b->run->diags, d, op->place, "the slot is acquired here");
    } else {
        diag_found(b->run->diags, d, "%u, as on another path or in another task", expected);
        diag_hint(b->run->diags, d, "the same copies in every bracket of %s", r->name);
        diag_related(b->run->diags, d, r->place, "%s is declared here", r->name);
    }
    text_free(&formula);
    w->stop = true;
}

static void report_no_copies(path_walk *w, int opener)
{
    const slot_bytes *b = w->rule;
    ww_diag *d = diag_add(b->run->diags, WW_TX_BYTES, w->task->ops.at[opener].place,
                          "task %s: a slot of %s is acquired and nothing is copied into it", w->task->name,
                          b->resource->name);
    diag_expected(b->run->diags, d,
                  "producer work with .copies between acquire and commit (pipeline type %s)",
                  model_protocol_of(b->resource->pipeline.type)->label);
    diag_hint(b->run->diags, d, "declare the .copies that the work body issues");
    w->stop = true;
}

/* The slot opened last gets no more work: its bytes must add up. */
static void settle(path_walk *w, path_state *s)
{
    slot_bytes *b = w->rule;
    uint32_t sum = 0;
    if (!s->word[OPENED_BY])
        return;
    for (int i = 0; i < b->resource->buffer_count; i++) {
        uint32_t bytes = s->word[BUFFER_BYTES + i];
        sum += bytes;
        b->most[i] = bytes > b->most[i] ? bytes : b->most[i];
    }
    int opener = (int)s->word[OPENED_BY] - 1;
    if (!sum)
        report_no_copies(w, opener);
    else if (sum != announced(w, opener))
        report_bytes(w, opener, s, sum);
    memset(s, 0, sizeof *s);
}

static bool bytes_step(path_walk *w, int op, path_state *s)
{
    slot_bytes *b = w->rule;
    const ir_op *o = &w->task->ops.at[op];
    rule_event event = rule_event_of(w->program, o, b->resource->index, WW_PRODUCER);
    bool ahead = rule_runs_ahead(b->resource, WW_PRODUCER);
    if (event == RULE_OPEN || (event == RULE_CLOSE && !ahead))
        settle(w, s);
    if (event == RULE_OPEN)
        s->word[OPENED_BY] = (uint32_t)op + 1;
    for (int i = 0; event == RULE_WORK && i < o->work->copy_count; i++) {
        uint32_t *bytes = &s->word[BUFFER_BYTES + o->work->copy_buffer[i]];
        if (*bytes <= MOST_TX_BYTES)
            *bytes += o->work->declared->copies[i].bytes;
    }
    return true;
}

static void bytes_end(path_walk *w, const path_state *s)
{
    path_state last = *s;
    settle(w, &last);
}

static void check_buffer(const rule_run *run, const ww_resource *r, int buffer, uint64_t bytes)
{
    const model_buffer *b = &r->buffers[buffer];
    if (bytes <= b->bytes)
        return;
    ww_diag *d = diag_add(run->diags, WW_TX_BYTES, r->place,
                          "the copies of one stage write past the end of buffer %s of %s", b->name, r->name);
    diag_expected(run->diags, d, "at most %u bytes, the buffer's size", b->bytes);
    diag_found(run->diags, d, "%llu, over all copies of all producer warps", (unsigned long long)bytes);
    diag_hint(run->diags, d, "one producer warp, or smaller boxes, or a buffer of %llu bytes",
              (unsigned long long)bytes);
}

static void check_range(const rule_run *run, const ww_resource *r, uint64_t bytes)
{
    if (bytes <= MOST_TX_BYTES)
        return;
    ww_diag *d = diag_add(run->diags, WW_TX_BYTES, r->place,
                          "a stage of %s receives more bytes than a barrier can count", r->name);
    diag_expected(run->diags, d, "at most %d bytes (PTX ISA, tx-count)", MOST_TX_BYTES);
    diag_found(run->diags, d, "%llu", (unsigned long long)bytes);
    diag_hint(run->diags, d, "smaller buffers, more stages");
}

static void check_bytes(const rule_run *run, const ww_resource *r)
{
    uint64_t sum[WW_MAX_BUFFERS] = {0}, all = 0;
    for (size_t i = 0; i < run->program->tasks.len; i++) {
        const ir_task *t = &run->program->tasks.at[i];
        slot_bytes b = {.run = run, .resource = r};
        path_walk w = {.program = run->program, .task = t, .step = bytes_step, .end = bytes_end, .rule = &b};
        if (rule_first_event(run->program, t, r->index, WW_PRODUCER, RULE_OPEN) < 0 ||
            *rule_broken(run, i, (size_t)r->index))
            continue;
        paths_walk(&w, (path_state){{0}});
        for (int j = 0; j < r->buffer_count; j++)
            sum[j] += (uint64_t)b.most[j] * (uint64_t)t->warps;
    }
    for (int j = 0; j < r->buffer_count; j++) {
        check_buffer(run, r, j, sum[j]);
        all += sum[j];
    }
    check_range(run, r, all);
}

void verify_bytes(const rule_run *run)
{
    for (size_t i = 0; i < run->kernel->resources.len; i++) {
        const ww_resource *r = run->kernel->resources.at[i];
        if (model_pipelined(r) && model_protocol_of(r->pipeline.type)->full_tx)
            check_bytes(run, r);
    }
}
