/* A machine that was weakened, as text; and the reverse. What is read may be anything: it must not do harm. Things in a row that
 * are alike are said at once: "agent 1-4 pc 7 asks". */
#include "certify/spell.h"

#include <stdio.h>

#define MOST_NUMBER (INT64_C(1) << 40)
#define MOST_TRIP (INT64_C(1) << 30)

/* ---- words and numbers --------------------------------------------------------------------------------- */

static bool ends(const speller *p, size_t n)
{
    const char *at = p->at + n;
    return at < p->end && (*at == ' ' || *at == '\n');
}

static bool take(speller *p, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(p->end - p->at) < n || memcmp(p->at, word, n) != 0)
        return false;
    p->at += n;
    return true;
}

bool spell_line(speller *p, const char *word, bool said)
{
    if (!p->out)
        return (size_t)(p->end - p->at) > strlen(word) && ends(p, strlen(word)) && take(p, word);
    text_add(p->out, said ? word : "");
    return said;
}

bool spell_word(speller *p, const char *word, bool said)
{
    if (!p->out) {
        const char *before = p->at;
        if (take(p, " ") && take(p, word) && ends(p, 0))
            return true;
        p->at = before;
        return false;
    }
    if (said) {
        text_add(p->out, " ");
        text_add(p->out, word);
    }
    return said;
}

void spell_literal(speller *p, const char *word)
{
    p->wrong |= !spell_word(p, word, true);
}

void spell_end(speller *p)
{
    if (p->out)
        text_add(p->out, "\n");
    else
        p->wrong |= !take(p, "\n");
}

/* Up to 13 digits, with no 0 before others. */
static bool take_digits(speller *p, int64_t *n)
{
    const char *first = p->at;
    for (*n = 0; p->at < p->end && *p->at >= '0' && *p->at <= '9' && p->at - first < 13; p->at++)
        *n = 10 * *n + (*p->at - '0');
    return p->at > first && (*first != '0' || p->at - first == 1);
}

void spell_number(speller *p, int64_t *n, int64_t least, int64_t most)
{
    if (p->out) {
        text_printf(p->out, " %lld", (long long)*n);
        return;
    }
    int64_t read = 0;
    bool space = take(p, " "), minus = take(p, "-"), right = take_digits(p, &read) && space && ends(p, 0);
    right &= !minus || read;
    read = minus ? -read : read;
    if (right && read >= least && read <= most)
        *n = read;
    else
        p->wrong = true;
}

void spell_int(speller *p, int *n, int least, int most)
{
    int64_t number = *n;
    spell_number(p, &number, least, most);
    *n = (int)number;
}

static void spell_bit(speller *p, uint32_t *bit)
{
    int64_t number = *bit;
    spell_number(p, &number, 0, 1);
    *bit = (uint32_t)number;
}

static void spell_named(speller *p, const char *word, int64_t *n, int64_t least)
{
    spell_literal(p, word);
    spell_number(p, n, least, MOST_NUMBER);
}

/* A number that is said if it is not the usual one. */
static void spell_unusual(speller *p, const char *word, int64_t *n, int64_t usual)
{
    if (spell_word(p, word, *n != usual))
        spell_number(p, n, -MOST_NUMBER, MOST_NUMBER);
}

/* ---- numbers in a row ---------------------------------------------------------------------------------- */

/* Of numbers in a row there are many: this is faster than text_printf. */
static void print_digits(text *out, char before, int number)
{
    char digits[12];
    size_t at = sizeof digits;
    do
        digits[--at] = (char)('0' + number % 10);
    while (number /= 10);
    digits[--at] = before;
    text_add_n(out, digits + at, sizeof digits - at);
}

static void print_range(text *out, char before, int first, int last)
{
    print_digits(out, before, first);
    if (last > first)
        print_digits(out, '-', last);
}

/* "3" or "3-5"; false: it is none of numbers below `count`. */
static bool take_range(speller *p, int count, int *first, int *last)
{
    int64_t from, to;
    if (!take_digits(p, &from))
        return false;
    to = from;
    if (take(p, "-") && !take_digits(p, &to))
        return false;
    if (from > to || to >= count)
        return false;
    *first = (int)from;
    *last = (int)to;
    return true;
}

/* A set of numbers below `count`: "0,3-5". */
static void spell_set(speller *p, uint64_t *bits, int count)
{
    char before = ' ';
    for (int i = 0, first = 0; p->out && i < count; i++) {
        if (i % WORD_BITS == 0 && !bits[i / WORD_BITS]) {
            i += WORD_BITS - 1;
            continue;
        }
        first = i && bits_has(bits, i) && bits_has(bits, i - 1) ? first : i;
        if (!bits_has(bits, i) || (i + 1 < count && bits_has(bits, i + 1)))
            continue;
        print_range(p->out, before, first, i);
        before = ',';
    }
    int first = 0, last = -1;
    p->wrong |= !p->out && !take(p, " ");
    while (!p->out && !p->wrong) {
        p->wrong = !take_range(p, count, &first, &last);
        for (int i = first; !p->wrong && i <= last; i++)
            bits_add(bits, i);
        if (!take(p, ","))
            break;
    }
}

