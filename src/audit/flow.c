/* The control flow of a body: its blocks, and what can be said of all paths through them. A PTX function has a few dozen
 * blocks, so sets of blocks are plain arrays and everything is repeated until nothing changes. */
#include "audit/body.h"

/* ---- blocks -------------------------------------------------------------------------------------------- */

bool opcode_begins(const ptx_instruction *i, const char *word)
{
    size_t n = strlen(word);
    return strncmp(i->opcode, word, n) == 0 && (!i->opcode[n] || i->opcode[n] == '.');
}

static bool is_jump(const ptx_instruction *i)
{
    return opcode_begins(i, "bra") || opcode_begins(i, "brx");
}

static bool is_return(const ptx_instruction *i)
{
    return opcode_begins(i, "ret") || opcode_begins(i, "exit");
}

/* Who traps ends the launch: nothing has to be in order behind it. */
static bool is_end(const ptx_instruction *i)
{
    return is_return(i) || opcode_begins(i, "trap");
}

static void mark_targets(const ptx_function *f, const ptx_operand *targets, uint32_t count, bool *leads)
{
    for (uint32_t i = 0; i < count; i++)
        if (targets[i].kind == PTX_OPERAND_LABEL) {
            const ptx_label *label = &f->labels.at[targets[i].index];
            if (label->target_count)
                mark_targets(f, label->targets, label->target_count, leads);
            else
                leads[label->instruction] = true;
        }
}

static void add_block(body *b, uint32_t first, uint32_t end)
{
    flow_block block = {.first = first, .end = end};
    vec_push(&b->flow.blocks, block);
}

static void find_blocks(body *b)
{
    const ptx_function *f = b->code;
    uint32_t n = (uint32_t)f->instructions.len;
    bool *leads = arena_array(b->arena, bool, n + 1);
    leads[0] = leads[n] = true;
    for (uint32_t i = 0; i < n; i++) {
        const ptx_instruction *code = &f->instructions.at[i];
        if (is_jump(code))
            mark_targets(f, code->operands, code->operand_count, leads);
        if (is_jump(code) || is_end(code))
            leads[i + 1] = true;
    }
    for (uint32_t first = 0, i = 1; i <= n; i++)
        if (leads[i]) {
            add_block(b, first, i);
            first = i;
        }
}

static uint32_t block_at(const body *b, uint32_t instruction)
{
    uint32_t at = 0;
    while (at + 1 < b->flow.blocks.len && b->flow.blocks.at[at + 1].first <= instruction)
        at++;
    return at;
}

static void add_edge(body *b, uint32_t from, uint32_t instruction)
{
    if (instruction >= b->code->instructions.len) {
        b->flow.blocks.at[from].ends = true;
        return;
    }
    uint32_t to = block_at(b, instruction);
    vec_push(&b->flow.edges, to);
    b->flow.blocks.at[from].edge_count++;
}

static void add_targets(body *b, uint32_t from, const ptx_operand *targets, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (targets[i].kind == PTX_OPERAND_LABEL) {
            const ptx_label *label = &b->code->labels.at[targets[i].index];
            if (label->target_count)
                add_targets(b, from, label->targets, label->target_count);
            else
                add_edge(b, from, label->instruction);
        }
}

static void add_edges(body *b, uint32_t at)
{
    flow_block *block = &b->flow.blocks.at[at];
    const ptx_instruction *last = &b->code->instructions.at[block->end - 1];
    block->edges = (uint32_t)b->flow.edges.len;
    bool jumps = is_jump(last), ends = is_end(last);
    if (jumps)
        add_targets(b, at, last->operands, last->operand_count);
    block->ends |= is_return(last);
    if ((!jumps && !ends) || last->guard)
        add_edge(b, at, block->end);
    block->decides = block->edge_count + block->ends > 1;
    block->decider = block->end - 1;
}

/* ---- reach --------------------------------------------------------------------------------------------- */

