/* core.h: the state of a running grid, and what the files of core ask of each other.
 *
 *   grid     one launch; its clusters are handed to host threads one by one
 *   cluster  the CTAs that run together, on one host thread at a time: nothing in it needs a lock
 *   cta      shared memory, warps, named barriers
 *   warp     32 lanes; registers; `groups` of lanes that are at the same pc (divergence.c)
 *
 * A handler that cannot go on because of the program reports by warp_fault, which does not return: it leaves by
 * longjmp to the cluster's loop. Handlers therefore own no memory while they may fault. */
#ifndef WW_EMU_CORE_CORE_H
#define WW_EMU_CORE_CORE_H

#include <setjmp.h>
#include <stdatomic.h>

#include "emu/core/op.h"
#include "emu/core/program.h"
#include "emu/emu.h"

enum {
    SHARED_RESERVED = 1024, /* the system's part of shared memory; nothing of a kernel lies below */
    SHARED_RANK_SHIFT = 24, /* a shared address is rank in the cluster << 24 | offset */
    SHARED_MAX = 227 << 10, /* what a kernel may ask for on compute capability 9.0 */
    CLUSTER_MAX = 16,
    NAMED_BARRIERS = 16,
    TMEM_LANES = 128,
    TMEM_COLUMNS = 512,
    TMEM_UNIT = 32, /* columns are allocated in multiples of it */
    WARPS_MAX = 32,
};

/* Generic addresses: global memory lies where the host has it; the other spaces have windows that no host
 * address falls into. */
#define WINDOW_SHARED (UINT64_C(1) << 56)
#define WINDOW_LOCAL (UINT64_C(2) << 56)
#define WINDOW_PARAM (UINT64_C(3) << 56)
#define WINDOW_MASK (UINT64_C(0xff) << 56)

/* ---- global memory ---------------------------------------------------------------------------------- */

typedef struct memory_block {
    uint64_t address, bytes;
    bool read_only;
} memory_block;

typedef struct memory_map { /* sorted by address */
    memory_block *blocks;
    size_t count;
} memory_map;

/* The block that holds [address, address + bytes), or NULL. */
const memory_block *memory_find(const memory_map *map, uint64_t address, uint64_t bytes);

struct emu_machine {
    VEC(memory_block) blocks; /* sorted by address */
};

/* ---- grid ------------------------------------------------------------------------------------------- */

typedef struct grid {
    const emu_launch *launch;
    const program *program;
    memory_map memory;
    const uint8_t *params;
    uint32_t grid[3], block[3], cluster[3];
    uint32_t threads, cluster_count;
    uint32_t sm_count, dynamic_shared_bytes;
    bool explicit_cluster;
    atomic_bool stopping;       /* a cluster has failed: others may give up */
    struct launch_state *state; /* launch.c */
} grid;

/* Takes a cluster that has not started out of the launch, so that it never will. False when there is none. */
bool grid_cancel(grid *g, uint32_t *index);

#define GRID(w) ((w)->cta->cluster->grid)

/* ---- warps ------------------------------------------------------------------------------------------ */

/* What a group of lanes waits for. */
typedef enum wait_kind {
#define WAIT_KIND(name, ready, describe) WAIT_##name,
#include "emu/core/waits.def"
#undef WAIT_KIND
    WAIT_KIND_COUNT
} wait_kind;

typedef struct wait {
    wait_kind kind;
    bool timed_out;      /* MBARRIER: woken although the phase has not completed */
    struct cta *cta;     /* MBARRIER: whose barrier */
    uint32_t address;    /* MBARRIER: its offset in shared memory */
    uint32_t parity;     /* MBARRIER: of the phase awaited; TMEM: the CTAs that allocate together */
    uint32_t id;         /* NAMED: the barrier; TMEM: the columns */
    uint32_t generation; /* NAMED, CLUSTER: of the phase awaited */
    uint32_t members;    /* LANES: those who must come */
    bool aligned;        /* LANES: for an .aligned instruction */
    uint64_t until;      /* SLEEP: the cluster's turn */
} wait;

/* Lanes of a warp that are at the same pc. */
typedef struct group {
    uint32_t lanes, pc;
    uint32_t join; /* index of the join they are heading for, NO_JOIN */
    wait wait;
} group;

/* Where the sides of a divergent branch meet: complete when all `expected` lanes have arrived. */
typedef struct join {
    uint32_t pc;
    uint32_t expected, arrived; /* lanes; expected 0: free */
    uint32_t parent;
} join;

#define NO_JOIN UINT32_MAX

enum { JOINS_MAX = 64 };

