/* Who orders the reuse of memory: of each buffer, the accesses, and between each write and read the barriers by which the
 * reader hears that it is filled (full) and the writer that it is free again (empty). */
#include "report/chains.h"
#include "report/summary.h"

#include "capture/capture.h"

enum { TILES = 3 };

typedef VEC(chain_end) access_list;

/* ---- accesses ----------------------------------------------------------------------------------------- */

/* Whether an access by the same work is listed: a peeled or guarded repetition. */
static bool is_listed(const ir_program *p, const access_list *list, int task, const ir_op *op)
{
    const chain_end *a;
    vec_each(a, list)
        if (a->task == task && p->tasks.at[task].ops.at[a->op].work == op->work)
            return true;
    return false;
}

static void list_op(const ir_program *p, int buffer, bool writes, int task, int at, access_list *list)
{
    const ir_op *op = &p->tasks.at[task].ops.at[at];
    for (int e = 0; e < op->effect_count; e++)
        if (op->effects[e].buffer == buffer && ir_effects[op->effects[e].kind].writes == writes &&
            !is_listed(p, list, task, op))
            vec_push(list, ((chain_end){task, at, &op->effects[e]}));
}

static access_list accesses_of(const ir_program *p, int buffer, bool writes)
{
    access_list list = {0};
    for (int t = 0; t < (int)p->tasks.len; t++)
        for (int i = 0; i < (int)p->tasks.at[t].ops.len; i++)
            if (p->tasks.at[t].ops.at[i].kind == IR_WORK)
                list_op(p, buffer, writes, t, i, &list);
    return list;
}

/* ---- texts -------------------------------------------------------------------------------------------- */

static void add_access(const ir_program *p, const chain_end *a, text *out)
{
    const ir_task *t = &p->tasks.at[a->task];
    const ir_op *op = &t->ops.at[a->op];
    text_printf(out, "%s.%s (line %d", t->name, op->work->declared->name, op->place.line);
    if (*ir_effects[a->effect->kind].by)
        text_printf(out, ", %s", ir_effects[a->effect->kind].by);
    text_add(out, ")");
}

static const char *step_name(const ir_program *p, const ir_op *op)
{
    if (model_is_queue(p->kernel->resources.at[op->resource]))
        return op->kind == IR_EXPECT || op->kind == IR_FETCH ? "fetch_tile" : "advance_tile";
    return capture_verb_name((ww_verb)op->verb);
}

static void add_arrival(const ir_program *p, const chain_hop *h, text *out)
{
    const ir_barrier *b = &p->barriers.at[h->barrier];
    if (h->from_op < 0) {
        text_printf(out, " (%u bytes)", b->tx_bytes);
        return;
    }
    const ir_op *op = &p->tasks.at[h->from_task].ops.at[h->from_op];
    if (b->side == IR_NAMED)
        text_printf(out, " (%u threads, %s line %d)", b->arrivals, step_name(p, op), op->place.line);
    else
        text_printf(out, " (%u arrival%s of %s line %d)", b->arrivals, b->arrivals == 1 ? "" : "s",
                    step_name(p, op), op->place.line);
}

/* "smem_ab.empty (8 arrivals of release line 75) -> load: acquire line 41" */
static void add_hop(const ir_program *p, const chain_hop *h, text *out)
{
    const ir_op *wait = &p->tasks.at[h->to_task].ops.at[h->to_op];
    summary_barrier_name(p, &p->barriers.at[h->barrier], out);
    add_arrival(p, h, out);
    text_printf(out, " -> %s: %s line %d", p->tasks.at[h->to_task].name, step_name(p, wait),
                wait->place.line);
}

/* Groups of wgmma and of bulk stores are read until work of the same task has waited for them. */
static void add_group_wait(const ir_program *p, const chain_end *a, text *out)
{
    bool wgmma = a->effect->kind == IR_WGMMA_READ, bulk = a->effect->kind == IR_BULK_READ;
    const ir_task *t = &p->tasks.at[a->task];
    int n = (int)t->ops.len;
    for (int d = 0; (wgmma || bulk) && d < n; d++) {
        const ir_op *op = &t->ops.at[(a->op + d) % n];
        if (op->kind != IR_WORK || (wgmma ? op->wgmma_wait : op->bulk_wait) < 0)
            continue;
        text_printf(out, "%s: %s line %d -> ", t->name, op->work->declared->name, op->place.line);
        return;
    }
}

/* Whether the access is made by, or for, other CTAs: then a task's own order says nothing. */
static bool is_remote(const ir_program *p, const chain_end *a)
{
    return p->cluster_size > 1 && (a->effect->to != MODEL_TO_OWN || a->effect->reach != WW_REACH_OWN);
}

typedef bool (*chain_kind)(const run *r, const chain_end *from, const chain_end *to, chain_hops *hops);

