/* peers: PeerAsync. Every CTA of a cluster sends its rows to the one `shift` ranks on and puts out what it receives. */
#include "feature.h"

typedef struct peer_form {
    int size, shift; /* of the cluster */
    int stages;
    bool along_k; /* not along m */
} peer_form;

typedef struct peers {
    ww_resource *box, *mail;
    const peer_form *form;
} peers;

enum { FILL_WARPS = 2, READ_WARPS = 4, MOST_STAGES = 3 };

static void fill(ww_schedule *s, void *context)
{
    const peers *p = context;
    ww_domain_loop(s, ww_imm(0), trips_from(MOST_STAGES), ww_imm(1)) {
        ww_acquire(s, p->box);
        ww_produce(s, p->box, "fill", .constants = {FILL_WARPS});
        ww_commit(s, p->box);
    }
}

/* A copy has read its source for certain when the receiver has given the slot back that it filled. So a slot of the box
 * is released when the same slot of the peer's mail has been acquired again. */
static void send(ww_schedule *s, void *context)
{
    const peers *p = context;
    ww_token address;
    ww_domain_loop(s, ww_imm(0), trips_from(MOST_STAGES), ww_imm(1)) {
        ww_acquire(s, p->mail);
        ww_every(s, 1, p->form->stages) {
            ww_release(s, p->box);
        }
        ww_wait(s, p->box);
        ww_consume(s, p->box, "address", .out = {&address});
        ww_produce(s, p->mail, "send", .in = {address}, .constants = {p->form->shift, p->form->size});
        ww_commit(s, p->mail);
    }
    for (int i = 0; i < p->form->stages; i++)
        ww_release(s, p->box);
}

static void receive(ww_schedule *s, void *context)
{
    const peers *p = context;
    ww_domain_loop(s, ww_imm(0), trips_from(MOST_STAGES), ww_imm(1)) {
        ww_try_wait(s, p->mail);
        ww_wait(s, p->mail);
        ww_consume(s, p->mail, "read", .constants = {READ_WARPS});
        ww_release(s, p->mail);
    }
}

static const ww_work box_work[] = {
    {.name = "fill", .side = WW_PRODUCER, .constants = {"int warps"}},
    {.name = "address", .side = WW_CONSUMER, .out = {"uint32_t address"}},
    {0},
};

static const ww_work mail_work[] = {
    {.name = "send",
     .side = WW_PRODUCER,
     .in = {"uint32_t address"},
     .constants = {"int shift", "int size"},
     .copies = {{"row", ROW_BYTES}}},
    {.name = "read", .side = WW_CONSUMER, .constants = {"int warps"}},
    {0},
};

static ww_kernel *declare(const feature *f, const char *kernel)
{
    peers p = {.form = f->form};
    ww_cluster along_m = {1, p.form->size, 1, 1}, along_k = {1, 1, 1, p.form->size};
    ww_kernel *k = words_kernel(kernel, "peers.cuh", p.form->along_k ? along_k : along_m);
    p.box = ww_resource_new(
        k, "box",
        &(ww_resource_options){
            .pipeline = {.type = WW_ASYNC_ASYNC, .stages = p.form->stages, .advance_on_wait = true},
            .buffers = {{"row", ROW_BYTES}},
            .work = box_work});
    p.mail = ww_resource_new(
        k, "mail",
        &(ww_resource_options){
            .pipeline = {.type = WW_PEER_ASYNC, .stages = p.form->stages, .peer_shift = p.form->shift},
            .buffers = {{"row", ROW_BYTES}},
            .work = mail_work});
    feature_task(k, "receive", 0, READ_WARPS, receive, &p);
    feature_task(k, "send", READ_WARPS, 1, send, &p);
    feature_task(k, "fill", READ_WARPS + 1, FILL_WARPS, fill, &p);
    return k;
}

/* Of the CTA that sends to us. Clusters lie along the grid's one dimension. */
static uint32_t received_word(const struct words_params *p, size_t cta, size_t row, size_t w,
                              const void *form)
{
    size_t size = (size_t)((const peer_form *)form)->size, shift = (size_t)((const peer_form *)form)->shift;
    size_t rank = (cta % size + size - shift) % size;
    return row_word(p, cta / size * size + rank, row, ROW_WORDS - 1 - w);
}

static void check(trial *t, const feature *f)
{
    const peer_form *form = f->form;
    static const int trips[] = {MOST_STAGES, 4, 7, 16, -1};
    uint32_t ctas = 2 * (uint32_t)form->size;
    trial_pass_rows(t, form->along_k ? (passing_grid){1, 1, ctas} : (passing_grid){ctas, 1, 1}, trips,
                    received_word, form);
}

#define FORM(...)                                                                                            \
    &(const peer_form)                                                                                       \
    {                                                                                                        \
        __VA_ARGS__                                                                                          \
    }

static const feature features[] = {
    {"two", declare, check, FORM(2, 1, 1, false)},
    {"two_stages", declare, check, FORM(2, 1, 2, false)},
    {"four", declare, check, FORM(4, 1, 2, false)},
    {"four_back", declare, check, FORM(4, 3, 3, false)},
    {"four_across", declare, check, FORM(4, 2, 1, false)},
    {"two_along_k", declare, check, FORM(2, 1, 2, true)},
    {0},
};

const family peers_family = {"peers", features};
