/* A device: memory, a compiled kernel, a cluster, names in reports, tensor maps; on the emulator always, and
 * on a GPU where there is one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "build/build.h"
#include "run/device.h"

static device *open_device(void **state)
{
    text error = {0};
    device *d = device_open(
        &(device_options){.kind = *(device_kind *)*state, .arch = "sm_90a", .time_limit_s = 5}, &error);
    if (!d)
        fail_msg("%s", text_str(&error));
    text_free(&error);
    return d;
}

/* For calls that must work. */
static void must(device *d, bool ok)
{
    if (!ok)
        fail_msg("%s", device_error(d));
}

static device_module *load(device *d, const char *source)
{
    build_output built;
    text error = {0};
    if (!build_cuda("test.cu", source, &(build_options){.arch = "sm_90a"}, &built, &error))
        fail_msg("%s", text_str(&error));
    device_module *module = device_load(d, &built.ptx, &built.cubin);
    must(d, module != NULL);
    build_output_free(&built);
    return module;
}

static void memory_goes_there_and_back(void **state)
{
    device *d = open_device(state);
    uint32_t there[256], back[256];
    for (uint32_t i = 0; i < 256; i++)
        there[i] = i * 3;
    uint64_t block = device_alloc(d, sizeof there);
    must(d, block != 0);
    assert_int_equal(block % 256, 0);
    must(d, device_upload(d, block, there, sizeof there));
    must(d, device_fill(d, block + 16, UINT32_C(0xffffffff), 2));
    must(d, device_download(d, back, block, sizeof back));
    there[4] = there[5] = UINT32_C(0xffffffff);
    assert_memory_equal(there, back, sizeof there);
    must(d, device_free(d, block));
    must(d, device_free(d, 0));
    device_close(d);
}

static void a_kernel_runs(void **state)
{
    device *d = open_device(state);
    device_module *module = load(d, "extern \"C\" __global__ void scale(float *p, float by, int n) {\n"
                                    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                    "  if (i < n) p[i] *= by;\n}\n");
    float values[100];
    for (int i = 0; i < 100; i++)
        values[i] = (float)i;
    struct {
        uint64_t p;
        float by;
        int n;
    } params = {device_alloc(d, sizeof values), 2.5f, 99};
    must(d, device_upload(d, params.p, values, sizeof values));
    const device_launch launch = {.kernel = "scale",
                                  .grid = {4, 1, 1},
                                  .block = {32, 1, 1},
                                  .params = &params,
                                  .param_bytes = sizeof params};
    must(d, device_time_begin(d));
    must(d, device_launch_kernel(d, module, &launch));
    double ms = -1;
    must(d, device_time_end(d, &ms));
    assert_true(ms >= 0);
    must(d, device_sync(d));
    must(d, device_download(d, values, params.p, sizeof values));
    for (int i = 0; i < 99; i++)
        assert_true(values[i] == (float)i * 2.5f);
    assert_true(values[99] == 99.0f);
    must(d, device_free(d, params.p));
    device_unload(d, module);
    device_close(d);
}

/* Each CTA of a cluster of 2 writes its rank; needs the cluster attribute and dynamic shared memory. */
static void a_cluster_is_launched(void **state)
{
    device *d = open_device(state);
    device_module *module = load(d, "extern \"C\" __global__ void ranks(unsigned *p) {\n"
                                    "  extern __shared__ unsigned room[];\n"
                                    "  unsigned rank, size;\n"
                                    "  asm(\"mov.u32 %0, %%cluster_ctarank;\" : \"=r\"(rank));\n"
                                    "  asm(\"mov.u32 %0, %%cluster_nctarank;\" : \"=r\"(size));\n"
                                    "  room[20000 + threadIdx.x] = size * 10 + rank;\n"
                                    "  __syncthreads();\n"
                                    "  if (threadIdx.x == 0) p[blockIdx.x] = room[20031];\n}\n");
    uint64_t block = device_alloc(d, 4 * sizeof(uint32_t));
    const device_launch launch = {.kernel = "ranks",
                                  .grid = {4, 1, 1},
                                  .block = {32, 1, 1},
                                  .cluster = {2, 1, 1},
                                  .dynamic_shared_bytes = 100000,
                                  .params = &block,
                                  .param_bytes = sizeof block};
    must(d, device_launch_kernel(d, module, &launch));
    uint32_t ranks[4];
    must(d, device_download(d, ranks, block, sizeof ranks));
    const uint32_t expected[4] = {20, 21, 20, 21};
    assert_memory_equal(ranks, expected, sizeof expected);
    device_unload(d, module);
    device_close(d);
}

