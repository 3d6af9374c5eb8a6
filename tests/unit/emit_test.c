/* Emission: whole files against golden ones; then, form by form, the lines that small kernels turn into. Most of these
 * kernels are no use and would not be proved: what is looked at is the text. All are compiled and assembled together in
 * the end. */
#include "base/base.h"
#include "base/diag.h"
#include "build/build.h"
#include "emit/emit.h"
#include "emit_kernels.h"
#include "golden/kernels.h"
#include "report_golden.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

/* ---- golden files ----------------------------------------------------------------------------------- */

static void check_emitted(ww_kernel *k, const char *path)
{
    text actual = {0};
    ww_diag_print(stdout, ww_kernel_check(k));
    const char *cuda = ww_kernel_emit(k);
    assert_non_null(cuda);
    text_add(&actual, cuda);
    golden_check(path, &actual);
    text_free(&actual);
    ww_kernel_free(k);
}

static void two_tasks_are_emitted_as_ever(void **state)
{
    (void)state;
    check_emitted(golden_two_tasks(), "tests/golden/two_tasks.cu");
}

static void a_gemm_is_emitted_as_ever(void **state)
{
    (void)state;
    check_emitted(golden_gemm(), "tests/golden/gemm.cu");
}

/* ---- lines of a text --------------------------------------------------------------------------------- */

/* The text of a kernel; rules and prover are not asked. */
static const char *emitted(ww_kernel *k)
{
    ww_kernel_unchecked(k);
    const char *cuda = ww_kernel_emit(k);
    if (!cuda)
        ww_diag_print(stdout, ww_kernel_check(k));
    assert_non_null(cuda);
    return cuda;
}

/* Without indentation, and without comments behind something. */
static void plain_lines(const char *from, text *out)
{
    while (*from) {
        size_t len = strcspn(from, "\n"), indent = strspn(from, " ");
        const char *comment = strstr(from, " // ");
        size_t end = comment && comment < from + len ? (size_t)(comment - from) : len;
        if (indent < end)
            text_add_n(out, from + indent, end - indent);
        text_add(out, "\n");
        from += len + (from[len] == '\n');
    }
}

/* Whether the lines occur one right after the other. */
static bool has_lines(const char *cuda, const char *lines)
{
    text all = {0}, wanted = {0};
    text_add(&all, "\n");
    text_add(&wanted, "\n");
    plain_lines(cuda, &all);
    plain_lines(lines, &wanted);
    bool found = strstr(text_str(&all), text_str(&wanted)) != NULL;
    text_free(&all);
    text_free(&wanted);
    return found;
}

/* Frees the kernel. The list of texts is ended by NULL; those from "NOT" on must not be part of the text. */
static void check_lines(ww_kernel *k, const char *const *lines)
{
    const char *cuda = emitted(k);
    bool wanted = true;
    for (; *lines; lines++) {
        if (strcmp(*lines, "NOT") == 0)
            wanted = false;
        else if (wanted != (wanted ? has_lines(cuda, *lines) : strstr(cuda, *lines) != NULL)) {
            (void)puts(cuda);
            fail_msg("%s:\n%s", wanted ? "missing" : "not wanted", *lines);
        }
    }
    ww_kernel_free(k);
}

#define CHECK_LINES(kernel, ...) check_lines(kernel, (const char *const[]){__VA_ARGS__, NULL})

/* ---- set-up and tear-down --------------------------------------------------------------------------- */

static void barriers_are_initialised_by_the_lanes_of_one_warp(void **state)
{
    (void)state;
    CHECK_LINES(emit_local(),
                "if (warp == 0) {\n"
                "for (uint32_t i = lane; i < 6; i += 32)\n"
                "ww::mbarrier_init(smem_base + local_map::ww_barriers + 8 * i, i < 3 ? 32 : 128);\n"
                "ww::fence_mbarrier_init();\n"
                "}\n"
                "__syncthreads();",
                "extern \"C\" __global__ void __launch_bounds__(160, 1)", "NOT", "cta_rank",
                "cluster_arrive");
}

static void a_cluster_begins_and_ends_together(void **state)
{
    (void)state;
    CHECK_LINES(emit_clustered(),
                "extern \"C\" __global__ void __launch_bounds__(160, 1) __cluster_dims__(2, 2, 1)",
                "const uint32_t cta_rank = ww::cluster_rank();\n"
                "using cluster = ww::cluster_layout<1, 2, 2, 1>;",
                "}\n"
                "ww::cluster_arrive_relaxed();\n"
                "ww::cluster_wait();",
                "ww::cluster_arrive();\n"
                "ww::cluster_wait();\n"
                "}",
                "NOT", "__syncthreads");
}

