/*
 * task.h - the data of a loop and its fibers, and the calls of engines (for
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
  struct fiber fiber; /* must be first */
  struct context context;
  void (*fn)(void *arg);
  void *arg;
  struct task *next;
  bool queued;
  struct timer timer;
  uint64_t limit_ns; /* limit of waits for sockets; 0: none */

  /* In loop_wait_while(): the word, and the list of waiters. */
  _Atomic uint32_t *word;
  uint32_t value;
  struct task *word_before, *word_after;

  void (*aside)(void *arg);
  void *aside_arg;

  uint64_t parked_ns; /* start of the wait for an arrival */
  uint64_t seen_ns;   /* earliest time of the arrival; 0: none */
  long result;
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

static inline struct task *task_queue_take(struct task_queue *q)
{
  struct task *t = q->first;

  if (t)
    q->first = t->next;
  if (!q->first)
    q->end = &q->first;
  return t;
}

/* The index is the number of the socket. */
struct loop_fd {
  struct task *waiter;
  bool known;       /* the engine watches it */
  bool ready;       /* there can be something to receive */
  bool ended;       /* the peer has closed its end */
  bool settles;     /* the waiter waits for `sending` */
  uint32_t sending; /* bytes of the send under way */
  int error;
};

#define LATE_UNKNOWN UINT64_MAX

enum {
  LOOP_CONNECTS = 16,
};

struct loop;

struct engine {
  const char *name;
  /* -errno: not allowed. */
  int (*open)(struct loop *l);
  void (*close)(struct loop *l);
  /* Makes tasks ready whose arrivals have come.  WAITS until `until_ns` (0: not
   * at all).  Sets l->now_ns. */
  void (*look)(struct loop *l, uint64_t until_ns);
  /* The next four run in a task. */
  ssize_t (*send)(struct loop *l, int fd, const void *p, size_t n, int flags);
  ssize_t (*recv)(struct loop *l, int fd, void *p, size_t n);
  bool (*wait_fd)(struct loop *l, int fd, short events);
  void (*settle)(struct loop *l, int fd); /* [opt] */
  void (*forget)(struct loop *l, int fd);
  /* [opt] The thread will block: begin postponed work. */
  void (*flush)(struct loop *l);
};

struct loop {
  struct context thread; /* loop_run()'s */
  struct task *running;
  void (*deep)(void *arg); /* [opt] loop_call_deep() */
  void *deep_arg;
  struct task_queue ready;
  struct timers timers;
  struct task *words; /* in loop_wait_while() */
  unsigned alive;
  struct stacks stacks;
  struct task *ended; /* its stack can be freed */
  uint64_t now_ns;    /* end of the last look */
  uint64_t since_ns;  /* arrivals of this look came after this time; 0: one of
                       * them ended a sleep, at now_ns */

  struct loop_fd *fds; /* owned; by number */
  size_t n_fds;
  int wake_fd;

  /* How late the last sleep ended (LATE_UNKNOWN: not read yet), and its start.
   * How long the thread had waited for a CPU, and when that was read. */
  uint64_t late_ns, asleep_ns;
  uint64_t queue_ns, queue_at_ns;
  int queue_fd; /* -1: unreadable or not needed */

  /* CPU time, and when it was read. */
  uint64_t cpu_ns, cpu_at_ns;

  void (*lag)(void *ctx, uint64_t ns);
  void *lag_ctx;
  struct loop_counts counts;

  const struct engine *engine;
  void *engine_data;

  struct offload *offload; /* owned; [opt] */
  struct loop *next;

  unsigned connects, connects_max;
  struct task_queue connects_wait;

  void *block; /* owned; [opt] */
  size_t block_room;
};

extern const struct engine loop_engine_epoll;
extern const struct engine loop_engine_uring;

/* By the loop's thread only. */
static inline void loop_bump(_Atomic uint64_t *count, uint64_t n)
{
  atomic_store_explicit(count,
                        atomic_load_explicit(count, memory_order_relaxed) + n,
                        memory_order_relaxed);
}

/* Returns when something has made the task ready. */
void loop_park(struct loop *l);
/* False: the limit has come, possibly with the arrival. */
bool loop_park_for_arrival(struct loop *l);
void loop_make_ready(struct loop *l, struct task *t);
/* The same for an arrival that this look has found. */
void loop_make_arrived(struct loop *l, struct task *t);

/* How long the thread has waited for a CPU since the last call.  False: the
 * last read was too recent; a read takes most of a microsecond. */
bool loop_queue_grown(struct loop *l, uint64_t *ret);

/* NULL: no memory. */
struct loop_fd *loop_fd(struct loop *l, int fd);

/* Before the thread blocks. */
static inline void loop_flush(struct loop *l)
{
  if (l->engine->flush)
    l->engine->flush(l);
}

void loop_look_at_words(struct loop *l);

/* Any thread. */
void loop_wake(struct loop *l);

/* wake_fd is readable: words have changed, or offloaded work is done. */
void loop_woken(struct loop *l);

/* No thread has work. */
void loop_offload_stop(struct loop *l);

#endif
