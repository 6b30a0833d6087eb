/*
 * ring.c - an io_uring by its plain system calls.
 */
#include "loop/ring.h"

#ifdef LOOP_HAVE_URING

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/compiler.h"

/* Older headers of Linux lack these. */
#ifndef IORING_SETUP_SINGLE_ISSUER
#define IORING_SETUP_SINGLE_ISSUER (1U << 12)
#endif
#ifndef IORING_SETUP_DEFER_TASKRUN
#define IORING_SETUP_DEFER_TASKRUN (1U << 13)
#endif

enum {
  REQUESTS = 1024,
  COMPLETIONS = 4096, /* the kernel keeps more */
};

static int ring_setup(struct io_uring_params *p)
{
  /* Completions are made when the thread asks (Linux 6.1), or at its next
   * system call (5.19). */
  static const unsigned flags[] = {
    IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN,
    IORING_SETUP_COOP_TASKRUN,
  };
  const unsigned all = IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP |
                       IORING_SETUP_SUBMIT_ALL | IORING_SETUP_TASKRUN_FLAG;
  int fd = -1;

  for (unsigned i = 0; fd < 0 && i < ARRAY_SIZE(flags); i++) {
    memset(p, 0, sizeof(*p));
    p->flags = all | flags[i];
    p->cq_entries = COMPLETIONS;
    fd = (int)syscall(SYS_io_uring_setup, REQUESTS, p);
    if (fd < 0 && errno != EINVAL)
      break;
  }
  return fd < 0 ? -errno : fd;
}

static void *ring_map(const struct ring *r, size_t bytes, uint64_t what)
{
  void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
                 r->fd, (off_t)what);

  return p == MAP_FAILED ? NULL : p;
}

static _Atomic uint32_t *ring_word(const struct ring *r, uint32_t offset)
{
  return (_Atomic uint32_t *)(void *)(r->map + offset);
}

/* The kernel takes requests in the order of writing. */
static void ring_put_in_order(const struct ring *r, uint32_t offset)
{
  uint32_t *order = (uint32_t *)(void *)(r->map + offset);

  for (unsigned i = 0; i < r->n_requests; i++)
    order[i] = i;
}

static int ring_map_rings(struct ring *r, const struct io_uring_params *p)
{
  const size_t requests = p->sq_off.array + p->sq_entries * sizeof(uint32_t);
  const size_t completions = p->cq_off.cqes +
                             p->cq_entries * sizeof(struct io_uring_cqe);

  r->map_bytes = requests > completions ? requests : completions;
  r->map = ring_map(r, r->map_bytes, IORING_OFF_SQ_RING);
  if (!r->map)
    return -errno;
  r->requests_bytes = p->sq_entries * sizeof(struct io_uring_sqe);
  r->requests = ring_map(r, r->requests_bytes, IORING_OFF_SQES);
  if (!r->requests)
    return -errno;
  r->n_requests = p->sq_entries;
  r->n_completions = p->cq_entries;
  r->taken = ring_word(r, p->sq_off.head);
  r->published = ring_word(r, p->sq_off.tail);
  r->flags = ring_word(r, p->sq_off.flags);
  r->used = ring_word(r, p->cq_off.head);
  r->made = ring_word(r, p->cq_off.tail);
  r->completions = (const void *)(r->map + p->cq_off.cqes);
  ring_put_in_order(r, p->sq_off.array);
  return 0;
}

int ring_open(struct ring *r)
{
  const unsigned needed = IORING_FEAT_SINGLE_MMAP | IORING_FEAT_NODROP |
                          IORING_FEAT_EXT_ARG;
  struct io_uring_params p;
  int rc;

  memset(r, 0, sizeof(*r));
  r->fd = ring_setup(&p);
  if (r->fd < 0)
    return r->fd;
  rc = (p.features & needed) == needed ? ring_map_rings(r, &p) : -ENOSYS;
  if (rc < 0)
    ring_close(r);
  return rc;
}

void ring_close(struct ring *r)
{
  if (r->requests)
    (void)munmap(r->requests, r->requests_bytes);
  if (r->map)
    (void)munmap(r->map, r->map_bytes);
  (void)close(r->fd);
}

bool ring_has_news(const struct ring *r)
{
  return r->written != atomic_load_explicit(r->taken, memory_order_acquire) ||
         atomic_load_explicit(r->flags, memory_order_relaxed) != 0;
}

struct io_uring_sqe *ring_request(struct ring *r)
{
  struct io_uring_sqe *q;

  if (r->written - atomic_load_explicit(r->taken, memory_order_acquire) >=
      r->n_requests)
    return NULL;
  q = &r->requests[r->written++ & (r->n_requests - 1)];
  memset(q, 0, sizeof(*q));
  return q;
}

int ring_enter(struct ring *r, unsigned min, uint64_t timeout_ns)
{
  const uint32_t n = r->written -
                     atomic_load_explicit(r->taken, memory_order_acquire);
  struct io_uring_getevents_arg arg = { 0 };
  struct __kernel_timespec left;

  atomic_store_explicit(r->published, r->written, memory_order_release);
  if (min > 0 && timeout_ns != UINT64_MAX) {
    left.tv_sec = (int64_t)(timeout_ns / NS_PER_S);
    left.tv_nsec = (long long)(timeout_ns % NS_PER_S);
    arg.ts = (uintptr_t)&left;
  }
  if (syscall(SYS_io_uring_enter, r->fd, n, min,
              IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG, &arg,
              sizeof(arg)) >= 0 ||
      errno == ETIME)
    return 0;
  return -errno;
}

const struct io_uring_cqe *ring_peek(const struct ring *r)
{
  const uint32_t used = atomic_load_explicit(r->used, memory_order_relaxed);

  if (used == atomic_load_explicit(r->made, memory_order_acquire))
    return NULL;
  return &r->completions[used & (r->n_completions - 1)];
}

void ring_seen(struct ring *r)
{
  atomic_store_explicit(r->used,
                        atomic_load_explicit(r->used, memory_order_relaxed) + 1,
                        memory_order_release);
}

#endif
