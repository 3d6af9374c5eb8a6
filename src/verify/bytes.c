/* Bytes: what a stage announces is what its copies bring, in each bracket of each task, and in each CTA of the cluster.
 *
 * Of several producers each announces its own copies, so a task's brackets must all bring the same. A declared tx_bytes
 * is the sum over all of them. */
#include "verify/arrivers.h"
#include "verify/rules.h"

enum {
    MOST_TX_BYTES = (1 << 20) - 1,
    REACHES = WW_REACH_B + 1
}; /* PTX ISA, mbarrier: valid range of tx-count */

/* State: the operation that opened a slot (plus 1), bytes that come into each buffer since, from all CTAs that reach
 * it, and bytes that one warp has issued, by reach. */
enum { OPENED_BY, BUFFER_BYTES, REACH_BYTES = BUFFER_BYTES + WW_MAX_BUFFERS };

typedef struct slot_bytes {
    const rule_run *run;
    const ww_resource *resource; /* whose acquire announces */
    const ww_resource *copied;   /* whose buffers: another one only in a fork */
    uint32_t announced;          /* by one warp, for its own copies */
    bool quiet, seen;
    uint32_t most[WW_MAX_BUFFERS]; /* over all brackets of the task */
    uint32_t issued[REACHES];      /* in one of them */
} slot_bytes;

/* ---- what a task announces -------------------------------------------------------------------------- */

/* CTAs whose copies the announcing CTA counts. */
static uint32_t counted_ctas(const rule_run *run, const ir_task *t, const ww_resource *r)
{
    bool pair = model_protocol_of(r->pipeline.type)->full_to == MODEL_TO_LEADER && t->only_cta < 0;
    return pair ? (uint32_t)run->program->cluster.v : 1;
}

/* Warps whose copies fill one stage. */
static uint32_t filling_warps(const ir_task *t, const ir_op *announcement)
{
    return t->cursors.at[announcement->cursor].lane == IR_LANE_BY_WARP ? 1 : (uint32_t)t->warps;
}

static uint32_t announced_by_warp(const rule_run *run, const ir_task *t, const ww_resource *r,
                                  const ir_op *op)
{
    uint32_t warps = op->lanes == MODEL_LANES_FIRST ? (uint32_t)t->warps : 1;
    return lower_task_bytes(t->task, r) / (warps * counted_ctas(run, t, r));
}

/* ---- one bracket ------------------------------------------------------------------------------------ */

static uint32_t bracket_sum(const path_state *s)
{
    uint32_t sum = 0;
    for (int i = 0; i < WW_MAX_BUFFERS; i++)
        sum += s->word[BUFFER_BYTES + i];
    return sum;
}

static void bracket_text(const slot_bytes *b, const uint32_t *buffers, text *out)
{
    bool first = true;
    for (int i = 0; i < b->copied->buffer_count; i++) {
        if (!buffers[i])
            continue;
        text_printf(out, "%s%u (%s)", first ? "" : " + ", buffers[i], b->copied->buffers[i].name);
        first = false;
    }
}

static void report_bracket(path_walk *w, int opener, const path_state *s)
{
    const slot_bytes *b = w->rule;
    const ww_resource *r = b->resource;
    text formula = {0};
    bracket_text(b, &s->word[BUFFER_BYTES], &formula);
    ww_diag *d =
        rule_finding(b->run, WW_TX_BYTES, w->task->ops.at[opener].place, ON({w->task}, {r, b->copied}),
                     "task %s: each stage of %s announces %u bytes, and its copies bring %u", w->task->name,
                     r->name, b->announced, bracket_sum(s));
    diag_expected(b->run->diags, d, "%u = %s, the copies between acquire and commit", bracket_sum(s),
                  text_str(&formula));
    diag_found(b->run->diags, d, "%u, as on another path", b->announced);
    diag_hint(b->run->diags, d, "the same copies in every bracket of %s in task %s", r->name, w->task->name);
    diag_related(b->run->diags, d, r->place, "%s is declared here", r->name);
    text_free(&formula);
}

