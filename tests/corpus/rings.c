/* Rings: trips, tiles, look-ahead, phases, and memory that is used twice. */
#include "corpus.h"

typedef struct rings {
    ww_resource *a, *b, *tile, *queue;
} rings;

/* ---- 11, 13, 14, 15, 17: slots and parities ------------------------------------------------------------------------ */

static void copy_both(ww_schedule *s, void *context)
{
    rings *r = context;
    corpus_loop(s)
    {
        corpus_fill(s, r->a);
        corpus_fill(s, r->b);
    }
}

static void use_both(ww_schedule *s, void *context)
{
    rings *r = context;
    corpus_loop(s)
    {
        corpus_use(s, r->a);
        corpus_use(s, r->b);
    }
}

/* A barrier of one slot beside a ring of three: each turns its own parity. */
static void one_slot_beside_three(ww_kernel *k)
{
    rings r = {corpus_ring(k, "three", ww_pipeline_tma_async(.stages = 3)),
               corpus_ring(k, "one", ww_pipeline_tma_async(.stages = 1))};
    corpus_task(k, "load", 0, 1, copy_both, &r);
    corpus_task(k, "math", 4, 4, use_both, &r);
}

static void load_5_to_9(ww_schedule *s, void *ring)
{
    ww_domain_loop(s, ww_imm(5), ww_imm(9), ww_imm(1)) {
        corpus_fill(s, ring);
    }
}

static void use_0_to_4(ww_schedule *s, void *ring)
{
    ww_domain_loop(s, ww_imm(0), ww_imm(4), ww_imm(1)) {
        corpus_use(s, ring);
    }
}

static void a_loop_that_starts_at_5(ww_kernel *k)
{
    ww_resource *ring = corpus_ring(k, "ring", ww_pipeline_tma_async());
    corpus_task(k, "load", 0, 1, load_5_to_9, ring);
    corpus_task(k, "math", 4, 4, use_0_to_4, ring);
}

static void load_tiles(ww_schedule *s, void *context)
{
    rings *r = context;
    ww_work_tile_loop(s, r->queue) {
        corpus_producer(s, r->a);
        ww_advance_tile(s, r->queue);
    }
}

static void use_tiles(ww_schedule *s, void *context)
{
    rings *r = context;
    ww_work_tile_loop(s, r->queue) {
        corpus_consumer(s, r->a);
        ww_advance_tile(s, r->queue);
    }
}

static ww_resource *tiles(ww_kernel *k, const char *skip)
{
    return ww_queue_static(k, "tiles",
                           &(ww_queue_options){.tiles = {ww_arg(corpus_params, tiles, 0)}, .skip = skip});
}

/* The count of fills goes on from tile to tile, and so does the parity. */
static void fills_counted_across_tiles(ww_kernel *k)
{
    rings r = {.a = corpus_ring(k, "ring", ww_pipeline_tma_async()), .queue = tiles(k, NULL)};
    corpus_task(k, "load", 0, 1, load_tiles, &r);
    corpus_task(k, "math", 4, 4, use_tiles, &r);
}

/* ---- 20: a probe past the end -------------------------------------------------------------------------------------------- */

static void probe_past_the_end(ww_schedule *s, void *ring)
{
    corpus_consumer(s, ring);
    ww_try_wait(s, ring);
}

static void probe_each_trip(ww_schedule *s, void *ring)
{
    corpus_loop(s)
    {
        ww_try_wait(s, ring);
        corpus_use(s, ring);
    }
}

static void declare(ww_kernel *k, ww_pipeline pipeline, ww_schedule_function *load,
                    ww_schedule_function *math)
{
    ww_resource *ring = corpus_ring(k, "ring", pipeline);
    corpus_task(k, "load", 0, 1, load, ring);
    corpus_task(k, "math", 4, 4, math, ring);
}

static void probed_past_the_end(ww_kernel *k)
{
    declare(k, ww_pipeline_tma_async(), corpus_producer, probe_past_the_end);
}

