/* layout: a question to placement that the capacity rule asks. model_layout itself is in model.h. */
#ifndef WW_MODEL_LAYOUT_H
#define WW_MODEL_LAYOUT_H

#include "model/model.h"

/* The greatest number of stages of r, and of those that must be as deep, with which the kernel fits when all
 * else stays as it is; 0: none, or no pipeline. */
int layout_fitting_stages(const ww_kernel *k, const ww_resource *r);

#endif
