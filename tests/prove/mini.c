/* Reading the one-line notation of mini.h and recording it through the public API. */
#include "mini.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct params {
    int k, tiles;
    unsigned *counter;
} params;

/* ---- the reader -------------------------------------------------------------------------------------- */

typedef struct reader {
    const mini *of;
    ww_schedule *s;
    const char *at;
    ww_token *conditions; /* by letter, from 'c' */
} reader;

static void skip_spaces(reader *r)
{
    while (isspace((unsigned char)*r->at))
        r->at++;
}

static bool take(reader *r, const char *word)
{
    size_t n = strlen(word);
    skip_spaces(r);
    if (strncmp(r->at, word, n) != 0)
        return false;
    r->at += n;
    return true;
}

static int number(reader *r)
{
    return (int)strtol(r->at, (char **)&r->at, 10);
}

static ww_resource *resource(reader *r)
{
    skip_spaces(r);
    const char *from = r->at;
    while (isalnum((unsigned char)*r->at) || *r->at == '_')
        r->at++;
    return r->of->resources[mini_find(r->of, from, (size_t)(r->at - from))].made;
}

static ww_token *condition(reader *r)
{
    int i = *r->at++ - 'c';
    if (i < 0 || i >= MINI_CONDITIONS) {
        (void)fprintf(stderr, "mini: conditions are c, d, e and f\n");
        abort();
    }
    return &r->conditions[i];
}

static void items(reader *r);

static const char *closing(const char *at)
{
    int depth = 1;
    for (at++; depth; at++) {
        if (!*at) {
            (void)fprintf(stderr, "mini: a block is not closed\n");
            abort();
        }
        depth += *at == '(' || *at == '{';
        depth -= *at == ')' || *at == '}';
    }
    return at;
}

/* The text between a bracket and its match, and on to what follows. */
static void inside(reader *r, const char *open)
{
    const char *after = closing(open);
    r->at = open + 1;
    items(r);
    r->at = after;
}

/* What stands after ")*". */
static void count(reader *r, ww_bound *start, ww_bound *end, ww_bound *stride)
{
    *start = ww_imm(0);
    *stride = ww_imm(1);
    if (take(r, "1k")) {
        *start = ww_imm(1);
        *end = ww_arg(params, k, 1);
    } else if (take(r, "-k")) {
        *start = ww_arg(params, k, 0);
        *end = ww_imm(0);
        *stride = ww_imm(-1);
    } else if (take(r, "k1")) {
        *end = ww_arg(params, k, 1);
    } else if (take(r, "k")) {
        *end = ww_arg(params, k, 0);
    } else if (take(r, "d")) {
        *end = ww_device("d");
    } else {
        *end = ww_imm(number(r));
        if (take(r, ":")) {
            *start = *end;
            *end = ww_imm(number(r));
        }
        if (take(r, "/"))
            *stride = ww_imm(number(r));
    }
}

static void loop(reader *r, const char *open)
{
    ww_bound start, end, stride;
    r->at = closing(open);
    (void)take(r, "*");
    count(r, &start, &end, &stride);
    const char *after = r->at;
    ww_domain_loop(r->s, start, end, stride) {
        inside(r, open);
    }
    r->at = after;
}

static void tiles(reader *r)
{
    const char *open = r->at - 1;
    ww_work_tile_loop(r->s, r->of->queue) {
        inside(r, open);
        ww_advance_tile(r->s, r->of->queue);
    }
}

/* The opening step has been recorded: what stands inside, and the end. */
static void guarded(reader *r, ww_block opened)
{
    inside(r, r->at - 1);
    ww_block_close(WW_HERE, &opened);
}

static void every(reader *r)
{
    int period = number(r);
    r->at++;
    int first = number(r);
    (void)take(r, "{");
    guarded(r, ww_every_open(WW_HERE, r->s, period, first));
}

static void when(reader *r, bool wanted)
{
    static const char *const keys[MINI_CONDITIONS] = {"c", "d", "e", "f"};
    ww_token *token = condition(r);
    (void)take(r, "{");
    guarded(r, ww_when_open(WW_HERE, r->s, *token, keys[token - r->conditions], wanted));
}

