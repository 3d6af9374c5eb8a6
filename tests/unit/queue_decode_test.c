/* Every CTA tile of the problem is dealt exactly once: by static persistence, by the counter queue in
 * whatever order clusters fetch, and by cluster launch control in whatever order the hardware starts and
 * cancels them. Checked for all small tile spaces and for many random ones, against models of the three ways
 * of dealing. */
#include "warpwright/tile_space.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MOST_CLUSTERS_HERE = 1 << 16, MOST_TILES = 1 << 20, RANDOM_SPACES = 4000 };

/* ---- random numbers ----------------------------------------------------------------------------------- */

static uint64_t seed = 20240229;

/* From 0 to n - 1 (splitmix64; n is small). */
static uint32_t below(uint32_t n)
{
    seed += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = seed;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((z ^ z >> 31) % n);
}

static int between(int least, int most)
{
    return least + (int)below((uint32_t)(most - least + 1));
}

/* ---- what has been dealt ------------------------------------------------------------------------------ */

static uint8_t dealt[MOST_TILES]; /* of the box, [l][m][n]: how often */
static uint32_t outside;          /* tiles dealt that lie outside the box */

static size_t tiles_in(const ww_tile_space *s)
{
    return (size_t)s->tiles[0] * (size_t)s->tiles[1] * (size_t)s->tiles[2];
}

static int cluster_m(const ww_tile_space *s)
{
    return s->cluster_m ? s->cluster_m : 1;
}

static int cluster_n(const ww_tile_space *s)
{
    return s->cluster_n ? s->cluster_n : 1;
}

static _Noreturn void failed(const ww_tile_space *s, const char *how, const char *what)
{
    fail_msg("%s: %s; %d x %d x %d tiles, clusters of %d x %d, swizzle %d along %s", how, what, s->tiles[0],
             s->tiles[1], s->tiles[2], s->cluster_m, s->cluster_n, s->swizzle, s->raster_along_n ? "n" : "m");
    abort();
}

static void deal_none(const ww_tile_space *s)
{
    assert_true(tiles_in(s) <= MOST_TILES);
    memset(dealt, 0, tiles_in(s));
    outside = 0;
}

static void deal_tile(const ww_tile_space *s, int m, int n, int l)
{
    if (m >= s->tiles[0] || n >= s->tiles[1])
        outside++;
    else
        dealt[((size_t)l * (size_t)s->tiles[0] + (size_t)m) * (size_t)s->tiles[1] + (size_t)n]++;
}

/* All CTAs of a cluster take the tile of this index. */
static void deal(const ww_tile_space *s, uint32_t index, const char *how)
{
    int tile[3];
    if (!ww_tile_space_decode(s, index, tile))
        failed(s, how, "an index below the total has no tile");
    if (tile[0] < 0 || tile[1] < 0 || tile[2] < 0 || tile[2] >= s->tiles[2])
        failed(s, how, "a tile of no layer");
    for (int x = 0; x < cluster_m(s); x++)
        for (int y = 0; y < cluster_n(s); y++)
            deal_tile(s, tile[0] + x, tile[1] + y, tile[2]);
}

/* Everything inside once; outside, what rounding up added and no more. */
static void check_dealt(const ww_tile_space *s, const char *how)
{
    for (size_t i = 0; i < tiles_in(s); i++)
        if (dealt[i] != 1)
            failed(s, how, dealt[i] ? "a tile was dealt more than once" : "a tile was lost");
    size_t ctas = (size_t)ww_tile_space_clusters(s) * (size_t)(cluster_m(s) * cluster_n(s));
    if (outside != ctas - tiles_in(s))
        failed(s, how, "too many or too few tiles outside");
}

/* ---- three ways of dealing ---------------------------------------------------------------------------- */

/* static_queue: cluster z takes z, z + G, z + 2G, ... */
static void deal_statically(const ww_tile_space *s, uint32_t grid_z)
{
    deal_none(s);
    for (uint32_t z = 0; z < grid_z; z++)
        for (uint32_t index = z; index < ww_tile_space_clusters(s); index += grid_z)
            deal(s, index, "static");
    check_dealt(s, "static");
}

/* atom.inc (PTX ISA, "atom"): the old value; the new one is 0 after the bound. */
static uint32_t atomic_inc(uint32_t *counter, uint32_t bound)
{
    uint32_t old = *counter;
    *counter = old >= bound ? 0 : old + 1;
    return old;
}

