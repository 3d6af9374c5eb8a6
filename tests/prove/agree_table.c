/* What random declarations have had in them, and by whom they were decided. */
#include "agree.h"

#include "base/base.h"

#include <stdio.h>

static bool has_type(const declaration *d, ww_pipeline_type type)
{
    ww_pipeline_type a = d->pattern->a ? d->pattern->a : WW_ASYNC_ASYNC,
                     b = d->pattern->b ? d->pattern->b : WW_ASYNC_ASYNC;
    bool uses_b = false;
    for (int i = 0; i < d->tasks; i++)
        uses_b |= strstr(d->texts[i], "C b") || strstr(d->texts[i], "L b");
    return a == type || (uses_b && b == type);
}

static bool has_text(const declaration *d, const char *what)
{
    for (int i = 0; i < d->tasks; i++)
        if (strstr(d->texts[i], what))
            return true;
    return false;
}

static int ctas(const declaration *d)
{
    ww_cluster c = declared_cluster(d);
    return c.v * c.m * c.n * c.k;
}

#define FEATURE(name, has) name,
static const char *const names[] = {
#include "features.def"
};
#undef FEATURE

static int counts[ARRAY_LEN(names)][DECIDED_KINDS];

void table_count(const declaration *d, decided how)
{
    const pattern *p = d->pattern;
#define FEATURE(name, has) has,
    const bool features[] = {
#include "features.def"
    };
#undef FEATURE
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        counts[i][how] += features[i];
}

void table_print(void)
{
    printf(
        "| feature | clean: both say so | fault: both say so | proved, too many states | refuted, too many "
        "states or not one instance | outside the model |\n|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        printf("| %s |", names[i]);
        for (int how = 0; how < DECIDED_KINDS; how++)
            printf(" %d |", counts[i][how]);
        printf("\n");
    }
}

bool table_has_all(int least)
{
    bool all = true;
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (counts[i][DECIDED_CLEAN] + counts[i][DECIDED_FAULT] < least) {
            printf("%s: not decided by both\n", names[i]);
            all = false;
        }
    return all;
}
