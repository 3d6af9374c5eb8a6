/* Compiling with NVRTC: PTX and CUBIN of one compile, the log of a failed one, the cache, a missing compiler.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "build/build.h"
#include "build/library.h"
#include "build/process.h"

#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

static const char tiny[] = "extern \"C\" __global__ void add_one(float *p) { p[threadIdx.x] += 1.0f; }\n";

static const build_options plain = {.arch = "sm_90a"};

/* Compiles and fails the test, with the compiler's words, when that does not work. */
static void compile(const char *source, const build_options *o, build_output *out)
{
    text error = {0};
    if (!build_cuda("tiny.cu", source, o, out, &error))
        fail_msg("%s", text_str(&error));
    text_free(&error);
}

static void one_compile_gives_ptx_and_cubin(void **state)
{
    (void)state;
    build_output out;
    compile(tiny, &plain, &out);
    assert_non_null(strstr(text_str(&out.ptx), ".target sm_90a"));
    assert_non_null(strstr(text_str(&out.ptx), ".entry add_one"));
    assert_memory_equal(out.cubin.at, "\177ELF", 4);
    assert_false(out.from_cache);
    assert_int_equal(out.log.len, 0);
    build_output_free(&out);
}

/* 300 words are taken before the first is given away: more than the 255 registers there can be. */
static const char greedy[] =
    "extern \"C\" __global__ void __launch_bounds__(256, 1) greedy(unsigned *p) {\n"
    "    unsigned w[300];\n"
    "    _Pragma(\"unroll\") for (int i = 0; i < 300; i++)\n"
    "        asm volatile(\"ld.global.u32 %0, [%1];\" : \"=r\"(w[i]) : \"l\"(p + i) : \"memory\");\n"
    "    _Pragma(\"unroll\") for (int i = 0; i < 300; i++)\n"
    "        asm volatile(\"st.global.u32 [%0], %1;\" : : \"l\"(p + i), \"r\"(w[299 - i]) : \"memory\");\n"
    "}\n";

static void a_cubin_says_what_was_spent(void **state)
{
    (void)state;
    build_output out;
    build_usage usage = {0};
    compile(greedy, &plain, &out);
    assert_true(build_cubin_usage(&out.cubin, "greedy", &usage));
    assert_in_range(usage.registers, 200, 255);
    assert_in_range(usage.local_bytes, 4 * (300 - 255), 4 * 300);
    assert_false(build_cubin_usage(&out.cubin, "modest", &usage));
    build_output_free(&out);
    compile(tiny, &plain, &out);
    assert_true(build_cubin_usage(&out.cubin, "add_one", &usage));
    assert_int_equal(usage.local_bytes, 0);
    build_output_free(&out);
}

/* Cut off anywhere, and with any byte turned round: an answer or none, and nothing read outside. */
static void a_damaged_cubin_does_no_harm(void **state)
{
    (void)state;
    build_output out;
    build_usage usage;
    compile(tiny, &plain, &out);
    for (size_t len = 0; len < out.cubin.len; len++) {
        text cut = {.at = base_alloc(len ? len : 1), .len = len}; /* a sanitizer sees what lies behind it */
        memcpy(cut.at, out.cubin.at, len);
        (void)build_cubin_usage(&cut, "add_one", &usage);
        free(cut.at);
    }
    for (size_t i = 0; i < out.cubin.len; i++) {
        out.cubin.at[i] = (char)~out.cubin.at[i];
        (void)build_cubin_usage(&out.cubin, "add_one", &usage);
        out.cubin.at[i] = (char)~out.cubin.at[i];
    }
    assert_true(build_cubin_usage(&out.cubin, "add_one", &usage));
    build_output_free(&out);
}

static void a_virtual_architecture_gives_ptx_alone(void **state)
{
    (void)state;
    const build_options o = {.arch = "compute_90a"};
    build_output out;
    compile(tiny, &o, &out);
    assert_non_null(strstr(text_str(&out.ptx), ".entry add_one"));
    assert_int_equal(out.cubin.len, 0);
    build_output_free(&out);
}

