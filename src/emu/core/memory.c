/* memory.c: from addresses to host memory, with every check on the way.
 *
 *   space    an address is
 *   global   a host address inside a block of the machine, or of the module
 *   const    the same; read only
 *   shared   rank of a CTA in the cluster << 24 | offset in its shared memory
 *   local    an offset in the thread's own memory
 *   param    an offset in the block of kernel parameters; read only
 *   generic  a global address, or one of the others inside its window (core.h)
 *
 * An access must be aligned to its size (PTX ISA, section 6.4.1) and lie within what was allocated. */
#include "emu/check/fences.h"
#include "emu/check/races.h"

/* ---- global ----------------------------------------------------------------------------------------- */

static bool within(const memory_block *b, uint64_t address, uint64_t bytes)
{
    return address >= b->address && bytes <= b->bytes && address - b->address <= b->bytes - bytes;
}

const memory_block *memory_find(const memory_map *map, uint64_t address, uint64_t bytes)
{
    size_t low = 0, high = map->count; /* blocks before low begin at or before address */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (map->blocks[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || !within(&map->blocks[low - 1], address, bytes))
        return NULL;
    return &map->blocks[low - 1];
}

static _Noreturn void bad_global(warp *w, uint32_t lane, uint64_t address, uint64_t bytes)
{
    const memory_map *map = &GRID(w)->memory;
    const memory_block *near = NULL;
    for (size_t i = 0; i < map->count; i++)
        if (map->blocks[i].address <= address)
            near = &map->blocks[i];
    if (near && address - near->address < near->bytes + (UINT64_C(1) << 20))
        lane_fault(w, lane, "global address 0x%llx: %llu bytes at offset %llu of a block of %llu bytes",
                   (unsigned long long)address, (unsigned long long)bytes,
                   (unsigned long long)(address - near->address), (unsigned long long)near->bytes);
    lane_fault(w, lane, "global address 0x%llx (%llu bytes) is in no block of memory",
               (unsigned long long)address, (unsigned long long)bytes);
}

uint8_t *memory_global(warp *w, uint32_t lane, uint64_t address, uint64_t bytes, memory_access access)
{
    const memory_block *b = w->recent;
    if (!b || !within(b, address, bytes)) {
        b = memory_find(&GRID(w)->memory, address, bytes);
        if (!b && CLUSTER(w)->script.script)
            return script_scratch(CLUSTER(w), bytes);
        if (!b)
            bad_global(w, lane, address, bytes);
        w->recent = b;
    }
    if (access == MEMORY_WRITE && b->read_only)
        lane_fault(w, lane, "a write to read-only memory at 0x%llx", (unsigned long long)address);
    return (uint8_t *)(uintptr_t)address;
}

/* ---- the other spaces ------------------------------------------------------------------------------- */

uint8_t *memory_shared(warp *w, uint32_t lane, uint32_t address, uint32_t bytes, cta **owner)
{
    cluster *c = CLUSTER(w);
    uint32_t rank = address >> SHARED_RANK_SHIFT, offset = address & ((1u << SHARED_RANK_SHIFT) - 1);
    if (rank >= c->cta_count)
        lane_fault(w, lane, "shared address 0x%x names CTA %u of a cluster of %u", address, rank,
                   c->cta_count);
    cta *to = &c->ctas[rank];
    if (bytes > to->shared_bytes || offset > to->shared_bytes - bytes)
        lane_fault(w, lane, "shared address 0x%x: %u bytes at 0x%x, beyond the end at 0x%x", address, bytes,
                   offset, to->shared_bytes);
    if (offset < SHARED_RESERVED)
        lane_fault(w, lane, "shared address 0x%x is in the first 0x%x bytes, which are the system's", address,
                   SHARED_RESERVED);
    if (to != w->cta && !to->live_warps)
        lane_fault(w, lane, "shared address 0x%x: CTA %u of the cluster has exited", address, rank);
    if (owner)
        *owner = to;
    if (script_runs(c))
        script_touch(w, to, offset, bytes, false, false);
    return to->shared + offset;
}

static uint8_t *local_pointer(warp *w, uint32_t lane, uint64_t address, uint64_t bytes)
{
    uint32_t size = GRID(w)->program->local_bytes;
    if (bytes > size || address > size - bytes)
        lane_fault(w, lane, "local address 0x%llx: the thread has %u bytes", (unsigned long long)address,
                   size);
    return w->local + (size_t)lane * size + address;
}

uint8_t *memory_param(warp *w, uint32_t lane, uint64_t address, uint64_t bytes, memory_access access)
{
    uint64_t size = GRID(w)->program->function->param_bytes;
    if (access == MEMORY_WRITE)
        lane_fault(w, lane, "a write to a kernel parameter");
    if (bytes > size || address > size - bytes)
        lane_fault(w, lane, "parameter address 0x%llx: the kernel has %llu bytes of parameters",
                   (unsigned long long)address, (unsigned long long)size);
    return (uint8_t *)(uintptr_t)GRID(w)->params + address;
}

uint8_t *memory_generic(warp *w, uint32_t lane, uint64_t address, uint64_t bytes, memory_access access)
{
    uint64_t within_window = address & ~WINDOW_MASK;
    switch (address & WINDOW_MASK) {
    case 0: return memory_global(w, lane, address, bytes, access);
    case WINDOW_SHARED:
        if (within_window <= UINT32_MAX)
            return memory_shared(w, lane, (uint32_t)within_window, (uint32_t)bytes, NULL);
        break;
    case WINDOW_LOCAL: return local_pointer(w, lane, within_window, bytes);
    case WINDOW_PARAM: return memory_param(w, lane, within_window, bytes, access);
    default: break;
    }
    lane_fault(w, lane, "generic address 0x%llx is in no space", (unsigned long long)address);
}

uint32_t memory_to_shared(warp *w, uint32_t lane, uint64_t address)
{
    uint64_t within_window = address & ~WINDOW_MASK;
    bool window = (address & WINDOW_MASK) == WINDOW_SHARED || (address & WINDOW_MASK) == 0;
    if (!window || within_window > UINT32_MAX)
        lane_fault(w, lane, "address 0x%llx is not in shared memory", (unsigned long long)address);
    return (uint32_t)within_window;
}

/* ---- lanes ------------------------------------------------------------------------------------------ */

uint64_t memory_lane_address(warp *w, op_address a, uint32_t lane)
{
    const void *base = REG(w, a.base);
    uint64_t at = a.base & ARG_WIDE ? ((const uint64_t *)base)[lane] : ((const uint32_t *)base)[lane];
    return at + (uint64_t)(int64_t)a.displacement;
}

/* Lanes that do not execute get the address of one that does, so that checks need not look at the mask. */
static void lane_addresses(warp *w, op_address a, uint32_t mask, uint64_t *at)
{
    const void *base = REG(w, a.base);
    uint64_t displacement = (uint64_t)(int64_t)a.displacement;
    if (a.base & ARG_WIDE)
        for (uint32_t lane = 0; lane < WARP_LANES; lane++)
            at[lane] = ((const uint64_t *)base)[lane] + displacement;
    else
        for (uint32_t lane = 0; lane < WARP_LANES; lane++)
            at[lane] = ((const uint32_t *)base)[lane] + (uint32_t)displacement;
    if (mask == ALL_LANES)
        return;
    uint64_t some = at[__builtin_ctz(mask)];
    EACH_LANE(~mask)
    {
        at[lane] = some;
    }
}

static void check_alignment(warp *w, uint32_t mask, const uint64_t *at, uint32_t bytes)
{
    uint64_t low_bits = 0;
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
        low_bits |= at[lane];
    if (!(low_bits & (bytes - 1)))
        return;
    EACH_LANE(mask)
    {
        if (at[lane] & (bytes - 1))
            lane_fault(w, lane, "address 0x%llx is not a multiple of %u", (unsigned long long)at[lane],
                       bytes);
    }
}

/* True when all lanes access [start, start + size), which the host has at `memory`; then `at` are their pointers. */
static bool all_within(const uint64_t *address, uint32_t bytes, uint64_t start, uint64_t size,
                       uint8_t *memory, uint8_t **at)
{
    uint64_t outside = 0;
    if (size < bytes)
        return false;
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
        uint64_t offset = address[lane] - start;
        outside |= offset > size - bytes;
        at[lane] = (uint8_t *)((uintptr_t)memory + offset); /* only used when inside */
    }
    return !outside;
}

