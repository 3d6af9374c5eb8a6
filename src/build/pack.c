/* Several texts in one: count lengths of 64 bits, then the contents. */
#include "build/pack.h"

void pack_texts(const text *const *parts, size_t count, text *packed)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t bytes = parts[i]->len;
        text_add_n(packed, (const char *)&bytes, sizeof bytes);
    }
    for (size_t i = 0; i < count; i++)
        text_add_n(packed, text_str(parts[i]), parts[i]->len);
}

static uint64_t length_at(const char *packed, size_t i)
{
    uint64_t bytes;
    memcpy(&bytes, packed + i * sizeof bytes, sizeof bytes);
    return bytes;
}

bool unpack_texts(const char *packed, size_t len, text *const *parts, size_t count)
{
    if (len < count * sizeof(uint64_t))
        return false;
    size_t left = len - count * sizeof(uint64_t);
    for (size_t i = 0; i < count; i++) {
        if (length_at(packed, i) > left)
            return false;
        left -= length_at(packed, i);
    }
    if (left != 0)
        return false;
    const char *content = packed + count * sizeof(uint64_t);
    for (size_t i = 0; i < count; i++) {
        text_add_n(parts[i], content, length_at(packed, i));
        content += length_at(packed, i);
    }
    return true;
}
