/* singles: barriers without data, what a task must be like for its engine, and look-ahead that locks. */
#include "matrix.h"
#include "matrix_params.h"

#include <stdio.h>

enum { RING_STAGES = 2 };

typedef struct turns {
    ww_resource *barriers[2], *sink;
    int mine;
} turns;

static ww_bound trips(void)
{
    return ww_arg(struct matrix_params, trips, 0);
}

static ww_resource *sink_new(ww_kernel *k)
{
    static const ww_work work[] = {{.name = "mark", .side = WW_PRODUCER}, {0}};
    return ww_resource_new(k, "sink0", &(ww_resource_options){.type = "sink", .work = work});
}

/* Two tasks of four warps. */
static void add_two(ww_kernel *k, ww_schedule_function *schedule, turns *t)
{
    static const char *const names[] = {"ping", "pong"};
    for (t->mine = 0; t->mine < 2; t->mine++)
        ww_task_new(
            k, names[t->mine],
            &(ww_task_options){.first_warp = 4 * t->mine, .warps = 4, .schedule = schedule, .context = t});
}

/* ---- ordered sequences, named barriers ------------------------------------------------------------- */

static void take_turns(ww_schedule *s, void *context)
{
    const turns *t = context;
    ww_domain_loop(s, ww_imm(0), trips(), ww_imm(1)) {
        ww_acquire(s, t->barriers[0]);
        ww_produce(s, t->sink, "mark");
        ww_commit(s, t->barriers[0]);
    }
}

static void declare_ordered(ww_kernel *k, const row *r)
{
    (void)r;
    turns t = {.sink = sink_new(k)};
    t.barriers[0] = ww_ordered_sequence_new(k, "order");
    add_two(k, take_turns, &t);
}

static void meet(ww_schedule *s, void *context)
{
    const turns *t = context;
    ww_domain_loop(s, ww_imm(0), trips(), ww_imm(1)) {
        ww_produce(s, t->sink, "mark");
        ww_sync(s, t->barriers[0]);
    }
}

/* variant: the threads that are stated. */
static void declare_meeting(ww_kernel *k, const row *r)
{
    turns t = {.sink = sink_new(k)};
    t.barriers[0] = ww_named_barrier_new(k, "together", r->variant);
    add_two(k, meet, &t);
}

/* One arrives and goes on, the other waits; and back. */
static void hand_over(ww_schedule *s, void *context)
{
    const turns *t = context;
    ww_domain_loop(s, ww_imm(0), trips(), ww_imm(1)) {
        if (t->mine) {
            ww_sync(s, t->barriers[0]);
            ww_sync_arrive(s, t->barriers[1]);
        } else {
            ww_sync_arrive(s, t->barriers[0]);
            ww_sync(s, t->barriers[1]);
        }
        ww_produce(s, t->sink, "mark");
    }
}

static void declare_hand_over(ww_kernel *k, const row *r)
{
    (void)r;
    turns t = {.sink = sink_new(k)};
    t.barriers[0] = ww_named_barrier_new(k, "there", 0);
    t.barriers[1] = ww_named_barrier_new(k, "back", 0);
    add_two(k, hand_over, &t);
}

/* ---- programmatic dependent launch ----------------------------------------------------------------- */

enum { PDL_BOTH, PDL_WAIT, PDL_LAUNCH };

typedef struct dependent {
    ring ring;
    ww_resource *wait, *launch;
} dependent;

static void copy_after_wait(ww_schedule *s, void *context)
{
    const dependent *d = context;
    if (d->wait)
        ww_griddep_wait(s, d->wait);
    ww_domain_loop(s, ww_imm(0), trips(), ww_imm(1)) {
        ww_acquire(s, d->ring.ring);
        ring_put(s, &d->ring);
        ww_commit(s, d->ring.ring);
    }
    if (d->launch)
        ww_griddep_launch(s, d->launch);
}

static void read_out(ww_schedule *s, void *context)
{
    const dependent *d = context;
    ww_domain_loop(s, ww_imm(0), trips(), ww_imm(1)) {
        ww_wait(s, d->ring.ring);
        ring_take(s, &d->ring, 0);
        ww_release(s, d->ring.ring);
    }
}

