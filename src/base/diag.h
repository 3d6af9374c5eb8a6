/* diag: building the list of diagnostics. The public face is warpwright/diag.h. */
#ifndef WW_BASE_DIAG_H
#define WW_BASE_DIAG_H

#include "base/base.h"
#include "warpwright/diag.h"

typedef struct diag_list {
    arena *arena; /* owns the diagnostics and their texts */
    ww_diag *first, **end;
} diag_list;

/* What a finding rests on: if one of these were otherwise, it might not be said. By number in its kernel. */
typedef enum diag_kind { DIAG_TASK, DIAG_RESOURCE } diag_kind;

void diag_list_init(diag_list *list, arena *a);
/* Puts the list in order of place and drops what is said twice: the same code and message at the same place. Independent
 * of the order in which the records were added. diag_order.c */
void diag_list_settle(diag_list *list);
/* Takes *at, a link of `from`, out of it and appends it to `to`. */
void diag_list_move(diag_list *to, diag_list *from, ww_diag **at);
/* The last of the list; NULL when it is empty. */
const ww_diag *diag_list_last(const diag_list *list);

/* The severity that the table gives a code; WW_ERROR for an unknown one. */
ww_severity diag_severity(ww_code code);

/* Appends a diagnostic with its severity from the table. The returned record may be completed with the calls
 * below; an error is complete with what was expected, what was found and a hint. */
ww_diag *diag_add(diag_list *list, ww_code code, ww_place place, const char *fmt, ...) PRINTF_LIKE(4, 5);
ww_diag *diag_add_v(diag_list *list, ww_code code, ww_place place, const char *fmt, va_list args);
/* It rests on that, too. */
void diag_rests_on(diag_list *list, ww_diag *d, diag_kind kind, int number);
bool diag_does_rest_on(const ww_diag *d, diag_kind kind, int number);
void diag_expected(diag_list *list, ww_diag *d, const char *fmt, ...) PRINTF_LIKE(3, 4);
void diag_found(diag_list *list, ww_diag *d, const char *fmt, ...) PRINTF_LIKE(3, 4);
void diag_hint(diag_list *list, ww_diag *d, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* All three at once, where they are plain texts. */
void diag_texts(diag_list *list, ww_diag *d, const char *expected, const char *found, const char *hint);
void diag_related(diag_list *list, ww_diag *d, ww_place place, const char *fmt, ...) PRINTF_LIKE(4, 5);

#endif
