/* host_side: what the device headers compute with plain arithmetic, checked on the host; needs nvcc, no GPU.
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

/* A bijection within each atom, its own inverse, chunks permuted by row. */
static void test_swizzle()
{
    std::vector<bool> hit(2048);
    for (uint32_t byte = 0; byte < 2048; byte++) {
        const uint32_t image = ww::swizzle_128(byte);
        expect(image < 2048 && !hit[image], "swizzle_128 is a bijection");
        hit[image] = true;
        expect(ww::swizzle_128(image) == byte, "swizzle_128 is its own inverse");
        expect(image / 128 == byte / 128 && image % 16 == byte % 16,
               "swizzle_128 moves 16-byte chunks in a row");
    }
    expect(ww::swizzle_128(3 * 128 + 5 * 16) == 3 * 128 + 6 * 16, "row 3, chunk 5 lies in place 6");
}

static void test_descriptor()
{
    expect(ww::descriptor_k_major_sw128(0x400) == 0x4000004000010040u, "descriptor of 0x400");
    expect(ww::descriptor_k_major_sw128(0x400 + 8192) == 0x4000004000010240u, "64 rows on is 512 units on");
    expect(ww::descriptor_k_major_sw128(0x38000) == 0x4000004000013800u, "high addresses fit the field");
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
    test_swizzle();
    test_descriptor();
    test_queues();
    std::printf("%s\n", failures ? "failed" : "ok");
    return failures != 0;
}
