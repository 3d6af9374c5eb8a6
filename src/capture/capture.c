/* Recording: what a schedule function calls. Each call appends one step; what can be judged on the spot is
 * judged here (names, tokens, nesting), what needs the whole kernel is left to the rules. */
#include "capture/capture.h"

static const char *const verb_names[] = {
    [WW_TRY_ACQUIRE] = "try_acquire",
    [WW_ACQUIRE] = "acquire",
    [WW_COMMIT] = "commit",
    [WW_TRY_WAIT] = "try_wait",
    [WW_WAIT] = "wait",
    [WW_RELEASE] = "release",
    [WW_SYNC] = "sync",
    [WW_SYNC_ARRIVE] = "sync_arrive",
    [WW_GRIDDEP_WAIT] = "griddep_wait",
    [WW_GRIDDEP_LAUNCH] = "griddep_launch",
};

const char *capture_verb_name(ww_verb verb)
{
    return verb_names[verb];
}

ww_side capture_verb_side(ww_verb verb)
{
    return verb <= WW_COMMIT || verb == WW_SYNC_ARRIVE || verb == WW_GRIDDEP_LAUNCH ? WW_PRODUCER
                                                                                    : WW_CONSUMER;
}

void capture_step_text(const capture_step *step, text *out)
{
    switch (step->kind) {
    case CAPTURE_VERB: text_printf(out, "%s(%s)", verb_names[step->verb], step->resource->name); break;
    case CAPTURE_WORK:
        text_printf(out, "%s.%s", step->resource->name, step->work ? step->work->declared->name : "?");
        break;
    case CAPTURE_NEXT_TILE: text_printf(out, "advance_tile(%s)", step->resource->name); break;
    case CAPTURE_FETCH_TILE: text_printf(out, "fetch_tile(%s)", step->resource->name); break;
    case CAPTURE_TILE_LOOP: text_printf(out, "work_tile_loop(%s)", step->resource->name); break;
    case CAPTURE_DOMAIN_LOOP: text_add(out, "domain_loop"); break;
    case CAPTURE_GUARD: text_add(out, "guard"); break;
    case CAPTURE_END: text_add(out, "end of block"); break;
    }
}

static capture_step *append(ww_schedule *s, capture_kind kind, ww_place place)
{
    capture_step step = {.kind = kind, .place = place, .match = -1};
    vec_push(&s->steps, step);
    return vec_last(&s->steps);
}

static diag_list *diags_of(ww_schedule *s)
{
    return &s->kernel->diags;
}

/* A resource of this kernel; otherwise a diagnostic. */
static bool usable(ww_schedule *s, ww_place place, const ww_resource *r, const char *call)
{
    if (r && r->kernel == s->kernel)
        return true;
    (void)diag_add(diags_of(s), WW_BAD_VALUE, place, "task %s: %s is given %s", s->task->name, call,
                   r ? "a resource of another kernel" : "no resource");
    return false;
}

/* ---- verbs and work --------------------------------------------------------------------------------- */

/* Which verbs a kind of resource has. */
static const struct {
    model_kind kind;
    unsigned verbs; /* bits */
    const char *what;
} verbs_of[] = {
    {MODEL_NAMED_BARRIER, 1u << WW_SYNC | 1u << WW_SYNC_ARRIVE,
     "a named barrier: ww_sync and ww_sync_arrive"},
    {MODEL_ORDERED, 1u << WW_ACQUIRE | 1u << WW_COMMIT, "an ordered sequence: ww_acquire and ww_commit"},
    {MODEL_PDL_WAIT, 1u << WW_GRIDDEP_WAIT, "a wait for the predecessor grid: ww_griddep_wait"},
    {MODEL_PDL_LAUNCH, 1u << WW_GRIDDEP_LAUNCH, "a launch of the successor grid: ww_griddep_launch"},
};

enum { PIPELINE_VERBS = (1u << (WW_RELEASE + 1)) - 1 };

