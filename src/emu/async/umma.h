/* umma.h: the matrix multiply of tcgen05.mma and the copies of tcgen05.cp, as pure functions. */
#ifndef WW_EMU_ASYNC_UMMA_H
#define WW_EMU_ASYNC_UMMA_H

#include "emu/async/async.h"

typedef enum umma_kind {
    UMMA_F16,
    UMMA_TF32,
    UMMA_F8F6F4,
    UMMA_I8,
    /* with factors for blocks of A and B */
    UMMA_MXF8F6F4,
    UMMA_MXF4,
    UMMA_MXF4NVF4,
} umma_kind;

/* What the opcode says. */
typedef struct umma_form {
    umma_kind kind;
    uint32_t ctas;
    uint32_t block; /* elements that share a factor; 0: none do */
} umma_form;

/* What an instruction descriptor says. m and n are of the whole group of `ctas` CTAs. */
typedef struct async_umma {
    async_type a, b, d; /* d: ASYNC_F32, ASYNC_S32 */
    bool a_mn_major, b_mn_major, negate_a, negate_b, saturate;
    bool accumulate; /* not of the descriptor: the instruction's predicate */
    uint32_t m, n, ctas;
    uint32_t block;            /* elements of K that share a factor; 0: none do */
    bool ue8m0;                /* factors are UE8M0, else UE4M3 */
    uint32_t a_scale, b_scale; /* the byte of a word of factors that counts first */
} async_umma;

/* What a CTA brings: shared memory from address 0 on, and tensor memory, [column][lane]. */
typedef struct async_umma_cta {
    const uint8_t *smem;
    uint32_t smem_bytes;
    uint32_t *tmem;
} async_umma_cta;

/* Operands as the instruction has them. Addresses in tensor memory are checked by the caller for their columns. */
typedef struct async_umma_operands {
    uint64_t desc_a, desc_b;
    bool a_in_tmem; /* a_tmem instead of desc_a */
    uint32_t a_tmem, d_tmem;
    uint32_t a_factors, b_factors; /* columns */
} async_umma_operands;

/* Takes an instruction descriptor apart. False, with *error, when it is wrong; *missing is then true for what is
 * right and not had here. */
bool async_umma_decode(const umma_form *form, uint32_t idesc, async_umma *u, const char **error,
                       bool *missing);
/* Columns of tensor memory that D takes in each CTA, A when it lies there, and factors of A and B. */
uint32_t async_umma_d_columns(const async_umma *u);
uint32_t async_umma_b_factor_columns(const async_umma *u);
enum { UMMA_A_COLUMNS = 8, UMMA_A_FACTOR_COLUMNS = 4 };

/* D = A . B^T, or + D. */
bool async_umma_run(const async_umma *u, const async_umma_cta *ctas, const async_umma_operands *in,
                    const char **error);

/* The chunks of shared memory that it reads in each CTA; none of a descriptor that is wrong. */
void async_umma_chunks(const async_umma *u, const async_umma_operands *in, async_chunk *tell, void *context);

/* tcgen05.cp: `rows` rows of `bits` bits to column `column`; quarter q of the lanes gets the rows
 * 32 * from[q] and on. */
typedef struct async_umma_copy {
    uint32_t rows, bits;
    uint8_t from[4];
} async_umma_copy;

void async_umma_copy_chunks(const async_umma_copy *shape, uint64_t desc, async_chunk *tell, void *context);

bool async_umma_copy_run(const async_umma_copy *shape, const async_umma_cta *cta, uint64_t desc,
                         uint32_t column, const char **error);

#endif
