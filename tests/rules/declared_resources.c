/* Groups, tasks and memory, each wrong and right. */
#include "declared.h"

/* ---- P11, V4: groups -------------------------------------------------------------------------------------------------- */

static void group_of(ww_kernel *k, ww_group_mode mode, ww_pipeline a, ww_pipeline b)
{
    ww_resource *first = declared_ring(k, "a", a), *second = declared_ring(k, "b", b);
    ww_group_new(k, "g", &(ww_group_options){.mode = mode, .members = {first, second}});
}

static void p11_both_kinds_differ(ww_kernel *k)
{
    group_of(k, WW_MERGE, ww_pipeline_tma_umma(), ww_pipeline_umma_async());
}

static void p11_peers(ww_kernel *k)
{
    group_of(k, WW_MERGE, ww_pipeline_peer_async(), ww_pipeline_peer_async());
}

static void p11_a_member_twice(ww_kernel *k)
{
    ww_resource *a = declared_ring(k, "a", ww_pipeline_async_async());
    ww_group_new(k, "g", &(ww_group_options){.mode = WW_MERGE, .members = {a, a}});
}

static void multiply(ww_schedule *s, void *context)
{
    operands *m = context;
    LOOP(s)
    {
        ww_acquire(s, m->sum);
        ww_wait(s, m->a);
        ww_wait(s, m->b);
        ww_produce(s, m->sum, "mma");
        ww_release(s, m->group);
        ww_commit(s, m->sum);
    }
}

static void p11_producers_differ(ww_kernel *k)
{
    static const ww_work work[] = {{.name = "mma", .side = WW_PRODUCER, .umma_reads = {"a", "b"}},
                                   {.name = "use", .side = WW_CONSUMER},
                                   {0}};
    operands m = {.a = declared_ring(k, "a", ww_pipeline_tma_umma()),
                  .b = declared_ring(k, "b", ww_pipeline_async_umma())};
    m.group = ww_group_new(k, "g", &(ww_group_options){.mode = WW_MERGE, .members = {m.a, m.b}});
    m.sum = ww_resource_new(k, "sum",
                            &(ww_resource_options){.pipeline = ww_pipeline_umma_async(.stages = 1),
                                                   .tmem = {{"sum", 32}},
                                                   .work = work});
    declared_task(k, "load_a", 0, 1, declared_fill_a, &m);
    declared_task(k, "load_b", 1, 1, declared_fill_b, &m);
    declared_task(k, "math", 2, 1, multiply, &m);
    declared_task(k, "store", 4, 4, declared_use_sum, &m);
}

static void use_both(ww_schedule *s, void *context)
{
    operands *m = context;
    LOOP(s)
    {
        ww_wait(s, m->a);
        ww_wait(s, m->b);
        ww_consume(s, m->a, "use");
        ww_consume(s, m->b, "use");
        ww_release(s, m->group);
    }
}

static void merge_of_bytes(ww_kernel *k, uint32_t bytes)
{
    operands m = {.a = declared_ring(k, "a", ww_pipeline_tma_async()),
                  .b = declared_ring(k, "b", ww_pipeline_tma_async())};
    ww_group_options options = {.mode = WW_MERGE, .members = {m.a, m.b}, .pipeline = {.tx_bytes = bytes}};
    m.group = ww_group_new(k, "g", &options);
    declared_task(k, "load_a", 0, 1, declared_fill_a, &m);
    declared_task(k, "load_b", 1, 1, declared_fill_b, &m);
    declared_task(k, "store", 2, 1, use_both, &m);
}

static void v4_bytes_of_one(ww_kernel *k)
{
    merge_of_bytes(k, 1024);
}

static void v4_bytes_of_both(ww_kernel *k)
{
    merge_of_bytes(k, 2048);
}

static void v4_stages_differ(ww_kernel *k)
{
    group_of(k, WW_MERGE, ww_pipeline_async_async(.stages = 2), ww_pipeline_async_async(.stages = 3));
}

