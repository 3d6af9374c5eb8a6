/* How the work of a proof grows with stages, tasks, trips and CTAs: one of them at a time. */
#include "bench_prove.h"

#include <stdio.h>
#include <string.h>

enum { MOST_TEXT = 128 };

typedef struct point {
    int stages, tasks, trips;
    ww_cluster cluster;
    uint32_t copy_a, copy_b; /* bytes of a copy: a buffer divided by the CTAs it goes to */
    mini m;
    char names[WW_MAX_TASKS][16], texts[WW_MAX_TASKS][MOST_TEXT];
} point;

static void release(void *context, ww_kernel *k)
{
    (void)k;
    mini_free(&((point *)context)->m);
}

static void print_head(const char *title, const char *parameter)
{
    printf("\n%s\n\n| %s | warps | barrier stages | events | configurations | ms | ns an event | "
           "ns a warp and stage |\n"
           "|---|---|---|---|---|---|---|---|\n",
           title, parameter);
}

static void print_point(int parameter, const measured *m)
{
    double events = m->verdict.events ? (double)m->verdict.events : 1;
    double size = (double)m->agents * (double)m->stages;
    printf("| %d | %d | %zu | %llu | %u | %.3f | %.0f | %.0f |%s\n", parameter, m->agents, m->stages,
           (unsigned long long)m->verdict.events, m->verdict.configurations, m->prove,
           m->prove * 1e6 / events, m->prove * 1e6 / size, m->verdict.proved ? "" : " NOT PROVED");
}

/* ---- a chain of tasks, each of which hands on what it is given -------------------------------------------- */

static void add_link(point *p, int i, const char *count)
{
    int last = p->tasks - 1;
    char *link = p->texts[i];
    (void)snprintf(p->names[i], sizeof p->names[i], "T%d", i);
    if (i == 0)
        (void)snprintf(link, MOST_TEXT, "(A r0 W r0 C r0)*%s", count);
    else if (i == last)
        (void)snprintf(link, MOST_TEXT, "(w r%d R r%d L r%d)*%s", i - 1, i - 1, i - 1, count);
    else
        (void)snprintf(link, MOST_TEXT, "(w r%d R r%d A r%d W r%d C r%d L r%d)*%s", i - 1, i - 1, i, i, i,
                       i - 1, count);
    mini_add(&p->m, p->names[i], 1, link);
}

static ww_kernel *declare_chain(void *context)
{
    static const char *const rings[] = {"r0",  "r1",  "r2",  "r3",  "r4",  "r5",  "r6",  "r7",
                                        "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15",
                                        "r16", "r17", "r18", "r19", "r20", "r21", "r22", "r23",
                                        "r24", "r25", "r26", "r27", "r28", "r29", "r30"};
    point *p = context;
    char count[16] = "k";
    if (p->trips)
        (void)snprintf(count, sizeof count, "%d", p->trips);
    p->m = mini_new(false);
    for (int i = 0; i + 1 < p->tasks; i++)
        mini_ring_with(
            &p->m, rings[i],
            (mini_ring_options){.pipeline = {.type = WW_ASYNC_ASYNC, .stages = p->stages}, .bytes = 128});
    for (int i = 0; i < p->tasks; i++)
        add_link(p, i, count);
    ww_kernel_unchecked(p->m.kernel);
    return p->m.kernel;
}

/* ---- one producer, many consumers of everything ------------------------------------------------------------ */

static ww_kernel *declare_broadcast(void *context)
{
    point *p = context;
    p->m = mini_new(false);
    mini_ring(&p->m, "s", (ww_pipeline){.type = WW_TMA_ASYNC, .stages = p->stages});
    mini_add(&p->m, "P", 1, "(A s W s C s)*k");
    for (int i = 1; i < p->tasks; i++) {
        (void)snprintf(p->names[i], sizeof p->names[i], "Q%d", i);
        mini_add(&p->m, p->names[i], 1, "(w s R s L s)*k");
    }
    ww_kernel_unchecked(p->m.kernel);
    return p->m.kernel;
}

static const int stage_counts[] = {1, 2, 4, 8, 16, 32, 64}, task_counts[] = {2, 4, 8, 16, 32},
                 trip_counts[] = {1, 4, 16, 64, 256, 1024};

