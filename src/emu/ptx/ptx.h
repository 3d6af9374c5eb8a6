/* ptx: PTX text as data, the face of this folder.
 *
 * ptx_parse reads a module (PTX ISA, sections 4 and 5 and the statements of 9) into functions, variables and
 * statements. Names are resolved here, so that what reads a ptx_module meets registers, variables, labels and
 * functions, never identifiers; what an instruction *means* is not looked at: its opcode stays text, and an
 * unknown one is no error (core/decode.c gives it a meaning, or none).
 *
 * Everything lives in one arena. Indexes, not pointers, tie statements to registers and labels. */
#ifndef WW_EMU_PTX_H
#define WW_EMU_PTX_H

#include "base/base.h"

typedef enum ptx_kind {
    PTX_KIND_NONE,
    PTX_KIND_PREDICATE,
    PTX_KIND_BITS,
    PTX_KIND_UNSIGNED,
    PTX_KIND_SIGNED,
    PTX_KIND_FLOATING,
    PTX_KIND_PACKED,
} ptx_kind;

typedef enum ptx_type {
    PTX_NO_TYPE,
#define PTX_TYPE(name, text, bits, kind) PTX_##name,
#include "emu/ptx/types.def"
#undef PTX_TYPE
    PTX_TYPE_COUNT
} ptx_type;

ptx_type ptx_type_find(const char *name, size_t len); /* PTX_NO_TYPE when there is none of that name */
uint32_t ptx_type_bits(ptx_type type);
uint32_t ptx_type_bytes(ptx_type type); /* 1 for .pred */
ptx_kind ptx_type_kind(ptx_type type);
const char *ptx_type_name(ptx_type type);

typedef enum ptx_special {
#define PTX_SPECIAL(name, text, bits, value) PTX_SPECIAL_##name,
#include "emu/ptx/special.def"
#undef PTX_SPECIAL
    PTX_SPECIAL_COUNT
} ptx_special;

const char *ptx_special_name(ptx_special special);
uint32_t ptx_special_bits(ptx_special special);

typedef enum ptx_space { PTX_GENERIC, PTX_GLOBAL, PTX_SHARED, PTX_LOCAL, PTX_PARAM, PTX_CONST } ptx_space;

typedef struct ptx_position {
    uint32_t line, column; /* from 1 */
} ptx_position;

/* An address within an initialiser: at `offset`, `bytes` wide, the address of `variable` plus `addend`. */
typedef struct ptx_relocation {
    uint64_t offset;
    uint32_t bytes;
    struct ptx_variable *variable;
    int64_t addend;
} ptx_relocation;

typedef struct ptx_variable {
    const char *name;
    ptx_space space;
    ptx_type type;
    uint32_t align;
    uint64_t bytes; /* 0: extern .shared name[], whose size comes with the launch */
    bool is_extern;
    const uint8_t *init; /* `bytes` of them, or NULL for zeros */
    const ptx_relocation *relocations;
    size_t relocation_count;
    uint64_t
        address;    /* .global and .const: where the module keeps it. Kernel parameters: offset in the block.
                       * Others are laid out by core/decode.c, kernel by kernel */
    uint32_t index; /* .param of a function and .local: among the function's variables */
} ptx_variable;

typedef struct ptx_register {
    const char *name;
    ptx_type type;
} ptx_register;

typedef enum ptx_operand_kind {
    PTX_OPERAND_SINK,     /* _ */
    PTX_OPERAND_REGISTER, /* index; negated for !%p */
    PTX_OPERAND_SPECIAL,  /* index: a ptx_special */
    PTX_OPERAND_INTEGER,  /* value */
    PTX_OPERAND_F32,      /* value: its bits */
    PTX_OPERAND_F64,      /* value: its bits */
    PTX_OPERAND_VARIABLE, /* variable; value: displacement */
    PTX_OPERAND_LABEL,    /* index: among the function's labels */
    PTX_OPERAND_FUNCTION, /* function */
    PTX_OPERAND_VECTOR,   /* {items} */
    PTX_OPERAND_LIST,     /* (items) of a call */
    PTX_OPERAND_ADDRESS,  /* [items[0] + value], and [.., items[1]] for tensor coordinates */
    PTX_OPERAND_NAME,     /* unresolved; none is left after ptx_parse */
} ptx_operand_kind;

typedef struct ptx_operand {
    ptx_operand_kind kind;
    bool negated;
    uint32_t index;
    uint32_t count; /* of items */
    uint32_t scope; /* of a NAME */
    int64_t value;
    ptx_position at;
    struct ptx_operand *items;
    struct ptx_operand *pair; /* q of p|q */
    const char *name;
    ptx_variable *variable;
    struct ptx_function *function;
} ptx_operand;

typedef struct ptx_instruction {
    ptx_position at;
    const char *opcode; /* "mad.lo.s32" */
    ptx_operand *guard; /* NULL, or a predicate register; negated for @!p */
    ptx_operand *operands;
    uint32_t operand_count;
} ptx_instruction;

/* A label, or a table of them: $L: .branchtargets a, b, c; */
typedef struct ptx_label {
    const char *name;
    uint32_t scope;
    uint32_t instruction; /* the one it stands before */
    ptx_operand *targets;
    uint32_t target_count;
} ptx_label;

typedef struct ptx_function {
    const char *name;
    ptx_position at;
    bool is_entry, has_body;
    VEC(ptx_variable *) returns;
    VEC(ptx_variable *) params;
    VEC(ptx_variable *) variables; /* .local and .param of the body, .param of a device function's head */
    VEC(ptx_variable *) shared;    /* .shared of the body */
    VEC(ptx_register) registers;
    VEC(ptx_instruction) instructions;
    VEC(ptx_label) labels;
    uint64_t param_bytes;  /* of an entry: the size of its parameter block */
    uint32_t max_threads;  /* .maxntid x*y*z; 0: not given */
    uint32_t required[3];  /* .reqntid; 0: not given */
    uint32_t cluster[3];   /* .reqnctapercluster; 0: not given */
    bool explicit_cluster; /* .explicitcluster */
} ptx_function;

typedef struct ptx_module {
    arena *arena;
    const char *source;
    uint32_t version; /* 90 for 9.0 */
    const char *target;
    VEC(ptx_function *) functions;
    VEC(ptx_variable *) variables; /* .global, .const, .shared at module level */
} ptx_module;

/* NULL when the text is not PTX; errors then says "line:column: what", with the line and a caret. */
ptx_module *ptx_parse(arena *a, const char *source, size_t len, text *errors);
void ptx_module_release(ptx_module *module); /* frees the vectors; the rest goes with the arena */

/* Appends the source line, trimmed. */
void ptx_source_line(const ptx_module *module, uint32_t line, text *out);

#endif
