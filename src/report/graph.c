/* The kernel as a Graphviz drawing, to be read from left to right.
 *
 *   clusters        tasks; in them one node a work method, joined by the values handed from one to the other
 *   other nodes     resources, inside the task that alone uses both their sides; the shape is their kind:
 *                   stacked box = ring in shared or tensor memory, box = such memory without a pipeline,
 *                   hexagon = barriers only (groups too), octagon = hardware barrier, double octagon = turns,
 *                   arrow = programmatic dependent launch, ellipse = global memory or registers, house = work queue
 *   solid edges     work that fills or empties a resource
 *   dashed edges    auxiliary work, and the tasks a queue deals tiles to
 *   dotted edges    values, and the members of a group
 *   grey edges      the dependency graph, as declared
 *
 * Node names: r<resource>, w<task>_<operation> for the first call of a work method. */
#include "report/report.h"
#include "report/cells.h"

#include "capture/capture.h"

typedef struct resource_kind {
    const char *shape, *fill;
} resource_kind;

static const char shared_fill[] = "#cfe3f7", tensor_fill[] = "#e2d6f3", barrier_fill[] = "#fbe9c6",
                  other_fill[] = "#ececec", queue_fill[] = "#d5ecd4";

static const resource_kind kinds[] = {
    [MODEL_QUEUE_STATIC] = {"house", queue_fill},      [MODEL_QUEUE_CLC] = {"house", queue_fill},
    [MODEL_QUEUE_COUNTER] = {"house", queue_fill},     [MODEL_GROUP] = {"hexagon", barrier_fill},
    [MODEL_NAMED_BARRIER] = {"octagon", barrier_fill}, [MODEL_ORDERED] = {"doubleoctagon", barrier_fill},
    [MODEL_PDL_WAIT] = {"larrow", other_fill},         [MODEL_PDL_LAUNCH] = {"rarrow", other_fill},
};

static resource_kind kind_of(const ww_resource *r)
{
    if (r->kind != MODEL_MEMORY)
        return kinds[r->kind];
    bool memory = r->buffer_count || r->tmem_count, ring = model_pipelined(r);
    if (!memory)
        return ring ? (resource_kind){"hexagon", barrier_fill} : (resource_kind){"ellipse", other_fill};
    return (resource_kind){ring ? "box3d" : "box", r->buffer_count ? shared_fill : tensor_fill};
}

/* Text inside an HTML-like label. */
static void put_text(const char *s, FILE *out)
{
    for (; *s; s++)
        if (*s == '<')
            (void)fputs("&lt;", out);
        else if (*s == '>')
            (void)fputs("&gt;", out);
        else if (*s == '&')
            (void)fputs("&amp;", out);
        else
            (void)fputc(*s, out);
}

static void put_bold(const char *s, FILE *out)
{
    (void)fputs("<b>", out);
    put_text(s, out);
    (void)fputs("</b>", out);
}

/* ---- resources -------------------------------------------------------------------------------------- */

/* Bytes, or columns, of one stage. */
static uint32_t stage_size(const ir_program *p, int resource, ir_space space)
{
    uint32_t size = 0;
    const ir_buffer *b;
    vec_each(b, &p->buffers)
        if (b->resource == resource && b->space == space)
            size += b->stage_bytes;
    return size;
}

static void put_side(const ir_barrier *b, FILE *out)
{
    if (b->side == IR_TURN)
        (void)fprintf(out, "turn %d: %u", b->member, b->arrivals);
    else if (b->side == IR_NAMED)
        (void)fprintf(out, "id %d, %u threads", b->named_id, b->arrivals);
    else
        (void)fprintf(out, "%s %u", b->side == IR_FULL ? "full" : "empty", b->arrivals);
    if (b->tx_bytes)
        (void)fprintf(out, " + %u B", b->tx_bytes);
}

/* "full 1 + 49152 B, empty 8": what completes a phase of each barrier. */
static void put_phases(const ir_program *p, int resource, FILE *out)
{
    const char *before = "<br/>";
    const ir_barrier *b;
    vec_each(b, &p->barriers) {
        if (b->resource != resource)
            continue;
        (void)fputs(before, out);
        put_side(b, out);
        before = ", ";
    }
}

static bool touches(const ir_task *t, int resource)
{
    for (size_t i = 0; i < t->ops.len; i++)
        if (t->ops.at[i].resource == resource)
            return true;
    return false;
}

