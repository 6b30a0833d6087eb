/*
 * loop.h - many fibers on one thread: when one has to wait, another runs.
 *
 * A fiber is a function with its own stack.  It runs until it waits in a
 * function below; then the loop runs the next fiber that can go on.  A fiber
 * never moves to another thread.  See fiber.h.
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
  size_t stack_bytes; /* per fiber */
  enum loop_engine engine;
};

/* Written by the loop's thread. */
struct loop_counts {
  _Atomic uint64_t turns;   /* looks for arrivals */
  _Atomic uint64_t arrived; /* found by looks */
  _Atomic uint64_t slept;   /* turns without arrivals */
  _Atomic uint64_t blocked;

  /* End of the last look; 0: asleep. */
  _Atomic uint64_t looked_ns;
  _Atomic uint64_t alive; /* fibers at that time */
  /* The last turn of more than LOOP_HELD_NS: end, length, and about how much
   * CPU time. */
  _Atomic uint64_t held_until_ns, held_ns, held_cpu_ns;
};

#define LOOP_HELD_NS UINT64_C(500000000)

/* A loop for the calling thread, which alone may use it. */
int loop_new(struct loop **ret, const struct loop_setup *setup,
             struct err *err);
/* After the end of all fibers. */
void loop_free(struct loop *l);

/* `lag` [opt] is called when a fiber goes on after an arrival, with the longest
 * time that the arrival can have waited: since the last look that found
 * nothing, or since the fiber began to wait, whichever is later.  After a sleep
 * the time begins with the wake-up, and includes a wait for a CPU of 250 us or
 * more. */
void loop_on_lag(struct loop *l, void (*lag)(void *ctx, uint64_t ns),
                 void *ctx);

const struct loop_counts *loop_counts(const struct loop *l);
const char *loop_engine_name(const struct loop *l);

/* Has a turn taken more than LOOP_HELD_NS? */
bool loop_was_held(uint64_t since_ns);

int loop_add(struct loop *l, void (*fn)(void *arg), void *arg, struct err *err);

/* Returns when all fibers have ended. */
void loop_run(struct loop *l);

/* Any thread.  Store the new value before calling. */
void loop_wake_all(_Atomic uint32_t *word);

/* Memory maps per stack of a fiber. */
unsigned loop_maps_of_fiber(void);

void loop_wait_while(_Atomic uint32_t *word, uint32_t value, uint64_t until_ns);
void loop_sleep_until(uint64_t until_ns);

/* As send() and recv(), but WAIT.  The bytes to send stay valid until something
 * was received, or loop_forget(). */
ssize_t loop_send(int fd, const void *p, size_t n, int flags);
ssize_t loop_recv(int fd, void *p, size_t n);

/*
 * After a message without an answer: WAITS until the bytes of loop_send() are
 * no longer needed.  At the limit it gives up the bytes; later sends and
 * receives fail.
 */
void loop_settle(int fd);

/* `events`: POLLIN or POLLOUT. */
bool loop_wait_fd(int fd, short events);

/* From `until_ns` on, waits of this fiber for sockets end with ETIMEDOUT. 0: no
 * limit, the default.  No effect outside of fibers. */
void loop_limit(uint64_t until_ns);

/* Before closing a socket that a fiber can have waited for. */
void loop_forget(int fd);

/* A large block that fibers of a thread use in turn: the last block given, if
 * it has `need` bytes, else NULL.  The caller owns it. *ret_room is its
 * size. */
void *loop_take_block(size_t need, size_t *ret_room);
/* `block` comes from malloc().  Frees it outside of fibers, or if the loop has
 * a larger one. */
void loop_give_block(void *block, size_t room);

/* Work that blocks, such as calls of client libraries. */
enum loop_aside {
  LOOP_ASIDE_CONNECT, /* a few threads, of which one stays */
  LOOP_ASIDE_CALL, /* a thread for each fiber: calls can wait for each other's
                    * locks */
};

/* fn(arg), which does not wait, on the thread's stack: fibers keep the memory
 * of deep calls. */
void loop_call_deep(void (*fn)(void *arg), void *arg);

/* At most 16 fibers of a loop connect at a time; others WAIT, in order. */
void loop_begin_connect(void);
void loop_end_connect(void);

/* Not 16, also of threads for LOOP_ASIDE_CONNECT. */
void loop_set_connects(unsigned max);

/* Runs fn(arg) in another thread, while this fiber is parked.  Outside of
 * fibers, or without a thread, runs it here. */
void loop_aside(void (*fn)(void *arg), void *arg, enum loop_aside kind);

#endif
