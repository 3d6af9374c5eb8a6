/* fences.h: memory that one proxy has written and the other accesses without a fence between, and tensor memory that
 * goes from warp to warp without its fences (PTX ISA, "Proxies", "tcgen05 memory consistency model").
 *
 * Only what is wrong in the order that is executed is told: a fence of any thread of the CTA counts, whether or not the
 * write is ordered before it. So nothing is told of a right program, and not all is told of a wrong one.
 *
 *   threads, cp.async   note what they have written, by granules of 16 bytes: an engine takes no less
 *   fence.proxy.async   counts; a granule is stale if the count is still that of its last write
 *   engines             (TMA, bulk copies, wgmma, tcgen05, launch control) look, when they are issued
 *   tcgen05             notes who has read and written each column of each half of a quarter of the lanes, and looks whether
 *                       that warp has fenced since, and the one at hand after it */
#ifndef WW_EMU_CHECK_FENCES_H
#define WW_EMU_CHECK_FENCES_H

#include "emu/core/core.h"

enum { FENCE_GRANULE = 16, FENCE_PARTS = 8, FENCE_BEFORES = 64, FENCE_ALL_PARTS = 0xff };

/* Of a cluster; NULL where nothing is checked. */
void fences_start(cluster *c);
void fences_free(cluster *c);

/* The lanes have written `bytes` at these places of the host, in a step of the script; nothing if that is not shared memory. */
void fences_written(const warp *w, size_t step, uint32_t mask, uint8_t *const *at, uint32_t bytes);
/* fence.proxy.async: of the CTA's own shared memory, or of the cluster's. */
void fences_proxy(const warp *w, bool all_ctas);
/* An engine is told to access shared memory; `doing`: "a bulk copy reads". */
void fences_engine(warp *w, const cta *c, uint32_t offset, uint32_t bytes, const char *doing);

/* A multiply is told to read 16 bytes of a matrix: the script is told of it, too. */
typedef struct fences_matrix {
    warp *warp;
    const cta *cta;
    const char *doing;
    int pipe; /* race_pipe */
} fences_matrix;

/* Whether anybody wants to be told of matrices. */
static inline bool fences_want_matrices(const cluster *c)
{
    return c->fences || c->races || script_runs(c);
}
void fences_chunk(void *matrix, uint32_t address); /* an async_chunk */

/* tcgen05.fence, and what a commit has of it. */
void fences_before_sync(const warp *w);
void fences_after_sync(const warp *w);
/* Columns of tensor memory are read or written; parts: bits, of 16 lanes each. */
void fences_tensor(warp *w, const cta *c, uint32_t parts, uint32_t first, uint32_t count, bool writes,
                   const char *doing);
/* They are new. */
void fences_allocated(const cta *c, uint32_t first, uint32_t count);

#endif
