/* The checker. It gives each node's machine both answers and runs it to where it rests next; the machine of the node that is said
 * to come must cover that one. Nothing is searched for and nothing believed. That there is one spelling of each certificate is
 * seen to by spelling again what was read, and where an edge leads. */
#include "certify/form.h"

#include <stdio.h>

typedef struct checker {
    world *w;
    state s, target;
    certify_result *result;
    VEC(form_node) nodes;
    int start;
    speller p;
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

static bool read_header(checker *c, const char *certificate, size_t length)
{
    c->again.len = 0;
    form_header(c->w, &c->again);
    if (length < c->again.len || memcmp(certificate, c->again.at, c->again.len) != 0)
        return false;
    c->p = (speller){.s = &c->s, .at = certificate + c->again.len, .end = certificate + length};
    return true;
}

/* An agent that asks, and the first to ask for this. */
static bool asks_first(const state *s, int agent)
{
    if (s->agents[agent].status != STATE_ASKS)
        return false;
    question q = state_asked(s, agent);
    return q.value >= 0 && state_first_to_ask(s, &q) == agent;
}

static bool is_machine_of(checker *c, const form_node *n)
{
    c->again.len = 0;
    spell_print(&c->s, &c->again);
    return c->again.len == n->length && memcmp(c->again.at, n->lines, n->length) == 0;
}

/* A node, whose machine must be spelled as machines are. */
static bool read_node(checker *c, int number)
{
    form_node n = {.lines = NULL};
    form_spell_node(&c->p, &n, number);
    if (c->p.wrong)
        return refuse_run(c, number, "it cannot be read");
    if (!asks_first(&c->s, n.agent))
        return refuse_run(c, number, "nobody asks its question");
    state_rename(&c->s);
    weaken_machine(&c->s);
    if (!is_machine_of(c, &n))
        return refuse_run(c, number, "it is not spelled as a certificate is");
    vec_push(&c->nodes, n);
    return true;
}

static bool read_nodes(checker *c)
{
    int nodes = 0;
    form_start(&c->p, &nodes, &c->start);
    for (int i = 0; i < nodes && !c->p.wrong; i++)
        if (!read_node(c, i))
            return false;
    return (!c->p.wrong && c->p.at == c->p.end) || refuse(c, "it is not spelled as a certificate is");
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
    (void)spell_read(&c->target, n->lines, n->lines + n->length);
    state_rename(&c->s);
    if (!state_covers(&c->target, &c->s))
        return refuse_run(c, from, "an answer leads to another machine than is said");
    weaken_machine(&c->s);
    if (is_machine_of(c, n))
        return true;
    form_fit(&c->s, &c->target);
    return is_machine_of(c, n) || refuse_run(c, from, "an answer leads to a stronger machine than is said");
}

static bool check_node(checker *c, int number)
{
    const form_node *n = &c->nodes.at[number];
    for (int answer = 0; answer < 2; answer++) {
        (void)spell_read(&c->s, n->lines, n->lines + n->length);
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
    weaken_prepare(c->w);
    state_new(&c->s, c->w);
    state_new(&c->target, c->w);
    c->s.most_events = FORM_MOST_EVENTS;
    if (!read_header(c, certificate, length))
        return refuse(c, "it is for another kernel");
    if (!read_nodes(c) || !is_numbered_right(c))
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
    checker c = {.w = world_new(k, p), .result = &result};
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
