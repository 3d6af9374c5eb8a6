/* Looks up reasons.def and listed.def. */
#include "outcome.h"

#include "base/base.h"

#include <fnmatch.h>

static const struct reason {
    outcome outcome;
    const char *edit, *why;
} reasons[] = {
#define MUTATE_REASON(what, edit, why) {what, edit, why},
#include "reasons.def"
#undef MUTATE_REASON
};

static const struct listed {
    const char *kernel, *edit, *why;
} listed[] = {
#define MUTATE_LISTED(kernel, edit, why) {kernel, edit, why},
#include "listed.def"
#undef MUTATE_LISTED
};

const char *reason_of(outcome o, const char *edit)
{
    for (size_t i = 0; i < ARRAY_LEN(reasons); i++)
        if (reasons[i].outcome == o && fnmatch(reasons[i].edit, edit, 0) == 0)
            return reasons[i].why;
    return NULL;
}

const char *reason_listed(const char *kernel, const char *edit)
{
    for (size_t i = 0; i < ARRAY_LEN(listed); i++)
        if (fnmatch(listed[i].kernel, kernel, 0) == 0 && fnmatch(listed[i].edit, edit, 0) == 0)
            return listed[i].why;
    return NULL;
}
