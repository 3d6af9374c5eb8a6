/* The search over questions.
 *
 * A node is a configuration at rest that asks whether a value is greater than what is known of it. Both answers are
 * followed, in order of the number of answers so far, so the first finding is a smallest one. Three things end it:
 *
 *   a configuration that was seen before is not followed again;
 *   along a chain of "greater" answers about one value, a configuration that equals an earlier one, whatever the value
 *   has grown by, is not followed either: from there on it all repeats;
 *   but if loops that have not started will ask about that value again, the ends that were left out differ in the
 *   value. They are taken together: `from` becomes {from, from + period, ...}, agents inside the loop leave it as if
 *   it were `from` (they are pinned), and later loops meet the whole class.
 *
 * docs/prover.md proves that this covers every value. */
#include "prove/descend.h"
#include "prove/steady.h"

typedef enum branch_kind { BRANCH_EQUAL, BRANCH_GREATER, BRANCH_CLASS } branch_kind;

/* Agents, as bits. */
enum {
    MOST_STAYERS = WW_MAX_WARPS * WW_MAX_CLUSTER * (1 + PLAN_PIPES),
    SET_WORDS = (MOST_STAYERS + 63) / 64
};

typedef struct agent_set {
    uint64_t words[SET_WORDS];
    bool any;
} agent_set;

typedef struct node {
    int parent; /* -1: the root */
    bool more;  /* the answer that leads here from the parent */
    question q;
    knowledge known; /* of the value asked about */
    moment at;       /* likewise */
    bool asked_again;
    int chain;      /* the node before it in the chain; -1: it begins one */
    int links;      /* nodes before it */
    int64_t covers; /* from which value on it and its branches cover it */
    char *snapshot;
    canonical_place *places;
    size_t place_count;
    uint32_t *words;
    size_t length, chain_length;
    uint64_t hash, chain_hash;
} node;

typedef struct branch {
    int node;
    branch_kind kind;
    int64_t from, period; /* BRANCH_CLASS */
    int set; /* BRANCH_CLASS: agents that stay in their loops, an index of search.sets; -1: none */
} branch;

typedef struct search {
    machine *m;
    steady_result *result;
    size_t most_nodes;
    int descends;
    canonical form, room;
    VEC(node) nodes;
    VEC(branch) branches;
    VEC(agent_set) sets;
    int *table; /* hash of nodes, plus 1 */
    size_t table_size;
} search;

/* ---- nodes seen ---------------------------------------------------------------------------------------- */

/* Two lanes, so that multiplications overlap. */
static uint64_t hash_words(const uint32_t *words, size_t n)
{
    uint64_t even = HASH_SEED, odd = ~HASH_SEED;
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        even = (even ^ (words[i] | (uint64_t)words[i + 1] << 32)) * UINT64_C(0x9e3779b97f4a7c15);
        odd = (odd ^ (words[i + 2] | (uint64_t)words[i + 3] << 32)) * UINT64_C(0xd6e8feb86659fd93);
        even ^= even >> 32;
        odd ^= odd >> 32;
    }
    for (; i < n; i++)
        even = (even ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
    return (even ^ odd << 1) ^ (even ^ odd) >> 29;
}

/* The whole is the chain's part and a few words more. */
static uint64_t hash_whole(uint64_t chain_hash, const uint32_t *rest, size_t n)
{
    return chain_hash ^ hash_words(rest, n) * UINT64_C(0x9e3779b97f4a7c15);
}

/* Hashes are 64 bits and compared first; equal hashes with different words are kept apart by probing on. */
static const node *seen_before(const search *s, uint64_t hash)
{
    size_t i = hash & (s->table_size - 1);
    for (; s->table[i]; i = (i + 1) & (s->table_size - 1)) {
        const node *n = &s->nodes.at[s->table[i] - 1];
        if (n->hash == hash && n->length == s->form.words.len &&
            memcmp(n->words, s->form.words.at, n->length * sizeof(uint32_t)) == 0)
            return n;
    }
    return NULL;
}

static void table_add(search *s, int number)
{
    size_t i = s->nodes.at[number].hash & (s->table_size - 1);
    while (s->table[i])
        i = (i + 1) & (s->table_size - 1);
    s->table[i] = number + 1;
}

