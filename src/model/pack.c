/* Packing, in two steps of the same kind: the items of each phase of an alias group, then the blocks: items
 * of no group and groups as wholes (size of the largest phase, alignment of the strictest item).
 *
 * The rule of a step: take the blocks in a fixed order; each goes to the lowest hole that holds it, holes
 * being what alignment left free before, else behind all others. Four orders are tried and the shortest
 * result is kept, the first of equals: falling alignment; as declared; falling alignment and size; falling
 * alignment and rising padding. So placement depends on nothing but the declaration.
 *
 * It never uses more than the plain rule, one block behind the other with falling alignment and inside a
 * phase as declared. Both orders are among the four, and hole filling loses nothing: after each block the
 * end lies where the plain rule's lies or before it (a block in a hole does not move the end, another one
 * moves both, and rounding up keeps their order); and a group that is no larger does not push its successors
 * on. */
#include "model/pack.h"

#include "base/base.h"

typedef struct block {
    uint64_t size, offset;
    uint32_t align;
    size_t item; /* which it is; from the number of items on: groups */
} block;

typedef VEC(block) block_list;

/* ---- orders -------------------------------------------------------------------------------------------- */

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static uint64_t align_up(uint64_t value, uint32_t unit)
{
    return (value + unit - 1) / unit * unit;
}

static uint64_t padding(const block *b)
{
    return align_up(b->size, b->align) - b->size;
}

static int as_declared(const void *a, const void *b)
{
    const block *x = a, *y = b;
    return compare(x->item, y->item);
}

static int by_alignment(const void *a, const void *b)
{
    const block *x = a, *y = b;
    int order = compare(y->align, x->align);
    return order ? order : as_declared(a, b);
}

static int by_alignment_and_size(const void *a, const void *b)
{
    const block *x = a, *y = b;
    int order = compare(y->align, x->align);
    order = order ? order : compare(y->size, x->size);
    return order ? order : as_declared(a, b);
}

/* The block that would lose most stands last of its alignment, where the next may begin at a finer boundary. */
static int by_alignment_and_padding(const void *a, const void *b)
{
    const block *x = a, *y = b;
    int order = compare(y->align, x->align);
    order = order ? order : compare(padding(x), padding(y));
    return order ? order : as_declared(a, b);
}

/* ---- one step ------------------------------------------------------------------------------------------ */

typedef struct hole {
    uint64_t from, to;
} hole;

typedef struct space {
    VEC(hole) holes;
    uint64_t end;
} space;

static hole *lowest_hole(space *s, const block *b)
{
    hole *lowest = NULL, *h;
    vec_each(h, &s->holes)
        if (align_up(h->from, b->align) + b->size <= h->to && (!lowest || h->from < lowest->from))
            lowest = h;
    return lowest;
}

static void leave_hole(space *s, uint64_t from, uint64_t to)
{
    hole h = {from, to};
    if (from < to)
        vec_push(&s->holes, h);
}

static void place(space *s, block *b)
{
    hole *h = lowest_hole(s, b);
    uint64_t from = h ? h->from : s->end;
    b->offset = align_up(from, b->align);
    if (h)
        h->from = b->offset + b->size;
    else
        s->end = b->offset + b->size;
    leave_hole(s, from, b->offset);
}

static uint64_t place_in_order(block_list *list)
{
    space s = {0};
    block *b;
    vec_each(b, list)
        place(&s, b);
    vec_free(&s.holes);
    return s.end;
}

/* Leaves the list in the order that was best. */
static uint64_t pack_blocks(block_list *list)
{
    static int (*const orders[])(const void *, const void *) = {
        by_alignment, as_declared, by_alignment_and_size, by_alignment_and_padding};
    if (!list->len)
        return 0;
    size_t bytes = list->len * sizeof *list->at;
    block *best = base_alloc(bytes);
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < ARRAY_LEN(orders); i++) {
        qsort(list->at, list->len, sizeof *list->at, orders[i]);
        uint64_t used = place_in_order(list);
        if (used < least) {
            least = used;
            memcpy(best, list->at, bytes);
        }
    }
    memcpy(list->at, best, bytes);
    free(best);
    return least;
}

/* ---- items and groups ---------------------------------------------------------------------------------- */

/* The items of a phase; those of no group with group -1, where phase does not count. */
static void gather(const pack_item *items, size_t count, int of_group, int phase, block_list *list)
{
    for (size_t i = 0; i < count; i++) {
        const pack_item *item = &items[i];
        block b = {.size = item->size, .align = item->align, .item = i};
        if (item->group == of_group && (of_group < 0 || item->phase == phase))
            vec_push(list, b);
    }
}

/* Packs the phases, with offsets from the group's start; returns the group as a block. */
static block pack_group(pack_item *items, size_t count, int of_group)
{
    block whole = {.align = 1, .item = count + (size_t)of_group};
    int phases = 0;
    for (size_t i = 0; i < count; i++)
        if (items[i].group == of_group && items[i].phase >= phases)
            phases = items[i].phase + 1;
    for (int phase = 0; phase < phases; phase++) {
        block_list list = {0};
        gather(items, count, of_group, phase, &list);
        uint64_t size = pack_blocks(&list);
        whole.size = size > whole.size ? size : whole.size;
        block *b;
        vec_each(b, &list) {
            items[b->item].offset = b->offset;
            whole.align = b->align > whole.align ? b->align : whole.align;
        }
        vec_free(&list);
    }
    return whole;
}

static void move_group(pack_item *items, size_t count, int of_group, uint64_t by)
{
    for (size_t i = 0; i < count; i++)
        if (items[i].group == of_group)
            items[i].offset += by;
}

uint64_t pack_items(pack_item *items, size_t count)
{
    int groups = 0;
    for (size_t i = 0; i < count; i++)
        groups = items[i].group >= groups ? items[i].group + 1 : groups;
    block_list list = {0};
    gather(items, count, -1, 0, &list);
    for (int i = 0; i < groups; i++)
        vec_push(&list, pack_group(items, count, i));
    uint64_t used = pack_blocks(&list);
    block *b;
    vec_each(b, &list) {
        if (b->item < count)
            items[b->item].offset = b->offset;
        else
            move_group(items, count, (int)(b->item - count), b->offset);
    }
    vec_free(&list);
    return used;
}