static void tensor_memory_is_allocated_and_given_back(void **state)
{
    (void)state;
    CHECK_LINES(
        emit_umma_1(),
        "ww::syncwarp();\n"
        "ww::tcgen05_alloc<1>(smem_base + umma_1_map::ww_tmem_slot, 256);\n"
        "ww::tcgen05_relinquish<1>();\n"
        "}\n"
        "ww::tcgen05_fence_before_thread_sync();\n"
        "__syncthreads();\n"
        "ww::tcgen05_fence_after_thread_sync();\n"
        "const uint32_t tmem_base = *reinterpret_cast<const uint32_t *>(ww_smem + umma_1_map::ww_tmem_slot);",
        "ww::tcgen05_fence_before_thread_sync();\n"
        "__syncthreads();\n"
        "if (warp == 0) {\n"
        "ww::tcgen05_fence_after_thread_sync();\n"
        "ww::tcgen05_dealloc<1>(tmem_base, 256);\n"
        "}\n"
        "}",
        "{}, {tmem_base + umma_1_map::other_sum_column + 128 * other_produce_slot}, tile, 0u, task_warp, "
        "lane});");
}

static void a_pair_allocates_tensor_memory_together(void **state)
{
    (void)state;
    CHECK_LINES(emit_umma_2(), "ww::tcgen05_alloc<2>(smem_base + umma_2_map::ww_tmem_slot, 256);",
                "ww::tcgen05_fence_before_thread_sync();\n"
                "ww::cluster_arrive();\n"
                "ww::cluster_wait();\n"
                "ww::tcgen05_fence_after_thread_sync();",
                "ww::tcgen05_dealloc<2>(tmem_base, 256);", "NOT", "cluster_arrive_relaxed");
}

/* ---- protocols in a cluster ------------------------------------------------------------------------- */

static void a_release_reaches_all_who_copy_here(void **state)
{
    (void)state;
    CHECK_LINES(
        emit_clustered(), "const uint16_t share_mask_m = cluster::tma_mask_a(cta_rank);",
        "ww::syncwarp();\n"
        "if (share_mask_m >> lane & 1) ww::mbarrier_arrive_remote(smem_base + clustered_map::ring_empty + 8 "
        "* "
        "ring_consume_slot, lane);",
        "if (ww::elect_one()) ww::mbarrier_arrive_expect_tx(smem_base + clustered_map::ring_full + 8 * "
        "ring_produce_slot, 2048);");
}

static void a_pair_works_by_its_leader(void **state)
{
    (void)state;
    CHECK_LINES(
        emit_umma_2(),
        /* the leader announces for both, copies complete at its barrier */
        "if (cluster::leader(cta_rank) == cta_rank) {\n"
        "if (ww::elect_one()) ww::mbarrier_arrive_expect_tx(smem_base + umma_2_map::ring_full + 8 * "
        "ring_produce_slot, 4096);\n"
        "}",
        "static_cast<int>(ring_produce_slot), ww::pair_leader_address(smem_base + umma_2_map::ring_full + 8 "
        "* "
        "ring_produce_slot), smem_base + umma_2_map::ring_empty + 8 * ring_produce_slot,",
        /* the tensor core frees the buffers of both, and of those who share A with either */
        "if (cluster::leader(cta_rank) == cta_rank) {\n"
        "if (ww::elect_one()) ww::tcgen05_commit_multicast<2>(smem_base + umma_2_map::ring_empty + 8 * "
        "ring_consume_slot, release_mask_m);\n"
        "}",
        "const uint16_t release_mask_m = cluster::release_mask_m(cta_rank);",
        /* both hear of the accumulator, both tell the leader */
        "if (ww::elect_one()) ww::tcgen05_commit_multicast<2>(smem_base + umma_2_map::other_full + 8 * "
        "other_produce_slot, pair_mask);",
        "ww::mbarrier_arrive_remote(smem_base + umma_2_map::other_empty + 8 * other_consume_slot, "
        "cluster::leader(cta_rank));");
}

