/* special.h: special registers whose value changes while a thread runs. */
#ifndef WW_EMU_CORE_SPECIAL_H
#define WW_EMU_CORE_SPECIAL_H

#include "emu/core/core.h"

/* The value, all 64 bits of it, for any of %clock to %globaltimer_hi. */
uint64_t special_moving_value(const warp *w, ptx_special special);

#endif
