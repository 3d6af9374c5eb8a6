/* Who completes a phase of which barrier: the arrivals, and the bytes of bulk copies, recomputed from the operations
 * and compared with what the barrier expects.
 *
 * In a cluster each barrier exists once a CTA, and with interleaving not every warp comes to every slot. What is printed
 * is the barrier of the first CTA and slot that anybody arrives at; a disagreement is looked for in all of them. */
#include "report/summary.h"
#include "report/cells.h"

#include "capture/capture.h"

enum { WARP_LANES = 32 };

/* One barrier of an array: in which CTA, at which slot. */
typedef struct place {
    int rank, slot;
} place;

static const char *resource_name(const ir_program *p, int resource)
{
    return p->kernel->resources.at[resource]->name;
}

static const char *plural(uint32_t n)
{
    return n == 1 ? "" : "s";
}

/* ---- one operation ---------------------------------------------------------------------------------- */

/* The ranks at whose barrier the operation acts, executed in CTA `rank`. */
static uint32_t targets_of(const ir_program *p, const ir_op *op, int rank)
{
    const ww_resource *r = p->kernel->resources.at[op->resource];
    bool local = p->barriers.at[op->barrier].side == IR_NAMED || op->kind == IR_COPY_ARRIVE ||
                 op->to == MODEL_TO_OWN || (op->kind == IR_EXPECT && op->to == MODEL_TO_LEADER) ||
                 (op->lanes == MODEL_LANES_ALL && op->to == MODEL_TO_PEERS);
    return local ? 1u << rank : model_targets(&p->cluster, op->to, &r->pipeline, rank);
}

/* Whether an operation of the task runs in CTA `rank`. */
static bool runs_in(const ir_program *p, const ir_task *t, const ir_op *op, int rank)
{
    return (t->only_cta < 0 || t->only_cta == rank) && model_gate_open(&p->cluster, op->gate, rank);
}

/* The ranks (bits) that arrive by it at the barrier of CTA `rank`. */
static uint32_t sources_of(const ir_program *p, const ir_task *t, const ir_op *op, int rank)
{
    uint32_t sources = 0;
    for (int from = 0; from < p->cluster_size; from++)
        if (runs_in(p, t, op, from) && targets_of(p, op, from) >> rank & 1)
            sources |= 1u << from;
    return sources;
}

static uint32_t ctas_of(const ir_program *p, const ir_task *t, const ir_op *op, int rank)
{
    uint32_t ctas = 0;
    for (uint32_t sources = sources_of(p, t, op, rank); sources; sources &= sources - 1)
        ctas++;
    return ctas;
}

static void put_ranks(uint32_t ranks, FILE *out)
{
    const char *before = "";
    for (int rank = 0; rank < 32; rank++)
        if (ranks >> rank & 1) {
            (void)fprintf(out, "%s%d", before, rank);
            before = ", ";
        }
}

/* How many warps of the task come to a slot. */
static uint32_t warps_of(const ir_task *t, const ir_op *op, int slot)
{
    const ir_cursor *c = &t->cursors.at[op->cursor];
    if (op->lanes == MODEL_LANES_FIRST)
        return 1;
    if (c->lane == IR_LANE_BY_WARP)
        return (uint32_t)(t->warps / c->stride);
    bool other_lane = c->lane == IR_LANE_FIXED && c->stride > 1 && slot % c->stride != c->first % c->stride;
    return other_lane ? 0 : (uint32_t)t->warps;
}

static uint32_t lanes_of(const ir_op *op)
{
    bool all = op->kind == IR_COPY_ARRIVE || (op->kind == IR_ARRIVE && op->lanes == MODEL_LANES_ALL);
    return all ? WARP_LANES : 1;
}

static uint32_t arrivals_of(const ir_program *p, const ir_task *t, const ir_op *op, place at)
{
    return warps_of(t, op, at.slot) * lanes_of(op) * ctas_of(p, t, op, at.rank);
}

/* The operation by which a task arrives on a barrier on behalf of a resource, unless an earlier one did. A schedule may
 * hold it several times (under guards): each phase sees one of them. */
static bool is_first_arrival(const ir_task *t, size_t at)
{
    const ir_op *op = &t->ops.at[at];
    if (!ir_is_arrival(op))
        return false;
    for (size_t i = 0; i < at; i++) {
        const ir_op *other = &t->ops.at[i];
        if (ir_is_arrival(other) && other->barrier == op->barrier && other->resource == op->resource)
            return false;
    }
    return true;
}

/* ---- one barrier ------------------------------------------------------------------------------------ */

static uint32_t sum_at(const ir_program *p, int barrier, place at)
{
    uint32_t sum = 0;
    const ir_task *t;
    vec_each(t, &p->tasks)
        for (size_t i = 0; i < t->ops.len; i++)
            if (is_first_arrival(t, i) && t->ops.at[i].barrier == barrier)
                sum += arrivals_of(p, t, &t->ops.at[i], at);
    return sum;
}