static void with_one_cta_everything_is_local(void **state)
{
    (void)state;
    CHECK_LINES(emit_umma_1(),
                "if (ww::elect_one()) ww::tcgen05_commit<1>(smem_base + umma_1_map::ring_empty + 8 * "
                "ring_consume_slot);",
                "ww::tcgen05_fence_before_thread_sync();\n"
                "ww::mbarrier_arrive(smem_base + umma_1_map::other_empty + 8 * other_consume_slot);",
                "NOT", "remote", "multicast", "cluster", "pair_leader");
}

static void threads_fence_and_arrive_at_the_leader(void **state)
{
    (void)state;
    CHECK_LINES(
        emit_async_umma(),
        "ww::fence_proxy_async_shared();\n"
        "ww::mbarrier_arrive_remote_release(smem_base + async_umma_map::ring_full + 8 * ring_produce_slot, "
        "cluster::leader(cta_rank));",
        "if (ww::elect_one()) ww::tcgen05_commit_multicast<2>(smem_base + async_umma_map::ring_empty + 8 * "
        "ring_consume_slot, pair_mask);");
}

static void peers_are_found_by_their_shift(void **state)
{
    (void)state;
    CHECK_LINES(
        emit_peer(),
        "if (ww::elect_one()) ww::mbarrier_arrive_expect_tx_remote(smem_base + peer_map::ring_full + 8 * "
        "ring_produce_slot, 1024, (cta_rank + 3) % 4);",
        "if (ww::elect_one()) ww::mbarrier_arrive_remote(smem_base + peer_map::ring_empty + 8 * "
        "ring_consume_slot, (cta_rank + 1) % 4);");
}

static void asynchronous_loads_arrive_when_they_have_landed(void **state)
{
    (void)state;
    CHECK_LINES(
        emit_loading(),
        "ww::cp_async_mbarrier_arrive_noinc(smem_base + loading_map::ring_full + 8 * ring_produce_slot);",
        "NOT", "__cluster_dims__");
}

static void the_first_warp_announces_for_all(void **state)
{
    (void)state;
    CHECK_LINES(emit_first_warp(),
                "if (task_warp == 0 && ww::elect_one()) ww::mbarrier_arrive_expect_tx(smem_base + "
                "first_warp_map::ring_full + 8 * ring_produce_slot, 2048);");
}

/* ---- rings ------------------------------------------------------------------------------------------ */

static void lanes_of_a_ring_start_apart_and_step_by_their_number(void **state)
{
    (void)state;
    CHECK_LINES(emit_lanes(), "uint32_t ring_produce_slot = task_warp;\nuint32_t ring_produce_parity = 1;",
                "ring_consume_slot += 2;\n"
                "if (ring_consume_slot >= 4) {\n"
                "ring_consume_slot -= 4;\n"
                "ring_consume_parity ^= 1;\n"
                "}",
                /* as many lanes as stages: a lane stays at its slot */
                "ww::mbarrier_arrive(smem_base + lanes_map::other_empty + 8 * other_consume_slot);\n"
                "other_consume_parity ^= 1;");
}

static void a_loop_can_be_a_lane(void **state)
{
    (void)state;
    CHECK_LINES(emit_loop_lane(), "uint32_t ring_consume_slot = 1;");
}

static void work_sees_the_slot_that_its_cursor_left(void **state)
{
    (void)state;
    CHECK_LINES(
        emit_ahead(), "uint32_t ring_consume_held = 0;\nuint32_t ring_release_slot = 0;",
        "ring_consume_held = ring_consume_slot;\n"
        "ring_consume_slot = ring_consume_slot == 3 ? 0 : ring_consume_slot + 1;",
        "static_cast<int>(ring_consume_held), smem_base + ahead_map::ring_full + 8 * ring_consume_held, "
        "smem_base + ahead_map::ring_empty + 8 * ring_consume_held,",
        "ww::mbarrier_arrive(smem_base + ahead_map::ring_empty + 8 * ring_release_slot);", "NOT",
        "ring_release_parity");
}

static void a_ring_that_the_tensor_core_reads_is_drained(void **state)
{
    (void)state;
    CHECK_LINES(emit_umma_1(), "#pragma unroll 1\n"
                               "for (int drained = 0; drained < 4; drained++) {\n"
                               "ww::mbarrier_wait(smem_base + umma_1_map::ring_empty + 8 * "
                               "ring_produce_slot, ring_produce_parity);\n"
                               "ring_produce_slot = ring_produce_slot == 3 ? 0 : ring_produce_slot + 1;\n"
                               "ring_produce_parity ^= ring_produce_slot == 0;\n"
                               "}");
}

