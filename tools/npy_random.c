/* ww_npy_random: writes a NumPy file of seeded normal numbers, input for the examples.
 *
 *     ww_npy_random ROWS COLS SEED FILE.npy */
#include "run/npy.h"
#include "run/random.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>

enum { ELEMENT_MAX = 1 << 30 };

/* The whole of s as a number up to limit; false for anything else. */
static bool parse_number(const char *s, unsigned long long limit, unsigned long long *number)
{
    char *end;
    errno = 0;
    *number = strtoull(s, &end, 10);
    return isdigit((unsigned char)s[0]) && *end == '\0' && errno == 0 && *number <= limit;
}

int main(int argc, char **argv)
{
    unsigned long long rows, cols, seed;
    if (argc != 5 || !parse_number(argv[1], ELEMENT_MAX, &rows) ||
        !parse_number(argv[2], ELEMENT_MAX, &cols) || !parse_number(argv[3], UINT64_MAX, &seed) ||
        rows == 0 || cols == 0 || rows * cols > ELEMENT_MAX) {
        (void)fprintf(stderr, "usage: ww_npy_random ROWS COLS SEED FILE.npy (at most %d elements)\n",
                      ELEMENT_MAX);
        return 2;
    }
    matrix m = matrix_new((size_t)rows, (size_t)cols);
    random_state random = random_seed(seed);
    random_fill_normal(&random, &m);
    text error = {0};
    bool ok = npy_write(argv[4], &m, &error);
    if (!ok)
        (void)fprintf(stderr, "ww_npy_random: %s\n", text_str(&error));
    matrix_free(&m);
    text_free(&error);
    return ok ? 0 : 1;
}
