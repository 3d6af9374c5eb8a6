/* run --replay: the generated code of the declaration, refused as it is, follows a counterexample on the emulator. */
#include "app/command.h"
#include "app/witness_file.h"

static const ww_witness *read_witness(const char *path, arena *a)
{
    text file = {0}, error = {0};
    const ww_witness *w = NULL;
    if (!file_read(path, &file))
        perror(path);
    else if (!(w = witness_read(text_str(&file), file.len, a, &error)))
        (void)fprintf(stderr, "%s: no counterexample: %s\n", path, text_str(&error));
    text_free(&file);
    text_free(&error);
    return w;
}

static void replay(const command_line *line, ww_run *r, const ww_witness *w, ww_replay *out)
{
    ww_launch launch = {0};
    if (!ww_run_error(r) && line->app->prepare(line->app->problem, r, &launch))
        ww_run_replay(r, &launch, w, out);
    if (ww_run_error(r))
        (void)fprintf(stderr, "%s\n", ww_run_error(r));
    else
        printf("%s", out->text ? out->text : "");
}

int command_replay(const command_line *line)
{
    arena a = {0};
    ww_replay out = {0};
    const ww_witness *w = read_witness(line->replay, &a);
    if (w) {
        command_line unchecked = *line;
        unchecked.unchecked = true;
        unchecked.run.device = WW_DEVICE_EMULATOR;
        unchecked.run.marks = true;
        ww_kernel *k = command_declare(&unchecked);
        ww_run *r = ww_run_open(k, &unchecked.run);
        replay(&unchecked, r, w, &out);
        ww_run_close(r);
        if (line->app->clean_up)
            line->app->clean_up(line->app->problem);
        ww_kernel_free(k);
    }
    arena_free(&a);
    return !out.reproduced;
}
