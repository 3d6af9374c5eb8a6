/* async: what the asynchronous engines of an SM do to memory, as pure functions.
 *
 * When an operation is carried out, who waits for it and which barrier hears of it is the core's
 * business; here are only the bytes: tensor copies (TMA, tiled mode) and the matrix multiply of wgmma.
 * Nothing is kept between calls and nothing is global, so calls may run on any host thread.
 *
 * Both are what an H200 does, bit for bit, as far as it was compared (tensor.c and tensor_core.c say how
 * far); what it traps on is an error here. A call that fails returns false and points *error at a
 * constant text; what it had written by then stays written. */
#ifndef WW_EMU_ASYNC_H
#define WW_EMU_ASYNC_H

#include "emu/emu.h"

/* ---- tensor copies ------------------------------------------------------------------------------- */

/* Checked access to global memory: host pointer to [address, address + bytes), or NULL for a fault. */
typedef struct async_global {
    void *ctx;
    uint8_t *(*map)(void *ctx, uint64_t address, size_t bytes);
} async_global;

/* The coordinates of a box are those of its first element, innermost first, as the instruction lists
 * them; map->rank of them are read. The innermost must be a multiple of 16 bytes, and none of a store or
 * reduction may be negative: an H200 traps on both. smem is where the box lies on the host, smem_address
 * the shared address of its first byte (a multiple of 128): swizzling is a function of address bits. The
 * caller sees to it that async_tensor_box_span bytes are there. */

/* cp.async.bulk.tensor, global to shared: writes the whole box, zeros where it leaves the tensor. */
bool async_tensor_load(const emu_tensor *map, const int32_t *coord, uint8_t *smem, uint32_t smem_address,
                       const async_global *global, const char **error);

/* cp.async.bulk.tensor, shared to global: what leaves the tensor is not written, but for the rest of the 16
 * bytes that a row's last element lies in. */
bool async_tensor_store(const emu_tensor *map, const int32_t *coord, const uint8_t *smem,
                        uint32_t smem_address, const async_global *global, const char **error);

typedef enum async_reduction {
    ASYNC_ADD,
    ASYNC_MIN,
    ASYNC_MAX,
    ASYNC_INC,
    ASYNC_DEC,
    ASYNC_AND,
    ASYNC_OR,
    ASYNC_XOR,
} async_reduction;

/* cp.reduce.async.bulk.tensor: as a store, each element combined with what global memory holds. Elements
 * are updated atomically with respect to other host threads. */
bool async_tensor_reduce(const emu_tensor *map, const int32_t *coord, async_reduction reduction,
                         const uint8_t *smem, uint32_t smem_address, const async_global *global,
                         const char **error);

/* The same on count elements in a row (cp.reduce.async.bulk); destination aligned to the element's size. */
bool async_reduce(emu_element element, async_reduction reduction, uint8_t *destination, const uint8_t *source,
                  size_t count, const char **error);

bool async_reduction_allowed(emu_element element, async_reduction reduction);

/* Bytes a load's mbarrier hears of: those of the whole box, even where it is clipped. */
uint32_t async_tensor_box_bytes(const emu_tensor *map);

/* Bytes of shared memory from the first byte of a box to the end of its last row. More than
 * async_tensor_box_bytes when rows are shorter than the swizzle span: they lie a span apart, the rest of
 * the span untouched. */
uint32_t async_tensor_box_span(const emu_tensor *map);

uint32_t async_element_bytes(emu_element element);

/* ---- wgmma --------------------------------------------------------------------------------------- */

typedef enum async_type {
    ASYNC_F16,
    ASYNC_BF16,
    ASYNC_TF32,
    ASYNC_E4M3,
    ASYNC_E5M2,
    ASYNC_S8,
    ASYNC_U8,
    ASYNC_F32,
    ASYNC_S32,  /* of D only */
    ASYNC_E2M1, /* of tcgen05 alone; two a byte */
} async_type;

/* One wgmma.mma_async.m64nNkK. k is redundant (the operands' type fixes it) and checked. */
typedef struct async_wgmma {
    uint32_t n, k;      /* n 8..256; k 8 (tf32), 16 (f16, bf16), 32 (8-bit types) */
    async_type a, b, d; /* d: ASYNC_F32, ASYNC_F16 (of f16 and fp8 operands), ASYNC_S32 (of integers) */
    bool a_mn_major, b_mn_major; /* imm-trans-a, imm-trans-b: 16-bit operands only */
    int scale_a, scale_b;        /* imm-scale: 1 or -1 (0 is taken as 1) */
    bool scale_d;                /* scale-d: false means D = A*B, true D = A*B + D */
    bool saturate;               /* .satfinite, integers only */
} async_wgmma;

/* Registers a thread holds of D (n/2, or n/4 for f16) and of A (4, all types). */
uint32_t async_wgmma_d_registers(const async_wgmma *shape);

/* The part of one warp: rows 16*warp .. 16*warp+15 of the 64-row tile, warp being 0..3 in its warpgroup.
 * smem is shared memory from address 0 on, smem_bytes of it. a_regs is A's fragment, [4][32 lanes], or NULL
 * when desc_a describes A in shared memory. d holds the accumulators' raw registers, [registers][32 lanes],
 * and is updated in place. Descriptors: descriptor.h. */
bool async_wgmma_run(const async_wgmma *shape, uint32_t warp, const uint8_t *smem, uint32_t smem_bytes,
                     uint64_t desc_a, uint64_t desc_b, const uint32_t *a_regs, uint32_t *d,
                     const char **error);

/* Told of each 16 bytes of shared memory that a matrix has; places outside of shared memory too. */
typedef void async_chunk(void *context, uint32_t address);

/* Those that a warp's part of a multiply reads. */
void async_wgmma_chunks(const async_wgmma *shape, uint32_t warp, uint64_t desc_a, uint64_t desc_b,
                        bool a_in_registers, async_chunk *tell, void *context);

#endif
