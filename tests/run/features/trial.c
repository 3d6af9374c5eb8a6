/* What the families share: declaring a kernel of this folder, memory on the device, comparing. */
#include "feature.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- declaring ------------------------------------------------------------------------------------------- */

ww_kernel *feature_kernel(const char *name, const char *body, const char *params, size_t params_bytes,
                          ww_cluster cluster)
{
    return ww_kernel_new(name, &(ww_kernel_options){.body = body,
                                                    .body_folder = FEATURES_FOLDER,
                                                    .params = params,
                                                    .params_bytes = params_bytes,
                                                    .cluster = cluster,
                                                    .allow_unproved = true});
}

ww_kernel *words_kernel(const char *name, const char *body, ww_cluster cluster)
{
    return feature_kernel(name, body, "words_params", sizeof(struct words_params), cluster);
}

void feature_task(ww_kernel *k, const char *name, int first_warp, int warps, ww_schedule_function *schedule,
                  void *context)
{
    ww_task_new(k, name,
                &(ww_task_options){
                    .first_warp = first_warp, .warps = warps, .schedule = schedule, .context = context});
}

/* ---- failures -------------------------------------------------------------------------------------------- */

static void complain(trial *t, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    if (!*t->wrong)
        (void)vsnprintf(t->wrong, sizeof t->wrong, format, values);
    va_end(values);
}

/* Whether all is well so far; takes over what the run has to say. */
static bool goes_on(trial *t)
{
    if (ww_run_error(t->run))
        complain(t, "%s", ww_run_error(t->run));
    return !*t->wrong;
}

static void *room_for(size_t bytes)
{
    void *p = malloc(bytes);
    if (!p)
        abort();
    return p;
}

/* ---- memory and launches ------------------------------------------------------------------------------------ */

uint64_t trial_room(trial *t, size_t bytes)
{
    uint64_t at = goes_on(t) ? ww_run_alloc(t->run, bytes) : 0;
    return goes_on(t) ? at : 0;
}

uint64_t trial_put(trial *t, const void *data, size_t bytes)
{
    uint64_t at = trial_room(t, bytes);
    if (at)
        ww_run_upload(t->run, at, data, bytes);
    return at;
}

void trial_launch(trial *t, const void *params, uint32_t x, uint32_t y, uint32_t z)
{
    if (goes_on(t))
        ww_run_launch(t->run, &(ww_launch){.params = params, .grid = {x, y, z}});
}

void trial_go(trial *t, const void *params, uint32_t x, uint32_t y, uint32_t z)
{
    trial_launch(t, params, x, y, z);
    if (goes_on(t))
        ww_run_wait(t->run);
    (void)goes_on(t);
}

static void compare(trial *t, const char *what, const uint32_t *found, const uint32_t *expected, size_t words)
{
    size_t differ = 0, first = 0;
    for (size_t i = words; i-- > 0;)
        if (found[i] != expected[i]) {
            differ++;
            first = i;
        }
    if (differ)
        complain(t, "%s: %zu of %zu words differ; [%zu] is 0x%x, expected 0x%x", what, differ, words, first,
                 found[first], expected[first]);
}

void trial_expect(trial *t, const char *what, uint64_t at, const uint32_t *expected, size_t words)
{
    if (!goes_on(t) || !words)
        return;
    uint32_t *found = room_for(words * sizeof *found);
    ww_run_download(t->run, found, at, words * sizeof *found);
    if (goes_on(t))
        compare(t, what, found, expected, words);
    free(found);
}

/* ---- inputs ------------------------------------------------------------------------------------------------- */

/* The highest bit is never set, so that nothing looks like fresh memory. */
uint32_t input_word(size_t i)
{
    uint32_t x = (uint32_t)i * 2654435761u + 12345u;
    x ^= x >> 15;
    return (x * 2246822519u) >> 1;
}

uint32_t *input_words(size_t count)
{
    uint32_t *words = room_for(count * sizeof *words);
    for (size_t i = 0; i < count; i++)
        words[i] = input_word(i);
    return words;
}

/* ---- rows of words -------------------------------------------------------------------------------------------- */

uint32_t row_word(const struct words_params *p, size_t cta, size_t row, size_t w)
{
    return input_word((cta * (size_t)p->trips + row) * ROW_WORDS + w);
}

uint32_t backward_word(const struct words_params *p, size_t cta, size_t row, size_t w, const void *form)
{
    (void)form;
    return row_word(p, cta, row, ROW_WORDS - 1 - w);
}

static void expect_rows(trial *t, const struct words_params *p, size_t ctas, expected_word *expected,
                        const void *form)
{
    size_t rows = (size_t)p->trips;
    uint32_t *words = room_for((ctas * rows + 1) * ROW_BYTES);
    for (size_t cta = 0; cta < ctas; cta++)
        for (size_t row = 0; row < rows; row++)
            for (size_t w = 0; w < ROW_WORDS; w++)
                words[(cta * rows + row) * ROW_WORDS + w] = expected(p, cta, row, w, form);
    char what[32];
    (void)snprintf(what, sizeof what, "%d rows", p->trips);
    trial_expect(t, what, (uint64_t)p->out, words, ctas * rows * ROW_WORDS);
    free(words);
}

static void pass_rows(trial *t, passing_grid grid, int trips, expected_word *expected, const void *form)
{
    size_t ctas = (size_t)grid.x * grid.y * grid.z, words = ctas * (size_t)trips * ROW_WORDS;
    uint32_t *input = input_words(words + ROW_WORDS); /* one row more: there may be none */
    struct words_params p = {.trips = trips, .pairs = trips / 2};
    p.in = (const uint32_t *)trial_put(t, input, (words + ROW_WORDS) * sizeof *input);
    p.out = (uint32_t *)trial_room(t, (words + ROW_WORDS) * sizeof *input);
    free(input);
    trial_go(t, &p, grid.x, grid.y, grid.z);
    expect_rows(t, &p, ctas, expected, form);
}

void trial_pass_rows(trial *t, passing_grid grid, const int *trips, expected_word *expected, const void *form)
{
    for (; *trips >= 0; trips++)
        pass_rows(t, grid, *trips, expected, form);
}