/* The first place that anybody arrives at; false when there is none. */
static bool find_place(const ir_program *p, int barrier, place *at)
{
    for (at->rank = 0; at->rank < p->cluster_size; at->rank++)
        for (at->slot = 0; at->slot < p->barriers.at[barrier].stages; at->slot++)
            if (sum_at(p, barrier, *at))
                return true;
    *at = (place){0, 0};
    return false;
}

/* A number of arrivals other than expected, at any place where somebody arrives; else the expected one. */
static uint32_t find_mismatch(const ir_program *p, int barrier)
{
    const ir_barrier *b = &p->barriers.at[barrier];
    bool any = false;
    for (int rank = 0; rank < p->cluster_size; rank++)
        for (int slot = 0; slot < b->stages; slot++) {
            uint32_t sum = sum_at(p, barrier, (place){rank, slot});
            any |= sum > 0;
            if (sum && sum != b->arrivals)
                return sum;
        }
    return any ? b->arrivals : 0;
}

/* What the schedule calls: of a queue's ring, the steps that deal with tiles. */
static const char *verb_of(const ir_program *p, const ir_op *op)
{
    if (model_is_queue(p->kernel->resources.at[op->resource]))
        return op->kind == IR_EXPECT ? "fetch_tile" : "advance_tile";
    return capture_verb_name((ww_verb)op->verb);
}

static const char *unit_of(const ir_op *op)
{
    return op->kind == IR_UMMA_COMMIT   ? "1 commit"
           : op->kind == IR_COPY_ARRIVE ? "32 lanes' copies"
           : lanes_of(op) > 1           ? "32 lanes"
                                        : "1 lane";
}

/* Which CTAs of a cluster arrive: " x all 2 CTAs", " x 2 CTAs (0, 1)", " in CTA 0" */
static void put_sources(const ir_program *p, uint32_t sources, uint32_t ctas, FILE *out)
{
    if (p->cluster_size == 1)
        return;
    if (ctas == (uint32_t)p->cluster_size) {
        (void)fprintf(out, " x all %u CTAs", ctas);
        return;
    }
    if (ctas == 1)
        (void)fputs(" in CTA ", out);
    else
        (void)fprintf(out, " x %u CTAs (", ctas);
    put_ranks(sources, out);
    (void)fputs(ctas == 1 ? "" : ")", out);
}

/* "math by release: 8 warps x 1 lane x 2 CTAs (0, 1)" */
static void put_contribution(const ir_program *p, const ir_task *t, const ir_op *op, place at, FILE *out)
{
    const ir_cursor *c = &t->cursors.at[op->cursor];
    uint32_t warps = warps_of(t, op, at.slot), ctas = ctas_of(p, t, op, at.rank);
    (void)fprintf(out, "%s by %s: ", t->name, verb_of(p, op));
    if (warps != (uint32_t)t->warps)
        (void)fprintf(out, "%u of ", warps);
    (void)fprintf(out, "%d warp%s x %s", t->warps, plural((uint32_t)t->warps), unit_of(op));
    put_sources(p, sources_of(p, t, op, at.rank), ctas, out);
    if (c->lane == IR_LANE_FIXED && c->stride > 1)
        (void)fprintf(out, " in lane %d of %d", c->first % c->stride, c->stride);
}

/* Whether the operation reaches the barriers of that CTA, whatever the slot. */
static bool contributes(const ir_program *p, const ir_task *t, const ir_op *op, int barrier, int rank)
{
    return op->barrier == barrier && ctas_of(p, t, op, rank);
}

static void put_contributions(const ir_program *p, int barrier, FILE *out)
{
    const char *before = "";
    place at;
    bool any = find_place(p, barrier, &at);
    const ir_task *t;
    vec_each(t, &p->tasks)
        for (size_t i = 0; any && i < t->ops.len; i++)
            if (is_first_arrival(t, i) && contributes(p, t, &t->ops.at[i], barrier, at.rank)) {
                (void)fputs(before, out);
                /* a lane of its own speaks of its own slots */
                const ir_cursor *c = &t->cursors.at[t->ops.at[i].cursor];
                place own = {at.rank, c->lane == IR_LANE_FIXED ? c->first : at.slot};
                put_contribution(p, t, &t->ops.at[i], own, out);
                before = "; ";
            }
    (void)fputs(any ? "" : "nobody", out);
}

/* ---- bytes ------------------------------------------------------------------------------------------ */

/* Whether an earlier operation of the task calls the same work method: a peeled or guarded repetition. */
static bool called_before(const ir_task *t, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (t->ops.at[i].kind == IR_WORK && t->ops.at[i].work == t->ops.at[at].work)
            return true;
    return false;
}

/* The ranks whose barrier counts the bytes that a copy puts into CTA `rank`. */
static uint32_t counters_of(const ir_program *p, const ir_op *op, const ir_effect *e, int rank)
{
    const ww_resource *r = p->kernel->resources.at[op->resource];
    return e->to == MODEL_TO_OWN ? 1u << rank : model_targets(&p->cluster, e->to, &r->pipeline, rank);
}

