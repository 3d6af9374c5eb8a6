/* diag: building the list of diagnostics. The public face is warpwright/diag.h. */
#ifndef WW_BASE_DIAG_H
#define WW_BASE_DIAG_H

#include "base/base.h"
#include "warpwright/diag.h"

typedef struct diag_list {
    arena *arena; /* owns the diagnostics and their texts */
    ww_diag *first, **end;
} diag_list;

void diag_list_init(diag_list *list, arena *a);

/* Appends a diagnostic with its severity from the table. The returned record may be completed with the calls
 * below. */
ww_diag *diag_add(diag_list *list, ww_code code, ww_place place, const char *fmt, ...) PRINTF_LIKE(4, 5);
void diag_expected(diag_list *list, ww_diag *d, const char *fmt, ...) PRINTF_LIKE(3, 4);
void diag_found(diag_list *list, ww_diag *d, const char *fmt, ...) PRINTF_LIKE(3, 4);
void diag_hint(diag_list *list, ww_diag *d, const char *fmt, ...) PRINTF_LIKE(3, 4);
void diag_related(diag_list *list, ww_diag *d, ww_place place, const char *fmt, ...) PRINTF_LIKE(4, 5);

#endif
