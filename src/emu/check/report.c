/* report.c: what a launch that failed says: where, who, what, and the PTX line.
 *
 * A fault is reported as
 *
 *     fault in k, CTA (0,0,0), warp 3 (task load), lane 0: shared address 0x400: ...
 *         line 57: st.shared.u32 [%r1], %r2;
 *
 * Reporting does not return: the cluster's loop is left by longjmp. */
#include "emu/core/core.h"

static const char *warp_role(const warp *w)
{
    const emu_names *names = &GRID(w)->launch->names;
    for (size_t i = 0; i < names->warp_count; i++)
        if (w->index >= names->warps[i].first && w->index < names->warps[i].end)
            return names->warps[i].name;
    return NULL;
}

void report_warp(const warp *w, text *out)
{
    const uint32_t *at = w->cta->ctaid;
    text_printf(out, "CTA (%u,%u,%u), warp %u", at[0], at[1], at[2], w->index);
    if (warp_role(w))
        text_printf(out, " (%s)", warp_role(w));
}

void report_line(const warp *w, uint32_t pc, text *out)
{
    const program *p = GRID(w)->program;
    uint32_t line = pc < p->op_count ? p->ops[pc].line : 0;
    if (!line)
        return;
    text_printf(out, "line %u: ", line);
    ptx_source_line(p->module, line, out);
}

void report_shared_address(const cta *c, uint32_t offset, text *out)
{
    const emu_names *names = &c->cluster->grid->launch->names;
    uint32_t base = c->cluster->grid->program->dynamic_base;
    text_printf(out, "0x%05x", offset);
    for (size_t i = 0; i < names->range_count; i++) {
        const emu_range_name *r = &names->ranges[i];
        if (offset < base || offset - base < r->offset || offset - base - r->offset >= r->bytes)
            continue;
        text_printf(out, " (%s", r->name);
        if (offset - base != r->offset)
            text_printf(out, "+%u", offset - base - r->offset);
        text_add(out, ")");
        return;
    }
}

/* ---- faults ----------------------------------------------------------------------------------------- */

static _Noreturn void fail(cluster *c, emu_status status)
{
    c->status = status;
    longjmp(c->failed, 1);
}

static void report_head(warp *w, emu_status status, int lane)
{
    text *out = &CLUSTER(w)->report;
    text_free(out);
    text_printf(out, "%s in %s, ", status == EMU_FAULT ? "fault" : "unsupported instruction",
                GRID(w)->program->name);
    report_warp(w, out);
    if (lane >= 0)
        text_printf(out, ", lane %d", lane);
    text_add(out, ": ");
}

static _Noreturn void report_tail(warp *w, emu_status status)
{
    text *out = &CLUSTER(w)->report;
    text_add(out, "\n    ");
    report_line(w, w->pc - 1, out);
    text_add(out, "\n");
    fail(CLUSTER(w), status);
}

void warp_fault(warp *w, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    report_head(w, EMU_FAULT, -1);
    text_vprintf(&CLUSTER(w)->report, fmt, args);
    va_end(args);
    report_tail(w, EMU_FAULT);
}

void lane_fault(warp *w, uint32_t lane, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    report_head(w, EMU_FAULT, (int)lane);
    text_vprintf(&CLUSTER(w)->report, fmt, args);
    va_end(args);
    report_tail(w, EMU_FAULT);
}

void warp_unsupported(warp *w, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    report_head(w, EMU_UNSUPPORTED, -1);
    text_vprintf(&CLUSTER(w)->report, fmt, args);
    va_end(args);
    report_tail(w, EMU_UNSUPPORTED);
}

void cta_fault(cta *c, const char *fmt, ...)
{
    text *out = &c->cluster->report;
    va_list args;
    va_start(args, fmt);
    text_free(out);
    text_printf(out, "fault in %s, CTA (%u,%u,%u): ", c->cluster->grid->program->name, c->ctaid[0],
                c->ctaid[1], c->ctaid[2]);
    text_vprintf(out, fmt, args);
    va_end(args);
    text_add(out, "\n");
    fail(c->cluster, EMU_FAULT);
}

/* ---- deadlock --------------------------------------------------------------------------------------- */

static void describe_mbarrier(const warp *w, const group *g, text *out)
{
    (void)w;
    const cta *owner = g->wait.cta;
    text_add(out, "mbarrier ");
    report_shared_address(owner, g->wait.address, out);
    text_printf(out, " for parity %u: ", g->wait.parity);
    mbarrier_describe(owner, g->wait.address, out);
}

