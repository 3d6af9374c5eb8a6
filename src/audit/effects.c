/* The class of an instruction, by its opcode: effects.def as a table. */
#include "audit/body.h"

static const struct {
    effect effect;
    const char *begins, *has, *lacks;
} patterns[] = {
#define PATTERN(effect, begins, has, lacks) {EFFECT_##effect, begins, has, lacks},
#include "audit/effects.def"
};

static const struct {
    const char *text, *plural;
} texts[] = {
    {"", ""},
#define EFFECT(name, text, plural) {text, plural},
#include "audit/effects.def"
};

static bool word_at(const char *opcode, const char *word, size_t len)
{
    for (size_t n; *opcode; opcode += n + (opcode[n] == '.')) {
        n = strcspn(opcode, ".");
        if (n == len && memcmp(opcode, word, len) == 0)
            return true;
    }
    return false;
}

bool has_word(const char *opcode, const char *word)
{
    return word_at(opcode, word, strlen(word));
}

/* Of the words in a list, all (or, to be lacking, none) are the opcode's. */
static bool words_are(const char *opcode, const char *list, bool there)
{
    for (size_t n; *list; list += n + (list[n] == '.')) {
        n = strcspn(list, ".");
        if (word_at(opcode, list, n) != there)
            return false;
    }
    return true;
}

static bool begins_with(const char *opcode, const char *begins)
{
    size_t n = strlen(begins);
    return strncmp(opcode, begins, n) == 0 && (!opcode[n] || opcode[n] == '.');
}

effect effect_of(const char *opcode)
{
    for (size_t i = 0; i < ARRAY_LEN(patterns); i++)
        if (begins_with(opcode, patterns[i].begins) && words_are(opcode, patterns[i].has, true) &&
            words_are(opcode, patterns[i].lacks, false))
            return patterns[i].effect;
    return EFFECT_NONE;
}

const char *effect_text(effect e, uint32_t count)
{
    return count == 1 ? texts[e].text : texts[e].plural;
}
