/* groups: rows of two pipelines that share barriers, of every two types and in every mode. */
#include "matrix.h"
#include "matrix_params.h"

enum { MEMBER_STAGES = 2, THREAD_WARPS = 2, WGMMA_WARPS = 4 };

static const char *const mode_names[] = {
    [WW_MERGE] = "merge", [WW_FORK] = "fork", [WW_FUSED_MERGE] = "fused merge"};

/* ---- kernels --------------------------------------------------------------------------------------- */

typedef struct pair {
    ring rings[2];
    ww_resource *group;
    ww_group_mode mode;
    int mine; /* the member of a task that has one alone */
} pair;

static ww_bound trips(void)
{
    return ww_arg(struct matrix_params, trips, 0);
}

static void produce_one(ww_schedule *s, void *context)
{
    const pair *p = context;
    const ring *r = &p->rings[p->mine];
    ww_domain_loop(s, ww_imm(0), trips(), ww_imm(1)) {
        ww_acquire(s, r->ring);
        ring_put(s, r);
        ww_commit(s, r->ring);
    }
}

static void produce_both(ww_schedule *s, void *context)
{
    const pair *p = context;
    ww_domain_loop(s, ww_imm(0), trips(), ww_imm(1)) {
        ww_acquire(s, p->rings[0].ring);
        ww_acquire(s, p->rings[1].ring);
        ring_put(s, &p->rings[0]);
        ring_put(s, &p->rings[1]);
        ww_commit(s, p->group);
    }
}

static void consume_one(ww_schedule *s, void *context)
{
    const pair *p = context;
    const ring *r = &p->rings[p->mine];
    ww_domain_loop(s, ww_imm(0), trips(), ww_imm(1)) {
        ww_wait(s, r->ring);
        ring_take(s, r, 0);
        ring_settle(s, r, 0, true);
        ww_release(s, r->ring);
    }
    ring_finish(s, r, 0);
}

static void consume_both(ww_schedule *s, void *context)
{
    const pair *p = context;
    ww_domain_loop(s, ww_imm(0), trips(), ww_imm(1)) {
        if (p->mode == WW_FUSED_MERGE)
            ww_wait(s, p->group);
        for (int i = 0; i < 2; i++) {
            if (p->mode == WW_MERGE)
                ww_wait(s, p->rings[i].ring);
            ring_take(s, &p->rings[i], 0);
        }
        for (int i = 0; i < 2; i++)
            ring_settle(s, &p->rings[i], 0, true);
        ww_release(s, p->group);
    }
    ring_finish(s, &p->rings[0], 0);
    ring_finish(s, &p->rings[1], 0);
}

static int warps_of(agent who)
{
    return who == AGENT_WGMMA ? WGMMA_WARPS : who == AGENT_ASYNC ? THREAD_WARPS : 1;
}

static void add_task(ww_kernel *k, warp_room *room, const char *name, agent who,
                     ww_schedule_function *schedule, pair *p)
{
    int warps = warps_of(who), first = warp_room_take(room, warps, who == AGENT_WGMMA);
    ww_task_new(k, name,
                &(ww_task_options){.first_warp = first, .warps = warps, .schedule = schedule, .context = p});
}

static void add_tasks(ww_kernel *k, warp_room *room, pair *p, const row *r, bool producers)
{
    static const char *const names[2][2] = {{"consume0", "consume1"}, {"produce0", "produce1"}};
    bool together = producers == (p->mode == WW_FORK);
    for (p->mine = 0; p->mine < (together ? 1 : 2); p->mine++) {
        ww_pipeline_type type = r->forms[p->mine].pipeline.type;
        ww_schedule_function *one = producers ? produce_one : consume_one,
                             *both = producers ? produce_both : consume_both;
        add_task(k, room, names[producers][p->mine], producers ? type_producer(type) : type_consumer(type),
                 together ? both : one, p);
    }
}

static void declare_group(ww_kernel *k, const row *r)
{
    pair p = {.mode = r->group};
    for (int i = 0; i < 2; i++)
        ring_declare(&p.rings[i], k, &r->forms[i], i, 1, 1);
    p.group = ww_group_new(
        k, "group", &(ww_group_options){.mode = r->group, .members = {p.rings[0].ring, p.rings[1].ring}});
    warp_room room = {0};
    add_tasks(k, &room, &p, r, false);
    add_tasks(k, &room, &p, r, true);
}

