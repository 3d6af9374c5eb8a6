/* names.c: scopes and identifiers, see names.h. */
#include "emu/ptx/names.h"

enum { FIRST_CAP = 1024 };

void names_start(names *n)
{
    *n = (names){.cap = FIRST_CAP};
    n->table = base_alloc(sizeof(name_entry) * n->cap);
    memset(n->table, 0, sizeof(name_entry) * n->cap);
    vec_push(&n->parents, 0);
}

void names_free(names *n)
{
    free(n->table);
    vec_free(&n->parents);
}

uint32_t names_scope(names *n, uint32_t parent)
{
    vec_push(&n->parents, parent);
    return (uint32_t)n->parents.len - 1;
}

/* The slot that holds the name, or the empty one where it would go. */
static name_entry *slot(const names *n, uint32_t scope, const char *name, uint32_t len)
{
    uint64_t hash = hash_bytes(hash_bytes(HASH_SEED, &scope, sizeof scope), name, len);
    size_t i = (size_t)hash & (n->cap - 1);
    for (;; i = (i + 1) & (n->cap - 1)) {
        name_entry *e = &n->table[i];
        if (e->kind == NAME_NONE || (e->scope == scope && e->len == len && memcmp(e->text, name, len) == 0))
            return e;
    }
}

static void grow(names *n)
{
    names old = *n;
    n->cap *= 2;
    n->table = base_alloc(sizeof(name_entry) * n->cap);
    memset(n->table, 0, sizeof(name_entry) * n->cap);
    for (size_t i = 0; i < old.cap; i++)
        if (old.table[i].kind != NAME_NONE)
            *slot(n, old.table[i].scope, old.table[i].text, old.table[i].len) = old.table[i];
    free(old.table);
}

bool names_add(names *n, name_entry entry)
{
    if (n->used * 2 >= n->cap)
        grow(n);
    name_entry *e = slot(n, entry.scope, entry.text, entry.len);
    if (e->kind != NAME_NONE)
        return false;
    *e = entry;
    n->used++;
    return true;
}

/* Length of the name without the digits at its end. */
static uint32_t stem(const char *name, uint32_t len)
{
    uint32_t n = len;
    while (n > 0 && name[n - 1] >= '0' && name[n - 1] <= '9')
        n--;
    return n;
}

uint32_t names_range_index(const char *name, uint32_t len)
{
    uint64_t index = 0;
    for (uint32_t i = stem(name, len); i < len && index <= UINT32_MAX; i++)
        index = index * 10 + (uint64_t)(name[i] - '0');
    return index > UINT32_MAX ? UINT32_MAX : (uint32_t)index;
}

static const name_entry *find_in(const names *n, uint32_t scope, const char *name, uint32_t len)
{
    const name_entry *e = slot(n, scope, name, len);
    if (e->kind != NAME_NONE && e->kind != NAME_REGISTER_RANGE)
        return e;
    uint32_t short_len = stem(name, len);
    if (short_len == len || short_len == 0)
        return NULL;
    e = slot(n, scope, name, short_len);
    bool within = e->kind == NAME_REGISTER_RANGE && names_range_index(name, len) < e->count;
    return within ? e : NULL;
}

const name_entry *names_find(const names *n, uint32_t scope, const char *name, uint32_t len)
{
    for (;;) {
        const name_entry *e = find_in(n, scope, name, len);
        if (e || scope == 0)
            return e;
        scope = n->parents.at[scope];
    }
}
