/* Resources: statements of the reference's documentation on pipelines, work methods, variables, queues and barriers that
 * no other test is about. By the numbers of docs/coverage.md. */
#include "spec_kernel.h"
#include "capture/capture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

/* ---- S8, S16, S29: a declaration is a copy --------------------------------------------------------------------- */

typedef struct scratch {
    char resource[8], buffer[8], work[8], output[8], copied[8], skip[8];
    ww_pipeline pipeline;
    ww_resource_options resource_options;
    ww_queue_options queue_options;
    ww_work work_table[3];
} scratch;

static const scratch example = {.resource = "ring",
                                .buffer = "data",
                                .work = "fill",
                                .output = "int x",
                                .copied = "data",
                                .skip = "past",
                                .pipeline = {.type = WW_TMA_ASYNC, .stages = 3}};
static const scratch changed = {
    .resource = "no", .buffer = "no", .work = "no", .output = "no", .copied = "no", .skip = "no"};

static void declare_from(ww_kernel *k, scratch *s, ww_resource **ring, ww_resource **queue)
{
    s->work_table[0] =
        (ww_work){.name = s->work, .side = WW_PRODUCER, .copies = {{.buffer = s->copied, .bytes = 1024}}};
    s->work_table[1] = (ww_work){.name = "use", .side = WW_CONSUMER, .out = {s->output}};
    s->resource_options = (ww_resource_options){
        .pipeline = s->pipeline, .buffers = {{.name = s->buffer, .bytes = 1024}}, .work = s->work_table};
    s->queue_options = (ww_queue_options){.tiles = {ww_imm(4)}, .swizzle = 2, .skip = s->skip};
    *ring = ww_resource_new(k, s->resource, &s->resource_options);
    *queue = ww_queue_static(k, "queue", &s->queue_options);
}

/* What the author does with his structs afterwards changes nothing. */
static void a_declaration_is_a_copy(void **state)
{
    (void)state;
    scratch s = example;
    ww_resource *ring, *queue;
    ww_kernel *k = spec_kernel(NULL, SPEC_ONE_CTA);
    declare_from(k, &s, &ring, &queue);
    s = changed;
    spec_task(k, "in", 0, 1, spec_fill, ring);
    spec_task(k, "out", 1, 1, spec_use, ring);
    spec_accept(k);
    assert_string_equal(ring->name, "ring");
    assert_int_equal(ring->pipeline.stages, 3);
    assert_string_equal(ring->buffers[0].name, "data");
    assert_string_equal(ring->work.at[1].out[0].name, "x");
    assert_string_equal(ring->work.at[0].declared->copies[0].buffer, "data");
    assert_int_equal(queue->queue.swizzle, 2);
    assert_string_equal(queue->queue.skip, "past");
    ww_kernel_free(k);
}

/* ---- S18: factories --------------------------------------------------------------------------------------------- */

static void a_factory_chooses_the_type_and_leaves_the_rest(void **state)
{
    (void)state;
    const ww_pipeline made[] = {
        ww_pipeline_async_async(.stages = 3),     ww_pipeline_tma_async(.stages = 3),
        ww_pipeline_tma_umma(.stages = 3),        ww_pipeline_umma_async(.stages = 3),
        ww_pipeline_async_umma(.stages = 3),      ww_pipeline_umma_umma(.stages = 3),
        ww_pipeline_clc_fetch_async(.stages = 3), ww_pipeline_async_tma(.stages = 3),
        ww_pipeline_tma_wgmma(.stages = 3),       ww_pipeline_async_wgmma(.stages = 3),
        ww_pipeline_peer_async(.stages = 3)};
    for (size_t i = 0; i < ARRAY_LEN(made); i++) {
        ww_pipeline plain = {.type = (ww_pipeline_type)(WW_NO_PIPELINE + 1 + i), .stages = 3};
        assert_memory_equal(&made[i], &plain, sizeof plain);
    }
    assert_false(model_pipeline_known((ww_pipeline_type)(WW_NO_PIPELINE + 1 + ARRAY_LEN(made))));
}

