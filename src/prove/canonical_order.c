/* Which of two configurations knows more.
 *
 * Less knowledge is weaker: what agents do next depends on what all have done, not on what they know; every check asks that
 * somebody knows something; and telling makes unions. So if in `a` all do the same as in `b`, and whoever may be asked about
 * a thing knows it in `a` if he does in `b`, then `a` goes on as `b` does, passes every check that `b` passes, and goes on
 * knowing more. What a configuration leaves out is known to all who may be asked.
 *
 *   control   equal words
 *   worries   none that is not in `b`
 *   marks     those of `a` are in `b`, which would have left out what all know. A value that reaches a mark in `b` reaches
 *             it in `a`, if it is there
 *   waits     that tell of a completion or of a copy: to have heard of one of them is enough, so here those of `b` are in
 *             `a`, unless all know of it in `a`
 *   news      of a stage that `a` leaves out: all waiters know them in `a` */
#include "prove/canonical.h"

/* ---- keeping --------------------------------------------------------------------------------------------- */

static void keep_classes(canonical *c, const machine *m, int entry)
{
    const uint32_t *value = c->values.at;
    for (int i = 0; i < c->plan->agent_count; i++)
        vec_push(&c->kept_classes,
                 canonical_is_told(c, m, entry, i) ? c->classes.at[*value++] : CANONICAL_NOBODY);
    for (int i = c->first_news[entry]; i < c->first_news[entry + 1]; i++, value++) {
        canonical_kept_news news = {c->sorted.at[i].from, c->classes.at[*value]};
        if (*value)
            vec_push(&c->kept_news, news);
    }
}

void canonical_keep_entry(canonical *c, const machine *m, int entry)
{
    canonical_kept_entry kept = {c->kept_marks.len, c->kept_classes.len, c->kept_news.len};
    vec_push(&c->kept, kept);
    for (size_t i = 0; i < c->marks.len; i++)
        vec_push(&c->kept_marks, c->marks.at[i]);
    if (c->marks.len)
        keep_classes(c, m, entry);
}

/* ---- comparing ------------------------------------------------------------------------------------------- */

/* A mark of `a`, by kind and place, while its entry is looked at. */
typedef struct found_mark {
    size_t entry, mark; /* plus 1 */
} found_mark;

/* Values and marks have up to so many more classes than there are marks. */
enum { MOST_MORE = 3 };

typedef struct order {
    const canonical *a, *b;
    found_mark *found; /* [kind][place] */
    size_t places;
    size_t entry;
    uint32_t *most; /* [class in b]: the class in `a` of those marks that such a value reaches; 0: none */
} order;

static bool same_range(const canonical *a, canonical_range in_a, const canonical *b, canonical_range in_b)
{
    return in_a.words == in_b.words &&
           memcmp(a->words.at + in_a.at, b->words.at + in_b.at, in_a.words * sizeof *a->words.at) == 0;
}

static bool same_control(const canonical *a, const canonical *b)
{
    canonical_range all_a = {0, a->control_length}, all_b = {0, b->control_length};
    if (!same_range(a, all_a, b, all_b) || a->places.len != b->places.len)
        return false;
    for (size_t i = 0; i < a->places.len; i++)
        if (a->places.at[i].distance != b->places.at[i].distance)
            return false;
    return true;
}

static bool no_more_worries(const canonical *a, const canonical *b)
{
    if (a->worries.len != b->worries.len)
        return false;
    for (size_t i = 0; i < a->worries.len; i++)
        if (a->worries.at[i] > b->worries.at[i])
            return false;
    return true;
}

/* What somebody does not know in `a`, somebody does not know in `b`; and where contributions alone do not tell that a phase
 * is complete in `a`, they do not in `b`. */
static bool stage_fits(uint8_t in_a, uint8_t in_b)
{
    bool fits = (in_a & USE_GATHERED) == (in_b & USE_GATHERED);
    for (int age = 0; age < 3; age++) {
        bool mute_a = in_a & DEFERRED_0 << age, mute_b = in_b & DEFERRED_0 << age;
        fits = fits && (!canonical_is_unknown(in_a, age) || canonical_is_unknown(in_b, age)) &&
               (!mute_a || mute_b);
    }
    return fits;
}

static bool stages_fit(const canonical *a, const canonical *b)
{
    for (int i = 0; i < a->plan->stage_count; i++)
        if (!stage_fits(a->stage_use[a->stage_order[i]], b->stage_use[b->stage_order[i]]))
            return false;
    return true;
}

static bool copies_fit(const canonical *a, const canonical *b)
{
    for (int i = 0; i < a->plan->slot_count; i++) {
        uint8_t in_a = a->slot_use[a->slot_order[i]], in_b = b->slot_use[b->slot_order[i]];
        const canonical_kept_copy *of_a = &a->kept_copies[i], *of_b = &b->kept_copies[i];
        if (!in_a)
            continue;
        if (!in_b || of_a->whole != of_b->whole || of_a->age != of_b->age ||
            (of_a->age_before && of_a->age_before != of_b->age_before) ||
            !same_range(a, of_a->laps, b, of_b->laps))
            return false;
    }
    return true;
}

/* ---- one entry ------------------------------------------------------------------------------------------- */

static size_t marks_end(const canonical *c, size_t entry)
{
    return entry + 1 < c->kept.len ? c->kept.at[entry + 1].marks : c->kept_marks.len;
}

static size_t news_end(const canonical *c, size_t entry)
{
    return entry + 1 < c->kept.len ? c->kept.at[entry + 1].news : c->kept_news.len;
}

