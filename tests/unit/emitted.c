#include "emitted.h"
#include "base/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>

/* Without comment, indentation, namespace and the name of the map. */
static void normalise(const char *line, size_t len, char *out, size_t size)
{
    static const char *const dropped[] = {"smem_base + k_map::", "ww::"};
    const char *comment = strstr(line, " // ");
    if (comment && (size_t)(comment - line) < len)
        len = (size_t)(comment - line);
    size_t n = 0;
    for (size_t i = 0; i < len && n + 1 < size;) {
        size_t skip = 0;
        for (size_t d = 0; d < ARRAY_LEN(dropped); d++)
            if (strncmp(line + i, dropped[d], strlen(dropped[d])) == 0)
                skip = strlen(dropped[d]);
        if (!skip && !(n == 0 && line[i] == ' '))
            out[n++] = line[i];
        i += skip ? skip : 1;
    }
    out[n] = 0;
}

static bool is_synchronisation(const char *line, size_t len)
{
    static const char *const marks[] = {
        "ww::mbarrier", "ww::tcgen05_", "ww::fence_",        "ww::cp_async_mb", "ww::syncwarp",
        "(cta_rank)",   "cta_rank ==",  "ww::named_barrier", "ww::griddep",     "ww::clc_",
        "ww::counter_", ".decode_",     "__syncthreads()",   "ww::cluster_arr", "ww::cluster_wait"};
    for (size_t i = 0; i < ARRAY_LEN(marks); i++) {
        const char *found = strstr(line, marks[i]);
        if (found && (size_t)(found - line) < len)
            return true;
    }
    return false;
}

static int depth_of(const char *line, size_t len)
{
    int depth = 0;
    for (size_t i = 0; i < len; i++)
        depth += (line[i] == '{') - (line[i] == '}');
    return depth;
}

/* One line of the text; false when it is no synchronisation. */
static void expect_line(const char *at, size_t len, const char *const *expected, int *n)
{
    char line[256];
    if (!is_synchronisation(at, len))
        return;
    normalise(at, len, line, sizeof line);
    assert_string_equal(line, expected[*n] ? expected[*n] : "nothing more");
    ++*n;
}

void emitted_expect(const char *cuda, const char *task, const char *const *expected)
{
    char head[64];
    (void)snprintf(head, sizeof head, "// task %s\n", task);
    const char *at = strstr(cuda, head);
    assert_non_null(at);
    int n = 0, depth = 1;
    for (at = strchr(at, '\n') + 1; depth > 0; at += strcspn(at, "\n") + 1) {
        size_t len = strcspn(at, "\n");
        depth += depth_of(at, len);
        expect_line(at, len, expected, &n);
    }
    assert_string_equal("nothing more", expected[n] ? expected[n] : "nothing more");
}

void emitted_expect_between(const char *cuda, const char *from, const char *to, const char *const *expected)
{
    const char *at = strstr(cuda, from);
    assert_non_null(at);
    const char *end = *to ? strstr(at + strlen(from), to) : at + strlen(at);
    assert_non_null(end);
    int n = 0;
    for (at += strcspn(at, "\n") + 1; at < end; at += strcspn(at, "\n") + 1)
        expect_line(at, strcspn(at, "\n"), expected, &n);
    assert_string_equal("nothing more", expected[n] ? expected[n] : "nothing more");
}