/* ---- S12, S64, S65, S67: what a task keeps in registers -------------------------------------------------------------- */

static const ww_work value_work[] = {{.name = "pick", .side = WW_CONSUMER, .out = {"int x = 7"}},
                                     {.name = "put", .side = WW_PRODUCER, .in = {"int x"}},
                                     {0}};

static void use_tiles(ww_schedule *s, void *context)
{
    const spec_parts *p = context;
    ww_token x = {0};
    ww_work_tile_loop(s, p->queue) {
        SPEC_LOOP(s)
        {
            ww_first_iter(s) {
                ww_consume(s, p->c, "pick", .out = {&x});
            }
            ww_try_wait(s, p->a);
            ww_produce(s, p->c, "put", .in = {x});
            ww_wait(s, p->a);
            ww_consume(s, p->a, "use");
            ww_release(s, p->a);
        }
        ww_advance_tile(s, p->queue);
    }
}

static void fill_tiles(ww_schedule *s, void *context)
{
    const spec_parts *p = context;
    ww_work_tile_loop(s, p->queue) {
        spec_fill(s, p->a);
        ww_advance_tile(s, p->queue);
    }
}

/* Cursors, answers and values that outlive a block begin before any loop, once a launch, whatever runs afterwards. */
static void registers_begin_before_all_loops(void **state)
{
    (void)state;
    ww_kernel *k = spec_kernel(NULL, SPEC_ONE_CTA);
    spec_parts p = {.queue = spec_queue(k), .c = spec_plain(k, "c", value_work)};
    p.a = spec_ring(k, "a", ww_pipeline_async_async(.stages = 2, .advance_on_wait = true));
    spec_task(k, "in", 0, 1, fill_tiles, &p);
    spec_task(k, "out", 1, 1, use_tiles, &p);
    spec_accept(k);
    const char *out = strstr(spec_emit(k), "// task out");
    const char *loop = strstr(out, "while (tile.valid)");
    assert_non_null(loop);
    static const char *const registers[] = {"uint32_t a_consume_slot = 0;", "uint32_t a_consume_parity = 0;",
                                            "uint32_t a_release_slot = 0;", "bool ready_0 = false;",
                                            "int x_0 = 7;"};
    for (size_t i = 0; i < ARRAY_LEN(registers); i++) {
        const char *at = strstr(out, registers[i]);
        assert_non_null(at);
        assert_true(at < loop);
        assert_null(strstr(at + 1, registers[i]));
    }
    ww_kernel_free(k);
}

/* A lagging cursor exists where its flag says so, and only there; the two sides have nothing to do with each other. */
static void lagging_cursors_follow_their_flags(void **state)
{
    (void)state;
    for (int flags = 0; flags < 4; flags++) {
        bool acquire = flags & 1, wait = flags & 2;
        ww_kernel *k = spec_kernel(NULL, SPEC_ONE_CTA);
        ww_resource *ring = spec_ring(
            k, "ring",
            ww_pipeline_async_async(.stages = 2, .advance_on_acquire = acquire, .advance_on_wait = wait));
        spec_task(k, "in", 0, 1, spec_fill, ring);
        spec_task(k, "out", 1, 1, spec_use, ring);
        spec_accept(k);
        assert_int_equal(spec_ir_task(k, "in")->cursors.len, acquire ? 2 : 1);
        assert_int_equal(spec_ir_task(k, "out")->cursors.len, wait ? 2 : 1);
        assert_int_equal(spec_op(spec_ir_task(k, "in"), IR_WORK, 0)->held, acquire);
        assert_int_equal(spec_op(spec_ir_task(k, "out"), IR_WORK, 0)->held, wait);
        ww_kernel_free(k);
    }
}

/* ---- S36, S38, S39: values are declared in one place -------------------------------------------------------------------- */

