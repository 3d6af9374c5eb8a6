/* The JSON form of findings. Members are always there: null where the text form prints nothing. */
#include "app/findings.h"
#include "app/json.h"

#include <stdio.h>

static void put_place(json *j, ww_place place)
{
    json_string(j, "file", place.file);
    if (place.file)
        json_number(j, "line", (uint64_t)(place.line > 0 ? place.line : 0));
    else
        json_null(j, "line");
}

static void put_related(json *j, const ww_diag *d)
{
    json_array(j, "related");
    if (d->related.file) {
        json_object(j, NULL);
        put_place(j, d->related);
        json_string(j, "text", d->related_why);
        json_object_end(j);
    }
    json_array_end(j);
}

static void put_finding(json *j, const ww_diag *d)
{
    char code[16];
    (void)snprintf(code, sizeof code, "WW%d", (int)d->code);
    json_object(j, NULL);
    json_string(j, "code", code);
    json_string(j, "name", ww_code_name(d->code));
    json_string(j, "severity", ww_severity_name(d->severity));
    json_string(j, "message", d->message);
    put_place(j, d->place);
    json_string(j, "expected", d->expected);
    json_string(j, "found", d->found);
    json_string(j, "hint", d->hint);
    put_related(j, d);
    if (d->suppressed)
        json_string(j, "reason", d->suppressed);
    json_object_end(j);
}

static void put_findings(json *j, const ww_diag *list)
{
    for (const ww_diag *d = list; d; d = d->next)
        put_finding(j, d);
}

static size_t count_of(const ww_diag *list, ww_severity severity)
{
    size_t count = 0;
    for (const ww_diag *d = list; d; d = d->next)
        count += d->severity == severity;
    return count;
}

static void put_proof(json *j, const ww_verdict *proof)
{
    json_object(j, "proof");
    json_string(j, "covered", proof->covered);
    json_number(j, "runs", proof->runs);
    json_number(j, "events", proof->events);
    json_number(j, "period", proof->period);
    json_object_end(j);
}

void findings_write(text *out, ww_kernel *k, const ww_diag *more, const char *verdict,
                    const ww_verdict *proof)
{
    json j = {.out = out};
    const ww_diag *found = ww_kernel_check(k), *suppressed = ww_kernel_suppressed(k);
    json_object(&j, NULL);
    json_string(&j, "kernel", ww_kernel_name(k));
    json_number(&j, "errors", count_of(found, WW_ERROR) + count_of(more, WW_ERROR));
    json_number(&j, "warnings", count_of(found, WW_WARNING) + count_of(more, WW_WARNING));
    json_number(&j, "suppressed", ww_diag_count(suppressed, WW_NOTE));
    json_array(&j, "findings");
    put_findings(&j, found);
    put_findings(&j, more);
    json_array_end(&j);
    json_array(&j, "suppressed_findings");
    put_findings(&j, suppressed);
    json_array_end(&j);
    json_string(&j, "verdict", verdict);
    if (proof)
        put_proof(&j, proof);
    json_object_end(&j);
    text_add(out, "\n");
}
