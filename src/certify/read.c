/* The reverse of print.c. What is read may be anything: it must not do harm, and whoever reads prints it again and compares, so
 * that there is one spelling only. */
#include "certify/state.h"

#define MOST_NUMBER (INT64_C(1) << 40)
#define MOST_TRIP (INT64_C(1) << 30)

typedef struct reader {
    state *s;
    const world *w;
    const char *at, *end;
    VEC(int) ignorant; /* who does not know the facts that are told next */
} reader;

/* ---- words --------------------------------------------------------------------------------------------- */

static size_t word_length(const reader *r)
{
    size_t n = 0;
    while (r->at + n < r->end && r->at[n] != ' ' && r->at[n] != '\n')
        n++;
    return n;
}

static void skip(reader *r, size_t n)
{
    r->at += n;
    if (r->at < r->end && *r->at == ' ')
        r->at++;
}

static bool take_word(reader *r, const char *word)
{
    size_t n = word_length(r);
    if (strlen(word) != n || memcmp(r->at, word, n) != 0)
        return false;
    skip(r, n);
    return true;
}

static bool take_number(reader *r, int64_t least, int64_t most, int64_t *number)
{
    size_t n = word_length(r), i = n && *r->at == '-';
    int64_t value = 0;
    if (n == i || n > 14)
        return false;
    for (size_t j = i; j < n; j++) {
        if (r->at[j] < '0' || r->at[j] > '9')
            return false;
        value = 10 * value + (r->at[j] - '0');
    }
    *number = i ? -value : value;
    skip(r, n);
    return *number >= least && *number <= most;
}

static bool take_int(reader *r, int least, int most, int *number)
{
    int64_t value;
    if (!take_number(r, least, most, &value))
        return false;
    *number = (int)value;
    return true;
}

static bool take_bit(reader *r, uint32_t *bit)
{
    int64_t value;
    if (!take_number(r, 0, 1, &value))
        return false;
    *bit = (uint32_t)value;
    return true;
}

static bool take_name(reader *r, name_kind kind, int *number)
{
    size_t n = word_length(r);
    *number = world_find(r->w, kind, r->at, n);
    skip(r, n);
    return *number >= 0;
}

static bool line_ends(const reader *r)
{
    return r->at < r->end && *r->at == '\n';
}

static bool take_end(reader *r)
{
    if (!line_ends(r))
        return false;
    r->at++;
    return true;
}

/* ---- values -------------------------------------------------------------------------------------------- */

static bool read_known(reader *r, state_value *v)
{
    if (take_word(r, "any")) {
        v->any = true;
        return take_word(r, "step") && take_number(r, 0, MOST_NUMBER, &v->step);
    }
    return take_word(r, "from") && take_number(r, -MOST_NUMBER, MOST_NUMBER, &v->from) &&
           take_word(r, "every") && take_number(r, 0, MOST_NUMBER, &v->every) && take_word(r, "step") &&
           take_number(r, 0, MOST_NUMBER, &v->step);
}

static bool read_choice(reader *r, state_value *v)
{
    v->choice = take_word(r, "yes") ? 1 : take_word(r, "no") ? 0 : -1;
    return v->choice >= 0 || take_word(r, "open");
}

static bool read_turn(reader *r, int value, int64_t tile)
{
    int64_t turn;
    if (!take_word(r, "turn") || !take_number(r, -MOST_NUMBER, MOST_NUMBER, &turn))
        return false;
    state_value *v = &r->s->values[turn_instance(r->w, value, tile, turn)];
    *v = (state_value){.turn = turn};
    return read_choice(r, v);
}

/* The newest tile is -1, the one before -2. */
static bool read_value(reader *r)
{
    int number;
    if (!take_int(r, 0, (int)r->w->values.len - 1, &number))
        return false;
    const world_value *of = &r->w->values.at[number];
    int64_t tile = -1;
    if (value_of_tile(of) && !take_word(r, "newest")) {
        tile = -2;
        if (!take_word(r, "before"))
            return false;
    }
    if (of->of_trip)
        return read_turn(r, number, tile);
    state_value *v = &r->s->values[value_instance(r->w, number, tile)];
    *v = (state_value){.choice = -1};
    return value_is_choice(of) ? read_choice(r, v) : read_known(r, v);
}

/* ---- agents -------------------------------------------------------------------------------------------- */

