/*
 * loop.h - many fibers on one thread: when one has to wait, another runs.
 *
 * A fiber is a function with a stack of its own.  It runs until it waits in one
 * of the functions below; then the thread's loop runs the next fiber that can
 * go on.  So code that waits is written as for a thread, and one thread of the
 * system carries thousands of them.  A fiber never moves to another thread, and
 * is never interrupted: between two waits, nothing else runs in its thread.
 * See fiber.h.
 */
#ifndef BENCH_LOOP_LOOP_H
#define BENCH_LOOP_LOOP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct err;
struct loop;

/* How a loop waits for sockets. */
enum loop_engine {
  LOOP_AUTO, /* io_uring if the system allows it, else epoll */
  LOOP_EPOLL,
  LOOP_URING,
};

struct loop_setup {
  size_t stack_bytes; /* of each fiber */
  enum loop_engine engine;
};

/* Counts of a loop; its thread writes them, others may read. */
struct loop_counts {
  _Atomic uint64_t turns;   /* looks for what has arrived */
  _Atomic uint64_t arrived; /* answers that they found */
  _Atomic uint64_t slept;   /* turns in which nothing was there yet */
  _Atomic uint64_t blocked; /* waits that blocked the thread */

  /* When the last look ended; 0: the loop sleeps. */
  _Atomic uint64_t looked_ns;
  _Atomic uint64_t alive; /* fibers, then */
  /* The last turn of more than LOOP_HELD_NS, in which fibers have kept the
   * thread: when it ended, its length, and how much of that, or a little more,
   * the thread had a processor. */
  _Atomic uint64_t held_until_ns, held_ns, held_cpu_ns;
};

#define LOOP_HELD_NS UINT64_C(500000000)

/*
 * A loop for the calling thread, which alone may use it.
 *
 * `lag` [opt] is called when a fiber goes on after an arrival, with the time
 * since that can have been there.  A loop does not know when it came, so this
 * is the longest time that is possible.  It begins when the loop had looked
 * the last time before, and found nothing, or when the fiber began to wait, if
 * that was later: while other fibers ran, or while the loop had lent its
 * processor to others, the arrival may have come at once.  It is different if
 * the loop slept: an arrival ends that sleep, so the time begins when the
 * thread was woken up, and includes its wait for a CPU if that took a quarter
 * of a millisecond or more.
 */
int loop_new(struct loop **ret, const struct loop_setup *setup,
             struct err *err);
/* All fibers have ended. */
void loop_free(struct loop *l);

void loop_on_lag(struct loop *l, void (*lag)(void *ctx, uint64_t ns),
                 void *ctx);

const struct loop_counts *loop_counts(const struct loop *l);
/* "epoll", "io_uring" */
const char *loop_engine_name(const struct loop *l);

/* Make a fiber that calls fn(arg); it runs as soon as the loop does. */
int loop_add(struct loop *l, void (*fn)(void *arg), void *arg, struct err *err);

/* Run the fibers until all have ended. */
void loop_run(struct loop *l);

/* From any thread: fibers in loop_wait_while() look at their words again. */
void loop_wake(struct loop *l);

/* How many maps of memory the system keeps for the stack of a fiber. */
unsigned loop_maps_of_fiber(void);

/* ---- waits ---- */

/* As wait_while() of base/wait.h. */
void loop_wait_while(_Atomic uint32_t *word, uint32_t value, uint64_t until_ns);

/*
 * Bytes to and from a socket, as send() and recv(), which wait as long as
 * nothing can be sent or received.  The calling fiber may be parked.  The bytes
 * to be sent stay valid until something was received, or the socket is
 * forgotten.
 */
ssize_t loop_send(int fd, const void *p, size_t n, int flags);
ssize_t loop_recv(int fd, void *p, size_t n);

/* Until the bytes given to loop_send() are no longer needed: for a message
 * without an answer, whose memory is used again.  If the limit comes before
 * that, they are given up, and sends and receives fail from then on. */
void loop_settle(int fd);

/* Wait for POLLIN or POLLOUT; false: it is not possible. */
bool loop_wait_fd(int fd, short events);

/*
 * From now on, waits of this fiber for sockets end at `until_ns` at the latest:
 * the functions above then fail with ETIMEDOUT.  0: no limit, as at first.
 * Outside of fibers it does nothing.
 */
void loop_limit(uint64_t until_ns);

/* Call this before a socket is closed that a fiber may have waited for. */
void loop_forget(int fd);

/*
 * A large block of memory that the fibers of a thread use in turn, so that each
 * needs only a small one while it waits.  Take the one that was given last, if
 * it has `need` bytes; the caller owns it, and it has *ret_room bytes.  NULL:
 * there is none.
 */
void *loop_take_block(size_t need, size_t *ret_room);
/* Give a block of malloc() to the next one who needs it; it is freed if there
 * is a larger one already, and outside of fibers. */
void loop_give_block(void *block, size_t room);

/* Work that blocks by itself, such as that of client libraries. */
enum loop_aside {
  LOOP_ASIDE_CONNECT, /* a few at a time */
  LOOP_ASIDE_CALL,    /* as many as there are fibers: they may wait for locks
                       * that others of them hold */
};

/* The loop of this fiber, if it is one, has at most so many threads for
 * LOOP_ASIDE_CONNECT. */
void loop_set_connects(unsigned max);

/*
 * Run fn(arg) in another thread, while this fiber is parked.  Outside of
 * fibers, and where there is no other thread, it runs right here.
 */
void loop_aside(void (*fn)(void *arg), void *arg, enum loop_aside kind);

#endif
