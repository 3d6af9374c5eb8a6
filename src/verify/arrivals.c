/* Arrivals: a count that the author gives is what the schedules make, and wherever somebody waits on a barrier, in
 * every CTA and on every interleave lane, it receives that many. */
#include "verify/arrivers.h"
#include "verify/rules.h"

enum { WARP_LANES = 32 };

static const char *side_name(ir_side side)
{
    return side == IR_FULL ? "full" : "empty";
}

/* ---- a declared count ------------------------------------------------------------------------------- */

/* Warps of one CTA that release: where a release is one lane a warp, all their lanes may arrive, at home. */
static uint32_t releasing_lanes(const arrivers *a)
{
    uint32_t warps = 0;
    for (int i = 0; i < a->count; i++)
        warps += (uint32_t)a->at[i].task->warps;
    return WARP_LANES * warps;
}

static bool may_release_by_all(const rule_run *run, const ww_resource *owner, ir_side side)
{
    const model_protocol *protocol = model_protocol_of(owner->pipeline.type);
    bool at_home = run->program->cluster_size == 1 || protocol->empty_to == MODEL_TO_OWN ||
                   protocol->empty_to == MODEL_TO_PEERS;
    return side == IR_EMPTY && protocol->empty_by == MODEL_BY_WARPS && at_home &&
           model_stride(&owner->pipeline, MODEL_END_RELEASE) == 1;
}

static void rest_on_arrivers(const rule_run *run, ww_diag *d, const arrivers *a)
{
    for (int i = 0; i < a->count; i++)
        rule_rests_on_task(run, d, a->at[i].task);
}

static void report_count(const rule_run *run, const arrivers *a, const ww_resource *owner, uint32_t declared)
{
    int rank, lane;
    ir_side side = run->program->barriers.at[a->barrier].side;
    uint32_t made = arrivers_most(a, &rank, &lane), all = releasing_lanes(a);
    text formula = {0};
    arrivers_text(a, rank, lane, &formula);
    if (may_release_by_all(run, owner, side) && all != made)
        text_printf(&formula, " (or %u, all lanes%s)", all,
                    run->program->cluster_size > 1 ? ", each in its own CTA" : "");
    ww_diag *d = rule_finding(run, WW_ARRIVALS, owner->place, ON(.resources = {owner}),
                              "the %s barrier of %s expects %u arrival%s a phase, and %s", side_name(side),
                              owner->name, declared, declared > 1 ? "s" : "",
                              declared > made ? "never receives so many" : "receives more");
    rest_on_arrivers(run, d, a);
    diag_expected(run->diags, d, "%u = %s", made, text_str(&formula));
    diag_found(run->diags, d, ".%s = %u", side == IR_FULL ? "producer_arrivals" : "consumer_arrivals",
               declared);
    diag_hint(run->diags, d, ".%s = %u, or leave it out",
              side == IR_FULL ? "producer_arrivals" : "consumer_arrivals", made);
    text_free(&formula);
}

/* A count of all lanes makes releases arrive at home; those of this type belong elsewhere. */
static bool is_misrouted(const rule_run *run, const arrivers *a, const ww_resource *owner, ir_side side)
{
    return side == IR_EMPTY && a->at[0].op->kind == IR_ARRIVE && a->at[0].op->lanes == MODEL_LANES_ALL &&
           model_protocol_of(owner->pipeline.type)->empty_by == MODEL_BY_WARPS &&
           !may_release_by_all(run, owner, side);
}

static void report_misrouted(const rule_run *run, const ww_resource *owner, uint32_t declared)
{
    uint32_t derived = lower_arrivals(run->kernel, owner, IR_EMPTY);
    ww_diag *d =
        rule_finding(run, WW_ARRIVALS, owner->place, ON(.resources = {owner}),
                     "the empty barrier of %s expects %u arrivals a phase, all lanes of its own CTA, "
                     "and other CTAs release it",
                     owner->name, declared);
    diag_expected(run->diags, d, "%u, one lane a warp (pipeline type %s)", derived,
                  model_protocol_of(owner->pipeline.type)->label);
    diag_found(run->diags, d, ".consumer_arrivals = %u", declared);
    diag_hint(run->diags, d, ".consumer_arrivals = %u, or leave it out", derived);
}

/* ---- the same everywhere ---------------------------------------------------------------------------- */

typedef struct waiter {
    const ir_task *task;
    const ir_op *op;
    int rank, lane;
} waiter;

/* The first CTA and lane in which a task waits and the barrier receives another number. */
static bool find_starved(const arrivers *a, uint32_t count, waiter *found)
{
    const ir_program *p = a->program;
    for (size_t i = 0; i < p->tasks.len; i++)
        for (size_t j = 0; j < p->tasks.at[i].ops.len; j++) {
            const ir_op *op = &p->tasks.at[i].ops.at[j];
            if (op->kind != IR_WAIT || op->barrier != a->barrier)
                continue;
            for (int rank = 0; rank < p->cluster_size; rank++)
                for (int lane = 0; lane < a->lanes; lane++) {
                    *found = (waiter){&p->tasks.at[i], op, rank, lane};
                    if (arrivers_runs(p, found->task, op, rank, lane) &&
                        arrivers_count(a, rank, lane) != count)
                        return true;
                }
        }
    return false;
}

