/*
 * task.h - the data of a loop and its fibers, and what engines call (for
 * src/loop only).
 */
#ifndef BENCH_LOOP_TASK_H
#define BENCH_LOOP_TASK_H

#include <stdbool.h>
#include <stdint.h>

#include "loop/context.h"
#include "loop/fiber.h"
#include "loop/loop.h"
#include "loop/stacks.h"
#include "loop/timers.h"

struct task {
  struct fiber fiber; /* first */
  struct context context;
  void (*fn)(void *arg);
  void *arg;
  struct task *next; /* in a queue */
  bool queued;       /* can go on */
  struct timer timer;
  uint64_t limit_ns; /* of waits for sockets; 0: none */

  /* In loop_wait_while(): its word, and the loop's list. */
  _Atomic uint32_t *word;
  uint32_t value;
  struct task *word_before, *word_after;

  void (*aside)(void *arg); /* for another thread */
  void *aside_arg;

  uint64_t parked_ns; /* when it began to wait for an arrival */
  uint64_t seen_ns;   /* since when that can have been there; 0: no arrival */
  long result;        /* of an engine's operation */
};

struct task_queue {
  struct task *first, **end;
};

static inline void task_queue_clear(struct task_queue *q)
{
  q->first = NULL;
  q->end = &q->first;
}

static inline void task_queue_add(struct task_queue *q, struct task *t)
{
  t->next = NULL;
  *q->end = t;
  q->end = &t->next;
}

/* By number. */
struct loop_fd {
  struct task *waiter;
  bool known;   /* the engine watches it */
  bool ready;   /* perhaps something to receive */
  bool ended;   /* the peer has hung up, for good */
  bool sending; /* bytes are not sent yet */
  bool settles; /* the waiter waits for `sending` */
  int error;    /* of sending */
};

#define LATE_UNKNOWN UINT64_MAX

struct loop;

/* See enum loop_engine. */
struct engine {
  const char *name;
  /* -errno: not allowed. */
  int (*open)(struct loop *l);
  void (*close)(struct loop *l);
  /* Make tasks ready whose arrivals have come, waiting until `until_ns` (0: not
   * at all).  Sets l->now_ns. */
  void (*look)(struct loop *l, uint64_t until_ns);
  /* In a task. */
  ssize_t (*send)(struct loop *l, int fd, const void *p, size_t n, int flags);
  ssize_t (*recv)(struct loop *l, int fd, void *p, size_t n);
  bool (*wait_fd)(struct loop *l, int fd, short events);
  void (*settle)(struct loop *l, int fd); /* [opt] */
  void (*forget)(struct loop *l, int fd);
  /* [opt] The thread is going to block: begin what was put off. */
  void (*flush)(struct loop *l);
};

struct loop {
  struct context thread; /* of loop_run() */
  struct task *running;
  struct task_queue ready; /* in this order */
  struct timers timers;
  struct task *words; /* in loop_wait_while() */
  unsigned alive;
  unsigned waiting; /* for arrivals at sockets */
  struct stacks stacks;
  struct task *ended; /* its stack can be freed */
  uint64_t now_ns;    /* when the last look ended */
  uint64_t since_ns;  /* what this look finds was not there then; 0: it has
                       * ended a sleep, and is there since now_ns */

  struct loop_fd *fds; /* owned; by number */
  size_t n_fds;
  int wake_fd; /* loop_wake() */

  /* How late the last sleep ended, and when it began; LATE_UNKNOWN: this was
   * not asked.  How long the thread had waited for a CPU at a moment not long
   * ago, as its file says. */
  uint64_t late_ns, asleep_ns;
  uint64_t queue_ns, queue_at_ns;
  int queue_fd; /* -1: it cannot be read, or nobody wants to know */

  /* Processor time, at a recent moment. */
  uint64_t cpu_ns, cpu_at_ns;

  void (*lag)(void *ctx, uint64_t ns);
  void *lag_ctx;
  struct loop_counts counts;

  const struct engine *engine;
  void *engine_data;

  struct offload *offload; /* owned; or NULL */

  void *block; /* [opt] owned */
  size_t block_room;
};

extern const struct engine loop_engine_epoll;
extern const struct engine loop_engine_uring;

/* By this thread only. */
static inline void loop_bump(_Atomic uint64_t *count, uint64_t n)
{
  atomic_store_explicit(count,
                        atomic_load_explicit(count, memory_order_relaxed) + n,
                        memory_order_relaxed);
}

/* Until something makes the task ready. */
void loop_park(struct loop *l);
/* False: the limit has come, and maybe the arrival too. */
bool loop_park_for_arrival(struct loop *l);
/* For the next turn. */
void loop_make_ready(struct loop *l, struct task *t);
/* The same because of an arrival that this look has found. */
void loop_make_arrived(struct loop *l, struct task *t);

/* How long the thread has waited for a CPU since the last call.  The question
 * takes most of a microsecond, so it is not asked again at once: false. */
bool loop_queue_grown(struct loop *l, uint64_t *ret);

/* NULL: no memory. */
struct loop_fd *loop_fd(struct loop *l, int fd);

/* Before the thread blocks. */
static inline void loop_flush(struct loop *l)
{
  if (l->engine->flush)
    l->engine->flush(l);
}

/* Make tasks ready whose words have changed. */
void loop_look_at_words(struct loop *l);

/* wake_fd can be read: words have changed, or offloaded work is done. */
void loop_woken(struct loop *l);

/* No thread has work. */
void loop_offload_stop(struct loop *l);

#endif