/* ---- groups ----------------------------------------------------------------------------------------- */

static void a_merge_shares_its_empty_barrier_and_consumer(void **state)
{
    (void)state;
    CHECK_LINES(
        emit_merge(),
        "static_cast<int>(both_consume_slot), smem_base + merge_map::other_full + 8 * both_consume_slot, "
        "smem_base + merge_map::both_empty + 8 * both_consume_slot,",
        "ww::mbarrier_arrive(smem_base + merge_map::both_empty + 8 * both_consume_slot);", "NOT",
        "ring_empty", "both_full");
}

static void probes_are_forgotten_when_their_shared_cursor_moves(void **state)
{
    (void)state;
    CHECK_LINES(emit_merge(),
                "ready_0 = ww::mbarrier_try_wait(smem_base + merge_map::ring_full + 8 * both_consume_slot, "
                "both_consume_parity);\n"
                "ready_1 = ww::mbarrier_try_wait(smem_base + merge_map::other_full + 8 * both_consume_slot, "
                "both_consume_parity);\n"
                "if (!ready_0) ww::mbarrier_wait(smem_base + merge_map::ring_full + 8 * both_consume_slot, "
                "both_consume_parity);",
                "both_consume_parity ^= both_consume_slot == 0;\nready_0 = false;\nready_1 = false;");
}

static void a_fused_merge_shares_both_barriers(void **state)
{
    (void)state;
    CHECK_LINES(
        emit_fused(), "ww::mbarrier_arrive(smem_base + fused_map::both_full + 8 * other_produce_slot);",
        "ww::mbarrier_wait(smem_base + fused_map::both_full + 8 * both_consume_slot, both_consume_parity);",
        "for (uint32_t i = 0; i < 2; i++)\n"
        "ww::mbarrier_init(smem_base + fused_map::ww_barriers + 8 * i, 64);\n"
        "for (uint32_t i = 2; i < 4; i++)\n"
        "ww::mbarrier_init(smem_base + fused_map::ww_barriers + 8 * i, 32);",
        "NOT", "ring_full", "other_full");
}

static void a_fork_shares_its_full_barrier_and_producer(void **state)
{
    (void)state;
    CHECK_LINES(
        emit_fork(),
        "ww::mbarrier_wait(smem_base + fork_map::ring_empty + 8 * both_produce_slot, both_produce_parity);\n"
        "ww::mbarrier_wait(smem_base + fork_map::other_empty + 8 * both_produce_slot, both_produce_parity);",
        "ww::mbarrier_arrive(smem_base + fork_map::both_full + 8 * both_produce_slot);\n"
        "both_produce_slot = both_produce_slot == 1 ? 0 : both_produce_slot + 1;",
        "NOT", "ring_full", "both_empty");
}

/* ---- barriers without data -------------------------------------------------------------------------- */

static void hardware_barriers_need_no_memory(void **state)
{
    (void)state;
    CHECK_LINES(emit_meeting(), "ww::named_barrier_sync(1, 96);", "ww::named_barrier_arrive(1, 96);", "NOT",
                "mbarrier", "parity", "__syncthreads");
}

static void turns_are_passed_on(void **state)
{
    (void)state;
    CHECK_LINES(emit_turns(), "uint32_t order_produce_parity = 1;", "uint32_t order_produce_parity = 0;",
                "ww::mbarrier_wait(smem_base + turns_map::order_turn_0, order_produce_parity);\n"
                "ww::syncwarp();\n"
                "if (ww::elect_one()) ww::mbarrier_arrive(smem_base + turns_map::order_turn_1);\n"
                "order_produce_parity ^= 1;");
}

static void grids_wait_for_and_launch_each_other(void **state)
{
    (void)state;
    CHECK_LINES(emit_dependent(), "ww::griddepcontrol_wait();\nww::griddepcontrol_launch_dependents();");
}

/* ---- queues ----------------------------------------------------------------------------------------- */