static bool read_group(reader *r, int agent, group_kind kind)
{
    int *count = &r->s->agents[agent].groups[kind], slot;
    if (*count == MOST_OPEN_GROUPS || !take_word(r, "("))
        return false;
    while (!take_word(r, ")")) {
        if (!take_name(r, NAME_SLOT, &slot))
            return false;
        state_group(r->s, agent, kind, *count)[slot / 32] |= 1u << (slot % 32);
    }
    ++*count;
    return true;
}

static bool read_groups(reader *r, int agent)
{
    for (;;)
        if (take_word(r, "wgmma")) {
            if (!read_group(r, agent, GROUPS_WGMMA))
                return false;
        } else if (take_word(r, "bulk")) {
            if (!read_group(r, agent, GROUPS_BULK))
                return false;
        } else {
            return true;
        }
}

static bool read_loop(reader *r, int agent)
{
    state_agent *a = &r->s->agents[agent];
    const world_op *loop = state_loop(r->s, agent);
    if (!take_word(r, "trip"))
        return true;
    if (!loop || !take_number(r, 0, MOST_TRIP, &a->trip))
        return false;
    a->in_loop = true;
    a->mode = take_word(r, "from") ? TRIP_FROM : take_word(r, "left") ? TRIP_LEFT : TRIP_COUNTED;
    if (a->mode != TRIP_COUNTED && !take_number(r, -MOST_NUMBER, MOST_NUMBER, &a->distance))
        return false;
    return !take_word(r, "turn") || take_number(r, -MOST_NUMBER, MOST_NUMBER, &a->turn);
}

static bool read_cursor(reader *r, int agent, int cursor)
{
    state_cursor *c = state_cursor_of(r->s, agent, cursor);
    int most = world_task_of(r->w, agent)->cursors.at[cursor].stages - 1;
    return take_word(r, "cursor") && take_int(r, 0, most, &c->slot) &&
           take_number(r, -MOST_NUMBER, MOST_NUMBER, &c->lap) && take_bit(r, &c->parity) &&
           take_int(r, 0, most, &c->held) && take_number(r, -MOST_NUMBER, MOST_NUMBER, &c->held_lap);
}

static bool read_probe(reader *r, int agent)
{
    int probes = world_task_of(r->w, agent)->status_count, number;
    if (!take_int(r, 0, probes - 1, &number))
        return false;
    state_probe *p = &r->s->probes[r->w->agents[agent].first_probe + number];
    return take_name(r, NAME_STAGE, &p->stage) && take_bit(r, &p->parity) && take_int(r, 0, 2, &p->behind);
}

static bool read_living(reader *r, int agent)
{
    state_agent *a = &r->s->agents[agent];
    const world_task *t = &r->w->tasks[r->w->agents[agent].task];
    if (!take_word(r, "pc") || !take_int(r, 0, t->count - 1, &a->pc))
        return false;
    a->status = take_word(r, "waits") ? STATE_WAITS : STATE_ASKS;
    if (a->status == STATE_WAITS ? !take_name(r, NAME_STAGE, &a->stage) : !take_word(r, "asks"))
        return false;
    if (!read_loop(r, agent))
        return false;
    if (take_word(r, "tile") && !take_number(r, -MOST_NUMBER, MOST_NUMBER, &a->tile))
        return false;
    for (int i = 0; i < (int)t->task->cursors.len; i++)
        if (!read_cursor(r, agent, i))
            return false;
    while (take_word(r, "probe"))
        if (!read_probe(r, agent))
            return false;
    return true;
}

static bool read_agent(reader *r)
{
    int agent;
    if (!take_name(r, NAME_AGENT, &agent) || r->w->agents[agent].is_pipe || !read_groups(r, agent))
        return false;
    return take_word(r, "done") || read_living(r, agent);
}

/* ---- stages -------------------------------------------------------------------------------------------- */

static bool read_stage_word(reader *r, int stage)
{
    static const char *const mutes[] = {"mute", "mute-last", "mute-before"};
    state_stage *b = &r->s->stages[stage];
    int64_t number;
    for (int age = 0; age < 3; age++)
        if (take_word(r, mutes[age]))
            return b->mute[age] = true;
    if (take_word(r, "odd"))
        return (b->count = 1);
    if (take_word(r, "begun"))
        return b->begun = true;
    if (take_word(r, "engines"))
        return b->engines[0] = true;
    if (take_word(r, "engines-last"))
        return b->engines[1] = true;
    if (take_word(r, "bytes"))
        return take_number(r, -MOST_NUMBER, MOST_NUMBER, &b->bytes);
    if (take_word(r, "lead"))
        return take_number(r, -MOST_NUMBER, MOST_NUMBER, &b->lead);
    if (take_word(r, "unseen")) {
        b->seen = false;
        return true;
    }
    if (!take_word(r, "pending") || !take_number(r, 0, UINT32_MAX, &number))
        return false;
    b->pending = (uint32_t)number;
    return true;
}

