/* Files, hashes and the clock. */
#define _POSIX_C_SOURCE 200809L
#include "base/base.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

bool file_read(const char *path, text *t)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return false;
    char buffer[16384];
    size_t n;
    while ((n = fread(buffer, 1, sizeof buffer, f)) > 0)
        text_add_n(t, buffer, n);
    bool ok = !ferror(f);
    return fclose(f) == 0 && ok;
}

static bool write_through(const char *path, const void *data, size_t len)
{
    FILE *f = fopen(path, "wb");
    bool ok = f && fwrite(data, 1, len, f) == len;
    if (f && fclose(f) != 0)
        ok = false;
    return ok;
}

/* A rename would put a file in the place of a device or a pipe. */
static bool is_special(const char *path)
{
    struct stat at;
    return stat(path, &at) == 0 && !S_ISREG(at.st_mode);
}

enum { MOST_LINKS = 40, LONGEST_TARGET = 4096 };

/* Puts what a link points to in its place, seen from where it points from. False: it is no link. */
static bool follow_link(text *path)
{
    char target[LONGEST_TARGET];
    ssize_t len = readlink(text_str(path), target, sizeof target);
    if (len < 0 || (size_t)len == sizeof target)
        return false;
    const char *slash = strrchr(text_str(path), '/');
    path->len = target[0] == '/' || !slash ? 0 : (size_t)(slash - text_str(path)) + 1;
    text_add_n(path, target, (size_t)len);
    return true;
}

/* Beside the file, so that the rename stays in one file system. */
static bool replace(const char *path, const void *data, size_t len)
{
    text temporary = {0};
    text_printf(&temporary, "%s.%ld.part", path, (long)getpid());
    bool ok = write_through(text_str(&temporary), data, len) && rename(text_str(&temporary), path) == 0;
    if (!ok) {
        int why = errno;
        (void)remove(text_str(&temporary));
        errno = why;
    }
    text_free(&temporary);
    return ok;
}

bool file_write(const char *path, const void *data, size_t len)
{
    if (is_special(path))
        return write_through(path, data, len);
    text file = {0};
    text_add(&file, path);
    int links = 0;
    while (links <= MOST_LINKS && follow_link(&file))
        links++;
    bool ok = links <= MOST_LINKS && replace(text_str(&file), data, len);
    if (links > MOST_LINKS)
        errno = ELOOP;
    text_free(&file);
    return ok;
}

bool folder_make(const char *path)
{
    text part = {0};
    for (const char *p = path; *p; p++) {
        if (*p == '/' && part.len && mkdir(text_str(&part), 0777) != 0 && errno != EEXIST)
            break;
        text_add_n(&part, p, 1);
    }
    bool ok = mkdir(text_str(&part), 0777) == 0 || errno == EEXIST;
    text_free(&part);
    return ok;
}

uint64_t hash_bytes(uint64_t hash, const void *data, size_t len)
{
    const unsigned char *p = data;
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
    return hash;
}

uint64_t hash_text(uint64_t hash, const char *s)
{
    return hash_bytes(hash, s, strlen(s) + 1);
}

double clock_ms(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}