static bool has_side(const ir_task *t, int resource, ww_side side)
{
    for (size_t i = 0; i < t->ops.len; i++) {
        const ir_op *op = &t->ops.at[i];
        if (op->kind == IR_WORK && op->resource == resource && op->work->declared->side == side)
            return true;
    }
    return false;
}

/* The task that is alone in filling and emptying a resource, and is drawn around it; -1 when there is none.
 */
static int owner_of(const ir_program *p, int resource)
{
    int owner = -1;
    for (int i = 0; i < (int)p->tasks.len; i++) {
        if (!touches(&p->tasks.at[i], resource))
            continue;
        if (owner >= 0)
            return -1;
        owner = i;
    }
    bool both = owner >= 0 && has_side(&p->tasks.at[owner], resource, WW_PRODUCER) &&
                has_side(&p->tasks.at[owner], resource, WW_CONSUMER);
    return both ? owner : -1;
}

/* "<br/>merge of a, b"; what a queue takes its tiles from. */
static void put_what(const ww_resource *r, FILE *out)
{
    static const char *const modes[] = {
        [WW_MERGE] = "merge", [WW_FORK] = "fork", [WW_FUSED_MERGE] = "fused merge"};
    if (r->kind == MODEL_GROUP) {
        (void)fprintf(out, "<br/>%s of ", modes[r->mode]);
        for (int i = 0; i < r->member_count; i++)
            (void)fprintf(out, "%s%s", i ? ", " : "", r->members[i]->name);
    } else if (model_is_dynamic_queue(r)) {
        (void)fputs(r->kind == MODEL_QUEUE_CLC ? "<br/>cluster launch control" : "<br/>counter", out);
    } else if (r->kind == MODEL_PDL_WAIT || r->kind == MODEL_PDL_LAUNCH) {
        (void)fputs(r->kind == MODEL_PDL_WAIT ? "<br/>predecessor" : "<br/>successor", out);
    }
}

static void put_ring(const ww_resource *r, FILE *out)
{
    if (model_pipelined(r) && r->kind != MODEL_GROUP)
        (void)fprintf(out, "<br/>%s, %d stage%s", model_protocol_of(r->pipeline.type)->label, model_stages(r),
                      model_stages(r) == 1 ? "" : "s");
}

static void put_size(const ir_program *p, const ww_resource *r, FILE *out)
{
    uint32_t bytes = stage_size(p, r->index, IR_SHARED), columns = stage_size(p, r->index, IR_TENSOR);
    if (bytes)
        (void)fprintf(out, model_pipelined(r) ? " x %u B" : "<br/>%u B", bytes);
    if (columns)
        (void)fprintf(out, model_pipelined(r) ? " x %u columns" : "<br/>%u columns", columns);
}

static void put_resource(const ir_program *p, const ww_resource *r, FILE *out)
{
    resource_kind kind = kind_of(r);
    (void)fprintf(out, "  r%d [shape=%s, fillcolor=\"%s\", margin=\"0.15,0.1\", label=<", r->index,
                  kind.shape, kind.fill);
    put_bold(r->name, out);
    put_what(r, out);
    put_ring(r, out);
    put_size(p, r, out);
    put_phases(p, r->index, out);
    (void)fputs(">]\n", out);
}

/* The resources that a task owns, or, for -1, those that nobody does. */
static void put_resources(const ir_program *p, int owner, FILE *out)
{
    for (size_t i = 0; i < p->kernel->resources.len; i++)
        if (owner_of(p, (int)i) == owner)
            put_resource(p, p->kernel->resources.at[i], out);
}

/* ---- tasks and their work --------------------------------------------------------------------------- */

/* The first operation that calls the same work method as operation `at`. */
static size_t first_call(const ir_task *t, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (t->ops.at[i].kind == IR_WORK && t->ops.at[i].work == t->ops.at[at].work)
            return i;
    return at;
}

static bool is_first_call(const ir_task *t, size_t at)
{
    return t->ops.at[at].kind == IR_WORK && first_call(t, at) == at;
}

static bool by_tensor_core(const ir_effect *e)
{
    return e->kind == IR_WGMMA_READ || e->kind == IR_UMMA_READ;
}

static bool tensor_core_reads(const ir_program *p, const ir_op *op, int resource)
{
    for (int e = 0; e < op->effect_count; e++)
        if (by_tensor_core(&op->effects[e]) && p->buffers.at[op->effects[e].buffer].resource == resource)
            return true;
    return false;
}