static void wrong_verb(ww_schedule *s, ww_place place, const ww_resource *r, ww_verb verb,
                       const char *expected)
{
    ww_diag *d = diag_add(diags_of(s), WW_NOT_PIPELINED, place, "task %s: %s on %s, which has no such verb",
                          s->task->name, verb_names[verb], r->name);
    diag_expected(diags_of(s), d, "%s", expected);
    diag_related(diags_of(s), d, r->place, "%s is declared here", r->name);
}

static bool has_verb(ww_schedule *s, ww_place place, const ww_resource *r, ww_verb verb)
{
    for (size_t i = 0; i < ARRAY_LEN(verbs_of); i++) {
        if (verbs_of[i].kind != r->kind)
            continue;
        if (verbs_of[i].verbs >> verb & 1)
            return true;
        wrong_verb(s, place, r, verb, verbs_of[i].what);
        return false;
    }
    bool piped = r->kind == MODEL_GROUP || (r->kind == MODEL_MEMORY && model_pipelined(r));
    if (piped && (unsigned)PIPELINE_VERBS >> verb & 1)
        return true;
    if (piped) {
        wrong_verb(s, place, r, verb, "a pipeline: acquire, commit, wait, release and the try_ forms");
        return false;
    }
    ww_diag *d = diag_add(diags_of(s), WW_NOT_PIPELINED, place, "task %s: %s on %s, which has no pipeline",
                          s->task->name, verb_names[verb], r->name);
    diag_related(diags_of(s), d, r->place, "%s is declared here", r->name);
    return false;
}

static bool is_verb(ww_schedule *s, ww_place place, ww_verb verb)
{
    if ((size_t)verb < ARRAY_LEN(verb_names))
        return true;
    ww_diag *d =
        diag_add(diags_of(s), WW_BAD_VALUE, place, "task %s: a verb that there is not", s->task->name);
    diag_found(diags_of(s), d, "%d", (int)verb);
    return false;
}

void ww_verb_at(ww_place place, ww_schedule *s, ww_resource *r, ww_verb verb)
{
    if (!is_verb(s, place, verb))
        return;
    if (!usable(s, place, r, verb_names[verb]) || !has_verb(s, place, r, verb))
        return;
    capture_step *step = append(s, CAPTURE_VERB, place);
    step->resource = r;
    step->verb = verb;
}

bool capture_has_verb(const ww_schedule *s, const ww_resource *r, ww_verb verb)
{
    for (size_t i = 0; i < s->steps.len; i++)
        if (s->steps.at[i].kind == CAPTURE_VERB && s->steps.at[i].verb == verb &&
            s->steps.at[i].resource == r)
            return true;
    return false;
}

static void unknown_work(ww_schedule *s, ww_place place, const ww_resource *r, const char *name)
{
    ww_diag *d =
        name ? diag_add(diags_of(s), WW_UNKNOWN_WORK, place,
                        "task %s: resource %s has no work method named \"%s\"", s->task->name, r->name, name)
             : diag_add(diags_of(s), WW_UNKNOWN_WORK, place,
                        "task %s: a call of %s without a name, and it has no single method on that side",
                        s->task->name, r->name);
    text known = {0};
    for (size_t i = 0; i < r->work.len; i++)
        text_printf(&known, "%s%s", i ? ", " : "", r->work.at[i].declared->name);
    diag_expected(diags_of(s), d, "%s", known.len ? text_str(&known) : "nothing: its work table is empty");
    text_free(&known);
    const char *near = name ? model_nearest_work(r, name) : NULL;
    if (near)
        diag_hint(diags_of(s), d, "did you mean \"%s\"?", near);
}

/* A call without a name means the side's only method; -1 when there is none, or a choice. */
static int only_work(const ww_resource *r, ww_side side)
{
    int only = -1;
    for (size_t i = 0; i < r->work.len; i++) {
        const ww_work *w = r->work.at[i].declared;
        if (w->side != side || w->auxiliary)
            continue;
        if (only >= 0)
            return -1;
        only = (int)i;
    }
    return only;
}

