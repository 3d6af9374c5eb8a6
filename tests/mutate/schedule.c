/* Schedules as lists of calls: recorded from the author's function, edited, and made.
 *
 * Because the calls are made anew, the library sees a mutant's schedule as if its author had written it: a value that is
 * used before it is made is a token without a value, a block that has moved is opened where it is now. */
#include "schedule.h"
#include "capture/capture.h"
#include "mutate.h"

enum { MOST_TOKENS = 512, FARTHEST_MOVE = 3 };

typedef enum call_kind {
    CALL_VERB,
    CALL_WORK,
    CALL_ADVANCE,
    CALL_FETCH,
    CALL_TILES,
    CALL_LOOP,
    CALL_GUARD,
    CALL_EVERY,
    CALL_WHEN,
    CALL_CLOSE,
} call_kind;

typedef struct call {
    call_kind kind;
    ww_place place;
    ww_resource *resource;
    ww_verb verb;
    ww_side side;
    const char *work;
    int in[WW_MAX_VALUES], out[WW_MAX_VALUES]; /* tokens of this list; 0: none */
    int constants[WW_MAX_CONSTANTS];
    ww_bound start, end, stride;
    int unroll, guard, period, first;
    int condition;
    const char *key;
    bool wanted;
} call;

typedef VEC(call) call_list;

/* The list being recorded. Schedule functions get a ww_schedule of the library's, which has no room for ours. */
static struct {
    call_list calls;
    int tokens;
} recording;

/* ---- recording ------------------------------------------------------------------------------------------ */

static call *add_call(call_kind kind, ww_place place, ww_resource *r)
{
    call c = {.kind = kind, .place = place, .resource = r};
    vec_push(&recording.calls, c);
    return vec_last(&recording.calls);
}

void mutate_verb_at(ww_place place, ww_schedule *s, ww_resource *r, ww_verb verb)
{
    (void)s;
    add_call(CALL_VERB, place, r)->verb = verb;
}

void mutate_work_at(ww_place place, ww_schedule *s, ww_resource *r, ww_side side, const ww_args *args)
{
    (void)s;
    call *c = add_call(CALL_WORK, place, r);
    c->side = side;
    c->work = args->work;
    memcpy(c->constants, args->constants, sizeof c->constants);
    for (int i = 0; i < WW_MAX_VALUES; i++) {
        c->in[i] = args->in[i].value;
        if (!args->out[i])
            continue;
        c->out[i] = ++recording.tokens;
        args->out[i]->value = c->out[i];
    }
}

void mutate_advance_tile_at(ww_place place, ww_schedule *s, ww_resource *queue)
{
    (void)s;
    (void)add_call(CALL_ADVANCE, place, queue);
}

void mutate_fetch_tile_at(ww_place place, ww_schedule *s, ww_resource *queue)
{
    (void)s;
    (void)add_call(CALL_FETCH, place, queue);
}

static ww_block opened(ww_schedule *s)
{
    return (ww_block){.schedule = s, .step = (int)recording.calls.len - 1};
}

ww_block mutate_tile_loop_open(ww_place place, ww_schedule *s, ww_resource *queue)
{
    (void)add_call(CALL_TILES, place, queue);
    return opened(s);
}

ww_block mutate_domain_loop_open(ww_place place, ww_schedule *s, ww_bound start, ww_bound end, ww_bound step,
                                 int unroll)
{
    call *c = add_call(CALL_LOOP, place, NULL);
    c->start = start;
    c->end = end;
    c->stride = step;
    c->unroll = unroll;
    return opened(s);
}

ww_block mutate_guard_open(ww_place place, ww_schedule *s, int guard)
{
    add_call(CALL_GUARD, place, NULL)->guard = guard;
    return opened(s);
}

ww_block mutate_every_open(ww_place place, ww_schedule *s, int period, int start)
{
    call *c = add_call(CALL_EVERY, place, NULL);
    c->period = period;
    c->first = start;
    return opened(s);
}

