/* 219: routes, where they are given, are those of the tokens. */
#include "reject.h"

typedef struct copy {
    ww_resource *input, *output;
} copy;

static const ww_work input_work[] = {{.name = "coords", .side = WW_CONSUMER, .out = {"int m", "int n"}},
                                     {.name = NULL}};
static const ww_work output_work[] = {{.name = "store", .side = WW_PRODUCER, .in = {"int m", "int n"}},
                                      {.name = "count", .side = WW_PRODUCER, .out = {"int rows"}},
                                      {.name = "scale", .side = WW_PRODUCER, .in = {"int rows"}},
                                      {.name = NULL}};

static void move(ww_schedule *s, void *context)
{
    copy *c = context;
    reject_loop(s)
    {
        ww_token m, n;
        ww_consume(s, c->input, "coords", .out = {&m, &n});
        ww_produce(s, c->output, "store", .in = {m, n});
    }
}

static void declare(ww_kernel *k, const ww_route *routes)
{
    copy c = {ww_resource_new(k, "input", &(ww_resource_options){.work = input_work}),
              ww_resource_new(k, "output", &(ww_resource_options){.work = output_work})};
    const ww_task_options options = {.warps = 1, .schedule = move, .context = &c, .routes = routes};
    (void)ww_task_new(k, "move", &options), BLAME;
}

static void swapped(ww_kernel *k)
{
    static const ww_route routes[] = {
        {"input.coords.n", "output.store.m"}, {"input.coords.m", "output.store.n"}, {0}};
    declare(k, routes);
}

static void one_missing(ww_kernel *k)
{
    static const ww_route routes[] = {{"input.coords.m", "output.store.m"}, {0}};
    declare(k, routes);
}

/* Two sources for one input: the later writer would take the place of the first. */
static void one_too_many(ww_kernel *k)
{
    static const ww_route routes[] = {{"input.coords.m", "output.store.m"},
                                      {"input.coords.n", "output.store.n"},
                                      {"input.coords.n", "output.store.m"},
                                      {0}};
    declare(k, routes);
}

static void no_such_value(ww_kernel *k)
{
    static const ww_route routes[] = {{"input.coords.k", "output.store.m"}, {0}};
    declare(k, routes);
}

static void no_such_call(ww_kernel *k)
{
    static const ww_route routes[] = {{"input.coords.m", "output.store.m"},
                                      {"input.coords.n", "output.store.n"},
                                      {"output.count.rows", "output.store.m"},
                                      {0}};
    declare(k, routes);
}

static void as_the_tokens(ww_kernel *k)
{
    static const ww_route routes[] = {
        {"input.coords.n", "output.store.n"}, {"input.coords.m", "output.store.m"}, {0}};
    declare(k, routes);
}

const reject_case reject_route[] = {
    {"route: swapped", swapped, WW_ROUTE, "task move: its routes are not those of its tokens",
     "also input.coords.m -> output.store.m, input.coords.n -> output.store.n",
     "too many: input.coords.n -> output.store.m, input.coords.m -> output.store.n"},
    {"route: one is missing", one_missing, WW_ROUTE, "task move: its routes are not those of its tokens",
     "also input.coords.n -> output.store.n", "only the others"},
    {"route: one is too many", one_too_many, WW_ROUTE, "task move: its routes are not those of its tokens",
     "the routes of the tokens alone", "too many: input.coords.n -> output.store.m"},
    {"route: no such value", no_such_value, WW_ROUTE,
     "task move: a route from \"input.coords.k\", which is no output of a work method",
     "\"resource.method.output\"", "\"input.coords.k\""},
    {"route: no such call", no_such_call, WW_ROUTE, "task move: its routes are not those of its tokens",
     "the routes of the tokens alone",
     "too many: output.count.rows -> output.store.m (the task does not call the writer)"},
    {"route: as the tokens go", as_the_tokens, 0, NULL, NULL, NULL},
    {0},
};
