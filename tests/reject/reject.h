/* reject: declarations that the rules refuse, each beside its smallest accepted neighbour.
 *
 * A file holds the cases of one rule. A case declares a kernel; the call to mend stands on a line with BLAME. Texts
 * are compared to the letter, so this folder is also the catalogue of what an author gets to read. */
#ifndef WW_TESTS_REJECT_H
#define WW_TESTS_REJECT_H

#include "warpwright/diag.h"
#include "warpwright/kernel.h"
#include "warpwright/schedule.h"

#include <stddef.h>

/* The kernel that a case is declared on; zeros: one CTA of sm_90a. */
typedef struct reject_setting {
    const char *arch;
    ww_cluster cluster;
    bool pdl_wait_done;
    bool unmodelled; /* accepted; the prover may say that it does not model this (WW306), but nothing else */
} reject_setting;

typedef struct reject_case {
    const char *name; /* NULL ends a table */
    void (*declare)(ww_kernel *k);
    ww_code code; /* 0: accepted, and proved */
    const char *message, *expected, *found;
    reject_setting setting;
    const char *hint; /* NULL: not compared */
} reject_case;

typedef struct reject_params {
    int trips, tiles;
} reject_params;

/* The line that the diagnostic must name. */
extern ww_place reject_blamed;
#define BLAME (reject_blamed = WW_HERE)

/* A ring of 2 stages with one buffer "data" of 1024 bytes. Work: "fill" (producer; copies the buffer in rings that count
 * bytes), "use" (consumer), "touch" (auxiliary producer). */
ww_resource *reject_ring(ww_kernel *k, const char *name, ww_pipeline pipeline);
/* A ring of 2 stages without memory and work: tokens alone. */
ww_resource *reject_tokens(ww_kernel *k, const char *name);
/* A resource without pipeline and memory. Work: "get" (consumer), "put" (producer). */
ww_resource *reject_plain(ww_kernel *k, const char *name);
void reject_task(ww_kernel *k, const char *name, int first_warp, int warps, ww_schedule_function *schedule,
                 void *context);

/* A task that runs in one CTA of the cluster. */
void reject_pinned(ww_kernel *k, const char *name, int first_warp, int warps, int cta,
                   ww_schedule_function *schedule, void *context);

/* for each of `trips` trips: acquire, fill, commit; wait, use, release. The context is the ring. */
void reject_producer(ww_schedule *s, void *ring);
void reject_consumer(ww_schedule *s, void *ring);

#define reject_loop(s) ww_domain_loop(s, ww_imm(0), ww_arg(reject_params, trips, 0), ww_imm(1))

/* One table a file, see cases.def. */
#define REJECT_FILE(name) extern const reject_case reject_##name[];
#include "cases.def"
#undef REJECT_FILE

#endif
