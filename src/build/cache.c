/* Results of compiles on disk.
 *
 * An entry is a header and three packed texts. The header holds the key and a hash of all that follows; an entry
 * that does not agree with its header in every bit counts as absent and is written anew. file_write renames a
 * finished file into place, so that concurrent processes never see half an entry. Byte order and layout are the
 * host's: a cache is not for sharing between machines of different kinds. */
#include "build/cache.h"
#include "build/pack.h"

#include <inttypes.h>

typedef struct cache_header {
    char magic[8];
    cache_key key;
    uint64_t hash; /* of all that follows the header */
} cache_header;

static const char cache_magic[8] = {'w', 'w', 'b', 'u', 'i', 'l', 'd', '2'};

static void entry_path(text *path, const char *folder, cache_key key)
{
    text_printf(path, "%s/%016" PRIx64 "%016" PRIx64 ".ww", folder, key.half[0], key.half[1]);
}

static cache_header header_of(cache_key key, const char *body, size_t body_bytes)
{
    cache_header header = {.key = key, .hash = hash_bytes(HASH_SEED, body, body_bytes)};
    memcpy(header.magic, cache_magic, sizeof cache_magic);
    return header;
}

/* The header has no padding, so that equal members are equal bytes. */
static bool entry_read(const text *entry, cache_key key, build_output *out)
{
    cache_header header;
    if (entry->len < sizeof header)
        return false;
    const char *body = entry->at + sizeof header;
    size_t body_bytes = entry->len - sizeof header;
    header = header_of(key, body, body_bytes);
    text *const parts[] = {&out->ptx, &out->cubin, &out->log};
    return memcmp(&header, entry->at, sizeof header) == 0 &&
           unpack_texts(body, body_bytes, parts, ARRAY_LEN(parts));
}

bool cache_load(const char *folder, cache_key key, build_output *out)
{
    text path = {0}, entry = {0};
    entry_path(&path, folder, key);
    bool ok = file_read(text_str(&path), &entry) && entry_read(&entry, key, out);
    text_free(&entry);
    text_free(&path);
    return ok;
}

void cache_store(const char *folder, cache_key key, const build_output *out)
{
    const text *const parts[] = {&out->ptx, &out->cubin, &out->log};
    text body = {0}, path = {0}, entry = {0};
    pack_texts(parts, ARRAY_LEN(parts), &body);
    cache_header header = header_of(key, text_str(&body), body.len);
    text_add_n(&entry, (const char *)&header, sizeof header);
    text_add_n(&entry, text_str(&body), body.len);
    entry_path(&path, folder, key);
    if (folder_make(folder))
        (void)file_write(text_str(&path), entry.at, entry.len);
    text_free(&entry);
    text_free(&path);
    text_free(&body);
}