static void mistakes_are_told(void **state)
{
    device *d = open_device(state);
    device_module *module = load(d, "extern \"C\" __global__ void nothing() {}\n");
    device_launch launch = {.kernel = "absent", .grid = {1, 1, 1}, .block = {32, 1, 1}};
    assert_false(device_launch_kernel(d, module, &launch));
    assert_non_null(strstr(device_error(d), "absent"));
    launch.kernel = "nothing";
    launch.dynamic_shared_bytes = 1 << 20;
    assert_false(device_launch_kernel(d, module, &launch));
    assert_non_null(strstr(device_error(d), "1048576 bytes of shared memory"));
    device_unload(d, module);
    const text not_ptx = {.at = (char[]){"not PTX"}, .len = 7};
    assert_null(device_load(d, &not_ptx, &(text){0}));
    assert_true(strlen(device_error(d)) > 0);
    device_close(d);
}

static void a_tensor_map_is_checked(void **state)
{
    device *d = open_device(state);
    device_tensor t = {.element = DEVICE_BF16,
                       .rank = 2,
                       .address = device_alloc(d, 16384),
                       .extent = {64, 128},
                       .stride_bytes = {128},
                       .box = {64, 128},
                       .swizzle = DEVICE_SWIZZLE_128B};
    unsigned char map[DEVICE_TENSOR_MAP_BYTES];
    must(d, device_tensor_map_encode(d, &t, map));
    t.box[0] = 128; /* 256 bytes: more than the swizzle's span */
    assert_false(device_tensor_map_encode(d, &t, map));
    assert_non_null(strstr(device_error(d), "tensor map"));
    t.rank = 6;
    assert_false(device_tensor_map_encode(d, &t, map));
    device_close(d);
}

/* The driver has one error for all of these; we name the number. */
static void mistakes_of_tensor_maps_are_named(void **state)
{
    (void)state;
    static const device_tensor right = {.element = DEVICE_BF16,
                                        .rank = 2,
                                        .address = 0x1000,
                                        .extent = {64, 128},
                                        .stride_bytes = {128},
                                        .box = {64, 128},
                                        .swizzle = DEVICE_SWIZZLE_128B};
    device_tensor address = right, null = right, stride = right, box = right, empty = right, unit = right,
                  span = right, extent = right, element = right, far = right;
    address.address += 8;
    null.address = 0;
    stride.stride_bytes[0] = 1000;
    far.stride_bytes[0] = UINT64_C(1) << 40;
    box.box[1] = 257;
    empty.box[1] = 0;
    unit.box[0] = 12;
    span.swizzle = DEVICE_SWIZZLE_64B;
    extent.extent[1] = 0;
    element.element = (device_element)13;
    const struct {
        const device_tensor *map;
        const char *told;
    } wrong[] = {
        {&address, "global address 0x1008: expected a multiple of 16 bytes, not 0"},
        {&null, "global address 0: expected a multiple of 16 bytes, not 0"},
        {&stride, "stride of 1000 bytes along dimension 1 (from row to row, where there are two): expected a "
                  "multiple of 16 "
                  "below 2^40; pad the rows"},
        {&far,
         "stride of 1099511627776 bytes along dimension 1 (from row to row, where there are two): expected a "
         "multiple of 16 below 2^40; pad the rows"},
        {&box, "a box of 257 elements along dimension 1: expected 1 to 256"},
        {&empty, "a box of 0 elements along dimension 1: expected 1 to 256"},
        {&unit, "a box of 12 elements of 2 bytes along dimension 0, 24 bytes: expected a multiple of 16, at "
                "most the span "
                "of its swizzle, 128"},
        {&span, "a box of 64 elements of 2 bytes along dimension 0, 128 bytes: expected a multiple of 16, at "
                "most the span "
                "of its swizzle, 64"},
        {&extent, "0 elements along dimension 1: expected 1 to 2^32"},
        {&element,
         "its element type is none that there is (element 13, swizzle 3, 2 dimensions; 1 to 5 are possible)"},
    };
    text why = {0};
    assert_false(device_tensor_fault(&right, &why));
    for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
        why.len = 0;
        assert_true(device_tensor_fault(wrong[i].map, &why));
        assert_memory_equal(text_str(&why), "WW502: a tensor map that TMA does not take: ", 44);
        assert_string_equal(text_str(&why) + 44, wrong[i].told);
    }
    text_free(&why);
}

