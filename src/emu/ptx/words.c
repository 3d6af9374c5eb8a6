/* words.c: the names of types and special registers. */
#include "emu/ptx/ptx.h"

static const struct type_row {
    const char *text;
    uint32_t bits;
    ptx_kind kind;
} types[PTX_TYPE_COUNT] = {
    [PTX_NO_TYPE] = {"(none)", 0, PTX_KIND_NONE},
#define PTX_TYPE(name, text, bits, kind) [PTX_##name] = {text, bits, PTX_KIND_##kind},
#include "emu/ptx/types.def"
#undef PTX_TYPE
};

static const struct special_row {
    const char *text;
    uint32_t bits;
} specials[PTX_SPECIAL_COUNT] = {
#define PTX_SPECIAL(name, text, bits, value) [PTX_SPECIAL_##name] = {text, bits},
#include "emu/ptx/special.def"
#undef PTX_SPECIAL
};

ptx_type ptx_type_find(const char *name, size_t len)
{
    for (int i = PTX_NO_TYPE + 1; i < PTX_TYPE_COUNT; i++)
        if (strlen(types[i].text) == len && memcmp(types[i].text, name, len) == 0)
            return (ptx_type)i;
    return PTX_NO_TYPE;
}

uint32_t ptx_type_bits(ptx_type type)
{
    return types[type].bits;
}

uint32_t ptx_type_bytes(ptx_type type)
{
    return (types[type].bits + 7) / 8;
}

ptx_kind ptx_type_kind(ptx_type type)
{
    return types[type].kind;
}

const char *ptx_type_name(ptx_type type)
{
    return types[type].text;
}

const char *ptx_special_name(ptx_special special)
{
    return specials[special].text;
}

uint32_t ptx_special_bits(ptx_special special)
{
    return specials[special].bits;
}

void ptx_source_line(const ptx_module *module, uint32_t line, text *out)
{
    const char *p = module->source;
    for (uint32_t n = 1; n < line && *p; p++)
        n += *p == '\n';
    while (*p == ' ' || *p == '\t')
        p++;
    for (; *p && *p != '\n' && *p != '\r'; p++)
        text_add_n(out, *p == '\t' ? " " : p, 1);
}
