/* grid_stride_copy: a vector of 16-bit integers copied by threads that walk it with the grid's stride. No
 * pipeline, no shared memory: the smallest schedule there is, one domain loop with bounds that differ from
 * thread to thread. */
#include "warpwright/warpwright.h"
#include "grid_stride_params.h"

#include <stdlib.h>

struct grid_stride {
    ww_resource *input, *output;
    int count, blocks;
    struct grid_stride_params params;
    int16_t *data;
};

enum { WARPS = 8 };

static void copy(ww_schedule *s, void *context)
{
    struct grid_stride *g = context;
    ww_domain_loop(s, ww_device("grid_stride_first"), ww_arg(struct grid_stride_params, count, 0),
                   ww_device("grid_stride_step")) {
        ww_token item;
        ww_consume(s, g->input, "get", .out = {&item});
        ww_produce(s, g->output, "set", .in = {item});
    }
}

static const ww_work input_work[] = {{.name = "get", .side = WW_CONSUMER, .out = {"int16_t item"}}, {0}};
static const ww_work output_work[] = {{.name = "set", .side = WW_PRODUCER, .in = {"int16_t item"}}, {0}};

static ww_kernel *declare(void *problem)
{
    struct grid_stride *g = problem;
    ww_kernel *k = ww_kernel_new("grid_stride_copy", &(ww_kernel_options){
                                                         .body = "grid_stride.cuh",
                                                         .body_folder = EXAMPLE_FOLDER,
                                                         .params = "grid_stride_params",
                                                         .params_bytes = sizeof(struct grid_stride_params),
                                                     });
    g->input = ww_resource_new(k, "input", &(ww_resource_options){.work = input_work});
    g->output = ww_resource_new(k, "output", &(ww_resource_options){.work = output_work});
    ww_depends(k, g->output, g->input);
    ww_task_new(k, "copy", &(ww_task_options){.warps = WARPS, .schedule = copy, .context = g});
    return k;
}

static void clean_up(void *problem)
{
    struct grid_stride *g = problem;
    free(g->data);
    g->data = NULL;
}

static bool prepare(void *problem, ww_run *r, ww_launch *launch)
{
    struct grid_stride *g = problem;
    size_t bytes = (size_t)g->count * sizeof *g->data;
    clean_up(g);
    g->data = malloc(bytes);
    if (!g->data)
        return false;
    for (int i = 0; i < g->count; i++)
        g->data[i] = (int16_t)((unsigned)i * 40503u >> 3);
    uint64_t from = ww_run_alloc(r, bytes), to = ww_run_alloc(r, bytes);
    ww_run_upload(r, from, g->data, bytes);
    g->params = (struct grid_stride_params){(const int16_t *)from, (int16_t *)to, g->count};
    *launch = (ww_launch){.params = &g->params, .grid = {(uint32_t)g->blocks, 1, 1}};
    return true;
}

static bool compare(void *problem, ww_run *r, ww_comparison *c)
{
    const struct grid_stride *g = problem;
    ww_compare_exact(r, g->data, (uint64_t)g->params.to, (size_t)g->count, sizeof *g->data, c);
    return true;
}

static ww_cost cost(void *problem)
{
    const struct grid_stride *g = problem;
    return (ww_cost){.bytes = 2.0 * sizeof(int16_t) * g->count};
}

int main(int argc, char **argv)
{
    struct grid_stride g = {.count = 1 << 20, .blocks = 256};
    const ww_option options[] = {
        {"count", "N", "elements (1048576)", WW_OPTION_INTS, &g.count, 1, 1},
        {"blocks", "N", "CTAs (256)", WW_OPTION_INTS, &g.blocks, 1, 1},
        {0},
    };
    const ww_app app = {
        .name = "grid_stride_copy",
        .summary = "copies a vector of 16-bit integers, each thread with the grid's stride",
        .options = options,
        .problem = &g,
        .declare = declare,
        .prepare = prepare,
        .compare = compare,
        .cost = cost,
        .clean_up = clean_up,
    };
    return ww_app_main(&app, argc, argv);
}
