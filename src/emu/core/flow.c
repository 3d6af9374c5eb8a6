/* flow.c: where the sides of a divergent branch meet again.
 *
 * That is the branch's immediate post-dominator, the first block that every way from the branch to the end passes. A
 * kernel often ends in several places, though: a guard returns early, an assertion traps. Taken literally
 * nothing would then post-dominate anything before those, and lanes that stay would never meet. So ways that
 * end anywhere but at the last exit are left out of account, as far as there are others: lanes that take them
 * do not come back, and nobody waits for a lane that has ended (divergence_exit).
 *
 * Post-dominators by Cooper, Harvey and Kennedy's iteration over the reversed graph. */
#include "emu/core/program.h"

#define NO_BLOCK UINT32_MAX

typedef struct block {
    uint32_t first, end; /* ops [first, end) */
    uint32_t *next;      /* successors */
    uint32_t next_count;
    bool ends;               /* threads end here, if not by a guard that may not hold */
    bool reached;            /* from the entry */
    bool comes_home;         /* some way from here leads to the last exit */
    uint32_t order;          /* postorder number in the reversed graph; NO_BLOCK: not reached from an end */
    uint32_t post_dominator; /* NO_BLOCK: unknown */
} block;

typedef struct edge_list {
    uint32_t *at, *start; /* predecessors of block b: at[start[b]] .. at[start[b + 1]] */
} edge_list;

typedef struct flow {
    arena *arena;
    op *ops;
    uint32_t op_count;
    block *blocks;
    uint32_t count;      /* blocks; the virtual end is blocks[count] */
    uint32_t *block_of;  /* op -> block */
    edge_list before;    /* predecessors along edges that count */
    uint32_t *postorder; /* of the reversed graph */
    uint32_t ordered;
} flow;

static bool always(const op *o)
{
    return (o->guard & ARG_CONSTANT) != 0;
}

/* ---- blocks ----------------------------------------------------------------------------------------- */

static void mark_leaders(const flow *f, uint8_t *leader)
{
    leader[0] = 1;
    for (uint32_t i = 0; i < f->op_count; i++) {
        const op *o = &f->ops[i];
        if (o->flow != FLOW_NEXT && i + 1 < f->op_count)
            leader[i + 1] = 1;
        if (o->flow == FLOW_BRANCH)
            leader[o->target] = 1;
        for (uint32_t n = 0; o->flow == FLOW_TABLE && n < o->list_len; n++)
            leader[o->list[n]] = 1;
    }
}

static void find_blocks(flow *f)
{
    uint8_t *leader = arena_array(f->arena, uint8_t, f->op_count);
    mark_leaders(f, leader);
    for (uint32_t i = 0; i < f->op_count; i++)
        f->count += leader[i];
    f->blocks = arena_array(f->arena, block, f->count + 1);
    f->block_of = arena_array(f->arena, uint32_t, f->op_count);
    uint32_t b = NO_BLOCK;
    for (uint32_t i = 0; i < f->op_count; i++) {
        if (leader[i])
            f->blocks[++b].first = i;
        f->block_of[i] = b;
        f->blocks[b].end = i + 1;
    }
}

static void add_next(const flow *f, block *b, uint32_t pc)
{
    if (pc < f->op_count)
        b->next[b->next_count++] = f->block_of[pc];
}

static void find_successors(const flow *f)
{
    for (uint32_t i = 0; i < f->count; i++) {
        block *b = &f->blocks[i];
        const op *last = &f->ops[b->end - 1];
        b->next = arena_array(f->arena, uint32_t, last->list_len + 2);
        b->ends = (last->flow == FLOW_EXIT || last->flow == FLOW_TRAP) && always(last);
        if (last->flow == FLOW_BRANCH)
            add_next(f, b, last->target);
        for (uint32_t n = 0; last->flow == FLOW_TABLE && n < last->list_len; n++)
            add_next(f, b, last->list[n]);
        if (last->flow == FLOW_NEXT || !always(last))
            add_next(f, b, b->end);
    }
}

/* ---- which ways count ------------------------------------------------------------------------------- */

static void mark_reached(const flow *f)
{
    uint32_t *stack = arena_array(f->arena, uint32_t, f->count + 1), depth = 0;
    f->blocks[0].reached = true;
    stack[depth++] = 0;
    while (depth) {
        const block *b = &f->blocks[stack[--depth]];
        for (uint32_t i = 0; i < b->next_count; i++)
            if (!f->blocks[b->next[i]].reached) {
                f->blocks[b->next[i]].reached = true;
                stack[depth++] = b->next[i];
            }
    }
}

static uint32_t last_exit(const flow *f)
{
    for (uint32_t i = f->count; i-- > 0;)
        if (f->blocks[i].reached && f->blocks[i].ends && f->ops[f->blocks[i].end - 1].flow == FLOW_EXIT)
            return i;
    return NO_BLOCK;
}

/* Blocks are nearly in order, so few rounds from the back suffice. */
static void mark_home(const flow *f)
{
    uint32_t home = last_exit(f);
    if (home == NO_BLOCK)
        return;
    f->blocks[home].comes_home = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = f->count; i-- > 0;) {
            block *b = &f->blocks[i];
            for (uint32_t n = 0; n < b->next_count && !b->comes_home; n++)
                if (f->blocks[b->next[n]].comes_home)
                    changed = b->comes_home = true;
        }
    }
}

