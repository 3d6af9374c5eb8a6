/* Tiles: the loop over what a queue deals, stepping to the next tile, and asking a dynamic queue for it. */
#include "emit/task_writer.h"

/* What the kinds of queue differ in. */
static const struct {
    const char *type, *decode;
} kinds[] = {
    [MODEL_QUEUE_STATIC] = {"static_queue", NULL},
    [MODEL_QUEUE_CLC] = {"dynamic_queue", "decode_clc"},
    [MODEL_QUEUE_COUNTER] = {"dynamic_queue", "decode_counter"},
};

static const ww_resource *queue_of(const task_writer *tw, int at)
{
    return tw->w->program->kernel->resources.at[task_op(tw, at)->resource];
}

static void print_queue_bound(const ww_bound *b, text *out)
{
    if (b->kind == WW_BOUND_IMMEDIATE)
        text_printf(out, "%d, ", b->value);
    else
        text_printf(out, "params.%s, ", b->name);
}

static void declare_queue(task_writer *tw, const ww_resource *queue)
{
    const ww_cluster *c = &tw->w->program->cluster;
    const char *type = kinds[queue->kind].type;
    text *line = writer_begin(tw->w);
    text_printf(line, "ww::%s %s_queue = ww::%s_make(", type, queue->name, type);
    for (int i = 0; i < 3; i++)
        print_queue_bound(&queue->queue.tiles[i], line);
    text_printf(line, "%d, %d, %d, %d", c->v * c->m, c->n,
                queue->queue.swizzle > 1 ? queue->queue.swizzle : 1, !queue->queue.raster_along_n);
    writer_end(tw->w, ");");
}

/* Before the task's first operation, so that work before the tile loop is told the first tile. */
void declare_tiles(task_writer *tw)
{
    const ww_resource *queue = tw->w->program->kernel->resources.at[tw->task->queue];
    declare_queue(tw, queue);
    writer_line(tw->w, "ww_tile tile = %s_queue.first();", queue->name);
    declare_tile_number(tw);
}

void emit_tile_loop(task_writer *tw, int at)
{
    const ww_resource *queue = queue_of(tw, at);
    writer_line(tw->w, "#pragma unroll 1");
    writer_open(tw->w, "while (tile.valid)");
    tw->in_tiles = true;
    if (queue->queue.skip) {
        text *line = writer_begin(tw->w);
        text_add(line, "const bool skipped = ");
        begin_answer(tw, at, EMIT_CHOICE, line);
        text_printf(line, "%s(", queue->queue.skip);
        print_plain_info(tw, line);
        text_add(line, ")");
        end_answer(tw, line);
        writer_end(tw->w, ";");
    }
    declare_device_bounds(tw, at + 1, task_op(tw, at)->match);
    tw->finished = -1;
}

void emit_tile_loop_end(task_writer *tw, int at)
{
    (void)at;
    tw->finished = -1;
    tw->in_tiles = false;
    writer_close(tw->w);
}

/* The 16 bytes that say which tile the slot stands for. */
static void print_response(const task_writer *tw, const ir_op *op, text *out)
{
    const ir_buffer *b = tw->w->program->buffers.at;
    while (b->resource != op->resource)
        b++; /* a dynamic queue has one buffer */
    print_buffer_at(tw, b, op->cursor, op->held, out);
}

void emit_next_tile(task_writer *tw, int at)
{
    const ww_resource *queue = queue_of(tw, at);
    text *line = writer_begin(tw->w);
    if (kinds[queue->kind].decode) {
        text_printf(line, "tile = %s_queue.%s(", queue->name, kinds[queue->kind].decode);
        print_response(tw, task_op(tw, at), line);
    } else {
        text_printf(line, "tile = %s_queue.next(", queue->name);
    }
    writer_end(tw->w, ");");
    count_tile(tw);
}

/* The whole warp calls; the wrapper elects the lane, in the CTA of rank 0, that asks for all CTAs. */
void emit_fetch(task_writer *tw, int at)
{
    const ir_op *op = task_op(tw, at);
    const ww_resource *queue = queue_of(tw, at);
    text *line = writer_begin(tw->w);
    if (queue->kind == MODEL_QUEUE_CLC)
        text_printf(line, "ww::clc_fetch<%d>(", tw->w->program->cluster_size);
    else
        text_printf(line, "ww::counter_fetch<%d>(%s_queue, params.%s, ", tw->w->program->cluster_size,
                    queue->name, queue->queue.counter);
    print_response(tw, op, line);
    text_add(line, ", ");
    print_barrier_at(tw, op->barrier, op->cursor, false, line);
    writer_end(tw->w, ");");
    writer_note(tw->w, op, "fetch_tile");
}
