/* The hash of reachable headers: it changes when one of them does, and only then. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "build/includes.h"
#include "build/process.h"

#include <stdio.h>
#include <unistd.h>

typedef struct header_fixture {
    text root; /* holds near/ and far/ */
    const char *folders[2];
    arena arena;
} header_fixture;

static const char *const headers[] = {"near/a.cuh", "near/deep/b.cuh", "far/a.cuh", "far/c.cuh"};

static int make_headers(void **state)
{
    header_fixture *f = base_alloc(sizeof *f);
    *f = (header_fixture){0};
    assert_true(process_temporary_folder(&f->root));
    f->folders[0] = arena_printf(&f->arena, "%s/near", text_str(&f->root));
    f->folders[1] = arena_printf(&f->arena, "%s/far", text_str(&f->root));
    assert_true(folder_make(arena_printf(&f->arena, "%s/deep", f->folders[0])));
    assert_true(folder_make(f->folders[1]));
    *state = f;
    return 0;
}

static int remove_headers(void **state)
{
    header_fixture *f = *state;
    for (size_t i = 0; i < ARRAY_LEN(headers); i++)
        (void)remove(arena_printf(&f->arena, "%s/%s", text_str(&f->root), headers[i]));
    (void)rmdir(arena_printf(&f->arena, "%s/deep", f->folders[0]));
    (void)rmdir(f->folders[0]);
    (void)rmdir(f->folders[1]);
    int result = rmdir(text_str(&f->root));
    text_free(&f->root);
    arena_free(&f->arena);
    free(f);
    return result;
}

static void write_header(header_fixture *f, const char *name, const char *contents)
{
    const char *path = arena_printf(&f->arena, "%s/%s", text_str(&f->root), name);
    assert_true(file_write(path, contents, strlen(contents)));
}

static uint64_t hash_of(const header_fixture *f, const char *source)
{
    uint64_t hash = HASH_SEED;
    assert_true(includes_hash(source, f->folders, ARRAY_LEN(f->folders), &hash));
    return hash;
}

static void a_change_in_a_header_of_a_header_shows(void **state)
{
    header_fixture *f = *state;
    const char *source = "#include <a.cuh>\n";
    write_header(f, "near/a.cuh", "  #  include \"deep/b.cuh\"\n");
    write_header(f, "near/deep/b.cuh", "int x;\n");
    uint64_t before = hash_of(f, source);
    assert_true(before == hash_of(f, source));
    write_header(f, "near/deep/b.cuh", "int y;\n");
    assert_true(before != hash_of(f, source));
}

static void a_header_nobody_includes_does_not_count(void **state)
{
    header_fixture *f = *state;
    write_header(f, "near/a.cuh", "int x;\n");
    uint64_t before = hash_of(f, "#include <a.cuh>\n");
    write_header(f, "far/c.cuh", "int z;\n");
    assert_true(before == hash_of(f, "#include <a.cuh>\n"));
}

/* One that appears in an earlier folder takes the other's place. */
static void a_header_that_appears_shows(void **state)
{
    header_fixture *f = *state;
    uint64_t absent = hash_of(f, "#include <a.cuh>\n");
    write_header(f, "far/a.cuh", "int x;\n");
    uint64_t far = hash_of(f, "#include <a.cuh>\n");
    write_header(f, "near/a.cuh", "int x;\n");
    uint64_t near = hash_of(f, "#include <a.cuh>\n");
    assert_true(absent != far && far != near);
}

static void a_header_asked_about_counts(void **state)
{
    header_fixture *f = *state;
    const char *source = "#if defined(X) && __has_include(<c.cuh>)\n#endif\n";
    uint64_t absent = hash_of(f, source);
    write_header(f, "far/c.cuh", "int z;\n");
    assert_true(absent != hash_of(f, source));
}

static void headers_that_include_each_other_end(void **state)
{
    header_fixture *f = *state;
    write_header(f, "near/a.cuh", "#include <c.cuh>\n");
    write_header(f, "far/c.cuh", "#include <a.cuh>\n");
    assert_true(hash_of(f, "#include <a.cuh>\n") != HASH_SEED);
}

static void a_computed_include_cannot_be_known(void **state)
{
    header_fixture *f = *state;
    static const char *const unknown[] = {"#include HEADER\n", "#include", "#include <a.cuh\n",
                                          "#include <>\n"};
    for (size_t i = 0; i < ARRAY_LEN(unknown); i++) {
        uint64_t hash = HASH_SEED;
        assert_false(includes_hash(unknown[i], f->folders, ARRAY_LEN(f->folders), &hash));
    }
    uint64_t hash = HASH_SEED;
    assert_true(includes_hash("#included HEADER\nint include;\n", f->folders, ARRAY_LEN(f->folders), &hash));
    assert_true(hash == HASH_SEED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_change_in_a_header_of_a_header_shows, make_headers, remove_headers),
        cmocka_unit_test_setup_teardown(a_header_nobody_includes_does_not_count, make_headers,
                                        remove_headers),
        cmocka_unit_test_setup_teardown(a_header_that_appears_shows, make_headers, remove_headers),
        cmocka_unit_test_setup_teardown(a_header_asked_about_counts, make_headers, remove_headers),
        cmocka_unit_test_setup_teardown(headers_that_include_each_other_end, make_headers, remove_headers),
        cmocka_unit_test_setup_teardown(a_computed_include_cannot_be_known, make_headers, remove_headers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
