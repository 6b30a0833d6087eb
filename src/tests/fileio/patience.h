/*
 * patience.h - decides whether polling for a completion for a moment is better
 * than going to sleep at once.
 *
 * Requests that another thread of the kernel executes (buffered writes of an
 * io_uring) take a few microseconds.  With a short queue, both sides would go
 * to sleep and be woken for each of them.  That takes ten times as long on idle
 * processors.  On busy ones polling is slower, because the other side needs the
 * processor.  A trial decides: some waits of each way are timed, and many waits
 * follow in the way that was faster.  Polling must be clearly faster.  Then the
 * next trial follows.
 */
#ifndef BENCH_TESTS_FILEIO_PATIENCE_H
#define BENCH_TESTS_FILEIO_PATIENCE_H

#include <stdbool.h>
#include <stdint.h>

enum {
  PATIENCE_NS = 50 * 1000,      /* maximum time of polling */
  PATIENCE_TRIAL = 8,           /* waits of each way that are timed */
  PATIENCE_ROUND = 8192,        /* waits between two trials */
  PATIENCE_MAX_NS = 100 * 1000, /* maximum that a wait of a trial counts */
  PATIENCE_FAILURES = 8,        /* in a row; then no more in this round */
};

/* The state of one thread. */
struct patience {
  bool never;                 /* see patience_init() */
  bool looks;                 /* the way that was faster */
  bool timed;                 /* patience_took() is due for the current wait */
  unsigned n;                 /* waits in this round */
  unsigned failures;          /* polls in a row that were in vain */
  uint64_t look_ns, sleep_ns; /* duration of the waits of the trial */
};

/*
 * `cpus`: the number of processors of the process.  With only one, the other
 * side could do nothing while this one polls.
 */
void patience_init(struct patience *p, unsigned cpus);

/* A wait begins: should it poll first?  Sets p->timed. */
bool patience_wants(struct patience *p);

/* Call this after each poll: `came` says whether completions have come. */
void patience_looked(struct patience *p, bool came);

/* Call this after each wait that is timed. */
void patience_took(struct patience *p, uint64_t ns);

#endif
