/* outcome: what can come of a mutant, and why an accepted one is harmless. */
#ifndef MUTATE_OUTCOME_H
#define MUTATE_OUTCOME_H

typedef enum outcome {
    REFUSED_BY_RULE,
    REFUSED_BY_PROVER,
    UNPROVABLE,
    SAME_CODE, /* accepted, as those that follow */
    SAME_WORK,
    OTHER_PROGRAM,
    LISTED,      /* one of listed.def */
    UNEXPLAINED, /* none of the reasons fits */
    FAULT,       /* the explorer finds one */
    CRASH,       /* it ended the process, or took too long */
    OUTCOMES
} outcome;

/* The reason in reasons.def for an edit of that outcome; NULL: none. */
const char *reason_of(outcome o, const char *edit);
/* What listed.def says of that edit of that kernel; NULL: nothing. */
const char *reason_listed(const char *kernel, const char *edit);

#endif
