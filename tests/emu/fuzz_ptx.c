/* fuzz_ptx: damages the PTX of the one-file tests at random and loads and runs what comes out. Whatever the text, the
 * emulator must answer with an error, a fault or a result, and never crash or hang; what the answer is does not matter.
 * Usage: fuzz_ptx SECONDS SEED FILE... Run it in a sanitised build. */
#include "ptx_case.h"

#include <stdio.h>

enum { INSTRUCTION_LIMIT = 20000, MUTATIONS_MAX = 4 };

typedef struct fuzz {
    uint64_t random;
    uint64_t tried, loaded, finished;
} fuzz;

static uint64_t next_random(fuzz *f)
{
    f->random ^= f->random << 13; /* xorshift64 (Marsaglia) */
    f->random ^= f->random >> 7;
    f->random ^= f->random << 17;
    return f->random;
}

static size_t below(fuzz *f, size_t limit)
{
    return limit ? (size_t)(next_random(f) % limit) : 0;
}

/* ---- damage ------------------------------------------------------------------------------------------- */

static void replace(text *t, size_t at, size_t len, const char *with, size_t with_len)
{
    text result = {0};
    text_add_n(&result, t->at, at);
    text_add_n(&result, with, with_len);
    text_add_n(&result, t->at + at + len, t->len - at - len);
    text_free(t);
    *t = result;
}

/* [*start, *end) is a run of characters that stand between blanks and punctuation. */
static void pick_word(fuzz *f, const text *t, size_t *start, size_t *end)
{
    static const char breaks[] = " \t\n,;[]{}()";
    *start = *end = below(f, t->len);
    while (*start > 0 && !strchr(breaks, t->at[*start - 1]))
        --*start;
    while (*end < t->len && !strchr(breaks, t->at[*end]))
        ++*end;
}

static void pick_line(fuzz *f, const text *t, size_t *start, size_t *end)
{
    *start = *end = below(f, t->len);
    while (*start > 0 && t->at[*start - 1] != '\n')
        --*start;
    while (*end < t->len && t->at[(*end)++] != '\n')
        ;
}

static void copy_word(fuzz *f, text *t)
{
    size_t start, end, to, to_end;
    pick_word(f, t, &start, &end);
    pick_word(f, t, &to, &to_end);
    arena scratch = {0};
    const char *copied = arena_strndup(&scratch, t->at + start, end - start);
    replace(t, to, to_end - to, copied, end - start);
    arena_free(&scratch);
}

static void mutate(fuzz *f, text *t)
{
    static const char *const words[] = {"0",   "-1",   "4294967295", "0x7fffffffffffffff",
                                        "1",   "32",   "%r1",        "%rd1",
                                        "%p1", "_",    ".b64",       ".f32",
                                        "{",   "}",    "[",          "%tid.x",
                                        ";",   "%r<2>"};
    size_t start, end;
    const char *word = words[below(f, ARRAY_LEN(words))];
    switch (below(f, 6)) {
    case 0:
        if (t->len)
            t->at[below(f, t->len)] = (char)(32 + below(f, 95));
        break;
    case 1:
        pick_word(f, t, &start, &end);
        replace(t, start, end - start, word, strlen(word));
        break;
    case 2:
        pick_word(f, t, &start, &end);
        replace(t, start, end - start, "", 0);
        break;
    case 3:
        pick_line(f, t, &start, &end);
        replace(t, start, end - start, "", 0);
        break;
    case 4: copy_word(f, t); break;
    default:
        start = below(f, t->len);
        replace(t, start, 0, word, strlen(word));
        break;
    }
}

/* ---- running ------------------------------------------------------------------------------------------ */

static void run_text(fuzz *f, ptx_case *c, const text *damaged)
{
    text errors = {0};
    emu_module *module = emu_module_load(text_str(damaged), damaged->len, &errors);
    f->tried++;
    text_free(&errors);
    if (!module)
        return;
    f->loaded++;
    emu_machine *m = emu_machine_new();
    emu_result result;
    ptx_case_prepare(c, m);
    c->launch.async_order = (emu_async_order)below(f, 3);
    c->launch.seed = next_random(f);
    c->launch.host_threads = 1;
    c->launch.max_instructions = INSTRUCTION_LIMIT;
    f->finished += emu_run(m, module, &c->launch, &result) == EMU_OK;
    text_free(&result.report);
    emu_machine_free(m);
    emu_module_free(module);
}

static void fuzz_file(fuzz *f, const char *path)
{
    ptx_case c;
    if (ptx_case_read(&c, path)) {
        text damaged = {0};
        text_add_n(&damaged, text_str(&c.source), c.source.len);
        for (size_t n = 1 + below(f, MUTATIONS_MAX); n > 0; n--)
            mutate(f, &damaged);
        run_text(f, &c, &damaged);
        text_free(&damaged);
    }
    ptx_case_free(&c);
}

int main(int count, char **arguments)
{
    if (count < 4)
        return 1;
    double end = clock_ms() + 1e3 * strtod(arguments[1], NULL);
    fuzz f = {.random = strtoull(arguments[2], NULL, 0) * 2 + 1};
    while (clock_ms() < end)
        fuzz_file(&f, arguments[3 + below(&f, (size_t)count - 3)]);
    (void)printf("%llu texts, %llu loaded, %llu ran to their end\n", (unsigned long long)f.tried,
                 (unsigned long long)f.loaded, (unsigned long long)f.finished);
    return f.tried == 0;
}
