/* audit: work bodies beside their rows, by reading what the compiler has made of them.
 *
 * The PTX is that of emit_audit: each body in a kernel of its own. The instructions of a body are sorted by what they do
 * (effects.def), the paths through it give how often (flow.c), and the registers that make up an address or a condition
 * give where and for whom (origins.c). What cannot be told this way is said to be undecided. */
#ifndef WW_AUDIT_AUDIT_H
#define WW_AUDIT_AUDIT_H

#include "emit/emit.h"

typedef struct audit_result {
    uint32_t bodies, undecided; /* bodies of which something could not be told */
    text listing;               /* a line a body, its findings not among them */
    const char
        *array; /* a body that keeps an array in local memory, in the arena of diags; NULL: none does */
    uint32_t array_bytes;
} audit_result;

/* Findings go to `diags`. False with error set where the PTX is not that of these bodies. */
bool audit_bodies(const ir_program *p, const emit_bodies *bodies, const text *ptx, diag_list *diags,
                  audit_result *result, text *error);

/* The whole kernel, as assembled: bytes of local memory a thread. What bodies keep there is in `result`. */
void audit_local_memory(const ir_program *p, uint32_t local_bytes, const audit_result *result,
                        diag_list *diags);

#endif