static void a_value_without_its_parts_is_refused(void **state)
{
    (void)state;
    static const char *const malformed[] = {"int", "x", "int x =", "int x = ", "= 4", "int 4x"};
    for (size_t i = 0; i < ARRAY_LEN(malformed); i++) {
        const ww_work work[] = {{.name = "make", .side = WW_CONSUMER, .out = {malformed[i]}}, {0}};
        ww_kernel *k = spec_kernel(NULL, SPEC_ONE_CTA);
        (void)spec_plain(k, "a", work);
        const ww_diag *d = core_find(k, WW_BAD_WORK);
        assert_non_null(d);
        assert_string_equal(d->message, "work method make of resource a is malformed");
        assert_string_equal(d->found, malformed[i]);
        ww_kernel_free(k);
    }
    const ww_work twice[] = {{.name = "make", .side = WW_CONSUMER, .out = {"int x", "int x"}}, {0}};
    ww_kernel *k = spec_kernel(NULL, SPEC_ONE_CTA);
    (void)spec_plain(k, "a", twice);
    assert_string_equal(core_find(k, WW_BAD_WORK)->expected,
                        "a name of its own for each input, output and constant");
    ww_kernel_free(k);
}

/* ---- S44: steps have numbers ----------------------------------------------------------------------------------------------- */

/* Every operation knows the step it came from, and steps are in the order of the calls. */
static void every_step_has_a_number_of_its_own(void **state)
{
    (void)state;
    ww_kernel *k = spec_kernel(NULL, SPEC_ONE_CTA);
    ww_resource *ring = spec_ring(k, "ring", ww_pipeline_tma_async(.stages = 2));
    spec_task(k, "in", 0, 1, spec_fill, ring);
    spec_task(k, "out", 1, 1, spec_use, ring);
    spec_accept(k);
    const ir_task *t = spec_ir_task(k, "in");
    int step = 0;
    for (size_t i = 0; i < t->ops.len; i++) {
        assert_true(t->ops.at[i].step == step || t->ops.at[i].step == step + 1);
        step = t->ops.at[i].step;
    }
    assert_int_equal(step + 1, t->task->schedule->steps.len);
    assert_int_equal(spec_op(t, IR_WAIT, 0)->step, spec_op(t, IR_EXPECT, 0)->step); /* acquire is both */
    ww_kernel_free(k);
}

/* ---- S46, S48, S49, Q23: routes that are written down ---------------------------------------------------------------------------- */

static void put_then_pick(ww_schedule *s, void *context)
{
    const spec_parts *p = context;
    ww_token x;
    ww_consume(s, p->a, "pick", .out = {&x});
    ww_produce(s, p->b, "put", .in = {x});
    ww_consume(s, p->c, "pick");
}

static ww_kernel *routed_kernel(const ww_route *routes)
{
    ww_kernel *k = spec_kernel(NULL, SPEC_ONE_CTA);
    spec_parts p = {.a = spec_plain(k, "a", value_work), .b = spec_plain(k, "b", value_work)};
    p.c = spec_plain(k, "c", value_work);
    ww_task_new(k, "move",
                &(ww_task_options){.warps = 1, .schedule = put_then_pick, .context = &p, .routes = routes});
    return k;
}

static void a_writer_after_its_reader_is_refused(void **state)
{
    (void)state;
    static const ww_route backwards[] = {{"c.pick.x", "b.put.x"}, {0}};
    ww_kernel *k = routed_kernel(backwards);
    const ww_diag *d = spec_refuse(k, WW_ROUTE);
    assert_string_equal(d->expected, "also a.pick.x -> b.put.x");
    assert_string_equal(d->found, "too many: c.pick.x -> b.put.x (the writer is called after the reader)");
    ww_kernel_free(k);
}

/* An empty list is a list: nothing would be copied. Without a list the tokens alone count. */
static void an_empty_list_of_routes_is_not_no_list(void **state)
{
    (void)state;
    static const ww_route none[] = {{0}};
    ww_kernel *k = routed_kernel(none);
    assert_string_equal(spec_refuse(k, WW_ROUTE)->expected, "also a.pick.x -> b.put.x");
    ww_kernel_free(k);
    k = routed_kernel(NULL);
    spec_accept(k);
    ww_kernel_free(k);
}

