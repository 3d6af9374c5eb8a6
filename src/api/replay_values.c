/* replay_values.c: see replay_values.h. */
#include "api/replay_values.h"
#include "emit/emit.h"
#include "verify/trips.h"
#include "warpwright/tile_space.h"

typedef struct setter {
    const ww_kernel *kernel;
    unsigned char *params;
    ww_launch *launch;
    replay_answers *answers;
} setter;

/* ---- of the launch -------------------------------------------------------------------------------------------- */

static bool set_argument(const ww_bound *b, const char *name, int64_t value, unsigned char *params,
                         size_t bytes)
{
    int32_t number = (int32_t)value;
    if (b->kind != WW_BOUND_ARGUMENT || (name && strcmp(b->name, name) != 0) ||
        b->offset + sizeof number > bytes)
        return false;
    memcpy(params + b->offset, &number, sizeof number);
    return true;
}

/* Every loop that the argument bounds has it at the same place. */
static bool set_loop_argument(const setter *s, const ww_witness_value *v)
{
    size_t bytes = s->kernel->options.params_bytes;
    bool any = false;
    for (size_t t = 0; t < s->kernel->program->tasks.len; t++)
        for (size_t i = 0; i < s->kernel->program->tasks.at[t].ops.len; i++) {
            const ir_op *op = &s->kernel->program->tasks.at[t].ops.at[i];
            if (op->kind != IR_LOOP)
                continue;
            any |= set_argument(&op->start, v->name, v->value, s->params, bytes);
            any |= set_argument(&op->end, v->name, v->value, s->params, bytes);
            any |= set_argument(&op->stride, v->name, v->value, s->params, bytes);
        }
    return any;
}

/* A launch of the space in which the first cluster gets that many tiles: static queues are dealt out in turn, of dynamic
 * ones the one cluster that runs takes all. False: there is none. */
static bool set_grid(const ww_resource *r, const ww_tile_space *space, uint32_t tiles, uint32_t grid[3])
{
    uint32_t all = ww_tile_space_clusters(space), clusters = tiles ? (all + tiles - 1) / tiles : 1;
    if (r->kind != MODEL_QUEUE_STATIC)
        clusters = 1;
    if (!clusters || (all + clusters - 1) / clusters != tiles)
        return false;
    return ww_tile_space_grid(space, r->kind == MODEL_QUEUE_CLC,
                              (int)clusters * space->cluster_m * space->cluster_n, grid);
}

/* All tiles in a row, along the first axis that will do: swizzled rasters go beyond edges. False: none will, or a bound is no
 * argument. */
static bool set_space(const ww_resource *r, const ww_cluster *c, int64_t tiles, unsigned char *params,
                      size_t bytes, uint32_t grid[3])
{
    for (int along = 0; along < 3; along++) {
        int wanted[3] = {c->v * c->m, c->n, 1};
        wanted[along] *= (int)tiles;
        ww_tile_space space = {.tiles = {wanted[0], wanted[1], wanted[2]},
                               .cluster_m = c->v * c->m,
                               .cluster_n = c->n,
                               .swizzle = r->queue.swizzle,
                               .raster_along_n = r->queue.raster_along_n};
        bool fits = set_grid(r, &space, (uint32_t)tiles, grid);
        for (int n = 0; n < 3 && fits; n++) {
            const ww_bound *b = &r->queue.tiles[n];
            fits = (b->kind == WW_BOUND_IMMEDIATE && b->value == wanted[n]) ||
                   set_argument(b, NULL, wanted[n], params, bytes);
        }
        if (fits)
            return true;
    }
    return false;
}

static bool set_tiles(const setter *s, const ww_witness_value *v)
{
    const ww_kernel *k = s->kernel;
    for (size_t i = 0; i < k->resources.len; i++) {
        const ww_resource *r = k->resources.at[i];
        if (model_is_queue(r) && strcmp(r->name, v->name) == 0)
            return v->value >= 0 && v->value <= INT16_MAX &&
                   set_space(r, &k->program->cluster, v->value, s->params, k->options.params_bytes,
                             s->launch->grid);
    }
    return false;
}

/* ---- of the device ------------------------------------------------------------------------------------- */

