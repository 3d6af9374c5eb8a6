/* The rules, one after the other. */
#include "verify/rules.h"

static void (*const rules[])(const rule_run *) = {
#define VERIFY_RULE(name) verify_##name,
#include "verify/rules.def"
#undef VERIFY_RULE
};

static void run_rules(ww_kernel *k, const ir_program *p, diag_list *diags)
{
    bool *broken = arena_array(&k->arena, bool, p->tasks.len * k->resources.len + 1);
    rule_run run = {k, p, diags, broken};
    for (size_t i = 0; i < ARRAY_LEN(rules); i++)
        rules[i](&run);
}

void verify_kernel(ww_kernel *k, const ir_program *p)
{
    run_rules(k, p, &k->diags);
}

void verify_the_rest(ww_kernel *k, const ir_program *p, const verify_doubts *doubts)
{
    diag_list found;
    diag_list_init(&found, &k->arena);
    run_rules(k, p, &found);
    for (ww_diag **at = &found.first; *at;)
        if (doubts_about(k, doubts, *at))
            at = &(*at)->next;
        else
            diag_list_move(&k->diags, &found, at);
}
