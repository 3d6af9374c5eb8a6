/* bulk.c: bulk copies and tensor copies: cp.async.bulk, cp.reduce.async.bulk and their .tensor forms (PTX ISA,
 * sections 9.7.9.25.4 and 9.7.9.27). Addresses are resolved and checked when an operation is issued; async/ does the
 * tensor arithmetic when it is carried out.
 *
 * arg: what the forms need, see the `finish` functions; ARG_NONE where a form has no such operand. */
#include "emu/check/fences.h"
#include "emu/check/races.h"
#include "emu/core/decode.h"
#include "emu/core/pending.h"

/* Operands as arguments of an op. */
enum {
    ARG_SIZE = 0,
    ARG_MASK = 1, /* CTAs of .multicast::cluster */
};

/* What is copied where; `choice`. */
typedef enum direction { TO_SHARED, SHARED_TO_SHARED, TO_GLOBAL } direction;

enum { BULK_ALIGNMENT = 16, TENSOR_ALIGNMENT = 128, NO_REDUCTION = 0xff };

/* ---- addresses ---------------------------------------------------------------------------------------- */

shared_place pending_place(warp *w, const op *o, uint32_t lane, uint32_t address_index, uint32_t bytes,
                           uint32_t alignment)
{
    shared_place p;
    uint32_t address = memory_to_shared(w, lane, memory_lane_address(w, o->address[address_index], lane));
    if (address % alignment)
        lane_fault(w, lane, "shared address 0x%x is not a multiple of %u", address, alignment);
    p.offset = (uint32_t)(memory_shared(w, lane, address, bytes, &p.cta) - p.cta->shared);
    return p;
}

/* The CTAs that a load writes to: its destination's, or those of the multicast mask. */
static uint32_t destinations(warp *w, const op *o, uint32_t lane, const cta *own)
{
    if (!(o->modifiers & MOD(MULTICAST)))
        return UINT32_C(1) << own->rank;
    uint32_t mask = ((const uint16_t *)REG(w, o->arg[ARG_MASK]))[lane], count = CLUSTER(w)->cta_count;
    if (!mask || mask >> count)
        lane_fault(w, lane, "the multicast mask 0x%x in a cluster of %u CTAs", mask, count);
    for (uint32_t rank = 0; rank < count; rank++)
        if (mask >> rank & 1 && !CLUSTER(w)->ctas[rank].live_warps)
            lane_fault(w, lane, "multicast to CTA %u of the cluster, which has exited", rank);
    return mask;
}

/* Whether `barrier` may hear of a load to `destination`: its own, or with .cta_group::2 one of its pair. */
static bool may_hear(const op *o, const cta *barrier, const cta *destination)
{
    return o->modifiers & MOD(CTA_GROUP_2) ? barrier->rank / 2 == destination->rank / 2
                                           : barrier == destination;
}

/* The barrier of a load: at the same offset in each destination. */
static shared_place place_barrier(warp *w, const op *o, uint32_t lane, const cta *destination)
{
    shared_place barrier = pending_place(w, o, lane, 2, 8, 8);
    if (!may_hear(o, barrier.cta, destination))
        lane_fault(w, lane, "the mbarrier is in CTA %u of the cluster, the destination in CTA %u",
                   barrier.cta->rank, destination->rank);
    mbarrier_check(w, barrier.cta, barrier.offset);
    return barrier;
}

/* Of all those CTAs. */
static void look_at_fences(warp *w, uint32_t ctas, uint32_t offset, uint32_t bytes, const char *doing)
{
    cluster *c = CLUSTER(w);
    for (uint32_t rank = 0; c->fences && rank < c->cta_count; rank++)
        if (ctas >> rank & 1)
            fences_engine(w, &c->ctas[rank], offset, bytes, doing);
}

/* A copy into all those CTAs, which their barriers hear of. */
static void look_at_races(const pending *p, uint32_t ctas, uint32_t barrier, uint32_t offset, uint32_t bytes)
{
    cluster *c = CLUSTER(p->warp);
    for (uint32_t rank = 0; c->races && rank < c->cta_count; rank++)
        if (ctas >> rank & 1)
            races_by_barrier(p->warp, &c->ctas[pending_told(p, rank)], barrier, &c->ctas[rank], offset, bytes,
                             true);
}