/* A barrier nobody arrives at: the emulator names it and who waits, a GPU runs into the time limit. */
static void a_hang_ends(void **state)
{
    device *d = open_device(state);
    device_module *module =
        load(d, "extern \"C\" __global__ void hang() {\n"
                "  extern __shared__ unsigned long long barrier[];\n"
                "  unsigned at = (unsigned)__cvta_generic_to_shared(barrier);\n"
                "  asm volatile(\"mbarrier.init.shared::cta.b64 [%0], 1;\" :: \"r\"(at));\n"
                "  unsigned done = 0;\n"
                "  while (!done)\n"
                "    asm volatile(\"{ .reg .pred q;\"\n"
                "      \"mbarrier.try_wait.parity.shared::cta.b64 q, [%1], 0;\"\n"
                "      \"selp.u32 %0, 1, 0, q; }\" : \"=r\"(done) : \"r\"(at));\n}\n");
    const device_range_name range = {0, 8, "smem_ab.full[0]"};
    const device_warp_name warp = {0, 1, "task consume"};
    device_set_names(d, &(device_names){&range, 1, &warp, 1});
    const device_launch launch = {
        .kernel = "hang", .grid = {1, 1, 1}, .block = {32, 1, 1}, .dynamic_shared_bytes = 16};
    bool ok = device_launch_kernel(d, module, &launch) && device_sync(d);
    assert_false(ok);
    if (device_describe(d)->kind == DEVICE_EMU) {
        assert_non_null(strstr(device_error(d), "smem_ab.full[0]"));
        assert_non_null(strstr(device_error(d), "task consume"));
    } else {
        assert_non_null(strstr(device_error(d), "did not finish within 5 s"));
    }
    device_unload(d, module);
    device_close(d);
}

/* ---- choosing --------------------------------------------------------------------------------------- */

static void the_emulator_takes_the_place_of_a_missing_gpu(void **state)
{
    (void)state;
    text error = {0};
    device *d = device_open(&(device_options){.kind = DEVICE_AUTO, .arch = "sm_103a"}, &error);
    assert_non_null(d);
    if (device_describe(d)->kind == DEVICE_EMU) {
        assert_int_equal(device_describe(d)->capability[0], 10);
        assert_int_equal(device_describe(d)->capability[1], 3);
    }
    device_close(d);
    assert_null(device_open(&(device_options){.kind = DEVICE_EMU, .arch = "pentium"}, &error));
    assert_string_equal(text_str(&error), "pentium is no GPU architecture");
    text_free(&error);
}

static void a_gpu_that_is_not_there_is_refused(void **state)
{
    (void)state;
    text error = {0};
    assert_null(device_open(&(device_options){.kind = DEVICE_GPU, .ordinal = 1000}, &error));
    assert_true(error.len > 0);
    text_free(&error);
}

int main(void)
{
    static device_kind emulator = DEVICE_EMU, gpu = DEVICE_GPU;
#define ON(kind, test)                                                                                       \
    {                                                                                                        \
#test " on " #kind, test, NULL, NULL, &kind                                                          \
    }
#define ON_EACH(kind)                                                                                        \
    ON(kind, memory_goes_there_and_back), ON(kind, a_kernel_runs), ON(kind, a_cluster_is_launched),          \
        ON(kind, mistakes_are_told), ON(kind, a_tensor_map_is_checked), ON(kind, a_hang_ends)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_of_tensor_maps_are_named),
        cmocka_unit_test(the_emulator_takes_the_place_of_a_missing_gpu),
        cmocka_unit_test(a_gpu_that_is_not_there_is_refused),
        ON_EACH(emulator),
    };
    const struct CMUnitTest gpu_tests[] = {ON_EACH(gpu)};
    int failed = cmocka_run_group_tests_name("emulator", tests, NULL, NULL);
    text why_not = {0};
    device *d = device_open(&(device_options){.kind = DEVICE_GPU, .arch = "sm_90a"}, &why_not);
    device_close(d);
    if (d)
        failed += cmocka_run_group_tests_name("GPU", gpu_tests, NULL, NULL);
    else
        print_message("no tests on a GPU: %s\n", text_str(&why_not));
    text_free(&why_not);
    return failed;
}
