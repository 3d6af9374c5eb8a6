/* umma.c: tcgen05.mma, .cp and .commit (PTX ISA, "tcgen05.mma", "tcgen05.cp", "tcgen05.commit").
 *
 * One thread issues them. Operands are read, and tensor memory is written, when an operation is carried out; those
 * of a thread keep their order. A commit's arrival comes after all of them, and is what lets others know: so nothing
 * that reads D, or overwrites an operand, may come before it. With .cta_group::2 an operation works on both CTAs of
 * the pair, at the same places; the thread is one of the even CTA. */
#include "emu/check/fences.h"
#include "emu/check/races.h"
#include "emu/core/decode.h"
#include "emu/core/pending.h"

/* mma: descriptors of A (or none) and B, instruction descriptor, predicate; address 0 is D, 1 is A in tensor memory,
 * 2 and 3 are factors */
enum { ARG_A = 0, ARG_B = 1, ARG_IDESC = 2, ARG_ACCUMULATE = 3 };
/* cp, commit */
enum { ARG_DESC = 0, ARG_MASK = 0 };

static uint32_t group_of(const op *o)
{
    return o->modifiers & MOD(CTA_GROUP_2) ? 2 : 1;
}

/* The first CTA that the instruction is for. */
static cta *first_cta(warp *w, const op *o, uint32_t lane)
{
    tmem_use_group(w, group_of(o));
    if (group_of(o) == 1)
        return w->cta;
    if (w->cta->rank % 2)
        lane_fault(w, lane, "tcgen05 with .cta_group::2 in CTA rank %u: it is for the even CTA of a pair",
                   w->cta->rank);
    if (!tmem_peer(w)->live_warps)
        lane_fault(w, lane, "tcgen05 with .cta_group::2 when the peer CTA has exited");
    return w->cta;
}

static uint32_t ranks_of(const cta *first, uint32_t ctas)
{
    return ((UINT32_C(1) << ctas) - 1) << first->rank;
}

static async_umma_cta side_of(const cta *c)
{
    return (async_umma_cta){c->shared, c->shared_bytes, c->tmem.words};
}

/* An address in tensor memory from lane 0 on; its column. */
static uint32_t column_at(warp *w, op_address a, uint32_t lane)
{
    uint32_t address = (uint32_t)memory_lane_address(w, a, lane);
    if (address >> 16)
        lane_fault(w, lane, "tensor memory 0x%08x: an address of lane 0 expected", address);
    return address;
}

static void check_tmem(warp *w, const cta *first, uint32_t ctas, uint32_t column, uint32_t count,
                       const char *what)
{
    for (uint32_t i = 0; i < ctas; i++)
        tmem_check(w, first + i, column, count, what);
}

static pending *new_pending(warp *w, uint32_t lane, const char *what, pending_run *run, const op *o,
                            cta *first)
{
    pending *p = pending_new(w, UINT32_C(1) << lane, what, run);
    p->kind = PENDING_UMMA;
    p->umma = (pending_umma){.op = o, .first = first};
    p->reads = p->tmem_ctas = ranks_of(first, group_of(o));
    if (CLUSTER(w)->races)
        races_next(p, RACE_UMMA);
    return p;
}

/* ---- mma ---------------------------------------------------------------------------------------------- */

static async_umma_operands operands_of(const pending_umma *u)
{
    return (async_umma_operands){.desc_a = u->desc_a,
                                 .desc_b = u->desc_b,
                                 .a_in_tmem = u->a_in_tmem,
                                 .a_tmem = u->a_tmem,
                                 .d_tmem = u->d_tmem,
                                 .a_factors = u->a_factors,
                                 .b_factors = u->b_factors};
}

static void carry_out_mma(pending *p)
{
    const pending_umma *u = &p->umma;
    const char *error = NULL;
    async_umma_cta ctas[2] = {side_of(u->first), side_of(u->shape.ctas == 2 ? u->first + 1 : u->first)};
    async_umma_operands in = operands_of(u);
    if (!async_umma_run(&u->shape, ctas, &in, &error))
        warp_fault(p->warp, "%s", error);
}

static async_umma read_shape(warp *w, const op *o, uint32_t lane)
{
    async_umma shape = {0};
    const char *error = NULL;
    bool missing;
    uint32_t idesc = ((const uint32_t *)REG(w, o->arg[ARG_IDESC]))[lane];
    const umma_form form = {(umma_kind)o->choice, group_of(o), o->choice2};
    if (!async_umma_decode(&form, idesc, &shape, &error, &missing)) {
        if (missing)
            warp_unsupported(w, "%s (0x%08x)", error, idesc);
        lane_fault(w, lane, "%s (0x%08x)", error, idesc);
    }
    shape.accumulate = PREDICATE_READ(w, o->arg[ARG_ACCUMULATE]) >> lane & 1;
    return shape;
}

