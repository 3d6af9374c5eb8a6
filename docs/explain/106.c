/* 106: blocks stand where they may */
#include "explain.h"

static void move_wrong(ww_schedule *s, void *input)
{
    /* wrong: the first trip of which loop? */
    ww_first_iter(s) {
        ww_consume(s, input, "get");
    }
    ww_domain_loop(s, ww_imm(0), ww_arg(tile_params, trips, 0), ww_imm(1)) {
        ww_produce(s, input, "put");
    }
    /* end */
}

static void move_right(ww_schedule *s, void *input)
{
    /* right: the guard stands in the loop */
    ww_domain_loop(s, ww_imm(0), ww_arg(tile_params, trips, 0), ww_imm(1)) {
        ww_first_iter(s) {
            ww_consume(s, input, "get");
        }
        ww_produce(s, input, "put");
    }
    /* end */
}

static void wrong(ww_kernel *k)
{
    explain_task(k, "move", 0, 1, move_wrong, explain_plain(k, "input"));
}

static void right(ww_kernel *k)
{
    explain_task(k, "move", 0, 1, move_right, explain_plain(k, "input"));
}

EXPLAIN(106, .wrong = wrong, .right = right);
