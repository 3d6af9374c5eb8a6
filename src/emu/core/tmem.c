/* tmem.c: tensor memory: its allocation, and loads and stores (PTX ISA, "Tensor memory" and "tcgen05.alloc",
 * "tcgen05.ld", "tcgen05.st", "tcgen05.wait").
 *
 * Each CTA has its own: 512 columns of 128 lanes of 32 bits, none shared with another CTA of the SM. An address is
 * lane << 16 | column. Where an allocation lies is the launch's choice, as on a GPU it depends on who else is there:
 * with EMU_ASYNC_EARLY the lowest free columns, with LATE the highest, with RANDOM any. With .cta_group::2 a warp of
 * each CTA of the pair asks, and both get the same columns.
 *
 * Loads and stores are carried out any time up to tcgen05.wait: registers of a load that is not waited for hold old
 * values. What a store writes is read from its registers at once. */
#include "emu/check/fences.h"
#include "emu/check/races.h"
#include "emu/core/decode.h"
#include "emu/core/pending.h"

enum { UNITS = TMEM_COLUMNS / TMEM_UNIT, REGISTERS_MAX = 128 };

/* ---- allocation --------------------------------------------------------------------------------------- */

static uint32_t units_mask(uint32_t first, uint32_t columns)
{
    uint32_t units = (columns + first % TMEM_UNIT + TMEM_UNIT - 1) / TMEM_UNIT;
    return ((UINT32_C(1) << units) - 1) << (first / TMEM_UNIT);
}

/* Places for so many columns where none of `owned` is: a bit for each first unit. */
static uint32_t free_places(uint32_t owned, uint32_t columns)
{
    uint32_t places = 0;
    for (uint32_t unit = 0; unit + columns / TMEM_UNIT <= UNITS; unit++)
        if (!(owned & units_mask(unit * TMEM_UNIT, columns)))
            places |= UINT32_C(1) << unit;
    return places;
}

static uint32_t choose_place(cluster *c, uint32_t places)
{
    if (c->grid->launch->async_order == EMU_ASYNC_EARLY)
        return (uint32_t)__builtin_ctz(places);
    if (c->grid->launch->async_order == EMU_ASYNC_LATE)
        return 31 - (uint32_t)__builtin_clz(places);
    for (uint64_t n = cluster_random(c) % (uint32_t)__builtin_popcount(places); n > 0; n--)
        places &= places - 1;
    return (uint32_t)__builtin_ctz(places);
}

static const cta *peer_of(const cta *c)
{
    return &c->cluster->ctas[c->rank ^ 1];
}

cta *tmem_peer(warp *w)
{
    cluster *c = CLUSTER(w);
    uint32_t rank = w->cta->rank ^ 1;
    if (rank >= c->cta_count)
        warp_fault(w, ".cta_group::2 in CTA %u of a cluster of %u: it has no peer", w->cta->rank,
                   c->cta_count);
    return &c->ctas[rank];
}

bool tmem_ready(const cta *c, uint32_t columns, uint32_t cta_group)
{
    if (cta_group == 1)
        return free_places(c->tmem.owned, columns) != 0;
    const cta *peer = peer_of(c);
    return c->tmem.granted ||
           (peer->tmem.requested == columns && free_places(c->tmem.owned | peer->tmem.owned, columns));
}

void tmem_use_group(warp *w, uint32_t cta_group)
{
    tensor_memory *t = &w->cta->tmem;
    if (t->cta_group && t->cta_group != cta_group)
        warp_fault(w, "tcgen05 with .cta_group::%u in a CTA that has used .cta_group::%u", cta_group,
                   t->cta_group);
    t->cta_group = (uint8_t)cta_group;
}

static uint32_t take(cta *c, uint32_t owned, uint32_t columns)
{
    uint32_t first = choose_place(c->cluster, free_places(owned, columns)) * TMEM_UNIT;
    c->tmem.owned |= units_mask(first, columns);
    return first;
}

/* Who used those columns before is of no interest. */
static void forget_accesses(const cta *c, uint32_t first, uint32_t columns)
{
    if (c->cluster->fences)
        fences_allocated(c, first, columns);
    if (c->cluster->races)
        races_allocated(c, first, columns);
}

