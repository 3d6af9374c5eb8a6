/* The rules, one after the other. */
#include "verify/rules.h"

static void (*const rules[])(const rule_run *) = {
#define VERIFY_RULE(name) verify_##name,
#include "verify/rules.def"
#undef VERIFY_RULE
};

void verify_kernel(ww_kernel *k, const ir_program *p)
{
    bool *broken = arena_array(&k->arena, bool, p->tasks.len * k->resources.len + 1);
    rule_run run = {k, p, &k->diags, broken};
    for (size_t i = 0; i < ARRAY_LEN(rules); i++)
        rules[i](&run);
}