static void report_no_copies(path_walk *w, int opener)
{
    const slot_bytes *b = w->rule;
    ww_diag *d = rule_finding(
        b->run, WW_TX_BYTES, w->task->ops.at[opener].place, ON({w->task}, {b->resource}),
        "task %s: a slot of %s is acquired and nothing is copied into it", w->task->name, b->resource->name);
    diag_expected(b->run->diags, d,
                  "producer work with .copies between acquire and commit (pipeline type %s)",
                  model_protocol_of(b->resource->pipeline.type)->label);
    diag_found(b->run->diags, d, "no work with .copies of %s", b->resource->name);
    diag_hint(b->run->diags, d, "declare the .copies that the work body issues");
    diag_related(b->run->diags, d, b->resource->place, "%s is declared here", b->resource->name);
}

/* The slot opened last gets no more work: its bytes must add up. */
static void settle(path_walk *w, path_state *s)
{
    slot_bytes *b = w->rule;
    uint32_t sum = bracket_sum(s);
    int opener = (int)s->word[OPENED_BY] - 1;
    if (opener < 0)
        return;
    b->seen = true;
    for (int i = 0; i < WW_MAX_BUFFERS; i++)
        b->most[i] = s->word[BUFFER_BYTES + i] > b->most[i] ? s->word[BUFFER_BYTES + i] : b->most[i];
    memcpy(b->issued, &s->word[REACH_BYTES], sizeof b->issued);
    w->stop = !b->quiet && (!sum || sum != b->announced);
    if (w->stop && sum)
        report_bracket(w, opener, s);
    else if (w->stop)
        report_no_copies(w, opener);
    memset(s->word, 0, sizeof s->word);
}

/* Members of a fork are filled by one producer, through the work of any of them. */
static bool fills(const slot_bytes *b, const ww_resource *other)
{
    const ww_resource *owner = model_full_owner(b->resource);
    return other == b->resource ||
           (owner->kind == MODEL_GROUP && owner->mode == WW_FORK && other->in_group == owner);
}

/* How many CTAs' copies of that reach come into one CTA. */
static uint32_t sources(const ir_program *p, ww_reach reach)
{
    uint32_t ranks = model_reach(&p->cluster, reach, 0), n = 0;
    for (; ranks; ranks &= ranks - 1)
        n++;
    return n;
}

static void add_copies(path_walk *w, const ir_op *op, path_state *s)
{
    slot_bytes *b = w->rule;
    b->copied = rule_resource(b->run, op->resource);
    for (int i = 0; i < op->work->copy_count; i++) {
        const ww_copy *copy = &op->work->declared->copies[i];
        uint32_t *buffer = &s->word[BUFFER_BYTES + op->work->copy_buffer[i]];
        if (*buffer > MOST_TX_BYTES)
            continue;
        *buffer += copy->bytes * sources(w->program, copy->reach);
        s->word[REACH_BYTES + (int)copy->reach] += copy->bytes;
    }
}

static bool bytes_step(path_walk *w, int at, path_state *s)
{
    slot_bytes *b = w->rule;
    const ir_op *op = &w->task->ops.at[at];
    rule_event event = rule_event_of(w->program, op, b->resource->index, WW_PRODUCER);
    if (event == RULE_OPEN || (event == RULE_CLOSE && !rule_runs_ahead(b->resource, WW_PRODUCER)))
        settle(w, s);
    if (event == RULE_OPEN)
        s->word[OPENED_BY] = (uint32_t)at + 1;
    if (op->kind == IR_WORK && s->word[OPENED_BY] && fills(b, rule_resource(b->run, op->resource)))
        add_copies(w, op, s);
    return true;
}

static void bytes_end(path_walk *w, const path_state *s)
{
    path_state last = *s;
    settle(w, &last);
}

