/* 219: routes */
#include "explain.h"

static const ww_work input_work[] = {{.name = "coords", .side = WW_CONSUMER, .out = {"int m"}}, {0}};
static const ww_work output_work[] = {{.name = "store", .side = WW_PRODUCER, .in = {"int m"}}, {0}};

typedef struct copy {
    ww_resource *input, *output;
} copy;

static void move(ww_schedule *s, void *context)
{
    copy *c = context;
    ww_domain_loop(s, ww_imm(0), ww_arg(tile_params, trips, 0), ww_imm(1)) {
        ww_token m;
        ww_consume(s, c->input, "coords", .out = {&m});
        ww_produce(s, c->output, "store", .in = {m});
    }
}

static void declare(ww_kernel *k, const ww_route *routes)
{
    copy c = {ww_resource_new(k, "input", &(ww_resource_options){.work = input_work}),
              ww_resource_new(k, "output", &(ww_resource_options){.work = output_work})};
    (void)ww_task_new(k, "move",
                      &(ww_task_options){.warps = 1, .schedule = move, .context = &c, .routes = routes});
}

static void wrong(ww_kernel *k)
{
    /* wrong: coords has an output m */
    const ww_route routes[] = {{"input.coords.n", "output.store.m"}, {0}};
    /* end */
    declare(k, routes);
}

static void right(ww_kernel *k)
{
    /* right: as the tokens go; or no routes at all */
    const ww_route routes[] = {{"input.coords.m", "output.store.m"}, {0}};
    /* end */
    declare(k, routes);
}

EXPLAIN(219, .wrong = wrong, .right = right);
