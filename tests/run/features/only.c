/* only: tasks of one CTA of a cluster. Both sides of a ring in CTA 1 alone; and one-way mail, sent by a task that only
 * CTA 1 has and received by one that only CTA 0 has. */
#include "feature.h"

typedef struct only_form {
    int read_in;
} only_form;

typedef struct only {
    ww_resource *row, *mail;
} only;

enum { FILL_WARPS = 2, READ_WARPS = 3 };

/* ---- a ring in one CTA ----------------------------------------------------------------------------------------- */

static void fill(ww_schedule *s, void *context)
{
    const only *o = context;
    ww_domain_loop(s, ww_imm(0), trips_from(1), ww_imm(1)) {
        ww_acquire(s, o->row);
        ww_produce(s, o->row, "fill", .constants = {FILL_WARPS});
        ww_commit(s, o->row);
    }
}

static void read_back(ww_schedule *s, void *context)
{
    const only *o = context;
    ww_domain_loop(s, ww_imm(0), trips_from(1), ww_imm(1)) {
        ww_wait(s, o->row);
        ww_consume(s, o->row, "read", .constants = {READ_WARPS});
        ww_release(s, o->row);
    }
}

static const ww_work row_work[] = {
    {.name = "fill", .side = WW_PRODUCER, .constants = {"int warps"}},
    {.name = "read", .side = WW_CONSUMER, .constants = {"int warps"}},
    {.name = "address", .side = WW_CONSUMER, .out = {"uint32_t address"}},
    {0},
};

static void only_task(ww_kernel *k, const char *name, int first_warp, int warps,
                      ww_schedule_function *schedule, void *context, int rank)
{
    ww_task_new(k, name,
                &(ww_task_options){.first_warp = first_warp,
                                   .warps = warps,
                                   .schedule = schedule,
                                   .context = context,
                                   .only_cta = WW_ONLY_CTA(rank)});
}

static ww_resource *row_ring(ww_kernel *k, ww_pipeline pipeline)
{
    return ww_resource_new(
        k, "row",
        &(ww_resource_options){
            .type = "local_row", .pipeline = pipeline, .buffers = {{"words", ROW_BYTES}}, .work = row_work});
}

static ww_kernel *declare_local(const feature *f, const char *kernel)
{
    (void)f;
    only o = {0};
    ww_kernel *k = words_kernel(kernel, "only.cuh", (ww_cluster){1, 2, 1, 1});
    o.row = row_ring(k, ww_pipeline_async_async(.stages = 2));
    only_task(k, "fill", 0, FILL_WARPS, fill, &o, 1);
    only_task(k, "read_back", FILL_WARPS, READ_WARPS, read_back, &o, 1);
    return k;
}

/* ---- one-way mail ------------------------------------------------------------------------------------------------ */

/* As in peers.c: a slot of the source is released when the slot of the mail that it went to has been acquired again. */
static void send(ww_schedule *s, void *context)
{
    const only *o = context;
    ww_token address;
    ww_domain_loop(s, ww_imm(0), trips_from(1), ww_imm(1)) {
        ww_acquire(s, o->mail);
        ww_every(s, 1, 1) {
            ww_release(s, o->row);
        }
        ww_wait(s, o->row);
        ww_consume(s, o->row, "address", .out = {&address});
        ww_produce(s, o->mail, "send", .in = {address});
        ww_commit(s, o->mail);
    }
    ww_release(s, o->row);
}

static void receive(ww_schedule *s, void *context)
{
    const only *o = context;
    ww_domain_loop(s, ww_imm(0), trips_from(1), ww_imm(1)) {
        ww_wait(s, o->mail);
        ww_consume(s, o->mail, "read", .constants = {READ_WARPS});
        ww_release(s, o->mail);
    }
}

static const ww_work mail_work[] = {
    {.name = "send", .side = WW_PRODUCER, .in = {"uint32_t address"}, .copies = {{"words", ROW_BYTES}}},
    {.name = "read", .side = WW_CONSUMER, .constants = {"int warps"}},
    {0},
};

static ww_kernel *declare_mail(const feature *f, const char *kernel)
{
    (void)f;
    only o;
    ww_kernel *k = words_kernel(kernel, "only.cuh", (ww_cluster){1, 2, 1, 1});
    o.row = row_ring(k, ww_pipeline_async_async(.stages = 1, .advance_on_wait = true));
    o.mail = ww_resource_new(k, "mail",
                             &(ww_resource_options){.pipeline = {.type = WW_PEER_ASYNC, .stages = 1},
                                                    .buffers = {{"words", ROW_BYTES}},
                                                    .work = mail_work});
    only_task(k, "fill", 0, FILL_WARPS, fill, &o, 1);
    only_task(k, "send", FILL_WARPS, 1, send, &o, 1);
    only_task(k, "receive", FILL_WARPS + 1, READ_WARPS, receive, &o, 0);
    return k;
}

/* ---- what must come out: the rows of CTA 1 of each cluster; the other's place stays untouched --------------------- */

static uint32_t only_word(const struct words_params *p, size_t cta, size_t row, size_t w, const void *form)
{
    size_t read_in = (size_t)((const only_form *)form)->read_in;
    return cta % 2 == read_in ? row_word(p, cta | 1, row, ROW_WORDS - 1 - w) : UINT32_MAX;
}

static void check(trial *t, const feature *f)
{
    static const int trips[] = {1, 2, 3, 8, 17, -1};
    trial_pass_rows(t, (passing_grid){4, 1, 1}, trips, only_word, f->form);
}

static const feature features[] = {
    {"local", declare_local, check, &(const only_form){1}},
    {"mail", declare_mail, check, &(const only_form){0}},
    {0},
};

const family only_family = {"only", features};
