/* Golden files, see report_golden.h. */
#include "report_golden.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

static bool updating(void)
{
    const char *wanted = getenv("WW_UPDATE_GOLDEN");
    return wanted && strcmp(wanted, "1") == 0;
}

/* `diff` prints to our stdout what turns the file into the text. */
static void print_diff(const char *path, const text *actual)
{
    text command = {0};
    text_printf(&command, "diff -u --label expected --label actual '%s' -", path);
    (void)fflush(stdout);
    FILE *diff = popen(text_str(&command), "w");
    if (diff) {
        (void)fwrite(text_str(actual), 1, actual->len, diff);
        (void)pclose(diff);
    }
    text_free(&command);
}

static void compare(const char *path, const text *actual)
{
    text expected = {0};
    if (!file_read(path, &expected))
        fail_msg("%s cannot be read; WW_UPDATE_GOLDEN=1 writes it", path);
    bool equal =
        expected.len == actual->len && memcmp(text_str(&expected), text_str(actual), actual->len) == 0;
    text_free(&expected);
    if (equal)
        return;
    print_diff(path, actual);
    fail_msg("%s differs; WW_UPDATE_GOLDEN=1 rewrites it", path);
}

void golden_check(const char *path, const text *actual)
{
    text whole = {0};
    text_printf(&whole, "%s/%s", WW_REPOSITORY, path);
    if (updating())
        assert_true(file_write(text_str(&whole), text_str(actual), actual->len));
    else
        compare(text_str(&whole), actual);
    text_free(&whole);
}
