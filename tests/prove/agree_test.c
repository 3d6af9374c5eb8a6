/* The prover against the explorer, on random declarations: good ones, and the same with an operation dropped, doubled
 * or moved, or with a fence of what they are lowered to left out or moved. What is proved must be clean in every small
 * instance, in every interleaving; what is refuted must be broken in the instance that the refutation names.
 *
 *     agree_test [declarations [seed [pattern, -1 for any [states]]]] */
#include "agree.h"
#include "certify/certify.h"

#include "model/model.h"
#include "prove/explore.h"
#include "prove/prove.h"
#include "prove/steady.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>

enum { MOST_TOKENS = 96 };

/* ---- random numbers ---------------------------------------------------------------------------------- */

static uint64_t random_state;

static unsigned draw(unsigned below)
{
    return agree_draw(&random_state, below);
}

/* ---- declarations ------------------------------------------------------------------------------------ */

#define TENSOR .arch = "sm_100a"

static const pattern patterns[] = {
#include "patterns.def"
};

typedef struct tokens {
    char at[MOST_TOKENS][8];
    int count;
} tokens;

static bool is_verb(const char *token)
{
    return strchr("ACWHwRLMUSYy", token[0]) && token[1] != 'a'; /* "wait0" is no verb with an operand */
}

/* "A a" is one token, as are "wait0", "(" and ")*3". */
static void split(const char *schedule, const char *count, tokens *out)
{
    out->count = 0;
    while (*schedule) {
        while (*schedule == ' ')
            schedule++;
        if (!*schedule)
            break;
        size_t n = strcspn(schedule, " ");
        char word[8] = {0};
        memcpy(word, schedule, n);
        schedule += n;
        if (is_verb(word)) {
            schedule++;
            size_t m = strcspn(schedule, " ");
            (void)snprintf(out->at[out->count], 8, "%s %.*s", word, (int)m, schedule);
            schedule += m;
        } else if (strchr(word, '$')) {
            (void)snprintf(out->at[out->count], 8, ")*%s", count);
        } else {
            (void)snprintf(out->at[out->count], 8, "%s", word);
        }
        out->count++;
    }
}

static bool movable(const char *token)
{
    return is_verb(token) || token[0] == 'w' || strncmp(token, "bulk", 4) == 0;
}

static int pick(const tokens *t)
{
    for (int tries = 0; tries < 100; tries++) {
        int i = (int)draw((unsigned)t->count);
        if (movable(t->at[i]))
            return i;
    }
    return -1;
}

static void drop(tokens *t, int i)
{
    memmove(t->at[i], t->at[i + 1], (size_t)(t->count - i - 1) * sizeof *t->at);
    t->count--;
}

static void insert(tokens *t, int i, const char *token)
{
    char copy[8];
    memcpy(copy, token, sizeof copy);
    memmove(t->at[i + 1], t->at[i], (size_t)(t->count - i) * sizeof *t->at);
    memcpy(t->at[i], copy, sizeof copy);
    t->count++;
}

/* Drops, doubles or moves one operation. */
static void mutate(tokens *t)
{
    int i = pick(t);
    if (i < 0)
        return;
    char token[8];
    memcpy(token, t->at[i], sizeof token);
    switch (draw(4)) {
    case 0: drop(t, i); break;
    case 1: insert(t, i, token); break;
    default:
        drop(t, i);
        insert(t, (int)draw((unsigned)t->count + 1), token);
        break;
    }
}

static void join(const tokens *t, const declaration *d, char *out, size_t size)
{
    size_t n = (size_t)snprintf(out, size, "%s%s%s", d->pattern->leader ? "@0 " : "",
                                d->tiles ? "tiles{ " : "", d->skips ? "skip{ " : "");
    for (int i = 0; i < t->count; i++)
        n += (size_t)snprintf(out + n, size - n, "%s ", t->at[i]);
    (void)snprintf(out + n, size - n, "%s%s", d->skips ? "} " : "", d->tiles ? "}" : "");
}

static int only = -1;                          /* pattern; -1: any */
static int right_ones[ARRAY_LEN(patterns)][2]; /* unbroken declarations; those of them that are proved */

