/* 401: a work body of another type than its row. */
#include "ww/ww.cuh"
#include "tile_params.h"

struct rows {
    int last;
};

using info = ww::stage_info<tile_params>;

/* wrong: the work table says .out = {"int row"} */
WW_WORK void rows_next(rows &self, const info &, float &row)
{
    row = self.last++;
}
/* end */
