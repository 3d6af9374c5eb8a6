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
static bool usable(ww_schedule *s, ww_place place, ww_resource *r, const char *call)
{
    if (r && r->kernel == s->kernel) {
        if (s->task->index < WW_MAX_TASKS)
            r->named_by |= 1u << s->task->index;
        return true;
    }
    ww_diag *d = diag_add(diags_of(s), WW_BAD_VALUE, place, "task %s: %s is given %s", s->task->name, call,
                          r ? "a resource of another kernel" : "no resource");
    diag_texts(diags_of(s), d, "a resource declared on the task's kernel",
               r ? arena_printf(diags_of(s)->arena, "%s of kernel %s", r->name, r->kernel->name) : "NULL",
               "pass what ww_resource_new (or its like) of this kernel returned");
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
    diag_found(diags_of(s), d, "ww_%s", verb_names[verb]);
    diag_hint(diags_of(s), d, "a verb that %s has, or the resource that the verb was meant for", r->name);
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
    diag_texts(diags_of(s), d, "a resource with a pipeline", model_is_queue(r) ? "a work queue" : "none",
               model_is_queue(r) ? "ww_advance_tile, or ww_fetch_tile in the scheduler"
                                 : "give the resource a .pipeline, or leave the verb out");
    diag_related(diags_of(s), d, r->place, "%s is declared here", r->name);
    return false;
}