/* The conformance of a kernel with its golden file rests on this. */
static void the_same_source_gives_the_same_ptx(void **state)
{
    (void)state;
    const char *source = "static __device__ int counter;\n"
                         "extern \"C\" __global__ void count(int *p) { *p = atomicAdd(&counter, 1); }\n";
    build_output first, second;
    compile(source, &plain, &first);
    compile(source, &plain, &second);
    assert_string_equal(text_str(&first.ptx), text_str(&second.ptx));
    build_output_free(&first);
    build_output_free(&second);
}

static void a_failed_compile_gives_its_whole_log(void **state)
{
    (void)state;
    build_output out;
    text error = {0};
    assert_false(build_cuda("broken.cu", "__global__ void k() {\n  int x = nowhere;\n  elsewhere();\n}\n",
                            &plain, &out, &error));
    assert_non_null(strstr(text_str(&out.log), "broken.cu(2)"));
    assert_non_null(strstr(text_str(&out.log), "\"nowhere\" is undefined"));
    assert_non_null(strstr(text_str(&out.log), "\"elsewhere\" is undefined"));
    assert_non_null(strstr(text_str(&error), "broken.cu does not compile"));
    assert_non_null(strstr(text_str(&error), "\"elsewhere\" is undefined"));
    assert_int_equal(out.ptx.len, 0);
    text_free(&error);
    build_output_free(&out);
}

static void an_unknown_option_is_reported(void **state)
{
    (void)state;
    const char *const extra[] = {"--no-such-option"};
    const build_options o = {.arch = "sm_90a", .extra = extra, .extra_count = 1};
    build_output out;
    text error = {0};
    assert_false(build_cuda("tiny.cu", tiny, &o, &out, &error));
    assert_non_null(strstr(text_str(&error), "--no-such-option"));
    text_free(&error);
    build_output_free(&out);
}

/* NVRTC 13.0 crashes on this; a later one may take it. Either way the caller lives to hear of it. */
static void a_crash_of_the_compiler_is_an_error(void **state)
{
    (void)state;
    const char *source =
        "extern \"C\" __global__ void k() {\n"
        "  extern __shared__ unsigned long long barrier[];\n"
        "  unsigned at = (unsigned)__cvta_generic_to_shared(barrier);\n"
        "  asm volatile(\"mbarrier.init.shared::cta.b64 [%0], %1;\" :: \"r\"(at), \"r\"(0));\n}\n";
    build_output out;
    text error = {0};
    bool ok = build_cuda("zero.cu", source, &plain, &out, &error);
    assert_true(ok ? error.len == 0 : strstr(text_str(&error), "while it compiled zero.cu") != NULL);
    build_output_free(&out);
    text_free(&error);
    const build_options ptx_alone = {.arch = "compute_90a"};
    compile(source, &ptx_alone, &out); /* the emulator's way: no assembler is asked */
    build_output_free(&out);
}

/* ---- what is installed ------------------------------------------------------------------------------ */

/* For a while, the only CUDA there is stands below one folder; the caller's variables come back afterwards.
 */
static const char *const search_variables[] = {"WW_CUDA_HOME", "WW_DEPS", "WW_NO_TOOLKIT"};

typedef struct saved_search {
    arena arena;
    const char *values[ARRAY_LEN(search_variables)]; /* NULL: was not set */
} saved_search;

static saved_search search_only(const char *folder)
{
    saved_search saved = {0};
    for (size_t i = 0; i < ARRAY_LEN(search_variables); i++) {
        const char *value = getenv(search_variables[i]);
        saved.values[i] = value ? arena_strdup(&saved.arena, value) : NULL;
    }
    assert_int_equal(unsetenv("WW_CUDA_HOME"), 0);
    assert_int_equal(setenv("WW_DEPS", folder, 1), 0);
    assert_int_equal(setenv("WW_NO_TOOLKIT", "1", 1), 0);
    return saved;
}

static void search_restore(saved_search *saved)
{
    for (size_t i = 0; i < ARRAY_LEN(search_variables); i++) {
        if (saved->values[i])
            assert_int_equal(setenv(search_variables[i], saved->values[i], 1), 0);
        else
            assert_int_equal(unsetenv(search_variables[i]), 0);
    }
    arena_free(&saved->arena);
}

