/* One body after the other: find its code, look at it, apply the rules, write its line. */
#include "audit/audit.h"
#include "audit/body.h"

#include <stdio.h>

/* ---- sites --------------------------------------------------------------------------------------------- */

static void find_sites(body *b)
{
    for (uint32_t at = 0; at < b->flow.blocks.len; at++) {
        const flow_block *block = &b->flow.blocks.at[at];
        for (uint32_t i = block->first; i < block->end; i++) {
            const ptx_instruction *code = &b->code->instructions.at[i];
            effect e = effect_of(code->opcode);
            if (!e)
                continue;
            site s = {e,
                      i,
                      at,
                      code->guard != NULL,
                      block->loops,
                      block->control | (code->guard ? origins_of(b, code->guard) : 0)};
            vec_push(&b->sites, s);
            b->effects |= UINT64_C(1) << e;
        }
    }
}

const char *first_opcode(const body *b, effect_set effects)
{
    const site *s;
    vec_each(s, &b->sites)
        if (effects >> s->effect & 1)
            return site_code(b, s)->opcode;
    return "";
}

/* ---- findings ------------------------------------------------------------------------------------------ */

ww_diag *body_finding(body *b, ww_code code, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    const char *message = arena_vprintf(b->diags->arena, fmt, args);
    va_end(args);
    ww_diag *d = diag_add(b->diags, code, b->called->op->place, "%s", message);
    diag_related(b->diags, d, b->resource->place, "the row is in the work table of %s", b->resource->name);
    return d;
}

#define COMPLETE(name, set)                                                                                  \
    void name(body *b, ww_diag *d, const char *fmt, ...)                                                     \
    {                                                                                                        \
        va_list args;                                                                                        \
        va_start(args, fmt);                                                                                 \
        set(b->diags, d, "%s", arena_vprintf(b->diags->arena, fmt, args));                                   \
        va_end(args);                                                                                        \
    }
COMPLETE(body_expected, diag_expected)
COMPLETE(body_found, diag_found)
COMPLETE(body_hint, diag_hint)
#undef COMPLETE

void body_undecided(body *b, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    const char *what = arena_vprintf(b->arena, fmt, args);
    va_end(args);
    const char **known;
    vec_each(known, &b->undecided)
        if (strcmp(*known, what) == 0)
            return;
    vec_push(&b->undecided, what);
}

/* ---- the line of a body -------------------------------------------------------------------------------- */

/* "2", "at most 1", "any number of": how often, over all paths. */
static void print_count(flow_range r, text *out)
{
    if (r.most >= FLOW_UNBOUNDED)
        text_add(out, r.least ? "one or more" : "any number of");
    else if (r.least == r.most)
        text_printf(out, "%u", r.most);
    else
        text_printf(out, "%u to %u", r.least, r.most);
}

/* Whether nothing but being elected decides about the instructions of that effect. */
static bool by_one_lane(const body *b, effect e)
{
    const site *s;
    vec_each(s, &b->sites)
        if (s->effect == e && s->control != ORIGIN_BIT(ELECTED))
            return false;
    return true;
}

/* "2 bulk copies in by one lane": of who is elected. */
static void print_effect(const body *b, effect e, text *out)
{
    flow_range r = flow_count(b, e);
    bool one_lane = by_one_lane(b, e);
    if (one_lane)
        r.least = r.most;
    print_count(r, out);
    text_printf(out, " %s%s", effect_text(e, r.most), one_lane ? " by one lane" : "");
}

static void print_effects(const body *b, text *out)
{
    const char *before = "";
    for (effect e = EFFECT_NONE + 1; e < EFFECT_COUNT; e++) {
        if (!(b->effects >> e & 1))
            continue;
        text_add(out, before);
        print_effect(b, e, out);
        before = ", ";
    }
    if (!b->effects)
        text_add(out, "registers and global memory");
}

static void print_body(const body *b, text *out)
{
    text_printf(out, "%-24s ", b->name);
    print_effects(b, out);
    for (size_t i = 0; i < b->undecided.len; i++)
        text_printf(out, "%s%s", i ? ", " : "; undecided: ", b->undecided.at[i]);
    text_add(out, "\n");
}

/* ---- one body ------------------------------------------------------------------------------------------ */

static void (*const rules[])(body *b) = {audit_copies,  audit_stores,  audit_groups,
                                         audit_pending, audit_engines, audit_memory,
                                         audit_sync,    audit_fences,  audit_calls};