static void probed_where_waited(ww_kernel *k)
{
    declare(k, ww_pipeline_tma_async(), corpus_producer, probe_each_trip);
}

/* ---- 45: one side of a ring under a condition of its own ------------------------------------------------------------------------ */

static void fill_changed(ww_schedule *s, void *context)
{
    rings *r = context;
    corpus_loop(s)
    {
        ww_token changed;
        ww_consume(s, r->tile, "test", .out = {&changed});
        ww_when_true(s, changed, "changed") {
            corpus_fill(s, r->a);
        }
    }
}

static void use_changed(ww_schedule *s, void *context)
{
    rings *r = context;
    corpus_loop(s)
    {
        ww_token changed;
        ww_consume(s, r->tile, "test", .out = {&changed});
        ww_when_true(s, changed, "changed") {
            corpus_use(s, r->a);
        }
    }
}

static void fill_always(ww_schedule *s, void *context)
{
    corpus_producer(s, ((rings *)context)->a);
}

static void use_always(ww_schedule *s, void *context)
{
    corpus_consumer(s, ((rings *)context)->a);
}

static void declare_changing(ww_kernel *k, ww_schedule_function *load, ww_schedule_function *math)
{
    rings r = {.a = corpus_ring(k, "queries", ww_pipeline_tma_async()), .tile = corpus_plain(k, "tile")};
    corpus_task(k, "load", 0, 1, load, &r);
    corpus_task(k, "math", 4, 4, math, &r);
}

static void waited_for_when_changed(ww_kernel *k)
{
    declare_changing(k, fill_always, use_changed);
}

static void filled_when_changed(ww_kernel *k)
{
    declare_changing(k, fill_changed, use_always);
}

static void filled_and_waited_for_when_changed(ww_kernel *k)
{
    declare_changing(k, fill_changed, use_changed);
}

/* ---- 46: given back before it has been read ------------------------------------------------------------------------------------- */

static void release_and_use(ww_schedule *s, void *ring)
{
    corpus_loop(s)
    {
        ww_wait(s, ring);
        ww_release(s, ring);
        ww_consume(s, ring, "use");
    }
}

static void released_before_the_read(ww_kernel *k)
{
    declare(k, ww_pipeline_async_async(), corpus_producer, release_and_use);
}

static void released_after_the_read(ww_kernel *k)
{
    declare(k, ww_pipeline_async_async(), corpus_producer, corpus_consumer);
}

/* ---- 75: an empty group is skipped by one task --------------------------------------------------------------------------------------- */

static void load_every_group(ww_schedule *s, void *context)
{
    rings *r = context;
    ww_work_tile_loop(s, r->queue) {
        corpus_fill(s, r->a);
        ww_advance_tile(s, r->queue);
    }
}

static void load_tiles_with_work(ww_schedule *s, void *context)
{
    rings *r = context;
    ww_work_tile_loop(s, r->queue) {
        ww_skippable(s) {
            corpus_fill(s, r->a);
        }
        ww_advance_tile(s, r->queue);
    }
}

static void use_tiles_with_work(ww_schedule *s, void *context)
{
    rings *r = context;
    ww_work_tile_loop(s, r->queue) {
        ww_skippable(s) {
            corpus_use(s, r->a);
        }
        ww_advance_tile(s, r->queue);
    }
}

static void declare_groups(ww_kernel *k, ww_schedule_function *load)
{
    rings r = {.a = corpus_ring(k, "ring", ww_pipeline_tma_async()), .queue = tiles(k, "is_empty")};
    corpus_task(k, "load", 0, 1, load, &r);
    corpus_task(k, "math", 4, 4, use_tiles_with_work, &r);
}

static void empty_groups_loaded(ww_kernel *k)
{
    declare_groups(k, load_every_group);
}

static void empty_groups_skipped(ww_kernel *k)
{
    declare_groups(k, load_tiles_with_work);
}

