/* The checker. It reads a certificate, prints it again and compares, so that there is one spelling of each; then it gives each
 * node's machine both answers and runs it to where it rests next. Nothing is searched for and nothing believed. */
#include "certify/form.h"

#include <stdio.h>

typedef struct checker {
    world *w;
    state s, target;
    certify_result *result;
    VEC(form_node) nodes;
    int start;
    const char *at, *end;
    text again;
} checker;

static bool refuse(checker *c, const char *why)
{
    if (!c->result->why[0])
        (void)snprintf(c->result->why, sizeof c->result->why, "%s", why);
    return false;
}

/* Why a stretch of the program is wrong, or leads elsewhere. */
static bool refuse_run(checker *c, int node, const char *why)
{
    const state *s = &c->s;
    if (c->result->why[0])
        return false;
    if (s->wrong && s->wrong_agent >= 0)
        (void)snprintf(c->result->why, sizeof c->result->why, "node %d: %s at operation %d: %s", node,
                       c->w->agents[s->wrong_agent].name, s->wrong_pc, s->wrong);
    else
        (void)snprintf(c->result->why, sizeof c->result->why, "node %d: %s", node, s->wrong ? s->wrong : why);
    return false;
}

/* ---- reading ------------------------------------------------------------------------------------------- */

static bool take(checker *c, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(c->end - c->at) < n || memcmp(c->at, word, n) != 0)
        return false;
    c->at += n;
    return true;
}

/* A number up to 9 digits. */
static bool take_number(checker *c, int *number)
{
    int digits = 0;
    for (*number = 0; c->at < c->end && *c->at >= '0' && *c->at <= '9' && digits < 9; c->at++, digits++)
        *number = 10 * *number + (*c->at - '0');
    return digits > 0;
}

static bool take_target(checker *c, int *target)
{
    *target = FORM_END;
    return (take(c, "end") || take_number(c, target)) && take(c, "\n");
}

static bool starts_with(const checker *c, const char *word)
{
    size_t n = strlen(word);
    return (size_t)(c->end - c->at) >= n && memcmp(c->at, word, n) == 0;
}

static bool skip_line(checker *c)
{
    while (c->at < c->end && *c->at != '\n')
        c->at++;
    return c->at < c->end && c->at++;
}

static bool read_question(checker *c, form_node *n)
{
    int number;
    if (!take(c, "node ") || !take_number(c, &number) || !take(c, " asks "))
        return false;
    const char *name = c->at;
    if (!skip_line(c))
        return false;
    n->agent = world_find(c->w, NAME_AGENT, name, (size_t)(c->at - name) - 1);
    return n->agent >= 0;
}

static bool read_node(checker *c)
{
    form_node n = {.lines = NULL};
    if (!read_question(c, &n))
        return false;
    n.lines = c->at;
    while (!starts_with(c, "no "))
        if (!skip_line(c))
            return false;
    n.length = (size_t)(c->at - n.lines);
    if (!take(c, "no ") || !take_target(c, &n.leads[0]) || !take(c, "yes ") || !take_target(c, &n.leads[1]))
        return false;
    vec_push(&c->nodes, n);
    return true;
}

static bool read_nodes(checker *c)
{
    int nodes;
    if (!take(c, "nodes ") || !take_number(c, &nodes) || !take(c, "\nstart ") || !take_target(c, &c->start))
        return false;
    for (int i = 0; i < nodes; i++)
        if (!read_node(c))
            return false;
    return c->at == c->end;
}

static bool read_header(checker *c)
{
    text header = {0};
    form_header(c->w, &header);
    bool same = take(c, text_str(&header));
    text_free(&header);
    return same;
}

/* ---- one spelling -------------------------------------------------------------------------------------- */

/* An agent that asks, and the first to ask for this. */
static bool asks_first(const state *s, int agent)
{
    if (s->agents[agent].status != STATE_ASKS)
        return false;
    question q = state_asked(s, agent);
    return q.value >= 0 && state_first_to_ask(s, &q) == agent;
}

