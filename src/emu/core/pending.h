/* pending.h: asynchronous operations that have been issued and not yet carried out.
 *
 * Issuing computes addresses and checks them; carrying out moves the bytes and tells the barriers. What lies between is
 * the launch's choice (emu_async_order): a program that relies on more than the ISA promises sees old
 * data. Operations belong to a cluster and are kept in the order of issue. */
#ifndef WW_EMU_CORE_PENDING_H
#define WW_EMU_CORE_PENDING_H

#include "emu/async/async.h"
#include "emu/async/umma.h"
#include "emu/core/core.h"

struct pending;
typedef void pending_run(struct pending *p);

/* By which wait_group an operation can be waited for. */
typedef enum pending_kind {
    PENDING_LOOSE,       /* by an mbarrier only */
    PENDING_COPY,        /* cp.async.wait_group, wait_all */
    PENDING_BULK,        /* cp.async.bulk.wait_group */
    PENDING_WGMMA,       /* wgmma.wait_group */
    PENDING_TMEM_LOAD,   /* tcgen05.wait::ld */
    PENDING_TMEM_STORE,  /* tcgen05.wait::st */
    PENDING_UMMA,        /* tcgen05.mma, .cp: by a later tcgen05.commit's mbarrier */
    PENDING_UMMA_ARRIVE, /* that commit's arrival */
} pending_kind;

/* Bytes in a row: cp.async.bulk, cp.reduce.async.bulk. Shared places are offsets, the same in each CTA of `ctas`. */
typedef struct pending_bulk {
    const uint8_t *from;
    uint8_t *to; /* global destination, or NULL */
    uint32_t bytes, to_offset, barrier_offset;
    uint32_t ctas; /* a bit a rank: whose shared memory is written, whose barrier is told */
    bool reduces;
    async_reduction reduction;
    emu_element element;
} pending_bulk;

typedef struct pending_tensor {
    emu_tensor map;
    int32_t coord[EMU_TENSOR_MAX_RANK];
    uint32_t offset, barrier_offset, ctas;
    bool pair; /* .cta_group::2: of each destination's pair, one barrier is told: see pending.tell */
    bool reduces;
    async_reduction reduction;
} pending_tensor;

/* cp.async: each lane a few bytes. */
typedef struct pending_copy {
    uint8_t *to[WARP_LANES];
    const uint8_t *from[WARP_LANES];
    uint8_t have[WARP_LANES]; /* bytes read; the rest of `bytes` is zero */
    uint32_t bytes;
} pending_copy;

/* cp.async.mbarrier.arrive: each lane an arrival. */
typedef struct pending_arrive {
    uint32_t offset[WARP_LANES];
} pending_arrive;

/* st.async, red.async: a value to another CTA. */
typedef struct pending_remote {
    uint8_t *to;
    uint8_t value[16];
    uint32_t bytes, rank, barrier_offset;
    int operation; /* of red.async; -1: st.async */
    ptx_type type;
} pending_remote;

typedef struct pending_wgmma {
    const op *op;
    async_wgmma shape;
    uint64_t desc_a, desc_b;
} pending_wgmma;

/* clusterlaunchcontrol.try_cancel. Places are offsets, the same in each CTA of `ctas`. */
typedef struct pending_cancel {
    uint32_t offset, barrier_offset, ctas;
    uint32_t record[4]; /* the answer; 0: not yet there */
} pending_cancel;

/* tcgen05.ld, .st: registers are o->list; `copy` holds what is stored. */
typedef struct pending_tmem {
    const op *op;
    uint32_t lane, column;
} pending_tmem;

/* tcgen05.mma, .cp. ctas: the first one and how many. */
typedef struct pending_umma {
    const op *op;
    async_umma shape;
    uint64_t desc_a, desc_b;
    uint32_t a_tmem, d_tmem, a_factors, b_factors;
    bool a_in_tmem;
    cta *first;
} pending_umma;

/* tcgen05.commit */
typedef struct pending_commit {
    uint32_t offset, ctas;
} pending_commit;

typedef struct pending {
    struct pending *next, *previous;
    pending_run *run;
    pending_run *read; /* takes a copy of what is read from shared memory; NULL: nothing is */
    warp *warp;        /* who issued it, and where */
    uint32_t pc, lanes;
    size_t step; /* of the script, in which it was issued, plus 1 */
    pending_kind kind;
    uint32_t group;
    uint32_t reads, writes; /* ranks whose shared memory is read, written */
    /* It may land in one CTA after the other: where the ranks it goes to are kept; NULL: it goes to one. */
    uint32_t *ctas;
    enum {
        TELL_ITSELF,
        TELL_EVEN,
        TELL_ODD
    } tell; /* whose barrier is told: the CTA's itself, or one of its pair's */
    const char *what;
    uint8_t *copy;                            /* what `read` has taken */
    uint32_t *clock, sequence;                /* for check/races.c: what its warp knew; number in its pipe */
    uint8_t pipe;                             /* race_pipe + 1; 0: none */
    uint32_t tmem_ctas, tmem_first, tmem_end; /* ranks whose tensor memory is used, and its columns */
    union {
        pending_bulk bulk;
        pending_tensor tensor;
        pending_copy lanes_copy;
        pending_arrive arrive;
        pending_remote remote;
        pending_wgmma wgmma;
        pending_cancel cancel;
        pending_tmem tmem;
        pending_umma umma;
        pending_commit commit;
    };
} pending;

pending *pending_new(warp *w, uint32_t lanes, const char *what, pending_run *run);
void pending_issue(pending *p);

/* Carries out what the lanes of w have in groups older than their newest `keep` ones; with `all`, what they have
 * not committed too. */
void pending_wait(warp *w, pending_kind kind, uint32_t lanes, uint32_t keep, bool all);
/* The same, but only as far as reading the source goes. */
void pending_wait_read(warp *w, uint32_t lanes, uint32_t keep);
/* The number of the first operation of a pipe of w that is not over, from 1; 0: there is none. */
uint32_t pending_first_sequence(const warp *w, uint8_t pipe);
/* An operation on any of these columns of c's tensor memory that has not been carried out; NULL: none. */
const char *pending_on_tmem(const cta *c, uint32_t first, uint32_t end);

/* The rank of the CTA whose barrier is told of what lands in a CTA. */
uint32_t pending_told(const pending *p, uint32_t rank);

/* A place in shared memory: whose, and where in it. */
typedef struct shared_place {
    cta *cta;
    uint32_t offset;
} shared_place;

/* The one that an address operand of a lane names. */
shared_place pending_place(warp *w, const op *o, uint32_t lane, uint32_t address_index, uint32_t bytes,
                           uint32_t alignment);

/* Carries out the operations of that kind which the same lanes issued before p. */
void pending_finish_before(pending *p, pending_kind kind);

#endif
