/* What the assembler has spent on a kernel, from its CUBIN: an ELF file whose section .nv.info has an attribute a line,
 *
 *     offset  bytes  what
 *          0      1  how the value is kept; 4: behind this head, `size` bytes of it; else in the place of the size
 *          1      1  attribute: 0x2f registers a thread, 0x11 bytes of its frame in local memory
 *          2      2  size
 *          4      4  number of the kernel among the symbols
 *          8      4  value
 *
 * as cuobjdump --dump-elf prints it. The file is taken to be hostile: every offset is checked. */
#include "build/build.h"

#include <elf.h>

enum {
    ATTRIBUTE_FRAME = 0x11,
    ATTRIBUTE_REGISTERS = 0x2f,
    KEPT_BEHIND = 4,
    ATTRIBUTE_HEAD = 4,
    ATTRIBUTE_BYTES = 8
};

static bool read_at(const text *file, uint64_t offset, void *to, size_t bytes)
{
    if (offset > file->len || bytes > file->len - offset)
        return false;
    memcpy(to, file->at + offset, bytes);
    return true;
}

static bool read_section(const text *file, const Elf64_Ehdr *head, uint64_t number, Elf64_Shdr *section)
{
    return number < head->e_shnum && head->e_shoff <= file->len &&
           read_at(file, head->e_shoff + number * sizeof *section, section, sizeof *section);
}

/* Whether the string at that place of a string section is this one. */
static bool string_is(const text *file, const Elf64_Shdr *strings, uint64_t at, const char *is)
{
    char found[256];
    size_t n = strlen(is) + 1;
    return n <= sizeof found && strings->sh_offset <= file->len && at <= file->len &&
           read_at(file, strings->sh_offset + at, found, n) && memcmp(found, is, n) == 0;
}

static bool find_section(const text *file, const Elf64_Ehdr *head, const char *name, Elf64_Shdr *section)
{
    Elf64_Shdr strings;
    if (!read_section(file, head, head->e_shstrndx, &strings))
        return false;
    for (uint64_t i = 0; i < head->e_shnum; i++)
        if (read_section(file, head, i, section) && string_is(file, &strings, section->sh_name, name))
            return true;
    return false;
}

static bool find_symbol(const text *file, const Elf64_Ehdr *head, const char *name, uint32_t *number)
{
    Elf64_Shdr symbols, strings;
    if (!find_section(file, head, ".symtab", &symbols) || symbols.sh_offset > file->len ||
        !read_section(file, head, symbols.sh_link, &strings))
        return false;
    for (uint32_t i = 0; i < symbols.sh_size / sizeof(Elf64_Sym); i++) {
        Elf64_Sym symbol;
        if (!read_at(file, symbols.sh_offset + i * sizeof symbol, &symbol, sizeof symbol))
            return false;
        if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && string_is(file, &strings, symbol.st_name, name)) {
            *number = i;
            return true;
        }
    }
    return false;
}

/* The value of an attribute of a kernel. */
static bool find_attribute(const text *file, const Elf64_Shdr *info, int attribute, uint32_t symbol,
                           uint32_t *value)
{
    for (uint64_t at = info->sh_offset, end = at + info->sh_size; at < end;) {
        uint8_t head[ATTRIBUTE_HEAD];
        uint32_t words[ATTRIBUTE_BYTES / 4];
        if (!read_at(file, at, head, sizeof head))
            return false;
        uint32_t size = head[0] == KEPT_BEHIND ? (uint32_t)(head[2] | head[3] << 8) : 0;
        at += ATTRIBUTE_HEAD;
        if (head[1] == attribute && size == ATTRIBUTE_BYTES && read_at(file, at, words, sizeof words) &&
            words[0] == symbol) {
            *value = words[1];
            return true;
        }
        at += size;
    }
    return false;
}

bool build_cubin_usage(const text *cubin, const char *kernel, build_usage *usage)
{
    Elf64_Ehdr head;
    Elf64_Shdr info;
    uint32_t symbol;
    return read_at(cubin, 0, &head, sizeof head) && memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 &&
           head.e_ident[EI_CLASS] == ELFCLASS64 && find_section(cubin, &head, ".nv.info", &info) &&
           info.sh_offset <= cubin->len && find_symbol(cubin, &head, kernel, &symbol) &&
           find_attribute(cubin, &info, ATTRIBUTE_REGISTERS, symbol, &usage->registers) &&
           find_attribute(cubin, &info, ATTRIBUTE_FRAME, symbol, &usage->local_bytes);
}
