/*
 * spool.h - text that waits for the end of a run, on disk instead of in memory:
 * a run of days has many intervals.
 */
#ifndef BENCH_RESULTS_SPOOL_H
#define BENCH_RESULTS_SPOOL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct err;

struct spool {
  FILE *file;     /* without a name; NULL while it was not opened */
  uint64_t len;   /* bytes of the items; 0: there is none */
  bool in_memory; /* no folder takes a temporary file */
};

/*
 * Open the temporary file, so that what is in the way is known early: in
 * $TMPDIR, else in /tmp, else in the folder of the file `beside` [opt], else in
 * memory.
 */
int spool_open(struct spool *s, const char *beside, struct err *err);

/* Add an item of an array: items are separated by commas and line ends.  One
 * that finds no room is missing, the others are as they were. */
int spool_add(struct spool *s, const char *text, struct err *err);

/* Copy all of it; the next item may follow.  Errors have no message. */
int spool_copy(struct spool *s, FILE *to);

void spool_done(struct spool *s);

#endif