static uint8_t *other_shared(warp *w, const op *o, uint32_t lane, uint64_t address, uint32_t bytes)
{
    if (address > UINT32_MAX)
        lane_fault(w, lane, "0x%llx is no shared address", (unsigned long long)address);
    uint8_t *at = memory_shared(w, lane, (uint32_t)address, bytes, NULL);
    if (address >> SHARED_RANK_SHIFT != w->cta->rank && !(o->modifiers & MOD(SHARED_CLUSTER)))
        lane_fault(w, lane, "shared address 0x%llx is another CTA's: .shared::cluster is needed",
                   (unsigned long long)address);
    return at;
}

/* Own shared memory, as seen through a window: its addresses carry the CTA's rank. */
static bool own_shared(const warp *w, const uint64_t *address, uint32_t bytes, uint64_t window, uint8_t **at)
{
    const cta *own = w->cta;
    uint64_t start = window + ((uint64_t)own->rank << SHARED_RANK_SHIFT) + SHARED_RESERVED;
    return all_within(address, bytes, start, own->shared_bytes - SHARED_RESERVED,
                      own->shared + SHARED_RESERVED, at);
}

static bool recent_block(const warp *w, const uint64_t *address, uint32_t bytes, memory_access access,
                         uint8_t **at)
{
    const memory_block *b = w->recent;
    return b && !(access == MEMORY_WRITE && b->read_only) &&
           all_within(address, bytes, b->address, b->bytes, (uint8_t *)(uintptr_t)b->address, at);
}