static declaration draw_declaration(void)
{
    static const char *const counts[] = {"1", "2", "3", "k", "k", "k1", "d"};
    const pattern *p = only >= 0 ? &patterns[only] : &patterns[draw(sizeof patterns / sizeof *patterns)];
    declaration d = {.pattern = p, .warps = {1, 1, 1}, .fence = draw(4) ? -1 : (int)draw(4)};
    d.fence_moves = d.fence >= 0 && draw(2) ? 3 - (int)draw(7) : 0;
    const char *count = counts[draw(7)];
    d.tiles = draw(3) == 0 || p->always_tiles;
    d.skips = d.tiles && p->queue == MINI_STATIC && draw(2);
    d.side_by_side = p->alone || draw(4) ? 1 : 2 + (int)draw(3);
    int unit = p->stride ? p->stride : p->stage_unit ? p->stage_unit : 1;
    d.stages[0] = unit * (1 + (int)draw(3));
    d.stages[1] = p->group || p->shares ? d.stages[0] : 1 + (int)draw(2);
    int broken = draw(3) ? (int)draw(MOST_TASKS) : -1;
    for (; d.tasks < MOST_TASKS && d.pattern->tasks[d.tasks]; d.tasks++) {
        tokens t = {.count = 0};
        split(d.pattern->tasks[d.tasks], count, &t);
        for (unsigned n = 1 + draw(2); d.tasks == broken && n; n--) {
            mutate(&t);
            d.broken = true;
        }
        join(&t, &d, d.texts[d.tasks], sizeof d.texts[0]);
        d.warps[d.tasks] = p->lanes[d.tasks] ? p->lanes[d.tasks] : draw(6) ? 1 : 2;
    }
    return d;
}

static ww_pipeline ring_of(ww_pipeline_type type, int stages)
{
    return (ww_pipeline){.type = type ? type : WW_ASYNC_ASYNC, .stages = stages};
}

static bool of_tensor_core(ww_pipeline_type type)
{
    return type == WW_UMMA_ASYNC || type == WW_UMMA_UMMA;
}

static mini declare(const declaration *d)
{
    const pattern *p = d->pattern;
    mini m = mini_new_with((mini_options){
        .skips = d->skips, .arch = p->arch, .cluster = declared_cluster(d), .queue = p->queue});
    ww_pipeline a = ring_of(p->a, d->stages[0]), b = ring_of(p->b, d->stages[1]);
    a.advance_on_wait = p->ahead;
    a.advance_on_acquire = p->ahead_in;
    a.producer_signaling = p->first_warp ? WW_SIGNAL_WARP_LEADER : WW_SIGNAL_DEFAULT;
    a.producer_op = p->loads ? WW_ASYNC_LOAD : WW_ASYNC_THREAD;
    a.stride.all = p->stride;
    b.stride.all = p->group ? p->stride : 0;
    mini_ring_with(&m, "a",
                   (mini_ring_options){
                       .pipeline = a, .reach = p->reach, .copy = p->copy, .tensor = of_tensor_core(p->a)});
    mini_ring_with(&m, "b",
                   (mini_ring_options){.pipeline = b,
                                       .tensor = of_tensor_core(p->b),
                                       .reach = p->b == WW_TMA_ASYNC ? p->reach : WW_REACH_OWN,
                                       .copy = p->b == WW_TMA_ASYNC ? p->copy : 0,
                                       .shares = p->shares ? "a" : NULL});
    mini_ring_with(
        &m, "x", (mini_ring_options){.tensor = p->tensor, .put = p->put, .get = p->get, .engine = p->engine});
    if (p->group)
        mini_group(&m, "g", p->mode, p->group, (ww_pipeline){.type = WW_NO_PIPELINE});
    if (p->named)
        mini_named(&m, p->named, 0);
    if (p->named_too)
        mini_named(&m, p->named_too, 0);
    if (p->ordered)
        mini_ordered(&m, p->ordered);
    if (p->alias)
        mini_alias(&m, "a", "b");
    return m;
}

static void add_tasks(mini *m, const declaration *d)
{
    static const char *const names[] = {"P", "Q", "U"};
    for (int i = 0; i < d->tasks && i < MOST_TASKS; i++)
        mini_add(m, names[i], d->warps[i], d->texts[i]);
}

static bool is_block(const ir_op *op)
{
    static const ir_kind kinds[] = {IR_TILE_LOOP, IR_TILE_LOOP_END, IR_LOOP,
                                    IR_LOOP_END,  IR_GUARD,         IR_GUARD_END};
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (op->kind == kinds[i])
            return true;
    return false;
}

