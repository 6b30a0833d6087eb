/*
 * queue.h - the common part of the queued engines: slots with a buffer each,
 * accounting of completions, and the order of writes and fsyncs.
 *
 * An event hands one request to the system.  If the queue is full then, the
 * event waits until at least one request has completed.  All completions that
 * are there are taken in any case, so that the time of a request ends when it
 * does.  A queue belongs to one thread, and allocates nothing after it was
 * made.
 */
#ifndef BENCH_TESTS_FILEIO_QUEUE_H
#define BENCH_TESTS_FILEIO_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "tests/fileio/engine.h"
#include "tests/fileio/request.h"

struct queue;

/* ---- patience ---- */

/*
 * Decides whether polling for a completion for a moment is better than going to
 * sleep at once.
 *
 * Requests that another thread of the kernel executes (buffered writes of an
 * io_uring) take a few microseconds.  With a short queue, both sides would go
 * to sleep and be woken for each of them.  That takes ten times as long on idle
 * processors.  On busy ones polling is slower, because the other side needs the
 * processor.  A trial decides: some waits of each way are timed, and many waits
 * follow in the way that was faster.  Polling must be clearly faster.  Then the
 * next trial follows.
 */

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

/* A request in flight. */
struct slot {
  struct request r;
  uint64_t start_ns; /* just before it was submitted */
  uint64_t note;     /* of io_fill() or io_syncing() */
  bool busy;         /* in flight */
};

/*
 * The differences between the ways to queue.  The functions return 0 or a
 * negative errno value.
 */
struct queue_ops {
  int (*setup)(struct queue *q, struct err *err);
  void (*done)(struct queue *q); /* called also after a failed setup() */

  /* Puts the request of a slot into line; kick() submits it. */
  int (*push)(struct queue *q, unsigned slot, struct err *err);

  /*
   * Submits the requests in line, waits until `min` requests have completed,
   * and calls queue_completed() for these and all others that have.
   */
  int (*kick)(struct queue *q, unsigned min, struct err *err);

  /* Does the same with `min` 1, but for at most `for_ns`. */
  int (*wait)(struct queue *q, uint64_t for_ns, struct err *err);
};

struct queue {
  struct io *io;
  const struct queue_ops *ops;
  unsigned depth;
  unsigned batch;     /* maximum submitted or awaited at once */
  unsigned in_flight; /* pushed and not completed */
  unsigned in_line;   /* of these: not yet submitted */
  unsigned n_free;
  unsigned *free_slot; /* owned; a stack: the last one used is in the caches */
  struct slot *slot;   /* owned; [depth] */
  char *buf;           /* owned; [depth] of `stride` bytes */
  size_t stride;
  void *impl; /* private to setup() and done() */

  /* An fsync waits for this many writes to this file. */
  uint32_t awaited_file;
  unsigned awaited;
  bool awaiting;

  /* The first request that failed: its code, and the message. */
  int failed;
  struct err why;

  uint64_t now_ns; /* of the current completions; 0: not read yet */
  uint64_t depth_sum, depth_count, depth_max;
} CACHE_ALIGNED;

static inline char *queue_buffer(const struct queue *q, unsigned slot)
{
  return q->buf + slot * q->stride;
}

/*
 * Report that a request has completed.  result: bytes transferred (0 for
 * fsync), or a negative errno value.
 */
void queue_completed(struct queue *q, unsigned slot, int64_t result);

/*
 * A kick or wait has slept: the completions that it now reports have happened
 * now, not when the first one was seen.
 */
static inline void queue_waited(struct queue *q)
{
  q->now_ns = 0;
}

/* The members of engine_ops. */
int queue_open(struct io *io, const struct queue_ops *ops, void **ret,
               struct err *err);
void queue_close(void *engine);
int queue_execute(void *engine, const struct request *r, struct err *err);
int queue_sync(void *engine, uint32_t file, struct err *err);
int queue_settle(void *engine, bool all, struct err *err);
int queue_attend(void *engine, uint64_t until_ns, struct err *err);

#endif
