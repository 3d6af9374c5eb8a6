/* Tasks: warp ranges and register budgets. Recording the schedule is the next layer's. */
#include "model/model.h"
#include "model/names.h"

enum { FEWEST_REGISTERS = 24, MOST_REGISTERS = 256, REGISTER_UNIT = 8 };

static void check_name(const ww_task *t)
{
    ww_kernel *k = t->kernel;
    if (!name_is_identifier(t->name))
        diag_texts(&k->diags,
                   diag_add(&k->diags, WW_BAD_NAME, t->place, "the task's name \"%s\" is not a C identifier",
                            t->name),
                   "letters, digits and _, no digit first", t->name, "name it after what it does: \"load\"");
    for (size_t i = 0; i < k->tasks.len; i++)
        if (strcmp(k->tasks.at[i]->name, t->name) == 0) {
            ww_diag *d = diag_add(&k->diags, WW_BAD_NAME, t->place, "two tasks are named %s", t->name);
            diag_texts(&k->diags, d, "a name of its own for each task", t->name, "another name");
            diag_related(&k->diags, d, k->tasks.at[i]->place, "the other one");
        }
}

static void check_warps(ww_task *t)
{
    diag_list *diags = &t->kernel->diags;
    const ww_task_options *o = &t->options;
    if (o->first_warp >= 0 && o->warps >= 1 && o->first_warp < WW_MAX_WARPS &&
        o->warps <= WW_MAX_WARPS - o->first_warp)
        return;
    ww_diag *d = diag_add(diags, WW_BAD_VALUE, t->place, "warp range of task %s", t->name);
    diag_expected(diags, d, "at least one warp, within warps 0 to %d", WW_MAX_WARPS - 1);
    diag_found(diags, d, "first_warp = %d, warps = %d", o->first_warp, o->warps);
    diag_hint(diags, d, ".first_warp = 0 to %d, .warps = 1 or more", WW_MAX_WARPS - 1);
    t->options.first_warp = 0;
    t->options.warps = 1;
}

/* A rank of the cluster, or 0: all of it. */
static void check_only_cta(ww_task *t)
{
    int size = model_cluster_size(&t->kernel->options.cluster), only = t->options.only_cta;
    if (only >= 0 && only <= size)
        return;
    ww_diag *d = diag_add(&t->kernel->diags, WW_BAD_VALUE, t->place, "only_cta of task %s", t->name);
    diag_expected(&t->kernel->diags, d, "WW_ONLY_CTA(0) to WW_ONLY_CTA(%d), a rank of the cluster", size - 1);
    diag_found(&t->kernel->diags, d, "WW_ONLY_CTA(%d)", only - 1);
    diag_hint(&t->kernel->diags, d, "leave .only_cta out, and the task runs in every CTA");
    t->options.only_cta = 0;
}

/* setmaxnreg's immediate: 24 to 256 in steps of 8 (PTX ISA, setmaxnreg). */
static void check_registers(ww_task *t)
{
    diag_list *diags = &t->kernel->diags;
    int n = t->options.registers;
    if (n)
        (void)model_needs(t->kernel, t->place, MODEL_SETMAXNREG, "a register split");
    if (n == 0 || (n >= FEWEST_REGISTERS && n <= MOST_REGISTERS && n % REGISTER_UNIT == 0))
        return;
    ww_diag *d = diag_add(diags, WW_BAD_VALUE, t->place, "registers of task %s", t->name);
    diag_expected(diags, d, "%d to %d in steps of %d, or 0 to leave them as compiled", FEWEST_REGISTERS,
                  MOST_REGISTERS, REGISTER_UNIT);
    diag_found(diags, d, "%d", n);
    int nearest = n < FEWEST_REGISTERS ? FEWEST_REGISTERS : n > MOST_REGISTERS ? MOST_REGISTERS : n;
    diag_hint(diags, d, ".registers = %d", nearest / REGISTER_UNIT * REGISTER_UNIT);
    t->options.registers = 0;
}

/* Lists end by NULL, whoever reads them. */
static void check_list(ww_task *t, const char *which, ww_resource **list)
{
    if (!list[WW_MAX_VALUES])
        return;
    ww_diag *d = diag_add(&t->kernel->diags, WW_TOO_MANY, t->place, "what task %s %s", t->name, which);
    diag_expected(&t->kernel->diags, d, "at most %d resources, then NULL", WW_MAX_VALUES);
    diag_found(&t->kernel->diags, d, "more, or no NULL");
    diag_hint(&t->kernel->diags, d, "leave the list out, to have it derived from the schedule");
    list[WW_MAX_VALUES] = NULL;
}

static void copy_routes(ww_task *t)
{
    const ww_route *given = t->options.routes;
    int n = 0;
    while (given && given[n].from)
        n++;
    if (!given)
        return;
    ww_route *routes = arena_array(&t->kernel->arena, ww_route, n + 1);
    for (int i = 0; i < n; i++)
        routes[i] = (ww_route){arena_strdup(&t->kernel->arena, given[i].from),
                               given[i].to ? arena_strdup(&t->kernel->arena, given[i].to) : NULL};
    t->options.routes = routes;
}

ww_task *model_task_new(ww_place place, ww_kernel *k, const char *name, const ww_task_options *options)
{
    (void)model_closed(k, place, "a task");
    ww_task *t = arena_new(&k->arena, ww_task);
    t->kernel = k;
    t->index = (int)k->tasks.len;
    t->name = arena_strdup(&k->arena, name ? name : "");
    t->place = place;
    if (options)
        t->options = *options;
    check_name(t);
    if (k->tasks.len == WW_MAX_TASKS)
        diag_texts(&k->diags,
                   diag_add(&k->diags, WW_TOO_MANY, place, "kernel %s has more than %d tasks", k->name,
                            WW_MAX_TASKS),
                   arena_printf(&k->arena, "at most %d", WW_MAX_TASKS), "one more",
                   "one task of several warps in place of several tasks of one");
    check_warps(t);
    check_registers(t);
    check_only_cta(t);
    check_list(t, "consumes", t->options.consumes);
    check_list(t, "produces", t->options.produces);
    copy_routes(t);
    vec_push(&k->tasks, t);
    return t;
}
