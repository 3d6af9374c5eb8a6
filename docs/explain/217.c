/* 217: griddepcontrol */
#include "explain.h"

typedef struct chain {
    ww_resource *input, *previous;
} chain;

static void load_wrong(ww_schedule *s, void *context)
{
    chain *c = context;
    /* wrong: input may not have been written yet */
    ww_domain_loop(s, ww_imm(0), ww_arg(tile_params, trips, 0), ww_imm(1)) {
        ww_consume(s, c->input, "get"); /* ww_depends(k, input, previous) */
    }
    /* end */
}

static void load_right(ww_schedule *s, void *context)
{
    chain *c = context;
    /* right: first wait for the grid before */
    ww_griddep_wait(s, c->previous);
    ww_domain_loop(s, ww_imm(0), ww_arg(tile_params, trips, 0), ww_imm(1)) {
        ww_consume(s, c->input, "get"); /* ww_depends(k, input, previous) */
    }
    /* end */
}

static void wrong(ww_kernel *k)
{
    chain c = {explain_plain(k, "input"), ww_pdl_wait_new(k, "previous")};
    ww_depends(k, c.input, c.previous);
    explain_task(k, "load", 0, 1, load_wrong, &c);
}

static void right(ww_kernel *k)
{
    chain c = {explain_plain(k, "input"), ww_pdl_wait_new(k, "previous")};
    ww_depends(k, c.input, c.previous);
    explain_task(k, "load", 0, 1, load_right, &c);
}

EXPLAIN(217, .wrong = wrong, .right = right);
