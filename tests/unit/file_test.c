/* Writing files: whole or not at all, and where a symbolic link points to. */
#define _POSIX_C_SOURCE 200809L
#include "base/base.h"

#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

/* A folder of its own for each test, with a folder "sub" in it. */
typedef struct fixture {
    char root[64];
    arena paths;
} fixture;

static const char *path(fixture *f, const char *name)
{
    return arena_printf(&f->paths, "%s/%s", f->root, name);
}

static int set_up(void **state)
{
    static fixture f;
    f = (fixture){.root = "/tmp/ww_file_test_XXXXXX"};
    if (!mkdtemp(f.root) || !folder_make(path(&f, "sub")))
        return -1;
    *state = &f;
    return 0;
}

static void remove_all(const char *folder)
{
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        char inner[512];
        (void)snprintf(inner, sizeof inner, "%s/%s", folder, e->d_name);
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 && remove(inner) != 0)
            remove_all(inner);
    }
    if (d)
        (void)closedir(d);
    (void)remove(folder);
}

static int tear_down(void **state)
{
    fixture *f = *state;
    remove_all(f->root);
    arena_free(&f->paths);
    return 0;
}

static bool write_text(fixture *f, const char *name, const char *s)
{
    return file_write(path(f, name), s, strlen(s));
}

static void assert_file(fixture *f, const char *name, const char *expected)
{
    text found = {0};
    struct stat at;
    assert_int_equal(lstat(path(f, name), &at), 0);
    assert_true(S_ISREG(at.st_mode));
    assert_true(file_read(path(f, name), &found));
    assert_string_equal(text_str(&found), expected);
    text_free(&found);
}

static void assert_link(fixture *f, const char *name, const char *target)
{
    char found[128] = "";
    assert_true(readlink(path(f, name), found, sizeof found - 1) > 0);
    assert_string_equal(found, target);
}

static void assert_entries(fixture *f, const char *folder, int expected)
{
    DIR *d = opendir(path(f, folder));
    int count = -2; /* "." and ".." */
    assert_non_null(d);
    while (readdir(d))
        count++;
    (void)closedir(d);
    assert_int_equal(count, expected);
}

static void link_to(fixture *f, const char *target, const char *name)
{
    assert_int_equal(symlink(target, path(f, name)), 0);
}

/* A reader who has the old file open goes on reading it, whole. */
static void a_file_is_replaced_at_once(void **state)
{
    fixture *f = *state;
    assert_true(write_text(f, "file", "old"));
    FILE *reader = fopen(path(f, "file"), "rb");
    char found[8] = "";
    assert_non_null(reader);
    assert_true(write_text(f, "file", "newer"));
    assert_int_equal(fread(found, 1, sizeof found - 1, reader), 3);
    assert_string_equal(found, "old");
    assert_int_equal(fclose(reader), 0);
    assert_file(f, "file", "newer");
    assert_entries(f, "", 2);
}

static void a_link_stays_and_its_file_is_replaced(void **state)
{
    fixture *f = *state;
    assert_true(write_text(f, "file", "old"));
    link_to(f, "file", "link");
    assert_true(write_text(f, "link", "new"));
    assert_link(f, "link", "file");
    assert_file(f, "file", "new");
    assert_entries(f, "", 3);
}

static void a_dangling_link_gets_its_file(void **state)
{
    fixture *f = *state;
    link_to(f, "file", "link");
    assert_true(write_text(f, "link", "new"));
    assert_link(f, "link", "file");
    assert_file(f, "file", "new");
}

/* What a link says is seen from its own folder; links may follow each other. */
static void links_lead_into_other_folders(void **state)
{
    fixture *f = *state;
    assert_true(write_text(f, "sub/file", "old"));
    link_to(f, "file", "sub/near");
    link_to(f, "sub/near", "far");
    assert_true(write_text(f, "far", "new"));
    assert_link(f, "far", "sub/near");
    assert_link(f, "sub/near", "file");
    assert_file(f, "sub/file", "new");
    assert_entries(f, "sub", 2);
    link_to(f, path(f, "sub/other"), "absolute");
    assert_true(write_text(f, "absolute", "more"));
    assert_file(f, "sub/other", "more");
    link_to(f, "../up", "sub/back");
    assert_true(write_text(f, "sub/back", "up"));
    assert_file(f, "up", "up");
}

static void what_cannot_be_written_is_said(void **state)
{
    fixture *f = *state;
    link_to(f, "two", "one");
    link_to(f, "one", "two");
    errno = 0;
    assert_false(write_text(f, "one", "x"));
    assert_int_equal(errno, ELOOP);
    link_to(f, "nowhere/file", "lost");
    assert_false(write_text(f, "lost", "x"));
    assert_int_equal(errno, ENOENT);
    assert_link(f, "lost", "nowhere/file");
    assert_entries(f, "", 4);
}

/* A rename would put a file in the place of the device. */
static void a_link_to_a_device_is_written_through(void **state)
{
    fixture *f = *state;
    struct stat at;
    link_to(f, "/dev/null", "null");
    assert_true(write_text(f, "null", "x"));
    assert_link(f, "null", "/dev/null");
    assert_int_equal(stat("/dev/null", &at), 0);
    assert_true(S_ISCHR(at.st_mode));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_file_is_replaced_at_once),     TEST(a_link_stays_and_its_file_is_replaced),
        TEST(a_dangling_link_gets_its_file),  TEST(links_lead_into_other_folders),
        TEST(what_cannot_be_written_is_said), TEST(a_link_to_a_device_is_written_through),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
