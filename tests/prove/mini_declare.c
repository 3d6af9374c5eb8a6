/* What mini kernels declare: resources, and work bodies for all that the notation can say. */
#include "mini.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct params {
    int k, tiles;
    unsigned *counter;
} params;

enum { RING, GROUP, NAMED, ORDERED, MOST_ROWS = 128, MOST_NAME = 16 };

int mini_find(const mini *m, const char *name, size_t length)
{
    for (int i = 0; i < m->count; i++)
        if (strlen(m->resources[i].name) == length && strncmp(m->resources[i].name, name, length) == 0)
            return i;
    (void)fprintf(stderr, "mini: no resource %.*s\n", (int)length, name);
    abort();
}

/* ---- the kernel ---------------------------------------------------------------------------------------- */

static void add_queue(mini *m)
{
    ww_queue_options o = {.tiles = {ww_imm(1), ww_imm(1), ww_imm(1)},
                          .skip = m->options.skips ? "skip" : NULL};
    o.tiles[0] = ww_arg(params, tiles, 0);
    if (m->options.queue == MINI_COUNTER)
        o.counter = "counter";
    m->queue = m->options.queue == MINI_CLC       ? ww_queue_clc(m->kernel, "queue", &o)
               : m->options.queue == MINI_COUNTER ? ww_queue_counter(m->kernel, "queue", &o)
                                                  : ww_queue_static(m->kernel, "queue", &o);
}

mini mini_new_with(mini_options options)
{
    mini m = {.options = options};
    m.kernel = ww_kernel_new("mini", &(ww_kernel_options){.body = "mini.cuh",
                                                          .body_folder = ".",
                                                          .params = "params",
                                                          .params_bytes = sizeof(params),
                                                          .arch = options.arch,
                                                          .cluster = options.cluster});
    add_queue(&m);
    return m;
}

mini mini_new(bool skips)
{
    return mini_new_with((mini_options){.skips = skips});
}

void mini_free(mini *m)
{
    ww_kernel_free(m->kernel);
}

/* ---- resources ------------------------------------------------------------------------------------------ */

void mini_ring_with(mini *m, const char *name, mini_ring_options options)
{
    options.bytes = options.bytes ? options.bytes : MINI_COPY;
    m->resources[m->count++] = (mini_resource){.name = name, .options = options, .kind = RING};
}

void mini_ring(mini *m, const char *name, ww_pipeline pipeline)
{
    mini_ring_with(m, name, (mini_ring_options){.pipeline = pipeline});
}

void mini_buffer(mini *m, const char *name)
{
    mini_ring(m, name, (ww_pipeline){.type = WW_NO_PIPELINE});
}

void mini_group(mini *m, const char *name, ww_group_mode mode, const char *members, ww_pipeline pipeline)
{
    m->resources[m->count++] =
        (mini_resource){.name = name, .kind = GROUP, .mode = mode, .members = members, .pipeline = pipeline};
}

void mini_named(mini *m, const char *name, int threads)
{
    m->resources[m->count++] = (mini_resource){.name = name, .kind = NAMED, .threads = threads};
}

void mini_ordered(mini *m, const char *name)
{
    m->resources[m->count++] = (mini_resource){.name = name, .kind = ORDERED};
}

void mini_alias(mini *m, const char *a, const char *b)
{
    m->alias[0] = a;
    m->alias[1] = b;
}

/* ---- work ------------------------------------------------------------------------------------------------ */

/* Rows and the names in them; declaring copies both. */
typedef struct table {
    ww_work rows[MOST_ROWS];
    char names[MOST_ROWS][MOST_NAME];
    int count;
} table;

static ww_work *add_row(table *t, const char *prefix, const char *a, const char *b, ww_side side)
{
    if (t->count == MOST_ROWS) {
        (void)fprintf(stderr, "mini: too many resources for one table of work\n");
        abort();
    }
    char *name = t->names[t->count];
    (void)snprintf(name, MOST_NAME, "%s%s%s", prefix, a, b);
    ww_work *row = &t->rows[t->count++];
    *row = (ww_work){.name = name, .side = side};
    return row;
}

static bool has_memory(const mini_resource *r)
{
    return r->kind == RING;
}

static bool copies(const ww_pipeline *p)
{
    return p->type == WW_TMA_ASYNC || p->type == WW_TMA_UMMA || p->type == WW_TMA_WGMMA ||
           p->type == WW_PEER_ASYNC;
}

static bool tensor_arch(const mini *m)
{
    return m->options.arch && strstr(m->options.arch, "sm_10");
}

