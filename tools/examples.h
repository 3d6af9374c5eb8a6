/* examples: what is wrong and what is right, of each diagnostic, as docs/explain has it. */
#ifndef WW_TOOLS_EXAMPLES_H
#define WW_TOOLS_EXAMPLES_H

#include "warpwright/diag.h"

/* Both of a code, for a terminal: caption and code, after two blanks. */
void example_print(ww_code code);
/* Likewise as Markdown. */
void example_markdown(ww_code code);

#endif