/* The copies of a task's brackets of r; false when it announces none. */
static bool walk_brackets(const rule_run *run, const ir_task *t, const ww_resource *r, bool quiet,
                          slot_bytes *b)
{
    const ir_op *op = rule_announcement(run, t, r);
    *b = (slot_bytes){.run = run, .resource = r, .copied = r, .quiet = quiet};
    if (!op || *rule_broken(run, (size_t)t->task->index, (size_t)r->index))
        return false;
    b->announced = announced_by_warp(run, t, r, op);
    path_walk w = {.program = run->program, .task = t, .step = bytes_step, .end = bytes_end, .rule = b};
    paths_walk(&w, (path_state){.word = {0}});
    return b->seen;
}

/* ---- a stage: the sum over tasks --------------------------------------------------------------------- */

typedef struct stage_bytes {
    uint64_t buffer[WW_MAX_BUFFERS], all;
    const ww_resource *copied;
    text formula; /* of those tasks: */
    const ir_task *by[WW_MAX_TASKS];
    int tasks;
} stage_bytes;

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Interleave lanes fill stages of their own, so there the task that brings most counts. */
static void add_task(const rule_run *run, const ir_task *t, const ww_resource *r, stage_bytes *sum)
{
    slot_bytes b;
    if (!walk_brackets(run, t, r, false, &b))
        return;
    bool lanes = model_stride(&r->pipeline, MODEL_END_ACQUIRE) > 1;
    uint32_t warps = filling_warps(t, rule_announcement(run, t, r)), ctas = counted_ctas(run, t, r), one = 0;
    for (int i = 0; i < WW_MAX_BUFFERS; i++) {
        uint64_t bytes = (uint64_t)b.most[i] * warps;
        sum->buffer[i] = lanes ? larger(sum->buffer[i], bytes) : sum->buffer[i] + bytes;
        one += b.most[i];
    }
    uint64_t all = (uint64_t)one * warps * ctas;
    sum->copied = b.copied;
    sum->all = lanes ? larger(sum->all, all) : sum->all + all;
    if (lanes && sum->tasks)
        return;
    text_add(&sum->formula, sum->tasks ? " + " : "");
    sum->by[sum->tasks++] = t;
    if (warps * ctas == 1)
        bracket_text(&b, b.most, &sum->formula);
    else
        text_printf(&sum->formula, "%u x %u warp%s x %u CTA%s", one, warps, warps > 1 ? "s" : "", ctas,
                    ctas > 1 ? "s" : "");
    text_printf(&sum->formula, " by %s", t->name);
}

/* Members of a fork may have memory of their own: then the sums by buffer are of several buffers. */
static bool mixes_buffers(const ww_resource *r)
{
    const ww_resource *owner = model_full_owner(r);
    int with_memory = 0;
    for (int i = 0; owner->kind == MODEL_GROUP && owner->mode == WW_FORK && i < owner->member_count; i++)
        with_memory += owner->members[i]->buffer_count && !owner->members[i]->buffers[0].shares;
    return with_memory > 1;
}

static void check_buffer(const rule_run *run, const ww_resource *r, const stage_bytes *sum, int buffer)
{
    const model_buffer *b = &sum->copied->buffers[buffer];
    if (buffer >= sum->copied->buffer_count || sum->buffer[buffer] <= b->bytes)
        return;
    ww_diag *d = rule_finding(run, WW_TX_BYTES, r->place, ON(.resources = {r, sum->copied}),
                              "the copies of one stage write past the end of buffer %s of %s", b->name,
                              sum->copied->name);
    diag_expected(run->diags, d, "at most %u bytes, the buffer's size", b->bytes);
    diag_found(run->diags, d, "%llu, over all copies of all producer warps",
               (unsigned long long)sum->buffer[buffer]);
    diag_hint(run->diags, d, "one producer warp, or smaller boxes, or a buffer of %llu bytes",
              (unsigned long long)sum->buffer[buffer]);
}