/* Removes and returns an element of a set, any. */
static uint32_t take_any(uint32_t *set, uint32_t *count)
{
    uint32_t i = below(*count), taken = set[i];
    set[i] = set[--*count];
    return taken;
}

static uint32_t busy[MOST_CLUSTERS_HERE], waiting[MOST_CLUSTERS_HERE];

/* counter_fetch: every cluster fetches once after each valid tile, in any order; the counter is left as it
 * was. */
static void deal_by_counter(const ww_tile_space *s, uint32_t grid_z, uint32_t *counter)
{
    uint32_t total = ww_tile_space_clusters(s), running = 0, fetches = 0;
    deal_none(s);
    for (uint32_t z = 0; z < grid_z; z++)
        if (z < total)
            busy[running++] = z;
    while (running > 0) {
        deal(s, take_any(busy, &running), "counter");
        uint32_t next = grid_z + atomic_inc(counter, total - 1);
        fetches++;
        if (next < total)
            busy[running++] = next;
    }
    check_dealt(s, "counter");
    if (fetches != total)
        failed(s, "counter", "a launch does not fetch once an index");
    if (*counter != 0)
        failed(s, "counter", "the counter is not ready for the next launch");
}

/* Of `slots` clusters at a time, any finishes next; before that it has asked to cancel one that has not
 * started, and got any, or the news that there is none. The hardware fills the slot of one that ends with any
 * that waits. */
static void deal_by_launch_control(const ww_tile_space *s, uint32_t grid_z, uint32_t slots)
{
    uint32_t running = 0, left = grid_z;
    deal_none(s);
    for (uint32_t z = 0; z < grid_z; z++)
        waiting[z] = z;
    while (running > 0 || left > 0) {
        if (left > 0 && running < slots) {
            busy[running++] = take_any(waiting, &left);
            continue;
        }
        uint32_t index = take_any(busy, &running);
        if (index >= ww_tile_space_clusters(s))
            continue; /* an empty space's one cluster: its first tile is not valid, it asks nothing */
        deal(s, index, "launch control");
        if (left > 0 &&
            below(8) != 0) /* now and then the hardware starts it just before it can be cancelled */
            busy[running++] = take_any(waiting, &left);
    }
    check_dealt(s, "launch control");
}

/* ---- properties --------------------------------------------------------------------------------------- */

static uint8_t hit[MOST_CLUSTERS_HERE];

/* One index for each cluster of the rounded box, and none beyond. */
static void check_bijection(const ww_tile_space *s)
{
    uint32_t total = ww_tile_space_clusters(s);
    int64_t extent[2] = {0, 0};
    int tile[3];
    assert_true(total <= MOST_CLUSTERS_HERE);
    memset(hit, 0, total);
    for (uint32_t i = 0; i < total; i++) {
        assert_true(ww_tile_space_decode(s, i, tile));
        extent[0] = tile[0] / cluster_m(s) >= extent[0] ? tile[0] / cluster_m(s) + 1 : extent[0];
        extent[1] = tile[1] / cluster_n(s) >= extent[1] ? tile[1] / cluster_n(s) + 1 : extent[1];
    }
    if (extent[0] * extent[1] * s->tiles[2] != total)
        failed(s, "decode", "the clusters do not fill a box");
    for (uint32_t i = 0; i < total; i++) {
        assert_true(ww_tile_space_decode(s, i, tile));
        int64_t at =
            ((int64_t)tile[2] * extent[0] + tile[0] / cluster_m(s)) * extent[1] + tile[1] / cluster_n(s);
        if (tile[0] % cluster_m(s) || tile[1] % cluster_n(s) || hit[at]++)
            failed(s, "decode", "two indexes mean one cluster");
    }
    if (ww_tile_space_decode(s, total, tile))
        failed(s, "decode", "the index after the last has a tile");
}

/* How many clusters ww_tile_space_grid launches; max_ctas is taken for one wave. */
static uint32_t grid_z_of(const ww_tile_space *s, bool dynamic_clc, int max_ctas)
{
    uint32_t grid[3];
    if (!ww_tile_space_grid(s, dynamic_clc, max_ctas, grid))
        failed(s, "grid", "refused");
    if (grid[0] != (uint32_t)cluster_m(s) || grid[1] != (uint32_t)cluster_n(s))
        failed(s, "grid", "not of one cluster's width and height");
    return grid[2];
}

