/* Rules on what a CTA has: warps, registers, shared and tensor memory. */
#include "model/layout.h"
#include "verify/rules.h"

enum {
    GROUP_WARPS = 4,
    WARP_LANES = 32,
    SM_REGISTERS = 65536,
    REGISTER_UNIT = 8,
    MOST_REGISTERS = 256,
    MOST_LISTED = 3
};

/* ---- warps: each belongs to one task ---------------------------------------------------------------- */

static const ir_task *owner_of(const ir_program *p, size_t tasks, int warp)
{
    for (size_t i = 0; i < tasks; i++) {
        const ir_task *t = &p->tasks.at[i];
        if (warp >= t->first_warp && warp < t->first_warp + t->warps)
            return t;
    }
    return NULL;
}

static void report_overlap(const rule_run *run, const ir_task *t, const ir_task *other)
{
    ww_diag *d = rule_finding(run, WW_WARPS, t->task->place, ON({other, t}), "tasks %s and %s share warps",
                              other->name, t->name);
    diag_expected(run->diags, d, "warps that no other task has");
    diag_found(run->diags, d, "warps %d to %d of %s, %d to %d of %s", other->first_warp,
               other->first_warp + other->warps - 1, other->name, t->first_warp, t->first_warp + t->warps - 1,
               t->name);
    diag_hint(run->diags, d, ".first_warp = %d", other->first_warp + other->warps);
    diag_related(run->diags, d, other->task->place, "task %s", other->name);
}

void verify_warps(const rule_run *run)
{
    const ir_program *p = run->program;
    for (size_t i = 0; i < p->tasks.len; i++) {
        const ir_task *t = &p->tasks.at[i];
        for (int warp = t->first_warp; warp < t->first_warp + t->warps; warp++) {
            const ir_task *other = owner_of(p, i, warp);
            if (!other)
                continue;
            report_overlap(run, t, other);
            break;
        }
    }
}

/* ---- registers: setmaxnreg moves them by warpgroups ------------------------------------------------- */

static void report_disagreement(const rule_run *run, int group, const ir_task *a, const ir_task *b)
{
    ww_diag *d =
        rule_finding(run, WW_REGISTERS, b->task->place, ON({a, b}),
                     "tasks %s and %s share warpgroup %d (warps %d to %d) and ask for different registers",
                     a->name, b->name, group, group * GROUP_WARPS, group * GROUP_WARPS + GROUP_WARPS - 1);
    diag_expected(run->diags, d, "%d registers, as task %s", a->registers, a->name);
    diag_found(run->diags, d, "%d", b->registers);
    diag_hint(run->diags, d, ".registers = %d, or warps of another warpgroup", a->registers);
    diag_related(run->diags, d, a->task->place, "task %s", a->name);
}

static void report_uncovered(const rule_run *run, int group, int warp, const ir_task *setter)
{
    ww_diag *d = rule_finding(run, WW_REGISTERS, setter->task->place, ON({setter}),
                              "task %s sets registers of warpgroup %d, of which warp %d sets none",
                              setter->name, group, warp);
    diag_expected(run->diags, d, "registers = %d on all warps %d to %d (setmaxnreg acts on whole warpgroups)",
                  setter->registers, group * GROUP_WARPS, group * GROUP_WARPS + GROUP_WARPS - 1);
    diag_found(run->diags, d, "warp %d without", warp);
    diag_hint(run->diags, d,
              "a padding task without a schedule on the free warps: .first_warp = %d, .registers = %d", warp,
              setter->registers);
}

/* Registers a thread of the group's warps; 0: as launched. Reports what keeps the group from agreeing. */
static int group_registers(const rule_run *run, int group)
{
    const ir_program *p = run->program;
    const ir_task *setter = NULL, *other = NULL;
    int uncovered = -1;
    for (int warp = (group + 1) * GROUP_WARPS - 1; warp >= group * GROUP_WARPS; warp--) {
        const ir_task *t = owner_of(p, p->tasks.len, warp);
        if (!t || !t->registers) {
            uncovered = warp;
            continue;
        }
        other = setter && setter->registers != t->registers ? setter : other;
        setter = t;
    }
    if (other)
        report_disagreement(run, group, setter, other);
    if (setter && uncovered >= 0)
        report_uncovered(run, group, uncovered, setter);
    return setter ? setter->registers : 0;
}

