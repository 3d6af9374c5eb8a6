/* loop: arithmetic of domain loops, for steps of either sign. With a constant step everything folds. */
#ifndef WW_LOOP_CUH
#define WW_LOOP_CUH

#include "types.h"

namespace ww
{

/* Whether index i still lies before the end. */
WW_HOST_DEVICE bool loop_goes_on(int i, int end, int step)
{
    return step > 0 ? i < end : i > end;
}

/* The index that the last trip visits; start when there is no trip. */
WW_HOST_DEVICE int loop_last(int start, int end, int step)
{
    if (!loop_goes_on(start, end, step))
        return start;
    return start + (end - start - (step > 0 ? 1 : -1)) / step * step;
}

} // namespace ww

#endif