/* ---- expectations ---------------------------------------------------------------------------------- */

static bool takes_no_part(ww_pipeline_type type)
{
    return type == WW_PEER_ASYNC || type == WW_CLC_FETCH_ASYNC;
}

/* The side that is shared is one agent's. */
static bool sides_fit(ww_pipeline_type a, ww_pipeline_type b, ww_group_mode mode)
{
    return mode == WW_FORK ? type_producer(a) == type_producer(b) : type_consumer(a) == type_consumer(b);
}

static bool by_tensor_cores(ww_pipeline_type type)
{
    return type_producer(type) == AGENT_UMMA || type_consumer(type) == AGENT_UMMA;
}

/* With a pair of CTAs barriers that tensor cores have to do with are the leader's or the pair's, others
 * are each CTA's own: they are not one barrier. */
static bool barriers_differ(const row *r, ww_pipeline_type a, ww_pipeline_type b)
{
    return r->cluster.v > 1 && by_tensor_cores(a) != by_tensor_cores(b);
}

static expectation expected(const row *r)
{
    ww_pipeline_type a = r->forms[0].pipeline.type, b = r->forms[1].pipeline.type;
    expectation e = {0};
    if (!arch_has_type(r->arch, a) || !arch_has_type(r->arch, b))
        codes_add(&e.codes, WW_NEEDS_ARCH);
    if (takes_no_part(a) || takes_no_part(b) || !sides_fit(a, b, r->group))
        codes_add(&e.codes, WW_GROUP);
    e.declared = e.codes.count > 0;
    if (!e.declared && barriers_differ(r, a, b)) {
        codes_add(&e.codes, WW_GROUP);
        codes_add(&e.codes, WW_ARRIVALS);
        codes_add(&e.codes, WW_TX_BYTES);
        codes_add(&e.codes, WW_RACE);
        codes_add(&e.codes, WW_OVER_ARRIVAL);
    }
    return e;
}

/* ---- rows ------------------------------------------------------------------------------------------ */

/* One that has what both need, if there is one. */
static const char *arch_for_both(ww_pipeline_type a, ww_pipeline_type b)
{
    for (int i = 0; i < arch_count(); i++)
        if (arch_has_type(arch_name(i), a) && arch_has_type(arch_name(i), b))
            return arch_name(i);
    return "sm_100a";
}

static form member_form(const row *r, ww_pipeline_type type)
{
    return (form){
        .arch = r->arch, .cluster = r->cluster, .pipeline = {.type = type, .stages = MEMBER_STAGES}};
}

static void add_row(row_list *rows, ww_pipeline_type a, ww_pipeline_type b, ww_group_mode mode,
                    ww_cluster cluster)
{
    row r = {.arch = arch_for_both(a, b), .cluster = cluster, .declare = declare_group, .group = mode};
    if (cluster.v > 1)
        r.arch = "sm_100a";
    r.forms[0] = member_form(&r, a);
    r.forms[1] = member_form(&r, b);
    r.expected = expected(&r);
    text_printf(&r.name, "%s of %s and %s, V = %d, %s", mode_names[mode], type_label(a), type_label(b),
                cluster.v, r.arch);
    vec_push(rows, r);
}

static void add_pairs(row_list *rows, ww_pipeline_type a, ww_pipeline_type b)
{
    bool peers = a == WW_PEER_ASYNC || b == WW_PEER_ASYNC;
    ww_cluster cluster = {1, peers ? 2 : 1, 1, 1}, two = {2, 1, 1, 1};
    for (int mode = WW_MERGE; mode <= WW_FUSED_MERGE; mode++) {
        add_row(rows, a, b, (ww_group_mode)mode, cluster);
        if (by_tensor_cores(a) || by_tensor_cores(b))
            add_row(rows, a, b, (ww_group_mode)mode, two);
    }
}

void rows_add_groups(row_list *rows)
{
    for (int a = WW_ASYNC_ASYNC; a <= WW_PEER_ASYNC; a++)
        for (int b = a; b <= WW_PEER_ASYNC; b++)
            if (a != WW_CLC_FETCH_ASYNC && b != WW_CLC_FETCH_ASYNC)
                add_pairs(rows, (ww_pipeline_type)a, (ww_pipeline_type)b);
}