static void tell_barriers(const pending *p, uint32_t ctas, uint32_t offset, uint32_t bytes)
{
    cluster *c = CLUSTER(p->warp);
    for (uint32_t rank = 0; rank < c->cta_count; rank++)
        if (ctas >> rank & 1)
            mbarrier_complete_tx(p->warp, &c->ctas[rank], offset, bytes);
}

/* ---- bulk --------------------------------------------------------------------------------------------- */

static void move_bulk(pending *p, uint8_t *to)
{
    pending_bulk *b = &p->bulk;
    const uint8_t *from = p->copy ? p->copy : b->from;
    const char *error = NULL;
    if (!b->reduces)
        memcpy(to, from, b->bytes);
    else if (!async_reduce(b->element, b->reduction, to, from, b->bytes / async_element_bytes(b->element),
                           &error))
        warp_fault(p->warp, "%s", error);
}

static void carry_out_bulk(pending *p)
{
    pending_bulk *b = &p->bulk;
    cluster *c = CLUSTER(p->warp);
    if (b->to) {
        move_bulk(p, b->to);
        return;
    }
    for (uint32_t rank = 0; rank < c->cta_count; rank++)
        if (b->ctas >> rank & 1)
            move_bulk(p, c->ctas[rank].shared + b->to_offset);
    tell_barriers(p, b->ctas, b->barrier_offset, b->bytes);
}

static void read_bulk(pending *p)
{
    p->copy = base_alloc(p->bulk.bytes);
    memcpy(p->copy, p->bulk.from, p->bulk.bytes);
}

/* A store reads until its group has been waited for. */
static void look_at_store(pending *p, uint32_t offset, uint32_t bytes)
{
    if (!CLUSTER(p->warp)->races)
        return;
    races_next(p, RACE_BULK);
    races_by_pipe(p->warp, RACE_BULK, p->warp->cta, offset, bytes, false);
}

static void place_bulk(warp *w, const op *o, uint32_t lane, pending *p)
{
    pending_bulk *b = &p->bulk;
    uint64_t global = memory_lane_address(w, o->address[o->choice == TO_GLOBAL ? 0 : 1], lane);
    if (o->choice != SHARED_TO_SHARED && global % BULK_ALIGNMENT)
        lane_fault(w, lane, "global address 0x%llx is not a multiple of %d", (unsigned long long)global,
                   BULK_ALIGNMENT);
    if (o->choice == TO_SHARED) {
        b->from = memory_generic(w, lane, global, b->bytes, MEMORY_READ);
    } else {
        shared_place from = pending_place(w, o, lane, 1, b->bytes, BULK_ALIGNMENT);
        if (from.cta != w->cta)
            lane_fault(w, lane, "the source is in another CTA's shared memory");
        b->from = from.cta->shared + from.offset;
        p->reads = UINT32_C(1) << w->cta->rank;
        look_at_fences(w, p->reads, from.offset, b->bytes, "a bulk copy reads");
    }
    if (o->choice == TO_GLOBAL) {
        b->to = memory_global(w, lane, global, b->bytes, MEMORY_WRITE);
        look_at_store(p, (uint32_t)(b->from - w->cta->shared), b->bytes);
        return;
    }
    shared_place to = pending_place(w, o, lane, 0, b->bytes, BULK_ALIGNMENT);
    b->to_offset = to.offset;
    b->barrier_offset = place_barrier(w, o, lane, to.cta).offset;
    b->ctas = p->writes = destinations(w, o, lane, to.cta);
    p->ctas = &b->ctas;
    look_at_fences(w, b->ctas, to.offset, b->bytes, "a bulk copy writes");
    if (!b->reduces) /* reductions may meet */
        look_at_races(p, b->ctas, b->barrier_offset, to.offset, b->bytes);
    if (o->choice == SHARED_TO_SHARED && CLUSTER(w)->races)
        races_by_barrier(w, to.cta, b->barrier_offset, w->cta, (uint32_t)(b->from - w->cta->shared), b->bytes,
                         false);
}

