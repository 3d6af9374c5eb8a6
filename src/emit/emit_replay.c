/* What a replay may choose: code that is generated with marks asks, where it has computed a bound, whether a tile is skipped, or
 * whether a condition holds, what is to be taken for that. Other code has nothing of it. */
#include "emit/task_writer.h"

void emit_answer_function(writer *w)
{
    if (!w->marks)
        return;
    writer_line(w, "template <int question> static __device__ __forceinline__ int ww_answer(int value, int "
                   "tile, int trip)");
    writer_line(w, "{");
    writer_line(
        w,
        "    asm volatile(\".pragma \\\"answer %%1, %%0, %%2, %%3\\\";\" : \"+r\"(value) : \"n\"(question), "
        "\"r\"(tile), \"r\"(trip) : \"memory\");");
    writer_line(w, "    return value;");
    writer_line(w, "}");
    text_add(w->out, "\n");
}

void begin_answer(const task_writer *tw, int op, emit_answer which, text *out)
{
    if (tw->w->marks)
        text_printf(out, "ww_answer<%u>(static_cast<int>(", emit_answer_number(op, which));
}

void end_answer(const task_writer *tw, text *out)
{
    if (!tw->w->marks)
        return;
    text_add(out, tw->in_tiles ? "), tile_number, " : "), -1, ");
    if (tw->loop >= 0)
        print_trip(tw, out);
    else
        text_add(out, "-1");
    text_add(out, ")");
}

void declare_tile_number(const task_writer *tw)
{
    if (tw->w->marks)
        writer_line(tw->w, "[[maybe_unused]] int tile_number = 0;");
}

void count_tile(const task_writer *tw)
{
    if (tw->w->marks)
        writer_line(tw->w, "tile_number++;");
}