typedef struct warp {
    uint8_t *file[2];    /* registers, constants */
    uint32_t pc, active; /* of the group that runs */
    uint32_t stop_join;  /* pc at which that group has reached its join */
    uint32_t stop_merge; /* pc at which it meets another group */
    bool leave;          /* a handler asks for another group or warp to run */
    uint32_t carry;      /* CC.CF, a bit a lane */
    uint32_t live;       /* lanes that have not exited */
    uint32_t launched;   /* lanes that exist */
    uint32_t index;      /* in the CTA */
    uint32_t group_count, current;
    group groups[WARP_LANES];
    join joins[JOINS_MAX];
    struct cta *cta;
    uint8_t *local;             /* local memory, lane after lane */
    const memory_block *recent; /* the block of global memory used last */
    uint64_t instructions;
    uint32_t slice;    /* instructions since groups last took turns */
    uint32_t unprobed; /* instructions since the warp was last asked whether it spins */
    /* cp.async and bulk copies: groups committed by each lane, and operations in each lane's open group */
    uint32_t copy_group[WARP_LANES], bulk_group[WARP_LANES];
    uint32_t wgmma_group;
    uint32_t pending_copies, pending_bulk, pending_wgmma; /* operations in the queue */
    uint32_t pending_tmem_loads, pending_tmem_stores;
    /* barrier.cluster: lanes that have arrived and not waited yet, and in which phase */
    uint32_t cluster_arrived, cluster_phase;
    uint32_t max_registers;     /* by setmaxnreg; 0: never set */
    uint32_t fruitless;         /* try_waits that failed while nothing happened in the cluster ... */
    uint64_t fruitless_effects; /* ... since its count of effects was this */
    size_t step;                /* of the script, that it is in, plus 1; 0: none */
    bool granted;               /* it may pass the mark it is at */
} warp;

typedef struct named_barrier {
    uint32_t expected, arrived; /* threads; arrived 0: idle */
    uint32_t generation;
    bool implicit;           /* expected: all threads that have not exited */
    uint32_t popc, all, any; /* of bar.red in this phase */
    uint32_t last_popc, last_all, last_any;
} named_barrier;

/* The tensor memory of a CTA (tmem.c). */
typedef struct tensor_memory {
    uint32_t *words;    /* [column][lane]; NULL: the kernel uses none */
    uint32_t owned;     /* bits: units of TMEM_UNIT columns that are allocated */
    uint32_t requested; /* columns that a warp of this CTA waits for together with the peer's; 0: none */
    uint32_t granted;   /* what the peer has allocated for both: first column + 1; 0: nothing */
    bool relinquished;
    uint8_t cta_group; /* that the CTA's tcgen05 instructions have; 0: none yet */
} tensor_memory;

typedef struct cta {
    struct cluster *cluster;
    uint32_t rank, linear;
    uint32_t ctaid[3];
    uint8_t *shared; /* from shared address 0 on, SHARED_RESERVED included */
    uint32_t shared_bytes;
    uint64_t *barrier_words; /* for each 8 bytes of shared memory, the mbarrier there; 0: none */
    warp *warps;
    uint32_t warp_count, live_warps;
    named_barrier named[NAMED_BARRIERS];
    struct tensor_memory tmem;
} cta;

/* How far a script has come (script.c). */
typedef struct script_run {
    const emu_script *script; /* NULL: there is none */
    emu_told *told;
    size_t next;        /* the step to come */
    uint32_t completed; /* phases of the watched barrier */
    bool ended;         /* all run as they like */
    arena scratch;
} script_run;

typedef struct cluster {
    grid *grid;
    uint32_t index;
    uint32_t cta_count;
    cta ctas[CLUSTER_MAX];
    uint64_t effects;                        /* counts what may let a waiting thread go on */
    uint64_t turn;                           /* rounds of the scheduler */
    uint32_t idle_turns;                     /* rounds without an effect */
    bool hung;                               /* nothing can happen any more but by another cluster */
    uint32_t barrier_phase, barrier_arrived; /* barrier.cluster: threads arrived in this phase */
    struct async_queue *queue;
    struct fence_state *fences; /* check/fences.c; NULL: not looked at */
    struct race_state *races;   /* check/races.c; likewise */
    script_run script;
    bool cancel_refused; /* a thread has read that a request of cluster launch control was refused */
    uint64_t random;     /* state of the generator behind EMU_ASYNC_RANDOM */
    uint64_t instructions;
    jmp_buf failed;
    emu_status status;
    text report;
    uint8_t *probe; /* registers of a warp, before */
    size_t probe_bytes;
    uint8_t *memory; /* registers, local and shared memory of all CTAs, in one piece */
    size_t memory_bytes;
} cluster;

