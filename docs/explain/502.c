/* 502: tensor maps */
#include "explain.h"

static const ww_work work[] = {{.name = "next", .side = WW_CONSUMER, .out = {"int row"}}, {0}};

static void count(ww_schedule *s, void *rows)
{
    ww_domain_loop(s, ww_imm(0), ww_arg(tile_params, trips, 0), ww_imm(1)) {
        ww_consume(s, rows, "next");
    }
}

static void declare(ww_kernel *k)
{
    explain_task(k, "count", 0, 1, count, ww_resource_new(k, "rows", &(ww_resource_options){.work = work}));
}

static void encode(ww_run *r, ww_tensor_2d matrix)
{
    ww_tensor_map map;
    matrix.address = ww_run_alloc(r, 65536);
    matrix.swizzle = WW_SWIZZLE_128B;
    ww_run_tensor_map(r, &matrix, &map);
}

static void run_wrong(ww_run *r)
{
    /* wrong: rows of 100 elements of 2 bytes, and 200 is no multiple of 16 */
    const ww_tensor_2d matrix = {
        .element = WW_BF16, .rows = 64, .cols = 100, .row_bytes = 200, .box_rows = 64, .box_cols = 64};
    /* end */
    encode(r, matrix);
}

static void run_right(ww_run *r)
{
    /* right: rows padded to 208 bytes */
    const ww_tensor_2d matrix = {
        .element = WW_BF16, .rows = 64, .cols = 100, .row_bytes = 208, .box_rows = 64, .box_cols = 64};
    /* end */
    encode(r, matrix);
}

EXPLAIN(502, .wrong = declare, .right = declare, .body_wrong = "401_right.cuh", .body_right = "401_right.cuh",
        .run_wrong = run_wrong, .run_right = run_right);