/* The first column; false when the warp has to wait. */
static bool allocate(warp *w, uint32_t columns, uint32_t cta_group, uint32_t *first)
{
    cta *c = w->cta, *peer = cta_group == 2 ? tmem_peer(w) : NULL;
    if (!tmem_ready(c, columns, cta_group)) {
        c->tmem.requested = peer ? columns : 0;
        cluster_effect(CLUSTER(w));
        return false;
    }
    if (peer && c->tmem.granted) {
        *first = c->tmem.granted - 1;
        c->tmem.granted = 0;
        return true;
    }
    *first = take(c, c->tmem.owned | (peer ? peer->tmem.owned : 0), columns);
    c->tmem.requested = 0;
    forget_accesses(c, *first, columns);
    if (peer)
        forget_accesses(peer, *first, columns);
    if (peer) {
        peer->tmem.owned |= units_mask(*first, columns);
        peer->tmem.granted = *first + 1;
        peer->tmem.requested = 0;
    }
    cluster_effect(CLUSTER(w));
    return true;
}

/* False while lanes of the warp are still to come. */
static bool whole_warp(warp *w, uint32_t mask)
{
    if (!divergence_aligned(w, mask))
        return false;
    if (mask != ALL_LANES)
        warp_fault(w, "a tcgen05 instruction by lanes 0x%08x: whole warps are needed", mask);
    return true;
}

static uint32_t uniform(warp *w, uint32_t argument, const char *what)
{
    const uint32_t *value = REG(w, argument);
    for (uint32_t lane = 1; lane < WARP_LANES; lane++)
        if (value[lane] != value[0])
            lane_fault(w, lane, "%s that differs from lane 0's", what);
    return value[0];
}

static void check_columns(warp *w, uint32_t columns)
{
    if (columns < TMEM_UNIT || columns > TMEM_COLUMNS || (columns & (columns - 1)))
        warp_fault(w, "%u columns of tensor memory: a power of two from %d to %d is needed", columns,
                   TMEM_UNIT, TMEM_COLUMNS);
}

static uint32_t group_of(const op *o)
{
    return o->modifiers & MOD(CTA_GROUP_2) ? 2 : 1;
}

static void run_alloc(warp *w, const op *o, uint32_t mask)
{
    wait over;
    uint32_t first, columns;
    if (!whole_warp(w, mask))
        return;
    (void)warp_resumes(w, &over);
    columns = uniform(w, o->arg[0], "a number of columns");
    check_columns(w, columns);
    tmem_use_group(w, group_of(o));
    if (w->cta->tmem.relinquished)
        warp_fault(w, "tcgen05.alloc after tcgen05.relinquish_alloc_permit");
    shared_place to = pending_place(w, o, 0, 0, 4, 4);
    if (allocate(w, columns, group_of(o), &first))
        memcpy(to.cta->shared + to.offset, &first, sizeof first);
    else
        warp_wait(w, (wait){.kind = WAIT_TMEM, .id = columns, .parity = group_of(o)});
}

static void run_dealloc(warp *w, const op *o, uint32_t mask)
{
    if (!whole_warp(w, mask))
        return;
    uint32_t address = uniform(w, o->arg[0], "an address"),
             columns = uniform(w, o->arg[1], "a number of columns");
    check_columns(w, columns);
    tmem_use_group(w, group_of(o));
    if (address % TMEM_UNIT)
        warp_fault(w, "tensor memory 0x%08x is not the start of an allocation", address);
    tmem_check(w, w->cta, address, columns, "given back");
    const char *busy = pending_on_tmem(w->cta, address, address + columns);
    if (busy)
        warp_fault(w, "tensor memory is given back while %s on it has not been waited for", busy);
    if (CLUSTER(w)->races)
        races_given_back(w, address, columns);
    w->cta->tmem.owned &= ~units_mask(address, columns);
    cluster_effect(CLUSTER(w));
}

static void run_relinquish(warp *w, const op *o, uint32_t mask)
{
    if (!whole_warp(w, mask))
        return;
    tmem_use_group(w, group_of(o));
    w->cta->tmem.relinquished = true;
}

void tmem_check(warp *w, const cta *c, uint32_t first, uint32_t count, const char *what)
{
    if (!c->tmem.words || first >= TMEM_COLUMNS || count > TMEM_COLUMNS - first)
        warp_fault(w, "columns %u to %u of tensor memory, which has %d, are %s", first, first + count - 1,
                   TMEM_COLUMNS, what);
    uint32_t need = units_mask(first, count);
    if ((c->tmem.owned & need) != need)
        warp_fault(w, "columns %u to %u of tensor memory are %s and are not allocated in CTA rank %u", first,
                   first + count - 1, what, c->rank);
    if (script_runs(c->cluster))
        script_touch(w, c, first, count, false, true);
}

void tmem_check_exit(cta *c)
{
    if (c->tmem.owned)
        cta_fault(c, "the CTA has exited with tensor memory not given back (units of %d columns: 0x%04x)",
                  TMEM_UNIT, c->tmem.owned);
}

