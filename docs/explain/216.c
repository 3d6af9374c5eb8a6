/* 216: what a group shares is called on the group */
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

static void use_wrong(ww_schedule *s, void *context)
{
    pair *p = context;
    ww_domain_loop(s, ww_imm(0), ww_arg(tile_params, trips, 0), ww_imm(1)) {
        /* wrong: one empty barrier would hear of each slot twice */
        ww_wait(s, p->a);
        ww_consume(s, p->a, "use");
        ww_release(s, p->a);
        ww_wait(s, p->b);
        ww_consume(s, p->b, "use");
        ww_release(s, p->b);
        /* end */
    }
}

static void use_right(ww_schedule *s, void *context)
{
    pair *p = context;
    ww_domain_loop(s, ww_imm(0), ww_arg(tile_params, trips, 0), ww_imm(1)) {
        /* right: once for all members of the merge */
        ww_wait(s, p->a);
        ww_consume(s, p->a, "use");
        ww_wait(s, p->b);
        ww_consume(s, p->b, "use");
        ww_release(s, p->both);
        /* end */
    }
}

static void wrong(ww_kernel *k)
{
    pair p = {explain_ring(k, "a", ww_pipeline_async_async(.stages = 2)),
              explain_ring(k, "b", ww_pipeline_async_async(.stages = 2))};
    p.both = ww_group_new(k, "both", &(ww_group_options){.mode = WW_MERGE, .members = {p.a, p.b}});
    explain_task(k, "load_a", 0, 1, load_a, &p);
    explain_task(k, "load_b", 1, 1, load_b, &p);
    explain_task(k, "use_both", 2, 1, use_wrong, &p);
}

static void right(ww_kernel *k)
{
    pair p = {explain_ring(k, "a", ww_pipeline_async_async(.stages = 2)),
              explain_ring(k, "b", ww_pipeline_async_async(.stages = 2))};
    p.both = ww_group_new(k, "both", &(ww_group_options){.mode = WW_MERGE, .members = {p.a, p.b}});
    explain_task(k, "load_a", 0, 1, load_a, &p);
    explain_task(k, "load_b", 1, 1, load_b, &p);
    explain_task(k, "use_both", 2, 1, use_right, &p);
}

EXPLAIN(216, .wrong = wrong, .right = right);