ww_block mutate_when_open(ww_place place, ww_schedule *s, ww_token condition, const char *key, bool wanted)
{
    call *c = add_call(CALL_WHEN, place, NULL);
    c->condition = condition.value;
    c->key = key;
    c->wanted = wanted;
    return opened(s);
}

void mutate_block_close(ww_place place, ww_block *block)
{
    (void)add_call(CALL_CLOSE, place, NULL);
    block->done = true;
}

/* ---- the list ------------------------------------------------------------------------------------------- */

static bool opens(const call *c)
{
    return c->kind >= CALL_TILES && c->kind < CALL_CLOSE;
}

/* The last call of the piece that begins with call i: itself, or the end of its block. */
static size_t piece_end(const call_list *l, size_t i)
{
    int depth = 0;
    for (size_t j = i; j < l->len; j++) {
        depth += opens(&l->at[j]);
        depth -= l->at[j].kind == CALL_CLOSE;
        if (depth == 0)
            return j;
    }
    return i;
}

static void take_out(call_list *l, size_t first, size_t last)
{
    memmove(&l->at[first], &l->at[last + 1], (l->len - last - 1) * sizeof *l->at);
    l->len -= last + 1 - first;
}

static void put_in(call_list *l, size_t at, call c)
{
    vec_push(l, c);
    memmove(&l->at[at + 1], &l->at[at], (l->len - 1 - at) * sizeof *l->at);
    l->at[at] = c;
}

static void repeat(call_list *l, size_t first, size_t last)
{
    size_t count = last + 1 - first;
    for (size_t i = 0; i < count; i++) {
        call c = l->at[first + i];
        put_in(l, last + 1 + i, c);
    }
}

static void move(call_list *l, size_t from, size_t to)
{
    call c = l->at[from];
    take_out(l, from, from);
    put_in(l, to, c);
}

/* Puts the piece that begins at i behind the one that follows it. */
static void swap_pieces(call_list *l, size_t i)
{
    size_t first_end = piece_end(l, i), second_end = piece_end(l, first_end + 1);
    for (size_t j = first_end + 1; j <= second_end; j++)
        move(l, j, i + (j - first_end - 1));
}

/* ---- what a call is called ------------------------------------------------------------------------------ */

static const char *const block_names[] = {[CALL_ADVANCE] = "advance_tile",
                                          [CALL_FETCH] = "fetch_tile",
                                          [CALL_TILES] = "tile loop",
                                          [CALL_LOOP] = "domain loop",
                                          [CALL_GUARD] = "guard",
                                          [CALL_EVERY] = "every",
                                          [CALL_WHEN] = "when",
                                          [CALL_CLOSE] = "end of block"};

typedef struct call_name {
    char at[96];
} call_name;

static call_name name_of(const call_list *l, size_t i)
{
    const call *c = &l->at[i];
    call_name n;
    if (c->kind == CALL_VERB)
        (void)snprintf(n.at, sizeof n.at, "%zu %s(%s)", i, capture_verb_name(c->verb), c->resource->name);
    else if (c->kind == CALL_WORK)
        (void)snprintf(n.at, sizeof n.at, "%zu %s.%s", i, c->resource->name, c->work ? c->work : "work");
    else
        (void)snprintf(n.at, sizeof n.at, "%zu %s", i, block_names[c->kind]);
    return n;
}

/* ---- edits: order --------------------------------------------------------------------------------------- */

static void edit_presence(call_list *l, size_t i, const char *task)
{
    size_t end = piece_end(l, i);
    call_name n = name_of(l, i);
    if (mutate_here("%s: drop %s", task, n.at))
        take_out(l, i, end);
    else if (mutate_here("%s: repeat %s", task, n.at))
        repeat(l, i, end);
    else if (end > i && mutate_here("%s: without the block of %s", task, n.at)) {
        take_out(l, end, end);
        take_out(l, i, i);
    }
}

