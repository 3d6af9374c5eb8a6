/* NumPy's .npy files.
 *
 *     0..5   \x93NUMPY
 *     6, 7   version, major and minor
 *     8..    length of the header: 2 bytes (version 1), 4 bytes (2 and 3), little endian
 *     ..     header: a Python dictionary {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }, in any
 * order
 *     ..     the elements, to the end of the file
 *
 * Input is not trusted: every length is compared with what is left before it is used. */
#include "run/npy.h"
#include "emu/num/num.h"

#include <ctype.h>
#include <errno.h>

enum { RANK_MAX = 2, HEADER_ALIGNMENT = 64 };

static const unsigned char magic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

/* Reading position in the header. */
typedef struct cursor {
    const char *p, *end;
    text *error;
} cursor;

typedef struct npy_header {
    const struct npy_type *type;
    bool has_order, fortran_order, has_shape;
    size_t rank, shape[RANK_MAX];
} npy_header;

/* ---- element types ---------------------------------------------------------------------------------- */

static float load_f2(const unsigned char *from)
{
    uint16_t bits;
    memcpy(&bits, from, sizeof bits);
    return num_f16_to_f32(bits);
}

static float load_f4(const unsigned char *from)
{
    float value;
    memcpy(&value, from, sizeof value);
    return value;
}

static float load_f8(const unsigned char *from)
{
    double value;
    memcpy(&value, from, sizeof value);
    return (float)value;
}

typedef struct npy_type {
    const char *descr;
    size_t bytes;
    float (*load)(const unsigned char *from);
} npy_type;

static const npy_type types[] = {{"<f2", 2, load_f2}, {"<f4", 4, load_f4}, {"<f8", 8, load_f8}};

/* ---- the dictionary --------------------------------------------------------------------------------- */

static bool malformed(cursor *c, const char *what)
{
    text_printf(c->error, "not a usable .npy file: %s", what);
    return false;
}

static void skip_blanks(cursor *c)
{
    while (c->p < c->end && isspace((unsigned char)*c->p))
        c->p++;
}

/* Passes over a character, and the blanks before it. */
static bool take(cursor *c, char wanted)
{
    skip_blanks(c);
    if (c->p == c->end || *c->p != wanted)
        return false;
    c->p++;
    return true;
}

static bool take_word(cursor *c, const char *word)
{
    size_t len = strlen(word);
    skip_blanks(c);
    if ((size_t)(c->end - c->p) < len || memcmp(c->p, word, len) != 0)
        return false;
    c->p += len;
    return true;
}

/* A string in single or double quotes, without escapes: none of the format's words has any. */
static bool take_string(cursor *c, char *room, size_t room_bytes)
{
    skip_blanks(c);
    if (c->p == c->end || (*c->p != '\'' && *c->p != '"'))
        return malformed(c, "the header lacks a quoted word");
    char quote = *c->p++;
    const char *close = memchr(c->p, quote, (size_t)(c->end - c->p));
    if (!close || (size_t)(close - c->p) >= room_bytes)
        return malformed(c, "a word of the header is too long or not closed");
    memcpy(room, c->p, (size_t)(close - c->p));
    room[close - c->p] = '\0';
    c->p = close + 1;
    return true;
}

static bool take_number(cursor *c, size_t *number)
{
    skip_blanks(c);
    if (c->p == c->end || !isdigit((unsigned char)*c->p))
        return malformed(c, "the shape holds something that is no number");
    for (*number = 0; c->p < c->end && isdigit((unsigned char)*c->p); c->p++) {
        size_t digit = (size_t)(*c->p - '0');
        if (*number > (SIZE_MAX - digit) / 10)
            return malformed(c, "the shape holds a number that is too large");
        *number = *number * 10 + digit;
    }
    return true;
}

static bool read_descr(cursor *c, npy_header *h)
{
    char descr[32];
    if (!take_string(c, descr, sizeof descr))
        return false;
    for (size_t i = 0; i < ARRAY_LEN(types); i++)
        if (strcmp(descr, types[i].descr) == 0)
            h->type = &types[i];
    if (!h->type)
        text_printf(c->error, "elements of type '%s' are not read, only '<f2', '<f4' and '<f8'", descr);
    return h->type != NULL;
}

static bool read_order(cursor *c, npy_header *h)
{
    h->has_order = true;
    h->fortran_order = take_word(c, "True");
    return h->fortran_order || take_word(c, "False") ||
           malformed(c, "'fortran_order' is neither True nor False");
}

/* (3, 4) or (3,): Python closes a tuple of one with a comma. */
static bool read_shape(cursor *c, npy_header *h)
{
    if (!take(c, '('))
        return malformed(c, "'shape' is no tuple");
    h->has_shape = true;
    h->rank = 0;
    while (!take(c, ')')) {
        if (h->rank == RANK_MAX) {
            text_add(c->error, "the array has more than 2 dimensions");
            return false;
        }
        if (!take_number(c, &h->shape[h->rank++]))
            return false;
        if (!take(c, ',')) {
            if (take(c, ')'))
                break;
            return malformed(c, "'shape' is not closed");
        }
    }
    if (h->rank == 0)
        text_add(c->error, "the array is a single number, not a vector or a matrix");
    return h->rank > 0;
}

