/*
 * ring.h - an io_uring by its plain system calls, for one thread (for src/loop
 * only).
 *
 * Without liburing: a static build, and a system without it, would lose
 * io_uring.
 */
#ifndef BENCH_LOOP_RING_H
#define BENCH_LOOP_RING_H

#include <sys/syscall.h>

#if defined(SYS_io_uring_setup) && defined(__has_include)
#if __has_include(<linux/io_uring.h>)
#include <linux/io_uring.h>
#endif
#endif

/* Linux 5.19 or later. */
#ifdef IORING_RECVSEND_POLL_FIRST
#define LOOP_HAVE_URING 1

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ring {
  int fd;
  unsigned char *map; /* both rings */
  size_t map_bytes;
  struct io_uring_sqe *requests;
  size_t requests_bytes;
  unsigned n_requests, n_completions; /* powers of two */

  _Atomic uint32_t *taken;     /* requests, by the kernel */
  _Atomic uint32_t *published; /* requests */
  uint32_t written;            /* requests, not all published */

  _Atomic uint32_t *flags;
  _Atomic uint32_t *used; /* completions */
  _Atomic uint32_t *made; /* completions, by the kernel */
  const struct io_uring_cqe *completions;
};

/* -errno: not allowed, or too old. */
int ring_open(struct ring *r);
void ring_close(struct ring *r);

/* Cleared; NULL: no room, submit first. */
struct io_uring_sqe *ring_request(struct ring *r);

/* Would ring_enter() do something at once? */
bool ring_has_news(const struct ring *r);

/* Submit all requests, and WAIT for `min` completions, at most `timeout_ns`
 * (UINT64_MAX: for ever).  -errno; a time-out is no error. */
int ring_enter(struct ring *r, unsigned min, uint64_t timeout_ns);

/* The oldest completion, or NULL. */
const struct io_uring_cqe *ring_peek(const struct ring *r);
void ring_seen(struct ring *r);

#endif /* IORING_RECVSEND_POLL_FIRST */
#endif