static const model_work *find_work(ww_schedule *s, ww_place place, const ww_resource *r, ww_side side,
                                   const char *name)
{
    int found = name ? model_find_work(r, name) : only_work(r, side);
    if (found < 0) {
        unknown_work(s, place, r, name);
        return NULL;
    }
    const model_work *w = &r->work.at[found];
    if (w->declared->side != side) {
        ww_diag *d = diag_add(diags_of(s), WW_UNKNOWN_WORK, place, "task %s: %s.%s is %s work", s->task->name,
                              r->name, w->declared->name, side == WW_CONSUMER ? "producer" : "consumer");
        diag_hint(diags_of(s), d, "call it by ww_%s", side == WW_CONSUMER ? "produce" : "consume");
    }
    return w;
}

/* Tokens carry their schedule's number, so that one of another task is not taken for one of ours. */
enum { TOKEN_BITS = 16, MOST_TOKENS = (1 << TOKEN_BITS) - 1 };

static ww_token token_of(const ww_schedule *s, int value)
{
    return (ww_token){(s->task->index + 1) << TOKEN_BITS | (value & MOST_TOKENS)};
}

/* The value that a token stands for in this schedule; 0: none. */
static int value_of(const ww_schedule *s, ww_token token)
{
    int value = token.value & MOST_TOKENS;
    bool ours = token.value >> TOKEN_BITS == s->task->index + 1;
    return ours && value >= 1 && (size_t)value <= s->values.len ? value : 0;
}

static void read_inputs(ww_schedule *s, capture_step *step, const ww_args *args)
{
    const model_work *w = step->work;
    for (int i = 0; i < WW_MAX_VALUES; i++) {
        int value = value_of(s, args->in[i]);
        if (i >= w->in_count) {
            if (args->in[i].value)
                (void)diag_add(diags_of(s), WW_BAD_TOKEN, step->place,
                               "task %s: %s.%s takes %d inputs, not more", s->task->name,
                               step->resource->name, w->declared->name, w->in_count);
            continue;
        }
        if (!value) {
            ww_diag *d =
                diag_add(diags_of(s), WW_BAD_TOKEN, step->place, "task %s: input %s of %s.%s has no value",
                         s->task->name, w->in[i].name, step->resource->name, w->declared->name);
            diag_expected(diags_of(s), d, "a token that an earlier call of this schedule made");
            continue;
        }
        step->in[i] = value;
        s->values.at[value - 1].uses++;
    }
}

static void make_outputs(ww_schedule *s, capture_step *step, const ww_args *args)
{
    const model_work *w = step->work;
    for (int i = 0; i < WW_MAX_VALUES; i++) {
        if (i < w->out_count) {
            capture_value v = {.step = (int)s->steps.len - 1, .output = i, .uses = args->out[i] ? 0 : 1};
            if (s->values.len == MOST_TOKENS) {
                ww_diag *d =
                    diag_add(diags_of(s), WW_TOO_MANY, step->place, "values of task %s", s->task->name);
                diag_expected(diags_of(s), d, "at most %d outputs of work calls", MOST_TOKENS);
            }
            vec_push(&s->values, v);
            step->out[i] = (int)s->values.len;
            if (args->out[i])
                *args->out[i] = token_of(s, step->out[i]);
        } else if (args->out[i]) {
            (void)diag_add(diags_of(s), WW_BAD_TOKEN, step->place, "task %s: %s.%s makes %d values, not more",
                           s->task->name, step->resource->name, w->declared->name, w->out_count);
        }
    }
}

static void read_constants(ww_schedule *s, capture_step *step, const ww_args *args)
{
    const model_work *w = step->work;
    memcpy(step->constants, args->constants, sizeof step->constants);
    for (int i = w->constant_count; i < WW_MAX_CONSTANTS; i++)
        if (args->constants[i]) {
            ww_diag *d = diag_add(diags_of(s), WW_BAD_VALUE, step->place, "task %s: constants of %s.%s",
                                  s->task->name, step->resource->name, w->declared->name);
            diag_expected(diags_of(s), d, "%d, as the method declares", w->constant_count);
            diag_found(diags_of(s), d, "a value for number %d", i + 1);
            return;
        }
}

