/* The writer: finds the machines of a certificate, with the checker's own machine. Nothing here is relied on: what it writes is
 * checked before it is handed out.
 *
 * Both answers to each question are followed, and a machine that was met before is not followed again. Along a chain of
 * "greater" answers about a value that loops to come will ask about, machines differ in how far the value has grown; when one
 * is like an earlier one but for that, each of the chain's machines since becomes a class: from {from, from + period, ...}, with
 * the agents that moved with the value counted from it. docs/certificate.md, "Classes". */
#include "certify/form.h"

#include <stdio.h>

enum { MOST_NODES = 5000, MOST_BYTES = 1 << 26, MOST_EVENTS = 5000000 };

/* Where an agent is in a loop of the value that a chain is about. */
typedef struct stand {
    int agent;
    int64_t test;
} stand;
typedef VEC(stand) stands;

typedef struct found_node {
    form_node form;
    question of; /* as its lines are read */
    char *lines;
    char *chain; /* its lines but for how far the value has grown; NULL: it is of no chain */
    uint64_t chain_hash;
    stands at;
    int before;   /* in the chain; -1 */
    int64_t from; /* of the value asked about */
    bool class;
    int number; /* in the certificate; -1: not led to */
} found_node;

typedef struct task_left {
    int node;
    bool more;
} task_left;

typedef struct search {
    world *w;
    state s, other;
    VEC(found_node) nodes;
    VEC(task_left) left;
    int *table; /* hash of lines: nodes, plus 1 */
    size_t places, entries;
    uint64_t bytes;
    int start;
    text lines, chain;
    char *saved;
    certify_result *result;
} search;

static bool give_up(search *s, const char *why)
{
    const state *m = &s->s;
    if (m->wrong && m->wrong_agent >= 0)
        (void)snprintf(s->result->why, sizeof s->result->why, "%s at operation %d: %s",
                       s->w->agents[m->wrong_agent].name, m->wrong_pc, m->wrong);
    else
        (void)snprintf(s->result->why, sizeof s->result->why, "%s", m->wrong ? m->wrong : why);
    return false;
}

/* ---- nodes met ----------------------------------------------------------------------------------------- */

static size_t place_of(const search *s, const char *lines, size_t length)
{
    size_t place = hash_bytes(HASH_SEED, lines, length) & (s->places - 1);
    for (; s->table[place]; place = (place + 1) & (s->places - 1)) {
        const found_node *n = &s->nodes.at[s->table[place] - 1];
        if (n->form.length == length && memcmp(n->lines, lines, length) == 0)
            break;
    }
    return place;
}

static void enter(search *s, int number)
{
    const found_node *n = &s->nodes.at[number];
    s->table[place_of(s, n->lines, n->form.length)] = number + 1;
}

static void grow_table(search *s)
{
    if (2 * s->nodes.len + 2 < s->places)
        return;
    s->places = s->places ? 2 * s->places : 256;
    s->table = base_realloc(s->table, s->places * sizeof(int));
    memset(s->table, 0, s->places * sizeof(int));
    for (size_t i = 0; i < s->nodes.len; i++)
        enter(s, (int)i);
}

static char *keep(search *s, const text *t)
{
    char *copy = base_alloc(t->len + 1);
    memcpy(copy, text_str(t), t->len + 1);
    s->bytes += t->len;
    return copy;
}

static void leave(search *s, int node, bool more)
{
    task_left t = {node, more};
    vec_push(&s->left, t);
}

/* ---- questions ----------------------------------------------------------------------------------------- */

/* The value that the last question was about, if somebody asks about it again: so chains stay whole. The number of tiles only
 * when nobody asks for less, so that no task runs ahead. */
static question choose(const search *s, int last_value)
{
    question best = {-1, -1, 0};
    int most = 0;
    for (int i = 0; i < s->w->agent_count; i++) {
        if (s->s.agents[i].status != STATE_ASKS)
            continue;
        question q = state_asked(&s->s, i);
        int urgency = s->w->values.at[q.value].kind == VALUE_TILES ? 1 : q.value == last_value ? 3 : 2;
        if (urgency > most) {
            most = urgency;
            best = q;
        }
    }
    return best;
}

/* ---- chains -------------------------------------------------------------------------------------------- */

/* A bound that loops to come will ask about, and that is known exactly so far. */
static bool is_chained(const search *s, const question *q)
{
    const state_value *v = &s->s.values[q->instance];
    return s->w->values.at[q->value].kind == VALUE_BOUND && !v->any && !v->every &&
           weaken_asked_later(&s->s, q->value, q->instance);
}

