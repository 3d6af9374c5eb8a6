/* What a body starts and what it waits for: groups of bulk stores and of wgmma, cp.async, tensor memory. Along every path
 * the best and the worst case are known; a row is wrong if even the best case breaks it, and where only the worst does, and
 * no condition that tells threads apart explains it, nothing is said. */
#include "audit/body.h"

static const site *first_site(const body *b, effect e)
{
    const site *s;
    vec_each(s, &b->sites)
        if (s->effect == e)
            return s;
    return NULL;
}

/* ---- begun and not closed ------------------------------------------------------------------------------ */

/* Instructions that belong to no group are waited for by nobody. */
static void check_closed(body *b, effect starts, effect commits)
{
    const site *s;
    vec_each(s, &b->sites) {
        if (s->effect != starts || flow_meets(b, s, UINT64_C(1) << commits))
            continue;
        if (body_has(b, EFFECT_BIT(CALL))) {
            body_undecided(b, "whether what it starts is committed: it calls a function");
            return;
        }
        ww_diag *d = body_finding(b, WW_BODY_GROUPS, "work %s leaves a %s outside of any group", b->name,
                                  effect_text(starts, 1));
        body_expected(b, d, "a commit_group behind it");
        body_found(b, d, "%s, and the end of the body", site_code(b, s)->opcode);
        return;
    }
}

/* ---- waited for as declared ---------------------------------------------------------------------------- */

/* Groups belong to the thread that has committed them: a wait under the same kind of condition as the groups is theirs. */
static bool by_some_threads(const body *b, effect waits)
{
    const site *s = first_site(b, waits);
    return s && (s->control & ORIGINS_OF_LANES);
}

static void check_wait(body *b, const char *what, effect commits, effect waits, int declared)
{
    if (declared < 0)
        return;
    flow_range left = flow_pending(b, commits, waits, FLOW_UNBOUNDED);
    if (left.most <= (uint32_t)declared)
        return;
    if (left.least <= (uint32_t)declared || body_has(b, EFFECT_BIT(CALL))) {
        if (!by_some_threads(b, waits))
            body_undecided(b, "whether it waits for its %s on every path", what);
        return;
    }
    ww_diag *d = body_finding(b, WW_BODY_GROUPS, "work %s returns with more %s under way than its row says",
                              b->name, what);
    body_expected(b, d, "at most %d", declared);
    if (left.least >= FLOW_UNBOUNDED)
        body_found(b, d,
                   first_site(b, waits) ? "a wait for a number of groups that is not known"
                                        : "no wait for them");
    else
        body_found(b, d, "%u or more", left.least);
    body_hint(b, d, "wait for them in the body (wait_group), or leave the wait out of the row");
}

void audit_groups(body *b)
{
    const ww_work *row = b->work->declared;
    check_closed(b, EFFECT_BULK_STORE, EFFECT_BULK_COMMIT);
    check_closed(b, EFFECT_WGMMA, EFFECT_WGMMA_COMMIT);
    check_wait(b, "bulk stores", EFFECT_BULK_COMMIT, EFFECT_BULK_WAIT, row->bulk_wait - 1);
    check_wait(b, "groups of wgmma", EFFECT_WGMMA_COMMIT, EFFECT_WGMMA_WAIT, row->wgmma_wait - 1);
}

/* ---- what must have ended when the body returns -------------------------------------------------------- */

static void check_ended(body *b, effect starts, effect waits, const char *wait, const char *why)
{
    const site *s;
    vec_each(s, &b->sites) {
        if (s->effect != starts || !flow_escapes(b, s, UINT64_C(1) << waits))
            continue;
        if (flow_meets(b, s, UINT64_C(1) << waits) || body_has(b, EFFECT_BIT(CALL))) {
            body_undecided(b, "whether each %s is waited for", effect_text(starts, 1));
            return;
        }
        ww_diag *d = body_finding(b, WW_BODY_PENDING, "work %s returns while a %s of it may be under way",
                                  b->name, effect_text(starts, 1));
        body_expected(b, d, "%s behind it", wait);
        body_found(b, d, "%s, and the end of the body", site_code(b, s)->opcode);
        body_hint(b, d, "%s", why);
        return;
    }
}

/* In rings whose producers load, the framework arrives when the copies have landed. */
static bool arrives_when_landed(const body *b)
{
    return b->work->declared->side == WW_PRODUCER && model_pipelined(b->resource) &&
           b->resource->pipeline.producer_op == WW_ASYNC_LOAD;
}

void audit_pending(body *b)
{
    check_ended(b, EFFECT_TMEM_LOAD, EFFECT_TMEM_WAIT_LOAD, "tcgen05.wait::ld",
                "the registers are not there before, and the release behind the body is no wait for them");
    check_ended(b, EFFECT_TMEM_STORE, EFFECT_TMEM_WAIT_STORE, "tcgen05.wait::st",
                "the commit behind the body says that the stores are done");
    if (!arrives_when_landed(b))
        check_ended(b, EFFECT_THREAD_COPY, EFFECT_THREAD_COPY_WAIT, "cp.async.wait_group or wait_all",
                    "the commit behind the body says that the copies have landed, unless the pipeline's "
                    "producer_op is "
                    "WW_ASYNC_LOAD");
}
