/* 103: limits */
#include "explain.h"

static ww_resource *barrier[16];
static const char *const names[] = {"b1", "b2",  "b3",  "b4",  "b5",  "b6",  "b7",  "b8",
                                    "b9", "b10", "b11", "b12", "b13", "b14", "b15", "b16"};

static void meet(ww_schedule *s, void *count)
{
    for (int i = 0; i < *(const int *)count; i++)
        ww_sync(s, barrier[i]);
}

static void wrong(ww_kernel *k)
{
    /* wrong: a barrier too many */
    for (int i = 0; i < 16; i++) /* hardware has 15 to give away */
        barrier[i] = ww_named_barrier_new(k, names[i], 0);
    /* end */
    explain_task(k, "meet", 0, 1, meet, &(int){16});
}

static void right(ww_kernel *k)
{
    /* right: as many as there are */
    for (int i = 0; i < 15; i++)
        barrier[i] = ww_named_barrier_new(k, names[i], 0);
    /* end */
    explain_task(k, "meet", 0, 1, meet, &(int){15});
}

EXPLAIN(103, .wrong = wrong, .right = right);
