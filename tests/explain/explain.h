/* explain: what the examples of docs/explain share. A file there is named after a diagnostic and has two marked regions,
 *
 *     / * wrong: in a few words * /   ...   / * end * /      and      / * right: ... * /   ...   / * end * /
 *
 * which `ww explain` and docs/diagnostics.md print. The rest of the file makes kernels of them, so that explain_test can
 * hold them to it: the wrong one gives that diagnostic and no other, the right one none. A region "given: ..." is printed
 * before both. The header of work bodies, named after the diagnostic too, may have some of the regions. */
#ifndef WW_TESTS_EXPLAIN_H
#define WW_TESTS_EXPLAIN_H

#include "warpwright/warpwright.h"
#include "tile_params.h"

typedef struct explain_case {
    ww_code code;
    void (*wrong)(ww_kernel *k), (*right)(ww_kernel *k);
    ww_kernel *(*new_wrong)(void), *(*new_right)(void); /* in place of them: what is shown makes the kernel */
    const char *arch;                                   /* NULL: sm_90a */
    ww_cluster cluster;
    bool loses_a_fence; /* the wrong one, once it is lowered: no declaration can leave one out */
    bool unmodelled;    /* of the right one the prover may say that it does not model it */
    /* 4xx and 5xx: the header of work bodies; whether the audit of these bodies says it, or else a run: what is done once
     * the kernel is loaded. */
    const char *body_wrong, *body_right;
    bool audited;
    void (*run_wrong)(ww_run *r), (*run_right)(ww_run *r);
} explain_case;

#define EXPLAIN(number, ...) const explain_case explain_##number = {.code = (ww_code)(number), __VA_ARGS__}

/* A ring "tile" with one buffer "data" of 1024 bytes; work: "fill" (copies the buffer in types that count bytes), "use". */
ww_resource *explain_ring(ww_kernel *k, const char *name, ww_pipeline pipeline);
/* A resource without memory; work: "get" (consumer), "put" (producer). */
ww_resource *explain_plain(ww_kernel *k, const char *name);
void explain_task(ww_kernel *k, const char *name, int first_warp, int warps, ww_schedule_function *schedule,
                  void *context);
/* A ring "tile", a task "load" of warp 0 and a task "store" of warp 1 with that context. */
void explain_pair(ww_kernel *k, ww_pipeline pipeline, ww_schedule_function *load,
                  ww_schedule_function *store);

/* A ring "tile" as above with work of one's own, and with a task "load" of warp 0 and a task "store" of warp 1 that hand it
 * on: the only producer work and the only consumer work of that table. */
ww_resource *explain_ring_of(ww_kernel *k, ww_pipeline pipeline, const ww_work *work);
void explain_handed_on(ww_kernel *k, ww_pipeline pipeline, const ww_work *work);

/* Every trip: acquire, fill, commit; wait, use, release. The context is the ring. */
void explain_load(ww_schedule *s, void *tile);
void explain_store(ww_schedule *s, void *tile);
/* The same with the only work of that side, whatever its name. */
void explain_hand_over(ww_schedule *s, void *tile);
void explain_take_over(ww_schedule *s, void *tile);
/* Every trip: get. The context is a plain resource. */
void explain_look_up(ww_schedule *s, void *table);

#endif
