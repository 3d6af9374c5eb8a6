/* schedules: bodies that tell where in its schedule a task was when it called them. */
#ifndef SCHEDULES_CUH
#define SCHEDULES_CUH

#include "words.cuh"

/* ---- guards ------------------------------------------------------------------------------------------------ */

struct marks {
};

/* One bit more in the note of this trip. */
template <int bit> WW_WORK void marks_add(marks &, const words_info &info)
{
    const int trip = (info.loop_offset - info.loop_start) / info.loop_step;
    uint32_t *note = &info.params.notes[row_start(info, trip) / ROW_WORDS];
    if (info.lane == 0)
        *note |= bit;
}

/* ---- rows that pass a ring ----------------------------------------------------------------------------------- */

/* Which row a call means, by the part of the schedule it stands in. */
enum { IN_LOOP, IN_HEAD, IN_FIRST_LOOP, IN_SECOND_LOOP, IN_TAIL, ROW_0, ROW_1, IN_TILE };

enum { SEGMENT_ROWS = 5 }; /* a tile's, at most */

template <int part> WW_WORK int row_of(const words_info &info)
{
    switch (part) {
    case IN_HEAD: return 0;
    case IN_FIRST_LOOP: return 1 + info.loop_offset;
    case IN_SECOND_LOOP: return info.params.pairs + info.loop_offset; /* counts down to 1 */
    case IN_TAIL: return 1 + info.params.pairs + info.params.more;
    case ROW_0: return 0;
    case ROW_1: return 1;
    case IN_TILE: return info.tile.m * SEGMENT_ROWS + info.loop_offset;
    default: return info.loop_offset;
    }
}

/* With tiles, rows are counted over the whole grid. */
template <int part> WW_WORK uint32_t row_begin(const words_info &info)
{
    return part == IN_TILE ? static_cast<uint32_t>(row_of<part>(info)) * ROW_WORDS
                           : row_start(info, row_of<part>(info));
}

struct ring {
};

template <int warps, int part> WW_WORK void ring_fill(ring &, const words_info &info)
{
    const uint32_t *from = info.params.in + row_begin<part>(info);
    for (uint32_t w = task_thread(info); w < ROW_WORDS; w += 32 * warps)
        store_word(info.buffer[0] + 4 * w, from[w]);
}

/* Backwards, `more` added. */
template <int warps, int part, int more> WW_WORK void ring_read(ring &, const words_info &info)
{
    uint32_t *to = info.params.out + row_begin<part>(info);
    for (uint32_t w = task_thread(info); w < ROW_WORDS; w += 32 * warps)
        to[w] = load_word(info.buffer[0] + 4 * (ROW_WORDS - 1 - w)) + more;
}

/* ---- conditions ----------------------------------------------------------------------------------------------- */

struct choice {
};

WW_WORK void choice_pick(choice &, const words_info &info, bool &odd)
{
    odd = info.params.in[row_start(info, info.loop_offset)] & 1;
}

/* The same once a tile, of the tile's first row. */
WW_WORK void choice_pick_tile(choice &, const words_info &info, bool &odd)
{
    odd = info.params.in[info.tile.m * (SEGMENT_ROWS * ROW_WORDS)] & 1;
}

/* ---- bounds ----------------------------------------------------------------------------------------------------- */

/* Rows of a tile: none to SEGMENT_ROWS. */
WW_WORK int first_row(const words_info &info)
{
    return info.tile.m % 2;
}

WW_WORK int end_row(const words_info &info)
{
    return info.tile.m * 7 % (SEGMENT_ROWS + 1);
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

struct source {
};

WW_WORK void source_take(source &, const words_info &info, int &number, int &trip)
{
    number = static_cast<int>(info.params.in[row_start(info, info.loop_offset)]);
    trip = info.loop_offset;
}

struct sink {
};

/* `place` of the CTA's notes. */
template <int place> WW_WORK void sink_note(sink &, const words_info &info, int number, int trip)
{
    uint32_t *notes = info.params.notes + cta_number() * 8 + place * 2;
    if (info.lane == 0) {
        notes[0] = static_cast<uint32_t>(number);
        notes[1] = static_cast<uint32_t>(trip);
    }
}

#endif
