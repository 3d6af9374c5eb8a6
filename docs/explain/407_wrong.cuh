/* 407: memory that a row has */
#include "audited.cuh"

/* wrong: consumer work reads the buffers, and this writes them */
WW_WORK void tile_scale(tile &, const info &info)
{
    set_word(info, 2 * get_word(info)); /* ld.shared, st.shared */
}
/* end */