static void table_grow(search *s)
{
    if (2 * s->nodes.len < s->table_size)
        return;
    s->table_size = s->table_size ? 2 * s->table_size : 256;
    s->table = base_realloc(s->table, s->table_size * sizeof(int));
    memset(s->table, 0, s->table_size * sizeof(int));
    for (size_t i = 0; i < s->nodes.len; i++)
        table_add(s, (int)i);
}

/* ---- chains -------------------------------------------------------------------------------------------- */

static bool same_value(const question *a, const question *b)
{
    return a->value == b->value && a->instance == b->instance;
}

static bool continues_chain(const search *s, int parent, bool more, const question *q)
{
    return parent >= 0 && more && !plan_is_choice(&s->m->plan->values[q->value]) &&
           same_value(&s->nodes.at[parent].q, q);
}

static void note_period(search *s, const question *q, int64_t value_period)
{
    const plan_value *v = &s->m->plan->values[q->value];
    if (v->kind != PLAN_BOUND)
        return;
    int64_t step = trips_of(v->loop).symbolic ? trips_of(v->loop).step : 1;
    int64_t in_trips = (value_period + step - 1) / step;
    if (in_trips > s->result->period)
        s->result->period = in_trips;
}

static bool set_has(const search *s, int set, int agent_index)
{
    return set >= 0 && s->sets.at[set].words[agent_index / 64] >> (agent_index % 64) & 1;
}

static void push_branch(search *s, int number, branch_kind kind)
{
    branch b = {.node = number, .kind = kind};
    vec_push(&s->branches, b);
}

static void push_class(search *s, int number, int64_t from, int64_t period, int set)
{
    branch b = {number, BRANCH_CLASS, from, period, set};
    vec_push(&s->branches, b);
}

/* Whether the configuration at hand equals a node, whatever the value has grown by: every agent in a loop of the value
 * has moved with it, or stayed (is blocked in the same trip). Which ones have stayed. */
static bool equals_shifted(const search *s, const node *n, uint64_t chain_hash, agent_set *stayers)
{
    const canonical *c = &s->form;
    memset(stayers, 0, sizeof *stayers);
    if (n->chain_hash != chain_hash || n->chain_length != c->chain_length ||
        n->place_count != c->places.len ||
        memcmp(n->words, c->words.at, n->chain_length * sizeof(uint32_t)) != 0)
        return false;
    for (size_t i = 0; i < c->places.len; i++) {
        const canonical_place *now = &c->places.at[i], *then = &n->places[i];
        if (now->distance == then->distance)
            continue;
        if (now->test != then->test || now->agent >= MOST_STAYERS)
            return false;
        stayers->words[now->agent / 64] |= UINT64_C(1) << (now->agent % 64);
        stayers->any = true;
    }
    return true;
}

/* Looks for the configuration at hand among the chain that ends in node `last`; closes the cycle if it is there. */
static bool closes_cycle(search *s, int last, const question *q, uint64_t chain_hash)
{
    int64_t steps = 1;
    agent_set stayers;
    int start = last, set = -1;
    for (; start >= 0; start = s->nodes.at[start].chain, steps++)
        if (equals_shifted(s, &s->nodes.at[start], chain_hash, &stayers))
            break;
    if (start < 0)
        return false;
    int64_t period = steps * s->nodes.at[last].known.period;
    note_period(s, q, period);
    if (stayers.any) {
        set = (int)s->sets.len;
        vec_push(&s->sets, stayers);
    }
    for (int i = last; i != s->nodes.at[start].chain; i = s->nodes.at[i].chain)
        if (s->nodes.at[i].asked_again || stayers.any)
            push_class(s, i, s->nodes.at[i].known.from, period, set);
    return true;
}

/* ---- growing the search -------------------------------------------------------------------------------- */