static bool is_verb(ww_schedule *s, ww_place place, ww_verb verb)
{
    if ((size_t)verb < ARRAY_LEN(verb_names))
        return true;
    ww_diag *d =
        diag_add(diags_of(s), WW_BAD_VALUE, place, "task %s: a verb that there is not", s->task->name);
    diag_expected(diags_of(s), d, "a ww_verb, up to %d", (int)ARRAY_LEN(verb_names) - 1);
    diag_found(diags_of(s), d, "%d", (int)verb);
    diag_hint(diags_of(s), d, "call ww_acquire, ww_commit and their like, not ww_verb_at");
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
    if (name)
        diag_found(diags_of(s), d, "\"%s\"", name);
    else
        diag_found(diags_of(s), d, "no name");
    const char *near = name ? model_nearest_work(r, name) : NULL;
    if (near)
        diag_hint(diags_of(s), d, "did you mean \"%s\"?", near);
    else
        diag_hint(diags_of(s), d, "a row for it in the work table of %s, or one of the names there", r->name);
    diag_related(diags_of(s), d, r->place, "%s is declared here", r->name);
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
        diag_expected(diags_of(s), d, "ww_%s", side == WW_CONSUMER ? "produce" : "consume");
        diag_found(diags_of(s), d, "ww_%s", side == WW_CONSUMER ? "consume" : "produce");
        diag_hint(diags_of(s), d, "call it by ww_%s", side == WW_CONSUMER ? "produce" : "consume");
        diag_related(diags_of(s), d, r->place, "%s is declared here", r->name);
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

static void too_many_values(ww_schedule *s, const capture_step *step, const char *what, int declared,
                            int given)
{
    ww_diag *d = diag_add(diags_of(s), WW_BAD_TOKEN, step->place, "task %s: %s.%s has %d %s%s, not more",
                          s->task->name, step->resource->name, step->work->declared->name, declared, what,
                          declared == 1 ? "" : "s");
    diag_expected(diags_of(s), d, "%d, as the work table of %s says", declared, step->resource->name);
    diag_found(diags_of(s), d, "a token for %s %d", what, given + 1);
    diag_hint(diags_of(s), d, "leave it out, or add it to the row of %s", step->work->declared->name);
    diag_related(diags_of(s), d, step->resource->place, "%s is declared here", step->resource->name);
}

static void no_value(ww_schedule *s, ww_diag *d, const char *type, const char *name)
{
    diag_expected(diags_of(s), d, "a token that an earlier call of this schedule made");
    diag_found(diags_of(s), d, "a ww_token that no call has filled, or one of another schedule");
    diag_hint(diags_of(s), d, "before it, work with .out = {&%s} that computes the %s", name, type);
}

static void read_inputs(ww_schedule *s, capture_step *step, const ww_args *args)
{
    const model_work *w = step->work;
    for (int i = 0; i < WW_MAX_VALUES; i++) {
        int value = value_of(s, args->in[i]);
        if (i >= w->in_count) {
            if (args->in[i].value)
                too_many_values(s, step, "input", w->in_count, i);
            continue;
        }
        if (!value) {
            ww_diag *d =
                diag_add(diags_of(s), WW_BAD_TOKEN, step->place, "task %s: input %s of %s.%s has no value",
                         s->task->name, w->in[i].name, step->resource->name, w->declared->name);
            no_value(s, d, w->in[i].type, w->in[i].name);
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
                diag_found(diags_of(s), d, "more");
                diag_hint(diags_of(s), d, "a domain loop in place of a C loop that records every trip");
            }
            vec_push(&s->values, v);
            step->out[i] = (int)s->values.len;
            if (args->out[i])
                *args->out[i] = token_of(s, step->out[i]);
        } else if (args->out[i]) {
            too_many_values(s, step, "output", w->out_count, i);
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
            diag_hint(diags_of(s), d, "leave it out, or add \"int name\" to .constants of the work");
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

static void not_a_queue(ww_schedule *s, ww_place place, const ww_resource *r, const char *call)
{
    ww_diag *d = diag_add(diags_of(s), WW_NOT_A_QUEUE, place, "task %s: %s %s, which is no work queue",
                          s->task->name, call, r->name);
    diag_expected(diags_of(s), d, "a queue made by ww_queue_static, ww_queue_clc or ww_queue_counter");
    diag_found(diags_of(s), d, "%s",
               model_is_barrier(r) ? "a barrier or group" : "a resource with memory or work");
    diag_hint(diags_of(s), d, "pass the kernel's work queue");
    diag_related(diags_of(s), d, r->place, "%s is declared here", r->name);
}

void ww_advance_tile_at(ww_place place, ww_schedule *s, ww_resource *queue)
{
    if (!usable(s, place, queue, "ww_advance_tile"))
        return;
    if (!model_is_queue(queue)) {
        not_a_queue(s, place, queue, "ww_advance_tile on");
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
        diag_found(diags_of(s), d, "%s",
                   model_is_queue(queue) ? "a static queue, whose tiles are known" : "no queue");
        diag_hint(diags_of(s), d,
                  "leave the call out, or declare the queue by ww_queue_clc or ww_queue_counter");
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

/* The block around place, for a message. */
static const char *innermost_text(const ww_schedule *s)
{
    if (!s->open.len)
        return "it stands in no block";
    text around = {0};
    text_add(&around, "it stands in ");
    capture_step_text(&s->steps.at[*vec_last(&s->open)], &around);
    const char *copy = arena_strdup(&s->kernel->arena, text_str(&around));
    text_free(&around);
    return copy;
}

static ww_diag *misplaced(ww_schedule *s, ww_place place, const char *block, const char *rule)
{
    ww_diag *d = diag_add(diags_of(s), WW_BAD_BLOCK, place, "task %s: %s stands where it may not",
                          s->task->name, block);
    diag_texts(diags_of(s), d, rule, innermost_text(s), "move the block, or leave it out");
    if (s->open.len)
        diag_related(diags_of(s), d, s->steps.at[*vec_last(&s->open)].place, "the block around it");
    return d;
}

/* `step`: its opening marker. */
static void left_open(ww_schedule *s, int step)
{
    ww_diag *d = misplaced(s, s->steps.at[step].place, "a block that was left by break, goto or return",
                           "blocks left at their closing brace");
    diag_texts(diags_of(s), d, d->expected, "a block that is still open where the schedule goes on",
               "record the whole block: ww_last_iter or ww_when_true inside it, in place of break or return");
    d->related = (ww_place){0};
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
        not_a_queue(s, place, queue, "ww_work_tile_loop over");
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
        diag_hint(diags_of(s), d,
                  "write the bound as ww_imm(n), ww_arg(type, field, least) or ww_device(name)");
        return;
    }
    ww_diag *d = diag_add(diags_of(s), WW_BAD_VALUE, place, "task %s: the %s of a domain loop has no name",
                          s->task->name, which);
    bool argument = b->kind == WW_BOUND_ARGUMENT;
    diag_texts(diags_of(s), d,
               argument ? "the name of an int of the parameter struct"
                        : "the name of a function of the body header",
               "none", argument ? "ww_arg(type, field, least)" : "ww_device(\"function\")");
}

/* A step of 0 would go on for ever. */
static void check_step(ww_schedule *s, ww_place place, const ww_bound *step)
{
    if (step->kind == WW_BOUND_IMMEDIATE && step->value == 0)
        diag_texts(
            diags_of(s),
            diag_add(diags_of(s), WW_BAD_VALUE, place, "task %s: a domain loop with step 0", s->task->name),
            "a step other than 0", "0", "ww_imm(1)");
    if (step->kind != WW_BOUND_ARGUMENT || step->min >= 1)
        return;
    ww_diag *d = diag_add(diags_of(s), WW_BAD_VALUE, place,
                          "task %s: a domain loop whose step, a launch argument, may be 0", s->task->name);
    diag_expected(diags_of(s), d, "ww_arg with a least value of at least 1");
    diag_found(diags_of(s), d, "%d", step->min);
    diag_hint(diags_of(s), d, "ww_arg(..., %s, 1): launches with less are refused", step->name);
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
        diag_hint(diags_of(s), d, "ww_domain_loop, if the loop is not to be unrolled");
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
        diag_hint(diags_of(s), d, "ww_first_iter(s), ww_last_iter(s) or ww_skippable(s), not ww_guard_open");
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
        diag_hint(diags_of(s), d, "ww_every(s, period, start): every period-th trip from trip start on");
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
        no_value(s, d, "bool", "condition");
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
        left_open(s, *vec_last(&s->open));
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
        if (v->uses)
            continue;
        ww_diag *d = diag_add(
            diags_of(s), WW_UNUSED_VALUE, step->place, "task %s: output %s of %s.%s is never used",
            s->task->name, step->work->out[v->output].name, step->resource->name, step->work->declared->name);
        diag_texts(diags_of(s), d, "a later call of this schedule with it in .in", "none",
                   "pass the token on, or leave it out of .out");
    }
}

static void close_left_open(ww_schedule *s)
{
    while (s->open.len) {
        left_open(s, *vec_last(&s->open));
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
    size_t errors = ww_diag_count(k->diags.first, WW_ERROR);
    ww_task *t = model_task_new(place, k, name, options);
    capture_task(t);
    t->ill = ww_diag_count(k->diags.first, WW_ERROR) > errors;
    return t;
}
