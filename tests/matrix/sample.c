/* sample: few combinations that stand for all of them.
 *
 * Combinations that are expected to come to the same end, legal or refused with the same codes, form a
 * class. Of each class so many are taken that every two values of two dimensions that occur together in
 * the class occur together in the sample. Combinations with several codes of declaring are one class:
 * their single reasons have classes of their own. The order in which they are looked at is a fixed
 * permutation, so that the sample is the same every time. */
#include "sample.h"

enum { MOST_VALUES = 16, PAIRS = DIMENSIONS * (DIMENSIONS - 1) / 2, MANY_CODES_STEP = 64, MOST_CLASSES = 64 };

/* Walking by this many, a prime that divides no extent, visits every index once. */
enum { STRIDE_OF_WALK = 1000003 };

typedef struct class
{
    code_set codes;
    bool many; /* several codes of declaring */
    VEC(uint32_t) members;
    bool covered[PAIRS][MOST_VALUES][MOST_VALUES];
} class;

typedef struct sampling {
    class *classes;
    size_t count;
    sample *out;
} sampling;

static bool same_codes(const code_set *a, const code_set *b)
{
    for (int i = 0; i < a->count; i++)
        if (!codes_have(b, a->at[i]))
            return false;
    return a->count == b->count;
}

static class *class_of(sampling *s, const expectation *e)
{
    bool many = e->declared && e->codes.count > 1;
    for (size_t i = 0; i < s->count; i++)
        if (many ? s->classes[i].many : !s->classes[i].many && same_codes(&s->classes[i].codes, &e->codes))
            return &s->classes[i];
    if (s->count == MOST_CLASSES)
        return NULL;
    s->classes[s->count] = (class){.codes = e->codes, .many = many};
    return &s->classes[s->count++];
}

static void sort_into_classes(sampling *s)
{
    uint32_t size = matrix_size(), many = 0;
    uint64_t index = 0;
    for (uint32_t i = 0; i < size; i++) {
        index = (index + STRIDE_OF_WALK) % size;
        combination c = matrix_at((uint32_t)index);
        expectation e = matrix_expected(&c);
        s->out->legal += !e.codes.count;
        s->out->one_reason += e.codes.count == 1;
        s->out->more_reasons += e.codes.count > 1;
        if (e.declared && e.codes.count > 1 && many++ % MANY_CODES_STEP)
            continue;
        class *home = class_of(s, &e);
        if (home)
            vec_push(&home->members, (uint32_t)index);
    }
}

/* How many pairs of c are new to the class; with `take` they are not any more. */
static int new_pairs(class *k, const combination *c, bool take)
{
    int fresh = 0, pair = 0;
    for (int a = 0; a < DIMENSIONS; a++)
        for (int b = a + 1; b < DIMENSIONS; b++, pair++) {
            bool *covered = &k->covered[pair][c->at[a]][c->at[b]];
            fresh += !*covered;
            *covered |= take;
        }
    return fresh;
}

/* Those that bring much first, so that fewer are needed. */
static void cover(sampling *s, class *k)
{
    static const int least[] = {PAIRS, PAIRS * 3 / 4, PAIRS / 2, PAIRS / 4, PAIRS / 8, 3, 2, 1};
    for (size_t round = 0; round < ARRAY_LEN(least); round++)
        for (size_t i = 0; i < k->members.len; i++) {
            combination c = matrix_at(k->members.at[i]);
            if (new_pairs(k, &c, false) < least[round])
                continue;
            (void)new_pairs(k, &c, true);
            vec_push(&s->out->indexes, k->members.at[i]);
        }
}

static void take_all(sampling *s, const class *k)
{
    for (size_t i = 0; i < k->members.len; i++)
        vec_push(&s->out->indexes, k->members.at[i]);
}

static size_t classes_run(sample *out, bool full)
{
    sampling s = {.classes = base_alloc(MOST_CLASSES * sizeof(class)), .out = out};
    sort_into_classes(&s);
    for (size_t i = 0; i < s.count; i++) {
        class *k = &s.classes[i];
        if (full && !k->codes.count)
            take_all(&s, k);
        else
            cover(&s, k);
        vec_free(&k->members);
    }
    free(s.classes);
    return s.count;
}

sample sample_pairs(void)
{
    sample out = {0};
    out.classes = classes_run(&out, false);
    return out;
}

sample sample_full(void)
{
    sample out = {0};
    out.classes = classes_run(&out, true);
    return out;
}

void sample_free(sample *s)
{
    vec_free(&s->indexes);
}