static void carry(ww_schedule *s, void *context)
{
    const spec_parts *p = context;
    ww_token x;
    ww_consume(s, p->a, "pick", .out = {&x});
    SPEC_LOOP(s)
    {
        ww_produce(s, p->b, "put", .in = {x});
        ww_consume(s, p->a, "pick", .out = {&x});
    }
    ww_produce(s, p->b, "put", .in = {x});
}

/* A token is one call's value: what a trip makes does not find its way into the next one. The reader in the loop reads what
 * stands before the loop. */
static void no_value_is_carried_from_trip_to_trip(void **state)
{
    (void)state;
    ww_kernel *k = spec_kernel(NULL, SPEC_ONE_CTA);
    spec_parts p = {.a = spec_plain(k, "a", value_work), .b = spec_plain(k, "b", value_work)};
    spec_task(k, "move", 0, 1, carry, &p);
    spec_accept(k);
    const ir_task *t = spec_ir_task(k, "move");
    const ir_op *before = spec_op(t, IR_WORK, 0), *reader = spec_op(t, IR_WORK, 1),
                *inside = spec_op(t, IR_WORK, 2);
    assert_int_equal(reader->in[0], before->out[0]);
    assert_int_equal(spec_op(t, IR_WORK, 3)->in[0], inside->out[0]);
    assert_true(t->values.at[inside->out[0]].hoisted);
    assert_string_equal(t->values.at[inside->out[0]].initial, "7"); /* where there was no trip */
    ww_kernel_free(k);
}

/* ---- S56: barriers in the dependency graph ------------------------------------------------------------------------------------- */

static void meet_and_put(ww_schedule *s, void *context)
{
    const spec_parts *p = context;
    ww_sync(s, p->a);
    ww_produce(s, p->b, "put_nothing");
}

static ww_kernel *barrier_kernel(bool together)
{
    static const ww_work work[] = {{.name = "put_nothing", .side = WW_PRODUCER}, {0}};
    ww_kernel *k = spec_kernel(NULL, SPEC_ONE_CTA);
    spec_parts p = {.a = ww_named_barrier_new(k, "ready", 0), .b = spec_plain(k, "b", work)};
    p.c = spec_plain(k, "c", work);
    ww_depends(k, p.b, p.a);
    ww_depends(k, p.c, together ? NULL : p.a);
    spec_task(k, "one", 0, 1, meet_and_put, &p);
    p.b = p.c;
    p.a = ww_named_barrier_new(k, "other", 0);
    spec_task(k, "two", 1, 1, meet_and_put, &p);
    return k;
}

/* An edge at a barrier means order alone: a task that has both ends, on whatever sides, is enough, and one it takes. */
static void an_edge_at_a_barrier_needs_a_task_with_both(void **state)
{
    (void)state;
    ww_kernel *k = barrier_kernel(true);
    spec_accept(k);
    ww_kernel_free(k);
    k = barrier_kernel(false);
    assert_string_equal(spec_refuse(k, WW_GRAPH)->message,
                        "c is said to depend on ready, and no task makes it so");
    ww_kernel_free(k);
}

/* ---- S58: what a body touches ---------------------------------------------------------------------------------------------------- */

static void touch(ww_schedule *s, void *context)
{
    const spec_parts *p = context;
    ww_produce(s, p->a, "all");
    ww_produce(s, p->a, "left");
    ww_produce(s, p->a, "aside");
}

/* A row may say which buffers its body touches: all of them otherwise, none where it is auxiliary. */
static void a_row_says_what_its_body_touches(void **state)
{
    (void)state;
    static const ww_work work[] = {{.name = "all", .side = WW_PRODUCER},
                                   {.name = "left", .side = WW_PRODUCER, .touches = {"left"}},
                                   {.name = "aside", .side = WW_PRODUCER, .auxiliary = true},
                                   {0}};
    ww_kernel *k = spec_kernel(NULL, SPEC_ONE_CTA);
    spec_parts p = {.a = ww_resource_new(k, "a",
                                         &(ww_resource_options){.buffers = {{.name = "left", .bytes = 64},
                                                                            {.name = "right", .bytes = 64}},
                                                                .work = work})};
    spec_task(k, "touch", 0, 1, touch, &p);
    spec_accept(k);
    const ir_task *t = spec_ir_task(k, "touch");
    assert_int_equal(spec_op(t, IR_WORK, 0)->effect_count, 2);
    assert_int_equal(spec_op(t, IR_WORK, 1)->effect_count, 1);
    assert_string_equal(k->program->buffers.at[spec_op(t, IR_WORK, 1)->effects[0].buffer].name, "left");
    assert_int_equal(spec_op(t, IR_WORK, 2)->effect_count, 0);
    ww_kernel_free(k);
}