/* ---- 79: no trips, and a role that leaves early -------------------------------------------------------------------------------------------- */

static void fill_ahead(ww_schedule *s, void *ring)
{
    corpus_fill(s, ring);
    ww_domain_loop(s, ww_imm(1), ww_arg(corpus_params, trips, 0), ww_imm(1)) {
        corpus_fill(s, ring);
    }
}

static void a_first_fill_whatever_k_is(ww_kernel *k)
{
    declare(k, ww_pipeline_tma_async(), fill_ahead, corpus_consumer);
}

static void as_many_fills_as_trips(ww_kernel *k)
{
    declare(k, ww_pipeline_tma_async(), corpus_producer, corpus_consumer);
}

static void leave_early(ww_schedule *s, void *context)
{
    rings *r = context;
    ww_token stay;
    ww_consume(s, r->tile, "test", .out = {&stay});
    ww_when_true(s, stay, "stay") {
        corpus_consumer(s, r->a);
    }
}

static void fill_if_they_stay(ww_schedule *s, void *context)
{
    rings *r = context;
    ww_token stay;
    ww_consume(s, r->tile, "test", .out = {&stay});
    ww_when_true(s, stay, "stay") {
        corpus_producer(s, r->a);
    }
}

static void declare_leaving(ww_kernel *k, ww_schedule_function *load)
{
    rings r = {.a = corpus_ring(k, "ring", ww_pipeline_tma_async()), .tile = corpus_plain(k, "tile")};
    corpus_task(k, "load", 0, 1, load, &r);
    corpus_task(k, "math", 4, 4, leave_early, &r);
}

static void one_role_leaves(ww_kernel *k)
{
    declare_leaving(k, fill_always);
}

static void both_roles_leave(ww_kernel *k)
{
    declare_leaving(k, fill_if_they_stay);
}

/* ---- 80: two slots in use at a time, in a ring of one ------------------------------------------------------------------------------------- */

/* The last tile is held while the next is fetched. */
static void hold_one(ww_schedule *s, void *ring)
{
    ww_wait(s, ring);
    ww_consume(s, ring, "use");
    ww_domain_loop(s, ww_imm(1), ww_arg(corpus_params, trips, 1), ww_imm(1)) {
        ww_wait(s, ring);
        ww_consume(s, ring, "use");
        ww_release(s, ring);
    }
    ww_release(s, ring);
}

static void load_some(ww_schedule *s, void *ring)
{
    ww_domain_loop(s, ww_imm(0), ww_arg(corpus_params, trips, 1), ww_imm(1)) {
        corpus_fill(s, ring);
    }
}

static void one_stage(ww_kernel *k)
{
    declare(k, ww_pipeline_tma_async(.stages = 1, .advance_on_wait = true), load_some, hold_one);
}

static void two_stages(ww_kernel *k)
{
    declare(k, ww_pipeline_tma_async(.stages = 2, .advance_on_wait = true), load_some, hold_one);
}

/* ---- 83: reads that an overwrite follows ---------------------------------------------------------------------------------------------------- */

/* Two halves of one update: what is read out of the one is written into the other. Without a ring between them, nothing
 * keeps a later trip's write behind an earlier one's read. */
static const ww_work state_work[] = {
    {.name = "write", .side = WW_PRODUCER}, {.name = "read", .side = WW_CONSUMER}, {.name = NULL}};

static void read_state(ww_schedule *s, void *context)
{
    rings *r = context;
    corpus_loop(s)
    {
        ww_consume(s, r->b, "read");
        corpus_fill(s, r->a);
    }
}

static void overwrite_state(ww_schedule *s, void *context)
{
    rings *r = context;
    corpus_loop(s)
    {
        corpus_use(s, r->a);
        ww_produce(s, r->b, "write");
    }
}

