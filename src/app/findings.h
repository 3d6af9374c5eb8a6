/* findings: what check and prove have to say, as one JSON object for tools. */
#ifndef WW_APP_FINDINGS_H
#define WW_APP_FINDINGS_H

#include "base/base.h"
#include "warpwright/warpwright.h"

/* docs/json.md says what is in it. `more` follow the findings of the rules: a refutation, or those of the audit; NULL: none;
 * `proof` is a proof that stands, NULL: none. */
void findings_write(text *out, ww_kernel *k, const ww_diag *more, const char *verdict,
                    const ww_verdict *proof);

#endif
