/* A program as an author writes one, for one of the broken kernels: prove --witness, run --replay. */
#include "kernels.h"

#include <string.h>

static const char *wanted = "never_released";

static const broken *find(void)
{
    const broken *b = broken_kernels;
    while (b->name && strcmp(b->name, wanted) != 0)
        b++;
    return b->name ? b : broken_kernels;
}

static ww_kernel *declare(void *problem)
{
    (void)problem;
    return broken_declare(find());
}

static bool prepare(void *problem, ww_run *r, ww_launch *launch)
{
    (void)problem;
    return broken_prepare(find(), r, launch);
}

int main(int argc, char **argv)
{
    const ww_option options[] = {
        {"kernel", "NAME", "a row of kernels.c", WW_OPTION_TEXT, &wanted, 1, 0},
        {0},
    };
    const ww_app app = {.name = "replay_app",
                        .summary = "broken kernels",
                        .options = options,
                        .declare = declare,
                        .prepare = prepare};
    return ww_app_main(&app, argc, argv);
}