/* Spells the machine at hand with the value left out, and where agents are in its loops. */
static void print_without(search *s, const question *q, stands *at)
{
    memcpy(s->saved, s->s.block, s->s.block_bytes);
    for (int i = 0; i < s->w->agent_count; i++) {
        state_agent *a = &s->s.agents[i];
        const world_op *loop = state_alive(&s->s, i) && a->in_loop ? state_loop(&s->s, i) : NULL;
        if (!loop || loop->value != q->value || value_instance(s->w, q->value, a->tile) != q->instance ||
            a->mode != TRIP_COUNTED)
            continue;
        stand here = {i, loop->offset + a->trip * loop->step};
        vec_push(at, here);
        a->trip = state_alike_trip(loop, a->trip);
    }
    s->s.values[q->instance].from = 0;
    s->chain.len = 0;
    spell_print(&s->s, &s->chain);
    memcpy(s->s.block, s->saved, s->s.block_bytes);
}

/* Whether an agent stood elsewhere in its loop, but as far from the value: it moved with it. */
static bool moved(const found_node *then, int64_t from, const stand *now, size_t i)
{
    return then->at.at[i].test - then->from == now->test - from;
}

static bool is_like(const found_node *then, const search *s, const stands *now, int64_t from)
{
    if (!then->chain || then->class || then->at.len != now->len ||
        strcmp(then->chain, text_str(&s->chain)) != 0)
        return false;
    for (size_t i = 0; i < now->len; i++)
        if (!moved(then, from, &now->at[i], i) && then->at.at[i].test != now->at[i].test)
            return false;
    return true;
}

/* The node becomes the class of all that differ from it by multiples of the period. */
static void make_class(search *s, int number, int64_t period, const bool *moves)
{
    found_node *n = &s->nodes.at[number];
    (void)spell_read(&s->other, n->lines, n->lines + n->form.length);
    question q = state_asked(&s->other, n->form.agent);
    state_value *v = &s->other.values[q.instance];
    for (size_t i = 0; i < n->at.len; i++) {
        state_agent *a = &s->other.agents[n->at.at[i].agent];
        if (!moves[i])
            continue;
        a->mode = TRIP_FROM;
        a->distance = n->at.at[i].test - v->from;
    }
    v->every = period;
    text lines = {0};
    weaken_machine(&s->other);
    spell_print(&s->other, &lines);
    free(n->lines);
    n->lines = keep(s, &lines);
    n->form.length = lines.len;
    n->class = true;
    text_free(&lines);
    enter(s, number);
    leave(s, number, false);
}

/* Looks for the machine at hand along the chain that ends with node `last`; its number, or -1. */
static int close_chain(search *s, int last, const stands *now, int64_t from)
{
    int start = last;
    while (start >= 0 && !is_like(&s->nodes.at[start], s, now, from))
        start = s->nodes.at[start].class ? -1 : s->nodes.at[start].before;
    if (start < 0)
        return -1;
    bool *moves = base_alloc(now->len + 1);
    for (size_t i = 0; i < now->len; i++)
        moves[i] = moved(&s->nodes.at[start], from, &now->at[i], i);
    int64_t period = from - s->nodes.at[start].from;
    for (int i = last, end = s->nodes.at[start].before; i != end;) {
        int before = s->nodes.at[i].before;
        make_class(s, i, period, moves);
        i = before;
    }
    free(moves);
    return start;
}

/* ---- growing ------------------------------------------------------------------------------------------- */

/* A class that the machine at hand is of; -1. Most are told apart by how their chains are spelled. */
static int class_of(search *s, uint64_t chain_hash)
{
    int found = -1;
    text lines = {0};
    for (int i = 0; i < (int)s->nodes.len && found < 0; i++) {
        const found_node *n = &s->nodes.at[i];
        if (!n->class || n->chain_hash != chain_hash)
            continue;
        memcpy(s->saved, s->s.block, s->s.block_bytes);
        (void)spell_read(&s->other, n->lines, n->lines + n->form.length);
        form_fit(&s->s, &s->other);
        lines.len = 0;
        spell_print(&s->s, &lines);
        memcpy(s->s.block, s->saved, s->s.block_bytes);
        if (lines.len == n->form.length && memcmp(lines.at, n->lines, n->form.length) == 0)
            found = i;
    }
    text_free(&lines);
    return found;
}

/* `at`: of a machine that is chained; they become the node's. */
static int add_node(search *s, const question *q, int before, stands *at, uint64_t chain_hash)
{
    found_node n = {.before = before, .number = -1, .lines = keep(s, &s->lines)};
    n.form = (form_node){.agent = state_first_to_ask(&s->s, q), .length = s->lines.len};
    n.from = s->s.values[q->instance].from;
    if (at) {
        n.chain = keep(s, &s->chain);
        n.chain_hash = chain_hash;
        n.at = *at;
        *at = (stands){.len = 0};
    }
    vec_push(&s->nodes, n);
    grow_table(s);
    enter(s, (int)s->nodes.len - 1);
    leave(s, (int)s->nodes.len - 1, false);
    leave(s, (int)s->nodes.len - 1, true);
    return (int)s->nodes.len - 1;
}

static bool is_chained_by(const found_node *n, const question *q)
{
    return n->chain && !n->class && same_question(&n->of, q);
}

