/* body: the compiled code of one work body, as the audit's files see it: what its instructions do, in which order they can
 * be executed, and what the addresses and conditions in it come from. */
#ifndef WW_AUDIT_BODY_H
#define WW_AUDIT_BODY_H

#include "emit/emit.h"
#include "emu/ptx/ptx.h"

/* ---- effects: what an instruction does; effects.c ------------------------------------------------------ */

typedef enum effect {
    EFFECT_NONE,
#define EFFECT(name, text, plural) EFFECT_##name,
#include "audit/effects.def"
    EFFECT_COUNT
} effect;

/* A set of effects, a bit each. */
typedef uint64_t effect_set;
#define EFFECT_BIT(name) (UINT64_C(1) << EFFECT_##name)

effect effect_of(const char *opcode);
const char *effect_text(effect e, uint32_t count);
/* Whether the opcode has that word between dots. */
bool has_word(const char *opcode, const char *word);

/* ---- origins: what a value comes from, a bit each; origins.c ------------------------------------------- */

/* The first bits are the body's inputs (emit_body_input). */
typedef enum origin {
    ORIGIN_PARAMS = EMIT_BODY_INPUTS, /* the kernel's parameter */
    ORIGIN_AT,                        /* the address of the body's values */
    ORIGIN_VALUES,                    /* its registers and inputs */
    ORIGIN_ELECTED,                   /* which lane elect.sync has elected */
    ORIGIN_THREAD,                    /* numbers of the thread */
    ORIGIN_CTA,                       /* and of the CTA */
    ORIGIN_MEMORY,                    /* read from global, shared or tensor memory */
    ORIGIN_STACK,                     /* the address of a variable in local memory */
    ORIGIN_MAPPED,                    /* an address in another CTA */
    ORIGIN_OTHER,                     /* what a function returned, clocks */
} origin;

typedef uint64_t origin_set;
#define ORIGIN_BIT(name) (UINT64_C(1) << ORIGIN_##name)
#define INPUT_BIT(name) (UINT64_C(1) << EMIT_##name)
/* What may differ between the lanes of a warp. */
#define ORIGINS_OF_LANES                                                                                     \
    (INPUT_BIT(LANE) | ORIGIN_BIT(VALUES) | ORIGIN_BIT(ELECTED) | ORIGIN_BIT(THREAD) | ORIGIN_BIT(MEMORY) |  \
     ORIGIN_BIT(OTHER))
#define ORIGINS_OF_BUFFERS (UINT64_C(15) << EMIT_BUFFER_0)
#define ORIGINS_OF_TMEM (UINT64_C(15) << EMIT_TMEM_0)

/* ---- flow: in which order instructions can be executed; flow.c ----------------------------------------- */

typedef struct flow_block {
    uint32_t first, end; /* instructions */
    uint32_t edges, edge_count;
    bool ends;          /* the kernel may end here */
    bool loops;         /* it may be executed more than once */
    bool decides;       /* which block comes next depends on a value ... */
    uint32_t decider;   /* ... the guard or operand of this instruction */
    origin_set control; /* what decides whether it is executed */
} flow_block;

typedef struct flow {
    VEC(flow_block) blocks;
    VEC(uint32_t) edges; /* blocks that may follow */
} flow;

/* ---- the body ------------------------------------------------------------------------------------------ */

/* An instruction with an effect. */
typedef struct site {
    effect effect;
    uint32_t at, block;
    bool guarded; /* by a predicate of its own */
    bool loops;
    origin_set control; /* what decides whether it is executed */
} site;

typedef struct body {
    const ir_program *program;
    const emit_body *called;
    const ww_resource *resource;
    const model_work *work;
    const char *name; /* "smem.load" */
    const ptx_function *code;
    flow flow;
    VEC(origin_set) origins; /* of registers */
    VEC(int64_t) constants;  /* of registers: the one value, or BODY_UNKNOWN */
    VEC(site) sites;         /* in order of the code */
    effect_set effects;      /* all of them */
    diag_list *diags;        /* findings */
    arena *arena;
    VEC(const char *) undecided; /* what could not be told */
} body;

enum { BODY_UNKNOWN = -1, FLOW_UNBOUNDED = 1000 };

void flow_build(body *b);
/* Once the origins are known: what decides whether blocks are executed. */
void flow_control(body *b);
void origins_find(body *b);
void body_free(body *b);

/* How often instructions of that effect are executed by a thread that executes the body: at least and at most; most is
 * FLOW_UNBOUNDED where they stand in a loop. */
typedef struct flow_range {
    uint32_t least, most;
} flow_range;
flow_range flow_count(const body *b, effect e);

/* Groups that may be pending when the body has returned, if `before` are when it is called: least and most over all
 * paths. Instructions `opens` begin one, `waits` leave at most as many as their operand says. */
flow_range flow_pending(const body *b, effect opens, effect waits, uint32_t before);

/* Whether one of those effects can follow the site; whether the body can end without. */
bool flow_meets(const body *b, const site *s, effect_set effects);
bool flow_escapes(const body *b, const site *s, effect_set effects);

/* ---- questions about operands -------------------------------------------------------------------------- */

static inline const ptx_instruction *site_code(const body *b, const site *s)
{
    return &b->code->instructions.at[s->at];
}
static inline bool body_has(const body *b, effect_set effects)
{
    return (b->effects & effects) != 0;
}

/* Whether an opcode is a word, or that word with qualifiers: "ld" begins "ld.shared", not "ldmatrix". flow.c */
bool opcode_begins(const ptx_instruction *i, const char *word);
/* The opcode of the first instruction with one of those effects; "" if there is none. */
const char *first_opcode(const body *b, effect_set effects);
/* What the registers of an operand come from. */
origin_set origins_of(const body *b, const ptx_operand *o);
/* The n-th operand in brackets, from 0; -1: the last. NULL when there is none. */
const ptx_operand *site_address(const body *b, const site *s, int n);
/* What an address comes from, coordinates left out. */
origin_set site_origins(const body *b, const site *s, int address);
/* An operand's value if it is a constant; else BODY_UNKNOWN. */
int64_t operand_constant(const body *b, const ptx_operand *o);

/* ---- the rules ----------------------------------------------------------------------------------------- */

/* Adds a finding about a body, at its call. */
ww_diag *body_finding(body *b, ww_code code, const char *fmt, ...) PRINTF_LIKE(3, 4);
void body_expected(body *b, ww_diag *d, const char *fmt, ...) PRINTF_LIKE(3, 4);
void body_found(body *b, ww_diag *d, const char *fmt, ...) PRINTF_LIKE(3, 4);
void body_hint(body *b, ww_diag *d, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* Notes what could not be told, once. */
void body_undecided(body *b, const char *fmt, ...) PRINTF_LIKE(2, 3);

void audit_copies(body *b); /* rules_copies.c */
void audit_stores(body *b);
void audit_groups(body *b); /* rules_groups.c */
void audit_pending(body *b);
void audit_engines(body *b); /* rules_engines.c */
void audit_memory(body *b);  /* rules_memory.c */
void audit_sync(body *b);    /* rules_sync.c */
void audit_fences(body *b);
void audit_calls(body *b);

/* All bodies of the kernel, in the order of the tasks' schedules. */
typedef struct body_list {
    VEC(body) list;
} body_list;

#endif
