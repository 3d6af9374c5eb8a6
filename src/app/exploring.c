/* prove --explore: the brute-force search beside the prover, on one small instance: every interleaving, state by state. */
#include "app/command.h"
#include "model/model.h"
#include "prove/explore.h"

#include <stdio.h>

static void print_faults(const explore_result *r)
{
    const struct {
        bool found;
        const char *name;
    } faults[] = {{r->deadlock, "deadlock"},
                  {r->over_arrival, "arrivals or bytes in a wrong phase"},
                  {r->lapped, "a barrier lapped"},
                  {r->race, "race"},
                  {r->leftover, "work or arrivals left at the end"}};
    for (size_t i = 0; i < ARRAY_LEN(faults); i++)
        if (faults[i].found)
            printf(" %s;", faults[i].name);
}

static int print_result(const command_line *line, const explore_result *r, const explore_values *v, double ms)
{
    printf("explore: %llu states%s, trips %d, tiles %d, %.1f ms\n", (unsigned long long)r->states,
           line->whole ? "" : " (reduced)", v->argument, v->tiles, ms);
    if (!explore_clean(r)) {
        printf("verdict: FAULT");
        print_faults(r);
        printf("\n");
    } else if (r->capped) {
        printf("verdict: NONE more than %d states (--states); nothing is claimed\n", line->states);
    } else {
        printf("verdict: CLEAN in every interleaving of this instance\n");
    }
    return !explore_clean(r) || r->capped;
}

int command_explore(const command_line *line)
{
    ww_kernel *k = command_declare(line);
    int status = 1;
    if (command_report(line, k) && k->program) {
        int least = explore_trips(k->program, true);
        int trips = line->trips > least ? line->trips : least;
        explore_values v = {.argument = trips, .device = trips, .tiles = line->tiles};
        double start = clock_ms();
        explore_result r = explore_program(
            k, k->program, v,
            (explore_options){.most_states = (uint64_t)line->states, .reduced = !line->whole});
        status = print_result(line, &r, &v, clock_ms() - start);
    }
    ww_kernel_free(k);
    return status;
}