/* The same for a machine whose value is known exactly, but for how far it has grown. */
static int meet_in_chain(search *s, int from, bool more, const question *q)
{
    bool goes_on = more && from >= 0 && is_chained_by(&s->nodes.at[from], q);
    stands at = {0};
    print_without(s, q, &at);
    uint64_t hash = hash_bytes(HASH_SEED, s->chain.at, s->chain.len);
    int known = class_of(s, hash);
    if (known < 0 && goes_on)
        known = close_chain(s, from, &at, s->s.values[q->instance].from);
    if (known < 0)
        known = add_node(s, q, goes_on ? from : -1, &at, hash);
    vec_free(&at);
    return known;
}

/* The node for the machine at hand, which came by an answer from another (-1: it is the first); a new one if need be. */
static int meet(search *s, int from, bool more)
{
    state_rename(&s->s);
    weaken_machine(&s->s);
    question q = choose(s, from < 0 ? -1 : s->nodes.at[from].of.value);
    s->lines.len = 0;
    spell_print(&s->s, &s->lines);
    grow_table(s);
    int known = s->table[place_of(s, s->lines.at, s->lines.len)] - 1;
    if (known >= 0)
        return known;
    return is_chained(s, &q) ? meet_in_chain(s, from, more, &q) : add_node(s, &q, -1, NULL, 0);
}

static bool run_on(search *s, int from, bool more, int *to)
{
    state_outcome outcome = state_run(&s->s);
    if (outcome == STATE_IS_WRONG)
        return give_up(s, "");
    *to = outcome == STATE_FINISHED ? FORM_END : meet(s, from, more);
    if (s->nodes.len > MOST_NODES || s->bytes > MOST_BYTES)
        return give_up(s, "there are too many machines to tell apart");
    return true;
}

static bool follow_all(search *s)
{
    state_begin(&s->s);
    if (!run_on(s, -1, false, &s->start))
        return false;
    for (size_t i = 0; i < s->left.len; i++) {
        task_left t = s->left.at[i];
        found_node *n = &s->nodes.at[t.node];
        (void)spell_read(&s->s, n->lines, n->lines + n->form.length);
        n->of = state_asked(&s->s, n->form.agent);
        state_give(&s->s, &n->of, t.more);
        int to = FORM_END;
        if (!run_on(s, t.node, t.more, &to))
            return false;
        s->nodes.at[t.node].form.leads[t.more] = to;
    }
    return true;
}

/* ---- writing ------------------------------------------------------------------------------------------- */

typedef VEC(int) node_list;

static int number_of(search *s, node_list *order, int node)
{
    if (node == FORM_END)
        return FORM_END;
    if (s->nodes.at[node].number < 0) {
        s->nodes.at[node].number = (int)order->len;
        vec_push(order, node);
    }
    return s->nodes.at[node].number;
}

static void write_node(search *s, node_list *order, int number, text *out)
{
    const found_node *n = &s->nodes.at[order->at[number]];
    form_node form = n->form;
    form.lines = n->lines;
    form.leads[0] = number_of(s, order, form.leads[0]);
    form.leads[1] = number_of(s, order, form.leads[1]);
    form_spell_node(&(speller){.s = &s->s, .out = out}, &form, number);
}

static void write_all(search *s, text *out)
{
    node_list order = {0};
    text nodes = {0};
    int start = number_of(s, &order, s->start);
    for (size_t i = 0; i < order.len; i++)
        write_node(s, &order, (int)i, &nodes);
    form_header(s->w, out);
    int count = (int)order.len;
    form_start(&(speller){.s = &s->s, .out = out}, &count, &start);
    text_add_n(out, text_str(&nodes), nodes.len);
    text_free(&nodes);
    vec_free(&order);
}

static bool find_and_write(search *s, text *out)
{
    if (s->w->refused)
        return give_up(s, s->w->refused);
    weaken_prepare(s->w);
    state_new(&s->s, s->w);
    state_new(&s->other, s->w);
    s->s.most_events = MOST_EVENTS;
    s->saved = base_alloc(s->s.block_bytes + 1);
    if (!follow_all(s))
        return false;
    write_all(s, out);
    return true;
}

static void search_free(search *s)
{
    for (size_t i = 0; i < s->nodes.len; i++) {
        free(s->nodes.at[i].lines);
        free(s->nodes.at[i].chain);
        vec_free(&s->nodes.at[i].at);
    }
    vec_free(&s->nodes);
    vec_free(&s->left);
    free(s->table);
    free(s->saved);
    text_free(&s->lines);
    text_free(&s->chain);
    state_free(&s->s);
    state_free(&s->other);
    world_free(s->w);
}

certify_result certify_write(ww_kernel *k, const ir_program *p, text *out)
{
    certify_result result = {.valid = false};
    search s = {.w = world_new(k, p), .result = &result};
    size_t before = out->len;
    if (find_and_write(&s, out))
        result = certify_check(k, p, out->at + before, out->len - before);
    if (!result.valid)
        out->len = before;
    search_free(&s);
    return result;
}
