/*
 * uring.c - sends and receives with io_uring.
 *
 * One system call at the end of a turn begins all that its fibers send and
 * receive: loop_send() returns before, and a failure is that of the next
 * loop_recv().  A socket has one send under way; the next, which could overtake
 * it, waits.
 */
#include "loop/ring.h"
#include "loop/task.h"

#include <errno.h>

#ifdef LOOP_HAVE_URING

#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/minmax.h"
#include "base/sock.h"
#include "base/wait.h"

enum {
  DIRECT = 64 * 1024, /* larger sends get a system call of their own */
};

/* In the lowest bits of user_data; the rest is the task, or the socket. */
enum {
  OF_TASK,
  OF_SEND,
  OF_WAKE,
  OF_CANCEL,
  OF_BITS = 3,
};

/* Not completed. */
#define PENDING LONG_MIN

/* ---- requests ---- */

static void uring_enter(struct ring *r, unsigned min, uint64_t timeout_ns)
{
  const int rc = ring_enter(r, min, timeout_ns);

  /* Short of memory: the caller tries again. */
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

/* Park until the request has completed.  -ETIMEDOUT: cancelled at the limit. */
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
  while (t->result == PENDING) {
    l->waiting++;
    loop_park(l);
    l->waiting--;
  }
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

/* A receive would wait for ever for the answer. */
static void uring_send_failed(struct loop *l, struct loop_fd *s, int code)
{
  s->error = code;
  if (s->waiter && !s->settles)
    uring_cancel(l->engine_data, (uint64_t)(uintptr_t)s->waiter | OF_TASK);
}

static void uring_send_done(struct loop *l, int fd, int res)
{
  struct loop_fd *s = &l->fds[fd];

  s->sending = false;
  if (UNLIKELY(res < 0))
    uring_send_failed(l, s, -res);
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

/* At the limit, what is under way is given up, and so is the socket. */
static void uring_settle(struct loop *l, int fd)
{
  const uint64_t limit_ns = l->running->limit_ns;
  bool given_up = false;

  uring_flush(l); /* mostly all */
  while (l->fds[fd].sending) {
    if (uring_park_to_settle(l, fd) || !l->fds[fd].sending)
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
  l->fds[fd].sending = true;
}

static ssize_t uring_send(struct loop *l, int fd, const void *p, size_t n,
                          int flags)
{
  struct loop_fd *s = uring_know(l, fd);

  if (!s)
    return -1;
  if (UNLIKELY(s->sending)) {
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

  uring_request_recv(l, fd, p, n, s->sending);
  s->waiter = l->running;
  got = uring_await(l);
  s = &l->fds[fd];
  s->waiter = NULL;
  s->ready = got > 0 && (size_t)got == n; /* there may be more */
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

/* Sent before the close if the peer has room; the rest is given up. */
static void uring_forget(struct loop *l, int fd)
{
  struct ring *r = l->engine_data;

  if (!l->fds[fd].sending)
    return;
  uring_flush(l);
  if (!l->fds[fd].sending)
    return;
  uring_cancel(r, uring_send_name(fd) | OF_SEND);
  while (l->fds[fd].sending) {
    uring_enter(r, 1, WAIT_FOREVER);
    uring_take(l);
  }
}

#else /* no io_uring in the headers */

static int uring_open(struct loop *l)
{
  (void)l;
  return -ENOSYS;
}

#endif

const struct engine loop_engine_uring = {
  .name = "io_uring",
  .open = uring_open,
#ifdef LOOP_HAVE_URING
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
