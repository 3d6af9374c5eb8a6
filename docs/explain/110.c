/* 110: verbs belong to pipelines */
#include "explain.h"

static void move_wrong(ww_schedule *s, void *input)
{
    ww_domain_loop(s, ww_imm(0), ww_arg(tile_params, trips, 0), ww_imm(1)) {
        /* wrong: input is declared without a pipeline */
        ww_wait(s, input);
        ww_consume(s, input, "get");
        ww_release(s, input);
        /* end */
    }
}

static void move_right(ww_schedule *s, void *input)
{
    ww_domain_loop(s, ww_imm(0), ww_arg(tile_params, trips, 0), ww_imm(1)) {
        /* right: its work needs no bracket */
        ww_consume(s, input, "get");
        /* end */
    }
}

static void wrong(ww_kernel *k)
{
    explain_task(k, "move", 0, 1, move_wrong, explain_plain(k, "input"));
}

static void right(ww_kernel *k)
{
    explain_task(k, "move", 0, 1, move_right, explain_plain(k, "input"));
}

EXPLAIN(110, .wrong = wrong, .right = right);