static const char *body_name(arena *a, const ww_resource *r, const ir_op *op)
{
    text name = {0};
    text_printf(&name, "%s.%s", r->name, op->work->declared->name);
    for (int i = 0; i < op->work->constant_count; i++)
        text_printf(&name, "%s%d", i ? ", " : "<", op->constants[i]);
    text_add(&name, op->work->constant_count ? ">" : "");
    const char *kept = arena_strdup(a, text_str(&name));
    text_free(&name);
    return kept;
}

static void look_at(body *b)
{
    flow_build(b);
    origins_find(b);
    flow_control(b);
    find_sites(b);
}

void body_free(body *b)
{
    vec_free(&b->flow.blocks);
    vec_free(&b->flow.edges);
    vec_free(&b->origins);
    vec_free(&b->constants);
    vec_free(&b->sites);
    vec_free(&b->undecided);
}

static const ptx_function *find_code(const ptx_module *m, size_t number)
{
    char name[40];
    (void)snprintf(name, sizeof name, "ww_audit_%zu", number);
    for (size_t i = 0; i < m->functions.len; i++) {
        const ptx_function *f = m->functions.at[i];
        if (f->is_entry && f->has_body && strcmp(f->name, name) == 0 && f->instructions.len)
            return f;
    }
    return NULL;
}

/* ---- all of them --------------------------------------------------------------------------------------- */

static bool find_bodies(const ir_program *p, const emit_bodies *called, const ptx_module *m, diag_list *diags,
                        body_list *bodies, text *error)
{
    for (size_t i = 0; i < called->list.len; i++) {
        const emit_body *c = &called->list.at[i];
        const ww_resource *r = p->kernel->resources.at[c->op->resource];
        body b = {.program = p,
                  .called = c,
                  .resource = r,
                  .work = c->op->work,
                  .name = body_name(diags->arena, r, c->op),
                  .code = find_code(m, i),
                  .diags = diags,
                  .arena = m->arena};
        if (!b.code) {
            text_printf(error, "the compiled bodies have no kernel ww_audit_%zu", i);
            return false;
        }
        look_at(&b);
        vec_push(&bodies->list, b);
    }
    return true;
}

/* What the compiler puts into local memory before the assembler has a say: arrays whose index it does not know. */
static void find_array(const body *b, audit_result *result)
{
    for (size_t i = 0; i < b->code->variables.len && !result->array; i++)
        if (b->code->variables.at[i]->space == PTX_LOCAL) {
            result->array = b->name;
            result->array_bytes = (uint32_t)b->code->variables.at[i]->bytes;
        }
}

static void apply_rules(body_list *bodies, audit_result *result)
{
    body *b;
    vec_each(b, &bodies->list) {
        for (size_t i = 0; i < ARRAY_LEN(rules); i++)
            rules[i](b);
        find_array(b, result);
        print_body(b, &result->listing);
        result->bodies++;
        result->undecided += b->undecided.len > 0;
    }
}

bool audit_bodies(const ir_program *p, const emit_bodies *called, const text *ptx, diag_list *diags,
                  audit_result *result, text *error)
{
    arena a = {0};
    body_list bodies = {0};
    ptx_module *m = ptx_parse(&a, text_str(ptx), ptx->len, error);
    bool ok = m && find_bodies(p, called, m, diags, &bodies, error);
    if (ok)
        apply_rules(&bodies, result);
    body *b;
    vec_each(b, &bodies.list)
        body_free(b);
    vec_free(&bodies.list);
    if (m)
        ptx_module_release(m);
    arena_free(&a);
    return ok;
}

/* ---- the kernel ---------------------------------------------------------------------------------------- */

void audit_local_memory(const ir_program *p, uint32_t local_bytes, const audit_result *result,
                        diag_list *diags)
{
    if (!local_bytes)
        return;
    const ww_kernel *k = p->kernel;
    ww_diag *d = diag_add(diags, WW_LOCAL_MEMORY, k->place,
                          "kernel %s keeps %u bytes a thread in local memory", k->name, local_bytes);
    diag_expected(diags, d, "registers alone");
    if (result->array) {
        diag_found(diags, d, "an array of %u bytes in work %s, among others", result->array_bytes,
                   result->array);
        diag_hint(diags, d, "unroll the loops that index it, so that each index is a constant");
    } else {
        diag_found(diags, d, "registers that are spilled: no body has an array there");
        diag_hint(diags, d,
                  "fewer values at a time in the bodies, or more registers: fewer warps at entry, .registers "
                  "of the "
                  "task that needs them");
    }
}
