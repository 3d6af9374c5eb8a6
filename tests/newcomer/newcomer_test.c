/* A pipeline type nobody knew: threads fill, threads read, and one lane a warp speaks for its warp on both sides. Its row
 * stands in overlay/warpwright/pipelines.def. Counts, checks, the proof and the code follow from it. */
#include "capture/capture.h"
#include "lower/lower.h"
#include "warpwright/kernel.h"
#include "warpwright/schedule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

struct toy_params {
    int trips;
};

static void fill(ww_schedule *s, void *ring)
{
    ww_domain_loop(s, ww_imm(0), ww_arg(struct toy_params, trips, 0), ww_imm(1)) {
        ww_acquire(s, ring);
        ww_produce(s, ring, "fill");
        ww_commit(s, ring);
    }
}

static void use(ww_schedule *s, void *ring)
{
    ww_domain_loop(s, ww_imm(0), ww_arg(struct toy_params, trips, 0), ww_imm(1)) {
        ww_wait(s, ring);
        ww_consume(s, ring, "use");
        ww_release(s, ring);
    }
}

static ww_kernel *declare(ww_pipeline pipeline)
{
    static const ww_work work[] = {
        {.name = "fill", .side = WW_PRODUCER}, {.name = "use", .side = WW_CONSUMER}, {0}};
    ww_kernel *k = ww_kernel_new("toy", &(ww_kernel_options){.body = "toy.cuh",
                                                             .params = "toy_params",
                                                             .params_bytes = sizeof(struct toy_params)});
    ww_resource *ring = ww_resource_new(k, "ring",
                                        &(ww_resource_options){.pipeline = pipeline,
                                                               .buffers = {{.name = "data", .bytes = 1024}},
                                                               .work = work});
    ww_task_new(k, "in", &(ww_task_options){.warps = 2, .schedule = fill, .context = ring});
    ww_task_new(k, "out", &(ww_task_options){.first_warp = 4, .warps = 4, .schedule = use, .context = ring});
    return k;
}

static void test_counts_proof_and_code_follow(void **state)
{
    (void)state;
    ww_kernel *k = declare((ww_pipeline){.type = WW_TOY, .stages = 3});
    assert_null(ww_kernel_check(k));
    assert_int_equal(k->program->barriers.at[0].arrivals, 2);
    assert_int_equal(k->program->barriers.at[1].arrivals, 4);
    assert_true(ww_kernel_prove(k).proved);
    const char *cuda = ww_kernel_emit(k);
    assert_non_null(strstr(
        cuda,
        "if (ww::elect_one()) ww::mbarrier_arrive(smem_base + toy_map::ring_full + 8 * ring_produce_slot);"));
    assert_non_null(strstr(cuda, "if (ww::elect_one()) ww::mbarrier_arrive(smem_base + toy_map::ring_empty + "
                                 "8 * ring_consume_slot);"));
    ww_kernel_free(k);
}

static void test_checks_follow(void **state)
{
    (void)state;
    ww_kernel *k = declare((ww_pipeline){.type = WW_TOY, .stages = 3, .producer_arrivals = 64});
    assert_int_equal(ww_kernel_check(k)->code, WW_ARRIVALS);
    ww_kernel_free(k);
    k = declare((ww_pipeline){.type = WW_TOY, .stages = 3, .advance_on_acquire = true});
    assert_string_equal(ww_kernel_check(k)->message,
                        "resource ring: a pipeline of type Toy does not offer advance_on_acquire");
    ww_kernel_free(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts_proof_and_code_follow),
        cmocka_unit_test(test_checks_follow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