static void issue_bulk(warp *w, const op *o, uint32_t lane)
{
    uint32_t bytes = ((const uint32_t *)REG(w, o->arg[ARG_SIZE]))[lane];
    if (bytes % BULK_ALIGNMENT)
        lane_fault(w, lane, "a bulk copy of %u bytes: a multiple of %d is needed", bytes, BULK_ALIGNMENT);
    pending *p = pending_new(w, UINT32_C(1) << lane, "a bulk copy", carry_out_bulk);
    p->bulk = (pending_bulk){.bytes = bytes, .reduces = o->choice2 != NO_REDUCTION};
    if (p->bulk.reduces) {
        p->bulk.reduction = (async_reduction)o->choice2;
        p->bulk.element = (emu_element)o->width;
    }
    place_bulk(w, o, lane, p);
    if (o->choice == TO_GLOBAL) {
        p->kind = PENDING_BULK;
        p->group = w->bulk_group[lane];
        p->read = read_bulk;
    }
    pending_issue(p);
}

static void run_bulk(warp *w, const op *o, uint32_t mask)
{
    EACH_LANE(mask)
    {
        issue_bulk(w, o, lane);
    }
}

/* ---- tensors ------------------------------------------------------------------------------------------ */

static uint8_t *map_global(void *ctx, uint64_t address, size_t bytes)
{
    return memory_global(ctx, 0, address, bytes, MEMORY_READ);
}

static uint8_t *map_global_writable(void *ctx, uint64_t address, size_t bytes)
{
    return memory_global(ctx, 0, address, bytes, MEMORY_WRITE);
}

/* With .cta_group::2 the signal goes to the even CTA of each destination's pair, or the odd one, as the barrier that
 * the instruction names is in such a CTA ("cp.async.bulk.tensor"). */
static void tell_pairs(const pending *p)
{
    const pending_tensor *t = &p->tensor;
    cluster *c = CLUSTER(p->warp);
    for (uint32_t rank = 0; rank < c->cta_count; rank++)
        if (t->ctas >> rank & 1)
            mbarrier_complete_tx(p->warp, &c->ctas[pending_told(p, rank)], t->barrier_offset,
                                 async_tensor_box_bytes(&t->map));
}

static void carry_out_tensor_load(pending *p)
{
    pending_tensor *t = &p->tensor;
    cluster *c = CLUSTER(p->warp);
    async_global global = {p->warp, map_global};
    const char *error = NULL;
    for (uint32_t rank = 0; rank < c->cta_count; rank++)
        if (t->ctas >> rank & 1 && !async_tensor_load(&t->map, t->coord, c->ctas[rank].shared + t->offset,
                                                      t->offset, &global, &error))
            warp_fault(p->warp, "%s", error);
    if (t->pair)
        tell_pairs(p);
    else
        tell_barriers(p, t->ctas, t->barrier_offset, async_tensor_box_bytes(&t->map));
}

static void carry_out_tensor_store(pending *p)
{
    pending_tensor *t = &p->tensor;
    const uint8_t *from = p->copy ? p->copy : p->warp->cta->shared + t->offset;
    async_global global = {p->warp, map_global_writable};
    const char *error = NULL;
    bool ok = t->reduces
                  ? async_tensor_reduce(&t->map, t->coord, t->reduction, from, t->offset, &global, &error)
                  : async_tensor_store(&t->map, t->coord, from, t->offset, &global, &error);
    if (!ok)
        warp_fault(p->warp, "%s", error);
}

static void read_tensor(pending *p)
{
    uint32_t bytes = async_tensor_box_bytes(&p->tensor.map);
    p->copy = base_alloc(bytes);
    memcpy(p->copy, p->warp->cta->shared + p->tensor.offset, bytes);
}

/* The tensor map, whose generic address the instruction gives. */
static void read_map(warp *w, const op *o, uint32_t lane, pending_tensor *t)
{
    uint64_t address = memory_lane_address(w, o->address[1], lane);
    if (address % 64)
        lane_fault(w, lane, "the tensor map at 0x%llx is not a multiple of 64", (unsigned long long)address);
    const uint8_t *map = memory_generic(w, lane, address, EMU_TENSOR_MAP_BYTES, MEMORY_READ);
    if (!emu_tensor_map_decode(map, &t->map))
        lane_fault(w, lane, "there is no tensor map at 0x%llx", (unsigned long long)address);
    if (t->map.rank != o->count)
        lane_fault(w, lane, "a %uD copy with a tensor map of %u dimensions", o->count, t->map.rank);
    for (uint32_t i = 0; i < o->count; i++)
        t->coord[i] = ((const int32_t *)REG(w, o->list[i]))[lane];
}