static void a_counter_deals_tiles(void **state)
{
    (void)state;
    CHECK_LINES(
        emit_counter(),
        "ww::dynamic_queue queue_queue = ww::dynamic_queue_make(params.tiles_m, params.tiles_n, 1, 1, 1, 4, "
        "1);\n"
        "ww_tile tile = queue_queue.first();",
        "if (ww::elect_one()) ww::mbarrier_arrive_expect_tx(smem_base + counter_map::queue_full + 8 * "
        "queue_produce_slot, 16);\n"
        "ww::counter_fetch<1>(queue_queue, params.counter, smem_base + counter_map::queue_response + 16 * "
        "queue_produce_slot, smem_base + counter_map::queue_full + 8 * queue_produce_slot);",
        "ww::mbarrier_wait(smem_base + counter_map::queue_full + 8 * queue_consume_slot, "
        "queue_consume_parity);\n"
        "tile = queue_queue.decode_counter(smem_base + counter_map::queue_response + 16 * "
        "queue_consume_slot);\n"
        "ww::syncwarp();\n"
        "if (ww::elect_one()) ww::mbarrier_arrive(smem_base + counter_map::queue_empty + 8 * "
        "queue_consume_slot);");
}

static void one_cta_fetches_tiles_for_its_cluster(void **state)
{
    (void)state;
    CHECK_LINES(
        emit_clc(),
        "ww::dynamic_queue queue_queue = ww::dynamic_queue_make(params.tiles_m, params.tiles_n, 1, 2, 2, 1, "
        "0);",
        "if (cta_rank == 0) {\n"
        "ww::mbarrier_wait(smem_base + clc_map::queue_empty + 8 * queue_produce_slot, "
        "queue_produce_parity);\n"
        "if (lane < 4) ww::mbarrier_arrive_expect_tx_remote(smem_base + clc_map::queue_full + 8 * "
        "queue_produce_slot, 16, lane);\n"
        "ww::clc_fetch<4>(smem_base + clc_map::queue_response + 16 * queue_produce_slot, smem_base + "
        "clc_map::queue_full + 8 * queue_produce_slot);\n"
        "}",
        "tile = queue_queue.decode_clc(smem_base + clc_map::queue_response + 16 * queue_consume_slot);\n"
        "ww::syncwarp();\n"
        "if (ww::elect_one()) ww::mbarrier_arrive_remote(smem_base + clc_map::queue_empty + 8 * "
        "queue_consume_slot, 0);");
}

/* ---- loops, guards, values -------------------------------------------------------------------------- */

static void trips_are_counted_from_the_loop_index(void **state)
{
    (void)state;
    CHECK_LINES(emit_blocks(),
                "#pragma unroll 4\n"
                "for (int i_0 = 4; i_0 < params.trips; i_0 += 2) {",
                "if ((i_0 - 4) / 2 % 3 == 0) {\n"
                "scratch_tuned<7, static_cast<bool>(1)>(scratch_self,",
                "if ((i_0 - 4) / 2 >= 2 && ((i_0 - 4) / 2 - 2) % 3 == 0) {",
                "if (x_0) {\nscratch_watch(scratch_self,");
}

static void values_outlive_their_block_and_have_defaults(void **state)
{
    (void)state;
    CHECK_LINES(emit_blocks(), "if (warp == 4 && cta_rank == 1) {",
                "int x_0 = -1;\nfor (int i_0 = 0; i_0 < params.trips; i_0 += 1) {", "if (!x_0) {",
                "ww_info{params, ww::loop_last(0, params.trips, 1), 0, params.trips, 1,",
                "for (int i_6 = 8; i_6 > 0; i_6 += -1) {");
}

/* ---- whole files ------------------------------------------------------------------------------------ */

/* Nothing is generated for a kernel with an error, unless the checks are switched off; then the file says so. */
static void a_refused_kernel_is_not_emitted(void **state)
{
    (void)state;
    ww_kernel *k = golden_two_tasks_with_arrivals(5);
    assert_null(ww_kernel_emit(k));
    ww_kernel_free(k);
    CHECK_LINES(golden_two_tasks_with_arrivals(5), "// NOT PROVED: rules and prover were switched off",
                "for (uint32_t i = 0; i < 4; i++)\n"
                "ww::mbarrier_init(smem_base + two_tasks_map::ww_barriers + 8 * i, 1);\n"
                "for (uint32_t i = 4; i < 8; i++)\n"
                "ww::mbarrier_init(smem_base + two_tasks_map::ww_barriers + 8 * i, 5);");
}

