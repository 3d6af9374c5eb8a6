/* 105: inputs are tokens that earlier calls have made */
#include "explain.h"

static const ww_work input_work[] = {{.name = "coords", .side = WW_CONSUMER, .out = {"int m"}}, {0}};
static const ww_work output_work[] = {{.name = "store", .side = WW_PRODUCER, .in = {"int m"}}, {0}};

typedef struct copy {
    ww_resource *input, *output;
} copy;

static void move_wrong(ww_schedule *s, void *context)
{
    copy *c = context;
    ww_domain_loop(s, ww_imm(0), ww_arg(tile_params, trips, 0), ww_imm(1)) {
        /* wrong: m has no value yet */
        ww_token m = {0};
        ww_produce(s, c->output, "store", .in = {m});
        /* end */
    }
}

static void move_right(ww_schedule *s, void *context)
{
    copy *c = context;
    ww_domain_loop(s, ww_imm(0), ww_arg(tile_params, trips, 0), ww_imm(1)) {
        /* right: a call before it makes m */
        ww_token m;
        ww_consume(s, c->input, "coords", .out = {&m});
        ww_produce(s, c->output, "store", .in = {m});
        /* end */
    }
}

static void wrong(ww_kernel *k)
{
    copy c = {ww_resource_new(k, "input", &(ww_resource_options){.work = input_work}),
              ww_resource_new(k, "output", &(ww_resource_options){.work = output_work})};
    explain_task(k, "move", 0, 1, move_wrong, &c);
}

static void right(ww_kernel *k)
{
    copy c = {ww_resource_new(k, "input", &(ww_resource_options){.work = input_work}),
              ww_resource_new(k, "output", &(ww_resource_options){.work = output_work})};
    explain_task(k, "move", 0, 1, move_right, &c);
}

EXPLAIN(105, .wrong = wrong, .right = right);
