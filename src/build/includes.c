/* Which headers a source can reach.
 *
 * A scan for `#include` and `__has_include` that knows nothing else of the language: no conditions, no
 * comments. It may hash a header that is not read, never the other way round. What is absent is hashed too,
 * by name, so that a header that appears later, or in an earlier folder, changes the key. */
#include "build/includes.h"

#include <ctype.h>

typedef struct include_scan {
    const char *const *folders;
    size_t folder_count;
    uint64_t hash;
    bool known; /* false once a name could not be read */
    VEC(char *) seen;
    arena arena;
} include_scan;

static void scan_text(include_scan *s, const char *source, const char *folder);

static bool was_seen(include_scan *s, const char *path)
{
    for (size_t i = 0; i < s->seen.len; i++)
        if (strcmp(s->seen.at[i], path) == 0)
            return true;
    vec_push(&s->seen, arena_strdup(&s->arena, path));
    return false;
}

/* Hashes folder/name and what it includes. False when there is no such file. */
static bool scan_file(include_scan *s, const char *folder, const char *name)
{
    const char *path = name[0] == '/' ? name : arena_printf(&s->arena, "%s/%s", folder, name);
    text contents = {0};
    bool found = file_read(path, &contents);
    if (found && !was_seen(s, path)) {
        s->hash = hash_text(s->hash, path);
        s->hash = hash_bytes(s->hash, text_str(&contents), contents.len);
        const char *slash = strrchr(path, '/');
        scan_text(s, text_str(&contents), arena_strndup(&s->arena, path, (size_t)(slash - path)));
    }
    text_free(&contents);
    return found;
}

static void scan_name(include_scan *s, const char *name, const char *beside)
{
    s->hash = hash_text(s->hash, name);
    if (beside && scan_file(s, beside, name))
        return;
    for (size_t i = 0; i < s->folder_count; i++)
        if (scan_file(s, s->folders[i], name))
            return;
}

/* p stands after `include`, at the name with its delimiters. */
static void scan_operand(include_scan *s, const char *p, const char *folder)
{
    char close = *p == '<' ? '>' : *p == '"' ? '"' : '\0';
    size_t len = close ? strcspn(p + 1, close == '>' ? ">\n" : "\"\n") : 0;
    if (len == 0 || p[1 + len] != close) {
        s->known = false;
        return;
    }
    scan_name(s, arena_strndup(&s->arena, p + 1, len), close == '"' ? folder : NULL);
}

static const char *skip_blanks(const char *p)
{
    while (*p == ' ' || *p == '\t')
        p++;
    return p;
}

/* Past a word and the blanks after it, or NULL when p does not stand at that word. */
static const char *after_word(const char *p, const char *word)
{
    size_t len = strlen(word);
    if (strncmp(p, word, len) != 0 || isalnum((unsigned char)p[len]) || p[len] == '_')
        return NULL;
    return skip_blanks(p + len);
}

static void scan_directive(include_scan *s, const char *p, const char *folder)
{
    const char *operand = after_word(p, "include");
    if (operand) {
        scan_operand(s, operand, folder);
        return;
    }
    const char *end = p + strcspn(p, "\n");
    for (p = strstr(p, "__has_include"); p && p < end; p = strstr(p + 1, "__has_include")) {
        operand = after_word(p, "__has_include");
        if (operand && *operand == '(')
            scan_operand(s, skip_blanks(operand + 1), folder);
    }
}

static void scan_text(include_scan *s, const char *source, const char *folder)
{
    for (const char *line = source; *line;) {
        const char *p = skip_blanks(line);
        if (*p == '#')
            scan_directive(s, skip_blanks(p + 1), folder);
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
}

bool includes_hash(const char *source, const char *const *folders, size_t folder_count, uint64_t *hash)
{
    include_scan s = {.folders = folders, .folder_count = folder_count, .hash = *hash, .known = true};
    scan_text(&s, source, NULL);
    *hash = s.hash;
    vec_free(&s.seen);
    arena_free(&s.arena);
    return s.known;
}
