/* Shared and tensor memory that a body's threads, and its bulk stores, touch: told by what addresses come from. */
#include "audit/body.h"

typedef enum touch { TOUCH_READ, TOUCH_WRITE } touch;

/* The address of an instruction that touches shared or tensor memory, as a number for site_address; -1: it does not. */
static int address_of(effect e, touch *how)
{
    static const struct {
        effect effect;
        touch how;
        int address;
    } touches[] = {
        {EFFECT_SHARED_LOAD, TOUCH_READ, 0},   {EFFECT_GENERIC_LOAD, TOUCH_READ, 0},
        {EFFECT_TMEM_LOAD, TOUCH_READ, 0},     {EFFECT_BULK_STORE, TOUCH_READ, 1},
        {EFFECT_SHARED_STORE, TOUCH_WRITE, 0}, {EFFECT_GENERIC_STORE, TOUCH_WRITE, 0},
        {EFFECT_TMEM_STORE, TOUCH_WRITE, 0},   {EFFECT_THREAD_COPY, TOUCH_WRITE, 0},
    };
    for (size_t i = 0; i < ARRAY_LEN(touches); i++)
        if (touches[i].effect == e) {
            *how = touches[i].how;
            return touches[i].address;
        }
    return -1;
}

/* Buffers and tensor memory that an address comes from, as bits of model_work.touched. */
static uint32_t touched_by(origin_set set)
{
    return (uint32_t)(set >> EMIT_BUFFER_0 & 15) | (uint32_t)(set >> EMIT_TMEM_0 & 15) << WW_MAX_BUFFERS;
}

static const char *memory_name(const body *b, uint32_t bits)
{
    int at = 0;
    while (!(bits >> at & 1))
        at++;
    return at < WW_MAX_BUFFERS ? b->resource->buffers[at].name : b->resource->tmem[at - WW_MAX_BUFFERS].name;
}

/* ---- what the row says of its threads' accesses -------------------------------------------------------- */

/* NULL when the row covers the access; else what the row says. */
static const char *objection(const body *b, uint32_t touched, touch how)
{
    const ww_work *row = b->work->declared;
    if (row->auxiliary)
        return "nothing: it is auxiliary";
    if (row->side == WW_CONSUMER && how == TOUCH_WRITE)
        return "reads alone: it is consumer work";
    if (b->work->copy_count)
        return "bulk copies alone";
    if (row->side == WW_PRODUCER && b->work->umma_read_count)
        return "tcgen05 work alone";
    return touched & ~b->work->touched ? "other buffers (.touches)" : NULL;
}

static void check_access(body *b, const site *s, uint32_t touched, touch how)
{
    const char *says = objection(b, touched, how);
    if (!says)
        return;
    ww_diag *d = body_finding(b, WW_BODY_MEMORY, "work %s %s %s, of which its row says nothing", b->name,
                              how == TOUCH_READ ? "reads" : "writes", memory_name(b, touched));
    body_expected(b, d, "%s", says);
    body_found(b, d, "%s at an address that comes from %s", site_code(b, s)->opcode, memory_name(b, touched));
}

/* An address that comes from no buffer of ours: of a value that another body made, of another CTA, or a global one. */
static void check_unknown(body *b, const site *s, origin_set set)
{
    bool may_be_global = s->effect == EFFECT_GENERIC_LOAD || s->effect == EFFECT_GENERIC_STORE;
    bool stack = (set & (ORIGIN_BIT(STACK) | ORIGIN_BIT(AT))) != 0;
    if (stack || (may_be_global && (set & ORIGIN_BIT(PARAMS))))
        return;
    body_undecided(b, "where a %s goes", effect_text(s->effect, 1));
}

/* Whether the row objects to an access to each of several buffers; to none of them. */
static bool objects_to_each(const body *b, uint32_t touched, touch how)
{
    for (uint32_t rest = touched; rest; rest &= rest - 1)
        if (!objection(b, rest & (~rest + 1), how))
            return false;
    return touched != 0;
}

/* An address may come from several buffers, by a choice that was not followed. */
static void audit_access(body *b, const site *s, int address, touch how)
{
    origin_set set = site_origins(b, s, address);
    uint32_t touched = touched_by(set);
    if (!touched || (set & ORIGIN_BIT(MAPPED)))
        check_unknown(b, s, set);
    else if (objects_to_each(b, touched, how))
        check_access(b, s, touched, how);
    else if (objection(b, touched, how))
        body_undecided(b, "which buffer a %s goes to", effect_text(s->effect, 1));
}

/* A variable in shared memory that the operand names; NULL: none. */
static const char *shared_variable(const ptx_operand *o)
{
    if (o->kind == PTX_OPERAND_VARIABLE && o->variable->space == PTX_SHARED)
        return o->variable->name;
    const char *name = NULL;
    for (uint32_t i = 0; i < o->count && !name; i++)
        name = shared_variable(&o->items[i]);
    return name;
}

/* The layout of shared memory is worked out from the resources; what a body declares is on top of it. */
static void check_variables(body *b)
{
    const char *name = NULL;
    const ptx_instruction *i;
    vec_each(i, &b->code->instructions)
        for (uint32_t o = 0; o < i->operand_count && !name; o++)
            name = shared_variable(&i->operands[o]);
    if (!name)
        return;
    ww_diag *d = body_finding(b, WW_BODY_MEMORY, "work %s has a variable in shared memory", b->name);
    body_expected(b, d, "buffers of a resource, which are placed, counted and proved");
    body_found(b, d, "%s", name);
}

void audit_memory(body *b)
{
    check_variables(b);
    const site *s;
    vec_each(s, &b->sites) {
        touch how;
        int address = address_of(s->effect, &how);
        if (address >= 0)
            audit_access(b, s, address, how);
    }
}