void bench_sweeps(int repetitions)
{
    point p = {.tasks = 2};
    print_head("stages: a producer and a consumer, any number of trips", "stages");
    for (size_t i = 0; i < ARRAY_LEN(stage_counts); i++) {
        p.stages = stage_counts[i];
        measured m = measure(declare_chain, release, &p, repetitions);
        print_point(stage_counts[i], &m);
    }
    p.stages = 2;
    print_head("tasks: a chain, two stages a ring, any number of trips", "tasks");
    for (size_t i = 0; i < ARRAY_LEN(task_counts); i++) {
        p.tasks = task_counts[i];
        measured m = measure(declare_chain, release, &p, repetitions);
        print_point(task_counts[i], &m);
    }
    p.stages = 4;
    print_head("tasks: one producer, all others consumers of its four stages, any number of trips", "tasks");
    for (size_t i = 0; i < ARRAY_LEN(task_counts); i++) {
        p.tasks = task_counts[i];
        measured m = measure(declare_broadcast, release, &p, repetitions);
        print_point(task_counts[i], &m);
    }
    p.tasks = 4;
    print_head("trips, immediate: a chain of four tasks, four stages a ring", "trips");
    for (size_t i = 0; i < ARRAY_LEN(trip_counts); i++) {
        p.trips = trip_counts[i];
        measured m = measure(declare_chain, release, &p, repetitions);
        print_point(trip_counts[i], &m);
    }
}

/* ---- clusters -------------------------------------------------------------------------------------------------- */

/* tcgen05: operands by multicast along both sides of the cluster, a queue that launches clusters, results by tile. */
static ww_kernel *declare_cluster(void *context)
{
    point *p = context;
    p->m = mini_new_with((mini_options){.arch = "sm_100a", .cluster = p->cluster, .queue = MINI_CLC});
    mini_ring_with(&p->m, "a",
                   (mini_ring_options){.pipeline = {.type = WW_TMA_UMMA, .stages = p->stages},
                                       .copy = p->copy_a,
                                       .reach = WW_REACH_A});
    mini_ring_with(&p->m, "b",
                   (mini_ring_options){.pipeline = {.type = WW_TMA_UMMA, .stages = p->stages},
                                       .copy = p->copy_b,
                                       .reach = WW_REACH_B});
    mini_ring_with(&p->m, "t",
                   (mini_ring_options){.pipeline = {.type = WW_UMMA_ASYNC, .stages = 2}, .tensor = true});
    mini_add(&p->m, "S", 1, "tiles{ F }");
    mini_add(&p->m, "P", 1, "tiles{ (A a W a C a A b W b C b)*k }");
    mini_add(&p->m, "M", 1, "tiles{ A t (w a w b U t:ab L a L b)*k C t }");
    mini_add(&p->m, "E", 4, "tiles{ w t R t L t }");
    ww_kernel_unchecked(p->m.kernel);
    return p->m.kernel;
}

static void sweep_clusters(const char *title, const ww_cluster *clusters, size_t count, int repetitions)
{
    print_head(title, "CTAs");
    for (size_t i = 0; i < count; i++) {
        const ww_cluster *c = &clusters[i];
        point p = {.stages = 3, .cluster = *c};
        p.copy_a = (uint32_t)(MINI_COPY / c->n);
        p.copy_b = (uint32_t)(MINI_COPY / c->m);
        measured m = measure(declare_cluster, release, &p, repetitions);
        print_point(c->v * c->m * c->n, &m);
    }
}

void bench_clusters(int repetitions)
{
    static const ww_cluster alone[] = {{1, 1, 1, 1}, {1, 2, 1, 1}, {1, 2, 2, 1}, {1, 4, 2, 1}, {1, 4, 4, 1}};
    static const ww_cluster pairs[] = {{2, 1, 1, 1}, {2, 2, 1, 1}, {2, 2, 2, 1}, {2, 4, 2, 1}};
    sweep_clusters("clusters: a tcgen05 GEMM, three stages, multicast, any number of tiles and trips", alone,
                   ARRAY_LEN(alone), repetitions);
    sweep_clusters("clusters: the same, each MMA by a pair of CTAs", pairs, ARRAY_LEN(pairs), repetitions);
}
