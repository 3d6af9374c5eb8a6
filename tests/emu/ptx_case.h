/* ptx_case.h: an emulator test that is one .ptx file: launch, inputs and expected outputs stand in comments before the
 * code.
 *
 *   // expect ok | parse TEXT | fault TEXT | deadlock TEXT | unsupported TEXT | bad-launch TEXT
 *                                   how it ends; TEXT must occur in the report. Several lines may be given
 *   // kernel NAME                  the only .entry when absent
 *   // grid X [Y [Z]]   // block X [Y [Z]]   // cluster X [Y [Z]]   // dynamic BYTES      1, 32, none, 0 when absent
 *   // async late|early|random      only so; all three when absent
 *   // check-fences   // check-races               check_fences, check_races
 *   // sms N   // threads N   // limit N       sm_count, host_threads, max_instructions
 *   // in TYPE VALUES               a buffer with these values
 *   // out TYPE VALUES              a zeroed buffer, and what it must hold afterwards
 *   // inout TYPE VALUES -> VALUES  both
 *   // scalar TYPE VALUE            a parameter passed by value
 *   // map TYPE in BUFFER extent E.. box B.. [swizzle 32|64|128]
 *                                   a tensor map over parameter BUFFER (0 is the first), dense
 *   // name OFFSET BYTES NAME       a name for a range of dynamic shared memory
 *   // role FIRST END NAME          a name for warps
 *
 * Each of in, out, inout, scalar and map is one kernel parameter, in order. Types: u8 u16 u32 u64 s32 s64 f32 f64.
 * Values: numbers (floats as 1.5 or by their bits, 0x3fc00000), ranges A..B with an optional step A..B/S, and
 * NxV, N times V; ?N stands for N values yet to be found out. A line may be continued by `//   ` and more values. */
#ifndef WW_TESTS_EMU_PTX_CASE_H
#define WW_TESTS_EMU_PTX_CASE_H

#include "base/base.h"
#include "emu/emu.h"

typedef struct ptx_buffer {
    uint64_t address; /* 0: not a buffer */
    size_t bytes;
    uint32_t element; /* bytes */
    bool is_float;
    uint8_t *initial;  /* NULL: zeros */
    uint8_t *expected; /* NULL: whatever */
    size_t param_offset;
} ptx_buffer;

typedef struct ptx_case {
    arena arena;
    const char *path;
    text source;
    const char *how; /* "ok", "fault", ... */
    VEC(const char *) texts;
    VEC(ptx_buffer) params;
    const char *async; /* NULL: all */
    emu_launch launch;
    VEC(emu_range_name) ranges;
    VEC(emu_warp_name) roles;
    uint8_t block[4096]; /* the parameter block */
    size_t block_bytes;
    const char *error; /* of the header itself */
} ptx_case;

/* False with c->error set when the file cannot be read or its header is wrong. */
bool ptx_case_read(ptx_case *c, const char *path);
void ptx_case_free(ptx_case *c);

/* Allocates the buffers and fills the parameter block; before every run. */
void ptx_case_prepare(ptx_case *c, emu_machine *m);

#endif
