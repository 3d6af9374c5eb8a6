/* Suppressed diagnostics: what an author has looked at and knows better, with the reason. The rules know nothing of this;
 * it sorts what they have found. */
#include "model/model.h"

struct model_suppression {
    struct model_suppression *next;
    ww_code code;
    const char *reason;
    ww_place place;
    bool used;
};

static bool is_rule(ww_code code)
{
    return (int)code >= 200 && (int)code < 300;
}

/* What the audit finds is known only when the bodies have been compiled. */
static bool is_audit(ww_code code)
{
    return (int)code >= 400 && (int)code < 500;
}

static bool can_be_suppressed(ww_code code)
{
    bool warning = diag_severity(code) == WW_WARNING && code != WW_IDLE_SUPPRESSION;
    return ww_code_title(code) && (is_rule(code) || warning);
}

static bool is_blank(const char *s)
{
    return !s || !s[strspn(s, " \t\r\n")];
}

/* False, with a diagnostic, for a suppression that is none. */
static bool check_suppression(ww_kernel *k, ww_place place, ww_code code, const char *reason)
{
    if (!can_be_suppressed(code)) {
        ww_diag *d =
            diag_add(&k->diags, WW_SUPPRESSION, place, "kernel %s suppresses WW%d %s, which cannot be",
                     k->name, (int)code, ww_code_name(code));
        diag_expected(&k->diags, d, "a warning, or an error of the rules (2xx)");
        diag_found(&k->diags, d, "WW%d %s", (int)code, ww_code_name(code));
        diag_hint(&k->diags, d, "mend what it reports");
        return false;
    }
    if (is_blank(reason)) {
        ww_diag *d =
            diag_add(&k->diags, WW_SUPPRESSION, place, "kernel %s suppresses WW%d %s without a reason",
                     k->name, (int)code, ww_code_name(code));
        diag_expected(&k->diags, d, "why the finding does not matter here, in a few words");
        diag_found(&k->diags, d, "nothing");
        diag_hint(&k->diags, d, "ww_kernel_suppress(k, code, \"the reason\"), or --suppress CODE=REASON");
        return false;
    }
    return true;
}

void ww_kernel_suppress_at(ww_place place, ww_kernel *k, ww_code code, const char *reason)
{
    if (model_closed(k, place, "a suppression") || !check_suppression(k, place, code, reason))
        return;
    struct model_suppression *s = arena_new(&k->arena, struct model_suppression);
    *s = (struct model_suppression){k->suppressions, code, arena_strdup(&k->arena, reason), place, false};
    k->suppressions = s;
}

/* The suppression that d falls under, or NULL. Errors of declaring keep the kernel from being lowered and cannot be passed
 * over, whatever their code. */
static struct model_suppression *suppression_of(const ww_kernel *k, const ww_diag *d, bool declaring)
{
    if (d->severity == WW_ERROR && (declaring || !is_rule(d->code)))
        return NULL;
    struct model_suppression *s = k->suppressions;
    while (s && s->code != d->code)
        s = s->next;
    return s;
}

/* Of two suppressions of one code (the program's and the command line's) neither is idle. */
static void mark_used(ww_kernel *k, ww_code code)
{
    for (struct model_suppression *s = k->suppressions; s; s = s->next)
        s->used |= s->code == code;
}

static void warn_of_idle(ww_kernel *k, diag_list *diags, const struct model_suppression *s)
{
    ww_diag *d = diag_add(diags, WW_IDLE_SUPPRESSION, s->place,
                          "the suppression of WW%d %s hides nothing in kernel %s", (int)s->code,
                          ww_code_name(s->code), k->name);
    diag_expected(diags, d, "a finding WW%d %s", (int)s->code, ww_code_name(s->code));
    diag_found(diags, d, "none");
    diag_hint(diags, d, "leave it out; the reason given was: %s", s->reason);
}

static void sort_out(ww_kernel *k, diag_list *diags)
{
    bool declaring = k->last_declared;
    for (ww_diag **at = &diags->first; *at;) {
        const struct model_suppression *s = suppression_of(k, *at, declaring);
        declaring &= *at != k->last_declared;
        if (!s) {
            at = &(*at)->next;
            continue;
        }
        mark_used(k, s->code);
        (*at)->suppressed = s->reason;
        diag_list_move(&k->suppressed, diags, at);
    }
    diag_list_settle(&k->suppressed);
}

void model_suppress(ww_kernel *k)
{
    diag_list_init(&k->suppressed, &k->arena);
    sort_out(k, &k->diags);
    bool all_looked_at = k->program && !k->unchecked;
    for (const struct model_suppression *s = k->suppressions; all_looked_at && s; s = s->next)
        if (!s->used && !is_audit(s->code))
            warn_of_idle(k, &k->diags, s);
}

void model_suppress_audit(ww_kernel *k, diag_list *diags, bool all_looked_at)
{
    sort_out(k, diags);
    for (const struct model_suppression *s = k->suppressions; all_looked_at && s; s = s->next)
        if (!s->used && is_audit(s->code))
            warn_of_idle(k, diags, s);
}
