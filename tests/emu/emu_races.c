/* emu_races: with check_races, the emulator tests that there are (ptx_case.h) end as they do without, in all orders of what is
 * asynchronous; but for those that are about races. Usage: emu_races FILE... */
#include "ptx_case.h"

#include <stdio.h>

/* What they show without the check is stale data, or another fault, behind a race: either comes first. */
static const char *const racing[] = {"fault_clc_read_early.ptx",        "stale_operand_without_wait.ptx",
                                     "stale_read_without_wait.ptx",     "umma_operand_overwritten.ptx",
                                     "fault_tmem_given_back_early.ptx", "fault_umma_not_waited_for.ptx"};

static bool may_race(const ptx_case *c)
{
    const char *name = strrchr(c->path, '/') ? strrchr(c->path, '/') + 1 : c->path;
    for (size_t i = 0; i < ARRAY_LEN(racing); i++)
        if (strcmp(name, racing[i]) == 0)
            return true;
    return false;
}

static bool is_about_races(const ptx_case *c)
{
    return c->texts.len && strstr(c->texts.at[0], "MEM-RACE");
}

/* Whether that is as expected. */
static bool run_in(ptx_case *c, const emu_module *module, emu_async_order order)
{
    emu_machine *m = emu_machine_new();
    emu_result result = {0};
    ptx_case_prepare(c, m);
    c->launch.check_races = true;
    c->launch.async_order = order;
    c->launch.seed = 3;
    (void)emu_run(m, module, &c->launch, &result);
    bool found = strstr(text_str(&result.report), "MEM-RACE") != NULL,
         ok = found == is_about_races(c) || may_race(c);
    if (!ok)
        (void)printf("%s, order %d: %s\n%s\n", c->path, (int)order,
                     found ? "a race in a right program" : "no race is found", text_str(&result.report));
    text_free(&result.report);
    emu_machine_free(m);
    return ok;
}

/* The number of orders in which it is not. */
static int run_file(const char *path)
{
    ptx_case c;
    text errors = {0};
    int wrong = 0;
    if (!ptx_case_read(&c, path))
        return 1;
    emu_module *module = emu_module_load(text_str(&c.source), c.source.len, &errors);
    for (int order = EMU_ASYNC_LATE; module && order <= EMU_ASYNC_RANDOM; order++)
        wrong += !run_in(&c, module, (emu_async_order)order);
    emu_module_free(module);
    text_free(&errors);
    ptx_case_free(&c);
    return wrong;
}

int main(int count, char **arguments)
{
    int wrong = 0;
    for (int i = 1; i < count; i++)
        wrong += run_file(arguments[i]);
    (void)printf("%d files, %d wrong\n", count - 1, wrong);
    return wrong || count < 2;
}
