/* prove --certificate and prove --check. The kernel stays the caller's. */
#include "app/command.h"

int command_certify(const command_line *line, ww_kernel *k)
{
    ww_certificate c = ww_kernel_certify(k);
    FILE *out = line->json ? stderr : stdout;
    if (!c.text) {
        (void)fprintf(stderr, "no certificate: %s\n", c.why);
        return 1;
    }
    if (!file_write(line->certificate, c.text, strlen(c.text))) {
        perror(line->certificate);
        return 1;
    }
    (void)fprintf(out, "certificate: %u machines, %zu bytes, %.3f ms with the check, %s\n", c.machines,
                  strlen(c.text), c.milliseconds, line->certificate);
    return 0;
}

/* Whether the text certifies the kernel; says so. */
static bool certifies(ww_kernel *k, const text *file)
{
    ww_certificate c = ww_certificate_check(k, text_str(file), file->len);
    if (c.text)
        printf("certificate: valid, %u machines, %llu events, %.3f ms\n", c.machines,
               (unsigned long long)c.events, c.milliseconds);
    else
        printf("certificate: REFUSED %s\n", c.why);
    return c.text;
}

int command_check_certificate(const command_line *line, ww_kernel *k)
{
    text file = {0};
    bool valid = false;
    if (file_read(line->to_check, &file))
        valid = certifies(k, &file);
    else
        perror(line->to_check);
    text_free(&file);
    return !valid;
}
