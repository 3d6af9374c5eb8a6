/* The GEMM whose state counts the specification tells for a search over interleavings: four tasks, three stages for each
 * operand, two accumulators. */
#include "bench_prove.h"
#include "prove/explore.h"
#include "model/model.h"

#include <stdio.h>

enum { MOST_STATES = 300000 };

typedef struct gemm {
    int k;
    bool tiles;
    mini m;
    char texts[4][96];
} gemm;

static void release(void *context, ww_kernel *k)
{
    (void)k;
    mini_free(&((gemm *)context)->m);
}

static ww_kernel *declare(void *context)
{
    static const char *const names[] = {"LA", "LB", "M", "E"};
    gemm *g = context;
    const char *open = g->tiles ? "tiles{ " : "", *close = g->tiles ? " }" : "";
    ww_pipeline operands = {.type = WW_TMA_UMMA, .stages = 3};
    g->m = mini_new_with((mini_options){.arch = "sm_100a"});
    mini_ring(&g->m, "a", operands);
    mini_ring(&g->m, "b", operands);
    mini_ring_with(&g->m, "t",
                   (mini_ring_options){.pipeline = {.type = WW_UMMA_ASYNC, .stages = 2}, .tensor = true});
    (void)snprintf(g->texts[0], sizeof g->texts[0], "%s(A a W a C a)*%d%s", open, g->k, close);
    (void)snprintf(g->texts[1], sizeof g->texts[1], "%s(A b W b C b)*%d%s", open, g->k, close);
    (void)snprintf(g->texts[2], sizeof g->texts[2], "%sA t (w a w b U t:ab L a L b)*%d C t%s", open, g->k,
                   close);
    (void)snprintf(g->texts[3], sizeof g->texts[3], "%sw t R t L t%s", open, close);
    for (int i = 0; i < 4; i++)
        mini_add(&g->m, names[i], 1, g->texts[i]);
    ww_kernel_unchecked(g->m.kernel);
    return g->m.kernel;
}

static void print_states(const explore_result *r, double ms)
{
    if (r->capped)
        printf(" more than %llu |", (unsigned long long)r->states - 1);
    else
        printf(" %llu%s, %.0f ms |", (unsigned long long)r->states, explore_clean(r) ? "" : " FAULT", ms);
}

static void explore(gemm *g, int tiles, bool reduced)
{
    ww_kernel *k = declare(g);
    (void)ww_kernel_prove(k); /* lowers it */
    double start = clock_ms();
    explore_options options = {.most_states = MOST_STATES, .reduced = reduced};
    explore_result r = explore_program(k, k->program, (explore_values){.tiles = tiles}, options);
    print_states(&r, clock_ms() - start);
    mini_free(&g->m);
}

/* Counts of the specification: at that number of trips. 0: none is told. */
static const struct {
    int k, one_tile, two_tiles, projected;
} published[] = {{1, 264, 44594, 169}, {2, 1347, 94551, 651}, {4, 7284, 195666, 1879},
                 {8, 20004, 0, 4183},  {16, 45444, 0, 8791},  {64, 0, 0, 36439}};

static void print_published(int states)
{
    if (states)
        printf(" %d |", states);
    else
        printf(" - |");
}

void bench_reference(int repetitions)
{
    for (int tiles = 1; tiles <= 2; tiles++) {
        printf("\n%s\n\n| K | reference's states |%s proof: events | configurations | ms | explorer, reduced "
               "| all "
               "interleavings |\n|---|---|%s---|---|---|---|---|\n",
               tiles == 1 ? "reference's GEMM, one tile"
                          : "reference's GEMM, proof for any number of tiles, others two",
               tiles == 1 ? "" : " projected |", tiles == 1 ? "" : "---|");
        for (size_t i = 0; i < ARRAY_LEN(published); i++) {
            gemm g = {.k = published[i].k, .tiles = tiles > 1};
            measured m = measure(declare, release, &g, repetitions);
            printf("| %d |", published[i].k);
            print_published(tiles == 1 ? published[i].one_tile : published[i].two_tiles);
            if (tiles > 1)
                print_published(published[i].projected);
            printf(" %llu%s | %u | %.3f |", (unsigned long long)m.verdict.events,
                   m.verdict.proved ? "" : " NOT PROVED", m.verdict.configurations, m.prove);
            explore(&g, tiles, true);
            explore(&g, tiles, false);
            printf("\n");
        }
    }
}