/* What a thread starts with: the whole register file, dealt evenly in units of 8. A thread can name 255 of them and owns
 * 256 then (docs/registers.md: measured). */
static int launch_registers(int warps)
{
    if (warps < 1)
        return 0;
    int even = SM_REGISTERS / (warps * WARP_LANES) / REGISTER_UNIT * REGISTER_UNIT;
    return even < MOST_REGISTERS ? even : MOST_REGISTERS;
}

static void list_groups(const rule_run *run, int launch, text *out)
{
    for (int g = 0; g < run->program->warps / GROUP_WARPS; g++) {
        const ir_task *t = owner_of(run->program, run->program->tasks.len, g * GROUP_WARPS);
        int registers = t && t->registers ? t->registers : launch;
        text_printf(out, "%s%d", g ? " + " : "", registers);
    }
}

static void check_pool(const rule_run *run, int sum, ww_place place)
{
    int groups = run->program->warps / GROUP_WARPS;
    int launch = launch_registers(run->program->warps);
    if (sum <= groups * launch)
        return;
    text list = {0};
    list_groups(run, launch, &list);
    ww_diag *d = rule_finding(run, WW_REGISTERS, place, ON({NULL}),
                              "the register split asks for more than the kernel starts with");
    diag_expected(run->diags, d,
                  "at most %d registers a thread, summed over the warpgroups: %d x %d at launch",
                  groups * launch, groups, launch);
    diag_found(run->diags, d, "%d = %s", sum, text_str(&list));
    diag_hint(run->diags, d, "lower .registers by %d in all",
              (int)round_up((uint32_t)(sum - groups * launch), REGISTER_UNIT));
    text_free(&list);
}

void verify_registers(const rule_run *run)
{
    int sum = 0, launch = launch_registers(run->program->warps);
    ww_place place = {0};
    for (int g = 0; g < run->program->warps / GROUP_WARPS; g++) {
        int registers = group_registers(run, g);
        sum += registers ? registers : launch;
    }
    for (size_t i = 0; i < run->program->tasks.len; i++) {
        const ir_task *t = &run->program->tasks.at[i];
        if (t->registers > launch && !place.file)
            place = t->task->place;
    }
    if (place.file)
        check_pool(run, sum, place);
}

/* ---- shared and tensor memory ------------------------------------------------------------------------- */

#define ALIAS_HINT "ww_alias lets resources that are never in use together share memory"

/* What r itself takes of a memory, over all stages. */
typedef uint64_t footprint(const ww_resource *r);

static uint64_t own_bytes(const ww_resource *r)
{
    uint64_t bytes = 0;
    for (int i = 0; i < r->buffer_count; i++)
        bytes += r->buffers[i].shares ? 0 : r->buffers[i].bytes;
    return bytes * (uint64_t)model_stages(r);
}

static uint64_t own_columns(const ww_resource *r)
{
    uint64_t columns = 0;
    for (int i = 0; i < r->tmem_count; i++)
        columns += (uint64_t)r->tmem[i].columns;
    return columns * (uint64_t)model_stages(r);
}

static bool precedes(footprint *of, const ww_resource *a, const ww_resource *b)
{
    uint64_t x = of(a), y = of(b);
    return x > y || (x == y && a->index < b->index);
}

/* The largest of all, or the next one; NULL behind the last that takes anything. */
static const ww_resource *next_largest(const ww_kernel *k, footprint *of, const ww_resource *after)
{
    const ww_resource *largest = NULL;
    for (size_t i = 0; i < k->resources.len; i++) {
        const ww_resource *r = k->resources.at[i];
        if (of(r) && (!after || precedes(of, after, r)) && (!largest || precedes(of, r, largest)))
            largest = r;
    }
    return largest;
}