/* The column of factors; bits 30 and 31 of their address are the scale id, which the instruction descriptor has too. */
static uint32_t factors_at(warp *w, const op *o, uint32_t lane, uint32_t which, const cta *first,
                           const async_umma *shape, uint32_t columns)
{
    if (!shape->block)
        return 0;
    uint32_t address = (uint32_t)memory_lane_address(w, o->address[which], lane) & UINT32_C(0x3fffffff);
    if (address >> 16)
        lane_fault(w, lane, "factors at 0x%08x of tensor memory: an address of lane 0 expected", address);
    check_tmem(w, first, shape->ctas, address, columns, "read by tcgen05.mma");
    return address;
}

/* Halves of the quarters of the lanes that D and A take: with M of 64, the lower ones (async/umma.c). */
static uint32_t parts_of(const async_umma *shape)
{
    return shape->ctas == 1 && shape->m == 64 ? 0x55 : FENCE_ALL_PARTS;
}

static void look_at_columns(warp *w, const cta *c, uint32_t parts, uint32_t first, uint32_t count,
                            bool writes, const char *doing)
{
    if (CLUSTER(w)->fences)
        fences_tensor(w, c, parts, first, count, writes, doing);
    if (CLUSTER(w)->races)
        races_tensor(w, RACE_UMMA, c, parts, first, count, writes);
}

static void look_at_tensor_memory(warp *w, const pending *p, const cta *c)
{
    static const char reads[] = "tcgen05.mma reads";
    const pending_umma *u = &p->umma;
    uint32_t parts = parts_of(&u->shape);
    if (u->a_in_tmem)
        look_at_columns(w, c, parts, u->a_tmem, UMMA_A_COLUMNS, false, reads);
    if (u->shape.block) {
        look_at_columns(w, c, FENCE_ALL_PARTS, u->a_factors, UMMA_A_FACTOR_COLUMNS, false, reads);
        look_at_columns(w, c, FENCE_ALL_PARTS, u->b_factors, async_umma_b_factor_columns(&u->shape), false,
                        reads);
    }
    look_at_columns(w, c, parts, u->d_tmem, async_umma_d_columns(&u->shape), true, "tcgen05.mma writes");
}

static void look_at_mma(warp *w, const pending *p)
{
    const pending_umma *u = &p->umma;
    async_umma_operands in = operands_of(u);
    for (uint32_t i = 0; fences_want_matrices(CLUSTER(w)) && i < u->shape.ctas; i++) {
        fences_matrix from = {w, u->first + i, "tcgen05.mma reads", RACE_UMMA};
        async_umma_chunks(&u->shape, &in, fences_chunk, &from);
        look_at_tensor_memory(w, p, u->first + i);
    }
}

static void issue_mma(warp *w, const op *o, uint32_t lane)
{
    cta *first = first_cta(w, o, lane);
    async_umma shape = read_shape(w, o, lane);
    bool a_in_tmem = o->arg[ARG_A] == ARG_NONE;
    uint32_t d = column_at(w, o->address[0], lane), a = a_in_tmem ? column_at(w, o->address[1], lane) : 0;
    check_tmem(w, first, shape.ctas, d, async_umma_d_columns(&shape), "written by tcgen05.mma");
    if (a_in_tmem) {
        check_tmem(w, first, shape.ctas, a, UMMA_A_COLUMNS, "read by tcgen05.mma");
        if (shape.m / shape.ctas != 128 || shape.a_mn_major)
            warp_unsupported(w, "A in tensor memory with fewer than 128 rows a CTA");
    }
    uint32_t a_factors = factors_at(w, o, lane, 2, first, &shape, UMMA_A_FACTOR_COLUMNS);
    uint32_t b_factors = factors_at(w, o, lane, 3, first, &shape, async_umma_b_factor_columns(&shape));
    pending *p = new_pending(w, lane, "tcgen05.mma", carry_out_mma, o, first);
    p->umma.shape = shape;
    p->umma.desc_a = a_in_tmem ? 0 : ((const uint64_t *)REG(w, o->arg[ARG_A]))[lane];
    p->umma.desc_b = ((const uint64_t *)REG(w, o->arg[ARG_B]))[lane];
    p->umma.a_in_tmem = a_in_tmem;
    p->umma.a_factors = a_factors;
    p->umma.b_factors = b_factors;
    p->umma.a_tmem = a;
    p->umma.d_tmem = d;
    p->tmem_first = d;
    p->tmem_end = d + async_umma_d_columns(&shape);
    look_at_mma(w, p);
    pending_issue(p);
}

