/* wgmma.c: the asynchronous matrix multiply of a warpgroup (PTX ISA, section 9.7.15).
 *
 * Each warp of the four issues its own quarter: the 16 rows of D that it holds. Operands in shared memory and in
 * registers are read, and D written, when the operation is carried out, so using any of them before wgmma.wait_group
 * shows. The operations of a warp keep their order. */
#include "emu/check/fences.h"
#include "emu/check/races.h"
#include "emu/core/decode.h"
#include "emu/core/pending.h"

enum { D_REGISTERS_MAX = 128, A_REGISTERS = 4 };

/* What decoding found; the op's extra. list: D's registers, then A's unless they are in shared memory. */
typedef struct wgmma_form {
    async_wgmma shape;
    uint32_t d_count;
    bool a_in_registers;
} wgmma_form;

/* arguments: descriptors of A (or none) and B, scale-d */
enum { ARG_A = 0, ARG_B = 1, ARG_SCALE_D = 2 };

static void gather(warp *w, const uint32_t *list, uint32_t count, uint32_t *to)
{
    for (uint32_t i = 0; i < count; i++)
        memcpy(to + i * WARP_LANES, REG(w, list[i]), sizeof(uint32_t) * WARP_LANES);
}

static void carry_out_wgmma(pending *p)
{
    warp *w = p->warp;
    const op *o = p->wgmma.op;
    const wgmma_form *form = o->extra;
    uint32_t d[D_REGISTERS_MAX * WARP_LANES], a[A_REGISTERS * WARP_LANES] = {0};
    const char *error = NULL;
    gather(w, o->list, form->d_count, d);
    if (form->a_in_registers)
        gather(w, o->list + form->d_count, A_REGISTERS, a);
    if (!async_wgmma_run(&p->wgmma.shape, w->index % 4, w->cta->shared, w->cta->shared_bytes, p->wgmma.desc_a,
                         p->wgmma.desc_b, form->a_in_registers ? a : NULL, d, &error))
        warp_fault(w, "%s", error);
    for (uint32_t i = 0; i < form->d_count; i++)
        memcpy(REG(w, o->list[i]), d + i * WARP_LANES, sizeof(uint32_t) * WARP_LANES);
}

static uint64_t uniform_descriptor(warp *w, uint32_t argument)
{
    const uint64_t *value = REG(w, argument);
    for (uint32_t lane = 1; lane < WARP_LANES; lane++)
        if (value[lane] != value[0])
            lane_fault(w, lane, "a matrix descriptor that differs from lane 0's");
    return value[0];
}

/* False while lanes of the warp are still to come. */
static bool whole_warp(warp *w, uint32_t mask)
{
    if (!divergence_aligned(w, mask))
        return false;
    if (mask != ALL_LANES)
        warp_fault(w, "wgmma by lanes 0x%08x: whole warps are needed", mask);
    return true;
}

static void run_mma(warp *w, const op *o, uint32_t mask)
{
    const wgmma_form *form = o->extra;
    if (!whole_warp(w, mask))
        return;
    if (w->index / 4 * 4 + 4 > w->cta->warp_count)
        warp_fault(w, "wgmma by warp %u of %u: a warpgroup is four warps", w->index, w->cta->warp_count);
    uint32_t scale = PREDICATE_READ(w, o->arg[ARG_SCALE_D]);
    if (scale != 0 && scale != ALL_LANES)
        warp_fault(w, "scale-d differs between lanes: 0x%08x", scale);
    pending *p = pending_new(w, ALL_LANES, "wgmma.mma_async", carry_out_wgmma);
    p->kind = PENDING_WGMMA;
    p->group = w->wgmma_group;
    p->wgmma = (pending_wgmma){.op = o, .shape = form->shape};
    p->wgmma.shape.scale_d = scale != 0;
    p->wgmma.desc_a = form->a_in_registers ? 0 : uniform_descriptor(w, o->arg[ARG_A]);
    p->wgmma.desc_b = uniform_descriptor(w, o->arg[ARG_B]);
    if (CLUSTER(w)->races)
        races_next(p, RACE_WGMMA);
    fences_matrix from = {w, w->cta, "wgmma.mma_async reads", RACE_WGMMA};
    if (fences_want_matrices(CLUSTER(w)))
        async_wgmma_chunks(&form->shape, w->index % 4, p->wgmma.desc_a, p->wgmma.desc_b, form->a_in_registers,
                           fences_chunk, &from);
    pending_issue(p);
}

/* ---- decoding ----------------------------------------------------------------------------------------- */

