/* The cache of compiled kernels: what is stored comes back, what is damaged does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "build/cache.h"
#include "build/process.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

static const cache_key key = {{UINT64_C(0x0123456789abcdef), 7}};

typedef struct cache_fixture {
    text folder, entry; /* a new folder, and the path of key's entry in it */
} cache_fixture;

static int make_folder(void **state)
{
    cache_fixture *f = base_alloc(sizeof *f);
    *f = (cache_fixture){0};
    assert_true(process_temporary_folder(&f->folder));
    text_printf(&f->entry, "%s/%016" PRIx64 "%016" PRIx64 ".ww", text_str(&f->folder), key.half[0],
                key.half[1]);
    *state = f;
    return 0;
}

static int remove_folder(void **state)
{
    cache_fixture *f = *state;
    (void)remove(text_str(&f->entry));
    int result = rmdir(text_str(&f->folder)); /* fails if a temporary file was left behind */
    text_free(&f->folder);
    text_free(&f->entry);
    free(f);
    return result;
}

static void store_example(const cache_fixture *f)
{
    build_output out = {0};
    text_add(&out.ptx, ".version 9.0");
    text_add_n(&out.cubin, "\177ELF\0\1", 6);
    text_add(&out.log, "a warning");
    cache_store(text_str(&f->folder), key, &out);
    build_output_free(&out);
}

static bool load(const cache_fixture *f, cache_key wanted, build_output *out)
{
    *out = (build_output){0};
    return cache_load(text_str(&f->folder), wanted, out);
}

static void what_is_stored_comes_back(void **state)
{
    build_output out;
    assert_false(load(*state, key, &out));
    store_example(*state);
    assert_true(load(*state, key, &out));
    assert_string_equal(text_str(&out.ptx), ".version 9.0");
    assert_int_equal(out.cubin.len, 6);
    assert_memory_equal(out.cubin.at, "\177ELF\0\1", 6);
    assert_string_equal(text_str(&out.log), "a warning");
    build_output_free(&out);
}

static void another_key_is_another_entry(void **state)
{
    store_example(*state);
    build_output out;
    cache_key other = key;
    other.half[1]++;
    assert_false(load(*state, other, &out));
}

/* A flip of any byte, header or body, makes the entry count as absent, and leaves the output empty. */
static void no_flipped_byte_goes_unseen(void **state)
{
    const cache_fixture *f = *state;
    store_example(f);
    text original = {0};
    assert_true(file_read(text_str(&f->entry), &original));
    for (size_t i = 0; i < original.len; i++) {
        original.at[i] ^= 0x20;
        assert_true(file_write(text_str(&f->entry), original.at, original.len));
        original.at[i] ^= 0x20;
        build_output out;
        assert_false(load(f, key, &out));
        assert_int_equal(out.ptx.len + out.cubin.len + out.log.len, 0);
    }
    text_free(&original);
}

static void no_length_but_the_whole_is_taken(void **state)
{
    const cache_fixture *f = *state;
    store_example(f);
    text original = {0};
    assert_true(file_read(text_str(&f->entry), &original));
    for (size_t len = 0; len < original.len; len++) {
        assert_true(file_write(text_str(&f->entry), original.at, len));
        build_output out;
        assert_false(load(f, key, &out));
    }
    text_add(&original, "x");
    assert_true(file_write(text_str(&f->entry), original.at, original.len));
    build_output out;
    assert_false(load(f, key, &out));
    text_free(&original);
}

/* Storing where nothing can be written is no error, only no entry. */
static void an_unwritable_folder_is_harmless(void **state)
{
    const cache_fixture *f = *state;
    store_example(f);
    text below_a_file = {0};
    text_printf(&below_a_file, "%s/sub", text_str(&f->entry));
    build_output out = {0};
    text_add(&out.ptx, "x");
    cache_store(text_str(&below_a_file), key, &out);
    assert_false(cache_load(text_str(&below_a_file), key, &out));
    build_output_free(&out);
    text_free(&below_a_file);
}

static void the_usual_folder_follows_the_variables(void **state)
{
    (void)state;
    static const struct {
        const char *cache, *xdg, *home, *expected;
    } cases[] = {
        {"/c", "/x", "/h", "/c"}, {"", "/x", "/h", "/x/warpwright"}, {"", "", "/h", "/h/.cache/warpwright"}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        assert_int_equal(setenv("WW_CACHE", cases[i].cache, 1), 0);
        assert_int_equal(setenv("XDG_CACHE_HOME", cases[i].xdg, 1), 0);
        assert_int_equal(setenv("HOME", cases[i].home, 1), 0);
        text folder = {0};
        assert_true(build_cache_folder(&folder));
        assert_string_equal(text_str(&folder), cases[i].expected);
        text_free(&folder);
    }
    assert_int_equal(unsetenv("HOME"), 0);
    text folder = {0};
    assert_false(build_cache_folder(&folder));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_stored_comes_back, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(another_key_is_another_entry, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(no_flipped_byte_goes_unseen, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(no_length_but_the_whole_is_taken, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(an_unwritable_folder_is_harmless, make_folder, remove_folder),
        cmocka_unit_test(the_usual_folder_follows_the_variables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
