/* The kernels that are mutated: the examples as they are, the feature kernels, the golden ones and those that are declared to
 * be emitted. */
#include "golden/kernels.h"
#include "mutate.h"
#include "emit_kernels.h"
#include "feature.h"

/* ---- examples: their main functions, renamed; mutate_app_main gets what they describe --------------------- */

int grid_stride_copy_main(int argc, char **argv);
int tma_copy_main(int argc, char **argv);
int persistent_copy_main(int argc, char **argv);
int gemm_main(int argc, char **argv);

int mutate_app_main(const ww_app *app, int argc, char **argv);

/* Handed round the examples' own main functions, and to what stands in for their launches. */
static struct {
    ww_kernel *kernel;
    bool run;
    const ww_witness *witness; /* to be followed by the first launch; the others are left out */
    ww_replay *seen;
    subject_run result;
    text *why;
} handed;

static bool compares(const ww_app *app, ww_run *r)
{
    ww_launch launch = {0};
    ww_comparison c = {.method = "none"};
    if (!app->prepare(app->problem, r, &launch))
        return false;
    ww_run_launch(r, &launch);
    ww_run_wait(r);
    if (ww_run_error(r) || !app->compare(app->problem, r, &c))
        return false;
    return !ww_run_error(r) && !c.unwritten && c.relative_error <= c.limit;
}

static void run_app(const ww_app *app)
{
    handed.result = RUN_RIGHT;
    for (int order = WW_ASYNC_LATE; order <= WW_ASYNC_RANDOM && handed.result == RUN_RIGHT; order++) {
        ww_run *r = ww_run_open(handed.kernel, &(ww_run_options){WW_DEVICE_EMULATOR, (ww_async_order)order, 7,
                                                                 1, .check_races = true});
        if (!compares(app, r)) {
            handed.result = RUN_WRONG;
            text_printf(handed.why, "order %d: %.300s", order, ww_run_error(r) ? ww_run_error(r) : "output");
        }
        ww_run_close(r);
        if (app->clean_up)
            app->clean_up(app->problem);
    }
}

void mutate_run_launch(ww_run *r, const ww_launch *l)
{
    if (!handed.witness)
        ww_run_launch(r, l);
    else if (!handed.seen->text)
        ww_run_replay(r, l, handed.witness, handed.seen);
}

static void replay_app(const ww_app *app)
{
    ww_launch launch = {0};
    ww_run *r = ww_run_open(handed.kernel, &(ww_run_options){.device = WW_DEVICE_EMULATOR, .marks = true});
    if (!ww_run_error(r) && app->prepare(app->problem, r, &launch))
        mutate_run_launch(r, &launch);
    if (ww_run_error(r))
        text_printf(handed.why, "%.300s", ww_run_error(r));
    ww_run_close(r);
    if (app->clean_up)
        app->clean_up(app->problem);
}

/* Sizes that --mnk and the like would set are set here. */
static void read_sizes(const ww_app *app, int argc, char **argv)
{
    for (const ww_option *o = app->options; argc >= 2 && o->name; o++) {
        if (strcmp(o->name, argv[0]) != 0)
            continue;
        char *at = argv[1];
        for (int i = 0; i < o->count; i++, at += *at == ',')
            ((int *)o->target)[i] = (int)strtol(at, &at, 10);
    }
    if (argc > 3)
        read_sizes(app, argc - 2, argv + 2);
}

int mutate_app_main(const ww_app *app, int argc, char **argv)
{
    read_sizes(app, argc - 1, argv + 1);
    if (handed.witness) {
        replay_app(app);
        return 0;
    }
    handed.kernel = app->declare(app->problem);
    if (handed.run)
        run_app(app);
    return 0;
}

/* ---- feature kernels ------------------------------------------------------------------------------------- */

static const family *const families[] = {
    &rings_family,     &bulk_family,    &gemms_family,  &stores_family,    &peers_family,
    &turns_family,     &named_family,   &groups_family, &multicast_family, &queues_family,
    &schedules_family, &aliases_family, &pdl_family,    &only_family,      &blackwell_family,
};