/* Blocks that can be executed after a block, itself only by way of a loop. */
static void reach(const body *b, uint32_t from, bool *reached)
{
    const flow_block *block = &b->flow.blocks.at[from];
    for (uint32_t e = 0; e < block->edge_count; e++) {
        uint32_t to = b->flow.edges.at[block->edges + e];
        if (!reached[to]) {
            reached[to] = true;
            reach(b, to, reached);
        }
    }
}

static void find_loops(body *b)
{
    size_t n = b->flow.blocks.len;
    bool *reached = base_alloc(n);
    for (uint32_t i = 0; i < n; i++) {
        memset(reached, 0, n);
        reach(b, i, reached);
        b->flow.blocks.at[i].loops = reached[i];
    }
    free(reached);
}

void flow_build(body *b)
{
    find_blocks(b);
    for (uint32_t i = 0; i < b->flow.blocks.len; i++)
        add_edges(b, i);
    find_loops(b);
}

/* ---- what decides whether a block is executed ---------------------------------------------------------- */

/* always[i * n + j]: who executes i executes j afterwards, or has just done so (j is i, or comes behind it on every
 * path). */
static bool *find_always(const body *b)
{
    uint32_t n = (uint32_t)b->flow.blocks.len;
    bool *always = base_alloc((size_t)n * n);
    memset(always, 1, (size_t)n * n);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = n; i-- > 0;)
            for (uint32_t j = 0; j < n; j++) {
                const flow_block *block = &b->flow.blocks.at[i];
                bool all = !block->ends;
                for (uint32_t e = 0; e < block->edge_count; e++)
                    all = all && always[(size_t)b->flow.edges.at[block->edges + e] * n + j];
                bool now = i == j || all;
                changed |= now != always[(size_t)i * n + j];
                always[(size_t)i * n + j] = now;
            }
    }
    return always;
}

/* Whether the way that `from` takes decides if `at` is executed (once more). */
static bool depends(const body *b, const bool *always, uint32_t at, uint32_t from)
{
    size_t n = b->flow.blocks.len;
    const flow_block *block = &b->flow.blocks.at[from];
    if (!block->decides || (at != from && always[from * n + at]))
        return false;
    for (uint32_t e = 0; e < block->edge_count; e++)
        if (always[(size_t)b->flow.edges.at[block->edges + e] * n + at])
            return true;
    return false;
}

static origin_set decision(const body *b, const flow_block *block)
{
    const ptx_instruction *i = &b->code->instructions.at[block->decider];
    origin_set set = i->guard ? origins_of(b, i->guard) : 0;
    for (uint32_t o = 0; o < i->operand_count; o++)
        set |= origins_of(b, &i->operands[o]);
    return set;
}

void flow_control(body *b)
{
    bool *always = find_always(b);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < b->flow.blocks.len; i++)
            for (uint32_t j = 0; j < b->flow.blocks.len; j++) {
                flow_block *at = &b->flow.blocks.at[i];
                const flow_block *from = &b->flow.blocks.at[j];
                if (!depends(b, always, i, j))
                    continue;
                origin_set set = at->control | decision(b, from) | from->control;
                changed |= set != at->control;
                at->control = set;
            }
    }
    free(always);
}

/* ---- counting along paths ------------------------------------------------------------------------------ */

/* What a path does to a number: the state behind a block, from that before it. */
typedef uint32_t flow_step(const body *b, uint32_t block, uint32_t state, bool most, const void *what);

static uint32_t better(uint32_t a, uint32_t b, bool most)
{
    return (a > b) == most ? a : b;
}

/* The least, or greatest, state at an end of the body. States are capped, so this comes to rest. */
static uint32_t along_paths(const body *b, uint32_t before, bool most, flow_step *step, const void *what)
{
    size_t n = b->flow.blocks.len;
    uint32_t worst = most ? 0 : FLOW_UNBOUNDED + 1, result = worst;
    uint32_t *at = arena_array(b->arena, uint32_t, n);
    bool *known = arena_array(b->arena, bool, n);
    at[0] = before;
    known[0] = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < n; i++) {
            const flow_block *block = &b->flow.blocks.at[i];
            if (!known[i])
                continue;
            uint32_t after = step(b, i, at[i], most, what);
            if (block->ends)
                result = better(result, after, most);
            for (uint32_t e = 0; e < block->edge_count; e++) {
                uint32_t to = b->flow.edges.at[block->edges + e];
                uint32_t now = known[to] ? better(at[to], after, most) : after;
                changed |= !known[to] || now != at[to];
                at[to] = now;
                known[to] = true;
            }
        }
    }
    return result == worst && !most ? 0 : result;
}

