/* names.h: the identifiers of a PTX module and the scopes they live in (PTX ISA, section 4.4 and "Identifiers").
 *
 * One hash table for all scopes, keyed by (scope, name); a scope knows its parent. Scope 0 is the module's. */
#ifndef WW_EMU_PTX_NAMES_H
#define WW_EMU_PTX_NAMES_H

#include "emu/ptx/ptx.h"

typedef enum name_kind {
    NAME_NONE,
    NAME_REGISTER,       /* first: its index */
    NAME_REGISTER_RANGE, /* %r<count>: registers first .. first + count - 1 */
    NAME_VARIABLE,
    NAME_FUNCTION,
    NAME_LABEL, /* first: its index */
} name_kind;

typedef struct name_entry {
    const char *text;
    uint32_t len, scope;
    name_kind kind;
    uint32_t first, count;
    ptx_variable *variable;
    ptx_function *function;
} name_entry;

typedef struct names {
    name_entry *table; /* open addressing; empty where kind is NAME_NONE */
    size_t used, cap;
    VEC(uint32_t) parents; /* of each scope; scope 0 is its own parent */
} names;

void names_start(names *n);
void names_free(names *n);
uint32_t names_scope(names *n, uint32_t parent); /* a new scope */

/* False when the scope has that name already. */
bool names_add(names *n, name_entry entry);

/* The innermost entry from `scope` outwards, or NULL. A name of digits at its end also finds a range. */
const name_entry *names_find(const names *n, uint32_t scope, const char *name, uint32_t len);

/* The index within a range entry of a name that names_find found: 17 for %r17. */
uint32_t names_range_index(const char *name, uint32_t len);

#endif
