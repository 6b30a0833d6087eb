/*
 * uring.c - sends and receives with io_uring.
 *
 * One system call at the end of a turn begins all sends and receives of its
 * fibers. loop_send() returns before; the next loop_recv() reports its failure.
 * A socket has one send under way.  The next send, which could overtake it,
 * waits.
 */
#include "loop/task.h"

#include <errno.h>
#include <sys/syscall.h>

#if defined(SYS_io_uring_setup) && defined(__has_include)
#if __has_include(<linux/io_uring.h>)
#include <linux/io_uring.h>
#endif
#endif

/* Linux 5.19 or later. */
#ifdef IORING_RECVSEND_POLL_FIRST

#include <limits.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/minmax.h"
#include "base/sock.h"
#include "base/wait.h"

/* Older Linux headers lack these. */
#ifndef IORING_SETUP_SINGLE_ISSUER
#define IORING_SETUP_SINGLE_ISSUER (1U << 12)
#endif
#ifndef IORING_SETUP_DEFER_TASKRUN
#define IORING_SETUP_DEFER_TASKRUN (1U << 13)
#endif

/* Plain system calls: with liburing, a static build, or a system without the
 * library, would lose io_uring. */

struct ring {
  int fd;
  unsigned char *map; /* both rings */
  size_t map_bytes;
  struct io_uring_sqe *requests;
  size_t requests_bytes;
  unsigned n_requests, n_completions; /* powers of two */

  _Atomic uint32_t *taken;     /* by the kernel: requests */
  _Atomic uint32_t *published; /* requests */
  uint32_t written;            /* requests, also unpublished ones */

  _Atomic uint32_t *flags;
  _Atomic uint32_t *used; /* completions */
  _Atomic uint32_t *made; /* by the kernel: completions */
  const struct io_uring_cqe *completions;
};

enum {
  REQUESTS = 1024,
  COMPLETIONS = 4096, /* the kernel keeps more */
};

