/*
 * queue.h - slots, accounting of completions, and the order of writes and
 * fsyncs of queued engines.
 *
 * An event hands one request to the system, and waits if the queue is full. It
 * then takes all completions; only that ends requests. A queue belongs to one
 * thread, and allocates only in queue_open().
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

/*
 * Is polling for completions better than sleeping at once?
 *
 * Requests that another thread of the kernel executes take a few microseconds,
 * and sleeping and waking ten times that on idle CPUs. On busy ones, the other
 * side needs the CPU. So a trial times some waits of each way. Many waits
 * follow in the faster way, then the next trial.
 */

enum {
  PATIENCE_NS = 50 * 1000,      /* of polling */
  PATIENCE_TRIAL = 8,           /* timed waits of each way */
  PATIENCE_ROUND = 8192,        /* waits between trials */
  PATIENCE_MAX_NS = 100 * 1000, /* more does not count in a trial */
  PATIENCE_FAILURES = 8,        /* in a row end polling in this round */
};

struct patience {
  bool never; /* a single CPU */
  bool looks; /* polling is faster */
  bool timed;
  unsigned n;                 /* waits of this round */
  unsigned failures;          /* vain polls in a row */
  uint64_t look_ns, sleep_ns; /* of the trial */
};

void patience_init(struct patience *p, unsigned cpus);

/* Before a wait: poll first? Sets p->timed. */
bool patience_wants(struct patience *p);

/* After each poll; `came`: there were completions. */
void patience_looked(struct patience *p, bool came);

void patience_took(struct patience *p, uint64_t ns);

struct slot {
  struct request r;
  uint64_t start_ns; /* before submission */
  uint64_t note;
  bool busy;
};

struct queue_ops {
  int (*setup)(struct queue *q, struct err *err);
  void (*done)(struct queue *q); /* also after a failed setup() */

  /* Queues a slot for kick(). */
  int (*push)(struct queue *q, unsigned slot, struct err *err);

  /* Submits the line, waits for `min` completions, and calls queue_completed()
   * for all that have arrived. */
  int (*kick)(struct queue *q, unsigned min, struct err *err);

  /* kick() with `min` 1, for at most `for_ns`. */
  int (*wait)(struct queue *q, uint64_t for_ns, struct err *err);
};

struct queue {
  struct io *io;
  const struct queue_ops *ops;
  unsigned depth;
  unsigned batch;     /* submitted or awaited at once */
  unsigned in_flight; /* not completed */
  unsigned in_line;   /* in flight, but not submitted */
  unsigned n_free;
  unsigned *free_slot; /* owned; a stack: the last one is in the caches */
  struct slot *slot;
  char *buf; /* owned; [depth], `stride` apart */
  size_t stride;
  void *impl;

  /* Of a file, before its fsync. */
  uint32_t awaited_file;
  unsigned awaited;
  bool awaiting;

  /* Of the first failed request. */
  int failed;
  struct err why;

  uint64_t now_ns; /* of the current completions; 0: unread */
  uint64_t depth_sum, depth_count, depth_max;
} CACHE_ALIGNED;

static inline char *queue_buffer(const struct queue *q, unsigned slot)
{
  return q->buf + slot * q->stride;
}

/* result: bytes transferred (0: fsync), or a negative errno value. */
void queue_completed(struct queue *q, unsigned slot, int64_t result);

/* kick() or wait() has slept: completions are newer. */
static inline void queue_waited(struct queue *q)
{
  q->now_ns = 0;
}

int queue_open(struct io *io, const struct queue_ops *ops, void **ret,
               struct err *err);
void queue_close(void *engine);
int queue_execute(void *engine, const struct request *r, struct err *err);
int queue_sync(void *engine, uint32_t file, struct err *err);
int queue_settle(void *engine, bool all, struct err *err);
int queue_attend(void *engine, uint64_t until_ns, struct err *err);

#endif