/* ---- S74: compile-time arguments ---------------------------------------------------------------------------------------------------- */

static const ww_work tuned_work[] = {
    {.name = "tuned", .side = WW_PRODUCER, .constants = {"int times", "bool twice"}}, {0}};

static void tune(ww_schedule *s, void *context)
{
    const spec_parts *p = context;
    ww_produce(s, p->a, "tuned", .constants = {-3, 1});
    ww_produce(s, p->a, "tuned", .constants = {5});
}

static void tune_too_much(ww_schedule *s, void *context)
{
    const spec_parts *p = context;
    ww_produce(s, p->a, "tuned", .constants = {1, 1, 4});
}

/* Each call has its own, as written; none takes part in the flow of values. */
static void constants_go_to_the_body_as_written(void **state)
{
    (void)state;
    ww_kernel *k = spec_kernel(NULL, SPEC_ONE_CTA);
    spec_parts p = {.a = spec_plain(k, "a", tuned_work)};
    spec_task(k, "tune", 0, 1, tune, &p);
    spec_accept(k);
    assert_int_equal(spec_ir_task(k, "tune")->values.len, 0);
    SPEC_IN_ORDER(spec_emit(k), "a_tuned<-3, static_cast<bool>(1)>(a_self,",
                  "a_tuned<5, static_cast<bool>(0)>(a_self,");
    ww_kernel_free(k);
}

static void a_constant_too_many_is_refused(void **state)
{
    (void)state;
    ww_kernel *k = spec_kernel(NULL, SPEC_ONE_CTA);
    spec_parts p = {.a = spec_plain(k, "a", tuned_work)};
    spec_task(k, "tune", 0, 1, tune_too_much, &p);
    (void)ww_kernel_check(k);
    assert_true(ww_diag_count(k->diags.first, WW_ERROR) > 0);
    ww_kernel_free(k);
}

/* ---- S78 to S86: work queues ------------------------------------------------------------------------------------------------------------ */

static ww_kernel *tiles_kernel(bool dynamic)
{
    ww_kernel *k = spec_kernel(NULL, SPEC_ONE_CTA);
    const ww_queue_options options = {.tiles = {ww_arg(struct core_params, tiles, 0)},
                                      .skip = "past_the_end",
                                      .counter = dynamic ? "counter" : NULL};
    (void)(dynamic ? ww_queue_counter(k, "queue", &options) : ww_queue_static(k, "queue", &options));
    (void)spec_ring(k, "a", ww_pipeline_async_async(.stages = 2));
    return k;
}

static void fill_not_skipped(ww_schedule *s, void *context)
{
    const spec_parts *p = context;
    ww_work_tile_loop(s, p->queue) {
        ww_skippable(s) {
            spec_fill(s, p->a);
        }
        ww_advance_tile(s, p->queue);
    }
}

static void use_not_skipped(ww_schedule *s, void *context)
{
    const spec_parts *p = context;
    ww_work_tile_loop(s, p->queue) {
        ww_skippable(s) {
            spec_use(s, p->a);
        }
        ww_advance_tile(s, p->queue);
    }
}

static void fetch(ww_schedule *s, void *context)
{
    const spec_parts *p = context;
    ww_work_tile_loop(s, p->queue) {
        ww_fetch_tile(s, p->queue);
        ww_advance_tile(s, p->queue);
    }
}

