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
#include "tests/fileio/io.h"
#include "tests/fileio/request.h"

struct queue;

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
