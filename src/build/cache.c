/* Results of compiles on disk.
 *
 * An entry is a header and three texts end to end. The header holds the key, the lengths and a hash of the
 * texts; an entry that does not agree with its header in every bit counts as absent and is written anew.
 * file_write renames a finished file into place, so that concurrent processes never see half an entry. Byte
 * order and layout are the host's: a cache is not for sharing between machines of different kinds, and the
 * magic number says so. */
#include "build/cache.h"

#include <inttypes.h>

typedef struct cache_header {
    char magic[8];
    cache_key key;
    uint64_t ptx_bytes, cubin_bytes, log_bytes;
    uint64_t hash; /* of all that follows the header */
} cache_header;

static const char cache_magic[8] = {'w', 'w', 'b', 'u', 'i', 'l', 'd', '1'};

static void entry_path(text *path, const char *folder, cache_key key)
{
    text_printf(path, "%s/%016" PRIx64 "%016" PRIx64 ".ww", folder, key.half[0], key.half[1]);
}

static bool header_fits(const cache_header *h, cache_key key, const char *body, size_t body_bytes)
{
    return memcmp(h->magic, cache_magic, sizeof cache_magic) == 0 && h->key.half[0] == key.half[0] &&
           h->key.half[1] == key.half[1] && h->ptx_bytes <= body_bytes &&
           h->cubin_bytes <= body_bytes - h->ptx_bytes &&
           h->log_bytes == body_bytes - h->ptx_bytes - h->cubin_bytes &&
           h->hash == hash_bytes(HASH_SEED, body, body_bytes);
}

static void entry_unpack(const cache_header *h, const char *body, build_output *out)
{
    text_add_n(&out->ptx, body, h->ptx_bytes);
    text_add_n(&out->cubin, body + h->ptx_bytes, h->cubin_bytes);
    text_add_n(&out->log, body + h->ptx_bytes + h->cubin_bytes, h->log_bytes);
}

bool cache_load(const char *folder, cache_key key, build_output *out)
{
    text path = {0}, entry = {0};
    entry_path(&path, folder, key);
    cache_header header;
    bool ok = file_read(text_str(&path), &entry) && entry.len >= sizeof header;
    if (ok) {
        const char *body = entry.at + sizeof header;
        memcpy(&header, entry.at, sizeof header);
        ok = header_fits(&header, key, body, entry.len - sizeof header);
        if (ok)
            entry_unpack(&header, body, out);
    }
    text_free(&entry);
    text_free(&path);
    return ok;
}

void cache_store(const char *folder, cache_key key, const build_output *out)
{
    cache_header header = {
        .key = key, .ptx_bytes = out->ptx.len, .cubin_bytes = out->cubin.len, .log_bytes = out->log.len};
    memcpy(header.magic, cache_magic, sizeof cache_magic);
    const text *const parts[] = {&out->ptx, &out->cubin, &out->log};
    text body = {0};
    for (size_t i = 0; i < ARRAY_LEN(parts); i++)
        text_add_n(&body, text_str(parts[i]), parts[i]->len);
    header.hash = hash_bytes(HASH_SEED, text_str(&body), body.len);

    text path = {0}, entry = {0};
    text_add_n(&entry, (const char *)&header, sizeof header);
    text_add_n(&entry, text_str(&body), body.len);
    entry_path(&path, folder, key);
    if (folder_make(folder))
        (void)file_write(text_str(&path), entry.at, entry.len);
    text_free(&path);
    text_free(&entry);
    text_free(&body);
}