static bool counts(const flow *f, const block *from, uint32_t to)
{
    return f->blocks[to].comes_home || !from->comes_home;
}

/* Drops the edges that do not count, and ties the ends to the virtual one. */
static void prune_edges(const flow *f)
{
    for (uint32_t i = 0; i < f->count; i++) {
        block *b = &f->blocks[i];
        uint32_t kept = 0;
        for (uint32_t n = 0; n < b->next_count; n++)
            if (counts(f, b, b->next[n]))
                b->next[kept++] = b->next[n];
        b->next_count = kept;
        if (b->ends)
            b->next[b->next_count++] = f->count;
    }
}

/* ---- post-dominators -------------------------------------------------------------------------------- */

static void find_predecessors(flow *f)
{
    uint32_t *start = arena_array(f->arena, uint32_t, f->count + 3);
    for (uint32_t i = 0; i < f->count; i++)
        for (uint32_t n = 0; n < f->blocks[i].next_count; n++)
            start[f->blocks[i].next[n] + 2]++;
    for (uint32_t i = 2; i < f->count + 3; i++)
        start[i] += start[i - 1];
    uint32_t *at = arena_array(f->arena, uint32_t, start[f->count + 2] + 1);
    for (uint32_t i = 0; i < f->count; i++)
        for (uint32_t n = 0; n < f->blocks[i].next_count; n++)
            at[start[f->blocks[i].next[n] + 1]++] = i;
    f->before = (edge_list){at, start};
}

/* Depth first from the virtual end against the edges; a stack of (block, next predecessor to visit). */
static void number_blocks(flow *f)
{
    uint32_t *stack = arena_array(f->arena, uint32_t, f->count + 1);
    uint32_t *at = arena_array(f->arena, uint32_t, f->count + 1);
    uint8_t *seen = arena_array(f->arena, uint8_t, f->count + 1);
    f->postorder = arena_array(f->arena, uint32_t, f->count + 1);
    for (uint32_t i = 0; i <= f->count; i++) {
        f->blocks[i].order = f->blocks[i].post_dominator = NO_BLOCK;
        at[i] = f->before.start[i];
    }
    uint32_t depth = 0;
    stack[depth++] = f->count;
    seen[f->count] = 1;
    while (depth) {
        uint32_t b = stack[depth - 1];
        if (at[b] == f->before.start[b + 1]) {
            f->blocks[b].order = f->ordered;
            f->postorder[f->ordered++] = b;
            depth--;
        } else {
            uint32_t p = f->before.at[at[b]++];
            if (!seen[p]) {
                seen[p] = 1;
                stack[depth++] = p;
            }
        }
    }
}

static uint32_t intersect(const flow *f, uint32_t a, uint32_t b)
{
    while (a != b) {
        while (f->blocks[a].order < f->blocks[b].order)
            a = f->blocks[a].post_dominator;
        while (f->blocks[b].order < f->blocks[a].order)
            b = f->blocks[b].post_dominator;
    }
    return a;
}

static uint32_t meet_successors(const flow *f, const block *b)
{
    uint32_t found = NO_BLOCK;
    for (uint32_t n = 0; n < b->next_count; n++) {
        uint32_t s = b->next[n];
        if (f->blocks[s].post_dominator != NO_BLOCK)
            found = found == NO_BLOCK ? s : intersect(f, s, found);
    }
    return found;
}

static void find_post_dominators(const flow *f)
{
    f->blocks[f->count].post_dominator = f->count;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = f->ordered; i-- > 0;) {
            uint32_t b = f->postorder[i];
            uint32_t found = b == f->count ? b : meet_successors(f, &f->blocks[b]);
            if (found != f->blocks[b].post_dominator) {
                f->blocks[b].post_dominator = found;
                changed = true;
            }
        }
    }
}

/* ---- joins ------------------------------------------------------------------------------------------ */

/* Lanes that would only meet to end need not meet. */
static uint32_t join_of(const flow *f, const block *b)
{
    uint32_t p = b->post_dominator;
    if (p == NO_BLOCK || p == f->count)
        return NO_PC;
    const op *first = &f->ops[f->blocks[p].first];
    bool only_ends = first->flow == FLOW_EXIT && always(first);
    return only_ends ? NO_PC : f->blocks[p].first;
}

void flow_find_joins(op *ops, uint32_t count)
{
    arena scratch = {0};
    flow f = {.arena = &scratch, .ops = ops, .op_count = count};
    find_blocks(&f);
    find_successors(&f);
    mark_reached(&f);
    mark_home(&f);
    prune_edges(&f);
    find_predecessors(&f);
    number_blocks(&f);
    find_post_dominators(&f);
    for (uint32_t i = 0; i < f.count; i++) {
        op *last = &ops[f.blocks[i].end - 1];
        bool splits = last->flow == FLOW_TABLE || (last->flow == FLOW_BRANCH && !always(last));
        if (splits)
            last->join = join_of(&f, &f.blocks[i]);
    }
    arena_free(&scratch);
}
