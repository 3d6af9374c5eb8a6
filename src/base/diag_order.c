/* The order in which diagnostics are read: by place, so that a list does not depend on the order in which a kernel was
 * declared or the rules ran; and each finding once, however many rules or calls came across it. */
#include "base/diag.h"

static int compare_texts(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

static int compare_places(ww_place a, ww_place b)
{
    int files = compare_texts(a.file, b.file);
    return files ? files : (a.line > b.line) - (a.line < b.line);
}

/* What makes two records one finding. */
static int compare_findings(const ww_diag *a, const ww_diag *b)
{
    int order = compare_places(a->place, b->place);
    if (!order)
        order = ((int)a->code > (int)b->code) - ((int)a->code < (int)b->code);
    return order ? order : compare_texts(a->message, b->message);
}

/* The rest decides which of two records of one finding stays: the one that says more. */
static int compare_details(const ww_diag *a, const ww_diag *b)
{
    const char *const pairs[][2] = {{a->expected, b->expected},
                                    {a->found, b->found},
                                    {a->hint, b->hint},
                                    {a->related_why, b->related_why},
                                    {a->suppressed, b->suppressed}};
    int order = ((int)a->severity < (int)b->severity) - ((int)a->severity > (int)b->severity);
    for (size_t i = 0; !order && i < ARRAY_LEN(pairs); i++)
        order = compare_texts(pairs[i][1], pairs[i][0]);
    return order ? order : compare_places(a->related, b->related);
}

static int compare(const void *a, const void *b)
{
    const ww_diag *one = *(const ww_diag *const *)a, *other = *(const ww_diag *const *)b;
    int order = compare_findings(one, other);
    return order ? order : compare_details(one, other);
}

void diag_list_settle(diag_list *list)
{
    VEC(ww_diag *) all = {0};
    for (ww_diag *d = list->first; d; d = d->next)
        vec_push(&all, d);
    if (all.len)
        qsort(all.at, all.len, sizeof *all.at, compare);
    list->end = &list->first;
    for (size_t i = 0; i < all.len; i++) {
        if (i && compare_findings(all.at[i - 1], all.at[i]) == 0)
            continue;
        *list->end = all.at[i];
        list->end = &all.at[i]->next;
    }
    *list->end = NULL;
    vec_free(&all);
}

void diag_list_move(diag_list *to, diag_list *from, ww_diag **at)
{
    ww_diag *d = *at;
    *at = d->next;
    if (!d->next)
        from->end = at;
    d->next = NULL;
    *to->end = d;
    to->end = &d->next;
}

const ww_diag *diag_list_last(const diag_list *list)
{
    const ww_diag *last = list->first;
    while (last && last->next)
        last = last->next;
    return last;
}
