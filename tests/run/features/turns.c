/* turns: an ordered sequence. Two or three math-sized tasks take turns at a word each of shared memory per thread: the
 * chain of values shows that all of them came, and in order. */
#include "feature.h"

typedef struct turn_form {
    int tasks;
} turn_form;

typedef struct turn_task {
    ww_resource *sequence, *ledger;
    int who, count;
} turn_task;

enum { WARPS = 4, THREADS = 32 * WARPS, MOST_TASKS = 3 };

static void take_turns(ww_schedule *s, void *context)
{
    const turn_task *t = context;
    ww_domain_loop(s, ww_imm(0), ww_arg(struct words_params, pairs, 1), ww_imm(1)) {
        ww_acquire(s, t->sequence);
        ww_produce(s, t->ledger, "sign", .constants = {t->who, t->count, t->who == 0});
        ww_commit(s, t->sequence);
    }
}

static const ww_work ledger_work[] = {
    {.name = "sign", .side = WW_PRODUCER, .constants = {"int who", "int count", "int starts"}},
    {0},
};

static ww_kernel *declare(const feature *f, const char *kernel)
{
    static const char *const names[MOST_TASKS] = {"one", "two", "three"};
    const turn_form *form = f->form;
    turn_task tasks[MOST_TASKS];
    ww_kernel *k = words_kernel(kernel, "turns.cuh", ONE_CTA);
    ww_resource *sequence = ww_ordered_sequence_new(k, "sequence");
    ww_resource *ledger = ww_resource_new(
        k, "ledger", &(ww_resource_options){.buffers = {{"words", THREADS * 4}}, .work = ledger_work});
    for (int i = 0; i < form->tasks; i++) {
        tasks[i] = (turn_task){sequence, ledger, i, form->tasks};
        feature_task(k, names[i], WARPS * i, WARPS, take_turns, &tasks[i]);
    }
    return k;
}
/* ---- what must come out ---------------------------------------------------------------------------------------- */

enum { CTAS = 2, MOST_ROUNDS = 9, MOST_ROWS = MOST_TASKS * MOST_ROUNDS };

static void chain(uint32_t *rows, int tasks, int rounds)
{
    for (size_t cta = 0; cta < CTAS; cta++)
        for (size_t thread = 0; thread < THREADS; thread++) {
            size_t turns = (size_t)(tasks * rounds), first = cta * turns * ROW_WORDS;
            uint32_t word = input_word(first + thread);
            for (size_t turn = 0; turn < turns; turn++) {
                uint32_t *row = &rows[first + turn * ROW_WORDS];
                row[thread] = word;
                word = word * 5 + (uint32_t)(turn % (size_t)tasks);
                row[THREADS + thread] = word;
            }
        }
}

static void check_rounds(trial *t, int tasks, int rounds)
{
    static uint32_t rows[CTAS * MOST_ROWS * ROW_WORDS];
    size_t words = CTAS * (size_t)(tasks * rounds) * ROW_WORDS;
    struct words_params p = {.trips = tasks * rounds, .pairs = rounds};
    for (size_t i = 0; i < words; i++)
        rows[i] = input_word(i);
    p.in = (const uint32_t *)trial_put(t, rows, words * sizeof *rows);
    p.out = (uint32_t *)trial_room(t, words * sizeof *rows);
    chain(rows, tasks, rounds);
    trial_go(t, &p, CTAS, 1, 1);
    trial_expect(t, "turns", (uint64_t)p.out, rows, words);
}

static void check(trial *t, const feature *f)
{
    const turn_form *form = f->form;
    static const int rounds[] = {1, 2, 5, MOST_ROUNDS};
    for (size_t i = 0; i < sizeof rounds / sizeof *rounds; i++)
        check_rounds(t, form->tasks, rounds[i]);
}

static const feature features[] = {
    {"two_tasks", declare, check, &(const turn_form){2}},
    {"three_tasks", declare, check, &(const turn_form){3}},
    {0},
};

const family turns_family = {"turns", features};