static void describe_named(const warp *w, const group *g, text *out)
{
    const named_barrier *b = &w->cta->named[g->wait.id];
    text_printf(out, "named barrier %u: %u of %u threads have arrived", g->wait.id, b->arrived, b->expected);
}

static void describe_cluster(const warp *w, const group *g, text *out)
{
    (void)g;
    const cluster *c = w->cta->cluster;
    text_printf(out, "barrier.cluster: %u threads of %u CTAs have arrived", c->barrier_arrived, c->cta_count);
}

static void describe_lanes(const warp *w, const group *g, text *out)
{
    text_printf(out, "lanes 0x%08x of its warp, here are 0x%08x", g->wait.members & w->live,
                divergence_waiting_at(w, g->pc));
}

static void describe_tmem(const warp *w, const group *g, text *out)
{
    text_printf(out, "%u columns of tensor memory: 0x%04x of its units of %d are taken", g->wait.id,
                w->cta->tmem.owned, TMEM_UNIT);
    if (g->wait.parity == 2)
        text_add(out, "; the peer CTA must allocate too");
}

static void describe_mark(const warp *w, const group *g, text *out)
{
    (void)w;
    text_printf(out, "the script, at mark %u", g->wait.id);
}

/* What a group of lanes is at, after the name of its warp. */
static void describe_wait(const warp *w, const group *g, text *out)
{
    static void (*const describe[WAIT_KIND_COUNT])(const warp *, const group *, text *) = {
#define WAIT_KIND(name, ready, describe) [WAIT_##name] = describe,
#include "emu/core/waits.def"
#undef WAIT_KIND
    };
    if (g->lanes != w->launched)
        text_printf(out, ", lanes 0x%08x", g->lanes);
    if (describe[g->wait.kind]) {
        text_add(out, " waits on ");
        describe[g->wait.kind](w, g, out);
    } else {
        text_add(out, " spins, or waits for its turn");
    }
    text_add(out, "\n      ");
    report_line(w, g->pc, out);
    text_add(out, "\n");
}

void report_where(const warp *w, text *out)
{
    report_warp(w, out);
    if (!w->live)
        text_add(out, " has ended");
    else if (w->group_count)
        describe_wait(w, &w->groups[0], out);
}

static void describe_warp(const warp *w, text *out)
{
    for (uint32_t k = 0; k < w->group_count; k++) {
        text_add(out, "  ");
        report_warp(w, out);
        describe_wait(w, &w->groups[k], out);
    }
}

/* Whether warp b is at the same as warp a, of which `told` tells: one line can speak for both. */
static bool at_the_same(const warp *a, const warp *b, const text *told)
{
    const char *role_a = warp_role(a), *role_b = warp_role(b);
    if (a->group_count != 1 || b->group_count != 1 || !role_a != !role_b ||
        (role_a && strcmp(role_a, role_b) != 0))
        return false;
    text other = {0};
    describe_wait(b, &b->groups[0], &other);
    bool same = strcmp(text_str(told), text_str(&other)) == 0;
    text_free(&other);
    return same;
}

/* Tells of warp n, and of those after it that are at the same; returns the next warp to tell of. */
static uint32_t describe_warps(const cta *c, uint32_t n, text *out)
{
    const warp *w = &c->warps[n];
    uint32_t end = n + 1;
    text told = {0};
    if (w->group_count == 1)
        describe_wait(w, &w->groups[0], &told);
    while (end < c->warp_count && at_the_same(w, &c->warps[end], &told))
        end++;
    if (end == n + 1) {
        describe_warp(w, out);
    } else {
        text_printf(out, "  CTA (%u,%u,%u), warps %u to %u", c->ctaid[0], c->ctaid[1], c->ctaid[2], n,
                    end - 1);
        if (warp_role(w))
            text_printf(out, " (%s)", warp_role(w));
        text_printf(out, ", each%s", text_str(&told));
    }
    text_free(&told);
    return end;
}

void report_deadlock(cluster *c)
{
    text *out = &c->report;
    text_free(out);
    if (c->script.script)
        script_note_stuck(c);
    text_printf(out, "deadlock in %s: no warp can run and no asynchronous operation is pending\n",
                c->grid->program->name);
    for (uint32_t i = 0; i < c->cta_count; i++)
        for (uint32_t n = 0; n < c->ctas[i].warp_count;)
            n = describe_warps(&c->ctas[i], n, out);
    fail(c, EMU_DEADLOCK);
}