static void overwrite_state_in_turn(ww_schedule *s, void *context)
{
    rings *r = context;
    corpus_loop(s)
    {
        ww_wait(s, r->a);
        ww_consume(s, r->a, "use");
        ww_produce(s, r->b, "write");
        ww_release(s, r->a);
    }
}

/* With one stage the next fill follows the release, so the read has to come after the acquire. */
static void read_state_in_turn(ww_schedule *s, void *context)
{
    rings *r = context;
    corpus_loop(s)
    {
        ww_acquire(s, r->a);
        ww_consume(s, r->b, "read");
        ww_produce(s, r->a, "fill");
        ww_commit(s, r->a);
    }
}

static void declare_state(ww_kernel *k, int stages, ww_schedule_function *first, ww_schedule_function *second)
{
    rings r = {
        corpus_ring(k, "ring", ww_pipeline_async_async(.stages = stages)),
        ww_resource_new(k, "state", &(ww_resource_options){.buffers = {{"data", 1024}}, .work = state_work})};
    corpus_task(k, "first", 0, 1, first, &r);
    corpus_task(k, "second", 1, 1, second, &r);
}

static void read_ahead_of_the_overwrite(ww_kernel *k)
{
    declare_state(k, 2, read_state_in_turn, overwrite_state_in_turn);
}

static void read_and_overwrite_in_turn(ww_kernel *k)
{
    declare_state(k, 1, read_state_in_turn, overwrite_state_in_turn);
}

static void overwrite_after_the_release(ww_kernel *k)
{
    declare_state(k, 1, read_state, overwrite_state);
}

/* ---- 85: staging that lies over operands in use; 32: barriers past the end ------------------------------------------------------------------------- */

static void stage_and_use(ww_schedule *s, void *context)
{
    rings *r = context;
    corpus_loop(s)
    {
        ww_wait(s, r->a);
        ww_consume(s, r->a, "use");
        ww_produce(s, r->b, "write");
        ww_consume(s, r->b, "read");
        ww_release(s, r->a);
    }
}

static void declare_staging(ww_kernel *k, bool aliased, ww_schedule_function *math)
{
    rings r = {corpus_ring(k, "operands", ww_pipeline_tma_async()),
               ww_resource_new(k, "staging",
                               &(ww_resource_options){.buffers = {{"data", 1024}}, .work = state_work})};
    if (aliased)
        ww_alias(k, {{r.a}}, {{r.b}});
    corpus_task(k, "load", 0, 1, corpus_producer, r.a);
    corpus_task(k, "math", 4, 1, math, &r);
}

static void staging_over_operands(ww_kernel *k)
{
    declare_staging(k, true, stage_and_use);
}

static void staging_beside_operands(ww_kernel *k)
{
    declare_staging(k, false, stage_and_use);
}

/* Of 232448 bytes two stages of operands take 2 x 98304, their barriers 32. */
static void declare_full(ww_kernel *k, uint32_t staging)
{
    static const ww_work work[] = {{.name = "fill", .side = WW_PRODUCER, .copies = {{"data", 98304}}},
                                   {.name = "use", .side = WW_CONSUMER},
                                   {.name = NULL}};
    rings r = {
        ww_resource_new(k, "operands",
                        &(ww_resource_options){.pipeline = ww_pipeline_tma_async(.stages = 2),
                                               .buffers = {{"data", 98304}},
                                               .work = work}),
        ww_resource_new(k, "staging",
                        &(ww_resource_options){.buffers = {{"data", staging, 4}}, .work = state_work})};
    corpus_task(k, "load", 0, 1, corpus_producer, r.a);
    corpus_task(k, "math", 4, 1, stage_and_use, &r);
}

static void twelve_bytes_too_many(ww_kernel *k)
{
    declare_full(k, 232448 - 2 * 98304 - 32 + 12);
}

static void no_room_for_barriers(ww_kernel *k)
{
    declare_full(k, 232448 - 2 * 98304);
}

