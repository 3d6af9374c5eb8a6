/* atomic.h: read-modify-write of one word, for atom, red and red.async. */
#ifndef WW_EMU_CORE_ATOMIC_H
#define WW_EMU_CORE_ATOMIC_H

#include "emu/core/core.h"

typedef enum atomic_operation {
    ATOMIC_ADD,
    ATOMIC_MIN,
    ATOMIC_MAX,
    ATOMIC_INC,
    ATOMIC_DEC,
    ATOMIC_AND,
    ATOMIC_OR,
    ATOMIC_XOR,
    ATOMIC_EXCH,
    ATOMIC_CAS,
} atomic_operation;

#define ATOMIC_OPERATIONS "add min max inc dec and or xor exch cas"

bool atomic_allowed(atomic_operation how, ptx_type type);
/* Returns what was there before; sets *changed when that is not what is there now. `flush`: f32 additions flush
 * subnormals. */
uint64_t atomic_exchange_word(uint8_t *at, atomic_operation how, ptx_type type, uint64_t b, uint64_t c,
                              bool flush, bool *changed);
uint64_t atomic_combine(atomic_operation how, ptx_type type, uint64_t old, uint64_t b, bool flush);

#endif