/* One schedule for both kinds of queue: the same call ends a tile. A static queue is arithmetic in every task, without
 * barriers and memory; with a dynamic one it waits, reads and releases. */
static void the_same_schedule_serves_static_and_dynamic_queues(void **state)
{
    (void)state;
    for (int dynamic = 0; dynamic < 2; dynamic++) {
        ww_kernel *k = tiles_kernel(dynamic);
        spec_parts p = {.queue = k->resources.at[0], .a = k->resources.at[1]};
        spec_task(k, "in", 0, 1, fill_not_skipped, &p);
        spec_task(k, "out", 1, 1, use_not_skipped, &p);
        if (dynamic)
            spec_task(k, "scheduler", 2, 1, fetch, &p);
        spec_accept(k);
        assert_int_equal(p.queue->buffer_count, dynamic);
        assert_int_equal(model_pipelined(p.queue), dynamic);
        const char *cuda = spec_emit(k);
        SPEC_IN_ORDER(strstr(cuda, "// task in"), "tile = queue_queue.first();", "while (tile.valid) {",
                      "const bool skipped = past_the_end(", "if (!skipped) {", "a_fill(",
                      dynamic ? "tile = queue_queue.decode_counter(smem_base + k_map::queue_response + 16 * "
                                "queue_consume_slot);"
                              : "tile = queue_queue.next();");
        assert_int_equal(spec_count(cuda, "in", "mbarrier_"), dynamic ? 4 : 2);
        ww_kernel_free(k);
    }
}

/* ---- S90 to S92: barriers between grids ------------------------------------------------------------------------------------------------ */

static void wait_and_put(ww_schedule *s, void *context)
{
    const spec_parts *p = context;
    ww_griddep_wait(s, p->a);
    ww_consume(s, p->c, "pick");
    if (p->b)
        ww_griddep_launch(s, p->b);
}

/* They have neither memory nor pipeline; nobody has to launch; a launch depends on nothing, and may say so. */
static void grid_barriers_are_barriers_alone(void **state)
{
    (void)state;
    for (int launches = 0; launches < 3; launches++) {
        ww_kernel *k = spec_kernel(NULL, SPEC_ONE_CTA);
        spec_parts p = {.a = ww_pdl_wait_new(k, "before"), .c = spec_plain(k, "c", value_work)};
        p.b = launches ? ww_pdl_launch_new(k, "after") : NULL;
        ww_depends(k, p.c, p.a);
        if (launches == 2)
            ww_depends(k, p.b, NULL);
        spec_task(k, "only", 0, 1, wait_and_put, &p);
        spec_accept(k);
        assert_true(model_is_barrier(p.a));
        assert_false(model_pipelined(p.a));
        assert_int_equal(k->program->barriers.len, 0);
        assert_int_equal(k->smem_bytes, 0);
        SPEC_IN_ORDER(spec_emit(k), "ww::griddepcontrol_wait();", "c_pick(",
                      launches ? "ww::griddepcontrol_launch" : "}");
        ww_kernel_free(k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_declaration_is_a_copy),
        cmocka_unit_test(a_factory_chooses_the_type_and_leaves_the_rest),
        cmocka_unit_test(registers_begin_before_all_loops),
        cmocka_unit_test(lagging_cursors_follow_their_flags),
        cmocka_unit_test(a_value_without_its_parts_is_refused),
        cmocka_unit_test(every_step_has_a_number_of_its_own),
        cmocka_unit_test(a_writer_after_its_reader_is_refused),
        cmocka_unit_test(an_empty_list_of_routes_is_not_no_list),
        cmocka_unit_test(no_value_is_carried_from_trip_to_trip),
        cmocka_unit_test(an_edge_at_a_barrier_needs_a_task_with_both),
        cmocka_unit_test(a_row_says_what_its_body_touches),
        cmocka_unit_test(constants_go_to_the_body_as_written),
        cmocka_unit_test(a_constant_too_many_is_refused),
        cmocka_unit_test(the_same_schedule_serves_static_and_dynamic_queues),
        cmocka_unit_test(grid_barriers_are_barriers_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
