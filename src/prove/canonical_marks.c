/* Thresholds and what reaches them. */
#include "prove/canonical.h"

void canonical_clear_marks(canonical *c)
{
    c->marks.len = c->values.len = 0;
}

canonical_mark *canonical_mark_at(canonical *c, int kind, int place, uint32_t threshold)
{
    canonical_mark m = {kind, place, threshold, -1, 0};
    vec_push(&c->marks, m);
    return vec_last(&c->marks);
}

/* ---- sorting: marks come in a few ascending runs ------------------------------------------------------- */

static size_t run_end(const uint32_t *at, size_t from, size_t len)
{
    while (from + 1 < len && at[from] <= at[from + 1])
        from++;
    return from + 1 < len ? from + 1 : len;
}

static void merge(const uint32_t *at, size_t from, size_t middle, size_t to, uint32_t *into)
{
    size_t a = from, b = middle;
    for (size_t i = from; i < to; i++)
        into[i] = b == to || (a < middle && at[a] <= at[b]) ? at[a++] : at[b++];
}

/* Merges neighbouring runs. Whether there was but one, and nothing to do. */
static bool merge_runs(uint32_t *at, size_t len, uint32_t *room)
{
    size_t from = 0;
    while (from < len) {
        size_t middle = run_end(at, from, len);
        if (from == 0 && middle == len)
            return true;
        size_t to = middle < len ? run_end(at, middle, len) : len;
        merge(at, from, middle, to, room);
        from = to;
    }
    memcpy(at, room, len * sizeof *at);
    return false;
}

static void keep_one_of_each(canonical *c)
{
    size_t kept = 0;
    for (size_t i = 0; i < c->thresholds.len; i++)
        if (!kept || c->thresholds.at[kept - 1] != c->thresholds.at[i])
            c->thresholds.at[kept++] = c->thresholds.at[i];
    c->thresholds.len = kept;
}

static void sort_thresholds(canonical *c)
{
    c->thresholds.len = 0;
    for (size_t i = 0; i < c->marks.len; i++)
        vec_push(&c->thresholds, c->marks.at[i].threshold);
    while (c->merged.cap < c->thresholds.len)
        vec_grow((void **)&c->merged.at, &c->merged.cap, sizeof *c->merged.at);
    while (!merge_runs(c->thresholds.at, c->thresholds.len, c->merged.at))
        ;
    keep_one_of_each(c);
}

/* ---- classes ------------------------------------------------------------------------------------------- */

enum { NEAR = 4 };

static size_t reaches_far(const canonical *c, uint32_t value)
{
    size_t least = 0, most = c->thresholds.len;
    while (least < most) {
        size_t middle = (least + most) / 2;
        if (c->thresholds.at[middle] > value)
            most = middle;
        else
            least = middle + 1;
    }
    return least;
}

/* How many thresholds a value reaches. Values often come in order. */
static uint32_t reaches(canonical *c, uint32_t value)
{
    const uint32_t *at = c->thresholds.at;
    size_t n = c->finger, len = c->thresholds.len;
    for (int tries = 0; tries < NEAR; tries++) {
        if (n && at[n - 1] > value)
            n--;
        else if (n < len && at[n] <= value)
            n++;
        else
            return (uint32_t)(c->finger = n);
    }
    return (uint32_t)(c->finger = reaches_far(c, value));
}

void canonical_begin_values(canonical *c)
{
    sort_thresholds(c);
    c->finger = 0;
    c->values.len = 0;
    while (c->classes.cap < c->thresholds.len + 2)
        vec_grow((void **)&c->classes.at, &c->classes.cap, sizeof *c->classes.at);
    c->classes.len = c->thresholds.len + 2;
    memset(c->classes.at, 0, c->classes.len * sizeof *c->classes.at);
}

uint32_t canonical_add_value(canonical *c, uint32_t value)
{
    uint32_t n = reaches(c, value);
    vec_push(&c->values, n);
    c->classes.at[n + 1] = 1;
    return n;
}

void canonical_end_values(canonical *c)
{
    for (size_t i = 1; i < c->classes.len; i++)
        c->classes.at[i] += c->classes.at[i - 1];
}

uint32_t canonical_class_of_mark(canonical *c, const canonical_mark *at)
{
    return c->classes.at[reaches(c, at->threshold)];
}
