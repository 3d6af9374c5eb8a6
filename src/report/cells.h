/* cells: one task's schedule as a column of table cells, one cell a schedule step. */
#ifndef WW_REPORT_CELLS_H
#define WW_REPORT_CELLS_H

#include "lower/lower.h"

/* Where a step stands in the kernel's outline. Steps of different tasks with equal sections share table rows;
 * a smaller section is printed first. Made by cells_of, told apart by cell_section_*. */
typedef uint32_t cell_section;

typedef struct cell {
    cell_section section;
    int line;   /* of the schedule call */
    int depth;  /* enclosing blocks */
    bool block; /* `verb` is all the text there is */
    const char
        *left; /* "->" blocks on the producer, "<-" signals it, "<>" both; consumer side. "" if neither */
    const char *verb;  /* or name of the work method */
    const char *right; /* "<-" blocks on the consumer, "->" signals it; producer side. "" if neither */
    const char *resource;
    const char *detail; /* "" if there is nothing to add */
} cell;

typedef struct cell_column {
    const ir_task *task;
    VEC(cell) cells;
} cell_column;

/* Texts are allocated in the arena; the vector is freed with vec_free(&column.cells). */
cell_column cells_of(const ir_program *p, const ir_task *t, arena *a);

/* "head", "loop", "tail", "tiles", ... `has_tiles`: some task of the kernel loops over tiles. */
const char *cell_section_name(cell_section section, bool has_tiles);

/* "0", "k_tiles", "kv_tiles()". */
void cell_bound_text(const ww_bound *bound, text *out);

#endif