static bool read_stage(reader *r)
{
    int stage;
    if (!take_name(r, NAME_STAGE, &stage))
        return false;
    while (!line_ends(r))
        if (!read_stage_word(r, stage))
            return false;
    return true;
}

static bool read_gone(reader *r)
{
    int slot;
    return take_name(r, NAME_SLOT, &slot) && (r->s->gone[slot] = true);
}

/* ---- facts --------------------------------------------------------------------------------------------- */

static bool read_unknown(reader *r)
{
    r->ignorant.len = 0;
    if (!take_word(r, "to"))
        return false;
    while (!line_ends(r)) {
        bool gathered = take_word(r, "gathered"), told = !gathered && take_word(r, "told");
        int number;
        if (!take_name(r, gathered || told ? NAME_STAGE : NAME_AGENT, &number))
            return false;
        number = gathered ? holder_gathered(r->s, number) : told ? holder_done(r->s, number) : number;
        vec_push(&r->ignorant, number);
    }
    return true;
}

static bool is_missing(reader *r, int fact)
{
    for (size_t i = 0; i < r->ignorant.len; i++)
        state_holder(r->s, r->ignorant.at[i])[fact / 64] &= ~(UINT64_C(1) << (fact % 64));
    return true;
}

static bool may_access(const world *w, int slot, int agent)
{
    int place = agent - w->slots[slot].first_agent;
    return place >= 0 && place < w->slots[slot].agents;
}

static bool read_access(reader *r, about_slot kind)
{
    int slot, agent;
    if (!take_name(r, NAME_SLOT, &slot) || !take_name(r, NAME_AGENT, &agent) ||
        !may_access(r->w, slot, agent))
        return false;
    if (take_word(r, "lap") && !take_number(r, -MOST_NUMBER, MOST_NUMBER, state_lap(r->s, slot, agent)))
        return false;
    return is_missing(r, access_fact(r->w, slot, kind, agent));
}

static bool read_copy(reader *r, int kind)
{
    int slot;
    if (!take_name(r, NAME_SLOT, &slot))
        return false;
    state_copy *c = &r->s->copies[slot];
    if (c->stage < 0)
        *c = (state_copy){.age = {3, 3}};
    if (!take_name(r, NAME_STAGE, &c->stage) || !take_word(r, "age") || !take_int(r, 0, 3, &c->age[kind]) ||
        !take_word(r, "lap") || !take_number(r, -MOST_NUMBER, MOST_NUMBER, &c->lap))
        return false;
    c->whole = take_word(r, "whole");
    return is_missing(r, copy_fact(r->w, slot, kind));
}

static bool read_phase(reader *r, int kind)
{
    int stage;
    return take_name(r, NAME_STAGE, &stage) && is_missing(r, stage_fact(r->w, stage, kind));
}

static bool read_of_warp(reader *r, about_stage kind)
{
    int stage, agent;
    if (!take_name(r, NAME_STAGE, &stage) || !take_name(r, NAME_AGENT, &agent))
        return false;
    const world_agent *a = &r->w->agents[agent];
    if (a->is_pipe || a->rank != r->w->stages[stage].rank)
        return false;
    *(kind == ABOUT_WAIT ? state_wait(r->s, stage, a->place)
                         : state_told(r->s, stage, (int)kind - ABOUT_TOLD, a->place)) = true;
    return is_missing(r, warp_fact(r->w, stage, kind, a->place));
}

static bool read_last(reader *r)
{
    int agent;
    return take_name(r, NAME_AGENT, &agent) && r->w->agents[agent].is_pipe &&
           is_missing(r, r->w->agents[agent].last_fact);
}

