/*
 * errtab.h - counts of each error code, in all threads.  Counts only grow.
 */
#ifndef BENCH_DB_ERRTAB_H
#define BENCH_DB_ERRTAB_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct flood;

enum {
  ERRTAB_MAX = 256
};

struct errtab_entry {
  const char *driver; /* constant once published */
  int code;
  char state[6];
  char text[256]; /* the first text, cut */
  _Atomic uint64_t count;
};

struct errtab {
  pthread_mutex_t lock; /* for adding entries */
  _Atomic size_t n;     /* release by the adder, acquire by readers */
  struct errtab_entry entry[ERRTAB_MAX];
};

void errtab_init(struct errtab *t);
void errtab_done(struct errtab *t);

void errtab_count(struct errtab *t, const char *driver, int code,
                  const char *state, const char *text);

/* Most frequent first; returns their number. */
size_t errtab_order(const struct errtab *t, size_t ret_index[ERRTAB_MAX]);

/* Prints the 20 most frequent, and advice.  Colons become semicolons: programs
 * split lines there. */
void errtab_print(const struct errtab *t, struct flood *flood, bool bundled);

#endif
