/* The examples are compiled with their main functions renamed and ww_app_main replaced by certify_app_main. */
#include "kernels.h"
#include "feature.h"

#include <stdio.h>

int grid_stride_copy_main(int argc, char **argv);
int tma_copy_main(int argc, char **argv);
int persistent_copy_main(int argc, char **argv);
int gemm_main(int argc, char **argv);
int certify_app_main(const ww_app *app, int argc, char **argv);

const char *const example_names[EXAMPLE_COUNT] = {"grid_stride_copy", "tma_copy", "persistent_copy", "gemm"};

static ww_kernel *handed; /* by the example's main */

int certify_app_main(const ww_app *app, int argc, char **argv)
{
    (void)argc, (void)argv;
    handed = app->declare(app->problem);
    return 0;
}

ww_kernel *example_declare(int example)
{
    static int (*const programs[EXAMPLE_COUNT])(int, char **) = {grid_stride_copy_main, tma_copy_main,
                                                                 persistent_copy_main, gemm_main};
    char *argv[] = {NULL};
    (void)programs[example](0, argv);
    return handed;
}

static const family *const families[] = {
    &rings_family,     &bulk_family,    &gemms_family,  &stores_family,    &peers_family,
    &turns_family,     &named_family,   &groups_family, &multicast_family, &queues_family,
    &schedules_family, &aliases_family, &pdl_family,    &only_family,      &blackwell_family,
};

void each_feature(kernel_visit *visit, void *context)
{
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        for (const feature *f = families[i]->features; f->name; f++) {
            char name[96];
            (void)snprintf(name, sizeof name, "%s.%s", families[i]->name, f->name);
            ww_kernel *k = f->declare(f, "certified");
            visit(name, k, context);
            ww_kernel_free(k);
        }
}