static void shared_lanes(warp *w, const op *o, uint32_t mask, uint32_t bytes, const uint64_t *address,
                         uint8_t **at)
{
    if (own_shared(w, address, bytes, 0, at))
        return;
    EACH_LANE(mask)
    {
        at[lane] = other_shared(w, o, lane, address[lane], bytes);
    }
}

static void global_lanes(warp *w, uint32_t mask, uint32_t bytes, memory_access access,
                         const uint64_t *address, uint8_t **at)
{
    if (recent_block(w, address, bytes, access, at))
        return;
    EACH_LANE(mask)
    {
        at[lane] = memory_global(w, lane, address[lane], bytes, access);
    }
}

static void generic_lanes(warp *w, uint32_t mask, uint32_t bytes, memory_access access,
                          const uint64_t *address, uint8_t **at)
{
    if (own_shared(w, address, bytes, WINDOW_SHARED, at) || recent_block(w, address, bytes, access, at))
        return;
    EACH_LANE(mask)
    {
        at[lane] = memory_generic(w, lane, address[lane], bytes, access);
    }
}

/* Each lane has its own part of the warp's local memory. */
static void local_lanes(warp *w, uint32_t mask, uint32_t bytes, const uint64_t *address, uint8_t **at)
{
    EACH_LANE(mask)
    {
        at[lane] = local_pointer(w, lane, address[lane], bytes);
    }
}

void memory_lanes(warp *w, const op *o, uint32_t mask, uint32_t bytes, memory_access access, uint8_t **at)
{
    uint64_t address[WARP_LANES];
    lane_addresses(w, o->address[0], mask, address);
    check_alignment(w, mask, address, bytes);
    switch (o->space) {
    case PTX_SHARED: shared_lanes(w, o, mask, bytes, address, at); break;
    case PTX_GLOBAL:
    case PTX_CONST: global_lanes(w, mask, bytes, access, address, at); break;
    case PTX_LOCAL: local_lanes(w, mask, bytes, address, at); break;
    case PTX_PARAM:
        EACH_LANE(mask)
        {
            at[lane] = memory_param(w, lane, address[lane], bytes, access);
        }
        break;
    default: generic_lanes(w, mask, bytes, access, address, at); break;
    }
    if (script_runs(CLUSTER(w)))
        script_touch_lanes(w, mask, at, bytes, access != MEMORY_READ);
    if (access == MEMORY_WRITE && CLUSTER(w)->fences && (o->space == PTX_SHARED || o->space == PTX_GENERIC))
        fences_written(w, w->step, mask, at, bytes);
    if (CLUSTER(w)->races && access != MEMORY_WRITE_LATER)
        races_lanes(w, o, access == MEMORY_WRITE, mask, at, bytes);
}
