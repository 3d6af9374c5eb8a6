/* run_ptx: runs one-file emulator tests (ptx_case.h). Usage: run_ptx [--show] FILE...; the exit status is 0 when all
 * pass. With --show, the first run of each prints its report and what every buffer holds instead.
 *
 * A test that does not fix the order of asynchronous operations runs with all three, random with several seeds, and
 * on one and on several host threads: the outcome must be the same. */
#include "ptx_case.h"

#include <stdio.h>

static const char *const status_names[] = {
    [EMU_OK] = "ok",
    [EMU_DEADLOCK] = "deadlock",
    [EMU_FAULT] = "fault",
    [EMU_UNSUPPORTED] = "unsupported",
    [EMU_BAD_LAUNCH] = "bad-launch",
};

static bool complain(const ptx_case *c, const char *run, const char *what, const char *detail)
{
    (void)printf("%s (%s): %s\n%s\n", c->path, run, what, detail);
    return false;
}

static void print_element(const ptx_buffer *b, const uint8_t *at, text *out)
{
    uint64_t bits = 0;
    memcpy(&bits, at, b->element);
    if (b->is_float && b->element == 4) {
        float value;
        memcpy(&value, at, 4);
        text_printf(out, "%g (0x%08llx)", (double)value, (unsigned long long)bits);
    } else if (b->is_float) {
        double value;
        memcpy(&value, at, 8);
        text_printf(out, "%g (0x%016llx)", value, (unsigned long long)bits);
    } else {
        text_printf(out, "%llu (0x%llx)", (unsigned long long)bits, (unsigned long long)bits);
    }
}

static bool check_buffer(const ptx_case *c, emu_machine *m, const char *run, size_t index)
{
    const ptx_buffer *b = &c->params.at[index];
    const uint8_t *got = emu_host_pointer(m, b->address, b->bytes);
    for (size_t i = 0; i < b->bytes; i += b->element) {
        if (memcmp(got + i, b->expected + i, b->element) == 0)
            continue;
        text detail = {0};
        text_printf(&detail, "  parameter %zu, element %zu is ", index, i / b->element);
        print_element(b, got + i, &detail);
        text_add(&detail, ", expected ");
        print_element(b, b->expected + i, &detail);
        (void)complain(c, run, "wrong result", text_str(&detail));
        text_free(&detail);
        return false;
    }
    return true;
}

static bool check_report(const ptx_case *c, const char *run, const char *how, const char *report)
{
    if (strcmp(how, c->how) != 0)
        return complain(c, run,
                        arena_printf((arena *)(uintptr_t)&c->arena, "ended with %s, not %s", how, c->how),
                        report);
    const char **wanted;
    vec_each(wanted, &c->texts)
        if (!strstr(report, *wanted))
            return complain(
                c, run, arena_printf((arena *)(uintptr_t)&c->arena, "report lacks \"%s\"", *wanted), report);
    return true;
}

static void show(const ptx_case *c, emu_machine *m, const emu_result *result)
{
    (void)printf("%s: %s, %llu instructions\n%s", c->path, status_names[result->status],
                 (unsigned long long)result->instructions, text_str(&result->report));
    for (size_t n = 0; n < c->params.len; n++) {
        const ptx_buffer *b = &c->params.at[n];
        if (!b->address)
            continue;
        const uint8_t *at = emu_host_pointer(m, b->address, b->bytes);
        (void)printf("parameter %zu:", n);
        for (size_t i = 0; i < b->bytes; i += b->element) {
            uint64_t bits = 0;
            memcpy(&bits, at + i, b->element);
            (void)printf(" 0x%llx", (unsigned long long)bits);
        }
        (void)printf("\n");
    }
}

/* `run` names the mode; NULL: show what comes out. */
static bool run_once(ptx_case *c, const emu_module *module, const char *run)
{
    emu_machine *m = emu_machine_new();
    emu_result result;
    ptx_case_prepare(c, m);
    if (c->error) {
        emu_machine_free(m);
        return complain(c, run, "bad test", c->error);
    }
    emu_status status = emu_run(m, module, &c->launch, &result);
    if (!run)
        show(c, m, &result);
    bool ok = !run || check_report(c, run, status_names[status], text_str(&result.report));
    for (size_t i = 0; ok && run && status == EMU_OK && i < c->params.len; i++)
        if (c->params.at[i].expected)
            ok = check_buffer(c, m, run, i);
    text_free(&result.report);
    emu_machine_free(m);
    return ok;
}

/* A module keeps its .global variables from launch to launch, so every run loads its own. */
static bool load_and_run(ptx_case *c, const char *run)
{
    text errors = {0};
    emu_module *module = emu_module_load(text_str(&c->source), c->source.len, &errors);
    bool ok;
    if (!module && !run)
        ok = printf("%s: parse\n%s", c->path, text_str(&errors)) > 0;
    else if (!module)
        ok = check_report(c, run, "parse", text_str(&errors));
    else
        ok = run_once(c, module, run);
    emu_module_free(module);
    text_free(&errors);
    return ok;
}

static const struct mode {
    const char *name, *async;
    emu_async_order order;
    uint64_t seed;
    uint32_t threads;
} modes[] = {
    {"late", "late", EMU_ASYNC_LATE, 0, 1},         {"early", "early", EMU_ASYNC_EARLY, 0, 1},
    {"random 1", "random", EMU_ASYNC_RANDOM, 1, 1}, {"random 2", "random", EMU_ASYNC_RANDOM, 2, 1},
    {"random 3", "random", EMU_ASYNC_RANDOM, 3, 1}, {"late, 4 threads", "late", EMU_ASYNC_LATE, 0, 4},
};

static bool run_file(const char *path, bool showing)
{
    ptx_case c;
    bool ok = true;
    if (!ptx_case_read(&c, path))
        ok = complain(&c, "header", "bad test", c.error);
    uint32_t threads = c.launch.host_threads;
    for (size_t i = 0; ok && i < ARRAY_LEN(modes); i++) {
        if (c.async && strcmp(c.async, modes[i].async) != 0)
            continue;
        c.launch.async_order = modes[i].order;
        c.launch.seed = modes[i].seed;
        c.launch.host_threads = threads ? threads : modes[i].threads;
        ok = load_and_run(&c, showing ? NULL : modes[i].name);
        if (showing)
            break;
    }
    ptx_case_free(&c);
    return ok;
}

int main(int count, char **arguments)
{
    int failed = 0, first = 1;
    bool showing = count > 1 && strcmp(arguments[1], "--show") == 0;
    first += showing;
    for (int i = first; i < count; i++)
        failed += !run_file(arguments[i], showing);
    if (failed)
        (void)printf("%d of %d tests failed\n", failed, count - first);
    return failed || count <= first;
}
