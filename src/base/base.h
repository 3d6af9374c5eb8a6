/* base: the ground every other layer stands on.
 *
 * An arena (allocate many, free once), typed vectors, a growing string and a few helpers. Nothing here knows
 * of kernels or of PTX. Memory that the system refuses is not an error a caller can mend: base_oom() says so
 * on stderr and aborts. */
#ifndef WW_BASE_H
#define WW_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))

_Noreturn void base_oom(size_t bytes);

/* malloc, realloc that never return NULL (base_oom instead); free with free(). */
void *base_alloc(size_t bytes);
void *base_realloc(void *old, size_t bytes);

/* ---- arena: bump allocation in chunks, all freed together ------------------------------------------- */

typedef struct arena {
    struct arena_chunk *chunks; /* newest first */
} arena;

void *arena_alloc(arena *a, size_t bytes); /* zeroed, aligned for any type */
char *arena_strdup(arena *a, const char *s);
char *arena_strndup(arena *a, const char *s, size_t len);
char *arena_printf(arena *a, const char *fmt, ...) PRINTF_LIKE(2, 3);
char *arena_vprintf(arena *a, const char *fmt, va_list args);
void arena_free(arena *a);

#define arena_new(a, T) ((T *)arena_alloc((a), sizeof(T)))
#define arena_array(a, T, n) ((T *)arena_alloc((a), sizeof(T) * (size_t)(n)))

/* ---- vec: a typed growing array. Zero-initialise; free with vec_free -------------------------------- */

#define VEC(T)                                                                                               \
    struct {                                                                                                 \
        T *at;                                                                                               \
        size_t len, cap;                                                                                     \
    }

/* Appends value; evaluates v more than once. */
#define vec_push(v, value)                                                                                   \
    ((v)->len == (v)->cap ? vec_grow((void **)&(v)->at, &(v)->cap, sizeof(*(v)->at)) : (void)0,              \
     (v)->at[(v)->len++] = (value))

/* The newest element. The vector must not be empty. */
#define vec_last(v) (&(v)->at[(v)->len - 1])
#define vec_each(p, v) for (p = (v)->at; (p) != (v)->at + (v)->len; (p)++)
#define vec_free(v) (free((v)->at), (v)->at = NULL, (v)->len = (v)->cap = 0)

void vec_grow(void **at, size_t *cap, size_t elem_bytes);

/* ---- text: a growing, always terminated string ------------------------------------------------------ */

typedef struct text {
    char *at; /* NULL until something was added */
    size_t len, cap;
} text;

void text_add(text *t, const char *s);
void text_add_n(text *t, const char *s, size_t len);
void text_printf(text *t, const char *fmt, ...) PRINTF_LIKE(2, 3);
void text_vprintf(text *t, const char *fmt, va_list args);
const char *text_str(const text *t); /* never NULL */
void text_free(text *t);

/* ---- files, hashes, time ---------------------------------------------------------------------------- */

/* Reads a whole file into t (appended). False with errno set when it cannot be read. */
bool file_read(const char *path, text *t);
/* Writes len bytes, through a temporary file and a rename, so that no reader sees a half-written file; to what is no file, a
 * device or a pipe, directly. A symbolic link stays one: written is what it points to, whether that is there yet or not.
 * False with errno set on failure. */
bool file_write(const char *path, const void *data, size_t len);
/* Creates a folder and its parents. False with errno set on failure. */
bool folder_make(const char *path);

/* FNV-1a, 64 bits; start with HASH_SEED and chain. For cache keys and change detection, not for security. */
#define HASH_SEED UINT64_C(0xcbf29ce484222325)
uint64_t hash_bytes(uint64_t hash, const void *data, size_t len);
uint64_t hash_text(uint64_t hash, const char *s);

double clock_ms(void); /* monotonic wall clock */

static inline uint32_t round_up(uint32_t value, uint32_t unit)
{
    return (value + unit - 1) / unit * unit;
}

static inline uint32_t ceil_div(uint32_t a, uint32_t b)
{
    return (a + b - 1) / b;
}

#endif
