/* tma_copy: a matrix copied through shared memory, the smallest producer and consumer. One warp fills a ring
 * of rows by TMA, four warps read them out and write them to global memory. Each CTA takes a strip of 128
 * columns.
 *
 * No register split: with setmaxnreg a CTA owns from its first instruction all registers it may ever have, and
 * this kernel lives on many small CTAs a multiprocessor. */
#include "warpwright/warpwright.h"
#include "tma_copy_params.h"

#include <stdio.h>
#include <stdlib.h>

struct tma_copy {
    ww_resource *input, *smem, *output;
    ww_bound rows;
    int size[2]; /* rows, columns */
    struct tma_copy_params params;
    uint16_t *data;
};

enum { STAGES = 4 };

static void load(ww_schedule *s, void *context)
{
    struct tma_copy *t = context;
    ww_produce(s, t->smem, "prefetch");
    ww_domain_loop(s, ww_imm(0), t->rows, ww_imm(1)) {
        ww_token x;
        ww_consume(s, t->input, "coords", .out = {&x});
        ww_try_acquire(s, t->smem);
        ww_acquire(s, t->smem);
        ww_produce(s, t->smem, "tma_load", .in = {x});
        ww_commit(s, t->smem);
    }
}

/* The stage is released before the row is stored: by then the element is in a register. */
static void store(ww_schedule *s, void *context)
{
    struct tma_copy *t = context;
    ww_domain_loop(s, ww_imm(0), t->rows, ww_imm(1)) {
        ww_token item;
        ww_try_wait(s, t->smem);
        ww_wait(s, t->smem);
        ww_consume(s, t->smem, "read", .out = {&item});
        ww_release(s, t->smem);
        ww_produce(s, t->output, "store", .in = {item});
    }
}

static const ww_work input_work[] = {{.name = "coords", .side = WW_CONSUMER, .out = {"int x"}}, {0}};
static const ww_work smem_work[] = {
    {.name = "prefetch", .side = WW_PRODUCER, .auxiliary = true},
    {.name = "tma_load", .side = WW_PRODUCER, .in = {"int x"}, .copies = {{"row", TMA_COPY_ROW_BYTES}}},
    {.name = "read", .side = WW_CONSUMER, .out = {"uint16_t item"}},
    {0},
};
static const ww_work output_work[] = {{.name = "store", .side = WW_PRODUCER, .in = {"uint16_t item"}}, {0}};

static ww_kernel *declare(void *problem)
{
    struct tma_copy *t = problem;
    ww_kernel *k = ww_kernel_new("tma_copy", &(ww_kernel_options){
                                                 .body = "tma_copy.cuh",
                                                 .body_folder = EXAMPLE_FOLDER,
                                                 .params = "tma_copy_params",
                                                 .params_bytes = sizeof(struct tma_copy_params),
                                             });
    t->rows = ww_arg(struct tma_copy_params, rows, 0);
    t->input = ww_resource_new(k, "input", &(ww_resource_options){.work = input_work});
    t->smem = ww_resource_new(k, "smem",
                              &(ww_resource_options){
                                  .pipeline = {.type = WW_TMA_ASYNC, .stages = STAGES},
                                  .buffers = {{"row", TMA_COPY_ROW_BYTES, 128}},
                                  .work = smem_work,
                              });
    t->output = ww_resource_new(k, "output", &(ww_resource_options){.work = output_work});
    ww_depends(k, t->smem, t->input);
    ww_depends(k, t->output, t->smem);
    ww_task_new(k, "store", &(ww_task_options){.warps = 4, .schedule = store, .context = t});
    ww_task_new(k, "load", &(ww_task_options){.first_warp = 4, .warps = 1, .schedule = load, .context = t});
    return k;
}

static void clean_up(void *problem)
{
    struct tma_copy *t = problem;
    free(t->data);
    t->data = NULL;
}

static void make_map(struct tma_copy *t, ww_run *r, uint64_t from)
{
    ww_run_tensor_map(r,
                      &(ww_tensor_2d){.element = WW_F16,
                                      .address = from,
                                      .rows = (uint64_t)t->size[0],
                                      .cols = (uint64_t)t->size[1],
                                      .row_bytes = (uint64_t)t->size[1] * sizeof *t->data,
                                      .box_rows = 1,
                                      .box_cols = TMA_COPY_COLUMNS},
                      &t->params.from);
}

static bool prepare(void *problem, ww_run *r, ww_launch *launch)
{
    struct tma_copy *t = problem;
    size_t count = (size_t)t->size[0] * (size_t)t->size[1], bytes = count * sizeof *t->data;
    if (t->size[1] % 8) {
        (void)fprintf(stderr, "--size: columns must be a multiple of 8, TMA moves rows of whole 16 bytes\n");
        return false;
    }
    clean_up(t);
    t->data = malloc(bytes);
    if (!t->data)
        return false;
    for (size_t i = 0; i < count; i++)
        t->data[i] = (uint16_t)(i * 40503u >> 3);
    uint64_t from = ww_run_alloc(r, bytes), to = ww_run_alloc(r, bytes);
    ww_run_upload(r, from, t->data, bytes);
    make_map(t, r, from);
    t->params.to = (uint16_t *)to;
    t->params.rows = t->size[0];
    t->params.cols = t->params.pitch = t->size[1];
    uint32_t strips = ((uint32_t)t->size[1] + TMA_COPY_COLUMNS - 1) / TMA_COPY_COLUMNS;
    *launch = (ww_launch){.params = &t->params, .grid = {strips, 1, 1}};
    return true;
}

static bool compare(void *problem, ww_run *r, ww_comparison *c)
{
    const struct tma_copy *t = problem;
    ww_compare_exact(r, t->data, (uint64_t)t->params.to, (size_t)t->size[0] * (size_t)t->size[1],
                     sizeof *t->data, c);
    return true;
}

static ww_cost cost(void *problem)
{
    const struct tma_copy *t = problem;
    return (ww_cost){.bytes = 2.0 * sizeof(uint16_t) * t->size[0] * t->size[1]};
}

int main(int argc, char **argv)
{
    struct tma_copy t = {.size = {256, 512}};
    const ww_option options[] = {
        {"size", "ROWS,COLS", "of the matrix; COLS a multiple of 8 (256,512)", WW_OPTION_INTS, t.size, 2, 1},
        {0},
    };
    const ww_app app = {
        .name = "tma_copy",
        .summary = "copies a matrix of 16-bit elements through shared memory by TMA",
        .options = options,
        .problem = &t,
        .declare = declare,
        .prepare = prepare,
        .compare = compare,
        .cost = cost,
        .clean_up = clean_up,
    };
    return ww_app_main(&app, argc, argv);
}
