/* The work queue deals out every tile exactly once, whatever the tile space, the raster and the grid; with a swizzle,
 * which rounds one side up, also tiles outside, never more than that rounding adds. Run on the emulator. */
#include "warpwright/warpwright.h"
#include "queue_params.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { CASES = 25, MOST_TILES = 17 * 17 * 3 };

typedef struct raster {
    int swizzle;
    bool along_n;
} raster;

static void count(ww_schedule *s, void *context)
{
    ww_resource **r = context;
    ww_work_tile_loop(s, r[0]) {
        ww_produce(s, r[1], "count");
        ww_advance_tile(s, r[0]);
    }
}

static ww_kernel *declare(const raster *shape)
{
    static const ww_work work[] = {{.name = "count", .side = WW_PRODUCER}, {0}};
    ww_resource *r[2];
    ww_kernel *k =
        ww_kernel_new("queue_test", &(ww_kernel_options){.body = "queue.cuh",
                                                         .body_folder = TEST_FOLDER,
                                                         .params = "queue_params",
                                                         .params_bytes = sizeof(struct queue_params)});
    r[0] = ww_queue_static(k, "queue",
                           &(ww_queue_options){.tiles = {ww_arg(struct queue_params, tiles_m, 0),
                                                         ww_arg(struct queue_params, tiles_n, 0),
                                                         ww_arg(struct queue_params, tiles_l, 0)},
                                               .swizzle = shape->swizzle,
                                               .raster_along_n = shape->along_n});
    r[1] = ww_resource_new(k, "tally", &(ww_resource_options){.work = work});
    ww_task_new(k, "count", &(ww_task_options){.warps = 1, .schedule = count, .context = r});
    return k;
}

static int tiles_of(const struct queue_params *p)
{
    return p->tiles_m * p->tiles_n * p->tiles_l;
}

/* How many tiles rounding the band side up to the swizzle adds. */
static int surplus_of(const struct queue_params *p, const raster *shape)
{
    int s = shape->swizzle > 1 ? shape->swizzle : 1, band = shape->along_n ? p->tiles_m : p->tiles_n;
    int fast = shape->along_n ? p->tiles_n : p->tiles_m;
    return ((band + s - 1) / s * s - band) * fast * p->tiles_l;
}

static void check_case(ww_run *r, uint64_t counts_at, struct queue_params *p, const raster *shape,
                       uint32_t ctas)
{
    static int counts[MOST_TILES + 1];
    memset(counts, 0, sizeof counts);
    ww_run_upload(r, counts_at, counts, sizeof counts);
    ww_run_launch(r, &(ww_launch){.params = p, .grid = {1, 1, ctas}});
    ww_run_wait(r);
    ww_run_download(r, counts, counts_at, sizeof counts);
    if (ww_run_error(r))
        fail_msg("%s", ww_run_error(r));
    for (int i = 0; i < tiles_of(p); i++)
        if (counts[i] != 1)
            fail_msg("tile %d of %d x %d x %d was dealt out %d times, swizzle %d along %s, %u CTAs", i,
                     p->tiles_m, p->tiles_n, p->tiles_l, counts[i], shape->swizzle,
                     shape->along_n ? "n" : "m", ctas);
    assert_int_equal(counts[tiles_of(p)], surplus_of(p, shape));
}

static void check_raster(const raster *shape)
{
    ww_kernel *k = declare(shape);
    ww_diag_print(stdout, ww_kernel_check(k));
    ww_run *r = ww_run_open(k, &(ww_run_options){.device = WW_DEVICE_EMULATOR});
    uint64_t counts_at = ww_run_alloc(r, (MOST_TILES + 1) * sizeof(int));
    struct queue_params p = {.counts = (int *)counts_at};
    unsigned state = 7;
    for (int i = 0; i < CASES; i++) {
        state = state * 1103515245u + 12345u;
        p.tiles_m = i ? 1 + (int)(state >> 8) % 17 : 0; /* the first case has no tile at all */
        p.tiles_n = 1 + (int)(state >> 13) % 17;
        p.tiles_l = 1 + (int)(state >> 20) % 3;
        check_case(r, counts_at, &p, shape, 1 + (state >> 24) % 9);
    }
    ww_run_close(r);
    ww_kernel_free(k);
}

static void test_every_tile_once(void **state)
{
    (void)state;
    static const int swizzles[] = {0, 1, 2, 3, 8};
    for (size_t i = 0; i < sizeof swizzles / sizeof *swizzles; i++)
        for (int along_n = 0; along_n < 2; along_n++)
            check_raster(&(raster){swizzles[i], along_n != 0});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_tile_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