static void a_missing_nvrtc_says_what_was_searched(void **state)
{
    (void)state;
    saved_search saved = search_only("/nonexistent");
    build_output out;
    text error = {0};
    bool ok = build_cuda("tiny.cu", tiny, &plain, &out, &error);
    text cubin = {0}, assembler_error = {0};
    bool assembled = build_ptxas(".version 8.0", "sm_90a", &cubin, &assembler_error);
    search_restore(&saved);
    assert_false(ok);
    assert_non_null(strstr(text_str(&error), "/nonexistent/nvidia/cu13/lib/libnvrtc.so.13"));
    assert_non_null(strstr(text_str(&error), "scripts/setup.sh"));
    assert_false(assembled);
    assert_non_null(strstr(text_str(&assembler_error), "scripts/setup.sh"));
    text_free(&error);
    text_free(&assembler_error);
    build_output_free(&out);
}

/* ---- the cache -------------------------------------------------------------------------------------- */

/* Calls visit on each entry of a folder. */
static size_t each_file(const char *folder, void (*visit)(const char *path))
{
    DIR *d = opendir(folder);
    assert_non_null(d);
    size_t count = 0;
    for (struct dirent *entry; (entry = readdir(d));) {
        if (entry->d_name[0] == '.')
            continue;
        text path = {0};
        text_printf(&path, "%s/%s", folder, entry->d_name);
        visit(text_str(&path));
        text_free(&path);
        count++;
    }
    (void)closedir(d);
    return count;
}

static void remove_file(const char *path)
{
    (void)remove(path);
}

static void damage_file(const char *path)
{
    assert_true(file_write(path, "damaged", 7));
}

static int make_cache(void **state)
{
    text *folder = base_alloc(sizeof *folder);
    *folder = (text){0};
    *state = folder;
    return process_temporary_folder(folder) ? 0 : 1;
}

static int remove_cache(void **state)
{
    text *folder = *state;
    (void)each_file(text_str(folder), remove_file);
    int result = rmdir(text_str(folder));
    text_free(folder);
    free(folder);
    return result;
}

static void the_second_compile_comes_from_the_cache(void **state)
{
    const build_options o = {.arch = "sm_90a", .cache_folder = text_str(*state)};
    build_output first, second;
    compile(tiny, &o, &first);
    compile(tiny, &o, &second);
    assert_false(first.from_cache);
    assert_true(second.from_cache);
    assert_string_equal(text_str(&first.ptx), text_str(&second.ptx));
    assert_int_equal(first.cubin.len, second.cubin.len);
    assert_memory_equal(first.cubin.at, second.cubin.at, first.cubin.len);
    assert_true(second.compile_ms < first.compile_ms);
    build_output_free(&first);
    build_output_free(&second);
}

static void whatever_goes_in_is_part_of_the_key(void **state)
{
    const char *const extra[] = {"-DNDEBUG"};
    const char *folder = text_str(*state);
    const build_options variants[] = {
        {.arch = "sm_90a", .cache_folder = folder},
        {.arch = "sm_90", .cache_folder = folder},
        {.arch = "sm_90a", .cache_folder = folder, .want_line_info = true},
        {.arch = "sm_90a", .cache_folder = folder, .extra = extra, .extra_count = 1},
    };
    for (size_t i = 0; i < ARRAY_LEN(variants); i++) {
        build_output out;
        compile(tiny, &variants[i], &out);
        assert_false(out.from_cache);
        build_output_free(&out);
    }
    assert_int_equal(each_file(folder, remove_file), ARRAY_LEN(variants));
}

static void a_changed_header_is_compiled_anew(void **state)
{
    const char *folder = text_str(*state);
    const char *const folders[] = {folder};
    const build_options o = {
        .arch = "sm_90a", .cache_folder = folder, .include_folders = folders, .include_count = 1};
    const char *source = "#include <value.cuh>\nextern \"C\" __global__ void k(int *p) { *p = VALUE; }\n";
    text header = {0};
    text_printf(&header, "%s/value.cuh", folder);
    static const char *const values[] = {"#define VALUE 4711\n", "#define VALUE 4712\n"};
    for (size_t i = 0; i < ARRAY_LEN(values); i++) {
        assert_true(file_write(text_str(&header), values[i], strlen(values[i])));
        build_output out;
        compile(source, &o, &out);
        assert_false(out.from_cache);
        assert_non_null(strstr(text_str(&out.ptx), i == 0 ? "4711" : "4712"));
        build_output_free(&out);
    }
    text_free(&header);
}