/* Whether the task moves data through that side of a resource by work that a node stands for. */
static bool has_work(const ir_program *p, const ir_task *t, int resource, ww_side side)
{
    for (size_t i = 0; i < t->ops.len; i++) {
        const ir_op *op = &t->ops.at[i];
        if (op->kind == IR_WORK && op->resource == resource && op->work->declared->side == side &&
            !op->work->declared->auxiliary)
            return true;
        if (side == WW_CONSUMER && tensor_core_reads(p, op, resource))
            return true;
    }
    return false;
}

/* Whether operation `at` begins what the task does on one side of a resource. */
static bool begins_side(const ir_task *t, size_t at)
{
    const ir_op *op = &t->ops.at[at];
    for (size_t i = 0; i < at; i++) {
        const ir_op *other = &t->ops.at[i];
        if (other->verb >= 0 && other->resource == op->resource &&
            capture_verb_side((ww_verb)other->verb) == capture_verb_side((ww_verb)op->verb))
            return false;
    }
    return true;
}

/* A side of a pipeline that the task synchronises on without calling work for it: its first verb gets a node. So do
 * the scheduler's fetches; that tasks step from tile to tile goes without saying. */
static bool is_bare_verb(const ir_program *p, const ir_task *t, size_t at)
{
    const ir_op *op = &t->ops.at[at];
    if (op->verb < 0 || op->drain)
        return false;
    ww_side side = capture_verb_side((ww_verb)op->verb);
    bool queue = model_is_queue(p->kernel->resources.at[op->resource]);
    if (queue ? side == WW_CONSUMER : has_work(p, t, op->resource, side))
        return false;
    return begins_side(t, at);
}

static void put_work_node(const ir_program *p, int task, size_t at, FILE *out)
{
    const ir_op *op = &p->tasks.at[task].ops.at[at];
    (void)fprintf(out, "    w%d_%zu [shape=box, style=\"filled,rounded%s\", fillcolor=white, label=<", task,
                  at, op->work->declared->auxiliary ? ",dashed" : "");
    put_bold(op->work->declared->name, out);
    (void)fputs("<br/>", out);
    put_text(p->kernel->resources.at[op->resource]->name, out);
    (void)fputs(">]\n", out);
}

static bool is_probe(int verb)
{
    return verb == WW_TRY_ACQUIRE || verb == WW_TRY_WAIT;
}

/* "acquire, commit": the verbs that the task uses on that side, probes left out. */
static void put_verbs(const ir_task *t, const ir_op *first, FILE *out)
{
    ww_side side = capture_verb_side((ww_verb)first->verb);
    const char *before = "";
    unsigned named = 0;
    const ir_op *op;
    vec_each(op, &t->ops) {
        if (op->verb < 0 || op->resource != first->resource || capture_verb_side((ww_verb)op->verb) != side ||
            is_probe(op->verb) || named >> op->verb & 1)
            continue;
        named |= 1u << op->verb;
        (void)fprintf(out, "%s%s", before, capture_verb_name((ww_verb)op->verb));
        before = ", ";
    }
}

static void put_verb_node(const ir_program *p, int task, size_t at, FILE *out)
{
    const ir_task *t = &p->tasks.at[task];
    const ir_op *op = &t->ops.at[at];
    (void)fprintf(out, "    w%d_%zu [shape=plaintext, style=\"\", label=\"", task, at);
    if (model_is_queue(p->kernel->resources.at[op->resource]))
        (void)fputs("fetch_tile", out);
    else
        put_verbs(t, op, out);
    (void)fputs("\"]\n", out);
}

static void put_task_label(const ir_program *p, const ir_task *t, FILE *out)
{
    (void)fputs("    label=<", out);
    put_bold(t->name, out);
    if (t->warps == 1)
        (void)fprintf(out, "<br align=\"left\"/>warp %d", t->first_warp);
    else
        (void)fprintf(out, "<br align=\"left\"/>warps %d to %d", t->first_warp, t->first_warp + t->warps - 1);
    if (t->registers)
        (void)fprintf(out, ", %d registers", t->registers);
    if (t->only_cta >= 0)
        (void)fprintf(out, ", rank %d only", t->only_cta);
    if (t->queue >= 0) {
        (void)fputs("<br align=\"left\"/>tiles of ", out);
        put_text(p->kernel->resources.at[t->queue]->name, out);
    }
    (void)fputs("<br align=\"left\"/>>\n", out);
}

