/* pack: places pieces of one memory beside and over each other so that little is lost between them. */
#ifndef WW_MODEL_PACK_H
#define WW_MODEL_PACK_H

#include <stddef.h>
#include <stdint.h>

typedef struct pack_item {
    uint64_t size;
    uint32_t align;   /* power of two; size and align in the memory's unit, bytes or columns */
    int group, phase; /* alias group and its phase, both from 0; group -1: in none */
    uint64_t offset;  /* set by pack_items */
} pack_item;

/* Sets the offsets; returns how much is used, from 0 to the end of the last item. Items overlap only if they
 * are of one group and of different phases. */
uint64_t pack_items(pack_item *items, size_t count);

#endif
