/* Arena and raw allocation. Chunks grow geometrically up to a cap; a request larger than a chunk gets its
 * own. */
#include "base/base.h"

#include <stdio.h>

enum { FIRST_CHUNK = 16 << 10, LARGEST_CHUNK = 1 << 20, ALIGNMENT = 16 };

struct arena_chunk {
    struct arena_chunk *next;
    size_t used, cap;
    _Alignas(ALIGNMENT) unsigned char bytes[];
};

_Noreturn void base_oom(size_t bytes)
{
    (void)fprintf(stderr, "warpwright: out of memory (%zu bytes wanted)\n", bytes);
    abort();
}

void *base_alloc(size_t bytes)
{
    return base_realloc(NULL, bytes);
}

void *base_realloc(void *old, size_t bytes)
{
    void *p = realloc(old, bytes ? bytes : 1);
    if (!p)
        base_oom(bytes);
    return p;
}

static struct arena_chunk *chunk_new(arena *a, size_t bytes)
{
    size_t cap = a->chunks ? a->chunks->cap * 2 : FIRST_CHUNK;
    if (cap > LARGEST_CHUNK)
        cap = LARGEST_CHUNK;
    if (cap < bytes)
        cap = bytes;
    struct arena_chunk *c = base_alloc(sizeof *c + cap);
    c->next = a->chunks;
    c->used = 0;
    c->cap = cap;
    a->chunks = c;
    return c;
}

void *arena_alloc(arena *a, size_t bytes)
{
    bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    struct arena_chunk *c = a->chunks;
    if (!c || c->cap - c->used < bytes)
        c = chunk_new(a, bytes);
    void *p = c->bytes + c->used;
    c->used += bytes;
    return memset(p, 0, bytes);
}

char *arena_strndup(arena *a, const char *s, size_t len)
{
    char *copy = arena_alloc(a, len + 1);
    if (len) /* s may be NULL then, which memcpy does not take */
        memcpy(copy, s, len);
    return copy;
}

char *arena_strdup(arena *a, const char *s)
{
    return arena_strndup(a, s, strlen(s));
}

char *arena_vprintf(arena *a, const char *fmt, va_list args)
{
    va_list again;
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    char *s = arena_alloc(a, (size_t)len + 1);
    (void)vsnprintf(s, (size_t)len + 1, fmt, args);
    return s;
}

char *arena_printf(arena *a, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    char *s = arena_vprintf(a, fmt, args);
    va_end(args);
    return s;
}

void arena_free(arena *a)
{
    while (a->chunks) {
        struct arena_chunk *next = a->chunks->next;
        free(a->chunks);
        a->chunks = next;
    }
}