/* Rows follow each other in shared memory: of others, checks cannot say which bytes are theirs. */
static bool is_dense(const pending_tensor *t)
{
    return async_tensor_box_span(&t->map) == async_tensor_box_bytes(&t->map);
}

static void issue_tensor(warp *w, const op *o, uint32_t lane)
{
    bool load = o->choice == TO_SHARED;
    pending *p = pending_new(w, UINT32_C(1) << lane, load ? "a tensor load" : "a tensor store",
                             load ? carry_out_tensor_load : carry_out_tensor_store);
    pending_tensor *t = &p->tensor;
    *t = (pending_tensor){.reduces = o->choice2 != NO_REDUCTION};
    read_map(w, o, lane, t);
    shared_place place = pending_place(w, o, lane, 0, async_tensor_box_bytes(&t->map), TENSOR_ALIGNMENT);
    t->offset = place.offset;
    if (load) {
        shared_place barrier = place_barrier(w, o, lane, place.cta);
        t->barrier_offset = barrier.offset;
        t->pair = (o->modifiers & MOD(CTA_GROUP_2)) != 0;
        if (t->pair)
            p->tell = barrier.cta->rank % 2 ? TELL_ODD : TELL_EVEN;
        t->ctas = destinations(w, o, lane, place.cta);
        p->ctas = &t->ctas;
        p->writes = t->ctas | UINT32_C(1) << barrier.cta->rank;
        if (is_dense(t)) {
            look_at_fences(w, t->ctas, t->offset, async_tensor_box_bytes(&t->map), "a tensor load writes");
            look_at_races(p, t->ctas, t->barrier_offset, t->offset, async_tensor_box_bytes(&t->map));
        }
    } else {
        if (place.cta != w->cta)
            lane_fault(w, lane, "the source is in another CTA's shared memory");
        if (t->reduces)
            t->reduction = (async_reduction)o->choice2;
        p->reads = UINT32_C(1) << w->cta->rank;
        if (is_dense(t)) {
            look_at_fences(w, p->reads, t->offset, async_tensor_box_bytes(&t->map), "a tensor store reads");
            look_at_store(p, t->offset, async_tensor_box_bytes(&t->map));
        }
        p->kind = PENDING_BULK;
        p->group = w->bulk_group[lane];
        p->read = read_tensor;
    }
    pending_issue(p);
}

static void run_tensor(warp *w, const op *o, uint32_t mask)
{
    EACH_LANE(mask)
    {
        issue_tensor(w, o, lane);
    }
}

/* ---- groups ------------------------------------------------------------------------------------------- */

static void run_commit(warp *w, const op *o, uint32_t mask)
{
    (void)o;
    EACH_LANE(mask)
    {
        w->bulk_group[lane]++;
    }
}

static void run_wait(warp *w, const op *o, uint32_t mask)
{
    if (w->pending_bulk && (o->modifiers & MOD(READ)))
        pending_wait_read(w, mask, o->arg[0]);
    else if (w->pending_bulk)
        pending_wait(w, PENDING_BULK, mask, o->arg[0], false);
    if (CLUSTER(w)->races)
        races_waited(w, RACE_BULK);
}

const op_family family_bulk_commit = {.any = run_commit};
const op_family family_bulk_wait = {.any = run_wait};

/* ---- decoding ----------------------------------------------------------------------------------------- */

/* The state spaces of an opcode in their order: the destination's and the source's. */
static bool find_direction(decoder *d, op *o, const opcode *code)
{
    const char *spaces[2] = {"", ""};
    uint32_t found = 0;
    for (uint32_t i = 0; i < code->word_count && found < 2; i++)
        if (strncmp(code->words[i], "shared", 6) == 0 || strcmp(code->words[i], "global") == 0)
            spaces[found++] = code->words[i];
    bool to_global = *spaces[0] == 'g', from_global = *spaces[1] == 'g';
    if (found != 2 || (to_global && from_global))
        return decode_refuse(d, "a destination and a source space expected");
    o->choice = to_global ? TO_GLOBAL : from_global ? TO_SHARED : SHARED_TO_SHARED;
    return true;
}

