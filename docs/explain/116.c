/* 116: members of a group */
#include "explain.h"

typedef struct pair {
    ww_resource *a, *b, *both;
} pair;

static void load_a(ww_schedule *s, void *context)
{
    explain_load(s, ((pair *)context)->a);
}

static void load_b(ww_schedule *s, void *context)
{
    explain_load(s, ((pair *)context)->b);
}

static void use_both(ww_schedule *s, void *context)
{
    pair *p = context;
    ww_domain_loop(s, ww_imm(0), ww_arg(tile_params, trips, 0), ww_imm(1)) {
        ww_wait(s, p->a);
        ww_consume(s, p->a, "use");
        ww_wait(s, p->b);
        ww_consume(s, p->b, "use");
        ww_release(s, p->both);
    }
}

static void declare(ww_kernel *k, pair *p)
{
    p->both = ww_group_new(k, "both", &(ww_group_options){.mode = WW_MERGE, .members = {p->a, p->b}});
    explain_task(k, "load_a", 0, 1, load_a, p);
    explain_task(k, "load_b", 1, 1, load_b, p);
    explain_task(k, "use_both", 2, 1, use_both, p);
}

static void wrong(ww_kernel *k)
{
    /* wrong: one empty barrier cannot serve rings of unequal depth */
    const ww_pipeline a = ww_pipeline_async_async(.stages = 2);
    const ww_pipeline b = ww_pipeline_async_async(.stages = 3); /* of a merge of both */
    /* end */
    pair p = {explain_ring(k, "a", a), explain_ring(k, "b", b)};
    declare(k, &p);
}

static void right(ww_kernel *k)
{
    /* right: equally deep */
    const ww_pipeline a = ww_pipeline_async_async(.stages = 2);
    const ww_pipeline b = ww_pipeline_async_async(.stages = 2); /* of a merge of both */
    /* end */
    pair p = {explain_ring(k, "a", a), explain_ring(k, "b", b)};
    declare(k, &p);
}

EXPLAIN(116, .wrong = wrong, .right = right);
