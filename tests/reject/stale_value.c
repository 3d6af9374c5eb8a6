/* 225: a descriptor tells of the slot where it was made; the cursor must not have moved when it is used. */
#include "reject.h"

typedef struct math {
    ww_resource *operand, *sum;
} math;

static void load(ww_schedule *s, void *context)
{
    reject_producer(s, ((math *)context)->operand);
}

static void store(ww_schedule *s, void *context)
{
    const math *m = context;
    ww_wait(s, m->sum);
    ww_consume(s, m->sum, "read");
    ww_release(s, m->sum);
}

/* The wait moves the cursor on: the descriptor is that of the slot before. */
static void describe_before_waiting(ww_schedule *s, void *context)
{
    const math *m = context;
    ww_token a = {0};
    ww_acquire(s, m->sum);
    reject_loop(s)
    {
        ww_consume(s, m->operand, "describe", .out = {&a});
        ww_wait(s, m->operand);
        ww_produce(s, m->sum, "multiply", .in = {a}), BLAME;
        ww_release(s, m->operand);
    }
    ww_commit(s, m->sum);
}

static void describe_after_waiting(ww_schedule *s, void *context)
{
    const math *m = context;
    ww_token a = {0};
    ww_acquire(s, m->sum);
    reject_loop(s)
    {
        ww_wait(s, m->operand);
        ww_consume(s, m->operand, "describe", .out = {&a});
        ww_produce(s, m->sum, "multiply", .in = {a});
        ww_release(s, m->operand);
    }
    ww_commit(s, m->sum);
}

static void describe_once(ww_schedule *s, void *context)
{
    const math *m = context;
    ww_token a = {0};
    ww_acquire(s, m->sum);
    ww_consume(s, m->operand, "describe", .out = {&a});
    reject_loop(s)
    {
        ww_wait(s, m->operand);
        ww_produce(s, m->sum, "multiply", .in = {a}), BLAME;
        ww_release(s, m->operand);
    }
    ww_commit(s, m->sum);
}

static void declare_with(ww_kernel *k, const ww_work *operand_work, bool ahead,
                         ww_schedule_function *multiply)
{
    static const ww_work sum_work[] = {
        {.name = "multiply", .side = WW_PRODUCER, .in = {"uint64_t a"}, .umma_reads = {"operand"}},
        {.name = "read", .side = WW_CONSUMER},
        {0}};
    math m;
    m.operand = ww_resource_new(
        k, "operand",
        &(ww_resource_options){.pipeline = {.type = WW_TMA_UMMA, .stages = 2, .advance_on_wait = ahead},
                               .buffers = {{"data", 1024, 0}},
                               .work = operand_work});
    m.sum = ww_resource_new(k, "sum",
                            &(ww_resource_options){.pipeline = {.type = WW_UMMA_ASYNC, .stages = 1},
                                                   .tmem = {{"sum", 32}},
                                                   .work = sum_work});
    reject_task(k, "load", 0, 1, load, &m);
    reject_task(k, "math", 1, 1, multiply, &m);
    reject_task(k, "store", 4, 4, store, &m);
}

static void declare(ww_kernel *k, bool ahead, ww_schedule_function *multiply)
{
    static const ww_work operand_work[] = {
        {.name = "fill", .side = WW_PRODUCER, .copies = {{"data", 1024}}},
        {.name = "describe", .side = WW_CONSUMER, .auxiliary = true, .out = {"uint64_t a"}},
        {0}};
    declare_with(k, operand_work, ahead, multiply);
}

static void before_the_wait(ww_kernel *k)
{
    declare(k, true, describe_before_waiting);
}

static void after_the_wait(ww_kernel *k)
{
    declare(k, true, describe_after_waiting);
}

/* One cursor, which the release moves: the slot is known before it is waited for. */
static void before_the_wait_with_one_cursor(ww_kernel *k)
{
    declare(k, false, describe_before_waiting);
}

static void once_for_all_slots(ww_kernel *k)
{
    declare(k, false, describe_once);
}

/* ---- pairs of CTAs: the follower's threads run the work, too, and wait for nothing ---------------------------- */

static void describe(ww_kernel *k, bool auxiliary)
{
    const ww_work operand_work[] = {
        {.name = "fill", .side = WW_PRODUCER, .copies = {{"data", 1024}}},
        {.name = "describe", .side = WW_CONSUMER, .auxiliary = auxiliary, .out = {"uint64_t a"}},
        {0}};
    declare_with(k, operand_work, false, describe_after_waiting);
}

static void described_by_a_read(ww_kernel *k)
{
    describe(k, false);
}

static void described_by_auxiliary_work(ww_kernel *k)
{
    describe(k, true);
}

#define PAIR                                                                                                 \
    {                                                                                                        \
        .arch = "sm_100a", .cluster = {.v = 2 }                                                              \
    }
#define SM100                                                                                                \
    {                                                                                                        \
        .arch = "sm_100a"                                                                                    \
    }

const reject_case reject_stale_value[] = {
    {"stale_value: made before the wait", before_the_wait, WW_STALE_VALUE,
     "task math: sum.multiply reads a slot of operand by a, which was made at another slot, in the first "
     "trip of "
     "its loop",
     "operand.describe after the last wait(operand) before it",
     "wait between the two, which moves the cursor", SM100},
    {"stale_value: made once for all slots", once_for_all_slots, WW_STALE_VALUE,
     "task math: sum.multiply reads a slot of operand by a, which was made at another slot, in a later trip "
     "of its "
     "loop",
     "operand.describe after the last release(operand) before it",
     "release between the two, which moves the cursor", SM100},
    {"stale_value: made by work that counts as a read, in a pair", described_by_a_read, WW_RACE, NULL, NULL,
     NULL, PAIR,
     ".auxiliary = true for work that only makes descriptors of the slot: else it counts as a read, also in "
     "the CTA of "
     "the pair that does not wait for the slot"},
    {"stale_value: made by auxiliary work, in a pair", described_by_auxiliary_work, 0, NULL, NULL, NULL,
     PAIR},
    {"stale_value: made after the wait", after_the_wait, 0, NULL, NULL, NULL, SM100},
    {"stale_value: made before the wait, with one cursor", before_the_wait_with_one_cursor, 0, NULL, NULL,
     NULL, SM100},
    {0},
};