#define CLUSTER(w) ((w)->cta->cluster)

/* ---- faults (check/report.c) ------------------------------------------------------------------------ */

/* The launch ends: EMU_FAULT, with who, where and what. */
_Noreturn void warp_fault(warp *w, const char *fmt, ...) PRINTF_LIKE(2, 3);
_Noreturn void lane_fault(warp *w, uint32_t lane, const char *fmt, ...) PRINTF_LIKE(3, 4);
_Noreturn void warp_unsupported(warp *w, const char *fmt, ...) PRINTF_LIKE(2, 3);
_Noreturn void cta_fault(cta *c, const char *fmt, ...) PRINTF_LIKE(2, 3);
_Noreturn void report_deadlock(cluster *c);

void report_warp(const warp *w, text *out); /* "CTA (0,0,0), warp 3 (task load)" */
void report_line(const warp *w, uint32_t pc, text *out);
void report_where(const warp *w, text *out); /* who it is, and what it waits for */

/* "0x00408 (smem_ab.full[2])" */
void report_shared_address(const cta *c, uint32_t offset, text *out);

/* ---- divergence.c ----------------------------------------------------------------------------------- */

void divergence_start(warp *w);
/* The group that runs splits: `lanes` of it go to pc, the others stay at the next instruction. Both are
 * expected at join_pc, unless that is NO_PC. */
void divergence_split(warp *w, uint32_t lanes, uint32_t pc, uint32_t join_pc);
/* The group that runs has used its turn: lets its lanes arrive at their join, merges groups that have met,
 * and picks the next group that can run. False when none can. */
bool divergence_select(warp *w);
void divergence_exit(warp *w, uint32_t lanes);
bool divergence_lanes_wait(const warp *w); /* some lanes wait at a join */
/* Lanes that wait at a join go on without the missing ones. False when no lanes wait. */
bool divergence_release(warp *w);
/* True when all of `members` that still live execute the instruction together (mask: those who do now).
 * Otherwise the group waits for the missing ones here, and all of them then execute it again, as one. */
bool divergence_gather(warp *w, uint32_t mask, uint32_t members);
uint32_t divergence_waiting_at(const warp *w, uint32_t pc); /* lanes that wait for others at pc */
/* The same for .aligned, which the whole warp has to execute. */
bool divergence_aligned(warp *w, uint32_t mask);
/* True when lanes wait for the rest of the warp at an .aligned instruction; faults when that is in vain. */
bool divergence_stuck_at_aligned(warp *w);

/* ---- waiting (schedule.c) --------------------------------------------------------------------------- */

/* The group that runs stops at this instruction, which will be executed again when the wait is over. */
void warp_wait(warp *w, wait what);
/* True when the instruction is executed again after warp_wait; *over is what was waited for. */
bool warp_resumes(warp *w, wait *over);
/* What the group waits for has happened. */
bool wait_over(const warp *w, const group *g);
/* Something happened that may let others go on. */
static inline void cluster_effect(cluster *c)
{
    c->effects++;
}

void cluster_start(cluster *c, grid *g, uint32_t index);
/* The indexes in the grid of a cluster's first CTA. */
void cluster_first_cta(const grid *g, uint32_t index, uint32_t at[3]);
/* Runs for about `budget` instructions. True when the cluster has ended, well or not: see its status. */
bool cluster_run(cluster *c, uint64_t budget);
/* Ends a cluster that spins in vain, with a report. */
void cluster_give_up(cluster *c);
void cluster_release(cluster *c);
uint64_t cluster_random(cluster *c);

void warp_set_specials(warp *w);

/* ---- memory.c --------------------------------------------------------------------------------------- */

/* WRITE_LATER: by something that is being issued, in shared memory. */
typedef enum memory_access { MEMORY_READ, MEMORY_WRITE, MEMORY_WRITE_LATER } memory_access;

/* Host pointers for each lane of mask to the `bytes` bytes at o->address[0] in o->space, checked for bounds
 * and alignment. */
void memory_lanes(warp *w, const op *o, uint32_t mask, uint32_t bytes, memory_access access, uint8_t **at);
uint64_t memory_lane_address(warp *w, op_address a, uint32_t lane);
/* [offset, offset + bytes) of the shared memory that `address` (with its rank) names. */
uint8_t *memory_shared(warp *w, uint32_t lane, uint32_t address, uint32_t bytes, cta **owner);
/* [address, address + bytes) in global memory, or parameters or constants when reading. */
uint8_t *memory_global(warp *w, uint32_t lane, uint64_t address, uint64_t bytes, memory_access access);
/* [address, address + bytes) of the block of kernel parameters. */
uint8_t *memory_param(warp *w, uint32_t lane, uint64_t address, uint64_t bytes, memory_access access);
/* A generic address, whatever it points to. */
uint8_t *memory_generic(warp *w, uint32_t lane, uint64_t address, uint64_t bytes, memory_access access);
/* The shared address of a generic one, or the address itself when it is one already. */
uint32_t memory_to_shared(warp *w, uint32_t lane, uint64_t address);