/* ---- lines of things that are alike -------------------------------------------------------------------- */

typedef void say_one(speller *p, int number);

static bool is_same(const text *a, const text *b)
{
    return a->len == b->len && (!a->len || memcmp(a->at, b->at, a->len) == 0);
}

static void print_lines(speller *p, const char *what, int count, say_one *one)
{
    text said = {0}, next = {0};
    speller line = {.s = p->s, .out = &next};
    for (int i = 0, first = 0; i <= count; i++) {
        next.len = 0;
        if (i < count)
            one(&line, i);
        if (i > first && i < count && is_same(&said, &next))
            continue;
        if (i > first && said.len) {
            text_add(p->out, what);
            print_range(p->out, ' ', first, i - 1);
            text_add_n(p->out, text_str(&said), said.len);
            text_add(p->out, "\n");
        }
        text other = said;
        said = next;
        next = other;
        first = i;
    }
    text_free(&said);
    text_free(&next);
}

static void read_lines(speller *p, const char *what, int count, say_one *one)
{
    int first = 0, last = -1;
    while (!p->wrong && spell_line(p, what, true)) {
        p->wrong |= !take(p, " ") || !take_range(p, count, &first, &last);
        const char *rest = p->at;
        for (int i = first; !p->wrong && i <= last; i++) {
            p->at = rest;
            one(p, i);
            p->wrong |= p->at == p->end || *p->at != '\n';
        }
        spell_end(p);
    }
}

static void spell_lines(speller *p, const char *what, int count, say_one *one)
{
    (p->out ? print_lines : read_lines)(p, what, count, one);
}

/* ---- values -------------------------------------------------------------------------------------------- */

/* Which of some words; -1: none. */
static int spell_one_of(speller *p, const char *const *words, int count, int said)
{
    int found = -1;
    for (int i = 0; i < count && found < 0; i++)
        found = spell_word(p, words[i], i == said) ? i : -1;
    return found;
}

static void say_choice(speller *p, state_value *v, bool of_trip)
{
    static const char *const words[] = {"no", "yes", "open"};
    int said = v->choice >= 0 ? v->choice : v->dead || of_trip ? -1 : 2;
    said = spell_one_of(p, words, of_trip ? 2 : 3, said);
    v->dead = said < 0;
    v->choice = said == 2 ? -1 : said;
    if (of_trip && said >= 0)
        spell_named(p, "turn", &v->turn, -MOST_NUMBER);
}

static void say_value(speller *p, int instance)
{
    static const char *const words[] = {"any", "from"};
    const world_value *of = &p->s->world->values.at[p->s->world->value_of[instance]];
    state_value *v = &p->s->values[instance];
    if (value_is_choice(of)) {
        say_choice(p, v, of->of_trip);
        return;
    }
    int said = spell_one_of(p, words, 2, v->dead ? -1 : v->any ? 0 : 1);
    if (said < 0)
        return;
    v->dead = false;
    v->any = said == 0;
    if (!v->any) {
        spell_number(p, &v->from, -MOST_NUMBER, MOST_NUMBER);
        spell_named(p, "every", &v->every, 0);
    }
    spell_named(p, "step", &v->step, 0);
}

/* ---- agents -------------------------------------------------------------------------------------------- */

static void say_groups(speller *p, int agent, group_kind kind, const char *word)
{
    int *count = &p->s->agents[agent].groups[kind];
    for (int g = 0; g < MOST_OPEN_GROUPS && spell_word(p, word, g < *count); g++) {
        spell_set(p, state_group(p->s, agent, kind, g), p->s->world->slot_count);
        *count = g < *count ? *count : g + 1;
    }
}

static void say_loop(speller *p, int agent)
{
    static const char *const modes[] = {"from", "left"};
    state_agent *a = &p->s->agents[agent];
    if (!spell_word(p, "trip", a->in_loop))
        return;
    const world_op *loop = state_loop(p->s, agent);
    if (!loop) {
        p->wrong = true;
        return;
    }
    a->in_loop = true;
    spell_number(p, &a->trip, 0, MOST_TRIP);
    a->mode = (trip_mode)(TRIP_FROM + spell_one_of(p, modes, 2, (int)a->mode - TRIP_FROM));
    if (a->mode != TRIP_COUNTED)
        spell_number(p, &a->distance, -MOST_NUMBER, MOST_NUMBER);
    if (loop->family >= 0)
        spell_named(p, "turn", &a->turn, -MOST_NUMBER);
}

