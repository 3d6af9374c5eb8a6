/* 108: values are there to be used */
#include "explain.h"

static const ww_work input_work[] = {{.name = "coords", .side = WW_CONSUMER, .out = {"int m"}}, {0}};

typedef struct copy {
    ww_resource *input;
} copy;

static void move_wrong(ww_schedule *s, void *context)
{
    copy *c = context;
    ww_domain_loop(s, ww_imm(0), ww_arg(tile_params, trips, 0), ww_imm(1)) {
        /* wrong: nobody takes m */
        ww_token m;
        ww_consume(s, c->input, "coords", .out = {&m});
        /* end */
    }
}

static void move_right(ww_schedule *s, void *context)
{
    copy *c = context;
    ww_domain_loop(s, ww_imm(0), ww_arg(tile_params, trips, 0), ww_imm(1)) {
        /* right: left out of .out */
        ww_consume(s, c->input, "coords");
        /* end */
    }
}

static void wrong(ww_kernel *k)
{
    copy c = {ww_resource_new(k, "input", &(ww_resource_options){.work = input_work})};
    explain_task(k, "move", 0, 1, move_wrong, &c);
}

static void right(ww_kernel *k)
{
    copy c = {ww_resource_new(k, "input", &(ww_resource_options){.work = input_work})};
    explain_task(k, "move", 0, 1, move_right, &c);
}

EXPLAIN(108, .wrong = wrong, .right = right);