static int add_node(search *s, const node *as)
{
    node n = *as;
    n.known = *value_known(s->m, n.q.value, n.q.instance);
    n.at = s->m->now.moments[s->m->plan->values[n.q.value].first_known + n.q.instance];
    n.covers = n.known.from;
    n.asked_again = s->form.asked_again;
    n.snapshot = machine_snapshot(s->m);
    n.length = s->form.words.len;
    n.chain_length = s->form.chain_length;
    n.words = base_alloc(n.length * sizeof(uint32_t));
    memcpy(n.words, s->form.words.at, n.length * sizeof(uint32_t));
    n.place_count = s->form.places.len;
    n.places = base_alloc(n.place_count * sizeof(canonical_place));
    if (n.place_count)
        memcpy(n.places, s->form.places.at, n.place_count * sizeof(canonical_place));
    vec_push(&s->nodes, n);
    table_grow(s);
    table_add(s, (int)s->nodes.len - 1);
    return (int)s->nodes.len - 1;
}

static void hash_form(const canonical *form, node *n)
{
    n->chain_hash = hash_words(form->words.at, form->chain_length);
    n->hash =
        hash_whole(n->chain_hash, form->words.at + form->chain_length, form->words.len - form->chain_length);
}

/* Whether a node says all that there is to say of the configuration at hand, for values from so much on. */
static bool is_covered_by(const node *n, int64_t from, int64_t period)
{
    return n && (!n->asked_again || (n->covers <= from && (from - n->covers) % period == 0));
}

/* The end of the chain stands for all values from that of its top on. It may be the top itself, or one that was seen. */
static void add_limit(search *s, int top)
{
    const node *above = &s->nodes.at[top];
    int64_t from = above->known.from, period = above->known.period;
    node limit = {.parent = above->parent, .more = above->more, .q = above->q, .chain = -1};
    hash_form(&s->form, &limit);
    note_period(s, &limit.q, period);
    s->result->descents++;
    const node *seen = seen_before(s, limit.hash);
    if (seen != above) {
        machine_forget(s->m, above->snapshot);
        s->nodes.at[top].snapshot = NULL;
        if (is_covered_by(seen, from, period))
            return;
    }
    int number = seen == above ? top : add_node(s, &limit);
    s->nodes.at[number].covers = from;
    if (s->nodes.at[number].asked_again)
        push_class(s, number, from, period, -1);
    else
        push_branch(s, number, BRANCH_EQUAL);
}

/* A descent is tried at few places of a chain: it may have to forget its beginning first. */
static bool may_descend(const search *s, const question *q, int links)
{
    return s->descends && links >= s->descends && !(links & (links - 1)) &&
           !plan_is_choice(&s->m->plan->values[q->value]);
}

/* False: the search is over. */
static bool follow(search *s, int number)
{
    descent d = DESCENT_NONE;
    node *n = &s->nodes.at[number];
    if (s->form.keep)
        d = descend(s->m, &s->form, &s->room, &n->q, &s->result->runs);
    if (d == DESCENT_LIMIT) {
        add_limit(s, number);
    } else if (d == DESCENT_NONE) {
        push_branch(s, number, BRANCH_EQUAL);
        push_branch(s, number, BRANCH_GREATER);
    }
    s->result->unsure = d == DESCENT_FOUND;
    return d != DESCENT_FOUND;
}

/* The machine is at rest and asks q. False: the search is over. */
static bool meet(search *s, int parent, bool more, const question *q)
{
    if (s->m->plan->loose)
        machine_weaken(s->m);
    int chain = continues_chain(s, parent, more, q) ? parent : -1;
    node n = {.parent = parent, .more = more, .q = *q, .chain = chain};
    n.links = chain >= 0 ? s->nodes.at[chain].links + 1 : 0;
    s->form.keep = may_descend(s, q, n.links);
    canonical_of(&s->form, s->m, q);
    hash_form(&s->form, &n);
    if ((chain >= 0 && closes_cycle(s, chain, q, n.chain_hash)) || (s->nodes.len && seen_before(s, n.hash)))
        return true;
    if (s->nodes.len < s->most_nodes)
        return follow(s, add_node(s, &n));
    s->result->entangled = q->value;
    return true;
}

/* ---- answers ------------------------------------------------------------------------------------------- */