static bool element_type(decoder *d, ptx_type from, async_type *to)
{
    static const struct {
        ptx_type type;
        async_type element;
    } rows[] = {
        {PTX_F16, ASYNC_F16},   {PTX_BF16, ASYNC_BF16}, {PTX_TF32, ASYNC_TF32},
        {PTX_E4M3, ASYNC_E4M3}, {PTX_E5M2, ASYNC_E5M2}, {PTX_S8, ASYNC_S8},
        {PTX_U8, ASYNC_U8},     {PTX_F32, ASYNC_F32},   {PTX_S32, ASYNC_S32},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (rows[i].type == from) {
            *to = rows[i].element;
            return true;
        }
    return decode_refuse(d, "matrices of type .%s", ptx_type_name(from));
}

/* m64n128k16 */
static bool read_shape(decoder *d, const opcode *code, async_wgmma *shape)
{
    for (uint32_t i = 0; i < code->word_count; i++) {
        char *end;
        const char *word = code->words[i];
        if (strncmp(word, "m64n", 4) != 0)
            continue;
        shape->n = (uint32_t)strtoul(word + 4, &end, 10);
        if (*end == 'k') {
            shape->k = (uint32_t)strtoul(end + 1, &end, 10);
            if (!*end)
                return true;
        }
    }
    return decode_refuse(d, "a shape like m64n128k16 expected");
}

static bool read_scale(decoder *d, const ptx_operand *o, int *scale)
{
    int64_t value;
    if (!decode_immediate(d, o, &value))
        return false;
    *scale = (int)value;
    return value == 1 || value == -1 || decode_refuse(d, "a scale of 1 or -1 expected");
}

static bool read_flag(decoder *d, const ptx_operand *o, bool *flag)
{
    int64_t value;
    if (!decode_immediate(d, o, &value))
        return false;
    *flag = value != 0;
    return true;
}

/* scale-d {, scale-a, scale-b {, trans-a {, trans-b}}}: integers have scale-d only, and A has no trans in registers. */
static bool read_tail(decoder *d, op *o, wgmma_form *form)
{
    const ptx_instruction *i = d->instruction;
    async_wgmma *s = &form->shape;
    uint32_t n = 3, left = i->operand_count - n;
    if (i->operand_count < 4 || !decode_source(d, &i->operands[n], 1, PTX_PRED, &o->arg[ARG_SCALE_D]))
        return decode_refuse(d, "operands of this form");
    n++, left--;
    s->scale_a = s->scale_b = 1;
    if (left >= 2) {
        if (!read_scale(d, &i->operands[n], &s->scale_a) || !read_scale(d, &i->operands[n + 1], &s->scale_b))
            return false;
        n += 2, left -= 2;
    }
    if (left == 2 && !form->a_in_registers) {
        if (!read_flag(d, &i->operands[n++], &s->a_mn_major))
            return false;
        left--;
    }
    if (left == 1)
        return read_flag(d, &i->operands[n], &s->b_mn_major);
    return left == 0 || decode_refuse(d, "operands of this form");
}

/* d, a, b, ...: a is a descriptor, or a vector of four registers */
static bool read_matrices(decoder *d, op *o, wgmma_form *form)
{
    const ptx_instruction *i = d->instruction;
    form->a_in_registers = i->operands[1].kind == PTX_OPERAND_VECTOR;
    uint32_t count = form->d_count + (form->a_in_registers ? A_REGISTERS : 0), *list = decode_list(d, count);
    o->list = list;
    o->list_len = count;
    if (!decode_vector(d, &i->operands[0], true, 32, PTX_F32, list, form->d_count))
        return false;
    if (form->a_in_registers)
        return decode_vector(d, &i->operands[1], false, 32, PTX_B32, list + form->d_count, A_REGISTERS);
    return decode_source(d, &i->operands[1], 64, PTX_B64, &o->arg[ARG_A]);
}

static bool finish_mma(decoder *d, op *o, const opcode *code)
{
    wgmma_form *form = arena_new(d->arena, wgmma_form);
    async_wgmma *s = &form->shape;
    o->extra = form;
    o->run = run_mma;
    s->saturate = (o->modifiers & MOD(SATFINITE)) != 0;
    if (code->type_count != 3 || d->instruction->operand_count < 4 || !read_shape(d, code, s) ||
        !element_type(d, code->types[0], &s->d) || !element_type(d, code->types[1], &s->a) ||
        !element_type(d, code->types[2], &s->b))
        return decode_refuse(d, "a wgmma of this form");
    if (s->n < 8 || s->n > 256 || s->n % 8)
        return decode_refuse(d, "n of 8 to 256 in steps of 8 expected");
    form->d_count = async_wgmma_d_registers(s);
    return read_matrices(d, o, form) &&
           decode_source(d, &d->instruction->operands[2], 64, PTX_B64, &o->arg[ARG_B]) &&
           read_tail(d, o, form);
}

const op_family family_wgmma = {.finish = finish_mma};

/* ---- fence, groups ------------------------------------------------------------------------------------ */

static void run_fence(warp *w, const op *o, uint32_t mask)
{
    (void)o;
    (void)whole_warp(w, mask);
}

static void run_commit(warp *w, const op *o, uint32_t mask)
{
    (void)o;
    if (whole_warp(w, mask))
        w->wgmma_group++;
}

static void run_wait(warp *w, const op *o, uint32_t mask)
{
    if (!whole_warp(w, mask))
        return;
    if (w->pending_wgmma)
        pending_wait(w, PENDING_WGMMA, mask, o->arg[0], false);
    if (CLUSTER(w)->races)
        races_waited(w, RACE_WGMMA);
}

const op_family family_wgmma_fence = {.any = run_fence};
const op_family family_wgmma_commit = {.any = run_commit};
const op_family family_wgmma_wait = {.any = run_wait};
