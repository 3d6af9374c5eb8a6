/* Synchronisation: probes, waits and arrivals on barriers, fences, and the cursors that go round a ring.
 *
 * In a cluster an operation may act at other CTAs' barriers. Where those are our own after all, whatever the rank (no
 * pairs, nothing multicast, one CTA), the local form is printed: no address is mapped, no mask is computed. */
#include "emit/task_writer.h"
#include "capture/capture.h"

#include <assert.h>

static const ir_barrier *barrier_of(const task_writer *tw, const ir_op *op)
{
    return &tw->w->program->barriers.at[op->barrier];
}

static const ww_pipeline *pipeline_of(const task_writer *tw, const ir_op *op)
{
    return &tw->w->program->kernel->resources.at[op->resource]->pipeline;
}

static void print_barrier(const task_writer *tw, const ir_op *op, text *out)
{
    print_barrier_at(tw, op->barrier, op->cursor, false, out);
}

static void print_parity(const task_writer *tw, int cursor, text *out)
{
    writer_cursor(tw->w, &tw->task->cursors.at[cursor], out);
    text_add(out, "_parity");
}

/* The schedule verb; of steps that are not verbs, like advance_tile, what it comes down to. */
static void note(task_writer *tw, const ir_op *op)
{
    static const char *const kinds[IR_KIND_COUNT] = {
        [IR_WAIT] = "wait", [IR_PROBE] = "try_wait", [IR_EXPECT] = "acquire", [IR_ARRIVE] = "release"};
    const char *kind = kinds[op->kind] ? kinds[op->kind] : ir_kind_text(op->kind);
    writer_note(tw->w, op, op->verb >= 0 ? capture_verb_name((ww_verb)op->verb) : kind);
}

/* ---- at whose barrier ------------------------------------------------------------------------------- */

/* Whether `to` means our own barrier in every CTA. */
static bool only_own(const task_writer *tw, const ir_op *op)
{
    const ir_program *p = tw->w->program;
    for (int rank = 0; rank < p->cluster_size; rank++)
        if (model_targets(&p->cluster, op->to, pipeline_of(tw, op), rank) != 1u << rank)
            return false;
    return true;
}

/* A leader that acts alone acts at its own barrier. A release that the author gave to all threads stays in the CTA
 * (pipelines.def: of TmaAsync). */
static model_to target_of(const task_writer *tw, const ir_op *op)
{
    bool leader = op->to == MODEL_TO_LEADER && (op->kind == IR_EXPECT || op->gate == MODEL_LEADERS);
    bool all_threads = op->kind == IR_ARRIVE && op->lanes == MODEL_LANES_ALL && op->to == MODEL_TO_PEERS;
    return leader || all_threads || only_own(tw, op) ? MODEL_TO_OWN : op->to;
}

static bool is_many(model_to to)
{
    return to == MODEL_TO_PAIR || to == MODEL_TO_PEERS || to == MODEL_TO_EVERY;
}

/* How many ranks on NEXT is, 0 or more. */
static int shift_of(const task_writer *tw, const ir_op *op)
{
    int size = tw->w->program->cluster_size, shift = pipeline_of(tw, op)->peer_shift;
    return ((shift ? shift : 1) % size + size) % size;
}

static void print_rank(const task_writer *tw, const ir_op *op, text *out)
{
    int size = tw->w->program->cluster_size, shift = shift_of(tw, op);
    if (op->to == MODEL_TO_LEADER) {
        tw->w->used |= CLUSTER_LAYOUT;
        text_add(out, "cluster::leader(cta_rank)");
    } else if (op->to == MODEL_TO_FIRST) {
        text_add(out, "0");
    } else {
        text_printf(out, "(cta_rank + %d) %% %d", op->to == MODEL_TO_NEXT ? shift : size - shift, size);
    }
}

/* Whose copies reach us: where an MMA of two CTAs reads both's buffers, whose reach either. */
static cluster_mask peers_mask(const task_writer *tw, const ir_op *op)
{
    static const cluster_mask pairs[] = {[WW_MULTICAST_AUTO] = CLUSTER_PAIR,
                                         [WW_MULTICAST_NONE] = CLUSTER_PAIR,
                                         [WW_MULTICAST_M] = CLUSTER_RELEASE_M,
                                         [WW_MULTICAST_N] = CLUSTER_RELEASE_N,
                                         [WW_MULTICAST_MN] = CLUSTER_RELEASE_MN};
    static const cluster_mask alone[] = {[WW_MULTICAST_M] = CLUSTER_SHARE_M,
                                         [WW_MULTICAST_N] = CLUSTER_SHARE_N,
                                         [WW_MULTICAST_MN] = CLUSTER_SHARE_MN};
    const ww_pipeline *p = pipeline_of(tw, op);
    return model_protocol_of(p->type)->consumer == MODEL_UMMA ? pairs[p->multicast] : alone[p->multicast];
}