static bool find_reduction(decoder *d, op *o, const opcode *code)
{
    static const struct {
        ptx_type type;
        emu_element element;
    } elements[] = {
        {PTX_U32, EMU_U32}, {PTX_B32, EMU_U32}, {PTX_S32, EMU_S32}, {PTX_U64, EMU_U64},   {PTX_B64, EMU_U64},
        {PTX_S64, EMU_S64}, {PTX_F16, EMU_F16}, {PTX_F64, EMU_F64}, {PTX_BF16, EMU_BF16}, {PTX_F32, EMU_F32},
    };
    int how = strncmp(code->full, "cp.reduce", 9) == 0
                  ? opcode_pick(code, "add min max inc dec and or xor", -1)
                  : -1;
    o->choice2 = how < 0 ? NO_REDUCTION : (uint8_t)how;
    if (how < 0 || code->type_count == 0)
        return true;
    for (size_t i = 0; i < ARRAY_LEN(elements); i++)
        if (elements[i].type == code->types[0]) {
            o->width = (uint8_t)elements[i].element;
            if (!async_reduction_allowed(elements[i].element, (async_reduction)how))
                break;
            return true;
        }
    return decode_refuse(d, "no such reduction for type .%s", ptx_type_name(code->types[0]));
}

/* Operands behind the fixed ones: [mbarrier], CTA mask, cache policy, as the modifiers say. */
static bool finish_tail(decoder *d, op *o, uint32_t next)
{
    const ptx_instruction *i = d->instruction;
    ptx_space ignored = PTX_SHARED;
    uint32_t want = next + (o->choice != TO_GLOBAL) + ((o->modifiers & MOD(MULTICAST)) != 0) +
                    ((o->modifiers & MOD(CACHE_HINT)) != 0);
    if (i->operand_count != want)
        return decode_refuse(d, "operands of this form");
    if (o->choice != TO_GLOBAL && !decode_address(d, &i->operands[next++], &o->address[2], &ignored))
        return false;
    return !(o->modifiers & MOD(MULTICAST)) ||
           decode_source(d, &i->operands[next], 16, PTX_B16, &o->arg[ARG_MASK]);
}

/* [to], [from], size, ... */
static bool finish_bulk(decoder *d, op *o, const opcode *code)
{
    const ptx_instruction *i = d->instruction;
    ptx_space to = PTX_SHARED, from = PTX_GLOBAL;
    o->run = run_bulk;
    if (!find_direction(d, o, code) || !find_reduction(d, o, code))
        return false;
    if (i->operand_count < 3)
        return decode_refuse(d, "operands of this form");
    return decode_address(d, &i->operands[0], &o->address[0], &to) &&
           decode_address(d, &i->operands[1], &o->address[1], &from) &&
           decode_source(d, &i->operands[2], 32, PTX_U32, &o->arg[ARG_SIZE]) && finish_tail(d, o, 3);
}

/* [map, {coordinates}]: the map's address is always address 1, the shared one address 0. */
static bool finish_map(decoder *d, op *o, const ptx_operand *operand)
{
    ptx_space generic = PTX_GENERIC;
    if (operand->kind != PTX_OPERAND_ADDRESS || operand->count != 2)
        return decode_refuse(d, "[tensor map, {coordinates}] expected");
    uint32_t *list = decode_list(d, o->count);
    o->list = list;
    o->list_len = o->count;
    return decode_address(d, operand, &o->address[1], &generic) &&
           decode_vector(d, &operand->items[1], false, 32, PTX_S32, list, o->count);
}

static bool finish_tensor(decoder *d, op *o, const opcode *code)
{
    const ptx_instruction *i = d->instruction;
    ptx_space shared = PTX_SHARED;
    o->run = run_tensor;
    o->count = (uint8_t)(1 + opcode_pick(code, "1d 2d 3d 4d 5d", 0));
    if (!find_direction(d, o, code) || !find_reduction(d, o, code))
        return false;
    if (i->operand_count < 2)
        return decode_refuse(d, "operands of this form");
    bool load = o->choice == TO_SHARED;
    return finish_map(d, o, &i->operands[load ? 1 : 0]) &&
           decode_address(d, &i->operands[load ? 0 : 1], &o->address[0], &shared) && finish_tail(d, o, 2);
}

const op_family family_bulk = {.finish = finish_bulk};
const op_family family_tensor = {.finish = finish_tensor};