static void check_range(const rule_run *run, const ww_resource *r, uint64_t bytes)
{
    if (bytes <= MOST_TX_BYTES)
        return;
    ww_diag *d = rule_finding(run, WW_TX_BYTES, r->place, ON(.resources = {r}),
                              "a stage of %s receives more bytes than a barrier can count", r->name);
    diag_expected(run->diags, d, "at most %d bytes (PTX ISA, tx-count)", MOST_TX_BYTES);
    diag_found(run->diags, d, "%llu", (unsigned long long)bytes);
    diag_hint(run->diags, d, "smaller buffers, more stages");
}

static ww_diag *check_declared(const rule_run *run, const ww_resource *r, const char *formula, uint64_t bytes)
{
    if (!r->pipeline.tx_bytes || r->pipeline.tx_bytes == bytes || !bytes)
        return NULL;
    ww_diag *d = rule_finding(run, WW_TX_BYTES, r->place, ON(.resources = {r}),
                              "each stage of %s expects %u bytes, and its copies bring %llu", r->name,
                              r->pipeline.tx_bytes, (unsigned long long)bytes);
    diag_expected(run->diags, d, "%llu = %s", (unsigned long long)bytes, formula);
    diag_found(run->diags, d, ".tx_bytes = %u", r->pipeline.tx_bytes);
    diag_hint(run->diags, d, "leave .tx_bytes out, or mend the .copies of the work");
    return d;
}

static void check_stage(const rule_run *run, const ww_resource *r)
{
    stage_bytes sum = {.copied = r};
    size_t before = ww_diag_count(run->diags->first, WW_ERROR);
    for (size_t i = 0; i < run->program->tasks.len; i++)
        add_task(run, &run->program->tasks.at[i], r, &sum);
    for (int i = 0; i < WW_MAX_BUFFERS && !mixes_buffers(r); i++)
        check_buffer(run, r, &sum, i);
    check_range(run, r, sum.all);
    ww_diag *d = ww_diag_count(run->diags->first, WW_ERROR) == before
                     ? check_declared(run, r, text_str(&sum.formula), sum.all)
                     : NULL;
    for (int i = 0; d && i < sum.tasks; i++)
        rule_rests_on_task(run, d, sum.by[i]);
    text_free(&sum.formula);
}

/* What several members bring to one full barrier. */
static void check_group(const rule_run *run, const ww_resource *g)
{
    text formula = {0};
    uint64_t all = g->pipeline.tx_bytes ? lower_stage_bytes(run->kernel, g) : 0;
    for (int i = 0; i < g->member_count; i++)
        text_printf(&formula, "%s%s", i ? " + " : "the copies of ", g->members[i]->name);
    ww_diag *d = check_declared(run, g, text_str(&formula), all);
    if (d)
        rule_rests_on_members(run, d, g);
    text_free(&formula);
}

/* ---- what one warp brings --------------------------------------------------------------------------- */

static void check_warp(const rule_run *run, const ir_task *t, const ww_resource *r,
                       const ww_resource *declared)
{
    slot_bytes b;
    uint32_t given = declared->pipeline.bytes_per_warp_per_cta, sum = 0;
    if (!given || !walk_brackets(run, t, r, true, &b))
        return;
    for (int i = 0; i < REACHES; i++)
        sum += b.issued[i];
    if (sum == given)
        return;
    ww_diag *d =
        rule_finding(run, WW_TX_BYTES, declared->place, ON({t}, {r, declared}),
                     "one warp of task %s brings another number of bytes to a stage of %s than declared",
                     t->name, r->name);
    diag_expected(run->diags, d, "%u, what its copies bring in one CTA", sum);
    diag_found(run->diags, d, ".bytes_per_warp_per_cta = %u", given);
    diag_hint(run->diags, d, ".bytes_per_warp_per_cta = %u, or leave it out", sum);
}

/* ---- each CTA's barrier ----------------------------------------------------------------------------- */