/* ---- mbarrier.c ------------------------------------------------------------------------------------- */

bool mbarrier_phase_done(const cta *c, uint32_t offset, uint32_t parity);
/* A transaction of an asynchronous operation completes. */
void mbarrier_complete_tx(warp *w, cta *c, uint32_t offset, uint32_t bytes);
/* One arrival that an asynchronous operation makes. */
void mbarrier_async_arrive(warp *w, cta *c, uint32_t offset);
void mbarrier_async_pend(warp *w, cta *c, uint32_t offset);
void mbarrier_check(warp *w, cta *c, uint32_t offset);
/* Arrivals and bytes missing; false when there is no barrier. */
bool mbarrier_missing(const cta *c, uint32_t offset, uint32_t *pending, int32_t *bytes);
void mbarrier_describe(const cta *c, uint32_t offset, text *out);

/* ---- tmem.c ------------------------------------------------------------------------------------------- */

/* Whether the columns that a warp of c waits for can be had, by c alone or with its peer. */
bool tmem_ready(const cta *c, uint32_t columns, uint32_t cta_group);
/* Notes and checks the .cta_group of an instruction. */
void tmem_use_group(warp *w, uint32_t cta_group);
/* Faults unless [first, first + count) is allocated in c. */
void tmem_check(warp *w, const cta *c, uint32_t first, uint32_t count, const char *what);
/* The other CTA of the pair. */
cta *tmem_peer(warp *w);
/* The CTA ends: what it has allocated must have been given back. */
void tmem_check_exit(cta *c);

/* ---- script.c ----------------------------------------------------------------------------------------- */

static inline bool script_runs(const cluster *c)
{
    return c->script.script && !c->script.ended;
}
void script_start(cluster *c);
/* No warp can run: makes the next step, or ends the launch. False when the step's warp is not at its mark. */
bool script_advance(cluster *c);
/* All warps have ended, or the last step has been made: notes what is to be told. */
void script_finish(cluster *c);
/* Nothing helps: the script's next step cannot be made. */
_Noreturn void script_fail(cluster *c);
/* Room for an access to global memory that is not there: what a script is about may take other sizes than were prepared. */
uint8_t *script_scratch(cluster *c, uint64_t bytes);
/* A step touches memory of c; offsets are shared addresses, or columns. */
void script_touch(const warp *w, const cta *c, uint32_t offset, uint32_t bytes, bool write, bool tensor);
/* The warp's step accesses memory of c that step `by` (plus 1) did, without the fence between. */
void script_unfenced(const warp *w, const cta *c, size_t by, emu_touch where);
/* The same, where the host has it; nothing if that is not shared memory. */
void script_touch_lanes(const warp *w, uint32_t mask, uint8_t *const *at, uint32_t bytes, bool write);
/* The mbarrier there has completed a phase. */
void script_completed(cluster *c, const cta *owner, uint32_t offset);
/* Nobody can go on: notes who waits for which barrier. */
void script_note_stuck(cluster *c);

/* ---- other waits ------------------------------------------------------------------------------------ */

/* Threads have exited: barriers that counted on them may be complete. */
void named_barriers_recount(cta *c);
void cluster_barrier_recount(cluster *c);

/* ---- async_queue.c ---------------------------------------------------------------------------------- */

struct async_queue *async_queue_new(void);
void async_queue_free(struct async_queue *q);
void async_queue_clear(struct async_queue *q);
/* Carries out one pending operation. False when there is none. */
bool async_queue_advance(cluster *c);
/* For scripts. Carries out what was issued in that step and tells barriers in CTA `to` (EVERY_CTA: in all); whether there was
 * something. */
enum { EVERY_CTA = 0xff };
bool async_queue_land(cluster *c, size_t step, uint32_t to);
/* Whether anything issued in that step is still pending. */
bool async_queue_has(const cluster *c, size_t step);
/* A turn of the scheduler has passed: EMU_ASYNC_RANDOM may carry something out. */
void async_queue_turn(cluster *c);
/* A warp, a CTA has ended: what is pending then is an error, or is carried out. */
void async_queue_check_exit(cta *c);

#endif