static void a_damaged_entry_is_compiled_anew(void **state)
{
    const build_options o = {.arch = "sm_90a", .cache_folder = text_str(*state)};
    build_output out;
    compile(tiny, &o, &out);
    build_output_free(&out);
    assert_int_equal(each_file(o.cache_folder, damage_file), 1);
    compile(tiny, &o, &out);
    assert_false(out.from_cache);
    build_output_free(&out);
    compile(tiny, &o, &out);
    assert_true(out.from_cache);
    build_output_free(&out);
}

/* ---- assembling ------------------------------------------------------------------------------------- */

static const char nothing[] = ".version 8.0\n.target sm_90a\n.address_size 64\n"
                              ".visible .entry nothing()\n{\n    ret;\n}\n";

static void assembles_and_reports(void)
{
    text cubin = {0}, error = {0};
    if (!build_ptxas(nothing, "sm_90a", &cubin, &error))
        fail_msg("%s", text_str(&error));
    assert_memory_equal(cubin.at, "\177ELF", 4);
    const char *wrong =
        ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{\n    frobnicate;\n}\n";
    cubin.len = 0;
    assert_false(build_ptxas(wrong, "sm_90a", &cubin, &error));
    assert_non_null(strstr(text_str(&error), "line 6"));
    assert_non_null(strstr(text_str(&error), "frobnicate"));
    assert_int_equal(cubin.len, 0);
    text_free(&cubin);
    text_free(&error);
}

static void ptx_is_assembled_in_process(void **state)
{
    (void)state;
    assembles_and_reports();
}

/* An installation with ptxas but without nvJitLink: a folder with bin/ptxas alone. */
static void ptx_is_assembled_by_a_child(void **state)
{
    text tool = {0};
    const char *root = text_str(*state);
    if (!library_tool("ptxas", &tool))
        fail_msg("ptxas was not found; run scripts/setup.sh");
    arena a = {0};
    const char *bin = arena_printf(&a, "%s/bin", root), *link_path = arena_printf(&a, "%s/ptxas", bin);
    assert_true(folder_make(bin));
    assert_int_equal(symlink(text_str(&tool), link_path), 0);
    saved_search saved = search_only(root);
    assembles_and_reports();
    search_restore(&saved);
    assert_int_equal(remove(link_path), 0);
    assert_int_equal(rmdir(bin), 0);
    arena_free(&a);
    text_free(&tool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_compile_gives_ptx_and_cubin),
        cmocka_unit_test(a_cubin_says_what_was_spent),
        cmocka_unit_test(a_damaged_cubin_does_no_harm),
        cmocka_unit_test(a_virtual_architecture_gives_ptx_alone),
        cmocka_unit_test(the_same_source_gives_the_same_ptx),
        cmocka_unit_test(a_failed_compile_gives_its_whole_log),
        cmocka_unit_test(an_unknown_option_is_reported),
        cmocka_unit_test(a_crash_of_the_compiler_is_an_error),
        cmocka_unit_test(a_missing_nvrtc_says_what_was_searched),
        cmocka_unit_test_setup_teardown(the_second_compile_comes_from_the_cache, make_cache, remove_cache),
        cmocka_unit_test_setup_teardown(whatever_goes_in_is_part_of_the_key, make_cache, remove_cache),
        cmocka_unit_test_setup_teardown(a_changed_header_is_compiled_anew, make_cache, remove_cache),
        cmocka_unit_test_setup_teardown(a_damaged_entry_is_compiled_anew, make_cache, remove_cache),
        cmocka_unit_test(ptx_is_assembled_in_process),
        cmocka_unit_test_setup_teardown(ptx_is_assembled_by_a_child, make_cache, remove_cache),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