bool rule_is_starved(const rule_run *run, const ww_resource *r)
{
    for (size_t i = 0; i < run->program->barriers.len; i++) {
        const ir_barrier *b = &run->program->barriers.at[i];
        bool full = b->side == IR_FULL && b->resource == model_full_owner(r)->index;
        if (!full && (b->side != IR_EMPTY || b->resource != model_empty_owner(r)->index))
            continue;
        arrivers a = arrivers_of(run->program, (int)i);
        waiter found;
        if (find_starved(&a, b->arrivals, &found))
            return true;
    }
    return false;
}

static const char *place_text(const arrivers *a, int rank, int lane, text *out)
{
    if (a->program->cluster_size > 1)
        text_printf(out, "in CTA %d", rank);
    if (a->lanes > 1)
        text_printf(out, "%son lane %d", a->program->cluster_size > 1 ? " " : "", lane);
    return text_str(out);
}

/* A lane that nobody serves is an interleave mistake, another CTA's barrier one of signalling. */
static ww_code code_for(const arrivers *a, const waiter *w)
{
    for (int lane = 0; lane < a->lanes; lane++)
        if (arrivers_count(a, w->rank, lane) != arrivers_count(a, w->rank, w->lane))
            return WW_INTERLEAVE;
    return WW_ARRIVALS;
}

static void report_starved(const rule_run *run, const arrivers *a, const ww_resource *owner, const waiter *w)
{
    const ir_barrier *b = &run->program->barriers.at[a->barrier];
    int rank, lane;
    text where = {0}, formula = {0}, elsewhere = {0};
    (void)arrivers_most(a, &rank, &lane);
    arrivers_text(a, rank, lane, &formula);
    ww_code code = code_for(a, w);
    ww_diag *d = rule_finding(
        run, code, w->op->place, ON({w->task}, {owner}),
        "task %s waits %s for the %s barrier of %s, which receives another number of arrivals there",
        w->task->name, place_text(a, w->rank, w->lane, &where), side_name(b->side), owner->name);
    rest_on_arrivers(run, d, a);
    diag_expected(run->diags, d, "%u = %s, as %s", b->arrivals, text_str(&formula),
                  place_text(a, rank, lane, &elsewhere));
    diag_found(run->diags, d, "%u", arrivers_count(a, w->rank, w->lane));
    if (code == WW_INTERLEAVE)
        diag_hint(run->diags, d, "one task or warp for each lane on both sides of %s", owner->name);
    else
        diag_hint(run->diags, d,
                  "let the same CTAs wait that are signalled (.producer_signaling, .consumer_signaling, "
                  ".only_cta)");
    diag_related(run->diags, d, owner->place, "%s is declared here", owner->name);
    text_free(&where);
    text_free(&formula);
    text_free(&elsewhere);
}

/* ---- all barriers ----------------------------------------------------------------------------------- */

/* Tasks that do not fit the lanes or the CTAs, and verbs on the wrong resource, have been reported as such. */
static bool is_reported(const rule_run *run, const ww_resource *owner)
{
    if (owner->in_group && rule_any_broken(run, (size_t)owner->index))
        return true;
    if (rule_lanes_misfit(run, owner) || rule_pinned_misfit(run, owner))
        return true;
    for (int i = 0; i < owner->member_count; i++)
        if (is_reported(run, owner->members[i]))
            return true;
    return false;
}

static uint32_t declared_by(const ww_resource *r, ir_side side)
{
    return side == IR_FULL ? r->pipeline.producer_arrivals : r->pipeline.consumer_arrivals;
}

/* Those that a member of a group makes on the shared barrier; all, where the verb is the group's. */
static arrivers part_of(const arrivers *a, const ww_resource *member)
{
    arrivers own = *a;
    own.count = 0;
    for (int i = 0; i < a->count; i++)
        if (a->at[i].op->resource == member->index)
            own.at[own.count++] = a->at[i];
    return own.count ? own : *a;
}

/* A member declares the pipeline that it would have alone; what it says of a shared barrier must fit, too. */
static void check_members(const rule_run *run, const arrivers *a, const ww_resource *g, ir_side side)
{
    for (int i = 0; i < g->member_count; i++) {
        const ww_resource *m = g->members[i];
        int rank, lane;
        if ((side == IR_FULL ? model_full_owner(m) : model_empty_owner(m)) != g || !declared_by(m, side))
            continue;
        arrivers own = part_of(a, m);
        if (declared_by(m, side) != arrivers_most(&own, &rank, &lane))
            report_count(run, &own, m, declared_by(m, side));
    }
}

static void check_barrier(const rule_run *run, int barrier)
{
    const ir_barrier *b = &run->program->barriers.at[barrier];
    const ww_resource *owner = rule_resource(run, b->resource);
    if ((b->side != IR_FULL && b->side != IR_EMPTY) || is_reported(run, owner))
        return;
    arrivers a = arrivers_of(run->program, barrier);
    int rank, lane;
    uint32_t declared = declared_by(owner, b->side);
    uint32_t made = arrivers_most(&a, &rank, &lane);
    waiter starved;
    if (!made)
        return; /* nobody arrives at all: reported by coverage */
    check_members(run, &a, owner, b->side);
    if (declared && is_misrouted(run, &a, owner, b->side))
        report_misrouted(run, owner, declared);
    else if (declared && declared != made)
        report_count(run, &a, owner, declared);
    else if (find_starved(&a, b->arrivals, &starved))
        report_starved(run, &a, owner, &starved);
}

void verify_arrivals(const rule_run *run)
{
    for (size_t i = 0; i < run->program->barriers.len; i++)
        check_barrier(run, (int)i);
}