static void answer(const setter *s, const ir_task *t, int op, emit_answer which, const ww_witness_value *v,
                   int64_t value)
{
    emu_answer a = {.first_warp = (uint32_t)t->first_warp,
                    .end_warp = (uint32_t)(t->first_warp + t->warps),
                    .number = emit_answer_number(op, which),
                    .a = v->tile,
                    .b = v->trip,
                    .value = (int32_t)value};
    vec_push(s->answers, a);
}

/* A bound that the device computes is chosen; of others: what it is. */
static int64_t bound_or(const setter *s, const ww_bound *b, int64_t chosen)
{
    int32_t number = b->value;
    if (b->kind == WW_BOUND_DEVICE)
        return chosen;
    if (b->kind == WW_BOUND_ARGUMENT)
        memcpy(&number, s->params + b->offset, sizeof number);
    return number;
}

/* Bounds that give the loop its value: that many trips, where several rule it together (trips.h). */
static void answer_bounds(const setter *s, const ir_task *t, int at, const ww_witness_value *v)
{
    const ir_op *op = &t->ops.at[at];
    bool combined = trips_of(op).combined, end_is_chosen = op->end.kind == WW_BOUND_DEVICE;
    int64_t step = bound_or(s, &op->stride, 1), way = v->value * step;
    int64_t start = bound_or(s, &op->start, 0), end = end_is_chosen ? start + way : bound_or(s, &op->end, 0);
    if (op->start.kind == WW_BOUND_DEVICE)
        answer(s, t, at, EMIT_START, v, combined ? end - way : v->value);
    if (end_is_chosen)
        answer(s, t, at, EMIT_END, v, combined ? end : v->value);
    if (op->stride.kind == WW_BOUND_DEVICE)
        answer(s, t, at, EMIT_STEP, v, step);
}

static bool is_ruled_by(const ir_op *op, const ww_witness_value *v)
{
    text name = {0};
    if (op->kind == IR_LOOP && trips_on_device(op))
        trips_value_text(op, &name);
    bool same = name.len && strcmp(text_str(&name), v->name) == 0;
    text_free(&name);
    return same;
}

static bool is_about(const setter *s, const ir_op *op, const ww_witness_value *v)
{
    switch (v->kind) {
    case WW_VALUE_DEVICE: return is_ruled_by(op, v);
    case WW_VALUE_SKIP:
        return op->kind == IR_TILE_LOOP && strcmp(s->kernel->resources.at[op->resource]->name, v->name) == 0;
    case WW_VALUE_CONDITION:
        return op->kind == IR_GUARD && (op->guard == IR_GUARD_TRUE || op->guard == IR_GUARD_FALSE) &&
               op->key == v->key;
    default: return false;
    }
}

/* All that compute it are told the same. */
static bool answer_all(const setter *s, const ww_witness_value *v)
{
    bool any = false;
    for (size_t i = 0; i < s->kernel->program->tasks.len; i++) {
        const ir_task *t = &s->kernel->program->tasks.at[i];
        for (int at = 0; at < (int)t->ops.len; at++) {
            if (!is_about(s, &t->ops.at[at], v))
                continue;
            any = true;
            if (v->kind == WW_VALUE_DEVICE)
                answer_bounds(s, t, at, v);
            else
                answer(s, t, at, EMIT_CHOICE, v, v->value);
        }
    }
    return any;
}

/* ---- all of them --------------------------------------------------------------------------------------- */

static bool set_value(const setter *s, const ww_witness_value *v)
{
    switch (v->kind) {
    case WW_VALUE_LAUNCH: return v->tile < 0 && set_loop_argument(s, v);
    case WW_VALUE_TILES: return set_tiles(s, v);
    default: return answer_all(s, v);
    }
}

void replay_set_values(const ww_kernel *k, const ww_witness *w, unsigned char *params, ww_launch *launch,
                       replay_answers *answers, text *notes)
{
    const setter s = {k, params, launch, answers};
    for (int i = 0; i < w->value_count; i++)
        if (!set_value(&s, &w->values[i]))
            text_printf(notes, "replay: %s = %lld cannot be set; the kernel decides\n", w->values[i].name,
                        (long long)w->values[i].value);
}
