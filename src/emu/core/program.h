/* program.h: a kernel decoded for execution, and a module of them. */
#ifndef WW_EMU_CORE_PROGRAM_H
#define WW_EMU_CORE_PROGRAM_H

#include "emu/core/op.h"

/* A register that is filled in when a warp starts. */
typedef struct program_special {
    ptx_special special;
    uint32_t slot;
} program_special;

/* A register that holds the shared address of a variable: it depends on the CTA's rank. */
typedef struct program_shared {
    const ptx_variable *variable;
    uint32_t offset; /* in shared memory, displacement included */
    uint32_t bits;   /* 32 or 64 */
    uint32_t slot;
} program_shared;

typedef struct program {
    const char *name;
    const ptx_module *module;
    const ptx_function *function;
    op *ops;
    uint32_t op_count;
    uint32_t register_bytes; /* of a warp */
    uint32_t local_bytes;    /* of a thread */
    uint32_t static_shared;  /* end of what the kernel declares, from shared address 0 */
    uint32_t dynamic_base;   /* shared address of extern .shared arrays */
    uint8_t *constants;
    program_special *specials;
    uint32_t special_count;
    program_shared *shared;
    uint32_t shared_count;
    bool uses_clc;     /* takes over clusters that have not started: see launch.c */
    bool uses_tcgen05; /* its CTAs have tensor memory */
} program;

/* A module's own memory: one .global or .const variable a block. */
typedef struct module_block {
    uint8_t *bytes;
    const ptx_variable *variable;
} module_block;

struct emu_module {
    arena arena;
    ptx_module *ptx;
    VEC(program *) programs;
    VEC(module_block) blocks;
};

/* Never fails: an instruction that cannot be decoded becomes an op that reports it when executed. */
program *decode_kernel(arena *a, const ptx_module *module, const ptx_function *entry);

/* Sets the joins of all branches: the immediate post-dominators of their blocks. */
void flow_find_joins(op *ops, uint32_t count);

#endif
