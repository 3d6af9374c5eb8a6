/* Work bodies of emit_test's kernels: they do nothing, and take whatever they are given. What matters is that the calls
 * around them compile and assemble. */
#ifndef EMIT_BODIES_CUH
#define EMIT_BODIES_CUH

#include "ww/types.h"

struct emit_params {
    int trips, tiles_m, tiles_n;
    unsigned *counter;
};

/* A resource's registers, and bodies named fill, use, look, watch and tuned. */
#define EMIT_RESOURCE(type)                                                                                  \
    struct type {                                                                                            \
        int calls;                                                                                           \
    };                                                                                                       \
    template <class I> WW_WORK void type##_fill(type &self, const I &info)                                   \
    {                                                                                                        \
        self.calls += static_cast<int>(info.barrier ^ info.empty_barrier);                                   \
    }                                                                                                        \
    template <class I> WW_WORK void type##_use(type &self, const I &info)                                    \
    {                                                                                                        \
        self.calls += static_cast<int>(info.buffer[0] ^ info.tmem[0] ^ info.cta_rank);                       \
    }                                                                                                        \
    template <class I> WW_WORK void type##_look(type &self, const I &info, int &x)                           \
    {                                                                                                        \
        x = info.loop_offset + info.stage + self.calls;                                                      \
    }                                                                                                        \
    template <class I> WW_WORK void type##_watch(type &self, const I &info, int x)                           \
    {                                                                                                        \
        self.calls += x + info.lane;                                                                         \
    }                                                                                                        \
    template <int TIMES, bool TWICE, class I> WW_WORK void type##_tuned(type &self, const I &info)           \
    {                                                                                                        \
        self.calls += TWICE ? 2 * TIMES : TIMES;                                                             \
    }

EMIT_RESOURCE(ring)
EMIT_RESOURCE(other)
EMIT_RESOURCE(scratch)

#endif
