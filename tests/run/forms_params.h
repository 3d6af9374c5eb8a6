/* forms_params: a kernel whose threads pass numbers through shared memory, in several schedule forms. */
#ifndef FORMS_PARAMS_H
#define FORMS_PARAMS_H

#include "ww/types.h"

struct forms_params {
    int *out;   /* 32 a trip, at the trip's domain index; poisoned before */
    int *marks; /* [0]: index of the first trip plus 1, [1]: of the last */
    int start, end;
};

#endif
