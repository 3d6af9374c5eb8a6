/* Dense matrices of float, and their 16-bit images. */
#include "run/matrix.h"
#include "emu/num/num.h"

#include <assert.h>

matrix matrix_new(size_t rows, size_t cols)
{
    assert(cols == 0 || rows <= SIZE_MAX / sizeof(float) / cols);
    matrix m = {.rows = rows, .cols = cols};
    size_t bytes = rows * cols * sizeof(float);
    m.at = base_alloc(bytes);
    memset(m.at, 0, bytes);
    return m;
}

void matrix_free(matrix *m)
{
    free(m->at);
    *m = (matrix){0};
}

size_t matrix_element_bytes(device_element element)
{
    assert(element == DEVICE_F16 || element == DEVICE_BF16 || element == DEVICE_F32);
    return element == DEVICE_F32 ? 4 : 2;
}

static uint16_t encode16(device_element element, float value)
{
    return element == DEVICE_F16 ? num_f32_to_f16(value) : num_f32_to_bf16(value);
}

static float decode16(device_element element, uint16_t bits)
{
    return element == DEVICE_F16 ? num_f16_to_f32(bits) : num_bf16_to_f32(bits);
}

void matrix_round(matrix *m, device_element element)
{
    if (matrix_element_bytes(element) == sizeof(float))
        return;
    for (size_t i = 0; i < m->rows * m->cols; i++)
        m->at[i] = decode16(element, encode16(element, m->at[i]));
}

void matrix_pack(const matrix *m, device_element element, size_t row_bytes, void *to)
{
    size_t bytes = matrix_element_bytes(element);
    assert(row_bytes >= m->cols * bytes);
    for (size_t row = 0; row < m->rows; row++) {
        const float *from = m->at + row * m->cols;
        unsigned char *out = (unsigned char *)to + row * row_bytes;
        if (bytes == sizeof(float)) {
            memcpy(out, from, m->cols * bytes);
            continue;
        }
        for (size_t col = 0; col < m->cols; col++) {
            uint16_t bits = encode16(element, from[col]);
            memcpy(out + col * bytes, &bits, bytes);
        }
    }
}

void matrix_unpack(matrix *m, device_element element, size_t row_bytes, const void *from)
{
    size_t bytes = matrix_element_bytes(element);
    assert(row_bytes >= m->cols * bytes);
    for (size_t row = 0; row < m->rows; row++) {
        const unsigned char *in = (const unsigned char *)from + row * row_bytes;
        float *to = m->at + row * m->cols;
        if (bytes == sizeof(float)) {
            memcpy(to, in, m->cols * bytes);
            continue;
        }
        for (size_t col = 0; col < m->cols; col++) {
            uint16_t bits;
            memcpy(&bits, in + col * bytes, bytes);
            to[col] = decode16(element, bits);
        }
    }
}