static void run_mma(warp *w, const op *o, uint32_t mask)
{
    EACH_LANE(mask)
    {
        issue_mma(w, o, lane);
    }
}

/* Elements that share a factor, by the kind and what else the opcode says. */
static uint32_t block_of(const op *o, const opcode *code)
{
    static const uint8_t usual[] = {[UMMA_MXF8F6F4] = 32, [UMMA_MXF4] = 32, [UMMA_MXF4NVF4] = 16};
    if (o->choice < UMMA_MXF8F6F4)
        return 0;
    return opcode_pick(code, "block32 scale_vec::2X", -1) >= 0 ? 32 : usual[o->choice];
}

/* [d], a or [a], b, idesc {, [factors of a], [factors of b]}, p */
static bool finish_mma(decoder *d, op *o, const opcode *code)
{
    const ptx_instruction *i = d->instruction;
    ptx_space ignored = PTX_GENERIC;
    uint32_t last = 4;
    d->program->uses_tcgen05 = true;
    o->run = run_mma;
    o->choice = (uint8_t)opcode_pick(
        code, "kind::f16 kind::tf32 kind::f8f6f4 kind::i8 kind::mxf8f6f4 kind::mxf4 kind::mxf4nvf4", 0);
    o->choice2 = (uint8_t)block_of(o, code);
    if (o->choice2)
        last = 6;
    if (i->operand_count != last + 1 || opcode_pick(code, "cta_group::1 cta_group::2", -1) < 0 ||
        (o->choice2 != 0) != opcode_has(code, "block_scale"))
        return decode_refuse(d, "operands of this form");
    bool a = i->operands[1].kind == PTX_OPERAND_ADDRESS
                 ? decode_address(d, &i->operands[1], &o->address[1], &ignored)
                 : decode_source(d, &i->operands[1], 64, PTX_B64, &o->arg[ARG_A]);
    bool factors = !o->choice2 || (decode_address(d, &i->operands[4], &o->address[2], &ignored) &&
                                   decode_address(d, &i->operands[5], &o->address[3], &ignored));
    return a && factors && decode_address(d, &i->operands[0], &o->address[0], &ignored) &&
           decode_source(d, &i->operands[2], 64, PTX_B64, &o->arg[ARG_B]) &&
           decode_source(d, &i->operands[3], 32, PTX_B32, &o->arg[ARG_IDESC]) &&
           decode_source(d, &i->operands[last], 1, PTX_PRED, &o->arg[ARG_ACCUMULATE]);
}

const op_family family_umma = {.finish = finish_mma};

/* ---- cp ----------------------------------------------------------------------------------------------- */

/* Quarters of the lanes, and the rows they get ("tcgen05.cp"); by choice. */
static const struct {
    const char *shape, *repeat;
    async_umma_copy copy;
} copies[] = {
    {"128x256b", NULL, {128, 256, {0, 1, 2, 3}}},
    {"128x128b", NULL, {128, 128, {0, 1, 2, 3}}},
    {"64x128b", "warpx2::02_13", {64, 128, {0, 1, 0, 1}}},
    {"64x128b", "warpx2::01_23", {64, 128, {0, 0, 1, 1}}},
    {"32x128b", "warpx4", {32, 128, {0, 0, 0, 0}}},
};

static void carry_out_copy(pending *p)
{
    const pending_umma *u = &p->umma;
    const char *error = NULL;
    for (uint32_t i = 0; i < group_of(u->op); i++) {
        async_umma_cta side = side_of(u->first + i);
        if (!async_umma_copy_run(&copies[u->op->choice].copy, &side, u->desc_a, u->d_tmem, &error))
            warp_fault(p->warp, "%s", error);
    }
}

static void look_at_copy(warp *w, const pending *p)
{
    const pending_umma *u = &p->umma;
    const async_umma_copy *shape = &copies[u->op->choice].copy;
    for (uint32_t i = 0; fences_want_matrices(CLUSTER(w)) && i < group_of(u->op); i++) {
        fences_matrix from = {w, u->first + i, "tcgen05.cp reads", RACE_UMMA};
        async_umma_copy_chunks(shape, u->desc_a, fences_chunk, &from);
        look_at_columns(w, u->first + i, FENCE_ALL_PARTS, u->d_tmem, shape->bits / 32, true,
                        "tcgen05.cp writes");
    }
}

static void issue_copy(warp *w, const op *o, uint32_t lane)
{
    cta *first = first_cta(w, o, lane);
    uint32_t column = column_at(w, o->address[0], lane), count = copies[o->choice].copy.bits / 32;
    check_tmem(w, first, group_of(o), column, count, "written by tcgen05.cp");
    pending *p = new_pending(w, lane, "tcgen05.cp", carry_out_copy, o, first);
    p->umma.desc_a = ((const uint64_t *)REG(w, o->arg[ARG_DESC]))[lane];
    p->umma.d_tmem = p->tmem_first = column;
    p->tmem_end = column + count;
    look_at_copy(w, p);
    pending_issue(p);
}

