/* 401: a work body of the type of its row. */
#include "ww/ww.cuh"
#include "tile_params.h"

struct rows {
    int last;
};

using info = ww::stage_info<tile_params>;

/* right: the type of the work table */
WW_WORK void rows_next(rows &self, const info &, int &row)
{
    row = self.last++;
}
/* end */
