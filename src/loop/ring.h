/*
 * ring.h - an io_uring by its plain system calls (for src/loop only).
 *
 * Requests are written into a ring that the kernel reads, and the kernel writes
 * completions into another.  One thread uses both.  liburing would replace 180
 * lines here, but a static build and a system without it would lose io_uring,
 * or need these lines as well.
 */
#ifndef BENCH_LOOP_RING_H
#define BENCH_LOOP_RING_H

#include <sys/syscall.h>

#if defined(SYS_io_uring_setup) && defined(__has_include)
#if __has_include(<linux/io_uring.h>)
#include <linux/io_uring.h>
#endif
#endif

/* Headers of Linux 5.19 or later. */
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

  _Atomic uint32_t *taken;     /* requests that the kernel has taken */
  _Atomic uint32_t *published; /* those that it may take */
  uint32_t written;            /* those that we have written */

  _Atomic uint32_t *flags;
  _Atomic uint32_t *used; /* completions that we have used */
  _Atomic uint32_t *made; /* those that the kernel has made */
  const struct io_uring_cqe *completions;
};

/* 0, or -errno: the system does not allow it, or is too old. */
int ring_open(struct ring *r);
void ring_close(struct ring *r);

/* A clear request; NULL: no room, submit the others first. */
struct io_uring_sqe *ring_request(struct ring *r);

/* Is there something that ring_enter() would do at once: requests to submit, or
 * completions to make? */
bool ring_has_news(const struct ring *r);

/*
 * Submit all requests, and wait for `min` completions, but not longer than
 * `timeout_ns` (UINT64_MAX: for ever).  0, or -errno; a time-out is no error.
 */
int ring_enter(struct ring *r, unsigned min, uint64_t timeout_ns);

/* The oldest completion; NULL: there is none. */
const struct io_uring_cqe *ring_peek(const struct ring *r);
/* It has been used. */
void ring_seen(struct ring *r);

#endif /* IORING_RECVSEND_POLL_FIRST */
#endif
