/* What the other files of this layer need of a run. */
#ifndef WW_API_RUN_H
#define WW_API_RUN_H

#include "run/device.h"
#include "warpwright/run.h"

device_element run_element(ww_element element);

#endif
