/* Declares the kernel of a row. */
#include "mini_row.h"

mini mini_row_declare(const mini_row *r)
{
    mini_options options = r->options;
    options.skips = r->skips;
    mini m = mini_new_with(options);
    for (int i = 0; i < MOST_RINGS && r->rings[i].name; i++) {
        const ring_row *of = &r->rings[i];
        mini_ring_with(&m, of->name,
                       (mini_ring_options){.pipeline = of->pipeline,
                                           .tensor = of->tensor,
                                           .copy = of->copy,
                                           .reach = of->reach,
                                           .shares = of->shares,
                                           .put = of->put,
                                           .get = of->get,
                                           .engine = of->engine});
    }
    if (r->group.name)
        mini_group(&m, r->group.name, r->group.mode, r->group.members, r->group.pipeline);
    if (r->named)
        mini_named(&m, r->named, 0);
    if (r->named_too)
        mini_named(&m, r->named_too, 0);
    if (r->ordered)
        mini_ordered(&m, r->ordered);
    if (r->alias[0])
        mini_alias(&m, r->alias[0], r->alias[1]);
    return m;
}

void mini_row_add_tasks(mini *m, const mini_row *r)
{
    static const char *const names[MOST_TASKS] = {"P", "Q", "U", "V", "W", "X"};
    for (int i = 0; i < MOST_TASKS && r->tasks[i].warps; i++)
        mini_add(m, names[i], r->tasks[i].warps, r->tasks[i].text);
}