/* The generated file of a kernel that the prover could not judge says why, in one line. */
static void an_unproved_kernel_says_so(void **state)
{
    (void)state;
    ww_kernel *k = golden_two_tasks();
    diag_list list;
    diag_list_init(&list, &k->arena);
    ww_diag *why = diag_add(&list, WW_UNPROVABLE, WW_HERE, "too many runs\nof which this is the first");
    diag_expected(&list, why, "fewer");
    diag_found(&list, why, "too many");
    diag_hint(&list, why, "run less");
    ww_verdict verdict = {.refutation = why};
    text cuda = {0};
    (void)ww_kernel_check(k);
    k->verdict = &verdict;
    emit_program(k->program, false, &cuda);
    assert_true(has_lines(text_str(&cuda), "// NOT PROVED: too many runs\n#include \"ww/ww.cuh\""));
    text_free(&cuda);
    ww_kernel_free(k);
}

static void compile(const char *arch, const char *source)
{
    const char *folders[] = {WW_REPOSITORY "/tests/unit", WW_REPOSITORY "/device"};
    build_output out;
    text error = {0};
    if (!build_cuda("kernels.cu", source,
                    &(build_options){.arch = arch, .include_folders = folders, .include_count = 2}, &out,
                    &error))
        fail_msg("%s: %s", arch, text_str(&error));
    assert_memory_equal(text_str(&out.cubin), "\177ELF", 4);
    build_output_free(&out);
    text_free(&error);
}

/* Those for one architecture, in one translation unit. */
static size_t compile_for(const char *arch)
{
    text source = {0}, head = {0};
    size_t compiled = 0;
    text_printf(&head, " for %s, generated", arch);
    for (size_t i = 0; emit_kernels[i]; i++) {
        ww_kernel *k = emit_kernels[i]();
        const char *cuda = emitted(k);
        if (strstr(cuda, text_str(&head))) {
            text_add(&source, cuda);
            compiled++;
        }
        ww_kernel_free(k);
    }
    compile(arch, text_str(&source));
    text_free(&source);
    text_free(&head);
    return compiled;
}

static void all_of_these_compile_side_by_side(void **state)
{
    (void)state;
    size_t all = 0;
    while (emit_kernels[all])
        all++;
    assert_int_equal(
        compile_for("sm_80") + compile_for("sm_89") + compile_for("sm_90a") + compile_for("sm_100a"), all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_tasks_are_emitted_as_ever),
        cmocka_unit_test(a_gemm_is_emitted_as_ever),
        cmocka_unit_test(barriers_are_initialised_by_the_lanes_of_one_warp),
        cmocka_unit_test(a_cluster_begins_and_ends_together),
        cmocka_unit_test(tensor_memory_is_allocated_and_given_back),
        cmocka_unit_test(a_pair_allocates_tensor_memory_together),
        cmocka_unit_test(a_release_reaches_all_who_copy_here),
        cmocka_unit_test(a_pair_works_by_its_leader),
        cmocka_unit_test(with_one_cta_everything_is_local),
        cmocka_unit_test(threads_fence_and_arrive_at_the_leader),
        cmocka_unit_test(peers_are_found_by_their_shift),
        cmocka_unit_test(asynchronous_loads_arrive_when_they_have_landed),
        cmocka_unit_test(the_first_warp_announces_for_all),
        cmocka_unit_test(lanes_of_a_ring_start_apart_and_step_by_their_number),
        cmocka_unit_test(a_loop_can_be_a_lane),
        cmocka_unit_test(work_sees_the_slot_that_its_cursor_left),
        cmocka_unit_test(a_ring_that_the_tensor_core_reads_is_drained),
        cmocka_unit_test(a_merge_shares_its_empty_barrier_and_consumer),
        cmocka_unit_test(probes_are_forgotten_when_their_shared_cursor_moves),
        cmocka_unit_test(a_fused_merge_shares_both_barriers),
        cmocka_unit_test(a_fork_shares_its_full_barrier_and_producer),
        cmocka_unit_test(hardware_barriers_need_no_memory),
        cmocka_unit_test(turns_are_passed_on),
        cmocka_unit_test(grids_wait_for_and_launch_each_other),
        cmocka_unit_test(a_counter_deals_tiles),
        cmocka_unit_test(one_cta_fetches_tiles_for_its_cluster),
        cmocka_unit_test(trips_are_counted_from_the_loop_index),
        cmocka_unit_test(values_outlive_their_block_and_have_defaults),
        cmocka_unit_test(a_refused_kernel_is_not_emitted),
        cmocka_unit_test(an_unproved_kernel_says_so),
        cmocka_unit_test(all_of_these_compile_side_by_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
