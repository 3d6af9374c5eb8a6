/* host_side: the static tile queue, checked on the host; needs nvcc, no GPU. What can be asserted while
 * compiling is in arithmetic.cuh.
 *
 *     nvcc -gencode=arch=compute_90a,code=sm_90a -std=c++17 -Idevice tests/device/host_side.cu -o host_side
 */
#include <cstdio>
#include <vector>

#include "ww/ww.cuh"

static int failures;

static void expect(bool holds, const char *what)
{
    if (!holds) {
        std::printf("FAIL %s\n", what);
        failures++;
    }
}

/* Every cluster coordinate exactly once, the last band padded, nothing valid past the end. */
static void test_queue(int m, int n, int l, int cluster_m, int cluster_n, int swizzle, int along_m)
{
    const ww::static_queue q = ww::static_queue_over(m, n, l, cluster_m, cluster_n, swizzle, along_m);
    const int total = ww::static_queue_total(q);
    std::vector<int> hits(static_cast<size_t>(total));
    expect(q.clusters_m * cluster_m >= m && q.clusters_n * cluster_n >= n, "the queue covers the tiles");
    for (int i = 0; i < total; i++) {
        const ww_tile t = ww::static_queue_decode(q, i);
        const bool inside =
            t.m >= 0 && t.m < q.clusters_m && t.n >= 0 && t.n < q.clusters_n && t.l >= 0 && t.l < l;
        expect(inside && t.valid, "every index below the total is a valid tile");
        if (inside)
            hits[static_cast<size_t>((t.l * q.clusters_n + t.n) * q.clusters_m + t.m)]++;
    }
    for (int count : hits)
        expect(count == 1, "every tile exactly once");
    expect(!ww::static_queue_decode(q, total).valid, "the index after the last is not valid");
}

static void test_queues()
{
    for (int m : {1, 2, 7, 12})
        for (int n : {1, 3, 8})
            for (int l : {1, 2})
                for (int cluster : {1, 2})
                    for (int swizzle : {1, 2, 3, 8})
                        for (int along_m : {0, 1}) {
                            test_queue(m, n, l, cluster, 1, swizzle, along_m);
                            test_queue(m, n, l, 1, cluster, swizzle, along_m);
                        }
    const ww::static_queue q = ww::static_queue_over(4, 4, 1, 1, 1, 2, 1);
    const int expected[][2] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 0},
                               {2, 1}, {3, 0}, {3, 1}, {0, 2}, {0, 3}};
    for (int i = 0; i < 10; i++) {
        const ww_tile t = ww::static_queue_decode(q, i);
        expect(t.m == expected[i][0] && t.n == expected[i][1], "swizzle 2 along m: bands of two columns");
    }
}

int main()
{
    test_queues();
    std::printf("%s\n", failures ? "failed" : "ok");
    return failures != 0;
}
