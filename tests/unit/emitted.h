/* The synchronisation in emitted CUDA: its lines, made comparable with texts worked out by hand. */
#ifndef WW_TESTS_EMITTED_H
#define WW_TESTS_EMITTED_H

/* Fails unless the task's synchronisation lines are `expected` (ended by NULL), in order: without comment, indentation,
 * "ww::" and the map's name. From the line that names the task to the brace that closes its block. */
void emitted_expect(const char *cuda, const char *task, const char *const *expected);
/* The same for what stands between two texts. */
void emitted_expect_between(const char *cuda, const char *from, const char *to, const char *const *expected);

#endif