static void check_space(const ww_tile_space *s, int clusters_at_once)
{
    static uint32_t counter; /* one for all launches, as in a kernel's parameters */
    int max_ctas = clusters_at_once * cluster_m(s) * cluster_n(s);
    uint32_t grid_z = grid_z_of(s, false, max_ctas);
    check_bijection(s);
    deal_statically(s, grid_z);
    deal_by_counter(s, grid_z, &counter);
    deal_by_launch_control(s, grid_z_of(s, true, 0), (uint32_t)clusters_at_once);
}

/* ---- tests -------------------------------------------------------------------------------------------- */

static void check_clusters_and_swizzles(ww_tile_space s)
{
    for (s.cluster_m = 1; s.cluster_m <= 4; s.cluster_m++)
        for (s.cluster_n = 1; s.cluster_n <= 4; s.cluster_n++)
            for (s.swizzle = 1; s.swizzle <= 8; s.swizzle++)
                for (int along_n = 0; along_n < 2; along_n++) {
                    s.raster_along_n = along_n != 0;
                    check_space(&s, between(1, 7));
                }
}

static void test_all_small_spaces_are_dealt_once(void **state)
{
    (void)state;
    for (int m = 1; m <= 9; m++)
        for (int n = 1; n <= 9; n++)
            for (int l = 1; l <= 3; l++)
                check_clusters_and_swizzles((ww_tile_space){.tiles = {m, n, l}});
}

static void test_random_spaces_are_dealt_once(void **state)
{
    (void)state;
    for (int i = 0; i < RANDOM_SPACES; i++) {
        ww_tile_space s = {.tiles = {between(0, 60), between(0, 60), between(0, 5)},
                           .cluster_m = between(0, 8),
                           .cluster_n = between(0, 4),
                           .swizzle = between(0, 12),
                           .raster_along_n = below(2) != 0};
        check_space(&s, between(1, 150));
    }
}

static void test_any_grid_deals_statically_and_by_counter(void **state)
{
    (void)state;
    ww_tile_space s = {.tiles = {5, 7, 2}, .cluster_m = 2, .swizzle = 3};
    uint32_t counter = 0;
    for (uint32_t grid_z = 1; grid_z < 2 * ww_tile_space_clusters(&s); grid_z++) {
        deal_statically(&s, grid_z);
        deal_by_counter(&s, grid_z, &counter);
        deal_by_counter(&s, grid_z, &counter);
    }
}

/* 2 x 3 clusters in bands of 2 are 8 indexes, and tile (1, 2) has index 6: a grid of the 2 * 3 clusters that
 * cover the problem would never start or cancel it. */
static void test_launch_control_keeps_tiles_that_the_padded_raster_moves_past_the_cover(void **state)
{
    (void)state;
    ww_tile_space s = {.tiles = {2, 3, 1}, .swizzle = 2};
    int tile[3];
    uint32_t cover = 2 * 3, index = 0, grid[3];
    while (ww_tile_space_decode(&s, index, tile) && !(tile[0] == 1 && tile[1] == 2))
        index++;
    assert_int_equal(index, 6);
    assert_true(index >= cover);
    assert_true(ww_tile_space_grid(&s, true, 0, grid));
    assert_int_equal(grid[2], 8);
    for (int along_n = 0; along_n < 2; along_n++)
        for (int l = 1; l < 3; l++) {
            s = (ww_tile_space){
                .tiles = {2 + along_n, 3 - along_n, l}, .swizzle = 2, .raster_along_n = along_n};
            deal_by_launch_control(&s, grid_z_of(&s, true, 0), 2);
        }
}

static void expect_tile(const ww_tile_space *s, uint32_t index, int m, int n, int l)
{
    int tile[3];
    assert_true(ww_tile_space_decode(s, index, tile));
    assert_int_equal(tile[0], m);
    assert_int_equal(tile[1], n);
    assert_int_equal(tile[2], l);
}

static void test_order_of_the_rasters(void **state)
{
    (void)state;
    ww_tile_space s = {.tiles = {4, 4, 2}};
    expect_tile(&s, 1, 1, 0, 0);
    expect_tile(&s, 4, 0, 1, 0);
    expect_tile(&s, 16, 0, 0, 1);
    s.swizzle = 2;
    expect_tile(&s, 1, 0, 1, 0);
    expect_tile(&s, 2, 1, 0, 0);
    expect_tile(&s, 8, 0, 2, 0);
    s.raster_along_n = true;
    expect_tile(&s, 1, 1, 0, 0);
    expect_tile(&s, 2, 0, 1, 0);
    expect_tile(&s, 8, 2, 0, 0);
    s.cluster_m = 2; /* coordinates count CTA tiles */
    expect_tile(&s, 1, 2, 0, 0);
    expect_tile(&s, 3, 2, 1, 0);
}