static void run_copy(warp *w, const op *o, uint32_t mask)
{
    EACH_LANE(mask)
    {
        issue_copy(w, o, lane);
    }
}

static bool finish_copy(decoder *d, op *o, const opcode *code)
{
    const ptx_instruction *i = d->instruction;
    ptx_space ignored = PTX_GENERIC;
    size_t n = 0;
    d->program->uses_tcgen05 = true;
    o->run = run_copy;
    while (n < ARRAY_LEN(copies) &&
           !(opcode_has(code, copies[n].shape) && (!copies[n].repeat || opcode_has(code, copies[n].repeat))))
        n++;
    if (n == ARRAY_LEN(copies) || i->operand_count != 2 ||
        opcode_pick(code, "cta_group::1 cta_group::2", -1) < 0)
        return decode_refuse(d, "a copy of this form");
    o->choice = (uint8_t)n;
    return decode_address(d, &i->operands[0], &o->address[0], &ignored) &&
           decode_source(d, &i->operands[1], 64, PTX_B64, &o->arg[ARG_DESC]);
}

const op_family family_umma_cp = {.finish = finish_copy};

/* ---- commit ------------------------------------------------------------------------------------------- */

static void finish_earlier(pending *p)
{
    pending_finish_before(p, PENDING_UMMA);
}

static void carry_out_commit(pending *p)
{
    cluster *c = CLUSTER(p->warp);
    finish_earlier(p);
    for (uint32_t rank = 0; rank < c->cta_count; rank++)
        if (p->commit.ctas >> rank & 1)
            mbarrier_async_arrive(p->warp, &c->ctas[rank], p->commit.offset);
}

static uint32_t commit_targets(warp *w, const op *o, uint32_t lane, const cta *named)
{
    cluster *c = CLUSTER(w);
    if (!(o->modifiers & MOD(MULTICAST)))
        return UINT32_C(1) << named->rank;
    uint32_t mask = ((const uint16_t *)REG(w, o->arg[ARG_MASK]))[lane];
    if (!mask || mask >> c->cta_count)
        lane_fault(w, lane, "the multicast mask 0x%x in a cluster of %u CTAs", mask, c->cta_count);
    return mask;
}

static void issue_commit(warp *w, const op *o, uint32_t lane)
{
    cluster *c = CLUSTER(w);
    tmem_use_group(w, group_of(o));
    shared_place barrier = pending_place(w, o, lane, 0, 8, 8);
    uint32_t ctas = commit_targets(w, o, lane, barrier.cta);
    for (uint32_t rank = 0; rank < c->cta_count; rank++) {
        if (!(ctas >> rank & 1))
            continue;
        if (!c->ctas[rank].live_warps)
            lane_fault(w, lane, "tcgen05.commit to CTA %u of the cluster, which has exited", rank);
        mbarrier_check(w, &c->ctas[rank], barrier.offset);
    }
    pending *p = pending_new(w, UINT32_C(1) << lane, "the arrival of tcgen05.commit", carry_out_commit);
    p->kind = PENDING_UMMA_ARRIVE;
    p->commit = (pending_commit){.offset = barrier.offset, .ctas = ctas};
    p->ctas = &p->commit.ctas;
    p->writes = ctas & ~(UINT32_C(1) << w->cta->rank);
    if (c->fences)
        fences_before_sync(w);
    if (c->races)
        races_tells_pipe(p, RACE_UMMA);
    pending_issue(p);
}

static void run_commit(warp *w, const op *o, uint32_t mask)
{
    EACH_LANE(mask)
    {
        issue_commit(w, o, lane);
    }
}

/* [barrier] {, mask} */
static bool finish_commit(decoder *d, op *o, const opcode *code)
{
    const ptx_instruction *i = d->instruction;
    ptx_space ignored = PTX_SHARED;
    bool multicast = (o->modifiers & MOD(MULTICAST)) != 0;
    d->program->uses_tcgen05 = true;
    o->run = run_commit;
    if (i->operand_count != 1u + multicast || opcode_pick(code, "cta_group::1 cta_group::2", -1) < 0)
        return decode_refuse(d, "operands of this form");
    return decode_address(d, &i->operands[0], &o->address[0], &ignored) &&
           (!multicast || decode_source(d, &i->operands[1], 16, PTX_B16, &o->arg[ARG_MASK]));
}

const op_family family_umma_commit = {.finish = finish_commit};