static void edit_order(call_list *l, size_t i, const char *task)
{
    call_name n = name_of(l, i);
    if (opens(&l->at[i])) {
        size_t next = piece_end(l, i) + 1;
        if (next < l->len && l->at[next].kind != CALL_CLOSE &&
            mutate_here("%s: swap %s and what follows it", task, n.at))
            swap_pieces(l, i);
        return;
    }
    for (size_t by = 1; by <= FARTHEST_MOVE; by++) {
        if (i + by < l->len && mutate_here("%s: move %s by +%zu", task, n.at, by)) {
            move(l, i, i + by);
            return;
        }
        if (i >= by && by > 1 && mutate_here("%s: move %s by -%zu", task, n.at, by)) {
            move(l, i, i - by);
            return;
        }
    }
}

/* ---- edits: operands ------------------------------------------------------------------------------------ */

static void edit_verb(call *c, const schedule_source *s, const char *name)
{
    static const struct {
        ww_verb from, to;
    } others[] = {{WW_ACQUIRE, WW_WAIT},       {WW_WAIT, WW_ACQUIRE},        {WW_COMMIT, WW_RELEASE},
                  {WW_RELEASE, WW_COMMIT},     {WW_SYNC, WW_SYNC_ARRIVE},    {WW_SYNC_ARRIVE, WW_SYNC},
                  {WW_WAIT, WW_TRY_WAIT},      {WW_ACQUIRE, WW_TRY_ACQUIRE}, {WW_TRY_WAIT, WW_WAIT},
                  {WW_TRY_ACQUIRE, WW_ACQUIRE}};
    ww_verb verb = c->verb;
    for (size_t i = 0; i < ARRAY_LEN(others); i++)
        if (verb == others[i].from &&
            mutate_here("%s: %s becomes %s", s->task, name, capture_verb_name(others[i].to)))
            c->verb = others[i].to;
    ww_resource *now = c->resource;
    for (size_t i = 0; i < s->kernel->resources.len; i++) {
        ww_resource *r = s->kernel->resources.at[i];
        bool fits = model_pipelined(r) || model_is_barrier(r);
        if (r != now && fits && !model_is_queue(r) && mutate_here("%s: %s on %s", s->task, name, r->name))
            c->resource = r;
    }
}

static void edit_bound(ww_bound *b, const char *task, const char *name, const char *what)
{
    if (b->kind == WW_BOUND_IMMEDIATE) {
        if (mutate_here("%s: %s %s %d + 1", task, name, what, b->value))
            b->value++;
        else if (mutate_here("%s: %s %s %d - 1", task, name, what, b->value))
            b->value--;
        return;
    }
    if (mutate_here("%s: %s %s at least %d", task, name, what, b->min + 1))
        b->min++;
    else if (b->min > 0 && mutate_here("%s: %s %s at least %d", task, name, what, b->min - 1))
        b->min--;
    else if (mutate_here("%s: %s %s always 4", task, name, what))
        *b = ww_imm(4);
}

static void edit_guard(call *c, const char *task, const char *name)
{
    for (int guard = WW_GUARD_FIRST_ITER; guard <= WW_GUARD_SKIPPABLE; guard++)
        if (guard != c->guard && mutate_here("%s: %s of kind %d for %d", task, name, guard, c->guard)) {
            c->guard = guard;
            return;
        }
}

static void edit_every(call *c, const char *task, const char *name)
{
    if (mutate_here("%s: %s period %d + 1", task, name, c->period))
        c->period++;
    else if (mutate_here("%s: %s period %d - 1", task, name, c->period))
        c->period--;
    else if (mutate_here("%s: %s first %d + 1", task, name, c->first))
        c->first++;
}

static void edit_when(call *c, const char *task, const char *name)
{
    if (mutate_here("%s: %s the other way round", task, name))
        c->wanted = !c->wanted;
    else if (c->key && mutate_here("%s: %s without its key", task, name))
        c->key = NULL;
    else if (c->key && mutate_here("%s: %s with another key", task, name))
        c->key = "another";
}

