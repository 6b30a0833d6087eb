/*
 * spool.h - text that waits on disk for the end of a run, which may have many
 * intervals.
 */
#ifndef BENCH_RESULTS_SPOOL_H
#define BENCH_RESULTS_SPOOL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct err;

struct spool {
  FILE *file;     /* unnamed; NULL: closed */
  uint64_t len;   /* of the items */
  bool in_memory; /* no folder takes a temporary file */
};

/* Early, to notice problems: in $TMPDIR, /tmp, the folder of the file `beside`
 * [opt], or memory. */
int spool_open(struct spool *s, const char *beside, struct err *err);

/*
 * Adds ",
 * " and an item.  An item without room is missing; others stay complete.
 */
int spool_add(struct spool *s, const char *text, struct err *err);

/* More items may follow.  Errors without message. */
int spool_copy(struct spool *s, FILE *to);

void spool_done(struct spool *s);

#endif