static uint32_t capped(uint32_t state)
{
    return state > FLOW_UNBOUNDED ? FLOW_UNBOUNDED : state;
}

static uint32_t step_count(const body *b, uint32_t block, uint32_t state, bool most, const void *what)
{
    const site *s;
    vec_each(s, &b->sites)
        if (s->block == block && s->effect == *(const effect *)what && (most || !s->guarded))
            state = s->loops && most ? FLOW_UNBOUNDED : capped(state + 1);
    return state;
}

flow_range flow_count(const body *b, effect e)
{
    return (flow_range){along_paths(b, 0, false, step_count, &e), along_paths(b, 0, true, step_count, &e)};
}

typedef struct pending {
    effect opens, waits;
} pending;

/* cp.async.wait_all has no operand, and waits for all. */
static uint32_t groups_left(const body *b, const site *s)
{
    const ptx_instruction *i = site_code(b, s);
    int64_t left = i->operand_count ? operand_constant(b, &i->operands[0]) : 0;
    return left < 0 ? FLOW_UNBOUNDED : (uint32_t)left;
}

static uint32_t step_pending(const body *b, uint32_t block, uint32_t state, bool most, const void *what)
{
    const pending *p = what;
    const site *s;
    vec_each(s, &b->sites) {
        if (s->block != block)
            continue;
        if (s->effect == p->opens && (most || !s->guarded))
            state = capped(state + 1);
        if (s->effect == p->waits && (!most || !s->guarded)) {
            uint32_t left = groups_left(b, s);
            state = left < state ? left : state;
        }
    }
    return state;
}

flow_range flow_pending(const body *b, effect opens, effect waits, uint32_t before)
{
    pending p = {opens, waits};
    return (flow_range){along_paths(b, before, false, step_pending, &p),
                        along_paths(b, before, true, step_pending, &p)};
}

/* ---- what follows an instruction ----------------------------------------------------------------------- */

/* The first site of those effects in a block behind an instruction that is executed for certain (`sure`), or at all. */
static bool in_block(const body *b, uint32_t block, uint32_t behind, bool from_start, effect_set effects,
                     bool sure)
{
    const site *s;
    vec_each(s, &b->sites)
        if (s->block == block && (from_start || s->at > behind) && (effects >> s->effect & 1) &&
            !(sure && s->guarded))
            return true;
    return false;
}

bool flow_meets(const body *b, const site *s, effect_set effects)
{
    bool *reached = arena_array(b->arena, bool, b->flow.blocks.len);
    if (in_block(b, s->block, s->at, false, effects, false))
        return true;
    reach(b, s->block, reached);
    for (uint32_t i = 0; i < b->flow.blocks.len; i++)
        if (reached[i] && in_block(b, i, 0, true, effects, false))
            return true;
    return false;
}

static bool escapes_from(const body *b, uint32_t at, effect_set effects, bool *seen)
{
    const flow_block *block = &b->flow.blocks.at[at];
    if (block->ends)
        return true;
    for (uint32_t e = 0; e < block->edge_count; e++) {
        uint32_t to = b->flow.edges.at[block->edges + e];
        if (seen[to])
            continue;
        seen[to] = true;
        if (!in_block(b, to, 0, true, effects, true) && escapes_from(b, to, effects, seen))
            return true;
    }
    return false;
}

bool flow_escapes(const body *b, const site *s, effect_set effects)
{
    if (in_block(b, s->block, s->at, false, effects, true))
        return false;
    return escapes_from(b, s->block, effects, arena_array(b->arena, bool, b->flow.blocks.len));
}
