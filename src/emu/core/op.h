/* op.h: a decoded instruction, and how handlers reach the registers of a warp.
 *
 * A warp keeps each register as 32 lanes side by side, [slot][lane], in the width of its type; a predicate is one
 * 32-bit word, a bit a lane. Immediates and addresses of variables are broadcast once into a second file of
 * the same shape, so that a handler reads every source alike. An argument says where a register lies:
 *
 *   bits 31..2  byte offset within the file
 *   bit  1      ARG_WIDE: the lanes are 64 bits wide (set where a handler takes both widths), or, of a
 *               predicate that is read, ARG_NEGATED
 *   bit  0      which file: 0 the warp's registers, 1 the program's constants
 *
 * A handler gets the lanes that shall execute (`mask`, never 0) and must leave all others alone. */
#ifndef WW_EMU_CORE_OP_H
#define WW_EMU_CORE_OP_H

#include "emu/ptx/ptx.h"

enum { WARP_LANES = 32, OP_ARGS = 6, OP_ADDRESSES = 4 };

#define ALL_LANES UINT32_C(0xffffffff)
#define ARG_CONSTANT UINT32_C(1)
#define ARG_WIDE UINT32_C(2)
#define ARG_NEGATED ARG_WIDE
#define ARG_NONE UINT32_C(0xffffffff) /* an optional operand that is absent */
#define NO_PC UINT32_C(0xffffffff)

struct warp;
struct op;
typedef void op_run(struct warp *w, const struct op *o, uint32_t mask);

/* Modifiers that handlers look at while running; all others are dealt with when decoding. */
typedef enum op_modifier {
#define OP_MODIFIER(name, text) MOD_##name,
#include "emu/core/modifiers.def"
#undef OP_MODIFIER
    MOD_COUNT
} op_modifier;

#define MOD(name) (UINT64_C(1) << MOD_##name)

/* Memory accesses that order others; atomics are .volatile, too. */
#define MOD_STRONG (MOD(VOLATILE) | MOD(RELAXED) | MOD(ACQUIRE) | MOD(RELEASE) | MOD(ACQ_REL))

/* How control leaves an op. */
typedef enum op_flow {
    FLOW_NEXT,
    FLOW_BRANCH, /* to target, or on */
    FLOW_TABLE,  /* to one of list */
    FLOW_EXIT,   /* the thread ends */
    FLOW_TRAP,   /* the launch ends */
} op_flow;

typedef struct op_address {
    uint32_t base; /* an argument: 32-bit lanes, or 64-bit ones with ARG_WIDE */
    int32_t displacement;
} op_address;

typedef struct op {
    op_run *run;
    uint64_t modifiers;
    uint32_t guard;      /* an argument: predicate */
    uint32_t guard_flip; /* all ones for @!p */
    uint32_t arg[OP_ARGS];
    op_address address[OP_ADDRESSES];
    uint32_t target; /* pc of a branch */
    uint32_t join;   /* pc where the sides of a divergent branch meet again; NO_PC: they do not */
    uint32_t list_len;
    uint32_t line;        /* of the PTX text */
    const uint32_t *list; /* arguments of vector operands in order; pcs of brx */
    const void *extra;    /* what a handler needs beyond this */
    uint8_t type, type2;  /* ptx_type */
    uint8_t space;        /* ptx_space */
    uint8_t count;        /* elements of a vector */
    uint8_t width;        /* bytes of the register a memory operand moves to or from */
    uint8_t choice;       /* comparison, boolean operation, shuffle mode, ...: the handler's own enum */
    uint8_t choice2;
    uint8_t flow; /* op_flow */
} op;

struct decoder;
struct opcode;

/* The handlers of one row of the instruction table: by the first type of the opcode, or one for all. */
typedef struct op_family {
    op_run *any;
    /* Completes an op after its operands are decoded, and may set `run`. False: an unsupported form, of which
     * decode_refuse has been told. */
    bool (*finish)(struct decoder *d, struct op *o, const struct opcode *code);
    op_run *typed[PTX_TYPE_COUNT];
} op_family;

/* ---- registers -------------------------------------------------------------------------------------- */

#define REG(w, argument) ((void *)((w)->file[(argument)&ARG_CONSTANT] + ((argument) & ~UINT32_C(3))))

/* The bits of a predicate: to be written, and as a source. */
#define PREDICATE(w, argument) (*(uint32_t *)REG(w, argument))
#define PREDICATE_READ(w, argument) (PREDICATE(w, argument) ^ ((argument)&ARG_NEGATED ? ALL_LANES : 0))

static inline void predicate_write(uint32_t *predicate, uint32_t mask, uint32_t bits)
{
    *predicate = (*predicate & ~mask) | (bits & mask);
}

/* Lanes are independent of each other, which a compiler that sees two pointers cannot know. */
#if defined(__GNUC__) && !defined(__clang__)
#define LANES_INDEPENDENT _Pragma("GCC ivdep")
#else
#define LANES_INDEPENDENT
#endif

#define EACH_LANE(mask)                                                                                      \
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)                                                       \
        if ((mask) >> lane & 1)

/* Runs `statement` for each lane of mask; the usual case, all of them, is a loop that vectorises. */
#define LANE_LOOP(mask, statement)                                                                           \
    if ((mask) == ALL_LANES) {                                                                               \
        LANES_INDEPENDENT for (uint32_t lane = 0; lane < WARP_LANES; lane++)                                 \
        {                                                                                                    \
            statement;                                                                                       \
        }                                                                                                    \
    } else {                                                                                                 \
        EACH_LANE(mask)                                                                                      \
        {                                                                                                    \
            statement;                                                                                       \
        }                                                                                                    \
    }

/* A product within a macro's arguments, where clang-format would take `a * b` for a pointer. */
#define PRODUCT(x, y) ((x) * (y))

/* HANDLER_n(name, D, A, ..): the handler `name`: d = expression of a, b, c, whose C types are D, A, B, C. */
#define HANDLER_1(name, D, A, expression)                                                                    \
    static void name(warp *w, const op *o, uint32_t mask)                                                    \
    {                                                                                                        \
        D *d = REG(w, o->arg[0]);                                                                            \
        const A *as = REG(w, o->arg[1]);                                                                     \
        LANE_LOOP(mask, A a = as[lane]; d[lane] = (D)(expression))                                           \
    }

#define HANDLER_2(name, D, A, B, expression)                                                                 \
    static void name(warp *w, const op *o, uint32_t mask)                                                    \
    {                                                                                                        \
        D *d = REG(w, o->arg[0]);                                                                            \
        const A *as = REG(w, o->arg[1]);                                                                     \
        const B *bs = REG(w, o->arg[2]);                                                                     \
        LANE_LOOP(mask, A a = as[lane]; B b = bs[lane]; d[lane] = (D)(expression))                           \
    }

#define HANDLER_3(name, D, A, B, C, expression)                                                              \
    static void name(warp *w, const op *o, uint32_t mask)                                                    \
    {                                                                                                        \
        D *d = REG(w, o->arg[0]);                                                                            \
        const A *as = REG(w, o->arg[1]);                                                                     \
        const B *bs = REG(w, o->arg[2]);                                                                     \
        const C *cs = REG(w, o->arg[3]);                                                                     \
        LANE_LOOP(mask, A a = as[lane]; B b = bs[lane]; C c = cs[lane]; d[lane] = (D)(expression))           \
    }

#endif
