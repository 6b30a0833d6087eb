/*
 * mixed.h - the mode mixed: all that a database does to a disk, at once.
 *
 * The first thread of a run appends to a log, which is the last file, and makes
 * each record durable.  The second thread is the checkpointer: it writes the
 * blocks of the other files in order, and synchronises each file after its last
 * block.  All other threads read blocks of these files at random.  Each role
 * may have a rate.  Then the latency of a request counts from the time at which
 * it was due.
 */
#ifndef BENCH_TESTS_FILEIO_MIXED_H
#define BENCH_TESTS_FILEIO_MIXED_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/fileio/fileio.h"

struct err;
struct io;
struct worker;

enum mixed_role {
  MIXED_LOG,
  MIXED_CHECKPOINT,
  MIXED_READ,
  MIXED_ROLES,
};

enum {
  MIXED_MIN_THREADS = 3, /* one for each role */
  MIXED_MIN_FILES = 2,   /* data and log */
};

/* The state that the threads share. */
struct mixed {
  struct pattern of[MIXED_ROLES];
};

/* The state of a thread. */
struct mixed_thread {
  enum mixed_role role;
  uint64_t period_ns; /* time between requests; 0: no rate */
  uint64_t due_ns;    /* of the next request; 0: none was due yet */
};

/* Check the options, and make fio->mixed; NULL in other modes. */
int mixed_new(struct fileio *fio, struct err *err);
void mixed_free(struct mixed *m);

/* `thread` counts over all processes of the run. */
void mixed_thread_init(struct mixed_thread *t, const struct fileio *fio,
                       unsigned thread);

/* Wait until the next request is due; false: the run is over. */
bool mixed_next(struct mixed_thread *t, struct fileio *fio,
                struct pattern_thread *pattern, struct worker *w,
                struct request *ret);

/* Execute it; the latency of w's event counts from the due time. */
int mixed_execute(struct mixed_thread *t, struct io *io, void *engine,
                  const struct request *r, struct err *err);

#endif