/* In one task: its own order, and where several warps share the work, the barrier that it meets itself at. */
static void add_own_order(const run *r, chain_kind find_chain, const chain_end *from, const chain_end *to,
                          text *out)
{
    const ir_program *p = r->p;
    const ir_task *t = &p->tasks.at[from->task];
    chain_hops hops = {0};
    if (t->warps > 1 && find_chain(r, from, to, &hops) && hops.len == 1)
        add_hop(p, &hops.at[0], out);
    else
        text_printf(out, "%s: its own order", t->name);
    vec_free(&hops);
}

/* False: none was found, and the text says so. */
static bool add_chain(const run *r, chain_kind find_chain, const chain_end *from, const chain_end *to,
                      text *out)
{
    const ir_program *p = r->p;
    chain_hops hops = {0};
    add_group_wait(p, from, out);
    if (from->task == to->task && !is_remote(p, from) && !is_remote(p, to)) {
        add_own_order(r, find_chain, from, to, out);
        return true;
    }
    bool found = find_chain(r, from, to, &hops) || from->task == to->task;
    if (!hops.len)
        text_add(out, found ? "its own order" : "no chain of barriers found");
    for (size_t i = 0; i < hops.len; i++) {
        text_add(out, i ? " -> " : "");
        add_hop(p, &hops.at[i], out);
    }
    vec_free(&hops);
    return found;
}

/* ---- one buffer --------------------------------------------------------------------------------------- */

static void add_pair(const run *r, const chain_end *writer, const chain_end *reader, text *out)
{
    const ir_program *p = r->p;
    bool again = chain_is_reused(r, writer, reader);
    text_add(out, "    written by ");
    add_access(p, writer, out);
    text_add(out, ", read by ");
    add_access(p, reader, out);
    text_add(out, again ? "\n      full   " : ", not written again\n      full   ");
    (void)add_chain(r, chain_full, writer, reader, out);
    if (again) {
        text_add(out, "\n      empty  ");
        (void)add_chain(r, chain_empty, reader, writer, out);
    }
    text_add(out, "\n");
}

static bool overlap(const ir_buffer *a, const ir_buffer *b)
{
    uint32_t a_end = a->offset + (uint32_t)(a->stages - 1) * a->stage_bytes + a->bytes;
    uint32_t b_end = b->offset + (uint32_t)(b->stages - 1) * b->stage_bytes + b->bytes;
    return a != b && a->space == b->space && a->offset < b_end && b->offset < a_end;
}

/* Who writes another buffer that lies over this one, after its last access. Without a chain it comes before, and once. */
static void add_neighbour(const run *r, int other, const chain_end *last, text *out)
{
    const ir_program *p = r->p;
    const ir_buffer *b = &p->buffers.at[other];
    access_list writers = accesses_of(p, other, true);
    text chain = {0};
    if (writers.len && add_chain(r, chain_over, last, &writers.at[0], &chain)) {
        text_printf(out, "    then %s.%s over it, by ", p->kernel->resources.at[b->resource]->name, b->name);
        add_access(p, &writers.at[0], out);
        text_printf(out, "\n      empty  %s\n", text_str(&chain));
    }
    text_free(&chain);
    vec_free(&writers);
}

static void add_neighbours(const run *r, int buffer, const access_list *last, text *out)
{
    const ir_program *p = r->p;
    for (int other = 0; other < (int)p->buffers.len && last->len; other++)
        if (overlap(&p->buffers.at[buffer], &p->buffers.at[other]))
            add_neighbour(r, other, vec_last(last), out);
}

static void describe(const run *r, int buffer, text *out)
{
    access_list writers = accesses_of(r->p, buffer, true), readers = accesses_of(r->p, buffer, false);
    const chain_end *write, *read;
    vec_each(write, &writers)
        vec_each(read, &readers)
            if ((write->op != read->op || write->task != read->task) && chain_meets(r, write, read))
                add_pair(r, write, read, out);
    add_neighbours(r, buffer, readers.len ? &readers : &writers, out);
    vec_free(&writers);
    vec_free(&readers);
}

/* ---- the block ---------------------------------------------------------------------------------------- */

/* Buffers that are used alike stand together. */
void summary_reuse(const ir_program *p, FILE *out)
{
    run *r = run_new(p, TILES, true);
    text before = {0};
    bool any = false;
    for (size_t i = 0; i < p->buffers.len; i++) {
        const ir_buffer *b = &p->buffers.at[i];
        text now = {0}, next = {0};
        describe(r, (int)i, &now);
        if (now.len) {
            if (!any)
                (void)fputs(
                    "\nreuse of memory: by which barriers a reader hears that a slot is full, and a writer "
                    "that it is empty\n",
                    out);
            any = true;
            if (i + 1 < p->buffers.len && p->buffers.at[i + 1].resource == b->resource)
                describe(r, (int)i + 1, &next);
            (void)fprintf(out, "%s%s.%s", before.len ? ", " : "  ",
                          p->kernel->resources.at[b->resource]->name, b->name);
            text_free(&before);
            if (next.len && strcmp(text_str(&next), text_str(&now)) == 0)
                text_add(&before, "alike");
            else
                (void)fprintf(out, "\n%s", text_str(&now));
        }
        text_free(&now);
        text_free(&next);
    }
    text_free(&before);
    run_free(r);
}