/* How many copies, over all CTAs, complete on the barrier of CTA `rank`. */
static uint32_t copies_to(const ir_program *p, const ir_task *t, const ir_op *op, const ir_effect *e,
                          int rank)
{
    uint32_t copies = 0;
    for (int from = 0; from < p->cluster_size; from++) {
        uint32_t reached = model_reach(&p->cluster, e->reach, from);
        for (int to = 0; runs_in(p, t, op, from) && to < p->cluster_size; to++)
            copies += reached >> to & 1 && counters_of(p, op, e, to) >> rank & 1;
    }
    return copies;
}

static void put_task_copies(const ir_program *p, const ir_task *t, int barrier, int rank, const char **before,
                            FILE *out)
{
    for (size_t i = 0; i < t->ops.len; i++) {
        const ir_op *op = &t->ops.at[i];
        for (int e = 0; e < op->effect_count; e++) {
            const ir_effect *effect = &op->effects[e];
            if (effect->kind != IR_COPY_IN || effect->barrier != barrier || called_before(t, i))
                continue;
            uint32_t copies = copies_to(p, t, op, effect, rank);
            (void)fprintf(out, "%s%s %u", *before, p->buffers.at[effect->buffer].name, effect->bytes);
            if (copies != 1)
                (void)fprintf(out, " x %u copies", copies);
            *before = " + ";
        }
    }
}

/* The copies that complete on a barrier, as a sum: " of a 16384 x 2 copies + b 32768". */
static void put_copies(const ir_program *p, int barrier, FILE *out)
{
    const char *before = " of ";
    place at;
    (void)find_place(p, barrier, &at);
    for (size_t i = 0; i < p->tasks.len; i++)
        put_task_copies(p, &p->tasks.at[i], barrier, at.rank, &before, out);
}

/* ---- the block -------------------------------------------------------------------------------------- */

void summary_barrier_name(const ir_program *p, const ir_barrier *b, text *out)
{
    static const char *const sides[] = {[IR_FULL] = ".full", [IR_EMPTY] = ".empty"};
    text_add(out, resource_name(p, b->resource));
    if (b->side == IR_TURN)
        text_printf(out, ".turn %d", b->member);
    else if (b->side == IR_NAMED)
        text_printf(out, " (id %d)", b->named_id);
    else
        text_add(out, sides[b->side]);
}

static int barrier_name_width(const ir_program *p)
{
    int width = 7; /* of the heading */
    const ir_barrier *b;
    vec_each(b, &p->barriers) {
        text name = {0};
        summary_barrier_name(p, b, &name);
        width = (int)name.len > width ? (int)name.len : width;
        text_free(&name);
    }
    return width;
}

/* In a cluster: the CTAs at whose barrier anybody arrives. */
static void put_homes(const ir_program *p, int barrier, FILE *out)
{
    uint32_t homes = 0;
    place at;
    for (at.rank = 0; at.rank < p->cluster_size; at.rank++)
        for (at.slot = 0; at.slot < p->barriers.at[barrier].stages; at.slot++)
            if (sum_at(p, barrier, at))
                homes |= 1u << at.rank;
    if (p->cluster_size == 1 || !homes)
        return;
    if (homes == (1u << p->cluster_size) - 1) {
        (void)fputs("; one in every CTA", out);
        return;
    }
    (void)fprintf(out, "; one in CTA%s ", homes & (homes - 1) ? "s" : "");
    put_ranks(homes, out);
}

static void put_barrier(const ir_program *p, int barrier, int width, FILE *out)
{
    const ir_barrier *b = &p->barriers.at[barrier];
    text name = {0};
    summary_barrier_name(p, b, &name);
    (void)fprintf(out, "  %-*s  %6d  %8u  ", width, text_str(&name), b->stages, b->arrivals);
    text_free(&name);
    put_contributions(p, barrier, out);
    uint32_t found = find_mismatch(p, barrier);
    if (found != b->arrivals)
        (void)fprintf(out, "  MISMATCH: %u arrive", found);
    if (b->tx_bytes) {
        (void)fprintf(out, "; %u bytes", b->tx_bytes);
        put_copies(p, barrier, out);
    }
    put_homes(p, barrier, out);
    (void)fputs("\n", out);
}

void summary_arrivals(const ir_program *p, FILE *out)
{
    if (p->barriers.len == 0)
        return;
    int width = barrier_name_width(p);
    (void)fprintf(out, "\narrivals a phase%s\n  %-*s  stages  arrivals  who, how many and why\n",
                  p->cluster_size > 1 ? ", at the barrier of the first CTA that has any" : "", width,
                  "barrier");
    for (size_t i = 0; i < p->barriers.len; i++)
        put_barrier(p, (int)i, width, out);
}