/* A launch that waits for no predecessor is refused. */
static void declare_pdl(ww_kernel *k, const row *r)
{
    dependent d = {0};
    ring_declare(&d.ring, k, &r->forms[0], 0, 1, 1);
    d.wait = r->variant != PDL_LAUNCH ? ww_pdl_wait_new(k, "predecessor") : NULL;
    d.launch = r->variant != PDL_WAIT ? ww_pdl_launch_new(k, "successor") : NULL;
    if (d.wait)
        ww_depends(k, d.ring.ring, d.wait);
    else
        ww_depends(k, d.ring.ring, NULL);
    ww_depends(k, d.ring.sink, d.ring.ring);
    if (d.launch)
        ww_depends(k, d.launch, NULL);
    ww_task_new(k, "load", &(ww_task_options){.warps = 1, .schedule = copy_after_wait, .context = &d});
    ww_task_new(k, "read",
                &(ww_task_options){.first_warp = 4, .warps = 4, .schedule = read_out, .context = &d});
}

/* ---- what tasks must be like ----------------------------------------------------------------------- */

typedef struct misfit {
    ring ring;
} misfit;

static void fill(ww_schedule *s, void *context)
{
    const misfit *m = context;
    ww_domain_loop(s, ww_imm(0), trips(), ww_imm(1)) {
        ww_acquire(s, m->ring.ring);
        ring_put(s, &m->ring);
        ww_commit(s, m->ring.ring);
    }
}

static void empty(ww_schedule *s, void *context)
{
    const misfit *m = context;
    ww_domain_loop(s, ww_imm(0), trips(), ww_imm(1)) {
        ww_wait(s, m->ring.ring);
        ring_take(s, &m->ring, 0);
        ring_settle(s, &m->ring, 0, true);
        ww_release(s, m->ring.ring);
    }
    ring_finish(s, &m->ring, 0);
}

/* variant: the consumer's first warp, its warps, and the producer's. */
#define WARPS(first, empty, fill) ((first)*1024 + (empty)*32 + (fill))

static void declare_misfit(ww_kernel *k, const row *r)
{
    misfit m;
    int fill_warps = r->variant % 32;
    ring_declare(&m.ring, k, &r->forms[0], 0, fill_warps, 1);
    ww_task_options consumer = {
        .first_warp = r->variant / 1024, .warps = r->variant / 32 % 32, .schedule = empty, .context = &m};
    ww_task_options producer = {.first_warp = 12, .warps = fill_warps, .schedule = fill, .context = &m};
    ww_task_new(k, "empty", &consumer);
    ww_task_new(k, "fill", &producer);
}

enum { PIN_BOTH, PIN_CONSUMER };

/* Tasks of one CTA of a cluster. */
static void declare_pinned(ww_kernel *k, const row *r)
{
    misfit m;
    ring_declare(&m.ring, k, &r->forms[0], 0, 1, 1);
    ww_task_options consumer = {.warps = 2, .schedule = empty, .context = &m, .only_cta = WW_ONLY_CTA(0)};
    ww_task_options producer = {.first_warp = 4, .warps = 1, .schedule = fill, .context = &m};
    if (r->variant == PIN_BOTH)
        producer.only_cta = WW_ONLY_CTA(0);
    ww_task_new(k, "empty", &consumer);
    ww_task_new(k, "fill", &producer);
}

static void declare_form(ww_kernel *k, const row *r)
{
    kernel_declare(k, &r->forms[0]);
}

/* ---- rows ------------------------------------------------------------------------------------------ */

typedef void declare_function(ww_kernel *k, const row *r);

static row *add(row_list *rows, const char *arch, declare_function *declare, int variant, const char *name)
{
    row r = {.arch = arch, .cluster = {1, 1, 1, 1}, .declare = declare, .variant = variant};
    text_printf(&r.name, "%s, %s", name, arch);
    vec_push(rows, r);
    return &rows->at[rows->len - 1];
}

static void expect(row *r, ww_code code, bool declared)
{
    codes_add(&r->expected.codes, code);
    r->expected.declared = declared;
}

/* On every architecture, or those that have `needs`. */
static void add_everywhere(row_list *rows, unsigned needs, declare_function *declare, int variant,
                           const char *name, ww_code expected)
{
    for (int i = 0; i < arch_count(); i++) {
        row *r = add(rows, arch_name(i), declare, variant, name);
        ww_pipeline_type type = arch_has(r->arch, ARCH_BULK) ? WW_TMA_ASYNC : WW_ASYNC_ASYNC;
        r->forms[0] =
            (form){.arch = r->arch, .cluster = r->cluster, .pipeline = {.type = type, .stages = RING_STAGES}};
        if (!arch_has(r->arch, needs))
            expect(r, WW_NEEDS_ARCH, true);
        else if (expected)
            expect(r, expected, false);
    }
}