static void put_task(const ir_program *p, int task, FILE *out)
{
    const ir_task *t = &p->tasks.at[task];
    (void)fprintf(out, "  subgraph cluster_%d {\n", task);
    put_task_label(p, t, out);
    put_resources(p, task, out);
    for (size_t i = 0; i < t->ops.len; i++)
        if (is_first_call(t, i))
            put_work_node(p, task, i, out);
        else if (is_bare_verb(p, t, i))
            put_verb_node(p, task, i, out);
    (void)fputs("  }\n", out);
}

/* ---- edges ------------------------------------------------------------------------------------------ */

static uint32_t copied_bytes(const ir_op *op)
{
    uint32_t bytes = 0;
    for (int e = 0; e < op->effect_count; e++)
        bytes += op->effects[e].kind == IR_COPY_IN ? op->effects[e].bytes : 0;
    return bytes;
}

static bool multicasts(const ir_op *op)
{
    for (int e = 0; e < op->effect_count; e++)
        if (op->effects[e].kind == IR_COPY_IN && op->effects[e].reach != WW_REACH_OWN)
            return true;
    return false;
}

/* Between a work node and the resource it belongs to. */
static void put_work_edge(int task, size_t at, const ir_op *op, FILE *out)
{
    bool producer = op->work->declared->side == WW_PRODUCER;
    if (producer)
        (void)fprintf(out, "  w%d_%zu -> r%d [", task, at, op->resource);
    else
        (void)fprintf(out, "  r%d -> w%d_%zu [", op->resource, task, at);
    (void)fprintf(out, "style=%s", op->work->declared->auxiliary ? "dashed" : "solid");
    if (copied_bytes(op))
        (void)fprintf(out, ", label=\"TMA%s, %u B\"", multicasts(op) ? " multicast" : "", copied_bytes(op));
    (void)fputs("]\n", out);
}

/* From the resources whose slots the tensor core reads on behalf of another resource's work. */
static void put_tensor_edges(const ir_program *p, int task, size_t at, FILE *out)
{
    const ir_op *op = &p->tasks.at[task].ops.at[at];
    int last = -1; /* one edge a resource, its buffers follow each other */
    for (int e = 0; e < op->effect_count; e++) {
        int resource = p->buffers.at[op->effects[e].buffer].resource;
        if (by_tensor_core(&op->effects[e]) && resource != op->resource && resource != last) {
            (void)fprintf(out, "  r%d -> w%d_%zu [label=\"%s\"]\n", resource, task, at,
                          op->effects[e].kind == IR_WGMMA_READ ? "wgmma" : "umma");
            last = resource;
        }
    }
}

static void put_verb_edge(int task, size_t at, const ir_op *op, FILE *out)
{
    if (op->verb == WW_SYNC)
        (void)fprintf(out, "  w%d_%zu -> r%d [dir=both]\n", task, at, op->resource);
    else if (capture_verb_side((ww_verb)op->verb) == WW_PRODUCER)
        (void)fprintf(out, "  w%d_%zu -> r%d\n", task, at, op->resource);
    else
        (void)fprintf(out, "  r%d -> w%d_%zu\n", op->resource, task, at);
}

/* The node that makes an input of a work call. */
static size_t maker_of(const ir_task *t, const ir_op *op, int input)
{
    return first_call(t, (size_t)t->values.at[op->in[input]].producer);
}

/* Whether an earlier call of the same work method took an input of that name from the same maker. */
static bool handed_before(const ir_task *t, size_t at, int input)
{
    const ir_op *op = &t->ops.at[at];
    for (size_t i = 0; i < at; i++) {
        const ir_op *other = &t->ops.at[i];
        if (other->kind == IR_WORK && other->work == op->work && other->in[input] >= 0 &&
            maker_of(t, other, input) == maker_of(t, op, input))
            return true;
    }
    return false;
}

/* Names of the inputs from `input` on that come from the same maker; all of them share an edge. */
static void put_value_names(const ir_task *t, const ir_op *op, int input, FILE *out)
{
    size_t maker = maker_of(t, op, input);
    const char *before = "";
    for (int i = input; i < op->work->in_count; i++)
        if (op->in[i] >= 0 && maker_of(t, op, i) == maker) {
            (void)fprintf(out, "%s%s", before, op->work->in[i].name);
            before = ", ";
        }
}

static bool shares_edge(const ir_task *t, const ir_op *op, int input)
{
    for (int i = 0; i < input; i++)
        if (op->in[i] >= 0 && maker_of(t, op, i) == maker_of(t, op, input))
            return true;
    return false;
}

