/* corpus: bugs that people have reported of warp-specialised kernels, as declarations.
 *
 * A case shows a bug in its smallest form: `faulty`, which a rule or the prover refuses, beside `twin`, the same kernel
 * mended, which is accepted and proved. Where a declaration has no words for the mistake there is no faulty form; then
 * the case says which text of the generated code stands in its place. corpus.def lists the bugs, docs/corpus.md tells
 * how each is caught. */
#ifndef WW_TESTS_CORPUS_H
#define WW_TESTS_CORPUS_H

#include "warpwright/diag.h"
#include "warpwright/kernel.h"
#include "warpwright/schedule.h"

#include <stdbool.h>
#include <stddef.h>

enum { CORPUS_LINES = 4 };

typedef struct corpus_case {
    const char *bug;  /* number of corpus.def; NULL ends a table */
    const char *name; /* what is wrong with the faulty form, or what holds */
    void (*faulty)(ww_kernel *k);
    ww_code code;        /* of the first diagnostic */
    const char *message; /* how it begins */
    void (*twin)(ww_kernel *k);
    const char *arch; /* NULL: sm_90a */
    ww_cluster cluster;
    const char *emits[CORPUS_LINES]; /* found in the twin's code one after the other */
    /* The declaration is right; the faulty form has a wrong body (bodies.cuh), which the audit finds. */
    bool audited;
} corpus_case;

typedef struct corpus_params {
    int trips, tiles;
} corpus_params;

/* A ring of one buffer "data" of 1024 bytes, of 2 stages if the pipeline does not say. Work: "fill" (producer; a copy of
 * the buffer in rings that count bytes), "use" (consumer). */
ww_resource *corpus_ring(ww_kernel *k, const char *name, ww_pipeline pipeline);
/* A resource without pipeline and memory. Work: "get" (consumer) and "test" (consumer, makes a bool). */
ww_resource *corpus_plain(ww_kernel *k, const char *name);
void corpus_task(ww_kernel *k, const char *name, int first_warp, int warps, ww_schedule_function *schedule,
                 void *context);

/* One bracket: acquire, fill, commit; wait, use, release. */
void corpus_fill(ww_schedule *s, ww_resource *ring);
void corpus_use(ww_schedule *s, ww_resource *ring);
/* A bracket in each of `trips` trips. The context is the ring. */
void corpus_producer(ww_schedule *s, void *ring);
void corpus_consumer(ww_schedule *s, void *ring);

#define corpus_loop(s) ww_domain_loop(s, ww_imm(0), ww_arg(corpus_params, trips, 0), ww_imm(1))

/* One table a file, see corpus.def. */
#define CORPUS_FILE(name) extern const corpus_case corpus_##name[];
#include "corpus.def"
#undef CORPUS_FILE

#endif
