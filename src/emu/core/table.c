/* table.c: the instruction table, and finding the row of an opcode.
 *
 * An opcode is its base and a set of words; the order of the words is the assembler's business. A row fits when
 * the opcode has all the words it needs, and no word that it neither needs nor allows. A word that begins with
 * '$' in a row stands for a class of words, one ending in '*' for all words that begin so. */
#include "emu/core/decode.h"

#define INSTRUCTION(base, needs, may, operands, family, semantics) extern const op_family family_##family;
#include "emu/ptx/instructions.def"
#undef INSTRUCTION

static const instruction_row rows[] = {
#define INSTRUCTION(base, needs, may, operands, family, semantics)                                           \
    {base, needs, may, operands, &family_##family, semantics},
#include "emu/ptx/instructions.def"
#undef INSTRUCTION
};

static const struct word_class {
    const char *name, *words;
} classes[] = {
    {"$round", "rn rz rm rp"},
    {"$compare", "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan"},
    {"$space", "global shared shared::cta shared::cluster local param param::entry param::func const"},
    {"$scope", "cta cluster gpu sys"},
    {"$order", "weak volatile relaxed acquire release acq_rel sc mmio"},
    {"$cache", "ca cg cs lu cv wb wt nc L1::* L2::* level::*"},
    {"$vector", "v2 v4 v8"},
    {"$dimension", "1d 2d 3d 4d 5d"},
    {"$reduction", "add min max inc dec and or xor"},
    {"$property", "finite infinite number notanumber normal subnormal"},
    {"$half_choice", "lo hi"},
    {"$int", "u16 s16 u32 s32 u64 s64"},
    {"$packed_int", "u16x2 s16x2"},
    {"$float", "f32 f64"},
    {"$group", "cta_group::1 cta_group::2"},
    {"$umma", "kind::f16 kind::tf32 kind::f8f6f4 kind::i8 kind::mxf8f6f4 kind::mxf4 kind::mxf4nvf4"},
    {"$half", "f16 f16x2 bf16 bf16x2"},
};

static const struct modifier_row {
    const char *text;
} modifiers[MOD_COUNT] = {
#define OP_MODIFIER(name, text) [MOD_##name] = {text},
#include "emu/core/modifiers.def"
#undef OP_MODIFIER
};

/* ---- sets of words ---------------------------------------------------------------------------------- */

static bool matches(const char *pattern, size_t len, const char *word)
{
    if (len && pattern[len - 1] == '*')
        return strncmp(pattern, word, len - 1) == 0;
    return strlen(word) == len && memcmp(pattern, word, len) == 0;
}

static const char *class_words(const char *name, size_t len)
{
    for (size_t i = 0; i < ARRAY_LEN(classes); i++)
        if (matches(name, len, classes[i].name))
            return classes[i].words;
    return "";
}

/* Steps over one blank-separated item: its start, and *len its length; NULL at the end. */
static const char *next_item(const char **list, size_t *len)
{
    while (**list == ' ')
        ++*list;
    const char *item = *list;
    *len = strcspn(item, " ");
    *list += *len;
    return *len ? item : NULL;
}

static bool in_plain_set(const char *set, const char *word)
{
    size_t len;
    for (const char *item; (item = next_item(&set, &len));)
        if (matches(item, len, word))
            return true;
    return false;
}

static bool in_set(const char *set, const char *word)
{
    size_t len;
    for (const char *item; (item = next_item(&set, &len));)
        if (*item == '$' ? in_plain_set(class_words(item, len), word) : matches(item, len, word))
            return true;
    return false;
}

static bool has_needed(const opcode *code, const char *item, size_t len)
{
    for (uint32_t i = 0; i < code->word_count; i++) {
        const char *word = code->words[i];
        if (*item == '$' ? in_plain_set(class_words(item, len), word) : matches(item, len, word))
            return true;
    }
    return false;
}

static bool row_fits(const instruction_row *row, const opcode *code)
{
    size_t len;
    const char *needs = row->needs;
    for (const char *item; (item = next_item(&needs, &len));)
        if (!has_needed(code, item, len))
            return false;
    for (uint32_t i = 0; i < code->word_count; i++) {
        const char *word = code->words[i];
        if (ptx_type_find(word, strlen(word)) == PTX_NO_TYPE && !in_set(row->needs, word) &&
            !in_set(row->may, word))
            return false;
    }
    return true;
}

/* ---- opcodes ---------------------------------------------------------------------------------------- */

bool opcode_has(const opcode *code, const char *word)
{
    for (uint32_t i = 0; i < code->word_count; i++)
        if (strcmp(code->words[i], word) == 0)
            return true;
    return false;
}

int opcode_pick(const opcode *code, const char *words, int absent)
{
    size_t len;
    int index = 0;
    for (const char *item; (item = next_item(&words, &len)); index++)
        if (has_needed(code, item, len))
            return index;
    return absent;
}

uint32_t opcode_number(const opcode *code, char letter, uint32_t absent)
{
    for (uint32_t i = 0; i < code->word_count; i++) {
        const char *word = code->words[i];
        if (word[0] == letter && word[1] >= '0' && word[1] <= '9' && !word[2])
            return (uint32_t)(word[1] - '0');
    }
    return absent;
}

ptx_space opcode_space(const opcode *code)
{
    static const struct {
        const char *word;
        ptx_space space;
    } spaces[] = {
        {"global", PTX_GLOBAL},          {"shared", PTX_SHARED},     {"shared::cta", PTX_SHARED},
        {"shared::cluster", PTX_SHARED}, {"local", PTX_LOCAL},       {"param", PTX_PARAM},
        {"param::entry", PTX_PARAM},     {"param::func", PTX_PARAM}, {"const", PTX_CONST},
    };
    for (uint32_t i = 0; i < code->word_count; i++)
        for (size_t s = 0; s < ARRAY_LEN(spaces); s++)
            if (strcmp(code->words[i], spaces[s].word) == 0)
                return spaces[s].space;
    return PTX_GENERIC;
}

static uint64_t find_modifiers(const opcode *code)
{
    uint64_t set = 0;
    for (uint32_t i = 0; i < code->word_count; i++)
        for (int m = 0; m < MOD_COUNT; m++)
            if (strcmp(code->words[i], modifiers[m].text) == 0)
                set |= UINT64_C(1) << m;
    return set;
}

/* Cuts `copy`, a private copy of the opcode, at its dots. False when it has too many words. */
static bool split(char *copy, opcode *code)
{
    for (char *dot = strchr(copy, '.'); dot;) {
        *dot = '\0';
        char *word = dot + 1;
        dot = strchr(word, '.');
        if (code->word_count == OPCODE_WORDS)
            return false;
        code->words[code->word_count++] = word;
    }
    for (uint32_t i = 0; i < code->word_count; i++) {
        ptx_type type = ptx_type_find(code->words[i], strlen(code->words[i]));
        if (type != PTX_NO_TYPE && code->type_count < OPCODE_TYPES)
            code->types[code->type_count++] = type;
    }
    return true;
}

const instruction_row *table_find(char *copy, opcode *code)
{
    if (!split(copy, code))
        return NULL;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (strcmp(rows[i].base, copy) == 0 && row_fits(&rows[i], code)) {
            code->row = &rows[i];
            code->modifiers = find_modifiers(code);
            return code->row;
        }
    return NULL;
}