static void expect_grid(ww_tile_space s, bool dynamic_clc, int max_ctas, uint32_t z)
{
    uint32_t grid[3] = {7, 7, 7};
    assert_int_equal(ww_tile_space_grid(&s, dynamic_clc, max_ctas, grid), z != 0);
    assert_int_equal(grid[2], z ? z : 7);
}

static void test_grids_fit_the_work_and_the_device(void **state)
{
    (void)state;
    ww_tile_space s = {.tiles = {20, 20, 1}, .cluster_m = 2, .cluster_n = 2};
    expect_grid(s, false, 132, 33);
    expect_grid(s, false, 131, 32);
    expect_grid(s, false, 3, 0); /* less than one cluster */
    expect_grid(s, false, -4, 0);
    expect_grid(s, false, 1000, 100);
    expect_grid(s, true, 0, 100);
    s.tiles[2] = 0; /* no work: one cluster finds that out */
    expect_grid(s, false, 132, 1);
    expect_grid(s, true, 0, 1);
}

static void test_launch_control_is_refused_past_the_longest_grid(void **state)
{
    (void)state;
    expect_grid((ww_tile_space){.tiles = {65535, 1, 1}}, true, 0, 65535);
    expect_grid((ww_tile_space){.tiles = {65536, 1, 1}}, true, 0, 0);
    expect_grid((ww_tile_space){.tiles = {65536, 1, 1}}, false, 132, 132);
    expect_grid((ww_tile_space){.tiles = {65536, 1, 1}}, false, 1 << 20, 65535);
}

static void expect_none(ww_tile_space s)
{
    uint32_t grid[3];
    int tile[3];
    assert_int_equal(ww_tile_space_clusters(&s), 0);
    assert_false(ww_tile_space_decode(&s, 0, tile));
    assert_false(ww_tile_space_grid(&s, false, 132, grid));
    assert_false(ww_tile_space_grid(&s, true, 0, grid));
}

static void test_what_is_no_space_is_refused(void **state)
{
    (void)state;
    expect_none((ww_tile_space){.tiles = {-1, 1, 1}});
    expect_none((ww_tile_space){.tiles = {1, -1, 1}});
    expect_none((ww_tile_space){.tiles = {1, 1, -1}});
    expect_none((ww_tile_space){.tiles = {1, 1, 1}, .cluster_m = -1});
    expect_none((ww_tile_space){.tiles = {1, 1, 1}, .cluster_n = -2});
    expect_none((ww_tile_space){.tiles = {1, 1, 1}, .swizzle = -1});
    expect_none((ww_tile_space){.tiles = {1, 1, 1}, .cluster_n = 1 << 16, .swizzle = 1 << 16});
    expect_none((ww_tile_space){.tiles = {INT32_MAX, 1, 1}});
    expect_none((ww_tile_space){.tiles = {1 << 15, 1 << 15, 2}});
    expect_none((ww_tile_space){.tiles = {1 << 30, 1 << 30, INT32_MAX}});
}

static void test_largest_space_is_counted_and_decoded(void **state)
{
    (void)state;
    ww_tile_space s = {.tiles = {INT32_MAX - 65535, 1, 1}};
    assert_int_equal(ww_tile_space_clusters(&s), 2147418112u);
    expect_tile(&s, 2147418111u, 2147418111, 0, 0);
    s = (ww_tile_space){.tiles = {1 << 15, (1 << 16) - 2, 1}, .swizzle = 2, .raster_along_n = true};
    assert_int_equal(ww_tile_space_clusters(&s), 2147418112u);
    expect_tile(&s, 2147418111u, (1 << 15) - 1, (1 << 16) - 3, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_small_spaces_are_dealt_once),
        cmocka_unit_test(test_random_spaces_are_dealt_once),
        cmocka_unit_test(test_any_grid_deals_statically_and_by_counter),
        cmocka_unit_test(test_launch_control_keeps_tiles_that_the_padded_raster_moves_past_the_cover),
        cmocka_unit_test(test_order_of_the_rasters),
        cmocka_unit_test(test_grids_fit_the_work_and_the_device),
        cmocka_unit_test(test_launch_control_is_refused_past_the_longest_grid),
        cmocka_unit_test(test_what_is_no_space_is_refused),
        cmocka_unit_test(test_largest_space_is_counted_and_decoded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
