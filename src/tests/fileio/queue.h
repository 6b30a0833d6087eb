/*
 * queue.h - what the queued engines have in common: slots with a buffer each,
 * accounting of completions, and the order of writes and fsyncs.
 *
 * An event hands one request to the system.  If the queue is full then, it
 * waits until at least one has completed; all completions that are there are
 * taken in any case, so that the time of a request ends when it does.  A queue
 * belongs to one thread, and allocates nothing after it was made.
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
  bool busy;         /* in flight */
};

/* What differs between the ways to queue.  0 or a negative errno value. */
struct queue_ops {
  int (*setup)(struct queue *q, struct err *err);
  void (*done)(struct queue *q); /* also after a failed setup() */

  /* Put the request of a slot into line; kick() submits it. */
  int (*push)(struct queue *q, unsigned slot, struct err *err);

  /*
   * Submit what is in line, wait until `min` requests have completed, and
   * call queue_completed() for these and all others that have.
   */
  int (*kick)(struct queue *q, unsigned min, struct err *err);

  /* The same with `min` 1, but for `for_ns` at most. */
  int (*wait)(struct queue *q, uint64_t for_ns, struct err *err);
};

struct queue {
  struct io *io;
  const struct queue_ops *ops;
  unsigned depth;
  unsigned batch;     /* requests that are submitted or awaited at once */
  unsigned in_flight; /* pushed and not completed */
  unsigned in_line;   /* of these: not submitted yet */
  unsigned n_free;
  unsigned *free_slot; /* owned; a stack: the last one used is warm */
  struct slot *slot;   /* owned; [depth] */
  char *buf;           /* owned; [depth] of `stride` bytes */
  size_t stride;
  void *impl; /* the way's own; by setup() and done() */

  /* An fsync waits for this many writes to this file. */
  uint32_t awaited_file;
  unsigned awaited;
  bool awaiting;

  /* The first request that failed: its code, and what to say. */
  int failed;
  struct err why;

  uint64_t now_ns; /* of the completions being taken; 0: not read yet */
  uint64_t depth_sum, depth_count, depth_max;
} CACHE_ALIGNED;

static inline char *queue_buffer(const struct queue *q, unsigned slot)
{
  return q->buf + slot * q->stride;
}

/*
 * A request has completed.  result: bytes transferred (0 for fsync), or a
 * negative errno value.
 */
void queue_completed(struct queue *q, unsigned slot, int64_t result);

/* A kick or wait has waited: what it passes on now has completed now, and not
 * when the first completion was seen. */
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
