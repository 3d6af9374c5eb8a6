/* The values of an execution, and those that a proof covers, in words. */
#include "prove/witness.h"

/* ---- the values of the execution ----------------------------------------------------------------------- */

void witness_value_name(const plan *p, int value, text *out)
{
    const plan_value *v = &p->values[value];
    if (v->kind == PLAN_BOUND)
        trips_value_text(v->loop, out);
    else if (v->kind == PLAN_KEY)
        text_add(out, v->name ? v->name : "a condition");
    else
        text_add(out, plan_resource_name(p, v->queue));
}

static void separate(text *out)
{
    text_add(out, out->len ? ", " : "with ");
}

/* Values of the launch: what is known in the end. Each is told once, if it was asked about. */
static void launch_values(const witness_run *t, text *out)
{
    for (int value = 0; value < t->m->plan->value_count; value++) {
        const plan_value *v = &t->m->plan->values[value];
        bool asked = false;
        for (size_t i = 0; i < t->result->path.len; i++)
            asked |= t->result->path.at[i].value == value;
        if (!asked || plan_of_tile(v) || v->of_trip)
            continue;
        int64_t from = value_known(t->m, value, 0)->from;
        separate(out);
        if (v->kind == PLAN_TILES) {
            text_printf(out, "%lld tile%s", (long long)from, from == 1 ? "" : "s");
            continue;
        }
        witness_value_name(t->m->plan, value, out);
        if (v->kind == PLAN_KEY)
            text_add(out, from ? " true" : " false");
        else
            text_printf(out, " = %lld", (long long)from);
    }
}

/* The last answer about a value of a tile, before the queue moves on. */
static bool is_last_word(const witness_run *t, size_t at)
{
    const steady_answer *a = &t->result->path.at[at];
    for (size_t i = at + 1; i < t->result->path.len; i++) {
        const steady_answer *b = &t->result->path.at[i];
        if (b->value == a->value && b->instance == a->instance)
            return false;
        if (t->m->plan->values[b->value].kind == PLAN_TILES && b->more)
            return true;
    }
    return true;
}

static void tile_value(const witness_run *t, const steady_answer *a, int64_t tile, text *out)
{
    const plan_value *v = &t->m->plan->values[a->value];
    if (v->kind == PLAN_SKIP && !a->more)
        return;
    separate(out);
    if (v->kind == PLAN_SKIP) {
        text_printf(out, "tile %lld skipped", (long long)tile);
        return;
    }
    witness_value_name(t->m->plan, a->value, out);
    if (v->kind == PLAN_KEY)
        text_printf(out, " %s in tile %lld", a->more ? "true" : "false", (long long)tile);
    else
        text_printf(out, " = %lld in tile %lld", (long long)a->from + a->more, (long long)tile);
}

/* "c true in trip 2 of tile 1" */
static void trip_value(const witness_run *t, const steady_answer *a, text *out)
{
    separate(out);
    witness_value_name(t->m->plan, a->value, out);
    text_printf(out, " %s in trip %lld", a->more ? "true" : "false", (long long)a->at.trip);
    if (t->m->plan->values[a->value].queue >= 0)
        text_printf(out, " of tile %lld", (long long)a->at.tile);
}

static void tile_values(const witness_run *t, text *out)
{
    int64_t tile = 0;
    for (size_t i = 0; i < t->result->path.len; i++) {
        const steady_answer *a = &t->result->path.at[i];
        const plan_value *v = &t->m->plan->values[a->value];
        if (v->kind == PLAN_TILES && a->more)
            tile = a->from;
        if (v->of_trip)
            trip_value(t, a, out);
        else if (plan_of_tile(v) && is_last_word(t, i))
            tile_value(t, a, tile, out);
    }
}

/* "with k_tiles = 5, 2 tiles" or "in every execution". */
const char *witness_values(const witness_run *t)
{
    text out = {0};
    launch_values(t, &out);
    tile_values(t, &out);
    const char *s = out.len ? arena_strdup(&t->m->plan->kernel->arena, text_str(&out)) : "in every execution";
    text_free(&out);
    return s;
}

/* ---- what a proof covers ------------------------------------------------------------------------------- */

static void add_part(text *out, const char *part)
{
    text_printf(out, "%s%s", out->len ? ", " : "", part);
}

void witness_covered(const plan *p, const steady_result *result, text *out)
{
    bool tiles = false, skips = false, keys = false;
    for (int i = 0; i < p->value_count; i++) {
        const plan_value *v = &p->values[i];
        tiles |= v->kind == PLAN_TILES;
        skips |= v->kind == PLAN_SKIP;
        keys |= v->kind == PLAN_KEY;
        if (v->kind != PLAN_BOUND || !trips_of(v->loop).symbolic)
            continue;
        add_part(out, "");
        witness_value_name(p, i, out);
        if (v->queue >= 0 && trips_on_device(v->loop))
            text_add(out, " any in each tile");
        else if (trips_least_value(v->loop) > 0)
            text_printf(out, " >= %lld", (long long)trips_least_value(v->loop));
        else
            text_add(out, " any");
    }
    if (tiles)
        add_part(out, "any number of tiles");
    if (skips)
        add_part(out, "every skip pattern");
    if (keys)
        add_part(out, "every value of the conditions");
    if (!out->len)
        text_add(out, "the one execution there is, in every interleaving");
    if (result->period)
        text_printf(out, "; period %lld", (long long)result->period);
    if (p->ranks > 1)
        text_printf(out, "; clusters of %d CTAs", p->ranks);
}
