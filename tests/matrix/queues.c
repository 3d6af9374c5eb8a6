/* queues: every pipeline type in a persistent loop over tiles, which are dealt by each of the three kinds
 * of queue. */
#include "matrix.h"
#include "matrix_params.h"

enum { RING_STAGES = 2, THREAD_WARPS = 2, WGMMA_WARPS = 4 };

typedef enum queue_kind { QUEUE_STATIC, QUEUE_CLC, QUEUE_COUNTER, QUEUE_KINDS } queue_kind;
static const char *const kind_names[] = {"static queue", "CLC queue", "counter queue"};

typedef struct persistent {
    ring ring;
    ww_resource *queue;
} persistent;

/* ---- schedules ------------------------------------------------------------------------------------- */

static void produce(ww_schedule *s, void *context)
{
    const persistent *p = context;
    ww_work_tile_loop(s, p->queue) {
        ww_skippable(s) {
            ww_domain_loop(s, ww_imm(0), ww_arg(struct matrix_params, trips, 0), ww_imm(1)) {
                ww_acquire(s, p->ring.ring);
                ring_put(s, &p->ring);
                ww_commit(s, p->ring.ring);
            }
        }
        ww_advance_tile(s, p->queue);
    }
}

static void consume(ww_schedule *s, void *context)
{
    const persistent *p = context;
    ww_work_tile_loop(s, p->queue) {
        ww_skippable(s) {
            ww_domain_loop(s, ww_imm(0), ww_arg(struct matrix_params, trips, 0), ww_imm(1)) {
                ww_wait(s, p->ring.ring);
                ring_take(s, &p->ring, 0);
                ring_settle(s, &p->ring, 0, true);
                ww_release(s, p->ring.ring);
            }
        }
        ww_advance_tile(s, p->queue);
    }
    ring_finish(s, &p->ring, 0);
}

static void fetch(ww_schedule *s, void *context)
{
    const persistent *p = context;
    ww_work_tile_loop(s, p->queue) {
        ww_fetch_tile(s, p->queue);
        ww_advance_tile(s, p->queue);
    }
}

/* ---- kernels --------------------------------------------------------------------------------------- */

static ww_resource *queue_new(ww_kernel *k, queue_kind kind)
{
    ww_queue_options o = {.tiles = {ww_arg(struct matrix_params, tiles, 0), ww_imm(3), ww_imm(2)},
                          .swizzle = 2,
                          .raster_along_n = true,
                          .skip = "matrix_skip",
                          .counter = kind == QUEUE_COUNTER ? "counter" : NULL};
    switch (kind) {
    case QUEUE_CLC: return ww_queue_clc(k, "tiles", &o);
    case QUEUE_COUNTER: return ww_queue_counter(k, "tiles", &o);
    default: return ww_queue_static(k, "tiles", &o);
    }
}

static int warps_of(agent who)
{
    return who == AGENT_WGMMA ? WGMMA_WARPS : who == AGENT_ASYNC ? THREAD_WARPS : 1;
}

static void add_task(ww_kernel *k, warp_room *room, const char *name, agent who,
                     ww_schedule_function *schedule, persistent *p)
{
    int warps = warps_of(who), first = warp_room_take(room, warps, who == AGENT_WGMMA);
    ww_task_new(k, name,
                &(ww_task_options){.first_warp = first, .warps = warps, .schedule = schedule, .context = p});
}

static void declare(ww_kernel *k, const row *r)
{
    persistent p;
    warp_room room = {0};
    ww_pipeline_type type = r->forms[0].pipeline.type;
    ring_declare(&p.ring, k, &r->forms[0], 0, 1, 1);
    p.queue = queue_new(k, (queue_kind)r->variant);
    add_task(k, &room, "consume", type_consumer(type), consume, &p);
    add_task(k, &room, "produce", type_producer(type), produce, &p);
    if (r->variant != QUEUE_STATIC)
        add_task(k, &room, "scheduler", AGENT_FETCH, fetch, &p);
}

/* ---- rows ------------------------------------------------------------------------------------------ */

static unsigned needs_of(queue_kind kind, int ctas)
{
    static const unsigned needs[] = {[QUEUE_STATIC] = 0, [QUEUE_CLC] = ARCH_CLC, [QUEUE_COUNTER] = ARCH_BULK};
    return kind == QUEUE_CLC && ctas > 1 ? ARCH_CLC_MULTICAST : needs[kind];
}

static void add_row(row_list *rows, const char *arch, ww_pipeline_type type, queue_kind kind,
                    ww_cluster cluster)
{
    row r = {.arch = arch, .cluster = cluster, .declare = declare, .variant = (int)kind};
    r.forms[0] = (form){.arch = arch, .cluster = cluster, .pipeline = {.type = type, .stages = RING_STAGES}};
    if (!arch_has(arch, needs_of(kind, form_cluster_size(&r.forms[0])))) {
        codes_add(&r.expected.codes, WW_NEEDS_ARCH);
        r.expected.declared = true;
    }
    text_printf(&r.name, "%s, cluster (%d,%d,%d,%d), %s, %s", type_label(type), cluster.v, cluster.m,
                cluster.n, cluster.k, kind_names[kind], arch);
    vec_push(rows, r);
}

/* The architectures that have the type take turns. */
static const char *some_arch(ww_pipeline_type type, ww_cluster cluster, int turn)
{
    int count = arch_count();
    unsigned needs = (cluster.v > 1 ? ARCH_TCGEN05 : 0) | (cluster.v * cluster.m > 1 ? ARCH_CLUSTER : 0);
    for (int i = 0; i < count; i++) {
        const char *arch = arch_name((turn + i) % count);
        if (arch_has_type(arch, type) && arch_has(arch, needs))
            return arch;
    }
    return NULL;
}

void rows_add_queues(row_list *rows)
{
    static const ww_cluster clusters[] = {{1, 1, 1, 1}, {2, 1, 1, 1}, {1, 2, 1, 1}};
    int turn = 0;
    for (int type = WW_ASYNC_ASYNC; type <= WW_PEER_ASYNC; type++)
        for (size_t i = 0; i < ARRAY_LEN(clusters); i++)
            for (int kind = QUEUE_STATIC; kind < QUEUE_KINDS; kind++) {
                bool alone = clusters[i].v * clusters[i].m == 1;
                const char *arch = some_arch((ww_pipeline_type)type, clusters[i], turn++);
                if (arch && type != WW_CLC_FETCH_ASYNC && !(alone && type == WW_PEER_ASYNC))
                    add_row(rows, arch, (ww_pipeline_type)type, (queue_kind)kind, clusters[i]);
            }
}