/* Fence `number`, counted round the program; NULL: it has none. */
static ir_task *find_fence(const mini *m, int number, size_t *at)
{
    const ir_program *p = m->kernel->program;
    for (bool any = true; any;) {
        any = false;
        for (size_t t = 0; t < p->tasks.len; t++)
            for (*at = 0; *at < p->tasks.at[t].ops.len; ++*at) {
                bool fence = p->tasks.at[t].ops.at[*at].kind == IR_FENCE;
                if (fence && number-- == 0)
                    return &p->tasks.at[t];
                any |= fence;
            }
    }
    return NULL;
}

/* To another place in its block, if not left out: then an operation that does nothing in the prover takes its place. */
static void alter_fence(const mini *m, const declaration *d)
{
    size_t at;
    const ir_task *t = find_fence(m, d->fence, &at);
    if (t && !d->fence_moves)
        t->ops.at[at].kind = IR_GRIDDEP_LAUNCH;
    int step = d->fence_moves < 0 ? -1 : 1;
    for (int left = d->fence_moves; t && left; left -= step) {
        size_t next = at + (size_t)step;
        if (next >= t->ops.len || is_block(&t->ops.at[next]))
            return;
        ir_op moved = t->ops.at[at];
        t->ops.at[at] = t->ops.at[next];
        t->ops.at[next] = moved;
        at = next;
    }
}

static ww_verdict prove(mini *m, const declaration *d)
{
    ww_verdict v = mini_prove(m);
    if (d->fence < 0 || !m->kernel->program)
        return v;
    alter_fence(m, d);
    return prove_program(m->kernel, m->kernel->program);
}

/* ---- holding the two against each other --------------------------------------------------------------- */

static void tell(const declaration *d, const ww_verdict *v, const char *why)
{
    print_message(
        "%s\n  pattern %d, stages %d, %d%s, %d CTAs side by side, fence %d moved by %d (0: left out)\n", why,
        (int)(d->pattern - patterns), d->stages[0], d->stages[1], d->skips ? ", skipped tiles" : "",
        d->side_by_side, d->fence, d->fence_moves);
    for (int i = 0; i < d->tasks; i++)
        print_message("  %d warp(s): %s\n", d->warps[i], d->texts[i]);
    if (v->refutation)
        print_message("  %s\n", v->refutation->message);
}

static long number_before(const char *message, const char *what, long otherwise)
{
    const char *at = strstr(message, what);
    if (!at)
        return otherwise;
    while (at > message && (at[-1] == ' ' || (at[-1] >= '0' && at[-1] <= '9')))
        at--;
    return strtol(at, NULL, 10);
}

static long number_after(const char *message, const char *what, long otherwise)
{
    const char *at = strstr(message, what);
    return at ? strtol(at + strlen(what), NULL, 10) : otherwise;
}

/* " c true", " c true in tile 1", " c true in trip 2", " c true in trip 2 of tile 1" */
static void read_conditions(const char *message, explore_values *values)
{
    static const char what[] = "c true", in_trip[] = " in trip ", in_tile[] = " in tile ",
                      of_tile[] = " of tile ";
    values->conditions[0] = 0;
    for (const char *at = strstr(message, what); at; at = strstr(at + 1, what)) {
        char *after = (char *)at + sizeof what - 1;
        long bit = 0;
        if (strncmp(after, in_trip, sizeof in_trip - 1) == 0)
            bit = strtol(after + sizeof in_trip - 1, &after, 10);
        if (strncmp(after, in_tile, sizeof in_tile - 1) == 0)
            bit = strtol(after + sizeof in_tile - 1, NULL, 10);
        else if (strncmp(after, of_tile, sizeof of_tile - 1) == 0)
            bit += EXPLORE_TRIPS * strtol(after + sizeof of_tile - 1, NULL, 10);
        values->conditions[0] |= 1u << (bit % 32);
    }
}

/* The instance that a refutation names; false when it cannot be said with one value a bound. */
static bool named_instance(const char *message, explore_values *values)
{
    values->argument = (int)number_after(message, "k = ", 1);
    values->tiles = (int)number_before(message, " tile", 1);
    values->device = (int)number_after(message, "d() = ", 1);
    values->skipped = 0;
    for (int tile = 0; tile < values->tiles; tile++) {
        char skipped[32];
        (void)snprintf(skipped, sizeof skipped, "tile %d skipped", tile);
        values->skipped |= strstr(message, skipped) ? 1u << tile : 0;
    }
    read_conditions(message, values);
    const char *device = strstr(message, "d() = ");
    return !device || !strstr(device + 1, "d() = ");
}

