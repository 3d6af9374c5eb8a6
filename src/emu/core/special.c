/* special.c: special registers. Those that hold still are registers like others, filled in when a warp starts;
 * those that move are read by `mov` (move.c). */
#include "emu/core/core.h"
#include "emu/core/special.h"

#define MOVING 0

static uint64_t special_value(const warp *w, ptx_special special, uint32_t lane)
{
    switch (special) {
#define PTX_SPECIAL(name, text, bits, value)                                                                 \
    case PTX_SPECIAL_##name:                                                                                 \
        return (uint64_t)(value);
#include "emu/ptx/special.def"
#undef PTX_SPECIAL
    default: return 0;
    }
}

static void fill_special(warp *w, const program_special *s)
{
    uint32_t bits = ptx_special_bits(s->special);
    if (bits == 1) {
        PREDICATE(w, s->slot) = special_value(w, s->special, 0) ? ALL_LANES : 0;
        return;
    }
    void *at = REG(w, s->slot);
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
        uint64_t value = special_value(w, s->special, lane);
        if (bits == 64)
            ((uint64_t *)at)[lane] = value;
        else
            ((uint32_t *)at)[lane] = (uint32_t)value;
    }
}

static void fill_shared_address(warp *w, const program_shared *s)
{
    uint32_t address = w->cta->rank << SHARED_RANK_SHIFT | s->offset;
    void *at = REG(w, s->slot);
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
        if (s->bits == 64)
            ((uint64_t *)at)[lane] = address;
        else
            ((uint32_t *)at)[lane] = address;
    }
}

void warp_set_specials(warp *w)
{
    const program *p = GRID(w)->program;
    for (uint32_t i = 0; i < p->special_count; i++)
        fill_special(w, &p->specials[i]);
    for (uint32_t i = 0; i < p->shared_count; i++)
        fill_shared_address(w, &p->shared[i]);
}

/* Clocks count the warp's own instructions, so that a program sees the same times in every run. One
 * instruction takes a nanosecond. */
uint64_t special_moving_value(const warp *w, ptx_special special)
{
    uint64_t now = w->cta->cluster->turn * 64 + w->instructions;
    switch (special) {
    case PTX_SPECIAL_CLOCK_HI:
    case PTX_SPECIAL_GLOBALTIMER_HI: return now >> 32;
    default: return now;
    }
}
