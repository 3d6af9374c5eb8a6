/* Reading the one-line notation of mini.h and recording it through the public API. */
#include "mini.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct params {
    int k, tiles;
} params;

static const ww_work ring_work[] = {
    {.name = "put", .side = WW_PRODUCER}, {.name = "get", .side = WW_CONSUMER}, {.name = NULL}};
static const ww_work copy_work[] = {{.name = "put", .side = WW_PRODUCER, .copies = {{"b", MINI_COPY}}},
                                    {.name = "get", .side = WW_CONSUMER},
                                    {.name = NULL}};

static int find(const mini *m, const char *name, size_t length)
{
    for (int i = 0; i < m->count; i++)
        if (strlen(m->names[i]) == length && strncmp(m->names[i], name, length) == 0)
            return i;
    (void)fprintf(stderr, "mini: no resource %.*s\n", (int)length, name);
    abort();
}

/* ---- the reader -------------------------------------------------------------------------------------- */

typedef struct reader {
    const mini *of;
    ww_schedule *s;
    const char *at;
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

static int resource(reader *r)
{
    skip_spaces(r);
    const char *from = r->at;
    while (isalnum((unsigned char)*r->at) || *r->at == '_')
        r->at++;
    return find(r->of, from, (size_t)(r->at - from));
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
        *end = ww_imm((int)strtol(r->at, (char **)&r->at, 10));
        if (*r->at == ':') {
            *start = *end;
            *end = ww_imm((int)strtol(r->at + 1, (char **)&r->at, 10));
        }
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

static bool block(reader *r)
{
    const char *open;
    if (take(r, "(")) {
        loop(r, r->at - 1);
        return true;
    }
    if (take(r, "tiles{")) {
        open = r->at - 1;
        ww_work_tile_loop(r->s, r->of->queue) {
            inside(r, open);
            ww_advance_tile(r->s, r->of->queue);
        }
        return true;
    }
    if (take(r, "skip{")) {
        open = r->at - 1;
        ww_skippable(r->s) {
            inside(r, open);
        }
        return true;
    }
    if (take(r, "f{")) {
        open = r->at - 1;
        ww_first_iter(r->s) {
            inside(r, open);
        }
        return true;
    }
    if (take(r, "l{")) {
        open = r->at - 1;
        ww_last_iter(r->s) {
            inside(r, open);
        }
        return true;
    }
    return false;
}

static void step(reader *r)
{
    static const struct {
        const char *word;
        ww_verb verb;
    } verbs[] = {{"A?", WW_TRY_ACQUIRE}, {"w?", WW_TRY_WAIT}, {"A ", WW_ACQUIRE},
                 {"C ", WW_COMMIT},      {"w ", WW_WAIT},     {"L ", WW_RELEASE}};
    const mini *m = r->of;
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (take(r, verbs[i].word)) {
            ww_verb_at(WW_HERE, r->s, m->resources[resource(r)], verbs[i].verb);
            return;
        }
    if (take(r, "W ")) {
        ww_produce(r->s, m->resources[resource(r)], "put");
    } else if (take(r, "R ")) {
        ww_consume(r->s, m->resources[resource(r)], "get");
    } else if (take(r, "M ")) {
        char name[64];
        (void)snprintf(name, sizeof name, "mma_%s", m->names[resource(r)]);
        ww_produce(r->s, m->accumulator, name);
    } else if (take(r, "wait0")) {
        ww_produce(r->s, m->accumulator, "wait0");
    } else if (take(r, "wait1")) {
        ww_produce(r->s, m->accumulator, "wait1");
    } else {
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
    reader r = {t->of, s, t->text};
    items(&r);
}

/* ---- declaring --------------------------------------------------------------------------------------- */

mini mini_new(bool skips)
{
    mini m = {.kernel = ww_kernel_new("mini", &(ww_kernel_options){.body = "mini.cuh",
                                                                   .body_folder = ".",
                                                                   .params = "params",
                                                                   .params_bytes = sizeof(params)})};
    m.queue = ww_queue_static(
        m.kernel, "queue",
        &(ww_queue_options){.tiles = {ww_arg(params, tiles, 0)}, .skip = skips ? "skip" : NULL});
    return m;
}

void mini_free(mini *m)
{
    ww_kernel_free(m->kernel);
}

void mini_ring(mini *m, const char *name, ww_pipeline pipeline)
{
    m->names[m->count] = name;
    m->resources[m->count++] = ww_resource_new(
        m->kernel, name,
        &(ww_resource_options){.pipeline = pipeline,
                               .buffers = {{"b", MINI_COPY, 0}},
                               .work = pipeline.type == WW_TMA_ASYNC ? copy_work : ring_work});
}

void mini_buffer(mini *m, const char *name)
{
    mini_ring(m, name, (ww_pipeline){.type = WW_NO_PIPELINE});
}

/* One row a resource that wgmma may read; declared when the first task is. */
static void declare_accumulator(mini *m)
{
    static const char *const rows[] = {"mma_a", "mma_b", "mma_s", "mma_t"};
    static const char *const reads[] = {"a", "b", "s", "t"};
    ww_work work[8] = {{.name = "wait0", .side = WW_PRODUCER, .wgmma_wait = WW_WGMMA_WAIT(0)},
                       {.name = "wait1", .side = WW_PRODUCER, .wgmma_wait = WW_WGMMA_WAIT(1)}};
    int n = 2;
    for (int i = 0; i < m->count; i++)
        for (int j = 0; j < 4; j++)
            if (strcmp(m->names[i], reads[j]) == 0)
                work[n++] = (ww_work){.name = rows[j], .side = WW_PRODUCER, .wgmma_reads = {reads[j]}};
    m->accumulator = ww_resource_new(m->kernel, "accumulator", &(ww_resource_options){.work = work});
}

void mini_add(mini *m, const char *name, int warps, const char *text)
{
    if (!m->accumulator)
        declare_accumulator(m);
    mini_task *t = &m->tasks[m->task_count++];
    *t = (mini_task){m, name, text};
    (void)ww_task_new(
        m->kernel, name,
        &(ww_task_options){.first_warp = m->next_warp, .warps = warps, .schedule = record, .context = t});
    m->next_warp += warps;
}

ww_verdict mini_prove(mini *m)
{
    ww_kernel_unchecked(m->kernel);
    return ww_kernel_prove(m->kernel);
}