static uint64_t most_states = 5000;
static int disagreements; /* of the explorer with itself */
static int clean_instances, broken_instances, capped_instances, compared;

/* Of accesses that race, the search with reduction need not find that they are unfenced, too. */
static bool same_faults(const explore_result *a, const explore_result *b)
{
    return a->deadlock == b->deadlock && a->over_arrival == b->over_arrival && a->lapped == b->lapped &&
           a->race == b->race && a->leftover == b->leftover && (a->race || a->unfenced == b->unfenced);
}

/* With reduction; where there are few states, without it too, and both must find the same. */
static explore_result explore(mini *m, explore_values values)
{
    explore_result r =
        explore_program(m->kernel, m->kernel->program, values, (explore_options){most_states, true});
    if (r.capped)
        return r;
    explore_result full =
        explore_program(m->kernel, m->kernel->program, values, (explore_options){most_states / 10, false});
    if (!full.capped && !same_faults(&r, &full)) {
        print_message(
            "explorer: deadlock %d %d, over-arrival %d %d, lapped %d %d, race %d %d, leftover %d %d, "
            "unfenced %d %d "
            "(with reduction, without), argument %d, device %d, tiles %d, skipped %u, conditions %u\n",
            r.deadlock, full.deadlock, r.over_arrival, full.over_arrival, r.lapped, full.lapped, r.race,
            full.race, r.leftover, full.leftover, r.unfenced, full.unfenced, values.argument, values.device,
            values.tiles, values.skipped, values.conditions[0]);
        disagreements++;
    }
    compared += !full.capped;
    return r;
}

static bool holds_in(mini *m, explore_values values)
{
    explore_result r = explore(m, values);
    clean_instances += explore_clean(&r) && !r.capped;
    capped_instances += r.capped;
    return r.capped || explore_clean(&r);
}

static bool holds_for_conditions(mini *m, const declaration *d, explore_values values)
{
    unsigned choices =
        d->pattern->condition || d->pattern->trip_condition ? 1u << 4 : 1; /* of tiles or trips */
    for (unsigned choice = 0; choice < choices; choice++) {
        values.conditions[0] = choice;
        if (d->pattern->trip_condition)
            values.conditions[0] |= (choice * 5 & 15) << EXPLORE_TRIPS;
        if (!holds_in(m, values))
            return false;
    }
    return true;
}

/* 1: the argument is promised to be at least that. */
static int has_trip(const declaration *d)
{
    int least = 0;
    for (int i = 0; i < d->tasks; i++)
        least |= strstr(d->texts[i], ")*k1") || strstr(d->texts[i], ")*1k");
    return least;
}

static bool proof_holds(mini *m, const declaration *d)
{
    int most = 2 * d->stages[0] + 2;
    bool all = strchr(d->texts[0], 'k') || strchr(d->texts[0], 'd') || d->pattern->trip_condition;
    for (int k = has_trip(d); k <= (all ? most : 1); k++)
        for (int tiles = d->tiles; tiles <= (d->tiles ? 2 : 0); tiles++)
            for (unsigned skipped = 0; skipped < (d->skips ? 1u << tiles : 1u); skipped++)
                if (!holds_for_conditions(m, d, (explore_values){k, k ? k - 1 : 2, tiles, skipped, {0}}))
                    return false;
    return true;
}

/* ---- the steady state: what is proved for all trips is proved for each number of them ------------------ */

/* Puts n for the symbolic bounds. */
static void with_trips(const char *symbolic, int n, char *out, size_t size)
{
    size_t length = 0;
    while (*symbolic && length + 16 < size) {
        if (strncmp(symbolic, ")*1k", 4) == 0) {
            length += (size_t)snprintf(out + length, size - length, ")*1:%d", n);
            symbolic += 4;
        } else if (strncmp(symbolic, ")*k", 3) == 0 || strncmp(symbolic, ")*d", 3) == 0) {
            length += (size_t)snprintf(out + length, size - length, ")*%d", n);
            symbolic += 3 + (symbolic[3] == '1');
        } else {
            out[length++] = *symbolic++;
        }
    }
    out[length] = '\0';
}

static int trips_proved;