static uint64_t announced_at(const arrivers *a, int rank)
{
    const ir_program *p = a->program;
    uint64_t sum = 0;
    for (int i = 0; i < a->count; i++) {
        const ir_op *op = a->at[i].op;
        const ww_pipeline *pipeline = &p->kernel->resources.at[op->resource]->pipeline;
        uint64_t one = op->bytes * (op->lanes == MODEL_LANES_FIRST ? 1u : (uint32_t)a->at[i].task->warps);
        for (int from = 0; op->kind == IR_EXPECT && from < p->cluster_size; from++)
            if (arrivers_runs(p, a->at[i].task, op, from, 0) &&
                (model_targets(&p->cluster, op->to, pipeline, from) >> rank & 1))
                sum += one;
    }
    return sum;
}

/* CTAs (counted as often as they issue) whose copies of that reach complete on the barrier of `rank`. */
static uint64_t completing_at(const ir_program *p, const ir_task *t, const ww_resource *r, ww_reach reach,
                              int rank)
{
    uint64_t n = 0;
    model_to to = model_protocol_of(r->pipeline.type)->full_to;
    for (int from = 0; from < p->cluster_size; from++)
        for (int at = 0; (t->only_cta < 0 || t->only_cta == from) && at < p->cluster_size; at++)
            n += (model_reach(&p->cluster, reach, from) >> at & 1) &&
                 (model_targets(&p->cluster, to, &r->pipeline, at) >> rank & 1);
    return n;
}

static uint64_t arriving_at(const rule_run *run, const arrivers *a, int rank)
{
    uint64_t sum = 0;
    for (int i = 0; i < a->count; i++) {
        slot_bytes b;
        const ww_resource *r = rule_resource(run, a->at[i].op->resource);
        if (a->at[i].op->kind != IR_EXPECT || !walk_brackets(run, a->at[i].task, r, true, &b))
            continue;
        for (int reach = 0; reach < REACHES; reach++)
            sum += b.issued[reach] * (uint64_t)a->at[i].task->warps *
                   completing_at(run->program, a->at[i].task, r, (ww_reach)reach, rank);
    }
    return sum;
}

static void report_cta(const rule_run *run, const arrivers *a, int rank, uint64_t announced,
                       uint64_t arriving)
{
    const ww_resource *owner = rule_resource(run, run->program->barriers.at[a->barrier].resource);
    ww_diag *d = rule_finding(
        run, WW_TX_BYTES, owner->place, ON(.resources = {owner}),
        "in CTA %d, the copies into a stage of %s bring another number of bytes than are announced", rank,
        owner->name);
    diag_expected(run->diags, d, "%llu, what the copies of all CTAs bring there",
                  (unsigned long long)arriving);
    diag_found(run->diags, d, "%llu announced", (unsigned long long)announced);
    diag_hint(run->diags, d,
              "let every CTA that copies reach announce them: no .only_cta on tasks that multicast");
}

/* Only where nothing else about the stage has been said. */
static void check_ctas(const rule_run *run, int barrier)
{
    arrivers a = arrivers_of(run->program, barrier);
    for (int i = 0; i < a.count; i++)
        if (rule_any_broken(run, (size_t)a.at[i].op->resource))
            return;
    for (int rank = 0; a.lanes == 1 && rank < run->program->cluster_size; rank++) {
        uint64_t announced = announced_at(&a, rank), arriving = arriving_at(run, &a, rank);
        if (announced == arriving)
            continue;
        report_cta(run, &a, rank, announced, arriving);
        return;
    }
}

/* ---- copies that no barrier counts ------------------------------------------------------------------ */