void ww_work_at(ww_place place, ww_schedule *s, ww_resource *r, ww_side side, const ww_args *args)
{
    if (!usable(s, place, r, side == WW_CONSUMER ? "ww_consume" : "ww_produce"))
        return;
    const model_work *w = find_work(s, place, r, side, args->work);
    if (!w)
        return;
    capture_step *step = append(s, CAPTURE_WORK, place);
    step->resource = r;
    step->work = w;
    read_constants(s, step, args);
    read_inputs(s, step, args);
    make_outputs(s, step, args);
}

void ww_advance_tile_at(ww_place place, ww_schedule *s, ww_resource *queue)
{
    if (!usable(s, place, queue, "ww_advance_tile"))
        return;
    if (!model_is_queue(queue)) {
        (void)diag_add(diags_of(s), WW_NOT_A_QUEUE, place,
                       "task %s: ww_advance_tile on %s, which is no work queue", s->task->name, queue->name);
        return;
    }
    append(s, CAPTURE_NEXT_TILE, place)->resource = queue;
}

void ww_fetch_tile_at(ww_place place, ww_schedule *s, ww_resource *queue)
{
    if (!usable(s, place, queue, "ww_fetch_tile"))
        return;
    if (!model_is_dynamic_queue(queue)) {
        ww_diag *d = diag_add(diags_of(s), WW_NOT_A_QUEUE, place,
                              "task %s: ww_fetch_tile on %s, which is no dynamic work queue", s->task->name,
                              queue->name);
        diag_expected(diags_of(s), d, "a queue made by ww_queue_clc or ww_queue_counter");
        diag_related(diags_of(s), d, queue->place, "%s is declared here", queue->name);
        return;
    }
    append(s, CAPTURE_FETCH_TILE, place)->resource = queue;
}

/* ---- blocks ----------------------------------------------------------------------------------------- */

/* The innermost open block of a kind, or -1. */
static int open_block(const ww_schedule *s, capture_kind kind)
{
    for (size_t i = s->open.len; i-- > 0;)
        if (s->steps.at[s->open.at[i]].kind == kind)
            return s->open.at[i];
    return -1;
}

static void misplaced(ww_schedule *s, ww_place place, const char *block, const char *rule)
{
    ww_diag *d = diag_add(diags_of(s), WW_BAD_BLOCK, place, "task %s: %s stands where it may not",
                          s->task->name, block);
    diag_expected(diags_of(s), d, "%s", rule);
}

static ww_block open_step(ww_schedule *s)
{
    int step = (int)s->steps.len - 1;
    vec_push(&s->open, step);
    return (ww_block){s, step, false};
}

ww_block ww_tile_loop_open(ww_place place, ww_schedule *s, ww_resource *queue)
{
    if (!usable(s, place, queue, "ww_work_tile_loop"))
        return (ww_block){s, -1, true};
    if (!model_is_queue(queue))
        (void)diag_add(diags_of(s), WW_NOT_A_QUEUE, place,
                       "task %s: ww_work_tile_loop over %s, which is no work queue", s->task->name,
                       queue->name);
    if (s->open.len)
        misplaced(s, place, "a tile loop", "the tile loop as the outermost block");
    if (s->tile_loop_seen)
        misplaced(s, place, "a second tile loop", "one tile loop a schedule");
    s->tile_loop_seen = true;
    append(s, CAPTURE_TILE_LOOP, place)->resource = queue;
    return open_step(s);
}

static void check_bound(ww_schedule *s, ww_place place, const char *which, ww_bound *b)
{
    if (b->name)
        b->name = arena_strdup(&s->kernel->arena, b->name);
    bool known = (unsigned)b->kind <= WW_BOUND_DEVICE;
    if (b->kind != WW_BOUND_IMMEDIATE && known)
        (void)model_name_taken(s->kernel, place, "a bound of a domain loop", b->name);
    if (b->kind == WW_BOUND_IMMEDIATE || (known && b->name && *b->name))
        return;
    if (!known) {
        ww_diag *d = diag_add(diags_of(s), WW_BAD_VALUE, place, "task %s: the %s of a domain loop",
                              s->task->name, which);
        diag_expected(diags_of(s), d, "ww_imm, ww_arg or ww_device");
        diag_found(diags_of(s), d, "kind %d", (int)b->kind);
        return;
    }
    (void)diag_add(diags_of(s), WW_BAD_VALUE, place, "task %s: the %s of a domain loop has no name",
                   s->task->name, which);
}

