/* Alias groups: memory that is used one phase after the other. Only the membership is noted here; layout.c places it. */
#include "model/model.h"

static bool join_phase(ww_place place, ww_kernel *k, ww_resource *r, int phase)
{
    if (r->kernel != k || (!r->buffer_count && !r->tmem_count) || r->alias_group >= 0) {
        ww_diag *d =
            diag_add(&k->diags, WW_BAD_VALUE, place, "alias group: resource %s cannot be placed", r->name);
        diag_expected(&k->diags, d,
                      "a resource of this kernel with buffers or tensor memory, in one phase of one group");
        diag_found(&k->diags, d, "%s",
                   r->kernel != k        ? "another kernel's"
                   : r->alias_group >= 0 ? "it is in an alias group already"
                                         : "no memory");
        diag_hint(&k->diags, d, "leave %s out of this phase", r->name);
        diag_related(&k->diags, d, r->place, "%s is declared here", r->name);
        return false;
    }
    r->alias_group = k->alias_groups;
    r->alias_phase = phase;
    return true;
}

void ww_alias_at(ww_place place, ww_kernel *k, const ww_phase *phases)
{
    if (model_closed(k, place, "an alias group"))
        return;
    int count = 0;
    while (count < WW_MAX_PHASES && phases[count].resources[0]) {
        int i = 0;
        for (; i < WW_MAX_VALUES && phases[count].resources[i]; i++)
            (void)join_phase(place, k, phases[count].resources[i], count);
        if (phases[count].resources[i]) {
            ww_diag *d = diag_add(&k->diags, WW_TOO_MANY, place, "resources of a phase of an alias group");
            diag_expected(&k->diags, d, "at most %d", WW_MAX_VALUES);
            diag_found(&k->diags, d, "more");
            diag_hint(&k->diags, d, "one resource with several buffers in place of several resources");
        }
        count++;
    }
    if (count < 2 || phases[count].resources[0]) {
        ww_diag *d = diag_add(&k->diags, WW_BAD_VALUE, place, "phases of an alias group");
        diag_expected(&k->diags, d, "2 to %d phases", WW_MAX_PHASES);
        diag_found(&k->diags, d, "%s%d", count < 2 ? "" : "more than ", count);
        diag_hint(&k->diags, d, "ww_alias(k, {{first}}, {{second}}): a phase is a list of resources");
    }
    k->alias_groups++;
}