static bool read_fact(reader *r)
{
    static const struct {
        const char *word;
        bool (*read)(reader *, int);
        int kind;
    } phases[] = {{"phase", read_phase, ABOUT_LAST_PHASE},
                  {"phase-before", read_phase, ABOUT_PHASE_BEFORE},
                  {"copy", read_copy, ABOUT_COPY},
                  {"copy-before", read_copy, ABOUT_COPY_BEFORE}};
    static const char *const accesses[] = {[ABOUT_WRITE] = "write",
                                           [ABOUT_WRITE_BEFORE] = "write-before",
                                           [ABOUT_READ] = "read",
                                           [ABOUT_WGMMA] = "wgmma",
                                           [ABOUT_BULK] = "bulk",
                                           [ABOUT_FENCED_WRITE] = "fenced-write",
                                           [ABOUT_FENCED_WRITE_BEFORE] = "fenced-write-before",
                                           [ABOUT_FENCED_READ] = "fenced-read",
                                           [ABOUT_CLEAR_WRITE] = "clear-write",
                                           [ABOUT_CLEAR_WRITE_BEFORE] = "clear-write-before",
                                           [ABOUT_CLEAR_READ] = "clear-read"};
    static const char *const warps[] = {[ABOUT_WAIT] = "wait",
                                        [ABOUT_TOLD] = "told",
                                        [ABOUT_TOLD_1] = "told-last",
                                        [ABOUT_TOLD_2] = "told-before"};
    for (size_t i = 0; i < ARRAY_LEN(phases); i++)
        if (take_word(r, phases[i].word))
            return phases[i].read(r, phases[i].kind);
    for (size_t i = 0; i < ARRAY_LEN(accesses); i++)
        if (take_word(r, accesses[i]))
            return read_access(r, (about_slot)i);
    for (size_t i = 0; i < ARRAY_LEN(warps); i++)
        if (take_word(r, warps[i]))
            return read_of_warp(r, (about_stage)i);
    return take_word(r, "last") && read_last(r);
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

static bool read_line(reader *r)
{
    bool right = take_word(r, "value")     ? read_value(r)
                 : take_word(r, "agent")   ? read_agent(r)
                 : take_word(r, "stage")   ? read_stage(r)
                 : take_word(r, "gone")    ? read_gone(r)
                 : take_word(r, "unknown") ? read_unknown(r)
                                           : read_fact(r);
    return right && take_end(r);
}

/* Before the first line: all have ended, nobody will ask, and whoever knows anything knows all. */
static void begin(const reader *r)
{
    state *s = r->s;
    state_begin(s);
    for (int i = 0; i < r->w->instance_count; i++)
        s->values[i].dead = true;
    for (int i = 0; i < r->w->agent_count; i++)
        s->agents[i].status = STATE_DONE;
    for (int i = 0; i < s->holders; i++)
        state_fill(s, i, i >= r->w->agent_count || !r->w->agents[i].is_pipe);
}

/* A pipe knows of its own work alone. */
static void tell_pipe(const reader *r, int pipe)
{
    for (int slot = 0; slot < r->w->slot_count; slot++)
        for (int kind = 0; may_access(r->w, slot, pipe) && kind < ABOUT_OWN_KINDS; kind++)
            state_learn(r->s, pipe, access_fact(r->w, slot, (about_slot)kind, pipe));
    state_learn(r->s, pipe, r->w->agents[pipe].last_fact);
}

static bool tells_something(const reader *r, int stage)
{
    for (int i = 0; i < r->w->agent_count; i++)
        if (state_alive(r->s, i) && world_acts(r->w, i, stage, MAY_WAIT) &&
            !state_knows(r->s, i, stage_fact(r->w, stage, ABOUT_LAST_PHASE)))
            return true;
    return false;
}

/* Those of whom nothing was said know nothing that could be of use. */
static void finish(const reader *r)
{
    for (int i = 0; i < r->w->agent_count; i++)
        if (r->w->agents[i].is_pipe)
            tell_pipe(r, i);
        else if (!state_alive(r->s, i))
            state_fill(r->s, i, false);
    for (int i = 0; i < r->w->stage_count; i++) {
        if (!r->s->stages[i].begun)
            state_fill(r->s, holder_gathered(r->s, i), false);
        if (!tells_something(r, i))
            state_fill(r->s, holder_done(r->s, i), false);
        for (size_t word = 0; word < r->s->fact_words; word++) {
            state_holder(r->s, holder_gathered(r->s, i))[word] &= r->s->told_of[word];
            state_holder(r->s, holder_done(r->s, i))[word] &= r->s->told_of[word];
        }
    }
}

bool state_read(state *s, const char *lines, size_t length)
{
    reader r = {s, s->world, lines, lines + length};
    begin(&r);
    bool right = true;
    while (right && r.at < r.end)
        right = read_line(&r);
    vec_free(&r.ignorant);
    finish(&r);
    return right;
}