static int ring_setup(struct io_uring_params *p)
{
  /* The kernel makes completions when the thread asks (Linux 6.1), or at its
   * next system call (5.19). */
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

static void ring_close(struct ring *r)
{
  if (r->requests)
    (void)munmap(r->requests, r->requests_bytes);
  if (r->map)
    (void)munmap(r->map, r->map_bytes);
  (void)close(r->fd);
}

static int ring_open(struct ring *r)
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

static bool ring_has_news(const struct ring *r)
{
  return r->written != atomic_load_explicit(r->taken, memory_order_acquire) ||
         atomic_load_explicit(r->flags, memory_order_relaxed) != 0;
}

/* A cleared request.  NULL: no room, submit first. */
static struct io_uring_sqe *ring_request(struct ring *r)
{
  struct io_uring_sqe *q;

  if (r->written - atomic_load_explicit(r->taken, memory_order_acquire) >=
      r->n_requests)
    return NULL;
  q = &r->requests[r->written++ & (r->n_requests - 1)];
  memset(q, 0, sizeof(*q));
  return q;
}

/* Submits all requests, and WAITS for `min` completions, at most `timeout_ns`
 * (UINT64_MAX: no limit).  Returns 0 after a time-out. */
static int ring_enter(struct ring *r, unsigned min, uint64_t timeout_ns)
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

/* The oldest completion, or NULL. */
static const struct io_uring_cqe *ring_peek(const struct ring *r)
{
  const uint32_t used = atomic_load_explicit(r->used, memory_order_relaxed);

  if (used == atomic_load_explicit(r->made, memory_order_acquire))
    return NULL;
  return &r->completions[used & (r->n_completions - 1)];
}

static void ring_seen(struct ring *r)
{
  atomic_store_explicit(r->used,
                        atomic_load_explicit(r->used, memory_order_relaxed) + 1,
                        memory_order_release);
}

enum {
  DIRECT = 64 * 1024, /* bytes; larger sends get their own system call */
};

/* The lowest bits of user_data; the rest is the task or the socket. */
enum {
  OF_TASK,
  OF_SEND,
  OF_WAKE,
  OF_CANCEL,
  OF_BITS = 3,
};

#define PENDING LONG_MIN

/* ---- requests ---- */

static void uring_enter(struct ring *r, unsigned min, uint64_t timeout_ns)
{
  const int rc = ring_enter(r, min, timeout_ns);

  /* Without memory, the caller tries again. */
  if (UNLIKELY(rc < 0 && rc != -EINTR && rc != -EAGAIN && rc != -EBUSY))
    __builtin_trap(); /* wrong use of the ring */
}

static struct io_uring_sqe *uring_request(struct ring *r, uint8_t opcode,
                                          int fd, uint64_t what, unsigned of)
{
  struct io_uring_sqe *q;

  while (UNLIKELY((q = ring_request(r)) == NULL))
    uring_enter(r, 0, 0);
  q->opcode = opcode;
  q->fd = fd;
  q->user_data = what | of;
  return q;
}

static uint64_t uring_send_name(int fd)
{
  return (uint64_t)fd << OF_BITS;
}

static void uring_cancel(struct ring *r, uint64_t user_data)
{
  struct io_uring_sqe *q = uring_request(r, IORING_OP_ASYNC_CANCEL, -1, 0,
                                         OF_CANCEL);

  q->addr = user_data;
}

/* -ETIMEDOUT: cancelled at the limit. */
static long uring_await(struct loop *l)
{
  struct task *t = l->running;
  bool in_time;

  t->result = PENDING;
  in_time = loop_park_for_arrival(l);
  if (LIKELY(t->result != PENDING))
    return t->result;
  if (!in_time)
    uring_cancel(l->engine_data, (uint64_t)(uintptr_t)t | OF_TASK);
  while (t->result == PENDING)
    loop_park(l);
  return t->result == -ECANCELED && !in_time ? -ETIMEDOUT : t->result;
}

/* `later`: nothing can be there yet. */
static void uring_request_recv(struct loop *l, int fd, void *p, size_t n,
                               bool later)
{
  struct io_uring_sqe *q = uring_request(l->engine_data, IORING_OP_RECV, fd,
                                         (uintptr_t)l->running, OF_TASK);

  q->addr = (uintptr_t)p;
  q->len = (uint32_t)min_u64(n, INT32_MAX);
  if (later)
    q->ioprio = IORING_RECVSEND_POLL_FIRST;
}

/* ---- completions ---- */

/* Without the request, no answer ends the receive. */
static void uring_send_failed(struct loop *l, struct loop_fd *s, int code)
{
  s->error = code;
  if (s->waiter && !s->settles)
    uring_cancel(l->engine_data, (uint64_t)(uintptr_t)s->waiter | OF_TASK);
}

static void uring_send_done(struct loop *l, int fd, int res)
{
  struct loop_fd *s = &l->fds[fd];

  if (UNLIKELY(res < 0 || (uint32_t)res < s->sending))
    uring_send_failed(l, s, res < 0 ? -res : EPIPE);
  s->sending = 0;
  if (UNLIKELY(s->settles))
    loop_make_ready(l, s->waiter);
}

static void uring_task_done(struct loop *l, struct task *t, int res)
{
  t->result = res;
  loop_bump(&l->counts.arrived, 1);
  loop_make_arrived(l, t);
}

static void uring_arm_wake(struct loop *l)
{
  uring_request(l->engine_data, IORING_OP_POLL_ADD, l->wake_fd, 0, OF_WAKE)
    ->poll32_events = POLLIN;
}

static void uring_complete(struct loop *l, uint64_t user_data, int res)
{
  const uint64_t what = user_data >> OF_BITS << OF_BITS;

  switch ((unsigned)(user_data - what)) {
  case OF_TASK:
    uring_task_done(l, (struct task *)(uintptr_t)what, res);
    break;
  case OF_SEND:
    uring_send_done(l, (int)(what >> OF_BITS), res);
    break;
  case OF_WAKE:
    loop_woken(l);
    uring_arm_wake(l);
    break;
  default:
    break; /* cancelled requests complete, too */
  }
}

static void uring_take(struct loop *l)
{
  struct ring *r = l->engine_data;
  const struct io_uring_cqe *c;

  l->now_ns = clock_now_ns();
  while ((c = ring_peek(r)) != NULL) {
    const uint64_t user_data = c->user_data;
    const int res = c->res;

    ring_seen(r);
    uring_complete(l, user_data, res);
  }
}

/* ---- the engine ---- */

static int uring_open(struct loop *l)
{
  struct ring *r = calloc(1, sizeof(*r));
  int rc;

  if (!r)
    return -ENOMEM;
  rc = ring_open(r);
  if (rc < 0) {
    free(r);
    return rc;
  }
  l->engine_data = r;
  uring_arm_wake(l);
  return 0;
}

static void uring_close(struct loop *l)
{
  struct ring *r = l->engine_data;

  ring_close(r);
  free(r);
}

static void uring_flush(struct loop *l)
{
  struct ring *r = l->engine_data;

  uring_enter(r, 0, 0);
  uring_take(l);
}

static void uring_look(struct loop *l, uint64_t until_ns)
{
  struct ring *r = l->engine_data;

  if (until_ns > l->now_ns)
    uring_enter(r, 1,
                until_ns == WAIT_FOREVER ? until_ns : until_ns - l->now_ns);
  else if (ring_has_news(r))
    uring_enter(r, 0, 0);
  uring_take(l);
}

/* ---- sockets ---- */

static struct loop_fd *uring_know(struct loop *l, int fd)
{
  struct loop_fd *s = loop_fd(l, fd);

  if (LIKELY(s != NULL))
    s->known = true;
  else
    errno = ENOMEM;
  return s;
}

static int uring_poll_for(struct loop *l, int fd, short events)
{
  struct io_uring_sqe *q = uring_request(l->engine_data, IORING_OP_POLL_ADD, fd,
                                         (uintptr_t)l->running, OF_TASK);

  q->poll32_events = (uint16_t)events;
  return (int)uring_await(l);
}

/* False: the limit has come. */
static bool uring_park_to_settle(struct loop *l, int fd)
{
  bool in_time;

  l->fds[fd].waiter = l->running;
  l->fds[fd].settles = true;
  in_time = loop_park_for_arrival(l);
  l->fds[fd].waiter = NULL;
  l->fds[fd].settles = false;
  return in_time;
}

/* At the limit, gives up the sends and the socket. */
static void uring_settle(struct loop *l, int fd)
{
  const uint64_t limit_ns = l->running->limit_ns;
  bool given_up = false;

  uring_flush(l); /* usually ends all sends */
  while (l->fds[fd].sending > 0) {
    if (uring_park_to_settle(l, fd) || l->fds[fd].sending == 0)
      continue;
    uring_cancel(l->engine_data, uring_send_name(fd) | OF_SEND);
    given_up = true;
    l->running->limit_ns = 0; /* ends soon */
  }
  l->running->limit_ns = limit_ns;
  if (given_up)
    l->fds[fd].error = ETIMEDOUT;
}

static ssize_t uring_send_directly(struct loop *l, int fd, const void *p,
                                   size_t n, int flags)
{
  for (;;) {
    const ssize_t sent = send(fd, p, n, flags | MSG_NOSIGNAL | MSG_DONTWAIT);

    if (sent >= 0)
      return sent;
    if (errno == EAGAIN || errno == EWOULDBLOCK) {
      const int rc = uring_poll_for(l, fd, POLLOUT);

      if (rc >= 0)
        continue;
      errno = -rc;
    }
    if (errno != EINTR)
      return -1;
  }
}

static bool uring_send_has_failed(const struct loop_fd *s)
{
  if (LIKELY(s->error == 0))
    return false;
  errno = s->error;
  return true;
}

static void uring_begin_send(struct loop *l, int fd, const void *p, size_t n,
                             int flags)
{
  struct io_uring_sqe *q = uring_request(l->engine_data, IORING_OP_SEND, fd,
                                         uring_send_name(fd), OF_SEND);

  q->addr = (uintptr_t)p;
  q->len = (uint32_t)n;
  q->msg_flags = (uint32_t)flags | MSG_NOSIGNAL | MSG_WAITALL;
  l->fds[fd].sending = (uint32_t)n;
}

static ssize_t uring_send(struct loop *l, int fd, const void *p, size_t n,
                          int flags)
{
  struct loop_fd *s = uring_know(l, fd);

  if (!s)
    return -1;
  if (UNLIKELY(s->sending > 0)) {
    uring_settle(l, fd);
    s = &l->fds[fd];
  }
  if (uring_send_has_failed(s))
    return -1;
  if (n > DIRECT)
    return uring_send_directly(l, fd, p, n, flags);
  uring_begin_send(l, fd, p, n, flags);
  return (ssize_t)n;
}

/* EAGAIN: nothing. */
static ssize_t uring_recv_now(struct loop_fd *s, int fd, void *p, size_t n)
{
  const ssize_t got = recv(fd, p, n, MSG_DONTWAIT);

  s->ready = got > 0 && (size_t)got == n;
  return got;
}

static ssize_t uring_recv_later(struct loop *l, int fd, void *p, size_t n)
{
  struct loop_fd *s = &l->fds[fd];
  long got;

  uring_request_recv(l, fd, p, n, s->sending > 0);
  s->waiter = l->running;
  got = uring_await(l);
  s = &l->fds[fd];
  s->waiter = NULL;
  s->ready = got > 0 && (size_t)got == n; /* there can be more */
  return got;
}

static ssize_t uring_recv(struct loop *l, int fd, void *p, size_t n)
{
  struct loop_fd *s = uring_know(l, fd);
  ssize_t got;

  if (!s)
    return -1;
  if (UNLIKELY(s->ready || s->error != 0)) {
    got = uring_recv_now(s, fd, p, n);
    if (got > 0)
      return got;
    if (uring_send_has_failed(s))
      return -1;
    if (got == 0 || !sock_is_early(errno))
      return got;
  }
  do {
    got = uring_recv_later(l, fd, p, n);
    if (LIKELY(got > 0))
      return got;
    if (UNLIKELY(l->fds[fd].error != 0)) {
      got = uring_recv_now(&l->fds[fd], fd, p, n);
      if (got <= 0 && uring_send_has_failed(&l->fds[fd]))
        return -1;
      return got;
    }
  } while (got == -EINTR || got == -EAGAIN);
  if (got == 0)
    return 0;
  errno = (int)-got;
  return -1;
}

static bool uring_wait_fd(struct loop *l, int fd, short events)
{
  int rc;

  if (!uring_know(l, fd))
    return false;
  do
    rc = uring_poll_for(l, fd, events);
  while (rc == -EINTR);
  if (rc >= 0)
    return true;
  errno = -rc;
  return false;
}

/* Sends before the close if the peer has room; gives up the rest. */
static void uring_forget(struct loop *l, int fd)
{
  struct ring *r = l->engine_data;

  if (l->fds[fd].sending == 0)
    return;
  uring_flush(l);
  if (l->fds[fd].sending == 0)
    return;
  uring_cancel(r, uring_send_name(fd) | OF_SEND);
  while (l->fds[fd].sending > 0) {
    uring_enter(r, 1, WAIT_FOREVER);
    uring_take(l);
  }
}

#else

static int uring_open(struct loop *l)
{
  (void)l;
  return -ENOSYS;
}

#endif

const struct engine loop_engine_uring = {
  .name = "io_uring",
  .open = uring_open,
#ifdef IORING_RECVSEND_POLL_FIRST
  .close = uring_close,
  .look = uring_look,
  .send = uring_send,
  .recv = uring_recv,
  .wait_fd = uring_wait_fd,
  .settle = uring_settle,
  .forget = uring_forget,
  .flush = uring_flush,
#endif
};
