/* replay_values: the values of a counterexample, given to the launch that is to follow it. */
#ifndef WW_API_REPLAY_VALUES_H
#define WW_API_REPLAY_VALUES_H

#include "emu/emu.h"
#include "lower/lower.h"
#include "warpwright/run.h"
#include "warpwright/witness.h"

typedef VEC(emu_answer) replay_answers;

/* Arguments are set in params, the grid so that the cluster gets its tiles; what the device computes becomes answers. Notes say
 * which values could not be set. */
void replay_set_values(const ww_kernel *k, const ww_witness *w, unsigned char *params, ww_launch *launch,
                       replay_answers *answers, text *notes);

#endif