static void put_value_edges(const ir_task *t, int task, size_t at, FILE *out)
{
    const ir_op *op = &t->ops.at[at];
    for (int i = 0; op->kind == IR_WORK && i < op->work->in_count; i++) {
        if (op->in[i] < 0 || shares_edge(t, op, i) || handed_before(t, at, i))
            continue;
        (void)fprintf(out, "  w%d_%zu -> w%d_%zu [style=dotted, label=\"", task, maker_of(t, op, i), task,
                      first_call(t, at));
        put_value_names(t, op, i, out);
        (void)fputs("\"]\n", out);
    }
}

static void put_task_edges(const ir_program *p, int task, FILE *out)
{
    const ir_task *t = &p->tasks.at[task];
    for (size_t i = 0; i < t->ops.len; i++) {
        if (is_first_call(t, i)) {
            put_work_edge(task, i, &t->ops.at[i], out);
            put_tensor_edges(p, task, i, out);
        } else if (is_bare_verb(p, t, i)) {
            put_verb_edge(task, i, &t->ops.at[i], out);
        }
        put_value_edges(t, task, i, out);
    }
}

/* A queue points at the cluster of each task that loops over its tiles; edges end at a node, so at its first.
 */
static void put_queue_edge(const ir_program *p, int task, FILE *out)
{
    const ir_task *t = &p->tasks.at[task];
    if (t->queue < 0)
        return;
    for (size_t i = 0; i < t->ops.len; i++)
        if (is_first_call(t, i) || is_bare_verb(p, t, i)) {
            (void)fprintf(out, "  r%d -> w%d_%zu [lhead=cluster_%d, style=dashed, color=\"#5b9a58\"]\n",
                          t->queue, task, i, task);
            return;
        }
}

static void put_dependencies(const ir_program *p, FILE *out)
{
    for (size_t i = 0; i < p->kernel->edges.len; i++) {
        const model_edge *edge = &p->kernel->edges.at[i];
        if (edge->upstream >= 0)
            (void)fprintf(out,
                          "  r%d -> r%d [color=\"#c4c4c4\", style=dashed, arrowhead=vee, constraint=false]\n",
                          edge->upstream, edge->downstream);
    }
}

/* From a resource to the group that holds some of its barriers. */
static void put_members(const ir_program *p, FILE *out)
{
    for (size_t i = 0; i < p->kernel->resources.len; i++) {
        const ww_resource *r = p->kernel->resources.at[i];
        if (r->in_group)
            (void)fprintf(out, "  r%d -> r%d [style=dotted, arrowhead=none]\n", r->index, r->in_group->index);
    }
}

/* ---- the whole -------------------------------------------------------------------------------------- */

static const char preamble[] =
    "  rankdir=LR; compound=true; nodesep=0.3; ranksep=0.6; fontname=\"Helvetica\"; fontsize=12\n"
    "  style=\"rounded,filled\"; fillcolor=\"#f7f4ee\"; color=\"#b9b09c\"; labeljust=l\n"
    "  node [fontname=\"Helvetica\", fontsize=11, style=filled, color=\"#6b7785\"]\n"
    "  edge [fontname=\"Helvetica\", fontsize=9, color=\"#44546a\", arrowsize=0.7]\n";

static void put_title(const ir_program *p, FILE *out)
{
    (void)fputs("  labelloc=t; label=<", out);
    put_bold(p->kernel->name, out);
    (void)fprintf(out, ": %d warps, %u of %u bytes of shared memory", p->warps, p->kernel->smem_bytes,
                  model_smem_capacity(p->kernel));
    if (p->kernel->tmem_columns)
        (void)fprintf(out, ", %d columns of tensor memory", p->kernel->tmem_columns);
    if (p->cluster_size > 1)
        (void)fprintf(out, ", clusters of %d", p->cluster_size);
    (void)fputs(">\n", out);
}

void report_graph(const ir_program *p, FILE *out)
{
    (void)fprintf(out, "digraph \"%s\" {\n%s", p->kernel->name, preamble);
    put_title(p, out);
    put_resources(p, -1, out);
    for (int i = 0; i < (int)p->tasks.len; i++)
        if (p->tasks.at[i].ops.len)
            put_task(p, i, out);
    for (int i = 0; i < (int)p->tasks.len; i++) {
        put_task_edges(p, i, out);
        put_queue_edge(p, i, out);
    }
    put_members(p, out);
    put_dependencies(p, out);
    (void)fputs("}\n", out);
}