/* ---- P12, V3, U18, U25: tasks -------------------------------------------------------------------------------------------- */

static void task_of(ww_kernel *k, ww_task_options options)
{
    declared_right(k);
    ww_task_new(k, "more", &options);
}

static void p12_registers_250(ww_kernel *k)
{
    task_of(k, (ww_task_options){.first_warp = 4, .warps = 4, .registers = 250});
}

static void u25_registers_16(ww_kernel *k)
{
    task_of(k, (ww_task_options){.first_warp = 4, .warps = 4, .registers = 16});
}

static void u25_registers_264(ww_kernel *k)
{
    task_of(k, (ww_task_options){.first_warp = 4, .warps = 4, .registers = 264});
}

/* A task without a schedule: warps that pad their warpgroup. */
static void p12_registers_232(ww_kernel *k)
{
    task_of(k, (ww_task_options){.first_warp = 4, .warps = 4, .registers = 232});
}

static void p12_cta_of_another_cluster(ww_kernel *k)
{
    task_of(k, (ww_task_options){.first_warp = 4, .warps = 4, .only_cta = WW_ONLY_CTA(2)});
}

static void p12_cta_below_0(ww_kernel *k)
{
    task_of(k, (ww_task_options){.first_warp = 4, .warps = 4, .only_cta = WW_ONLY_CTA(-2)});
}

static void p12_cta_1(ww_kernel *k)
{
    task_of(k, (ww_task_options){.first_warp = 4, .warps = 4, .only_cta = WW_ONLY_CTA(1)});
}

static void u18_warp_100(ww_kernel *k)
{
    task_of(k, (ww_task_options){.first_warp = 100, .warps = 1});
}

static void u18_warp_31(ww_kernel *k)
{
    task_of(k, (ww_task_options){.first_warp = 31, .warps = 1});
}

static void split(ww_kernel *k, int first, int second, int third)
{
    ww_resource *ring = declared_ring_of_threads(k);
    ww_task_options load = {.warps = 4, .registers = first, .schedule = declared_fill_all, .context = ring},
                    store = {.first_warp = 4,
                             .warps = 4,
                             .registers = second,
                             .schedule = declared_use_all,
                             .context = ring},
                    rest = {.first_warp = 8, .warps = 4, .registers = third};
    ww_task_new(k, "load", &load);
    ww_task_new(k, "store", &store);
    ww_task_new(k, "rest", &rest);
}

static void v3_24_240_248(ww_kernel *k)
{
    split(k, 24, 240, 248);
}

static void v3_24_240_240(ww_kernel *k)
{
    split(k, 24, 240, 240);
}

/* ---- P14, V21, V22: memory ------------------------------------------------------------------------------------------------ */

static ww_resource *buffer_of(ww_kernel *k, const char *name, uint32_t bytes)
{
    return ww_resource_new(k, name, &(ww_resource_options){.buffers = {{.name = "data", .bytes = bytes}}});
}

static void p14_one_phase(ww_kernel *k)
{
    declared_right(k);
    ww_alias(k, {{buffer_of(k, "a", 64)}});
}

static void p14_two_groups(ww_kernel *k)
{
    declared_right(k);
    ww_resource *a = buffer_of(k, "a", 64), *b = buffer_of(k, "b", 64), *c = buffer_of(k, "c", 64);
    ww_alias(k, {{a}}, {{b}});
    ww_alias(k, {{a}}, {{c}});
}

static void p14_without_memory(ww_kernel *k)
{
    declared_right(k);
    ww_resource *plain = ww_resource_new(k, "plain", NULL);
    ww_alias(k, {{buffer_of(k, "a", 64)}}, {{plain}});
}

static void p14_two_phases(ww_kernel *k)
{
    declared_right(k);
    ww_resource *a = buffer_of(k, "a", 64), *b = buffer_of(k, "b", 64);
    ww_alias(k, {{a}}, {{b}});
}