static bool proved_for(const declaration *d, int n)
{
    declaration concrete = *d;
    for (int i = 0; i < d->tasks; i++)
        with_trips(d->texts[i], n, concrete.texts[i], sizeof concrete.texts[i]);
    mini m = declare(&concrete);
    add_tasks(&m, &concrete);
    bool proved = prove(&m, &concrete).proved;
    trips_proved += proved;
    mini_free(&m);
    return proved;
}

static bool proved_for_all(const declaration *d)
{
    for (int n = 1; n <= 17; n++)
        if (!proved_for(d, n))
            return false;
    return true;
}

/* ---- other searches: what they prove is proved ------------------------------------------------------------- */

static int loose_proofs, shortened, unprovable, unfenced;

static steady_result search_with(mini *m, bool loose, int descends)
{
    const plan *p = plan_new(m->kernel, m->kernel->program, loose);
    machine run;
    steady_result result;
    machine_init(&run, p);
    steady_search(&run, descends, 5000, &result);
    machine_free(&run);
    vec_free(&result.path);
    return result;
}

static bool proved_loosely(mini *m)
{
    bool proved = search_with(m, true, 0).finished;
    loose_proofs += proved;
    return proved;
}

/* Chains that descend, followed to their ends alone, and each of their configurations. */
static bool proved_exactly(mini *m)
{
    steady_result exact = search_with(m, false, 0);
    return exact.finished || exact.entangled >= 0 || exact.too_long;
}

static bool proved_briefly(mini *m)
{
    steady_result brief = search_with(m, false, 1);
    shortened += brief.finished && brief.descents;
    return brief.finished;
}

static bool code_agrees(ww_code code, const explore_result *r)
{
    switch (code) {
    case WW_DEADLOCK: return r->deadlock;
    case WW_OVER_ARRIVAL: return r->over_arrival;
    case WW_LAPPED: return r->lapped;
    case WW_RACE: return r->race;
    case WW_UNFENCED: return r->unfenced;
    case WW_LEFTOVER: return r->leftover;
    default: return false;
    }
}

/* Conditions of trips are not named: they are those that lead to the fault. */
static bool agrees_for_some_condition(mini *m, const ww_verdict *v, explore_values values)
{
    for (values.conditions[0] = 0; values.conditions[0] < 1u << 8; values.conditions[0]++) {
        explore_result r = explore(m, values);
        if (r.capped || code_agrees(v->refutation->code, &r))
            return true;
    }
    return false;
}

static bool confirmed; /* the last refutation was, by the explorer */

static bool refutation_holds(mini *m, const declaration *d, const ww_verdict *v)
{
    explore_values values;
    confirmed = false;
    if (!named_instance(v->refutation->message, &values))
        return true;
    explore_result r = explore(m, values);
    broken_instances += !r.capped;
    confirmed = !r.capped;
    return r.capped || code_agrees(v->refutation->code, &r) ||
           (d->pattern->trip_condition && agrees_for_some_condition(m, v, values));
}

/* Sanitizers are slow: then half as many. */
#if defined(__SANITIZE_ADDRESS__)
static long wanted = 300;
#else
static long wanted = 600;
#endif
static uint64_t seed = 20261129;

static void complain(const declaration *d, const ww_verdict *v, const char *why)
{
    tell(d, v, why);
    fail();
}

/* ---- certificates: another machine, written apart ---------------------------------------------------------- */

static int certificates, without_certificate;

static bool certified(mini *m, char *why, size_t size)
{
    text certificate = {0};
    certify_result c = certify_write(m->kernel, m->kernel->program, &certificate);
    (void)snprintf(why, size, "%s", c.why);
    text_free(&certificate);
    return c.valid;
}

/* What the writer of certificates leaves alone; else the two of them must find the same. */
static bool is_left_alone(const char *why)
{
    static const char *const reasons[] = {"there are too many machines to tell apart",
                                          "there are too many operations to execute"};
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (strstr(why, reasons[i]))
            return true;
    return false;
}

static void judge_certificate(mini *m, const declaration *d, const ww_verdict *v)
{
    char why[300];
    if (certified(m, why, sizeof why)) {
        certificates++;
        return;
    }
    without_certificate++;
    if (!is_left_alone(why)) {
        print_message("no certificate: %s\n", why);
        complain(d, v, "proved, and the writer of certificates finds a fault");
    }
}

