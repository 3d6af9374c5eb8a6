/* hooks: included before everything else when a file that declares kernels is compiled for this test. The public calls that
 * declare get other names, so that mutate can edit what is declared on its way into the library: a mutant is then declared
 * like any kernel, and everything that looks at declarations looks at it. */
#define ww_task_new_at mutate_task_new_at
#define ww_resource_new_at mutate_resource_new_at
#define ww_group_new_at mutate_group_new_at
#define ww_alias_at mutate_alias_at
#define ww_named_barrier_new_at mutate_named_barrier_new_at
#define ww_queue_static_at mutate_queue_static_at
#define ww_queue_clc_at mutate_queue_clc_at
#define ww_queue_counter_at mutate_queue_counter_at
#define ww_depends_at mutate_depends_at

#define ww_verb_at mutate_verb_at
#define ww_work_at mutate_work_at
#define ww_advance_tile_at mutate_advance_tile_at
#define ww_fetch_tile_at mutate_fetch_tile_at
#define ww_tile_loop_open mutate_tile_loop_open
#define ww_domain_loop_open mutate_domain_loop_open
#define ww_guard_open mutate_guard_open
#define ww_every_open mutate_every_open
#define ww_when_open mutate_when_open
#define ww_block_close mutate_block_close

#define ww_app_main mutate_app_main
#define ww_run_launch mutate_run_launch