/* Prints what was read, and sees that the agent that a node names asks. */
static bool spell_node(checker *c, int number)
{
    const form_node *n = &c->nodes.at[number];
    if (!state_read(&c->s, n->lines, n->length))
        return refuse_run(c, number, "its machine cannot be read");
    if (!asks_first(&c->s, n->agent))
        return refuse_run(c, number, "nobody asks its question");
    form_asks(c->w, number, n->agent, &c->again);
    state_print(&c->s, &c->again);
    form_leads(n, &c->again);
    return true;
}

static bool is_spelled_right(checker *c, const char *certificate, size_t length)
{
    form_header(c->w, &c->again);
    form_start((int)c->nodes.len, c->start, &c->again);
    for (int i = 0; i < (int)c->nodes.len; i++)
        if (!spell_node(c, i))
            return false;
    return (c->again.len == length && memcmp(c->again.at, certificate, length) == 0) ||
           refuse(c, "it is not spelled as a certificate is");
}

/* Nodes are numbered as they are first led to, so that each is led to from an earlier one. */
static bool is_numbered_right(checker *c)
{
    int known = 0;
    if (c->start != FORM_END && c->start != known++)
        return refuse(c, "it does not start with node 0");
    for (int i = 0; i < (int)c->nodes.len; i++) {
        if (i >= known)
            return refuse(c, "a node is led to from no earlier one");
        for (int answer = 0; answer < 2; answer++) {
            int to = c->nodes.at[i].leads[answer];
            if (to > known)
                return refuse(c, "nodes are not numbered in order");
            known += to == known;
        }
    }
    return known == (int)c->nodes.len || refuse(c, "an answer leads to a node that is not there");
}

/* ---- running ------------------------------------------------------------------------------------------- */

static bool is_machine_of(checker *c, const form_node *n)
{
    c->again.len = 0;
    state_print(&c->s, &c->again);
    return c->again.len == n->length && memcmp(c->again.at, n->lines, n->length) == 0;
}

/* From where the machine stands, to the machine of node `to`. */
static bool leads_to(checker *c, int from, int to)
{
    state_outcome outcome = state_run(&c->s);
    if (outcome == STATE_IS_WRONG)
        return refuse_run(c, from, "");
    if (to == FORM_END)
        return outcome == STATE_FINISHED ||
               refuse_run(c, from, "the kernel does not end where it is said to");
    if (outcome == STATE_FINISHED)
        return refuse_run(c, from, "the kernel ends where it is said to go on");
    const form_node *n = &c->nodes.at[to];
    if (is_machine_of(c, n))
        return true;
    (void)state_read(&c->target, n->lines, n->length);
    form_fit(&c->s, &c->target);
    return is_machine_of(c, n) || refuse_run(c, from, "an answer leads to another machine than is said");
}

static bool check_node(checker *c, int number)
{
    const form_node *n = &c->nodes.at[number];
    for (int answer = 0; answer < 2; answer++) {
        (void)state_read(&c->s, n->lines, n->length);
        question q = state_asked(&c->s, n->agent);
        state_give(&c->s, &q, answer);
        if (!leads_to(c, number, n->leads[answer]))
            return false;
    }
    return true;
}

static bool check_all(checker *c, const char *certificate, size_t length)
{
    if (c->w->refused)
        return refuse(c, c->w->refused);
    state_new(&c->s, c->w);
    state_new(&c->target, c->w);
    c->s.most_events = FORM_MOST_EVENTS;
    if (!read_header(c))
        return refuse(c, "it is for another kernel");
    if (!read_nodes(c) || !is_spelled_right(c, certificate, length))
        return refuse(c, "it is not spelled as a certificate is");
    if (!is_numbered_right(c))
        return false;
    state_begin(&c->s);
    if (!leads_to(c, -1, c->start))
        return false;
    for (int i = 0; i < (int)c->nodes.len; i++)
        if (!check_node(c, i))
            return false;
    return true;
}

certify_result certify_check(ww_kernel *k, const ir_program *p, const char *certificate, size_t length)
{
    certify_result result = {.valid = false};
    checker c = {.w = world_new(k, p), .result = &result, .at = certificate, .end = certificate + length};
    result.valid = check_all(&c, certificate, length);
    result.nodes = (int)c.nodes.len;
    result.events = c.s.events;
    state_free(&c.s);
    state_free(&c.target);
    vec_free(&c.nodes);
    text_free(&c.again);
    world_free(c.w);
    return result;
}
