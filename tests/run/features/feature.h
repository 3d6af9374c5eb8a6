/* feature: small Hopper kernels, one a construct, each compared with what the host computes, on the emulator and on a
 * GPU. A family is a file: it declares its kernels through the public API and says what must come out. */
#ifndef FEATURE_H
#define FEATURE_H

#include "warpwright/warpwright.h"
#include "words_params.h"

/* One kernel on its way through a device. What goes wrong first is kept; later calls do nothing. */
typedef struct trial {
    ww_run *run;
    char wrong[1024]; /* "": nothing so far */
} trial;

typedef struct feature {
    const char *name; /* a C identifier */
    ww_kernel *(*declare)(const struct feature *f, const char *kernel);
    void (*check)(trial *t, const struct feature *f);
    const void *form; /* what both want to know of this kernel */
} feature;

typedef struct family {
    const char *name;
    const feature *features; /* ended by a row without a name */
    const char *arch;        /* that its kernels are for, unless Hopper's: skipped on a GPU of another */
} family;

extern const family rings_family, bulk_family, gemms_family, stores_family, peers_family, turns_family,
    named_family, groups_family, multicast_family, queues_family, schedules_family, aliases_family,
    pdl_family, only_family, blackwell_family;

/* ---- declaring ------------------------------------------------------------------------------------------- */

/* A kernel whose bodies are BODY.cuh of this folder. */
ww_kernel *feature_kernel(const char *name, const char *body, const char *params, size_t params_bytes,
                          ww_cluster cluster);
/* One of words.cuh's kind. */
ww_kernel *words_kernel(const char *name, const char *body, ww_cluster cluster);

#define ONE_CTA ((ww_cluster){0})

/* A task of warps first .. first + count - 1. */
void feature_task(ww_kernel *k, const char *name, int first_warp, int warps, ww_schedule_function *schedule,
                  void *context);

static inline ww_bound trips_from(int least)
{
    return ww_arg(struct words_params, trips, least);
}

/* ---- running --------------------------------------------------------------------------------------------- */

/* Device memory with that content; or full of ones. */
uint64_t trial_put(trial *t, const void *data, size_t bytes);
uint64_t trial_room(trial *t, size_t bytes);
/* Launches; and waits. */
void trial_launch(trial *t, const void *params, uint32_t x, uint32_t y, uint32_t z);
void trial_go(trial *t, const void *params, uint32_t x, uint32_t y, uint32_t z);
/* Compares device memory, word by word. */
void trial_expect(trial *t, const char *what, uint64_t at, const uint32_t *expected, size_t words);

/* Any number, never all ones. */
uint32_t input_word(size_t i);
/* `count` of them. Freed by the caller. */
uint32_t *input_words(size_t count);

/* ---- kernels that pass rows of words ----------------------------------------------------------------------- */

typedef struct passing_grid {
    uint32_t x, y, z;
} passing_grid;

/* What word w of row `row` of a CTA must be in the output; CTAs are counted along x first. */
typedef uint32_t expected_word(const struct words_params *p, size_t cta, size_t row, size_t w,
                               const void *form);

/* Runs with each of those numbers of rows (the list ends with -1), and compares the whole output. */
void trial_pass_rows(trial *t, passing_grid grid, const int *trips, expected_word *expected,
                     const void *form);
/* Word w of a row of the input, and of the row read backwards: what most kernels put out. */
uint32_t row_word(const struct words_params *p, size_t cta, size_t row, size_t w);
uint32_t backward_word(const struct words_params *p, size_t cta, size_t row, size_t w, const void *form);

#endif