static void print_mask(const task_writer *tw, const ir_op *op, text *out)
{
    if (op->to == MODEL_TO_EVERY)
        text_printf(out, "0x%x", (1u << tw->w->program->cluster_size) - 1);
    else
        text_add(out, writer_mask(tw->w, op->to == MODEL_TO_PAIR ? CLUSTER_PAIR : peers_mask(tw, op)));
}

/* Whether threads hand what they wrote to another CTA by the full barrier of r, or of a member of r. */
static bool threads_fill_for_leader(const ww_resource *r)
{
    for (int i = 0; i < r->member_count; i++)
        if (threads_fill_for_leader(r->members[i]))
            return true;
    const model_protocol *protocol = model_protocol_of(r->pipeline.type);
    return protocol->full_by == MODEL_BY_THREADS && protocol->full_to == MODEL_TO_LEADER;
}

/* Where threads of one CTA hand what they wrote to another, release and wait order the whole cluster (PTX ISA, "Memory
 * consistency model"). Slots that are given back carry nothing. */
static bool hands_over_data(const task_writer *tw, const ir_op *op)
{
    return op->barrier >= 0 && barrier_of(tw, op)->side == IR_FULL && tw->w->program->cluster.v > 1 &&
           threads_fill_for_leader(tw->w->program->kernel->resources.at[op->resource]);
}

/* ---- waiting ---------------------------------------------------------------------------------------- */

static void print_try(const task_writer *tw, const ir_op *op, const char *function, text *out)
{
    text_printf(out, "ww::%s(", function);
    print_barrier(tw, op, out);
    text_add(out, ", ");
    print_parity(tw, op->cursor, out);
}

/* A probe right before the wait it is for asks what the wait would ask first: the wait alone is printed. */
static bool is_fused(const ir_task *t, int at)
{
    const ir_op *probe = &t->ops.at[at], *next = probe + 1;
    return probe->kind == IR_PROBE && at + 1 < (int)t->ops.len && next->kind == IR_WAIT &&
           next->status == probe->status && next->barrier == probe->barrier && next->cursor == probe->cursor;
}

bool status_is_live(const ir_task *t, int status)
{
    for (int i = 0; status >= 0 && i < (int)t->ops.len; i++)
        if (t->ops.at[i].kind == IR_PROBE && t->ops.at[i].status == status && !is_fused(t, i))
            return true;
    return false;
}

/* A probe's answer holds for its slot and parity, so that it is forgotten when the cursor moves (emit_advance). */
void emit_probe(task_writer *tw, int at)
{
    const ir_op *op = task_op(tw, at);
    text *line = writer_begin(tw->w);
    text_printf(line, "ready_%d = ", op->status);
    print_try(tw, op, hands_over_data(tw, op) ? "mbarrier_try_wait_cluster" : "mbarrier_try_wait", line);
    writer_end(tw->w, ");");
    note(tw, op);
}

void emit_wait(task_writer *tw, int at)
{
    const ir_op *op = task_op(tw, at);
    if (barrier_of(tw, op)->side == IR_NAMED)
        return;
    text *line = writer_begin(tw->w);
    if (status_is_live(tw->task, op->status))
        text_printf(line, "if (!ready_%d) ", op->status);
    print_try(tw, op, hands_over_data(tw, op) ? "mbarrier_wait_cluster" : "mbarrier_wait", line);
    writer_end(tw->w, ");");
    if (!op->drain)
        note(tw, op);
}

/* ---- arriving --------------------------------------------------------------------------------------- */

/* Which lanes arrive: to many CTAs one lane each, else one lane for all. */
static void print_lanes(const task_writer *tw, const ir_op *op, model_to to, text *out)
{
    if (op->lanes == MODEL_LANES_ALL)
        return;
    text_add(out, op->lanes == MODEL_LANES_FIRST ? "if (task_warp == 0 && " : "if (");
    if (to == MODEL_TO_EVERY) {
        text_printf(out, "lane < %d", tw->w->program->cluster_size);
    } else if (is_many(to)) {
        print_mask(tw, op, out);
        text_add(out, " >> lane & 1");
    } else {
        text_add(out, "ww::elect_one()");
    }
    text_add(out, ") ");
}

