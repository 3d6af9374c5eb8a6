/* persistent_copy_twin: the persistent copy as a person writes it around the work bodies. Four warps; the
 * grid is (1, 1, CTAs). */
#include "persistent_copy.cuh"

extern "C" __global__ void __launch_bounds__(128)
    persistent_copy_twin(const __grid_constant__ persistent_copy_params params)
{
    const int warp = ww::warp_index(), lane = ww::lane_index();
    copy copy_self;
    ww::static_queue tiles = ww::static_queue_make(params.tiles, 1, 1, 1, 1, 1, 1);
    for (ww_tile tile = tiles.first(); tile.valid; tile = tiles.next()) {
        const bool skipped =
            persistent_copy_skip({params, 0, 0, params.rows, 1, 0, 0u, {}, tile, warp, lane});
        if (!skipped)
            for (int i = 0; i < params.rows; i++)
                copy_row(copy_self, {params, i, 0, params.rows, 1, 0, 0u, {}, tile, warp, lane});
    }
}
