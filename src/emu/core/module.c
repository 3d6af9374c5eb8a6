/* module.c: loading PTX: parse, give .global and .const variables their memory, decode every kernel. */
#define _POSIX_C_SOURCE 200809L
#include "emu/core/core.h"

enum { VARIABLE_ALIGNMENT = 256 };

static void place_variable(emu_module *m, ptx_variable *v)
{
    if (v->is_extern || v->bytes == 0 || (v->space != PTX_GLOBAL && v->space != PTX_CONST))
        return;
    size_t align = v->align > VARIABLE_ALIGNMENT ? v->align : VARIABLE_ALIGNMENT;
    void *p = NULL;
    if (posix_memalign(&p, align, v->bytes) != 0)
        base_oom(v->bytes);
    if (v->init)
        memcpy(p, v->init, v->bytes);
    else
        memset(p, 0, v->bytes);
    v->address = (uint64_t)(uintptr_t)p;
    module_block block = {p, v};
    vec_push(&m->blocks, block);
}

static void relocate(const module_block *block)
{
    const ptx_variable *v = block->variable;
    for (size_t i = 0; i < v->relocation_count; i++) {
        const ptx_relocation *r = &v->relocations[i];
        uint64_t value = r->variable->address + (uint64_t)r->addend;
        memcpy(block->bytes + r->offset, &value, r->bytes);
    }
}

emu_module *emu_module_load(const char *ptx, size_t len, text *errors)
{
    emu_module *m = base_alloc(sizeof *m);
    *m = (emu_module){0};
    m->ptx = ptx_parse(&m->arena, ptx, len, errors);
    if (!m->ptx) {
        emu_module_free(m);
        return NULL;
    }
    ptx_variable **v;
    vec_each(v, &m->ptx->variables)
        place_variable(m, *v);
    module_block *block;
    vec_each(block, &m->blocks)
        relocate(block);
    ptx_function **f;
    vec_each(f, &m->ptx->functions)
        if ((*f)->is_entry && (*f)->has_body)
            vec_push(&m->programs, decode_kernel(&m->arena, m->ptx, *f));
    return m;
}

void emu_module_free(emu_module *m)
{
    if (!m)
        return;
    module_block *block;
    vec_each(block, &m->blocks)
        free(block->bytes);
    vec_free(&m->blocks);
    vec_free(&m->programs);
    if (m->ptx)
        ptx_module_release(m->ptx);
    arena_free(&m->arena);
    free(m);
}
