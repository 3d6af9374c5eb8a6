/* emu_fences: with check_fences, every emulator test that there is (ptx_case.h) ends as it does without; and each of the right
 * ones, with one fence taken out at a time, is a fault. Usage: emu_fences FILE... */
#include "ptx_case.h"

#include <stdio.h>

static const char stale[] = "X-PROXY-STALE";

/* Fences that may go: `number`, from 0, in the order of the file. */
static const struct spare {
    const char *file, *why;
    int number;
} spares[] = {
    {"clc_cluster.ptx", "what lies there has been read, not written", 0},
    {"clc_queue.ptx", "what lies there has been read, not written", 0},
    {"misc_clock_nanosleep.ptx", "no engine is at work", 0},
    {"umma_pair.ptx", "nobody has used tensor memory yet", 1},
    {"umma_pair.ptx", "nobody has used tensor memory yet", 2},
    {"umma_pair.ptx", "in the orders that are run, the fence before it comes after the commit", 3},
    {"umma_pair.ptx", "nobody uses tensor memory any more", 4},
};

typedef struct counts {
    int files, fences, spared, wrong;
} counts;

static void complain(counts *n, const ptx_case *c, const char *what, const char *detail)
{
    (void)printf("%s: %s\n%s\n", c->path, what, detail);
    n->wrong++;
}

/* Runs what the source says now; whether it ends with a stale access. */
static bool is_stale(ptx_case *c, text *report)
{
    text errors = {0};
    emu_module *module = emu_module_load(text_str(&c->source), c->source.len, &errors);
    emu_machine *m = emu_machine_new();
    emu_result result = {0};
    ptx_case_prepare(c, m);
    c->launch.check_fences = true;
    if (module)
        (void)emu_run(m, module, &c->launch, &result);
    bool found = strstr(text_str(&result.report), stale) != NULL;
    text_add(report, text_str(&result.report));
    text_free(&result.report);
    text_free(&errors);
    emu_module_free(module);
    emu_machine_free(m);
    return found;
}

/* The next fence of those that the check is about, from `at` on; NULL: there is none. */
static char *next_fence(char *at)
{
    char *proxy = strstr(at, "fence.proxy.async"), *tensor = strstr(at, "tcgen05.fence::");
    if (!proxy || (tensor && tensor < proxy))
        return tensor;
    return proxy;
}

static bool is_spare(const ptx_case *c, int number)
{
    const char *name = strrchr(c->path, '/') ? strrchr(c->path, '/') + 1 : c->path;
    for (size_t i = 0; i < ARRAY_LEN(spares); i++)
        if (strcmp(spares[i].file, name) == 0 && spares[i].number == number)
            return true;
    return false;
}

static void run_without(counts *n, ptx_case *c, char *fence, int number)
{
    char kept[64];
    size_t len = strcspn(fence, ";");
    text report = {0};
    if (len >= sizeof kept)
        return;
    memcpy(kept, fence, len);
    kept[len] = '\0';
    memset(fence, ' ', len);
    bool found = is_stale(c, &report), spare = is_spare(c, number);
    memcpy(fence, kept, len);
    n->fences++;
    n->spared += spare;
    if (found == spare) {
        (void)printf("%s, number %d: ", kept, number);
        complain(n, c, spare ? "may not go" : "nothing is found without it", text_str(&report));
    }
    text_free(&report);
}

static void run_file(counts *n, const char *path)
{
    ptx_case c;
    text report = {0};
    if (!ptx_case_read(&c, path)) {
        complain(n, &c, "bad test", c.error);
        return;
    }
    bool expected = c.texts.len && strstr(c.texts.at[0], stale), found = is_stale(&c, &report);
    n->files++;
    if (found != expected)
        complain(n, &c, "a stale access in a right program", text_str(&report));
    int number = 0;
    for (char *at = next_fence(c.source.at); !found && at && strcmp(c.how, "ok") == 0;
         at = next_fence(at + 1))
        run_without(n, &c, at, number++);
    text_free(&report);
    ptx_case_free(&c);
}

int main(int count, char **arguments)
{
    counts n = {0};
    for (int i = 1; i < count; i++)
        run_file(&n, arguments[i]);
    (void)printf("%d files, %d fences, %d spared, %d wrong\n", n.files, n.fences, n.spared, n.wrong);
    return n.wrong || !n.fences;
}
