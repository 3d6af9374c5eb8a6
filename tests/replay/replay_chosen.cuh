/* replay_chosen: what these functions compute shows no fault; a counterexample needs other answers. */
#ifndef REPLAY_CHOSEN_CUH
#define REPLAY_CHOSEN_CUH

#include "../run/features/words.cuh"

WW_WORK int one_row(const words_info &)
{
    return 1;
}

WW_WORK int first_of_none(const words_info &)
{
    return 7;
}

WW_WORK int end_of_none(const words_info &)
{
    return 7;
}

WW_WORK bool never(const words_info &)
{
    return false;
}

struct choice {
};

WW_WORK void choice_pick(choice &, const words_info &, bool &done)
{
    done = true;
}

WW_WORK void choice_read_through(choice &, const words_info &info, uint32_t address)
{
    info.params.out[task_thread(info)] = load_word(address + 4 * task_thread(info));
}

struct ring {
};

WW_WORK void ring_address(ring &, const words_info &info, uint32_t &address)
{
    address = info.buffer[0];
}

WW_WORK void ring_fill(ring &, const words_info &info)
{
    store_word(info.buffer[0] + 4 * task_thread(info), 1);
}

WW_WORK void ring_read(ring &, const words_info &info)
{
    info.params.out[task_thread(info)] = load_word(info.buffer[0] + 4 * task_thread(info));
}

#endif
