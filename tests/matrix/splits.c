/* splits: a consumer of two tasks. One waits and reads, and tells the other through a ring of its own, which
 * reads too and releases. Its strides may then differ: the releasing task gives back a slot a lane. */
#include "matrix.h"
#include "matrix_params.h"

enum { RING_STAGES = 4, LANES = 2, RELEASING_WARPS = 2 };

typedef struct split {
    ring ring, hand;
    int lanes; /* of the releasing task, and brackets a trip of the others */
} split;

static ww_bound trips(void)
{
    return ww_arg(struct matrix_params, trips, 0);
}

static void fill(ww_schedule *s, void *context)
{
    const split *p = context;
    ww_domain_loop(s, ww_imm(0), trips(), ww_imm(1)) {
        for (int i = 0; i < p->lanes; i++) {
            ww_acquire(s, p->ring.ring);
            ring_put(s, &p->ring);
            ww_commit(s, p->ring.ring);
        }
    }
}

static void look(ww_schedule *s, void *context)
{
    const split *p = context;
    ww_domain_loop(s, ww_imm(0), trips(), ww_imm(1)) {
        for (int i = 0; i < p->lanes; i++) {
            ww_wait(s, p->ring.ring);
            ring_take(s, &p->ring, 0);
            ww_acquire(s, p->hand.ring);
            ring_put(s, &p->hand);
            ww_commit(s, p->hand.ring);
        }
    }
}

static void give_back(ww_schedule *s, void *context)
{
    const split *p = context;
    ww_domain_loop(s, ww_imm(0), trips(), ww_imm(1)) {
        ww_wait(s, p->hand.ring);
        ring_take(s, &p->hand, 0);
        ring_take(s, &p->ring, 0);
        ww_release(s, p->ring.ring);
        ww_release(s, p->hand.ring);
    }
}

/* variant: lanes of the releasing task. */
static void declare(ww_kernel *k, const row *r)
{
    split p = {.lanes = r->variant};
    agent who = type_producer(r->forms[0].pipeline.type);
    ring_declare(&p.ring, k, &r->forms[0], 0, 1, 1);
    ring_declare(&p.hand, k, &r->forms[1], 1, 1, 1);
    ww_task_options release = {.warps = RELEASING_WARPS, .schedule = give_back, .context = &p};
    ww_task_options wait = {.first_warp = 4, .warps = 2, .schedule = look, .context = &p};
    ww_task_options produce = {
        .first_warp = 8, .warps = who == AGENT_ASYNC ? 2 : 1, .schedule = fill, .context = &p};
    ww_task_new(k, "give_back", &release);
    ww_task_new(k, "look", &wait);
    ww_task_new(k, "fill", &produce);
}

static void add_row(row_list *rows, ww_pipeline_type type, int lanes)
{
    row r = {.arch = arch_for(type, 1), .cluster = {1, 1, 1, 1}, .declare = declare, .variant = lanes};
    for (int i = 0; i < 2; i++)
        r.forms[i] = (form){.arch = r.arch, .cluster = r.cluster, .pipeline = {.stages = RING_STAGES}};
    r.forms[0].pipeline.type = type;
    r.forms[1].pipeline.type = WW_ASYNC_ASYNC;
    if (lanes > 1) {
        r.forms[0].pipeline.stride = (ww_stride){.wait = 1, .release = lanes};
        r.forms[0].pipeline.advance_on_wait = true;
        r.forms[1].pipeline.stride = (ww_stride){.wait = lanes, .release = lanes};
    }
    text_printf(&r.name, "%s, waited for by one task and released by another of %d lane%s, %s",
                type_label(type), lanes, lanes > 1 ? "s" : "", r.arch);
    vec_push(rows, r);
}

void rows_add_splits(row_list *rows)
{
    static const ww_pipeline_type types[] = {WW_ASYNC_ASYNC, WW_TMA_ASYNC, WW_UMMA_ASYNC};
    for (size_t i = 0; i < ARRAY_LEN(types); i++) {
        add_row(rows, types[i], 1);
        add_row(rows, types[i], LANES);
    }
}
