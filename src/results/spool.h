/*
 * spool.h - text that waits for the end of a run, on disk instead of in memory:
 * a run of several days has many intervals.
 */
#ifndef BENCH_RESULTS_SPOOL_H
#define BENCH_RESULTS_SPOOL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct err;

struct spool {
  FILE *file;     /* has no name; NULL until it is opened */
  uint64_t len;   /* bytes of the items; 0: there are none */
  bool in_memory; /* no folder takes a temporary file */
};

/*
 * Open the temporary file early, so that problems are noticed: in $TMPDIR, else
 * in /tmp, else in the folder of the file `beside` [opt], else in memory.
 */
int spool_open(struct spool *s, const char *beside, struct err *err);

/* Add an item of an array; items are separated by commas and line ends.  An
 * item for which there is no room is missing, and the others stay complete. */
int spool_add(struct spool *s, const char *text, struct err *err);

/* Copy the whole text; more items may follow.  Errors have no message. */
int spool_copy(struct spool *s, FILE *to);

void spool_done(struct spool *s);

#endif
