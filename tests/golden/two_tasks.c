/* The smallest kernel with a pipeline: a row is loaded by TMA, and stored by the threads of another task. */
#include "kernels.h"

enum { ROW_BYTES = 4096, STAGES = 4 };

typedef struct two_tasks_params {
    int rows;
} two_tasks_params;

typedef struct two_tasks {
    ww_resource *source, *rows, *destination;
} two_tasks;

static void load(ww_schedule *s, void *context)
{
    two_tasks *k = context;
    ww_domain_loop(s, ww_imm(0), ww_arg(two_tasks_params, rows, 0), ww_imm(1)) {
        ww_token row;
        ww_consume(s, k->source, "next", .out = {&row});
        ww_acquire(s, k->rows);
        ww_produce(s, k->rows, "load", .in = {row});
        ww_commit(s, k->rows);
    }
}

static void store(ww_schedule *s, void *context)
{
    two_tasks *k = context;
    ww_domain_loop(s, ww_imm(0), ww_arg(two_tasks_params, rows, 0), ww_imm(1)) {
        ww_token first, second;
        ww_wait(s, k->rows);
        ww_consume(s, k->rows, "read", .out = {&first, &second});
        ww_release(s, k->rows);
        ww_produce(s, k->destination, "write", .in = {first, second});
    }
}

static const ww_work source_work[] = {{.name = "next", .side = WW_CONSUMER, .out = {"int row"}}, {0}};
static const ww_work rows_work[] = {
    {.name = "load", .side = WW_PRODUCER, .in = {"int row"}, .copies = {{"row", ROW_BYTES}}},
    {.name = "read", .side = WW_CONSUMER, .out = {"float4 first", "float4 second"}},
    {0}};
static const ww_work destination_work[] = {
    {.name = "write", .side = WW_PRODUCER, .in = {"float4 low", "float4 high"}}, {0}};

ww_kernel *golden_two_tasks_with_arrivals(uint32_t consumer_arrivals)
{
    ww_kernel *k = ww_kernel_new("two_tasks", &(ww_kernel_options){.body = "two_tasks.cuh",
                                                                   .body_folder = ".",
                                                                   .params = "two_tasks_params",
                                                                   .params_bytes = sizeof(two_tasks_params)});
    two_tasks t;
    t.source = ww_resource_new(k, "source", &(ww_resource_options){.work = source_work});
    t.rows = ww_resource_new(
        k, "rows",
        &(ww_resource_options){
            .pipeline = {.type = WW_TMA_ASYNC, .stages = STAGES, .consumer_arrivals = consumer_arrivals},
            .buffers = {{"row", ROW_BYTES, 0}},
            .work = rows_work});
    t.destination = ww_resource_new(k, "destination", &(ww_resource_options){.work = destination_work});
    (void)ww_task_new(k, "load",
                      &(ww_task_options){.first_warp = 0, .warps = 1, .schedule = load, .context = &t});
    (void)ww_task_new(k, "store",
                      &(ww_task_options){.first_warp = 4, .warps = 4, .schedule = store, .context = &t});
    ww_depends(k, t.rows, t.source);
    ww_depends(k, t.destination, t.rows);
    return k;
}

ww_kernel *golden_two_tasks(void)
{
    return golden_two_tasks_with_arrivals(0);
}