static bool finish_tmem(decoder *d, op *o, const opcode *code)
{
    (void)o;
    d->program->uses_tcgen05 = true;
    return opcode_pick(code, "cta_group::1 cta_group::2", -1) >= 0 ||
           decode_refuse(d, "a .cta_group expected");
}

const op_family family_tmem_alloc = {.any = run_alloc, .finish = finish_tmem};
const op_family family_tmem_dealloc = {.any = run_dealloc, .finish = finish_tmem};
const op_family family_tmem_relinquish = {.any = run_relinquish, .finish = finish_tmem};

/* ---- loads and stores --------------------------------------------------------------------------------- */

/* Where a register of a thread lies, relative to the address ("Data movement shape"); choice is the shape. */
typedef struct tmem_place {
    uint32_t lane, column;
} tmem_place;

typedef struct tmem_shape {
    const char *name;
    uint32_t lanes, registers; /* a repetition */
    uint32_t columns;
    tmem_place (*place)(uint32_t index, uint32_t thread);
} tmem_shape;

static tmem_place place_32x32b(uint32_t index, uint32_t thread)
{
    return (tmem_place){thread, index};
}

static tmem_place place_16x256b(uint32_t index, uint32_t thread)
{
    return (tmem_place){thread / 4 + index % 4 / 2 * 8, index / 4 * 8 + thread % 4 * 2 + index % 2};
}

static const tmem_shape shapes[] = {
    {"32x32b", 32, 1, 1, place_32x32b},
    {"16x256b", 16, 4, 8, place_16x256b},
};

static uint32_t columns_of(const op *o)
{
    const tmem_shape *shape = &shapes[o->choice];
    return o->list_len / shape->registers * shape->columns;
}

static uint32_t *word_at(const pending *p, uint32_t index, uint32_t thread)
{
    tmem_place at = shapes[p->tmem.op->choice].place(index, thread);
    return &p->warp->cta->tmem.words[(p->tmem.column + at.column) * TMEM_LANES + p->tmem.lane + at.lane];
}

static void carry_out_load(pending *p)
{
    const op *o = p->tmem.op;
    for (uint32_t i = 0; i < o->list_len; i++) {
        uint32_t *to = REG(p->warp, o->list[i]);
        for (uint32_t thread = 0; thread < WARP_LANES; thread++)
            to[thread] = *word_at(p, i, thread);
    }
}

static void carry_out_store(pending *p)
{
    const op *o = p->tmem.op;
    const uint32_t *from = (const uint32_t *)(const void *)p->copy;
    for (uint32_t i = 0; i < o->list_len; i++)
        for (uint32_t thread = 0; thread < WARP_LANES; thread++)
            *word_at(p, i, thread) = from[i * WARP_LANES + thread];
}

/* A warp reaches the quarter of the lanes that its place in its warpgroup gives it ("Access restrictions"). */
static void check_reach(warp *w, const op *o, uint32_t lane)
{
    uint32_t lanes = shapes[o->choice].lanes;
    if (lane / 32 != w->index % 4 || lane % lanes)
        warp_fault(w, "lanes %u to %u of tensor memory by warp %u, which reaches lanes %u to %u", lane,
                   lane + lanes - 1, w->index, w->index % 4 * 32, w->index % 4 * 32 + 31);
}

/* Of 16 lanes each. */
static uint32_t parts_of(const op *o, uint32_t lane)
{
    return (shapes[o->choice].lanes == 32 ? 3u : 1u) << lane / 16;
}

static void run_move(warp *w, const op *o, uint32_t mask, pending_kind kind, pending_run *run)
{
    bool loads = kind == PENDING_TMEM_LOAD;
    if (!whole_warp(w, mask))
        return;
    uint32_t address = (uint32_t)memory_lane_address(w, o->address[0], 0);
    for (uint32_t lane = 1; lane < WARP_LANES; lane++)
        if ((uint32_t)memory_lane_address(w, o->address[0], lane) != address)
            lane_fault(w, lane, "an address in tensor memory that differs from lane 0's");
    check_reach(w, o, address >> 16);
    tmem_check(w, w->cta, address & 0xffff, columns_of(o), loads ? "loaded" : "stored");
    if (CLUSTER(w)->fences)
        fences_tensor(w, w->cta, parts_of(o, address >> 16), address & 0xffff, columns_of(o), !loads,
                      loads ? "tcgen05.ld reads" : "tcgen05.st writes");
    pending *p = pending_new(w, ALL_LANES, loads ? "tcgen05.ld" : "tcgen05.st", run);
    p->kind = kind;
    p->tmem = (pending_tmem){.op = o, .lane = address >> 16, .column = address & 0xffff};
    p->tmem_ctas = UINT32_C(1) << w->cta->rank;
    p->tmem_first = address & 0xffff;
    p->tmem_end = p->tmem_first + columns_of(o);
    if (CLUSTER(w)->races) {
        race_pipe pipe = loads ? RACE_TMEM_LOAD : RACE_TMEM_STORE;
        races_next(p, pipe);
        races_tensor(w, pipe, w->cta, parts_of(o, address >> 16), p->tmem_first, columns_of(o), !loads);
    }
    if (!loads) {
        p->copy = base_alloc(sizeof(uint32_t) * WARP_LANES * o->list_len);
        for (uint32_t i = 0; i < o->list_len; i++)
            memcpy(p->copy + sizeof(uint32_t) * WARP_LANES * i, REG(w, o->list[i]),
                   sizeof(uint32_t) * WARP_LANES);
    }
    pending_issue(p);
}