/* " (ring 262144 in 4 stages, table 40000 and 2 more; aliases save 1024)" */
static void list_largest(const ww_kernel *k, footprint *of, uint32_t saved, text *out)
{
    int listed = 0, more = 0;
    for (const ww_resource *r = next_largest(k, of, NULL); r; r = next_largest(k, of, r)) {
        if (listed == MOST_LISTED) {
            more++;
            continue;
        }
        text_printf(out, "%s%s %llu", listed++ ? ", " : " (", r->name, (unsigned long long)of(r));
        if (model_stages(r) > 1)
            text_printf(out, " in %d stages", model_stages(r));
    }
    if (more)
        text_printf(out, " and %d more", more);
    if (saved)
        text_printf(out, "; aliases save %u", saved);
    if (listed)
        text_add(out, ")");
}

static void rest_on_largest(const rule_run *run, ww_diag *d, footprint *of)
{
    const ww_resource *r = next_largest(run->kernel, of, NULL);
    for (int i = 0; r && i < MOST_LISTED; i++, r = next_largest(run->kernel, of, r))
        rule_rests_on(run, d, r);
}

/* Fewer stages of the largest ring where that is enough, else of the next. */
static void hint_capacity(const rule_run *run, ww_diag *d, footprint *of, const char *otherwise)
{
    const ww_kernel *k = run->kernel;
    for (const ww_resource *r = next_largest(k, of, NULL); r; r = next_largest(k, of, r)) {
        int stages = layout_fitting_stages(k, r);
        if (!stages)
            continue;
        diag_hint(run->diags, d, "%d stage%s of %s%s%s fit%s%s", stages, stages > 1 ? "s" : "", r->name,
                  r->in_group ? " and of all members of group " : "", r->in_group ? r->in_group->name : "",
                  stages > 1 ? "" : "s", r->buffer_count ? "; WW_STAGES_MAX takes what fits" : "");
        return;
    }
    diag_hint(run->diags, d, "%s", otherwise);
}

static void check_shared_memory(const rule_run *run)
{
    const ww_kernel *k = run->kernel;
    uint32_t capacity = model_smem_capacity(k);
    if (k->smem_bytes <= capacity)
        return;
    const ww_resource *largest = next_largest(k, own_bytes, NULL);
    text list = {0};
    list_largest(k, own_bytes, k->smem_usage.saved, &list);
    ww_diag *d = rule_finding(run, WW_CAPACITY, largest ? largest->place : k->place, ON({NULL}),
                              "kernel %s needs more shared memory than a CTA may use", k->name);
    diag_expected(run->diags, d, "at most %u bytes", capacity);
    diag_found(run->diags, d, "%u = %u of buffers%s + %u of barriers%s", k->smem_bytes, k->barriers_offset,
               text_str(&list), k->tmem_slot_offset - k->barriers_offset,
               k->tmem_columns ? " + 4 for the address of tensor memory" : "");
    rest_on_largest(run, d, own_bytes);
    hint_capacity(run, d, own_bytes, largest ? "fewer or smaller buffers; " ALIAS_HINT : "fewer stages");
    text_free(&list);
}

static void check_tensor_memory(const rule_run *run)
{
    const ww_kernel *k = run->kernel;
    if (k->tmem_usage.used <= WW_TMEM_COLUMNS)
        return;
    const ww_resource *largest = next_largest(k, own_columns, NULL);
    text list = {0};
    list_largest(k, own_columns, k->tmem_usage.saved, &list);
    ww_diag *d = rule_finding(run, WW_CAPACITY, largest ? largest->place : k->place, ON({NULL}),
                              "kernel %s needs more tensor memory than there is", k->name);
    diag_expected(run->diags, d, "at most %d columns", WW_TMEM_COLUMNS);
    diag_found(run->diags, d, "%u columns%s", k->tmem_usage.used, text_str(&list));
    rest_on_largest(run, d, own_columns);
    hint_capacity(run, d, own_columns, "fewer columns; " ALIAS_HINT);
    text_free(&list);
}

void verify_capacity(const rule_run *run)
{
    check_shared_memory(run);
    check_tensor_memory(run);
}