static bool read_entry(cursor *c, npy_header *h)
{
    static const struct {
        const char *key;
        bool (*read)(cursor *c, npy_header *h);
    } entries[] = {{"descr", read_descr}, {"fortran_order", read_order}, {"shape", read_shape}};
    char key[32];
    if (!take_string(c, key, sizeof key))
        return false;
    if (!take(c, ':'))
        return malformed(c, "a word of the header has no value");
    for (size_t i = 0; i < ARRAY_LEN(entries); i++)
        if (strcmp(key, entries[i].key) == 0)
            return entries[i].read(c, h);
    return malformed(c, "the header holds an unknown word");
}

static bool read_dictionary(cursor *c, npy_header *h)
{
    if (!take(c, '{'))
        return malformed(c, "the header is no dictionary");
    while (!take(c, '}')) {
        if (!read_entry(c, h))
            return false;
        if (!take(c, ',')) {
            if (take(c, '}'))
                break;
            return malformed(c, "the header is not closed");
        }
    }
    skip_blanks(c);
    if (c->p != c->end)
        return malformed(c, "something follows the header's dictionary");
    if (!h->type || !h->has_order || !h->has_shape)
        return malformed(c, "the header lacks 'descr', 'fortran_order' or 'shape'");
    return true;
}

/* ---- the file --------------------------------------------------------------------------------------- */

/* Sets header and body to the two parts of the file; false when their lengths do not fit. */
static bool split_file(const unsigned char *data, size_t len, cursor *header, const unsigned char **body)
{
    if (len < 10 || memcmp(data, magic, sizeof magic) != 0)
        return malformed(header, "it does not begin with the format's signature");
    unsigned major = data[6];
    if (major < 1 || major > 3 || data[7] != 0) {
        text_printf(header->error, ".npy format %u.%u is not known, only 1.0, 2.0 and 3.0", major, data[7]);
        return false;
    }
    size_t length_bytes = major == 1 ? 2 : 4, header_len = 0;
    if (len < 8 + length_bytes)
        return malformed(header, "it ends before its header");
    for (size_t i = 0; i < length_bytes; i++)
        header_len |= (size_t)data[8 + i] << (8 * i);
    if (header_len > len - 8 - length_bytes)
        return malformed(header, "it ends inside its header");
    header->p = (const char *)data + 8 + length_bytes;
    header->end = header->p + header_len;
    *body = data + 8 + length_bytes + header_len;
    return true;
}

/* Rows and columns, and that the body holds just these. */
static bool check_size(const npy_header *h, size_t body_bytes, matrix *out, text *error)
{
    out->rows = h->rank == 2 ? h->shape[0] : 1;
    out->cols = h->shape[h->rank - 1];
    if (out->rows == 0 || out->cols == 0) {
        text_add(error, "the array has no elements");
        return false;
    }
    size_t limit = SIZE_MAX / sizeof(double);
    if (out->rows > limit / out->cols || out->rows * out->cols * h->type->bytes != body_bytes) {
        text_printf(error, "the file holds %zu bytes of elements, which is not %zu x %zu of '%s'", body_bytes,
                    out->rows, out->cols, h->type->descr);
        return false;
    }
    return true;
}

static void load_elements(const npy_header *h, const unsigned char *body, matrix *out)
{
    size_t row_step = h->fortran_order ? 1 : out->cols;
    size_t col_step = h->fortran_order ? out->rows : 1;
    for (size_t row = 0; row < out->rows; row++)
        for (size_t col = 0; col < out->cols; col++)
            out->at[row * out->cols + col] =
                h->type->load(body + (row * row_step + col * col_step) * h->type->bytes);
}

bool npy_parse(const void *data, size_t len, matrix *out, text *error)
{
    cursor c = {.error = error};
    npy_header h = {0};
    const unsigned char *body;
    matrix size = {0};
    *out = (matrix){0};
    if (!split_file(data, len, &c, &body) || !read_dictionary(&c, &h))
        return false;
    if (!check_size(&h, len - (size_t)(body - (const unsigned char *)data), &size, error))
        return false;
    *out = matrix_new(size.rows, size.cols);
    load_elements(&h, body, out);
    return true;
}

bool npy_read(const char *path, matrix *out, text *error)
{
    text file = {0}, why = {0};
    *out = (matrix){0};
    bool ok = file_read(path, &file);
    if (!ok)
        text_add(&why, strerror(errno));
    else
        ok = npy_parse(text_str(&file), file.len, out, &why);
    if (!ok)
        text_printf(error, "%s: %s", path, text_str(&why));
    text_free(&file);
    text_free(&why);
    return ok;
}

/* The header is padded with blanks so that the elements start at a multiple of 64. */
static void write_header(text *file, const matrix *m)
{
    text header = {0};
    text_printf(&header, "{'descr': '<f4', 'fortran_order': False, 'shape': (%zu, %zu), }", m->rows, m->cols);
    while ((10 + header.len + 1) % HEADER_ALIGNMENT != 0)
        text_add(&header, " ");
    text_add(&header, "\n");
    const unsigned char start[10] = {magic[0],
                                     magic[1],
                                     magic[2],
                                     magic[3],
                                     magic[4],
                                     magic[5],
                                     1,
                                     0,
                                     (unsigned char)(header.len & 0xff),
                                     (unsigned char)(header.len >> 8)};
    text_add_n(file, (const char *)start, sizeof start);
    text_add_n(file, header.at, header.len);
    text_free(&header);
}

bool npy_write(const char *path, const matrix *m, text *error)
{
    text file = {0};
    write_header(&file, m);
    text_add_n(&file, (const char *)m->at, m->rows * m->cols * sizeof *m->at);
    bool ok = file_write(path, file.at, file.len);
    if (!ok)
        text_printf(error, "%s cannot be written: %s", path, strerror(errno));
    text_free(&file);
    return ok;
}
