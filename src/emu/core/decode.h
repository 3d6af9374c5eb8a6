/* decode.h: what decoding offers to the `finish` functions of instruction families, and what the files of the
 * decoder share. */
#ifndef WW_EMU_CORE_DECODE_H
#define WW_EMU_CORE_DECODE_H

#include "emu/core/program.h"

enum { OPCODE_WORDS = 20, OPCODE_TYPES = 5 };

/* One row of emu/ptx/instructions.def. */
typedef struct instruction_row {
    const char *base, *needs, *may, *operands;
    const op_family *family;
    const char *semantics;
} instruction_row;

/* An opcode taken apart: "mad.lo.s32" has the base mad, the word lo and the type s32. */
typedef struct opcode {
    const char *full;
    const char *words[OPCODE_WORDS]; /* what follows the base, types included */
    uint32_t word_count;
    ptx_type types[OPCODE_TYPES];
    uint32_t type_count;
    const instruction_row *row;
    uint64_t modifiers;
} opcode;

bool opcode_has(const opcode *code, const char *word);
/* Index of the first of the blank-separated `words` that the opcode has; `absent` when it has none of them. */
int opcode_pick(const opcode *code, const char *words, int absent);
/* The value of a word like x4 or v2 that begins with `letter`; `absent` when there is none. */
uint32_t opcode_number(const opcode *code, char letter, uint32_t absent);
/* The first state space among the words. */
ptx_space opcode_space(const opcode *code);

/* A function being decoded: the kernel itself, or a call expanded in place. */
typedef struct expansion {
    const ptx_function *function;
    struct expansion *caller;
    uint32_t *slots;     /* argument of each register */
    uint32_t *variables; /* frame offset of each variable in local memory */
    uint32_t *pcs;       /* first op of each instruction, and one behind the last */
} expansion;

/* A branch whose target is known only when its function has been decoded. */
typedef struct branch_fixup {
    uint32_t op;      /* index */
    uint32_t operand; /* of brx: index in the op's list; ARG_NONE: op.target */
    uint32_t label;   /* of the function; ARG_NONE: its end */
} branch_fixup;

typedef struct constant_slot {
    uint64_t value;
    uint32_t bits, argument; /* bits 0: free */
} constant_slot;

typedef struct decoder {
    arena *arena;
    const ptx_module *module;
    program *program;
    expansion *now;
    const ptx_instruction *instruction;
    VEC(op) ops;
    VEC(branch_fixup) fixups;
    VEC(uint8_t) constants;
    constant_slot *constant_table; /* open addressing */
    size_t constant_used, constant_cap;
    VEC(program_special) specials;
    VEC(program_shared) shared;
    VEC(const ptx_variable *) shared_placed; /* .shared variables in the order of their addresses */
    VEC(uint32_t) shared_offsets;            /* ... which are these */
    uint32_t register_end, local_end, shared_end;
    const char *refusal; /* why the instruction at hand is not supported */
    uint32_t depth;      /* of calls expanded in place */
} decoder;

/* Notes why the instruction is not supported; returns false. */
bool decode_refuse(decoder *d, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* operand.c: each sets *argument, or refuses. `bits` 0 takes any width, and marks 64-bit registers ARG_WIDE. */
bool decode_destination(decoder *d, const ptx_operand *o, uint32_t bits, uint32_t *argument);
bool decode_source(decoder *d, const ptx_operand *o, uint32_t bits, ptx_type type, uint32_t *argument);
bool decode_address(decoder *d, const ptx_operand *o, op_address *address, ptx_space *space);
bool decode_immediate(decoder *d, const ptx_operand *o, int64_t *value);
/* A register, or a vector of `count` of them, as a list of arguments. */
bool decode_vector(decoder *d, const ptx_operand *o, bool destination, uint32_t bits, ptx_type type,
                   uint32_t *list, uint32_t count);
uint32_t decode_register_bits(const decoder *d, const ptx_operand *o); /* 0 when it is none */
uint32_t decode_constant(decoder *d, uint64_t value, uint32_t bits);
uint32_t *decode_list(decoder *d, uint32_t count); /* in the arena */
uint32_t decode_new_register(decoder *d, uint32_t bits);

/* expand.c: a call, decoded as the body of what it calls. */
bool decode_call(decoder *d);
expansion *decode_expansion(decoder *d, const ptx_function *f, expansion *caller);
void decode_place_variables(decoder *d, expansion *e);
void decode_body(decoder *d, expansion *e);

/* The op that is emitted for the instruction at hand, with its guard. */
op decode_new_op(decoder *d);

/* table.c */
/* Takes `copy`, a writable copy of an opcode, apart. NULL when no row fits. */
const instruction_row *table_find(char *copy, opcode *code);

#endif
