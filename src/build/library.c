/* Finding NVIDIA's libraries, tools and headers; the order is told in library.h. */
#include "build/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

enum { ROOT_MAX = 4, SUBFOLDER_MAX = 2 };

/* The folders that may hold a CUDA installation, best first. */
typedef struct root_list {
    text at[ROOT_MAX];
    size_t len;
} root_list;

static const char *const library_folders[SUBFOLDER_MAX] = {"lib64", "lib"};

static bool toolkit_hidden(void)
{
    const char *value = getenv("WW_NO_TOOLKIT");
    return value && *value && strcmp(value, "0") != 0;
}

static void roots_add(root_list *roots, const char *folder, const char *below)
{
    text_printf(&roots->at[roots->len++], "%s%s", folder, below);
}

/* Wheels of CUDA 13 unpack to nvidia/cu13; the folder itself may also be laid out like a toolkit. */
static root_list roots_find(void)
{
    root_list roots = {0};
    const char *home = getenv("WW_CUDA_HOME");
    if (home && *home)
        roots_add(&roots, home, "");
    const char *deps = getenv("WW_DEPS");
    if (!deps || !*deps)
        deps = WW_DEPS_FOLDER;
    roots_add(&roots, deps, "/nvidia/cu13");
    roots_add(&roots, deps, "");
    if (!toolkit_hidden())
        roots_add(&roots, "/usr/local/cuda", "");
    return roots;
}

static void roots_free(root_list *roots)
{
    for (size_t i = 0; i < roots->len; i++)
        text_free(&roots->at[i]);
}

/* A file that is there but does not load is worth a word: its own dependencies may be what is missing. */
static void *open_one(const char *path, text *searched)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *why = access(path, F_OK) == 0 ? dlerror() : NULL;
        text_printf(searched, "  %s%s%s\n", path, why ? ": " : "", why ? why : "");
    }
    return library;
}

static void *open_in_folder(const char *folder, const char *const *names, text *searched)
{
    void *library = NULL;
    for (; *names && !library; names++) {
        text path = {0};
        text_printf(&path, "%s/%s", folder, *names);
        library = open_one(text_str(&path), searched);
        text_free(&path);
    }
    return library;
}

static void *open_below(const char *root, const char *const *names, text *folder, text *searched)
{
    void *library = NULL;
    for (size_t f = 0; f < SUBFOLDER_MAX && !library; f++) {
        text inside = {0};
        text_printf(&inside, "%s/%s", root, library_folders[f]);
        library = open_in_folder(text_str(&inside), names, searched);
        if (library)
            text_add(folder, text_str(&inside));
        text_free(&inside);
    }
    return library;
}

void *library_open_system(const char *const *names, text *searched)
{
    for (; *names; names++) {
        void *library = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
        if (library)
            return library;
        text_printf(searched, "  %s (the loader's search path)\n", *names);
    }
    return NULL;
}

void *library_open_in(const char *const *names, text *folder, text *searched)
{
    root_list roots = roots_find();
    void *library = NULL;
    for (size_t i = 0; i < roots.len && !library; i++)
        library = open_below(text_str(&roots.at[i]), names, folder, searched);
    roots_free(&roots);
    if (!library && !toolkit_hidden())
        library = library_open_system(names, searched);
    return library;
}

void *library_open(const char *const *names, text *searched)
{
    text folder = {0};
    void *library = library_open_in(names, &folder, searched);
    text_free(&folder);
    return library;
}

void library_preload(const char *folder, const char *name)
{
    text path = {0};
    text_printf(&path, "%s/%s", folder, name);
    (void)dlopen(text_str(&path), RTLD_NOW | RTLD_LOCAL);
    text_free(&path);
}

bool library_bind(void *library, const library_symbol *symbols, size_t count, text *error)
{
    for (size_t i = 0; i < count; i++) {
        void *found = dlsym(library, symbols[i].name);
        if (!found) {
            text_printf(error, "the library has no function %s: it is too old", symbols[i].name);
            return false;
        }
        /* ISO C has no conversion from void * to a function pointer; POSIX promises that the bits do. */
        memcpy(symbols[i].slot, &found, sizeof found);
    }
    return true;
}

/* Appends root/below when something is there with that access; leaves path as it was otherwise. */
static bool path_try(text *path, const char *root, size_t root_len, const char *below, int mode)
{
    size_t before = path->len;
    text_add_n(path, root, root_len);
    text_printf(path, "/%s", below);
    if (access(text_str(path), mode) == 0)
        return true;
    path->len = before;
    path->at[before] = '\0';
    return false;
}

static bool roots_search(text *path, const char *below, int mode)
{
    root_list roots = roots_find();
    bool found = false;
    for (size_t i = 0; i < roots.len && !found; i++)
        found = path_try(path, text_str(&roots.at[i]), roots.at[i].len, below, mode);
    roots_free(&roots);
    return found;
}

bool library_tool(const char *name, text *path)
{
    text below = {0};
    text_printf(&below, "bin/%s", name);
    bool found = roots_search(path, text_str(&below), X_OK);
    text_free(&below);
    const char *list = getenv("PATH");
    while (!found && list && *list && !toolkit_hidden()) {
        size_t len = strcspn(list, ":");
        found = len > 0 && path_try(path, list, len, name, X_OK);
        list += len + (list[len] == ':');
    }
    return found;
}

bool library_headers(text *path)
{
    if (!roots_search(path, "include/cuda_fp16.h", R_OK))
        return false;
    path->len -= strlen("/cuda_fp16.h");
    path->at[path->len] = '\0';
    return true;
}