/* A step of 0 would go on for ever. */
static void check_step(ww_schedule *s, ww_place place, const ww_bound *step)
{
    if (step->kind == WW_BOUND_IMMEDIATE && step->value == 0)
        (void)diag_add(diags_of(s), WW_BAD_VALUE, place, "task %s: a domain loop with step 0", s->task->name);
    if (step->kind != WW_BOUND_ARGUMENT || step->min >= 1)
        return;
    ww_diag *d = diag_add(diags_of(s), WW_BAD_VALUE, place,
                          "task %s: a domain loop whose step, a launch argument, may be 0", s->task->name);
    diag_expected(diags_of(s), d, "ww_arg with a least value of at least 1");
    diag_found(diags_of(s), d, "%d", step->min);
}

/* A block that skips tiles stands around, and nothing but the domain loop decides otherwise. */
static bool in_skippable(const ww_schedule *s)
{
    for (size_t i = 0; i < s->open.len; i++) {
        const capture_step *o = &s->steps.at[s->open.at[i]];
        if (o->kind == CAPTURE_GUARD && o->guard == WW_GUARD_SKIPPABLE)
            return true;
    }
    return false;
}

enum { MOST_UNROLL = 1024 };

ww_block ww_domain_loop_open(ww_place place, ww_schedule *s, ww_bound start, ww_bound end, ww_bound step,
                             int unroll)
{
    if (open_block(s, CAPTURE_DOMAIN_LOOP) >= 0)
        misplaced(s, place, "a domain loop in a domain loop", "domain loops one after the other");
    int tiles = open_block(s, CAPTURE_TILE_LOOP);
    if (tiles >= 0 && s->steps.at[tiles].resource->queue.skip && !in_skippable(s))
        misplaced(s, place, "a domain loop outside ww_skippable",
                  "ww_skippable around the domain loops, because the queue skips tiles");
    check_bound(s, place, "start", &start);
    check_bound(s, place, "end", &end);
    check_bound(s, place, "step", &step);
    check_step(s, place, &step);
    if (unroll < 0 || unroll > MOST_UNROLL) {
        ww_diag *d =
            diag_add(diags_of(s), WW_BAD_VALUE, place, "task %s: unroll of a domain loop", s->task->name);
        diag_expected(diags_of(s), d, "0 (as the compiler likes) to %d trips", MOST_UNROLL);
        diag_found(diags_of(s), d, "%d", unroll);
        unroll = 1;
    }
    capture_step *opened = append(s, CAPTURE_DOMAIN_LOOP, place);
    opened->unroll = unroll;
    opened->start = start;
    opened->end = end;
    opened->stride = step;
    return open_step(s);
}

static void check_skippable(ww_schedule *s, ww_place place)
{
    int tiles = open_block(s, CAPTURE_TILE_LOOP);
    if (tiles < 0 || !s->steps.at[tiles].resource->queue.skip)
        misplaced(s, place, "a skippable block", "a tile loop around it whose queue names a skip predicate");
    if (in_skippable(s))
        misplaced(s, place, "a skippable block in another one", "one level of ww_skippable");
}

ww_block ww_guard_open(ww_place place, ww_schedule *s, int guard)
{
    if (guard < WW_GUARD_FIRST_ITER || guard > WW_GUARD_SKIPPABLE) { /* the others have calls of their own */
        ww_diag *d = diag_add(diags_of(s), WW_BAD_VALUE, place, "task %s: kind of a guard", s->task->name);
        diag_expected(diags_of(s), d,
                      "WW_GUARD_FIRST_ITER, WW_GUARD_LAST_ITER or WW_GUARD_SKIPPABLE (ww_every, ww_when_true "
                      "and ww_when_false for the others)");
        diag_found(diags_of(s), d, "%d", guard);
        guard = WW_GUARD_FIRST_ITER;
    }
    if (guard == WW_GUARD_SKIPPABLE)
        check_skippable(s, place);
    else if (open_block(s, CAPTURE_DOMAIN_LOOP) < 0)
        misplaced(s, place, guard == WW_GUARD_FIRST_ITER ? "ww_first_iter" : "ww_last_iter",
                  "a domain loop around it");
    append(s, CAPTURE_GUARD, place)->guard = guard;
    return open_step(s);
}