static void judge_proof(mini *m, const declaration *d, const ww_verdict *v)
{
    judge_certificate(m, d, v);
    if (!proof_holds(m, d))
        complain(d, v, "proved, and the explorer finds a fault");
    if (!proved_for_all(d))
        complain(d, v, "proved for all trips, and not for some");
    (void)proved_loosely(m);
    (void)proved_briefly(m);
    if (!proved_exactly(m))
        complain(d, v, "proved by the ends of chains, and not exactly");
}

static void judge_refutation(mini *m, const declaration *d, const ww_verdict *v)
{
    unfenced += v->refutation->code == WW_UNFENCED;
    if (v->refutation->code == WW_UNPROVABLE) {
        unprovable += !d->pattern->trip_condition; /* blocks of two conditions may be too much */
        return;
    }
    char why[300];
    if (certified(m, why, sizeof why))
        complain(d, v, "refuted, and it has a certificate");
    if (!refutation_holds(m, d, v))
        complain(d, v, "refuted, and the explorer does not find that fault");
    if (proved_loosely(m))
        complain(d, v, "refuted, and proved with a loose plan");
    if (proved_briefly(m))
        complain(d, v, "refuted, and proved by the ends of chains");
}

static order_count ordered;

static void judge_order(const mini *m, const declaration *d, const ww_verdict *v, long number)
{
    char why[300] = "";
    if (m->kernel->program && !order_holds(m, (uint64_t)number + 1, &ordered, why, sizeof why))
        complain(d, v, why);
}

static void prover_and_explorer_agree(void **unused)
{
    (void)unused;
    int proved = 0, refuted = 0;
    random_state = seed;
    print_message("%ld declarations from seed %llu\n", wanted, (unsigned long long)seed);
    for (long i = 0; i < wanted; i++) {
        declaration d = draw_declaration();
        mini m = declare(&d);
        add_tasks(&m, &d);
        ww_verdict v = prove(&m, &d);
        int decided_before = clean_instances, undecided_before = capped_instances;
        if (!m.kernel->program)
            complain(&d, &v, "the declaration itself is refused");
        if (v.proved)
            judge_proof(&m, &d, &v);
        else
            judge_refutation(&m, &d, &v);
        judge_order(&m, &d, &v, i);
        if (!d.broken) {
            right_ones[d.pattern - patterns][0]++;
            right_ones[d.pattern - patterns][1] += v.proved;
        }
        proved += v.proved;
        refuted += !v.proved;
        if (v.proved)
            table_count(&d, clean_instances > decided_before && capped_instances == undecided_before
                                ? DECIDED_CLEAN
                                : PROVED_ALONE);
        else
            table_count(&d, v.refutation->code == WW_UNPROVABLE ? OUTSIDE
                            : confirmed                         ? DECIDED_FAULT
                                                                : REFUTED_ALONE);
        if (disagreements)
            complain(&d, &v, "the explorer disagrees with itself");
        mini_free(&m);
    }
    print_message("%d proved (%d instances explored, %d trip counts proved, %d proved loosely, %d by the "
                  "ends of chains)\n",
                  proved, clean_instances, trips_proved, loose_proofs, shortened);
    print_message("%d with a certificate, %d without\n", certificates, without_certificate);
    print_message("%d refuted (%d explored), %d of them for a fence, %d unprovable\n", refuted,
                  broken_instances, unfenced, unprovable);
    print_message("%d instances explored with and without reduction; %d had too many states\n", compared,
                  capped_instances);
    print_message(
        "%d pairs of machines: %d times one knows more, %d times the one that was made to know less\n",
        ordered.compared, ordered.more, ordered.turned);
    table_print();
    for (size_t i = 0; i < ARRAY_LEN(patterns); i++)
        if (right_ones[i][0] && !right_ones[i][1])
            print_message("pattern %zu: none of %d right ones is proved\n", i, right_ones[i][0]);
    assert_true(only >= 0 || wanted < 600 || table_has_all(1));
    assert_true(unprovable <= wanted / 200);
    assert_true(only >= 0 || (proved > wanted / 5 && refuted > wanted / 5 && unfenced > wanted / 100 &&
                              loose_proofs > proved / 2 && shortened > proved / 8));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(prover_and_explorer_agree)};
    wanted = argc > 1 ? strtol(argv[1], NULL, 10) : wanted;
    seed = argc > 2 ? strtoull(argv[2], NULL, 10) : seed;
    most_states = argc > 4 ? strtoull(argv[4], NULL, 10) : most_states;
    only = argc > 3 ? (int)strtol(argv[3], NULL, 10) : only;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
