/*
 * loop.h - many fibers on one thread: when one has to wait, another runs.
 *
 * A fiber is a function with a stack of its own, and runs until it waits in a
 * function below; then the loop runs the next fiber that can go on.  A fiber
 * never moves to another thread, and nothing else runs in its thread between
 * two waits.  See fiber.h.
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

enum loop_engine {
  LOOP_AUTO, /* io_uring if allowed, else epoll */
  LOOP_EPOLL,
  LOOP_URING,
};

struct loop_setup {
  size_t stack_bytes; /* of a fiber */
  enum loop_engine engine;
};

/* Written by the loop's thread. */
struct loop_counts {
  _Atomic uint64_t turns;   /* looks for arrivals */
  _Atomic uint64_t arrived; /* found by looks */
  _Atomic uint64_t slept;   /* turns without arrivals */
  _Atomic uint64_t blocked; /* of the thread */

  /* End of the last look; 0: the loop sleeps. */
  _Atomic uint64_t looked_ns;
  _Atomic uint64_t alive; /* fibers, then */
  /* The last turn of more than LOOP_HELD_NS: its end, its length, and about how
   * much processor time. */
  _Atomic uint64_t held_until_ns, held_ns, held_cpu_ns;
};

#define LOOP_HELD_NS UINT64_C(500000000)

/*
 * A loop for the calling thread, which alone may use it.
 *
 * `lag` [opt] is called when a fiber goes on after an arrival, with the longest
 * time that the arrival can have been there: since the last look of the loop
 * that found nothing, or since the fiber began to wait, whichever is later.  If
 * the loop slept, the time begins when the thread was woken up, and includes
 * its wait for a CPU of a quarter of a millisecond or more.
 */
int loop_new(struct loop **ret, const struct loop_setup *setup,
             struct err *err);
/* After all fibers. */
void loop_free(struct loop *l);

void loop_on_lag(struct loop *l, void (*lag)(void *ctx, uint64_t ns),
                 void *ctx);

const struct loop_counts *loop_counts(const struct loop *l);
/* "epoll", "io_uring" */
const char *loop_engine_name(const struct loop *l);

/* Make a fiber that calls fn(arg). */
int loop_add(struct loop *l, void (*fn)(void *arg), void *arg, struct err *err);

/* Until all fibers have ended. */
void loop_run(struct loop *l);

/* Any thread: fibers in loop_wait_while() look at their words. */
void loop_wake(struct loop *l);

/* Maps of memory for the stack of a fiber. */
unsigned loop_maps_of_fiber(void);

void loop_wait_while(_Atomic uint32_t *word, uint32_t value, uint64_t until_ns);

/* As send() and recv(), but WAIT; the fiber may be parked.  The bytes to send
 * stay valid until something was received, or loop_forget(). */
ssize_t loop_send(int fd, const void *p, size_t n, int flags);
ssize_t loop_recv(int fd, void *p, size_t n);

/*
 * WAITS until the bytes of loop_send() are no longer needed: for a message
 * without an answer.  At the limit the bytes are given up, and sends and
 * receives fail from then on.
 */
void loop_settle(int fd);

/* POLLIN or POLLOUT; false: not possible. */
bool loop_wait_fd(int fd, short events);

/* Waits of this fiber for sockets end at `until_ns` with ETIMEDOUT.  0: no
 * limit, the default.  No effect outside of fibers. */
void loop_limit(uint64_t until_ns);

/* Before a socket is closed that a fiber may have waited for. */
void loop_forget(int fd);

/*
 * A large block that fibers of a thread use in turn, and own meanwhile: the
 * last that was given, if it has `need` bytes; else NULL.  *ret_room is its
 * size.
 */
void *loop_take_block(size_t need, size_t *ret_room);
/* Give a block of malloc(); freed outside of fibers, or if the loop has a
 * larger one. */
void loop_give_block(void *block, size_t room);

/* Work that blocks, such as that of client libraries. */
enum loop_aside {
  LOOP_ASIDE_CONNECT, /* a few at a time; afterwards one thread stays */
  LOOP_ASIDE_CALL, /* as many as fibers: they may wait for locks of each other
                    */
};

/* Threads for LOOP_ASIDE_CONNECT of this fiber's loop, if any. */
void loop_set_connects(unsigned max);

/* Run fn(arg) in another thread, while this fiber is parked.  Outside of
 * fibers, or without a thread, in this one. */
void loop_aside(void (*fn)(void *arg), void *arg, enum loop_aside kind);

#endif
