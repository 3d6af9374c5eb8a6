/* Bulk copies into a resource, and bulk stores out of it, beside what the row says. */
#include "audit/body.h"

enum { UNKNOWN_BUFFER = -1 };

/* The one buffer that an address comes from; UNKNOWN_BUFFER: of several, of none, or in another CTA. */
static int buffer_of(origin_set set)
{
    origin_set buffers = set & ORIGINS_OF_BUFFERS;
    if (!buffers || buffers & (buffers - 1) || (set & ORIGIN_BIT(MAPPED)))
        return UNKNOWN_BUFFER;
    int at = 0;
    while (!(buffers >> (EMIT_BUFFER_0 + at) & 1))
        at++;
    return at;
}

static const char *buffer_name(const body *b, int buffer)
{
    return b->resource->buffers[buffer].name;
}

static uint32_t declared_bytes(const body *b, int buffer)
{
    uint32_t bytes = 0;
    for (int i = 0; i < b->work->copy_count; i++)
        if (b->work->copy_buffer[i] == buffer)
            bytes += b->work->declared->copies[i].bytes;
    return bytes;
}

/* Copies of a peer's ring land in the next CTA, at an address that is made from ours: the buffer is told all the same. */
static int copy_buffer(const body *b, const site *s)
{
    return buffer_of(site_origins(b, s, 0) & ~ORIGIN_BIT(MAPPED));
}

/* ---- whether there are any ----------------------------------------------------------------------------- */

static void check_undeclared(body *b)
{
    if (b->work->copy_count || !body_has(b, EFFECT_BIT(COPY_IN) | EFFECT_BIT(REMOTE_STORE)))
        return;
    ww_diag *d =
        body_finding(b, WW_BODY_COPIES, "work %s issues bulk copies, of which its row has none", b->name);
    body_expected(b, d, "no instruction that completes bytes on an mbarrier");
    body_found(b, d, "%s", first_opcode(b, EFFECT_BIT(COPY_IN) | EFFECT_BIT(REMOTE_STORE)));
    body_hint(b, d, "declare them: .copies = {{\"buffer\", bytes}}");
}

static bool check_missing(body *b)
{
    if (!b->work->copy_count || body_has(b, EFFECT_BIT(COPY_IN)))
        return false;
    if (body_has(b, EFFECT_BIT(CALL) | EFFECT_BIT(REMOTE_STORE))) {
        body_undecided(b, "whether its copies are issued: it calls a function or stores to another CTA");
        return true;
    }
    ww_diag *d = body_finding(b, WW_BODY_COPIES, "work %s issues no bulk copy, and its row has %d", b->name,
                              b->work->copy_count);
    body_expected(b, d, "bulk copies of %u bytes", b->work->copy_bytes);
    body_found(b, d, "none: whoever waits for these bytes waits forever");
    return true;
}

/* ---- where to ------------------------------------------------------------------------------------------ */

static void check_destination(body *b, const site *s)
{
    int buffer = copy_buffer(b, s);
    if (buffer == UNKNOWN_BUFFER)
        body_undecided(b, "into which buffer a copy goes");
    else if (!declared_bytes(b, buffer)) {
        ww_diag *d = body_finding(b, WW_BODY_COPIES, "work %s copies into buffer %s, and its row does not",
                                  b->name, buffer_name(b, buffer));
        body_expected(b, d, "a copy in the row for each buffer that is copied into");
        body_found(b, d, "%s into %s", site_code(b, s)->opcode, buffer_name(b, buffer));
    }
}

static void check_barrier(body *b, const site *s)
{
    origin_set barrier = site_origins(b, s, -1);
    if (barrier & INPUT_BIT(BARRIER))
        return;
    if (!(barrier & INPUT_BIT(EMPTY_BARRIER))) {
        body_undecided(b, "on which barrier a copy completes");
        return;
    }
    ww_diag *d = body_finding(b, WW_BODY_COPIES, "a copy of work %s completes on the empty barrier", b->name);
    body_expected(b, d, "info.barrier, the full barrier of the stage");
    body_found(b, d, "info.empty_barrier");
}

/* Who issues a copy that no condition and no operand tells apart by lane: all 32 lanes, the same one. */
static void check_lanes(body *b, const site *s)
{
    const ptx_instruction *i = site_code(b, s);
    origin_set told = s->control;
    for (uint32_t o = 0; o < i->operand_count; o++)
        told |= origins_of(b, &i->operands[o]);
    if (told & ORIGINS_OF_LANES)
        return;
    ww_diag *d = body_finding(b, WW_BODY_COPIES, "every lane of work %s issues the same bulk copy", b->name);
    body_expected(b, d, "one lane, as ww::elect_one() says");
    body_found(b, d, "%s under no condition that tells lanes apart", i->opcode);
    body_hint(b, d, "if (ww::elect_one()) { ... }");
}

