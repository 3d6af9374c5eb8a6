/* Tensor cores: whether a body issues what its row says that it reads. */
#include "audit/body.h"

typedef struct engine {
    effect issues;
    const char *name, *field;
    int declared;
} engine;

static void check_engine(body *b, const engine *e)
{
    bool issues = body_has(b, UINT64_C(1) << e->issues);
    if (issues == (e->declared > 0))
        return;
    if (!issues && body_has(b, EFFECT_BIT(CALL))) {
        body_undecided(b, "whether it issues %s: it calls a function", e->name);
        return;
    }
    ww_diag *d = body_finding(b, WW_BODY_ENGINE,
                              issues ? "work %s issues %s, and its row names nothing that is read"
                                     : "work %s issues no %s, and its row says what is read",
                              b->name, e->name);
    body_expected(b, d,
                  issues ? "%s with the resources that the instructions read"
                         : "instructions that read what %s names",
                  e->field);
    body_found(b, d, "%s", issues ? first_opcode(b, UINT64_C(1) << e->issues) : "none");
}

/* Reads that have ended when the body returns are like those of its threads, if only they stay within what it touches;
 * descriptors do not tell. */
static bool reads_within(body *b)
{
    bool within = !b->work->wgmma_read_count && body_has(b, EFFECT_BIT(WGMMA)) &&
                  flow_pending(b, EFFECT_WGMMA_COMMIT, EFFECT_WGMMA_WAIT, 0).most == 0;
    if (within)
        body_undecided(b, "what the wgmma that it issues and waits for reads");
    return within;
}

/* tcgen05.mma is issued by one thread; 32 issue it 32 times. */
static void check_issuer(body *b)
{
    const site *s;
    vec_each(s, &b->sites) {
        if (s->effect != EFFECT_UMMA || (s->control & ORIGINS_OF_LANES))
            continue;
        ww_diag *d = body_finding(b, WW_BODY_ENGINE,
                                  "every lane of work %s issues the same tcgen05 instruction", b->name);
        body_expected(b, d, "one lane, as ww::elect_one() says");
        body_found(b, d, "%s under no condition that tells lanes apart", site_code(b, s)->opcode);
        body_hint(b, d, "if (ww::elect_one()) { ... }");
        return;
    }
}

void audit_engines(body *b)
{
    const engine wgmma = {EFFECT_WGMMA, "wgmma", "wgmma_reads", b->work->wgmma_read_count};
    const engine umma = {EFFECT_UMMA, "tcgen05 instructions", "umma_reads", b->work->umma_read_count};
    if (!reads_within(b))
        check_engine(b, &wgmma);
    check_engine(b, &umma);
    check_issuer(b);
}
