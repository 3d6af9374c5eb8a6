/* turns: tasks that take turns at one piece of shared memory. */
#ifndef TURNS_CUH
#define TURNS_CUH

#include "words.cuh"

/* One word a thread; whoever has the turn moves it on. */
struct ledger {
};

enum { TURN_THREADS = 128 };

/* Turn number t of a CTA is written to row t: the word found, and what it has become. `starts`: the first one begins
 * with the CTA's input. */
template <int who, int count, int starts> WW_WORK void ledger_sign(ledger &, const words_info &info)
{
    const uint32_t thread = task_thread(info), at = info.buffer[0] + 4 * thread;
    const bool first = starts && info.loop_offset == info.loop_start;
    const uint32_t word = first ? info.params.in[row_start(info, 0) + thread] : load_word(at);
    uint32_t *row = info.params.out + row_start(info, info.loop_offset * count + who);
    store_word(at, word * 5 + who);
    row[thread] = word;
    row[TURN_THREADS + thread] = word * 5 + who;
}

#endif