static void say_cursor(speller *p, int agent, int cursor)
{
    state_cursor *c = state_cursor_of(p->s, agent, cursor);
    int most = world_task_of(p->s->world, agent)->cursors.at[cursor].stages - 1;
    spell_literal(p, "cursor");
    spell_int(p, &c->slot, 0, most);
    spell_number(p, &c->lap, -MOST_NUMBER, MOST_NUMBER);
    spell_bit(p, &c->parity);
    spell_int(p, &c->held, 0, most);
    spell_number(p, &c->held_lap, -MOST_NUMBER, MOST_NUMBER);
}

static void say_probe(speller *p, int agent, int number)
{
    state_probe *asked = &p->s->probes[p->s->world->agents[agent].first_probe + number];
    char word[32];
    (void)snprintf(word, sizeof word, "probe%d", number);
    if (!spell_word(p, word, asked->stage >= 0))
        return;
    asked->stage = asked->stage < 0 ? 0 : asked->stage;
    spell_int(p, &asked->stage, 0, p->s->world->stage_count - 1);
    spell_bit(p, &asked->parity);
    spell_int(p, &asked->behind, 0, 2);
}

static void say_living(speller *p, int agent)
{
    state_agent *a = &p->s->agents[agent];
    const world_task *t = &p->s->world->tasks[p->s->world->agents[agent].task];
    spell_int(p, &a->pc, 0, t->count - 1);
    bool waits = spell_word(p, "waits", a->status == STATE_WAITS);
    a->status = waits ? STATE_WAITS : STATE_ASKS;
    if (waits)
        spell_int(p, &a->stage, 0, p->s->world->stage_count - 1);
    else
        spell_literal(p, "asks");
    say_loop(p, agent);
    spell_unusual(p, "tile", &a->tile, 0);
    for (int i = 0; i < (int)t->task->cursors.len; i++)
        say_cursor(p, agent, i);
    for (int i = 0; i < t->task->status_count; i++)
        say_probe(p, agent, i);
}

/* Of one that has ended nothing is said. */
static void say_agent(speller *p, int agent)
{
    if (p->s->world->agents[agent].is_pipe)
        return;
    say_groups(p, agent, GROUPS_WGMMA, "wgmma");
    say_groups(p, agent, GROUPS_BULK, "bulk");
    if (spell_word(p, "pc", state_alive(p->s, agent)))
        say_living(p, agent);
}

/* ---- stages, slots, accesses --------------------------------------------------------------------------- */

static bool knows_anything(const state *s, int holder)
{
    for (size_t word = 0; word < s->fact_words; word++)
        if (state_holder(s, holder)[word])
            return true;
    return false;
}

/* Whether a holder of facts knows any. */
static void say_knowing(speller *p, const char *word, int holder)
{
    if (spell_word(p, word, p->out && knows_anything(p->s, holder)) && !p->out)
        state_fill(p->s, holder, true);
}

static void say_stage(speller *p, int stage)
{
    state_stage *b = &p->s->stages[stage];
    int64_t pending = b->pending;
    b->count = spell_word(p, "odd", b->count & 1);
    spell_unusual(p, "pending", &pending, world_barrier(p->s->world, stage)->arrivals);
    b->pending = (uint32_t)pending;
    spell_unusual(p, "bytes", &b->bytes, 0);
    spell_unusual(p, "lead", &b->lead, 0);
    b->engines = spell_word(p, "engines", b->engines);
    b->owed = spell_word(p, "owed", b->owed);
    say_knowing(p, "gathers", holder_gathered(p->s, stage));
    say_knowing(p, "tells", holder_done(p->s, stage));
}

static void say_slot(speller *p, int slot)
{
    state_copy *c = &p->s->copies[slot];
    p->s->gone[slot] = spell_word(p, "gone", p->s->gone[slot]);
    spell_unusual(p, "lap", &c->lap, NO_LAP);
    c->whole = spell_word(p, "whole", c->whole);
    if (spell_word(p, "ages", c->age[ABOUT_COPY] || c->age[ABOUT_COPY_BEFORE]))
        for (int kind = 0; kind < ABOUT_COPIES; kind++)
            spell_int(p, &c->age[kind], 0, 3);
}

static void say_lap(speller *p, int access)
{
    spell_unusual(p, "lap", &p->s->laps[access], NO_LAP);
}

/* ---- facts --------------------------------------------------------------------------------------------- */

/* Facts that the same do not know. */
typedef struct fact_group {
    uint64_t *holders, *facts;
} fact_group;
typedef VEC(fact_group) fact_groups;