/* "function(barrier[, bytes])" or "function_remote(barrier[, bytes], rank)". */
static void print_arrival(const task_writer *tw, const ir_op *op, const char *function, text *out)
{
    model_to to = target_of(tw, op);
    assert(!is_many(to) || op->lanes != MODEL_LANES_ALL);
    print_lanes(tw, op, to, out);
    text_printf(out, "ww::%s%s(", function,
                to == MODEL_TO_OWN        ? ""
                : hands_over_data(tw, op) ? "_remote_release"
                                          : "_remote");
    print_barrier(tw, op, out);
    if (op->kind == IR_EXPECT)
        text_printf(out, ", %u", op->bytes);
    if (to != MODEL_TO_OWN)
        text_add(out, ", ");
    if (is_many(to))
        text_add(out, "lane");
    else if (to != MODEL_TO_OWN)
        print_rank(tw, op, out);
}

void emit_expect(task_writer *tw, int at)
{
    const ir_op *op = task_op(tw, at);
    print_arrival(tw, op, "mbarrier_arrive_expect_tx", writer_begin(tw->w));
    writer_end(tw->w, ");");
    note(tw, op);
}

/* A named barrier: arriving and waiting in one step is one instruction. */
static void emit_named(task_writer *tw, int at)
{
    const ir_op *op = task_op(tw, at), *next = op + 1;
    const ir_barrier *b = barrier_of(tw, op);
    bool waits = at + 1 < (int)tw->task->ops.len && next->kind == IR_WAIT && next->step == op->step &&
                 next->barrier == op->barrier;
    text *line = writer_begin(tw->w);
    text_printf(line, "ww::named_barrier_%s(%d", waits ? "sync" : "arrive", b->named_id);
    text_add(line, b->stages > 1 ? " + task_warp / 4" : "");
    text_printf(line, ", %u", b->arrivals);
    writer_end(tw->w, ");");
    note(tw, op);
}

/* One lane speaks for its warp only after all lanes have come so far: what they read is then ordered before it. */
void emit_arrive(task_writer *tw, int at)
{
    const ir_op *op = task_op(tw, at);
    if (barrier_of(tw, op)->side == IR_NAMED) {
        emit_named(tw, at);
        return;
    }
    if (op->lanes != MODEL_LANES_ALL)
        writer_line(tw->w, "ww::syncwarp();");
    print_arrival(tw, op, "mbarrier_arrive", writer_begin(tw->w));
    writer_end(tw->w, ");");
    note(tw, op);
}

void emit_copy_arrive(task_writer *tw, int at)
{
    const ir_op *op = task_op(tw, at);
    text *line = writer_begin(tw->w);
    text_add(line, "ww::cp_async_mbarrier_arrive_noinc(");
    print_barrier(tw, op, line);
    writer_end(tw->w, ");");
    note(tw, op);
}

/* By the lane that issued the tcgen05 work: election always picks the same. */
void emit_umma_commit(task_writer *tw, int at)
{
    const ir_op *op = task_op(tw, at);
    model_to to = target_of(tw, op);
    text *line = writer_begin(tw->w);
    text_printf(line, "if (ww::elect_one()) ww::tcgen05_commit%s<%d>(",
                to == MODEL_TO_OWN ? "" : "_multicast", tw->w->program->cluster.v);
    print_barrier(tw, op, line);
    if (is_many(to)) {
        text_add(line, ", ");
        print_mask(tw, op, line);
    } else if (to != MODEL_TO_OWN) {
        text_add(line, ", 1u << (");
        print_rank(tw, op, line);
        text_add(line, ")");
    }
    writer_end(tw->w, ");");
    note(tw, op);
}

/* ---- fences, and what concerns other grids ---------------------------------------------------------- */

void emit_fence(task_writer *tw, int at)
{
    static const char *const fences[] = {
        [IR_FENCE_PROXY] = "fence_proxy_async_shared",
        [IR_FENCE_TCGEN05_AFTER] = "tcgen05_fence_after_thread_sync",
        [IR_FENCE_TCGEN05_BEFORE] = "tcgen05_fence_before_thread_sync",
    };
    writer_line(tw->w, "ww::%s();", fences[task_op(tw, at)->fence]);
    note(tw, task_op(tw, at));
}

