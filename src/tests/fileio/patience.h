/*
 * patience.h - whether it is worth while to look for a completion for a moment
 * before going to sleep for it.
 *
 * Requests that another thread of the kernel executes (buffered writes of an
 * io_uring) take a few microseconds.  With a short queue both sides would go to
 * sleep and be woken for each of them, which takes ten times as long on
 * processors that have nothing else to do; on busy ones it is looking that is
 * slower, because the other side needs the processor.  Which of the two it is
 * is found out by trial: some waits of each way are timed, many follow in the
 * way that was faster, clearly so if it is looking, and so on.
 */
#ifndef BENCH_TESTS_FILEIO_PATIENCE_H
#define BENCH_TESTS_FILEIO_PATIENCE_H

#include <stdbool.h>
#include <stdint.h>

enum {
  PATIENCE_NS = 50 * 1000,      /* how long to look at most */
  PATIENCE_TRIAL = 8,           /* waits of each way that are timed */
  PATIENCE_ROUND = 8192,        /* waits from one trial to the next */
  PATIENCE_MAX_NS = 100 * 1000, /* what a wait of a trial counts at most */
  PATIENCE_FAILURES = 8,        /* in a row; then no more in this round */
};

/* Of one thread. */
struct patience {
  bool never;                 /* see patience_init() */
  bool looks;                 /* the way that was faster */
  bool timed;                 /* the present wait is: patience_took() is due */
  unsigned n;                 /* waits of this round */
  unsigned failures;          /* looks in a row that were in vain */
  uint64_t look_ns, sleep_ns; /* what the waits of the trial took */
};

/* `cpus`: on which the process may run.  With a single one the other side
 * could do nothing while this one looks. */
void patience_init(struct patience *p, unsigned cpus);

/* A wait begins: look first?  Sets p->timed. */
bool patience_wants(struct patience *p);

/* After each look: have completions come? */
void patience_looked(struct patience *p, bool came);

/* After each wait that is timed. */
void patience_took(struct patience *p, uint64_t ns);

#endif