static size_t holder_bytes(const state *s)
{
    return ((size_t)s->holders + WORD_BITS - 1) / WORD_BITS * sizeof(uint64_t);
}

static uint64_t *blank(size_t bytes)
{
    uint64_t *bits = base_alloc(bytes + 1);
    memset(bits, 0, bytes);
    return bits;
}

static void add_fact(const state *s, fact_groups *groups, const uint64_t *holders, int fact)
{
    size_t i = 0;
    while (i < groups->len && memcmp(groups->at[i].holders, holders, holder_bytes(s)) != 0)
        i++;
    if (i == groups->len) {
        fact_group g = {blank(holder_bytes(s)), blank(s->fact_words * sizeof(uint64_t))};
        memcpy(g.holders, holders, holder_bytes(s));
        vec_push(groups, g);
    }
    bits_add(groups->at[i].facts, fact);
}

static void find_groups(const state *s, fact_groups *groups)
{
    uint64_t *hears = blank(holder_bytes(s)), *holders = blank(holder_bytes(s));
    uint64_t *kept = blank(s->fact_words * sizeof(uint64_t));
    weaken_find_kept(s, kept);
    for (int i = 0; i < s->holders; i++)
        if (i < s->world->agent_count ? state_alive(s, i) : knows_anything(s, i))
            bits_add(hears, i);
    for (size_t word = 0; word < s->fact_words; word++)
        for (uint64_t unknown = kept[word]; unknown; unknown &= unknown - 1) {
            int fact = (int)(word * WORD_BITS) + __builtin_ctzll(unknown);
            memset(holders, 0, holder_bytes(s));
            for (int i = 0; i < s->holders; i++)
                if (bits_has(hears, i) && !state_knows(s, i, fact) &&
                    (i < s->world->agent_count || state_may_tell(s, fact)))
                    bits_add(holders, i);
            add_fact(s, groups, holders, fact);
        }
    free(hears);
    free(holders);
    free(kept);
}

static void spell_group(speller *p, const fact_group *g)
{
    spell_set(p, g->facts, p->s->world->fact_count);
    spell_literal(p, "to");
    spell_set(p, g->holders, p->s->holders);
    spell_end(p);
}

static void print_facts(speller *p)
{
    fact_groups groups = {0};
    find_groups(p->s, &groups);
    for (size_t i = 0; i < groups.len; i++) {
        (void)spell_line(p, "unknown", true);
        spell_group(p, &groups.at[i]);
        free(groups.at[i].holders);
        free(groups.at[i].facts);
    }
    vec_free(&groups);
}

static void read_facts(speller *p)
{
    size_t words = p->s->fact_words;
    uint64_t *kept = blank(words * sizeof(uint64_t));
    for (int i = 0; i < p->s->world->agent_count; i++)
        if (state_alive(p->s, i))
            state_fill(p->s, i, true);
    while (!p->wrong && spell_line(p, "unknown", true)) {
        fact_group g = {blank(holder_bytes(p->s)), blank(words * sizeof(uint64_t))};
        spell_group(p, &g);
        for (size_t word = 0; word < words; word++) {
            kept[word] |= g.facts[word];
            for (int i = 0; g.facts[word] && i < p->s->holders; i++)
                if (bits_has(g.holders, i))
                    state_holder(p->s, i)[word] &= ~g.facts[word];
        }
        free(g.holders);
        free(g.facts);
    }
    weaken_forget_but(p->s, kept);
    free(kept);
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

static void spell_things(speller *p)
{
    const world *w = p->s->world;
    spell_lines(p, "value", w->instance_count, say_value);
    spell_lines(p, "agent", w->agent_count, say_agent);
    spell_lines(p, "stage", w->stage_count, say_stage);
    spell_lines(p, "slot", w->slot_count, say_slot);
    spell_lines(p, "access", w->access_count, say_lap);
}

void spell_print(state *s, text *out)
{
    speller p = {.s = s, .out = out};
    spell_things(&p);
    print_facts(&p);
}

/* Before the first line: all have ended, nobody will ask, and whoever knows anything knows all. */
const char *spell_read(state *s, const char *lines, const char *end)
{
    speller p = {.s = s, .at = lines, .end = end};
    state_begin(s);
    for (int i = 0; i < s->world->instance_count; i++)
        s->values[i] = (state_value){.dead = true, .choice = -1};
    for (int i = 0; i < s->world->agent_count; i++)
        s->agents[i].status = STATE_DONE;
    for (int i = 0; i < s->world->slot_count; i++)
        s->copies[i].age[ABOUT_COPY] = s->copies[i].age[ABOUT_COPY_BEFORE] = 0;
    spell_things(&p);
    read_facts(&p);
    return p.wrong ? NULL : p.at;
}
