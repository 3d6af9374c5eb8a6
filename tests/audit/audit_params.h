/* audit_params: what the audited bodies are given. */
#ifndef AUDIT_PARAMS_H
#define AUDIT_PARAMS_H

#include "ww/types.h"

struct audit_params {
    ww_tensor_map map;
    const uint32_t *in;
    uint32_t *out;
    int rows, trips;
};

#endif