static void add_typed(row_list *rows, declare_function *declare, ww_pipeline p, int variant, const char *name,
                      ww_code expected, bool declared)
{
    char full[96];
    (void)snprintf(full, sizeof full, "%s, %s", type_label(p.type), name);
    row *r = add(rows, arch_for(p.type, 1), declare, variant, full);
    if (type_producer(p.type) == AGENT_PEER)
        r->cluster.m = 2;
    r->forms[0] = (form){.arch = r->arch, .cluster = r->cluster, .pipeline = p, .too_far_ahead = true};
    if (expected)
        expect(r, expected, declared);
}

/* A side cannot open more slots than there are. Two sides that are each a slot ahead in a ring of two
 * wait for each other: the consumer for the commit of the second slot, the producer before that for the
 * release of the first. Bulk copies fill a slot from acquire on, whenever the commit comes. */
static void add_locked(row_list *rows)
{
    for (int type = WW_ASYNC_ASYNC; type <= WW_PEER_ASYNC; type++) {
        ww_pipeline out = {.type = (ww_pipeline_type)type, .stages = 1, .advance_on_wait = true}, in = out,
                    both = out;
        agent who = type_producer(out.type);
        if (!type_offers(out.type, OFFERS_WAIT_AHEAD | OFFERS_ACQUIRE_AHEAD))
            continue;
        in.advance_on_wait = false;
        in.advance_on_acquire = true;
        both.advance_on_acquire = true;
        both.stages = 2;
        add_typed(rows, declare_form, out, 0, "waits a whole ring ahead", WW_DOUBLE_OPEN, false);
        add_typed(rows, declare_form, in, 0, "acquires a whole ring ahead", WW_DOUBLE_OPEN, false);
        add_typed(rows, declare_form, both, 0, "both a slot ahead in a ring of two",
                  who == AGENT_TMA || who == AGENT_PEER ? WW_NO_CODE : WW_DEADLOCK, false);
    }
}

static void add_tasks(row_list *rows)
{
    ww_pipeline umma = {.type = WW_TMA_UMMA, .stages = 2}, wgmma = {.type = WW_TMA_WGMMA, .stages = 2};
    ww_pipeline tma = {.type = WW_TMA_ASYNC, .stages = 2}, led = tma, lanes = tma;
    led.producer_signaling = WW_SIGNAL_WARP_LEADER;
    lanes.stride.all = 2;
    static const struct {
        int warps;
        const char *name;
        ww_code code;
    } umma_tasks[] = {{WARPS(0, 1, 1), "a tcgen05 task of one warp", WW_NO_CODE},
                      {WARPS(0, 2, 1), "a tcgen05 task of two warps", WW_TENSOR_CORE}},
      wgmma_tasks[] = {{WARPS(0, 4, 1), "a warpgroup", WW_NO_CODE},
                       {WARPS(0, 8, 1), "two warpgroups", WW_NO_CODE},
                       {WARPS(0, 2, 1), "half a warpgroup", WW_TENSOR_CORE},
                       {WARPS(2, 4, 1), "four warps that are no warpgroup", WW_TENSOR_CORE}};
    for (size_t i = 0; i < ARRAY_LEN(umma_tasks); i++)
        add_typed(rows, declare_misfit, umma, umma_tasks[i].warps, umma_tasks[i].name, umma_tasks[i].code,
                  false);
    for (size_t i = 0; i < ARRAY_LEN(wgmma_tasks); i++)
        add_typed(rows, declare_misfit, wgmma, wgmma_tasks[i].warps, wgmma_tasks[i].name, wgmma_tasks[i].code,
                  false);
    add_typed(rows, declare_misfit, tma, WARPS(0, 2, 2), "two warps that all announce", WW_SIGNALING, false);
    add_typed(rows, declare_misfit, led, WARPS(0, 2, 4), "four warps and their leader", WW_NO_CODE, false);
    add_typed(rows, declare_misfit, lanes, WARPS(0, 2, 1), "two lanes and one warp", WW_INTERLEAVE, false);
    add_typed(rows, declare_misfit, lanes, WARPS(0, 3, 2), "two lanes and three warps", WW_INTERLEAVE, false);
}