static void add_tensor_rows(const mini *m, table *t)
{
    for (int i = 0; i < m->count; i++) {
        if (!has_memory(&m->resources[i]))
            continue;
        const char *first = m->resources[i].name;
        add_row(t, "umma_", first, "", WW_PRODUCER)->umma_reads[0] = first;
        for (int j = 0; j < m->count; j++) {
            if (j == i || !has_memory(&m->resources[j]))
                continue;
            ww_work *both = add_row(t, "umma_", first, m->resources[j].name, WW_PRODUCER);
            both->umma_reads[0] = first;
            both->umma_reads[1] = m->resources[j].name;
        }
    }
}

static void declare_ring(mini *m, mini_resource *r)
{
    const mini_ring_options *o = &r->options;
    table t = {.count = 0};
    ww_work *put = add_row(&t, "put", "", "", WW_PRODUCER);
    put->part = o->put;
    add_row(&t, "get", "", "", WW_CONSUMER)->part = o->get;
    if (copies(&o->pipeline)) {
        put->copies[0] = (ww_copy){"b", o->copy ? o->copy : o->bytes, o->reach};
        add_row(&t, "part", "", "", WW_PRODUCER)->copies[0] = (ww_copy){"b", o->bytes / 4, o->reach};
    }
    if (!o->tensor) {
        ww_work *store = add_row(&t, "store", "", "", WW_CONSUMER);
        store->bulk_store = true;
        store->part = o->engine;
    }
    if (tensor_arch(m))
        add_tensor_rows(m, &t);
    ww_resource_options made = {.pipeline = o->pipeline, .work = t.rows};
    if (o->tensor)
        made.tmem[0] = (ww_tmem){"b", 32};
    else
        made.buffers[0] = (ww_buffer){.name = "b", .bytes = o->bytes};
    if (o->shares)
        made.buffers[0].shares = m->resources[mini_find(m, o->shares, strlen(o->shares))].made;
    r->made = ww_resource_new(m->kernel, r->name, &made);
}

static void declare_group(mini *m, mini_resource *r)
{
    ww_group_options o = {.mode = r->mode, .pipeline = r->pipeline};
    int n = 0;
    for (const char *at = r->members; *at;) {
        size_t length = strcspn(at, " ");
        o.members[n++] = m->resources[mini_find(m, at, length)].made;
        at += length + (at[length] == ' ');
    }
    r->made = ww_group_new(m->kernel, r->name, &o);
}

/* Engines that no ring belongs to: wgmma, with a row a resource it may read; waits for groups; conditions. */
static void declare_engines(mini *m)
{
    table t = {.count = 0};
    add_row(&t, "wait0", "", "", WW_PRODUCER)->wgmma_wait = WW_WGMMA_WAIT(0);
    add_row(&t, "wait1", "", "", WW_PRODUCER)->wgmma_wait = WW_WGMMA_WAIT(1);
    add_row(&t, "bulk0", "", "", WW_PRODUCER)->bulk_wait = WW_BULK_WAIT(0);
    add_row(&t, "bulk1", "", "", WW_PRODUCER)->bulk_wait = WW_BULK_WAIT(1);
    ww_work *flag = add_row(&t, "flag", "", "", WW_CONSUMER);
    flag->auxiliary = true;
    flag->out[0] = "bool on";
    for (int i = 0; i < m->count && !tensor_arch(m); i++)
        if (has_memory(&m->resources[i])) {
            ww_work *mma = add_row(&t, "mma_", m->resources[i].name, "", WW_PRODUCER);
            mma->wgmma_reads[0] = m->resources[i].name;
            mma->part = m->resources[i].options.engine;
        }
    m->engines = ww_resource_new(m->kernel, "engines", &(ww_resource_options){.work = t.rows});
}

void mini_declare(mini *m)
{
    for (int i = 0; i < m->count; i++) {
        mini_resource *r = &m->resources[i];
        switch (r->kind) {
        case RING: declare_ring(m, r); break;
        case GROUP: declare_group(m, r); break;
        case NAMED: r->made = ww_named_barrier_new(m->kernel, r->name, r->threads); break;
        default: r->made = ww_ordered_sequence_new(m->kernel, r->name); break;
        }
    }
    declare_engines(m);
    if (m->alias[0])
        ww_alias(m->kernel, {{m->resources[mini_find(m, m->alias[0], strlen(m->alias[0]))].made}},
                 {{m->resources[mini_find(m, m->alias[1], strlen(m->alias[1]))].made}});
}

ww_verdict mini_prove(mini *m)
{
    ww_kernel_unchecked(m->kernel);
    return ww_kernel_prove(m->kernel);
}
