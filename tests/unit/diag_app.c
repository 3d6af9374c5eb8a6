/* A program as an author writes one, whose kernel has the mistakes that --mistakes asks for (diag_sample.h); run by
 * diag_app_test. It has no data to run on. */
#include "diag_sample.h"

static diag_sample sample;
static int mistakes, backwards;

static ww_kernel *declare(void *problem)
{
    (void)problem;
    sample.mistakes = (unsigned)mistakes;
    sample.backwards = backwards != 0;
    return diag_sample_kernel(&sample);
}

int main(int argc, char **argv)
{
    const ww_option options[] = {
        {"mistakes", "BITS", "of diag_mistake", WW_OPTION_INTS, &mistakes, 1, 0},
        {"backwards", "0|1", "the order of tasks", WW_OPTION_INTS, &backwards, 1, 0},
        {0},
    };
    const ww_app app = {
        .name = "diag_app", .summary = "a kernel with mistakes", .options = options, .declare = declare};
    return ww_app_main(&app, argc, argv);
}