static found_mark *found_at(const order *o, const canonical_mark *mark)
{
    return &o->found[(size_t)mark->kind * o->places + (size_t)mark->place];
}

/* Of several such marks one is enough. */
static bool one_is_enough(int kind)
{
    return kind >= MARK_PASSED && kind <= MARK_COPY_BEFORE;
}

/* Somebody who may be asked does not know in `a` what a wait tells that `b` has marked. */
static bool matters_in_a(const canonical *a, const canonical_mark *mark)
{
    if (mark->kind == MARK_COPY || mark->kind == MARK_COPY_BEFORE)
        return a->slot_use[a->slot_order[mark->place]] &
               (mark->kind == MARK_COPY ? USE_COPY : USE_COPY_BEFORE);
    return canonical_is_unknown(a->stage_use[a->stage_order[mark->place]], mark->kind - MARK_PASSED + 1);
}

static void note_class(order *o, uint32_t class_b, uint32_t class_a)
{
    if (o->most[class_b] < class_a)
        o->most[class_b] = class_a;
}

/* How many marks of `a` are needed in `b`. */
static size_t find_marks(const order *o)
{
    size_t needed = 0;
    for (size_t i = o->a->kept.at[o->entry].marks; i < marks_end(o->a, o->entry); i++) {
        const canonical_mark *mark = &o->a->kept_marks.at[i];
        *found_at(o, mark) = (found_mark){o->entry + 1, i};
        needed += !one_is_enough(mark->kind);
    }
    return needed;
}

/* Those that both have: how they are related, in `most`. */
static bool marks_fit(order *o)
{
    size_t needed = find_marks(o), first = o->b->kept.at[o->entry].marks, end = marks_end(o->b, o->entry);
    size_t classes = end - first + MOST_MORE;
    memset(o->most, 0, classes * sizeof *o->most);
    for (size_t i = first; i < end; i++) {
        const canonical_mark *in_b = &o->b->kept_marks.at[i];
        const found_mark *found = found_at(o, in_b);
        if (found->entry != o->entry + 1) {
            if (one_is_enough(in_b->kind) && matters_in_a(o->a, in_b))
                return false;
            continue;
        }
        const canonical_mark *in_a = &o->a->kept_marks.at[found->mark];
        if (!same_range(o->a, in_a->laps, o->b, in_b->laps))
            return false;
        needed -= !one_is_enough(in_b->kind);
        note_class(o, in_b->class, in_a->class);
    }
    for (size_t i = 1; i < classes; i++)
        note_class(o, (uint32_t)i, o->most[i - 1]);
    return !needed;
}

static bool agents_fit(const order *o, const uint32_t *in_a, const uint32_t *in_b)
{
    for (int i = 0; i < o->a->plan->agent_count; i++)
        if (in_b[i] != CANONICAL_NOBODY && in_a[i] < o->most[in_b[i]])
            return false;
    return true;
}

static bool waiters_know(const canonical *a, const uint32_t *in_a, int stage, uint32_t least)
{
    const plan *p = a->plan;
    const plan_stage *s = &p->stages[stage];
    for (int i = s->first_user; i < s->first_user + s->users; i++) {
        int user = p->users[i];
        if (in_a[user] != CANONICAL_NOBODY && plan_acts(p, p->agents[user].crew, stage, PLAN_WAITS) &&
            in_a[user] < least)
            return false;
    }
    return true;
}

/* News are in the order of the stages. */
static bool news_fit(const order *o, const uint32_t *in_a)
{
    const canonical *a = o->a, *b = o->b;
    size_t at = a->kept.at[o->entry].news, end = news_end(a, o->entry);
    for (size_t i = b->kept.at[o->entry].news; i < news_end(b, o->entry); i++) {
        const canonical_kept_news *news = &b->kept_news.at[i];
        uint32_t least = o->most[news->class];
        while (at < end && a->kept_news.at[at].from < news->from)
            at++;
        bool there = at < end && a->kept_news.at[at].from == news->from;
        if (there ? a->kept_news.at[at].class < least
                  : !waiters_know(a, in_a, a->stage_order[news->from / 2], least))
            return false;
    }
    return true;
}

static bool entry_fits(order *o)
{
    const canonical *a = o->a, *b = o->b;
    if (!marks_fit(o))
        return false;
    if (a->kept.at[o->entry].marks == marks_end(a, o->entry) ||
        b->kept.at[o->entry].marks == marks_end(b, o->entry))
        return true; /* no mark that both have */
    const uint32_t *in_a = a->kept_classes.at + a->kept.at[o->entry].classes;
    const uint32_t *in_b = b->kept_classes.at + b->kept.at[o->entry].classes;
    return agents_fit(o, in_a, in_b) && news_fit(o, in_a);
}

static bool entries_fit(const canonical *a, const canonical *b)
{
    const plan *p = a->plan;
    order o = {.a = a, .b = b};
    bool fit = true;
    o.places = (size_t)(p->stage_count > p->slot_count ? p->stage_count : p->slot_count) + 1;
    o.found = base_alloc(MARK_KINDS * o.places * sizeof *o.found);
    memset(o.found, 0, MARK_KINDS * o.places * sizeof *o.found);
    o.most = base_alloc((b->kept_marks.len + MOST_MORE) * sizeof *o.most);
    for (o.entry = 0; fit && o.entry < a->kept.len; o.entry++)
        fit = entry_fits(&o);
    free(o.found);
    free(o.most);
    return fit;
}

bool canonical_knows_more(const canonical *a, const canonical *b)
{
    return same_control(a, b) && no_more_worries(a, b) && stages_fit(a, b) && copies_fit(a, b) &&
           entries_fit(a, b);
}