static void report_uncounted(const rule_run *run, const ir_task *t, const ir_op *op, bool elsewhere)
{
    const ww_resource *r = rule_resource(run, op->resource);
    const char *label = model_pipelined(r) ? model_protocol_of(r->pipeline.type)->label : "no pipeline";
    ww_diag *d = rule_finding(run, WW_TX_BYTES, op->place, ON({t}, {r}),
                              "task %s: no barrier counts the copies of %s.%s", t->name, r->name,
                              op->work->declared->name);
    if (elsewhere)
        diag_expected(run->diags, d, "acquire(%s) in the task that copies: it announces its own bytes",
                      r->name);
    else
        diag_expected(run->diags, d, "a pipeline type that carries bytes, such as TmaAsync");
    diag_found(run->diags, d, elsewhere ? "no acquire in this task" : "%s", label);
    diag_hint(run->diags, d,
              elsewhere ? "acquire and commit in task %s" : "declare a pipeline of type TmaAsync", t->name);
}

static bool is_announced(const rule_run *run, const ir_task *t, const ww_resource *r)
{
    const ww_resource *owner = model_full_owner(r);
    if (rule_announcement(run, t, r))
        return true;
    for (int i = 0; owner->kind == MODEL_GROUP && owner->mode == WW_FORK && i < owner->member_count; i++)
        if (rule_announcement(run, t, owner->members[i]))
            return true;
    return false;
}

static bool counts_bytes(const ww_resource *r)
{
    return model_pipelined(r) && model_protocol_of(r->pipeline.type)->full_by == MODEL_BY_EXPECT;
}

/* The first work of the task whose copies nobody counts, or NULL. */
static const ir_op *uncounted_of(const rule_run *run, const ir_task *t)
{
    for (size_t i = 0; i < t->ops.len; i++) {
        const ir_op *op = &t->ops.at[i];
        if (op->kind != IR_WORK || !op->work->copy_count || rule_any_broken(run, (size_t)op->resource))
            continue;
        const ww_resource *r = rule_resource(run, op->resource);
        if (!counts_bytes(r) || !is_announced(run, t, r))
            return op;
    }
    return NULL;
}

static void check_uncounted(const rule_run *run, const ir_task *t)
{
    const ir_op *op = uncounted_of(run, t);
    if (op)
        report_uncounted(run, t, op, counts_bytes(rule_resource(run, op->resource)));
}

/* Its sums cannot be right, and that has been said. */
static bool has_uncounted(const rule_run *run, const ww_resource *r)
{
    for (size_t i = 0; i < run->program->tasks.len; i++) {
        const ir_op *op = uncounted_of(run, &run->program->tasks.at[i]);
        if (op && op->resource == r->index)
            return true;
    }
    return false;
}

/* ---- all of it ---------------------------------------------------------------------------------------- */

static void check_warps(const rule_run *run, const ww_resource *r)
{
    for (size_t t = 0; t < run->program->tasks.len; t++) {
        check_warp(run, &run->program->tasks.at[t], r, r);
        if (r->in_group)
            check_warp(run, &run->program->tasks.at[t], r, r->in_group);
    }
}

void verify_bytes(const rule_run *run)
{
    size_t before = ww_diag_count(run->diags->first, WW_ERROR);
    for (size_t i = 0; i < run->program->tasks.len; i++)
        check_uncounted(run, &run->program->tasks.at[i]);
    for (size_t i = 0; i < run->kernel->resources.len; i++) {
        const ww_resource *r = run->kernel->resources.at[i];
        if (r->kind == MODEL_GROUP)
            check_group(run, r);
        if (!rule_is_ring(r) || !counts_bytes(r) || has_uncounted(run, r) || rule_announcers_misfit(run, r))
            continue;
        check_stage(run, r);
        check_warps(run, r);
    }
    bool said = run->program->cluster_size == 1 || ww_diag_count(run->diags->first, WW_ERROR) > before;
    for (size_t i = 0; !said && i < run->program->barriers.len; i++)
        if (run->program->barriers.at[i].side == IR_FULL &&
            rule_resource(run, run->program->barriers.at[i].resource)->kind != MODEL_QUEUE_CLC &&
            rule_resource(run, run->program->barriers.at[i].resource)->kind != MODEL_QUEUE_COUNTER)
            check_ctas(run, (int)i);
}