void emit_griddep(task_writer *tw, int at)
{
    bool waits = task_op(tw, at)->kind == IR_GRIDDEP_WAIT;
    writer_line(tw->w, "ww::griddepcontrol_%s();", waits ? "wait" : "launch_dependents");
    note(tw, task_op(tw, at));
}

/* ---- cursors ---------------------------------------------------------------------------------------- */

static bool cursor_is_held(const ir_task *t, int cursor)
{
    for (size_t i = 0; i < t->ops.len; i++) {
        const ir_op *op = &t->ops.at[i];
        if (op->kind == IR_WORK && op->cursor == cursor && op->held)
            return true;
    }
    return false;
}

/* Cursors that only arrive need no parity. */
static bool cursor_waits(const ir_task *t, int cursor)
{
    for (size_t i = 0; i < t->ops.len; i++) {
        const ir_op *op = &t->ops.at[i];
        if (op->cursor == cursor && (op->kind == IR_WAIT || op->kind == IR_PROBE))
            return true;
    }
    return false;
}

/* The hardware keeps the phase of a named barrier. */
static bool cursor_is_named(const task_writer *tw, const ir_cursor *c)
{
    return tw->w->program->kernel->resources.at[c->resource]->kind == MODEL_NAMED_BARRIER;
}

/* A ring of as many lanes as stages: each lane stays where it is. */
static void emit_step(task_writer *tw, const ir_cursor *c, const char *name, bool waits)
{
    if (c->stride >= c->stages) {
        if (waits)
            writer_line(tw->w, "%s_parity ^= 1;", name);
    } else if (c->stride == 1) {
        writer_line(tw->w, "%s_slot = %s_slot == %d ? 0 : %s_slot + 1;", name, name, c->stages - 1, name);
        if (waits)
            writer_line(tw->w, "%s_parity ^= %s_slot == 0;", name, name);
    } else {
        writer_line(tw->w, "%s_slot += %d;", name, c->stride);
        writer_open(tw->w, "if (%s_slot >= %d)", name, c->stages);
        writer_line(tw->w, "%s_slot -= %d;", name, c->stages);
        if (waits)
            writer_line(tw->w, "%s_parity ^= 1;", name);
        writer_close(tw->w);
    }
}

void emit_advance(task_writer *tw, int at)
{
    const ir_op *op = task_op(tw, at);
    const ir_cursor *c = &tw->task->cursors.at[op->cursor];
    if (cursor_is_named(tw, c))
        return;
    text name = {0};
    writer_cursor(tw->w, c, &name);
    const char *n = text_str(&name);
    if (c->stages > 1 && cursor_is_held(tw->task, op->cursor))
        writer_line(tw->w, "%s_held = %s_slot;", n, n);
    emit_step(tw, c, n, cursor_waits(tw->task, op->cursor));
    if (status_is_live(tw->task, op->status))
        writer_line(tw->w, "ready_%d = false;", op->status);
    text_free(&name);
}

void emit_forget(task_writer *tw, int at)
{
    writer_line(tw->w, "ready_%d = false;", task_op(tw, at)->status);
}

static void declare_slot(task_writer *tw, const ir_cursor *c, const char *name, const char *what)
{
    if (c->lane == IR_LANE_BY_WARP)
        writer_line(tw->w, "uint32_t %s_%s = task_warp;", name, what);
    else
        writer_line(tw->w, "uint32_t %s_%s = %d;", name, what, c->lane == IR_LANE_FIXED ? c->first : 0);
}

void declare_cursors(task_writer *tw)
{
    for (int i = 0; i < (int)tw->task->cursors.len; i++) {
        const ir_cursor *c = &tw->task->cursors.at[i];
        if (cursor_is_named(tw, c))
            continue;
        text name = {0};
        writer_cursor(tw->w, c, &name);
        if (c->stages > 1)
            declare_slot(tw, c, text_str(&name), "slot");
        if (cursor_waits(tw->task, i))
            writer_line(tw->w, "uint32_t %s_parity = %u;", text_str(&name), c->parity);
        if (c->stages > 1 && cursor_is_held(tw->task, i))
            declare_slot(tw, c, text_str(&name), "held");
        text_free(&name);
    }
    for (int i = 0; i < tw->task->status_count; i++)
        if (status_is_live(tw->task, i))
            writer_line(tw->w, "bool ready_%d = false;", i);
}
