/* persistent_copy: a matrix copied strip by strip over a work queue, some of whose tiles are skipped. The
 * tile space is larger than the matrix on purpose: the queue deals the surplus tiles out, the skip predicate
 * leaves their work out, and the queue still moves on. */
#include "warpwright/warpwright.h"
#include "persistent_copy_params.h"

#include <stdlib.h>

struct persistent_copy {
    ww_resource *queue, *copy;
    int size[2]; /* rows, columns */
    int surplus; /* tiles beyond the matrix */
    struct persistent_copy_params params;
    uint16_t *data;
};

enum { CTAS_PER_MULTIPROCESSOR = 8 };

static void copy_tiles(ww_schedule *s, void *context)
{
    struct persistent_copy *p = context;
    ww_work_tile_loop(s, p->queue) {
        ww_skippable(s) {
            ww_domain_loop(s, ww_imm(0), ww_arg(struct persistent_copy_params, rows, 0), ww_imm(1)) {
                ww_produce(s, p->copy, "row");
            }
        }
        ww_advance_tile(s, p->queue);
    }
}

static const ww_work copy_work[] = {{.name = "row", .side = WW_PRODUCER}, {0}};

static ww_kernel *declare(void *problem)
{
    struct persistent_copy *p = problem;
    ww_kernel *k = ww_kernel_new("persistent_copy", &(ww_kernel_options){
                                                        .body = "persistent_copy.cuh",
                                                        .body_folder = EXAMPLE_FOLDER,
                                                        .params = "persistent_copy_params",
                                                        .params_bytes = sizeof(struct persistent_copy_params),
                                                    });
    p->queue = ww_queue_static(k, "queue",
                               &(ww_queue_options){
                                   .tiles = {ww_arg(struct persistent_copy_params, tiles, 0)},
                                   .skip = "persistent_copy_skip",
                               });
    p->copy = ww_resource_new(k, "copy", &(ww_resource_options){.work = copy_work});
    ww_depends(k, p->copy, p->queue);
    ww_task_new(k, "copy", &(ww_task_options){.warps = 4, .schedule = copy_tiles, .context = p});
    return k;
}

static void clean_up(void *problem)
{
    struct persistent_copy *p = problem;
    free(p->data);
    p->data = NULL;
}

static bool prepare(void *problem, ww_run *r, ww_launch *launch)
{
    struct persistent_copy *p = problem;
    size_t count = (size_t)p->size[0] * (size_t)p->size[1], bytes = count * sizeof *p->data;
    clean_up(p);
    p->data = malloc(bytes);
    if (!p->data)
        return false;
    for (size_t i = 0; i < count; i++)
        p->data[i] = (uint16_t)(i * 40503u >> 3);
    uint64_t from = ww_run_alloc(r, bytes), to = ww_run_alloc(r, bytes);
    ww_run_upload(r, from, p->data, bytes);
    int strips = (p->size[1] + PERSISTENT_COPY_COLUMNS - 1) / PERSISTENT_COPY_COLUMNS;
    p->params = (struct persistent_copy_params){
        (const uint16_t *)from, (uint16_t *)to, p->size[0], p->size[1], strips + p->surplus, strips};
    int ctas = CTAS_PER_MULTIPROCESSOR * ww_run_multiprocessors(r);
    *launch = (ww_launch){.params = &p->params,
                          .grid = {1, 1, (uint32_t)(p->params.tiles < ctas ? p->params.tiles : ctas)}};
    return true;
}

static bool compare(void *problem, ww_run *r, ww_comparison *c)
{
    const struct persistent_copy *p = problem;
    ww_compare_exact(r, p->data, (uint64_t)p->params.to, (size_t)p->size[0] * (size_t)p->size[1],
                     sizeof *p->data, c);
    return true;
}

static ww_cost cost(void *problem)
{
    const struct persistent_copy *p = problem;
    return (ww_cost){.bytes = 2.0 * sizeof(uint16_t) * p->size[0] * p->size[1]};
}

int main(int argc, char **argv)
{
    struct persistent_copy p = {.size = {256, 512}, .surplus = 4};
    const ww_option options[] = {
        {"size", "ROWS,COLS", "of the matrix (256,512)", WW_OPTION_INTS, p.size, 2, 1},
        {"overlaunch", "N", "tiles beyond the matrix, dealt out and skipped (4)", WW_OPTION_INTS, &p.surplus,
         1, 0},
        {0},
    };
    const ww_app app = {
        .name = "persistent_copy",
        .summary = "copies a matrix strip by strip over a work queue with skipped tiles",
        .options = options,
        .problem = &p,
        .declare = declare,
        .prepare = prepare,
        .compare = compare,
        .cost = cost,
        .clean_up = clean_up,
    };
    return ww_app_main(&app, argc, argv);
}
