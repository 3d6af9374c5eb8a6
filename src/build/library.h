/* library: finding NVIDIA's libraries, tools and headers at run time.
 *
 * Searched in this order, each under lib64/ and lib/ (or bin/, include/):
 *   1. $WW_CUDA_HOME
 *   2. the wheels that scripts/setup.sh installs: $WW_DEPS, else .deps of the checkout this was built from
 *   3. /usr/local/cuda
 *   4. whatever the dynamic loader (for tools: $PATH) knows
 * WW_NO_TOOLKIT=1 hides 3 and 4, as if no CUDA were installed. Libraries stay loaded until the process ends.
 */
#ifndef WW_BUILD_LIBRARY_H
#define WW_BUILD_LIBRARY_H

#include "base/base.h"

/* Where a function is to be found in a library, and the pointer that receives it. */
typedef struct library_symbol {
    const char *name;
    void *slot; /* address of a function pointer */
} library_symbol;

/* Opens the first of names (ended by NULL, newest first) that loads. NULL when none does; what was tried is
 * then appended to searched, a line each. */
void *library_open(const char *const *names, text *searched);

/* The same, and appends the folder it lies in; nothing where the loader found it. */
void *library_open_in(const char *const *names, text *folder, text *searched);

/* Loads a library from a folder, so that another, which asks the loader for it by its name alone, finds it
 * loaded. */
void library_preload(const char *folder, const char *name);

/* Opens by the loader's own search alone: for libcuda, which belongs to the driver and not to a toolkit. */
void *library_open_system(const char *const *names, text *searched);

/* Fills every slot. False with the missing name in error. */
bool library_bind(void *library, const library_symbol *symbols, size_t count, text *error);

/* Appends the path of a program such as "ptxas"; false when there is none. */
bool library_tool(const char *name, text *path);

/* Appends the folder of CUDA's headers; false when there is none. */
bool library_headers(text *path);

#endif