static void pin_agents(const search *s, const question *q, int64_t value, int stayers)
{
    const machine *m = s->m;
    for (int i = 0; i < m->plan->agent_count; i++) {
        agent *a = &m->now.agents[i];
        if (a->status == AGENT_DONE || !a->in_loop || a->pinned || set_has(s, stayers, i))
            continue;
        const plan_task *t = &m->plan->tasks[m->plan->agents[i].task];
        if (t->ops[agent_op(m, i)->loop].value != q->value || value_instance(m, i, q->value) != q->instance)
            continue;
        a->pinned = true;
        a->pin = value;
    }
}

static void answer_question(const search *s, const node *n, const branch *b)
{
    const machine *m = s->m;
    knowledge *k = value_known(m, n->q.value, n->q.instance);
    if (b->kind == BRANCH_CLASS) {
        pin_agents(s, &n->q, k->from, b->set);
        *k = (knowledge){b->from, b->period};
    } else if (plan_is_choice(&m->plan->values[n->q.value])) {
        *k = (knowledge){b->kind == BRANCH_GREATER, 0};
    } else if (b->kind == BRANCH_GREATER) {
        value_is_greater(m, &n->q);
    } else {
        k->period = 0;
    }
    value_answered(m);
}

/* Runs on from where the machine stands, up to the next question. False when something was found, or it takes too
 * long. */
static bool run_on(search *s, int parent, bool more)
{
    question q;
    int prefer = parent >= 0 ? s->nodes.at[parent].q.value : -1;
    s->result->runs++;
    outcome o = machine_run(s->m, prefer, &q);
    if (o == OUTCOME_ASKS && !meet(s, parent, more, &q))
        return false;
    s->result->too_long = o == OUTCOME_TOO_LONG;
    if (o == OUTCOME_TOO_LONG && parent >= 0 && s->m->plan->values[prefer].kind == PLAN_BOUND)
        s->result->entangled = prefer;
    return o == OUTCOME_FINISHED || o == OUTCOME_ASKS;
}

static void tell_path(search *s, int last, bool more)
{
    for (int i = last; i >= 0; i = s->nodes.at[i].parent) {
        const node *n = &s->nodes.at[i];
        steady_answer a = {n->q.value, n->q.instance, more, n->known.from, n->known.period, n->at};
        vec_push(&s->result->path, a);
        more = n->more;
    }
    for (size_t i = 0, j = s->result->path.len; i + 1 < j; i++, j--) {
        steady_answer swap = s->result->path.at[i];
        s->result->path.at[i] = s->result->path.at[j - 1];
        s->result->path.at[j - 1] = swap;
    }
}

static void follow_all(search *s)
{
    if (!run_on(s, -1, false))
        return;
    for (size_t i = 0; i < s->branches.len && s->result->entangled < 0; i++) {
        branch b = s->branches.at[i];
        bool more = b.kind == BRANCH_GREATER;
        machine_restore(s->m, s->nodes.at[b.node].snapshot);
        answer_question(s, &s->nodes.at[b.node], &b);
        if (!run_on(s, b.node, more)) {
            tell_path(s, b.node, more);
            return;
        }
        /* The second answer is the last, unless a cycle through the node will be taken together. */
        if (more && !s->nodes.at[b.node].asked_again && !s->nodes.at[b.node].place_count) {
            machine_forget(s->m, s->nodes.at[b.node].snapshot);
            s->nodes.at[b.node].snapshot = NULL;
        }
    }
    s->result->finished = s->result->entangled < 0;
}

void steady_search(machine *m, int descends, size_t most_nodes, steady_result *result)
{
    search s = {.m = m, .result = result, .most_nodes = most_nodes, .descends = descends};
    *result = (steady_result){.entangled = -1};
    canonical_init(&s.form, m->plan);
    canonical_init(&s.room, m->plan);
    table_grow(&s);
    follow_all(&s);
    result->events = m->events;
    result->nodes = (uint32_t)s.nodes.len;
    for (size_t i = 0; i < s.nodes.len; i++) {
        machine_forget(m, s.nodes.at[i].snapshot);
        free(s.nodes.at[i].words);
        free(s.nodes.at[i].places);
    }
    vec_free(&s.nodes);
    vec_free(&s.branches);
    vec_free(&s.sets);
    free(s.table);
    canonical_free(&s.form);
    canonical_free(&s.room);
}