static subject_run try_feature(const feature *f, ww_kernel *k, text *why)
{
    for (int order = WW_ASYNC_LATE; order <= WW_ASYNC_RANDOM; order++) {
        trial t = {.run = ww_run_open(k, &(ww_run_options){WW_DEVICE_EMULATOR, (ww_async_order)order, 7, 1,
                                                           .check_races = true})};
        if (ww_run_error(t.run))
            (void)snprintf(t.wrong, sizeof t.wrong, "%s", ww_run_error(t.run));
        else
            f->check(&t, f);
        bool wrong = t.wrong[0] || ww_run_error(t.run);
        if (wrong)
            text_printf(why, "order %d: %.300s", order, t.wrong[0] ? t.wrong : ww_run_error(t.run));
        ww_run_close(t.run);
        if (wrong)
            return RUN_WRONG;
    }
    return RUN_RIGHT;
}

/* ---- all of them ----------------------------------------------------------------------------------------- */

ww_kernel *subject_declare(const subject *s)
{
    if (s->feature)
        return s->feature->declare(s->feature, "mutant");
    if (s->declare)
        return s->declare();
    handed.run = false;
    (void)s->program(s->argc, (char **)s->argv);
    return handed.kernel;
}

subject_run subject_try(const subject *s, text *why)
{
    if (s->declare)
        return RUN_NOT_TRIED;
    if (s->feature) {
        ww_kernel *k = s->feature->declare(s->feature, "mutant");
        subject_run result = try_feature(s->feature, k, why);
        ww_kernel_free(k);
        return result;
    }
    handed.run = true;
    handed.why = why;
    (void)s->program(s->argc, (char **)s->argv);
    ww_kernel_free(handed.kernel);
    return handed.result;
}

void subject_replay(const subject *s, ww_kernel *k, const ww_witness *w, ww_replay *seen, text *why)
{
    handed.kernel = k;
    handed.witness = w;
    handed.seen = seen;
    handed.why = why;
    if (s->program) {
        (void)s->program(s->argc, (char **)s->argv);
    } else if (s->feature) {
        trial t = {.run = ww_run_open(k, &(ww_run_options){.device = WW_DEVICE_EMULATOR, .marks = true})};
        if (!ww_run_error(t.run))
            s->feature->check(&t, s->feature);
        if (!seen->text) /* what the check makes of it afterwards does not matter */
            text_printf(why, "%.300s", ww_run_error(t.run) ? ww_run_error(t.run) : t.wrong);
        ww_run_close(t.run);
    } else {
        text_add(why, "no launch");
    }
    handed.witness = NULL;
}

static void add_kernel(subject_list *list, const char *group, const char *name, ww_kernel *(*declare)(void))
{
    subject s = {.group = group, .declare = declare};
    (void)snprintf(s.name, sizeof s.name, "%s", name);
    vec_push(list, s);
}

static void add_emitted(subject_list *list)
{
    for (int i = 0; emit_kernels[i]; i++) {
        mutate_begin(NO_EDIT);
        ww_kernel *k = emit_kernels[i]();
        add_kernel(list, "emitted", ww_kernel_name(k), emit_kernels[i]);
        ww_kernel_free(k);
    }
}

void subjects_add_all(subject_list *list)
{
    static const subject examples[] = {
        {"grid_stride_copy", "example", .program = grid_stride_copy_main, .argc = 5,
         .argv = {"", "count", "3003", "blocks", "3"}},
        {"tma_copy", "example", .program = tma_copy_main, .argc = 3, .argv = {"", "size", "37,264"}},
        {"persistent_copy", "example", .program = persistent_copy_main, .argc = 5,
         .argv = {"", "size", "19,515", "overlaunch", "5"}},
        {"gemm", "example", .program = gemm_main, .argc = 3, .argv = {"", "mnk", "300,270,200"}},
    };
    for (size_t i = 0; i < ARRAY_LEN(examples); i++)
        vec_push(list, examples[i]);
    add_kernel(list, "golden", "two_tasks", golden_two_tasks);
    add_kernel(list, "golden", "golden_gemm", golden_gemm);
    for (size_t i = 0; i < ARRAY_LEN(families); i++)
        for (const feature *f = families[i]->features; f->name; f++) {
            subject s = {.group = families[i]->name, .feature = f};
            (void)snprintf(s.name, sizeof s.name, "%.30s.%.30s", families[i]->name, f->name);
            vec_push(list, s);
        }
    add_emitted(list);
}
