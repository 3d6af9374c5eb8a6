/* See rows.h. */
#include "rows.h"
#include "model/model.h"

/* Rows leave out what they do not need. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
static const mini_row rows[] = {
#include "verdicts.def"
#include "types.def"
#include "consan.def"
#include "spec.def"
};
#pragma GCC diagnostic pop

const mini_row *row_at(size_t i)
{
    return i < sizeof rows / sizeof *rows ? &rows[i] : NULL;
}

bool row_prove(const mini_row *r, mini *m, bool *proved)
{
    *m = mini_row_declare(r);
    mini_row_add_tasks(m, r);
    *proved = mini_prove(m).proved;
    return m->kernel->program != NULL;
}