static bool block(reader *r)
{
    if (take(r, "("))
        loop(r, r->at - 1);
    else if (take(r, "tiles{"))
        tiles(r);
    else if (take(r, "skip{"))
        guarded(r, ww_guard_open(WW_HERE, r->s, WW_GUARD_SKIPPABLE));
    else if (take(r, "f{"))
        guarded(r, ww_guard_open(WW_HERE, r->s, WW_GUARD_FIRST_ITER));
    else if (take(r, "l{"))
        guarded(r, ww_guard_open(WW_HERE, r->s, WW_GUARD_LAST_ITER));
    else if (take(r, "t:"))
        when(r, true);
    else if (take(r, "n:"))
        when(r, false);
    else if (take(r, "e"))
        every(r);
    else
        return false;
    return true;
}

/* "U t:ab": work umma_ab of t */
static void tensor_work(reader *r)
{
    ww_resource *writes = resource(r);
    char name[64] = "umma_";
    (void)take(r, ":");
    size_t length = strcspn(r->at, " )}");
    (void)snprintf(name + 5, sizeof name - 5, "%.*s", (int)length, r->at);
    r->at += length;
    ww_produce(r->s, writes, name);
}

static void warpgroup_work(reader *r)
{
    skip_spaces(r);
    char name[64];
    size_t length = strcspn(r->at, " )}");
    (void)snprintf(name, sizeof name, "mma_%.*s", (int)length, r->at);
    r->at += length;
    ww_produce(r->s, r->of->engines, name);
}

static bool engine_step(reader *r)
{
    static const char *const names[] = {"wait0", "wait1", "bulk0", "bulk1"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (take(r, names[i])) {
            ww_produce(r->s, r->of->engines, names[i]);
            return true;
        }
    if (take(r, "M "))
        warpgroup_work(r);
    else if (take(r, "U "))
        tensor_work(r);
    else if (take(r, "?"))
        ww_consume(r->s, r->of->engines, "flag", .out = {condition(r)});
    else
        return false;
    return true;
}

static void step(reader *r)
{
    static const struct {
        const char *word;
        ww_verb verb;
    } verbs[] = {{"A?", WW_TRY_ACQUIRE}, {"w?", WW_TRY_WAIT}, {"A ", WW_ACQUIRE}, {"C ", WW_COMMIT},
                 {"w ", WW_WAIT},        {"L ", WW_RELEASE},  {"Y ", WW_SYNC},    {"y ", WW_SYNC_ARRIVE}};
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (take(r, verbs[i].word)) {
            ww_verb_at(WW_HERE, r->s, resource(r), verbs[i].verb);
            return;
        }
    if (take(r, "W ")) {
        ww_produce(r->s, resource(r), "put");
    } else if (take(r, "H ")) {
        ww_produce(r->s, resource(r), "part");
    } else if (take(r, "R ")) {
        ww_consume(r->s, resource(r), "get");
    } else if (take(r, "S ")) {
        ww_consume(r->s, resource(r), "store");
    } else if (take(r, "F")) {
        ww_fetch_tile(r->s, r->of->queue);
    } else if (!engine_step(r)) {
        (void)fprintf(stderr, "mini: what is \"%s\"?\n", r->at);
        abort();
    }
}

static void items(reader *r)
{
    for (;;) {
        skip_spaces(r);
        if (!*r->at || *r->at == ')' || *r->at == '}')
            return;
        if (!block(r))
            step(r);
    }
}

static void record(ww_schedule *s, void *context)
{
    const mini_task *t = context;
    ww_token conditions[MINI_CONDITIONS] = {{0}};
    reader r = {t->of, s, t->text, conditions};
    items(&r);
}

void mini_add(mini *m, const char *name, int warps, const char *text)
{
    if (!m->engines)
        mini_declare(m);
    int only = 0;
    if (*text == '@') {
        only = WW_ONLY_CTA(text[1] - '0');
        text += 2;
    }
    mini_task *t = &m->tasks[m->task_count++];
    *t = (mini_task){m, name, text};
    (void)ww_task_new(
        m->kernel, name,
        &(ww_task_options){
            .first_warp = m->next_warp, .warps = warps, .schedule = record, .context = t, .only_cta = only});
    m->next_warp += warps;
}