/* Lanes that are tasks, where the other rows have warps. */
static void add_lanes(row_list *rows)
{
    for (int type = WW_ASYNC_ASYNC; type <= WW_PEER_ASYNC; type++) {
        ww_pipeline p = {.type = (ww_pipeline_type)type, .stages = 4, .stride = {.all = 2}};
        if (!type_offers(p.type, OFFERS_STRIDE_IN) || !type_offers(p.type, OFFERS_STRIDE_OUT))
            continue;
        add_typed(rows, declare_form, p, 0, "lanes by tasks", WW_NO_CODE, false);
        row *r = &rows->at[rows->len - 1];
        r->forms[0].too_far_ahead = false;
        r->forms[0].lane_tasks = true;
    }
}

static void add_pinned(row_list *rows)
{
    ww_pipeline p = {.type = WW_TMA_ASYNC, .stages = 2};
    add_typed(rows, declare_pinned, p, PIN_BOTH, "both tasks in CTA 0 of 2", WW_NO_CODE, false);
    rows->at[rows->len - 1].cluster.m = 2;
    add_typed(rows, declare_pinned, p, PIN_CONSUMER, "the consumer in CTA 0 of 2", WW_SIGNALING, false);
    rows->at[rows->len - 1].cluster.m = 2;
}

static void add_wait_signaling(row_list *rows)
{
    for (int type = WW_ASYNC_ASYNC; type <= WW_PEER_ASYNC; type++) {
        ww_pipeline p = {.type = (ww_pipeline_type)type, .stages = 2, .wait_signaling = WW_SIGNAL_ALL};
        bool offered = type_offers(p.type, OFFERS_WAIT_SIGNALS);
        add_typed(rows, declare_form, p, 0, "signalling of its own for wait",
                  offered ? WW_SIGNALING : WW_OPTION, !offered);
        rows->at[rows->len - 1].forms[0].counter = true;
    }
}

static void add_members(row_list *rows)
{
    ww_pipeline op = {.type = WW_ASYNC_ASYNC, .stages = 2}, shifted = op, none = op;
    ww_pipeline peer = {.type = WW_PEER_ASYNC, .stages = 2, .peer_shift = 1};
    int warps = WARPS(0, 2, 1);
    op.producer_op = (ww_producer_op)7;
    shifted.peer_shift = 1;
    none.stages = 0;
    add_typed(rows, declare_misfit, op, warps, "an unknown producer_op", WW_BAD_VALUE, true);
    add_typed(rows, declare_misfit, shifted, warps, "a peer_shift", WW_OPTION, true);
    add_typed(rows, declare_misfit, peer, warps, "a peer_shift of 1", WW_NO_CODE, false);
    peer.peer_shift = 2;
    add_typed(rows, declare_misfit, peer, warps, "a peer_shift of 2 in a cluster of 2", WW_BAD_CLUSTER, true);
    add_typed(rows, declare_misfit, none, warps, "no stages", WW_BAD_VALUE, true);
}

void rows_add_singles(row_list *rows)
{
    add_everywhere(rows, ARCH_BULK, declare_ordered, 0, "an ordered sequence", WW_NO_CODE);
    add_everywhere(rows, ARCH_MBARRIER, declare_meeting, 0, "a named barrier", WW_NO_CODE);
    add_everywhere(rows, ARCH_MBARRIER, declare_meeting, 256, "a named barrier of 256 threads", WW_NO_CODE);
    add_everywhere(rows, ARCH_MBARRIER, declare_meeting, 128, "a named barrier of too few threads",
                   WW_NAMED_BARRIER);
    add_everywhere(rows, ARCH_MBARRIER, declare_hand_over, 0, "two named barriers, there and back",
                   WW_NO_CODE);
    add_everywhere(rows, ARCH_BULK, declare_pdl, PDL_BOTH, "PDL wait and launch", WW_NO_CODE);
    add_everywhere(rows, ARCH_BULK, declare_pdl, PDL_WAIT, "PDL wait", WW_NO_CODE);
    add_everywhere(rows, ARCH_BULK, declare_pdl, PDL_LAUNCH, "PDL launch without a wait", WW_PDL);
    add_locked(rows);
    add_tasks(rows);
    add_lanes(rows);
    add_pinned(rows);
    add_wait_signaling(rows);
    add_members(rows);
}
