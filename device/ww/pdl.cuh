/* pdl: programmatic dependent launch, two lines a kernel says to its predecessor and its successor. */
#ifndef WW_PDL_CUH
#define WW_PDL_CUH

#include "types.h"

namespace ww
{

/* Waits until the grids this one depends on have finished and their writes are visible ("griddepcontrol"). */
WW_DEVICE void griddepcontrol_wait()
{
    asm volatile("griddepcontrol.wait;" : : : "memory");
}

/* Lets the dependent grid start once every CTA has said so or exited ("griddepcontrol"). */
WW_DEVICE void griddepcontrol_launch_dependents()
{
    asm volatile("griddepcontrol.launch_dependents;" : : : "memory");
}

} // namespace ww

#endif
