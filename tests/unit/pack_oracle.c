/* The plain algorithm and the conditions, written down as simply as they can be: slow, and without a thought
 * of saving. */
#include "pack_oracle.h"

#include "base/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

uint64_t oracle_align_up(uint64_t value, uint32_t unit)
{
    return (value + unit - 1) & ~(uint64_t)(unit - 1);
}

/* One behind the other from `start`, as declared; sets the offsets and returns the end. */
static uint64_t bump(pack_item *items, size_t count, int of_group, int phase, uint64_t start)
{
    for (size_t i = 0; i < count; i++)
        if (items[i].group == of_group && items[i].phase == phase) {
            items[i].offset = oracle_align_up(start, items[i].align);
            start = items[i].offset + items[i].size;
        }
    return start;
}

static uint64_t bump_group(pack_item *items, size_t count, int of_group, uint64_t start)
{
    uint64_t end = start;
    for (int phase = 0; phase < ORACLE_PHASES; phase++) {
        uint64_t phase_end = bump(items, count, of_group, phase, start);
        end = phase_end > end ? phase_end : end;
    }
    return end;
}

uint64_t oracle_plain(pack_item *items, size_t count)
{
    uint64_t at = 0;
    for (uint32_t align = 1024; align; align /= 2) {
        for (size_t i = 0; i < count; i++)
            if (items[i].group == NO_GROUP && items[i].align == align) {
                items[i].offset = oracle_align_up(at, align);
                at = items[i].offset + items[i].size;
            }
        for (int g = 0; g < ORACLE_GROUPS; g++) {
            uint32_t strictest = 0;
            for (size_t i = 0; i < count; i++)
                if (items[i].group == g && items[i].align > strictest)
                    strictest = items[i].align;
            if (strictest == align)
                at = oracle_align_up(at, align) + bump_group(items, count, g, 0);
            if (strictest == align)
                (void)bump_group(items, count, g, at - bump_group(items, count, g, 0));
        }
    }
    return at;
}

static bool may_overlap(const pack_item *a, const pack_item *b)
{
    return a->group != NO_GROUP && a->group == b->group && a->phase != b->phase;
}

static bool overlaps(const pack_item *a, const pack_item *b)
{
    return a->offset < b->offset + b->size && b->offset < a->offset + a->size;
}

void oracle_check(const pack_item *items, size_t count, uint64_t used)
{
    uint64_t end = 0;
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(items[i].offset % items[i].align, 0);
        end = items[i].offset + items[i].size > end ? items[i].offset + items[i].size : end;
        for (size_t j = 0; j < i; j++)
            assert_false(overlaps(&items[i], &items[j]) && !may_overlap(&items[i], &items[j]));
    }
    assert_int_equal(end, used);
}

uint32_t oracle_random(uint64_t *state, uint32_t n)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33) % n;
}
