/* persistent_copy_twin: the persistent copy as a person writes it around the work bodies. Four warps; the grid is
 * (1, 1, CTAs). */
#include "persistent_copy.cuh"

extern "C" __global__ void __launch_bounds__(128)
    persistent_copy_twin(const __grid_constant__ persistent_copy_params params)
{
    const int warp = ww::warp_index();
    const int lane = ww::lane_index();
    queue r_queue;
    copy r_copy;
    ww::static_queue tiles = ww::static_queue_make(params.tiles, 1, 1, 1, 1, 1, 1);
    for (ww_tile tile = tiles.first(); tile.valid; tile = tiles.next()) {
        const persistent_copy_info tile_info = {params, 0, 0, params.rows, 1, 0, 0, {}, tile, warp, lane};
        int skip;
        queue_skip(r_queue, tile_info, skip);
        if (!skip) {
            for (int row = 0; row < params.rows; row++) {
                const persistent_copy_info info = {params, row, 0, params.rows, 1, 0, 0, {}, tile, warp, lane};
                copy_row(r_copy, info);
            }
        }
    }
}