ww_block ww_every_open(ww_place place, ww_schedule *s, int period, int start)
{
    if (open_block(s, CAPTURE_DOMAIN_LOOP) < 0)
        misplaced(s, place, "ww_every", "a domain loop around it");
    if (period < 1 || start < 0) {
        ww_diag *d = diag_add(diags_of(s), WW_BAD_VALUE, place, "task %s: ww_every", s->task->name);
        diag_expected(diags_of(s), d, "a period of at least 1 and a start of at least 0");
        diag_found(diags_of(s), d, "period %d, start %d", period, start);
        period = 1;
        start = 0;
    }
    capture_step *step = append(s, CAPTURE_GUARD, place);
    step->guard = WW_GUARD_EVERY;
    step->period = period;
    step->first = start;
    return open_step(s);
}

/* Only what C++ turns into a bool without a word of the author's is a condition. */
ww_block ww_when_open(ww_place place, ww_schedule *s, ww_token condition, const char *key, bool wanted)
{
    int value = value_of(s, condition);
    if (!value) {
        ww_diag *d = diag_add(diags_of(s), WW_BAD_TOKEN, place, "task %s: the condition of %s has no value",
                              s->task->name, wanted ? "ww_when_true" : "ww_when_false");
        diag_expected(diags_of(s), d, "a token that an earlier call of this schedule made");
    } else {
        s->values.at[value - 1].uses++;
    }
    capture_step *step = append(s, CAPTURE_GUARD, place);
    step->guard = wanted ? WW_GUARD_WHEN_TRUE : WW_GUARD_WHEN_FALSE;
    step->condition = value;
    step->key = key ? arena_strdup(&s->kernel->arena, key) : NULL;
    return open_step(s);
}

static void close_innermost(ww_schedule *s, ww_place place)
{
    int opened = *vec_last(&s->open);
    s->open.len--;
    capture_step *end = append(s, CAPTURE_END, place);
    end->match = opened;
    s->steps.at[opened].match = (int)s->steps.len - 1;
}

void ww_block_close(ww_place place, ww_block *block)
{
    ww_schedule *s = block->schedule;
    block->done = true;
    /* A block left by break or goto is still open above this one: report it and close it here. */
    while (s->open.len && *vec_last(&s->open) != block->step) {
        misplaced(s, s->steps.at[*vec_last(&s->open)].place, "a block that was left by break, goto or return",
                  "blocks left at their closing brace");
        close_innermost(s, place);
    }
    if (s->open.len)
        close_innermost(s, place);
}

/* ---- tasks ------------------------------------------------------------------------------------------ */

static void report_unused(ww_schedule *s)
{
    for (size_t i = 0; i < s->values.len; i++) {
        const capture_value *v = &s->values.at[i];
        const capture_step *step = &s->steps.at[v->step];
        if (!v->uses)
            (void)diag_add(diags_of(s), WW_UNUSED_VALUE, step->place,
                           "task %s: output %s of %s.%s is never used", s->task->name,
                           step->work->out[v->output].name, step->resource->name, step->work->declared->name);
    }
}

static void close_left_open(ww_schedule *s)
{
    while (s->open.len) {
        misplaced(s, s->steps.at[*vec_last(&s->open)].place, "a block that was left by break, goto or return",
                  "blocks left at their closing brace");
        close_innermost(s, s->task->place);
    }
}

void capture_task(ww_task *t)
{
    ww_schedule *s = arena_new(&t->kernel->arena, ww_schedule);
    s->kernel = t->kernel;
    s->task = t;
    t->schedule = s;
    if (t->options.schedule)
        t->options.schedule(s, t->options.context);
    close_left_open(s);
    report_unused(s);
}

ww_task *ww_task_new_at(ww_place place, ww_kernel *k, const char *name, const ww_task_options *options)
{
    ww_task *t = model_task_new(place, k, name, options);
    capture_task(t);
    return t;
}