static void to_the_last_byte(ww_kernel *k)
{
    declare_full(k, 232448 - 2 * 98304 - 32);
}

const corpus_case corpus_rings[] = {
    {"11", "each ring turns its parity after its own stages", NULL, 0, NULL, one_slot_beside_three,
     .emits = {"// task load", "three_produce_parity ^= three_produce_slot == 0;",
               "one_produce_parity ^= 1;"}},
    {"13", "the parity does not come from the loop's variable", NULL, 0, NULL, a_loop_that_starts_at_5,
     .emits = {"i_0 = 5;", "ring_produce_parity ^= ring_produce_slot == 0;"}},
    {"15", "parities outlive a tile", NULL, 0, NULL, fills_counted_across_tiles,
     .emits = {"uint32_t ring_produce_parity = 1;", "while (tile.valid)",
               "ring_produce_parity ^= ring_produce_slot == 0;"}},
    {"17", "a parity is 0 or 1", NULL, 0, NULL, fills_counted_across_tiles,
     .emits = {"ring_produce_parity = 1;", "ring_produce_parity ^= ring_produce_slot == 0;"}},
    {"20", "a probe behind the last trip", probed_past_the_end, WW_DANGLING_TRY,
     "task math: nothing uses the answer of try_wait(ring)", probed_where_waited},
    {"45", "waited for on change, filled always", waited_for_when_changed, WW_LEFTOVER,
     "with trips = 1, changed false in trip 0, queries.full[0] is filled and nobody waits for it",
     filled_and_waited_for_when_changed},
    {"45", "filled on change, waited for always", filled_when_changed, WW_DEADLOCK,
     "with trips = 1, changed false in trip 0, task math waits for ever at wait(queries) in trip 0 of its "
     "loop",
     filled_and_waited_for_when_changed},
    {"46", "given back before it is read", released_before_the_read, WW_BRACKET,
     "task math: ring.use works on a slot that is not open, in the first trip of its loop",
     released_after_the_read},
    {"75", "empty groups loaded, and not used", empty_groups_loaded, WW_LEFTOVER,
     "with 1 tile, tile 0 skipped, ring.full[0] is filled and nobody waits for it", empty_groups_skipped},
    {"79", "a first fill even if there is no trip", a_first_fill_whatever_k_is, WW_LEFTOVER,
     "with trips = 0, ring.full[0] is filled and nobody waits for it", as_many_fills_as_trips},
    {"79", "a role that leaves early", one_role_leaves, WW_LEFTOVER,
     "with trips = 1, stay false, ring.full[0] is filled and nobody waits for it", both_roles_leave},
    {"80", "two tiles held in a ring of one stage", one_stage, WW_DOUBLE_OPEN,
     "task math: wait(ring) opens more slots than there are, in the first trip of its loop", two_stages},
    {"83", "a second stage lets a read meet an overwrite", read_ahead_of_the_overwrite, WW_RACE,
     "with trips = 2, task first: state.read in trip 1 of its loop reads state.data, and nothing orders it "
     "after task second",
     read_and_overwrite_in_turn},
    {"83", "an overwrite after the slot is given back", overwrite_after_the_release, WW_RACE,
     "with trips = 2, task first: state.read in trip 1 of its loop reads state.data, and nothing orders it "
     "after task second",
     read_and_overwrite_in_turn},
    {"85", "staging over operands that are in use", staging_over_operands, WW_RACE,
     "with trips = 3, task load: operands.fill in trip 2 of its loop copies into operands.data[0], and "
     "nothing orders it after task math",
     staging_beside_operands},
    {"85", "twelve bytes over the budget", twelve_bytes_too_many, WW_CAPACITY,
     "kernel sample needs more shared memory than a CTA may use", to_the_last_byte},
    {"32", "no room for the barriers", no_room_for_barriers, WW_CAPACITY,
     "kernel sample needs more shared memory than a CTA may use", to_the_last_byte},
    {0},
};