static void edit_operands(call *c, const schedule_source *s, const char *name)
{
    switch (c->kind) {
    case CALL_VERB: edit_verb(c, s, name); break;
    case CALL_GUARD: edit_guard(c, s->task, name); break;
    case CALL_EVERY: edit_every(c, s->task, name); break;
    case CALL_WHEN: edit_when(c, s->task, name); break;
    case CALL_LOOP:
        edit_bound(&c->start, s->task, name, "start");
        edit_bound(&c->end, s->task, name, "end");
        edit_bound(&c->stride, s->task, name, "step");
        break;
    default: break;
    }
}

static void edit_list(call_list *l, const schedule_source *s)
{
    for (size_t i = 0; i < l->len; i++) {
        if (l->at[i].kind == CALL_CLOSE)
            continue;
        call_name n = name_of(l, i);
        edit_operands(&l->at[i], s, n.at);
        edit_order(l, i, s->task);
        if (l->at[i].kind != CALL_CLOSE)
            edit_presence(l, i, s->task);
    }
}

/* ---- making the calls ----------------------------------------------------------------------------------- */

typedef struct replay {
    ww_schedule *schedule;
    ww_token tokens[MOST_TOKENS + 1]; /* of the library, by those of the list; 0-initialised until made */
    VEC(ww_block) open;
} replay;

static void make_work(replay *r, const call *c)
{
    ww_args args = {.work = c->work};
    memcpy(args.constants, c->constants, sizeof args.constants);
    for (int i = 0; i < WW_MAX_VALUES; i++) {
        args.in[i] = r->tokens[c->in[i]];
        args.out[i] = c->out[i] ? &r->tokens[c->out[i]] : NULL;
    }
    ww_work_at(c->place, r->schedule, c->resource, c->side, &args);
}

static void make_block(replay *r, const call *c)
{
    ww_block b = {0};
    ww_schedule *s = r->schedule;
    switch (c->kind) {
    case CALL_TILES: b = ww_tile_loop_open(c->place, s, c->resource); break;
    case CALL_LOOP: b = ww_domain_loop_open(c->place, s, c->start, c->end, c->stride, c->unroll); break;
    case CALL_GUARD: b = ww_guard_open(c->place, s, c->guard); break;
    case CALL_EVERY: b = ww_every_open(c->place, s, c->period, c->first); break;
    default: b = ww_when_open(c->place, s, r->tokens[c->condition], c->key, c->wanted); break;
    }
    vec_push(&r->open, b);
}

static void make_call(replay *r, const call *c)
{
    switch (c->kind) {
    case CALL_VERB: ww_verb_at(c->place, r->schedule, c->resource, c->verb); break;
    case CALL_WORK: make_work(r, c); break;
    case CALL_ADVANCE: ww_advance_tile_at(c->place, r->schedule, c->resource); break;
    case CALL_FETCH: ww_fetch_tile_at(c->place, r->schedule, c->resource); break;
    case CALL_CLOSE:
        ww_block_close(c->place, vec_last(&r->open));
        r->open.len--;
        break;
    default: make_block(r, c); break;
    }
}

void schedule_replay(ww_schedule *s, void *context)
{
    const schedule_source *source = context;
    replay *r = base_alloc(sizeof *r);
    *r = (replay){.schedule = s};
    recording.calls.len = 0;
    recording.tokens = 0;
    source->schedule(s, source->context);
    edit_list(&recording.calls, source);
    for (size_t i = 0; i < recording.calls.len && recording.tokens <= MOST_TOKENS; i++)
        make_call(r, &recording.calls.at[i]);
    vec_free(&r->open);
    vec_free(&recording.calls);
    free(r);
}

/* The hooks must keep the faces of the calls that they stand for. */
#define SAME_FACE(call)                                                                                      \
    _Static_assert(_Generic(&mutate_##call, __typeof__(&ww_##call) : 1), "face of ww_" #call)
SAME_FACE(verb_at);
SAME_FACE(work_at);
SAME_FACE(advance_tile_at);
SAME_FACE(fetch_tile_at);
SAME_FACE(tile_loop_open);
SAME_FACE(domain_loop_open);
SAME_FACE(guard_open);
SAME_FACE(every_open);
SAME_FACE(when_open);
SAME_FACE(block_close);
