/* A command line for a kernel: check, prove, audit, table, graph, emit, ptx, cubin, run and bench, the same for each
 * program.
 *
 * The program describes its problem in a ww_app and calls ww_app_main from main. Options write straight into
 * the program's own variables before anything is declared.
 *
 * Findings are printed on stderr, in colours where that is a terminal and NO_COLOR is not set. --werror lets warnings refuse
 * the kernel, too; --suppress CODE=REASON is ww_kernel_suppress. With --format json, check, prove and audit print one object
 * instead, for tools; text and numbers that are not there are null:
 *
 *   {kernel, errors, warnings, suppressed,   the last three are counts
 *    findings: [{code, name, severity, message, file, line, expected, found, hint, related: [{file, line, text}]}],
 *    suppressed_findings: [the same, and reason],
 *    verdict,                                check, audit: accepted, refused, unchecked (no rule was run);
 *                                            prove: proved, refuted, unproved (not modelled), refused (not to be proved)
 *    proof: {covered, runs, events, period}} only where the verdict is proved
 *
 * A refuted kernel's counterexample is printed as a timeline, written by prove --witness FILE and run by run --replay FILE:
 * docs/witness.md. */
#ifndef WARPWRIGHT_APP_H
#define WARPWRIGHT_APP_H

#include "warpwright/run.h"

typedef enum ww_option_kind {
    WW_OPTION_INTS, /* count comma-separated ints, each at least `least` */
    WW_OPTION_TEXT, /* a const char * */
} ww_option_kind;

typedef struct ww_option {
    const char *name;  /* "mnk" for --mnk; NULL ends the list */
    const char *value; /* how the value is written: "M,N,K" */
    const char *help;
    ww_option_kind kind;
    void *target;
    int count, least;
} ww_option;

/* How a result differs from its reference. An exact comparison has a limit of 0. */
typedef struct ww_comparison {
    double relative_error; /* ||out - reference|| / ||reference|| */
    double max_error;      /* greatest |out - reference| */
    double limit;          /* of relative_error */
    uint64_t compared;     /* elements looked at */
    uint64_t unwritten;    /* elements that are NaN, as the output was before the run */
    const char *method;    /* what the reference is, in a few words */
    uint64_t output_hash;  /* of the output's bytes, to compare runs on different devices */
} ww_comparison;

/* Fetches count elements of element_bytes from the device and compares them bit for bit. relative_error is the share that
 * differs, max_error how many; those that still have all bits set and should not count as unwritten. */
void ww_compare_exact(ww_run *r, const void *expected, uint64_t at, size_t count, size_t element_bytes,
                      ww_comparison *c);

/* What one launch costs at least, for bench. */
typedef struct ww_cost {
    double flops, bytes;
} ww_cost;

typedef struct ww_app {
    const char *name, *summary;
    const ww_option *options;
    void *problem; /* handed to the functions below */
    ww_kernel *(*declare)(void *problem);
    /* Allocates and fills device memory, completes the launch; its params need not outlive the next call.
     * Bench calls it several times, for several sets of inputs. False: a message was printed. */
    bool (*prepare)(void *problem, ww_run *r, ww_launch *launch);
    /* After the launch: fetches the output and compares. False: message printed. */
    bool (*compare)(void *problem, ww_run *r, ww_comparison *c);
    ww_cost (*cost)(void *problem);
    /* What cuBLAS would have to compute on the buffers prepared last. May be NULL. */
    void (*peer)(void *problem, ww_gemm *gemm);
    void (*clean_up)(void *problem); /* frees what prepare allocated on the host; may be NULL */
} ww_app;

/* The exit status: 0 when the command found nothing to object to; 1 when the kernel is refused or refuted, a result is
 * wrong, or something could not be done; 2 when the command line cannot be read. */
int ww_app_main(const ww_app *app, int argc, char **argv);

#endif
