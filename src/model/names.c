/* Names: C identifiers, unique among their kind, and the nearest known name for a hint. */
#include "model/names.h"

#include <ctype.h>

bool name_is_identifier(const char *s)
{
    if (!s || !(isalpha((unsigned char)*s) || *s == '_'))
        return false;
    for (; *s; s++)
        if (!isalnum((unsigned char)*s) && *s != '_')
            return false;
    return true;
}

const char *name_taken_by(const char *s)
{
    static const struct {
        const char *name, *by;
    } taken[] = {
#define MODEL_RESERVED(name, by) {name, by},
#include "model/reserved.def"
#undef MODEL_RESERVED
    };
    if (s[0] == '_' && (s[1] == '_' || isupper((unsigned char)s[1])))
        return "reserved for the compiler: it begins with two underscores, or with one and a capital letter";
    if (strncmp(s, "ww_", 3) == 0)
        return "of the library, whose names begin with ww_";
    for (size_t i = 0; i < ARRAY_LEN(taken); i++)
        if (strcmp(s, taken[i].name) == 0)
            return taken[i].by;
    return NULL;
}

enum { LONGEST_NAME = 63 };

/* Levenshtein distance; names past LONGEST_NAME count as far from everything. */
static size_t distance(const char *a, const char *b)
{
    size_t row[LONGEST_NAME + 1], la = strlen(a), lb = strlen(b);
    if (la > LONGEST_NAME || lb > LONGEST_NAME)
        return LONGEST_NAME;
    for (size_t j = 0; j <= lb; j++)
        row[j] = j;
    for (size_t i = 1; i <= la; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= lb; j++) {
            size_t replace = diagonal + (a[i - 1] != b[j - 1]);
            size_t other = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = replace < other ? replace : other;
        }
    }
    return row[lb];
}

void name_nearest(const char *wanted, const char *candidate, const char **best, size_t *best_distance)
{
    size_t d = distance(wanted, candidate), limit = (strlen(wanted) + 1) / 2;
    if (d <= limit && (!*best || d < *best_distance)) {
        *best = candidate;
        *best_distance = d;
    }
}
