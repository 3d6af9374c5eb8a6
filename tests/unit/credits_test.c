/* credits: the table names rings that are deeper than their producers can get ahead, and no others. */
#include "core_kernel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct parts {
    ww_resource *ring, *back, *tiles;
    int trips; /* 0: as the launch says */
} parts;

static ww_bound trips_of(const parts *p)
{
    return p->trips ? ww_imm(p->trips) : ww_arg(struct core_params, trips, 0);
}

static void produce(ww_schedule *s, void *context)
{
    const parts *p = context;
    ww_domain_loop(s, ww_imm(0), trips_of(p), ww_imm(1)) {
        ww_acquire(s, p->ring);
        ww_produce(s, p->ring, "fill");
        ww_commit(s, p->ring);
    }
}

static void consume(ww_schedule *s, void *context)
{
    const parts *p = context;
    ww_domain_loop(s, ww_imm(0), trips_of(p), ww_imm(1)) {
        ww_wait(s, p->ring);
        ww_consume(s, p->ring, "use");
        ww_release(s, p->ring);
    }
}

/* Asks back after each slot, so it is never more than one ahead. */
static void produce_and_ask(ww_schedule *s, void *context)
{
    const parts *p = context;
    ww_domain_loop(s, ww_imm(0), trips_of(p), ww_imm(1)) {
        ww_acquire(s, p->ring);
        ww_produce(s, p->ring, "fill");
        ww_commit(s, p->ring);
        ww_wait(s, p->back);
        ww_consume(s, p->back, "use");
        ww_release(s, p->back);
    }
}

static void consume_and_answer(ww_schedule *s, void *context)
{
    const parts *p = context;
    ww_domain_loop(s, ww_imm(0), trips_of(p), ww_imm(1)) {
        ww_wait(s, p->ring);
        ww_consume(s, p->ring, "use");
        ww_release(s, p->ring);
        ww_acquire(s, p->back);
        ww_produce(s, p->back, "fill");
        ww_commit(s, p->back);
    }
}

/* The answer comes before the slot is given back: the producer may fill one more meanwhile. */
static void answer_and_release(ww_schedule *s, void *context)
{
    const parts *p = context;
    ww_domain_loop(s, ww_imm(0), trips_of(p), ww_imm(1)) {
        ww_wait(s, p->ring);
        ww_consume(s, p->ring, "use");
        ww_acquire(s, p->back);
        ww_produce(s, p->back, "fill");
        ww_commit(s, p->back);
        ww_release(s, p->ring);
    }
}

static void produce_by_tile(ww_schedule *s, void *context)
{
    const parts *p = context;
    ww_work_tile_loop(s, p->tiles) {
        ww_acquire(s, p->ring);
        ww_produce(s, p->ring, "fill");
        ww_commit(s, p->ring);
        ww_advance_tile(s, p->tiles);
    }
}

static void consume_by_tile(ww_schedule *s, void *context)
{
    const parts *p = context;
    ww_work_tile_loop(s, p->tiles) {
        ww_wait(s, p->ring);
        ww_consume(s, p->ring, "use");
        ww_release(s, p->ring);
        ww_advance_tile(s, p->tiles);
    }
}

static ww_resource *ring(ww_kernel *k, const char *name, int stages)
{
    static const ww_work work[] = {
        {.name = "fill", .side = WW_PRODUCER}, {.name = "use", .side = WW_CONSUMER}, {0}};
    return ww_resource_new(k, name,
                           &(ww_resource_options){.pipeline = ww_pipeline_async_async(.stages = stages),
                                                  .buffers = {{"data", 1024, 0}},
                                                  .work = work});
}

static ww_kernel *two(int stages, int trips, ww_schedule_function *first, ww_schedule_function *second)
{
    ww_kernel *k = core_kernel();
    parts p = {.ring = ring(k, "ring", stages), .trips = trips};
    if (first == produce_and_ask)
        p.back = ring(k, "back", 1);
    (void)ww_task_new(k, "first", &(ww_task_options){.warps = 1, .schedule = first, .context = &p});
    (void)ww_task_new(k, "second",
                      &(ww_task_options){.first_warp = 1, .warps = 1, .schedule = second, .context = &p});
    return k;
}

/* What the table says of idle stages, "" for nothing. */
static void expect(ww_kernel *k, const char *line)
{
    static const char title[] = "stages that no producer gets far enough ahead to use\n";
    char *table = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&table, &size);
    assert_null(ww_kernel_check(k));
    assert_true(ww_kernel_prove(k).proved);
    ww_kernel_table(k, out);
    (void)fclose(out);
    const char *found = strstr(table, title);
    if (!line) {
        assert_null(found);
    } else {
        assert_non_null(found);
        assert_memory_equal(found + sizeof title - 1, line, strlen(line));
    }
    free(table);
    ww_kernel_free(k);
}

static void rings_that_fill_up_are_not_named(void **state)
{
    (void)state;
    expect(two(4, 0, produce, consume), NULL);
    expect(two(1, 0, produce_and_ask, consume_and_answer), NULL);
    expect(two(4, 4, produce, consume), NULL);
    expect(two(WW_MAX_STAGES, 0, produce, consume), NULL);
}

/* A ring of 24 stages of which a tile fills one. */
static void a_fill_a_tile(void **state)
{
    (void)state;
    ww_kernel *k = core_kernel();
    parts p = {.ring = ring(k, "ring", 24),
               .tiles = ww_queue_static(k, "tiles", &(ww_queue_options){.tiles = {ww_imm(99)}})};
    (void)ww_task_new(k, "first", &(ww_task_options){.warps = 1, .schedule = produce_by_tile, .context = &p});
    (void)ww_task_new(
        k, "second",
        &(ww_task_options){.first_warp = 1, .warps = 1, .schedule = consume_by_tile, .context = &p});
    expect(k, NULL);
}

static void stages_beyond_all_fills_are_named(void **state)
{
    (void)state;
    expect(two(4, 3, produce, consume),
           "  ring                 1 of 4: at most 3 are filled and not released\n");
}

static void stages_beyond_an_answer_are_named(void **state)
{
    (void)state;
    expect(two(4, 0, produce_and_ask, consume_and_answer),
           "  ring                 3 of 4: at most 1 is filled and not released\n");
    expect(two(4, 0, produce_and_ask, answer_and_release),
           "  ring                 2 of 4: at most 2 are filled and not released\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rings_that_fill_up_are_not_named),
        cmocka_unit_test(a_fill_a_tile),
        cmocka_unit_test(stages_beyond_all_fills_are_named),
        cmocka_unit_test(stages_beyond_an_answer_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