static void v21_230000_and_4096(ww_kernel *k)
{
    declared_right(k);
    (void)buffer_of(k, "a", 230000);
    (void)buffer_of(k, "b", 4096);
}

static void v21_49152_and_256(ww_kernel *k)
{
    declared_right(k);
    (void)buffer_of(k, "a", 49152);
    (void)buffer_of(k, "b", 256);
}

static void columns(ww_kernel *k, int count)
{
    declared_right(k);
    (void)ww_resource_new(k, "sums", &(ww_resource_options){.tmem = {{"columns", 256}, {"more", count}}});
}

static void v22_513_columns(ww_kernel *k)
{
    columns(k, 257);
}

static void v22_512_columns(ww_kernel *k)
{
    columns(k, 256);
}

/* ---- the table ---------------------------------------------------------------------------------------------------- */

#define BLACKWELL .arch = "sm_100a"

const declared_case declared_resources[] = {
    {"P11: producers and consumers differ", p11_both_kinds_differ, WW_GROUP, "another kind of consumer",
     BLACKWELL},
    {"P11: rings between CTAs", p11_peers, WW_GROUP, "of a type that groups do not take",
     .cluster = {.n = 2}},
    {"P11: a member twice", p11_a_member_twice, WW_GROUP, "listed twice"},
    {"P11: producers differ", p11_producers_differ, 0, NULL, BLACKWELL},
    {"P12: 250 registers", p12_registers_250, WW_BAD_VALUE, "registers of task more"},
    {"P12: 232 registers, and no schedule", p12_registers_232, 0, NULL},
    {"P12: CTA 2 of a cluster of two", p12_cta_of_another_cluster, WW_BAD_VALUE, "only_cta",
     .cluster = {.n = 2}},
    {"P12: a CTA below 0", p12_cta_below_0, WW_BAD_VALUE, "only_cta", .cluster = {.n = 2}},
    {"P12: CTA 1 of a cluster of two", p12_cta_1, 0, NULL, .cluster = {.n = 2}},
    {"P14: an alias group of one phase", p14_one_phase, WW_BAD_VALUE, "phases of an alias group"},
    {"P14: a resource in two alias groups", p14_two_groups, WW_BAD_VALUE, "cannot be placed"},
    {"P14: an alias group of what has no memory", p14_without_memory, WW_BAD_VALUE, "cannot be placed"},
    {"P14: an alias group of two phases", p14_two_phases, 0, NULL},
    {"V3: 24 + 240 + 248", v3_24_240_248, WW_REGISTERS, "more than the kernel starts with"},
    {"V3: 24 + 240 + 240", v3_24_240_240, 0, NULL},
    {"V4: a merge of unequal stages", v4_stages_differ, WW_GROUP, "another number of stages"},
    {"V4: a merge with the bytes of one", v4_bytes_of_one, WW_TX_BYTES, "g"},
    {"V4: a merge with the bytes of both", v4_bytes_of_both, 0, NULL},
    {"V21: 230000 and 4096 bytes", v21_230000_and_4096, WW_CAPACITY, "shared memory"},
    {"V21: 49152 and 256 bytes", v21_49152_and_256, 0, NULL},
    {"V22: 513 columns", v22_513_columns, WW_CAPACITY, "tensor memory", BLACKWELL},
    {"V22: 512 columns", v22_512_columns, 0, NULL, BLACKWELL},
    {"U18: warp 100", u18_warp_100, WW_BAD_VALUE, "warp range"},
    {"U18: warp 31", u18_warp_31, 0, NULL},
    {"U25: 16 registers", u25_registers_16, WW_BAD_VALUE, "registers of task more"},
    {"U25: 264 registers", u25_registers_264, WW_BAD_VALUE, "registers of task more"},
    {0},
};
