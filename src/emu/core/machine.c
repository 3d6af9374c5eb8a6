/* machine.c: the global memory of an emulated device. */
#define _POSIX_C_SOURCE 200809L
#include "emu/core/core.h"

enum { BLOCK_ALIGNMENT = 256 };

emu_machine *emu_machine_new(void)
{
    emu_machine *m = base_alloc(sizeof *m);
    *m = (emu_machine){0};
    return m;
}

static void release(uint64_t address)
{
    free((void *)(uintptr_t)address);
}

void emu_machine_free(emu_machine *m)
{
    if (!m)
        return;
    memory_block *b;
    vec_each(b, &m->blocks)
        release(b->address);
    vec_free(&m->blocks);
    free(m);
}

/* Index of the first block behind address. */
static size_t position(const emu_machine *m, uint64_t address)
{
    size_t i = m->blocks.len;
    while (i > 0 && m->blocks.at[i - 1].address > address)
        i--;
    return i;
}

uint64_t emu_alloc(emu_machine *m, size_t bytes)
{
    void *p = NULL;
    if (bytes == 0)
        return 0;
    if (posix_memalign(&p, BLOCK_ALIGNMENT, bytes) != 0)
        base_oom(bytes);
    memset(p, 0, bytes);
    memory_block added = {(uint64_t)(uintptr_t)p, bytes, false};
    size_t at = position(m, added.address);
    vec_push(&m->blocks, added);
    memmove(&m->blocks.at[at + 1], &m->blocks.at[at], sizeof(memory_block) * (m->blocks.len - 1 - at));
    m->blocks.at[at] = added;
    return added.address;
}

bool emu_free(emu_machine *m, uint64_t address)
{
    size_t at = position(m, address);
    if (at == 0 || m->blocks.at[at - 1].address != address)
        return false;
    release(address);
    memmove(&m->blocks.at[at - 1], &m->blocks.at[at], sizeof(memory_block) * (m->blocks.len - at));
    m->blocks.len--;
    return true;
}

void *emu_host_pointer(emu_machine *m, uint64_t address, size_t bytes)
{
    memory_map map = {m->blocks.at, m->blocks.len};
    return memory_find(&map, address, bytes) ? (void *)(uintptr_t)address : NULL;
}