/* A buffer of the row that no copy goes to, where it is known of all copies where they go. */
static bool check_left_out(body *b)
{
    uint32_t filled = 0;
    bool found = false;
    const site *s;
    vec_each(s, &b->sites)
        if (s->effect == EFFECT_COPY_IN) {
            int buffer = copy_buffer(b, s);
            if (buffer == UNKNOWN_BUFFER)
                return false;
            filled |= 1u << buffer;
        }
    for (int i = 0; i < b->resource->buffer_count; i++)
        if (declared_bytes(b, i) && !(filled >> i & 1) && !body_has(b, EFFECT_BIT(CALL))) {
            ww_diag *d =
                body_finding(b, WW_BODY_COPIES, "work %s has no copy into buffer %s, and its row has one",
                             b->name, buffer_name(b, i));
            body_expected(b, d, "%u bytes into %s", declared_bytes(b, i), buffer_name(b, i));
            body_found(b, d, "no instruction whose destination comes from it");
            found = true;
        }
    return found;
}

/* ---- how many bytes ------------------------------------------------------------------------------------ */

typedef struct copied {
    int64_t bytes;
    uint32_t block;
    int count;
    bool known, in_map;
} copied;

static void add_copy(const body *b, const site *s, copied *sum)
{
    const ptx_instruction *i = site_code(b, s);
    sum->in_map |= has_word(i->opcode, "tensor");
    int64_t bytes = !has_word(i->opcode, "tensor") && i->operand_count > 2
                        ? operand_constant(b, &i->operands[2])
                        : BODY_UNKNOWN;
    sum->known &= bytes != BODY_UNKNOWN && !s->loops && (s->control & ORIGIN_BIT(ELECTED)) &&
                  (!sum->count || sum->block == s->block);
    sum->bytes += bytes;
    sum->block = s->block;
    sum->count++;
}

static copied copied_into(const body *b, int buffer)
{
    copied sum = {.known = true};
    const site *s;
    vec_each(s, &b->sites)
        if (s->effect == EFFECT_COPY_IN &&
            (copy_buffer(b, s) == buffer || copy_buffer(b, s) == UNKNOWN_BUFFER))
            add_copy(b, s, &sum);
    return sum;
}

/* Bytes are in the instruction unless a tensor map has them. More warps than one may share a copy. */
static void check_bytes(body *b, int buffer)
{
    copied sum = copied_into(b, buffer);
    uint32_t declared = declared_bytes(b, buffer);
    if (!declared || !sum.count)
        return;
    if (sum.in_map)
        body_undecided(b, "bytes into %s, which are in the tensor map", buffer_name(b, buffer));
    else if (!sum.known || b->called->task->warps > 1)
        body_undecided(b, "bytes into %s", buffer_name(b, buffer));
    else if (sum.bytes != declared) {
        ww_diag *d =
            body_finding(b, WW_BODY_COPIES, "work %s copies %lld bytes into buffer %s, and its row says %u",
                         b->name, (long long)sum.bytes, buffer_name(b, buffer), declared);
        body_expected(b, d, "%u bytes", declared);
        body_found(b, d, "%lld in %d instructions", (long long)sum.bytes, sum.count);
    }
}

/* One instruction fills one box: of fewer than the row has, of which each is executed once by one lane, one is missing. */
static void check_boxes(body *b)
{
    int boxes = 0;
    const site *s;
    vec_each(s, &b->sites)
        if (s->effect == EFFECT_COPY_IN) {
            if (s->loops || !(s->control & ORIGIN_BIT(ELECTED)))
                return;
            boxes++;
        }
    if (boxes >= b->work->copy_count || body_has(b, EFFECT_BIT(CALL)))
        return;
    ww_diag *d = body_finding(b, WW_BODY_COPIES, "work %s issues %d of the %d bulk copies of its row",
                              b->name, boxes, b->work->copy_count);
    body_expected(b, d, "%d copies", b->work->copy_count);
    body_found(b, d, "%d, none of them in a loop", boxes);
}

void audit_copies(body *b)
{
    check_undeclared(b);
    if (!b->work->copy_count || check_missing(b))
        return;
    const site *s;
    vec_each(s, &b->sites)
        if (s->effect == EFFECT_COPY_IN) {
            check_destination(b, s);
            check_barrier(b, s);
            check_lanes(b, s);
        }
    if (!check_left_out(b))
        check_boxes(b);
    for (int i = 0; i < b->resource->buffer_count; i++)
        check_bytes(b, i);
}

/* ---- stores -------------------------------------------------------------------------------------------- */

static void check_store(body *b, const site *s)
{
    if (b->work->declared->bulk_store)
        return;
    ww_diag *d =
        body_finding(b, WW_BODY_STORE, "work %s issues bulk stores, and its row does not say so", b->name);
    body_expected(b, d, "no bulk store: nobody waits until they have read");
    body_found(b, d, "%s", site_code(b, s)->opcode);
    body_hint(b, d, "declare .bulk_store = true, and wait for them (.bulk_wait)");
}

void audit_stores(body *b)
{
    const site *s;
    vec_each(s, &b->sites)
        if (s->effect == EFFECT_BULK_STORE) {
            check_store(b, s);
            return;
        }
    if (!b->work->declared->bulk_store)
        return;
    if (body_has(b, EFFECT_BIT(CALL))) {
        body_undecided(b, "whether it issues bulk stores: it calls a function");
        return;
    }
    ww_diag *d =
        body_finding(b, WW_BODY_STORE, "work %s issues no bulk store, and its row says it does", b->name);
    body_expected(b, d, "a bulk copy out of shared memory, and a group committed");
    body_found(b, d, "none");
}