static void run_load(warp *w, const op *o, uint32_t mask)
{
    run_move(w, o, mask, PENDING_TMEM_LOAD, carry_out_load);
}

static void run_store(warp *w, const op *o, uint32_t mask)
{
    run_move(w, o, mask, PENDING_TMEM_STORE, carry_out_store);
}

/* The number behind .x: a power of two. 0: none. */
static uint32_t repetitions(const opcode *code)
{
    for (uint32_t i = 0; i < code->word_count; i++) {
        const char *word = code->words[i];
        char *end;
        unsigned long count = *word == 'x' ? strtoul(word + 1, &end, 10) : 0;
        if (count && count <= REGISTERS_MAX && !(count & (count - 1)) && !*end)
            return (uint32_t)count;
    }
    return 0;
}

/* {registers}, [address]; a store the other way round */
static bool finish_move(decoder *d, op *o, const opcode *code, bool loads)
{
    const ptx_instruction *i = d->instruction;
    ptx_space ignored = PTX_GENERIC;
    int shape = opcode_pick(code, "32x32b 16x256b", -1);
    uint32_t count = repetitions(code);
    d->program->uses_tcgen05 = true;
    if (shape < 0 || !count || count * shapes[shape].registers > REGISTERS_MAX || i->operand_count != 2)
        return decode_refuse(d, "a shape of this form");
    o->run = loads ? run_load : run_store;
    o->choice = (uint8_t)shape;
    o->list_len = count * shapes[shape].registers;
    uint32_t *list = decode_list(d, o->list_len);
    o->list = list;
    return decode_address(d, &i->operands[loads ? 1 : 0], &o->address[0], &ignored) &&
           decode_vector(d, &i->operands[loads ? 0 : 1], loads, 32, PTX_B32, list, o->list_len);
}

static bool finish_load(decoder *d, op *o, const opcode *code)
{
    return finish_move(d, o, code, true);
}

static bool finish_store(decoder *d, op *o, const opcode *code)
{
    return finish_move(d, o, code, false);
}

const op_family family_tmem_ld = {.finish = finish_load};
const op_family family_tmem_st = {.finish = finish_store};

static void run_wait_load(warp *w, const op *o, uint32_t mask)
{
    (void)o;
    if (!whole_warp(w, mask))
        return;
    if (w->pending_tmem_loads)
        pending_wait(w, PENDING_TMEM_LOAD, mask, 0, true);
    if (CLUSTER(w)->races)
        races_waited(w, RACE_TMEM_LOAD);
}

static void run_wait_store(warp *w, const op *o, uint32_t mask)
{
    (void)o;
    if (!whole_warp(w, mask))
        return;
    if (w->pending_tmem_stores)
        pending_wait(w, PENDING_TMEM_STORE, mask, 0, true);
    if (CLUSTER(w)->races)
        races_waited(w, RACE_TMEM_STORE);
}

const op_family family_tmem_wait_ld = {.any = run_wait_load};
const op_family family_tmem_wait_st = {.any = run_wait_store};

/* ---- fences ------------------------------------------------------------------------------------------- */

/* Of one memory there is nothing to order; check/fences.c looks whether they are there. */
static void run_before(warp *w, const op *o, uint32_t mask)
{
    (void)o;
    (void)mask;
    if (CLUSTER(w)->fences)
        fences_before_sync(w);
}

static void run_after(warp *w, const op *o, uint32_t mask)
{
    (void)o;
    (void)mask;
    if (CLUSTER(w)->fences)
        fences_after_sync(w);
}

const op_family family_tmem_before = {.any = run_before};
const op_family family_tmem_after = {.any = run_after};
