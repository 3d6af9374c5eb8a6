/* prove --certificate and prove --check. */
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

int command_check_certificate(const command_line *line, ww_kernel *k)
{
    text file = {0};
    bool read = file_read(line->to_check, &file);
    if (read) {
        ww_certificate c = ww_certificate_check(k, text_str(&file), file.len);
        if (c.text)
            printf("certificate: valid, %u machines, %llu events, %.3f ms\n", c.machines,
                   (unsigned long long)c.events, c.milliseconds);
        else
            printf("certificate: REFUSED %s\n", c.why);
        read = c.text;
    } else {
        perror(line->to_check);
    }
    text_free(&file);
    ww_kernel_free(k);
    return !read;
}
