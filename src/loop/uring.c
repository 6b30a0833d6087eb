/*
 * uring.c - sends and receives with io_uring.
 *
 * What the fibers of a turn want to send and receive is only written down, and
 * one system call begins all of it when the turn ends.  So loop_send() returns
 * before anything is sent; if that fails later, the next loop_recv() of the
 * socket fails.  A socket has at most one send under way: a further one, which
 * could overtake it, waits for its end.  Only a request whose answer is looked
 * for at once (chase.h) is sent at once.
 */
#include "loop/inside.h"
#include "loop/ring.h"

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
  DIRECT = 64 * 1024, /* larger sends need no company in their system call */
};

/* What a completion belongs to, in the lowest bits of its request's user_data;
 * the rest is the task, or the socket's number. */
enum {
  OF_TASK,
  OF_SEND,
  OF_ERRAND_SEND,
  OF_ERRAND_RECV,
  OF_WAKE,
  OF_CANCEL,
  OF_BITS = 3,
};

/* The result of a request that has not completed yet. */
#define PENDING LONG_MIN

struct uring {
  struct ring ring;
  uint64_t received; /* answers, and others that tasks or errands awaited */
};

/* ---- requests ---- */

static void enter(struct uring *u, unsigned min, uint64_t timeout_ns)
{
  const int rc = ring_enter(&u->ring, min, timeout_ns);

  /* Short of memory for the moment: the caller tries again. */
  if (UNLIKELY(rc < 0 && rc != -EINTR && rc != -EAGAIN && rc != -EBUSY))
    __builtin_trap(); /* the ring is used wrongly */
}

static struct io_uring_sqe *request(struct uring *u, uint8_t opcode, int fd,
                                    uint64_t what, unsigned of)
{
  struct io_uring_sqe *q;

  while (UNLIKELY((q = ring_request(&u->ring)) == NULL))
    enter(u, 0, 0);
  q->opcode = opcode;
  q->fd = fd;
  q->user_data = what | of;
  return q;
}

static uint64_t send_name(int fd)
{
  return (uint64_t)fd << OF_BITS;
}

static void cancel(struct uring *u, uint64_t user_data)
{
  struct io_uring_sqe *q = request(u, IORING_OP_ASYNC_CANCEL, -1, 0, OF_CANCEL);

  q->addr = user_data;
}

/* Park until the request of this task has completed.  -ETIMEDOUT: its limit has
 * come, and it was cancelled. */
static long await(struct loop *l)
{
  struct task *t = l->running;
  bool in_time;

  t->result = PENDING;
  in_time = loop_park_for_arrival(l);
  if (LIKELY(t->result != PENDING))
    return t->result;
  if (!in_time)
    cancel(l->engine_data, (uint64_t)(uintptr_t)t | OF_TASK);
  while (t->result == PENDING) {
    l->waiting++;
    loop_park(l);
    l->waiting--;
  }
  return t->result == -ECANCELED && !in_time ? -ETIMEDOUT : t->result;
}

static void request_send(struct uring *u, int fd, const void *p, size_t n,
                         int flags, uint64_t what, unsigned of)
{
  struct io_uring_sqe *q = request(u, IORING_OP_SEND, fd, what, of);

  q->addr = (uintptr_t)p;
  q->len = (uint32_t)n;
  q->msg_flags = (uint32_t)flags | MSG_NOSIGNAL | MSG_WAITALL;
}

/* `later`: nothing can be there yet. */
static void request_recv(struct uring *u, int fd, void *p, size_t n, bool later,
                         uint64_t what, unsigned of)
{
  struct io_uring_sqe *q = request(u, IORING_OP_RECV, fd, what, of);

  q->addr = (uintptr_t)p;
  q->len = (uint32_t)min_u64(n, INT32_MAX);
  if (later)
    q->ioprio = IORING_RECVSEND_POLL_FIRST;
}

/* ---- completions ---- */

/* A receive that waits for the answer would wait for ever. */
static void send_failed(struct loop *l, struct loop_fd *s, int code)
{
  s->error = code;
  if (s->waiter && !s->settles)
    cancel(l->engine_data, (uint64_t)(uintptr_t)s->waiter | OF_TASK);
}

static void send_done(struct loop *l, int fd, int res)
{
  struct loop_fd *s = &l->fds[fd];

  s->sending = false;
  if (UNLIKELY(res < 0))
    send_failed(l, s, -res);
  if (UNLIKELY(s->settles))
    loop_make_ready(l, s->waiter);
}

static void task_done(struct loop *l, struct task *t, int res)
{
  struct uring *u = l->engine_data;

  u->received++;
  t->result = res;
  loop_bump(&l->counts.arrived, 1);
  loop_make_arrived(l, t);
}

/* ---- errands ---- */

static uint64_t errand_name(const struct errand *e)
{
  return (uint64_t)(uintptr_t)e;
}

static void errand_part_ended(struct loop *l, struct errand *e)
{
  if (--e->under_way > 0)
    return;
  e->since_ns = loop_since(l);
  errand_ended(l, e);
}

static void errand_sent(struct loop *l, struct errand *e, int res)
{
  if (UNLIKELY(res < 0)) {
    e->error = -res;
    if (e->under_way > 1)
      cancel(l->engine_data, errand_name(e) | OF_ERRAND_RECV);
  }
  errand_part_ended(l, e);
}

static void errand_received(struct loop *l, struct errand *e, int res)
{
  struct uring *u = l->engine_data;

  u->received++;
  e->result = res;
  errand_part_ended(l, e);
}

/* The request is sent at once, and the answer looked for.  False: it was not
 * there.  An error is told only once, so it must not be lost. */
static bool probe(struct errand *e)
{
  const ssize_t sent = send(e->fd, e->request, e->request_len,
                            e->flags | MSG_NOSIGNAL | MSG_DONTWAIT);

  if (sent < 0) {
    if (sock_is_early(errno))
      return false;
    e->error = errno;
    e->result = -errno;
    return true;
  }
  e->request += sent;
  e->request_len -= (size_t)sent;
  if (e->request_len > 0)
    return false;
  e->result = recv(e->fd, e->answer, e->room, MSG_DONTWAIT);
  if (e->result < 0)
    e->result = -errno;
  e->there = e->result > 0;
  return e->result >= 0 || !sock_is_early((int)-e->result);
}

static void uring_run(struct loop *l, struct errand *e)
{
  struct uring *u = l->engine_data;

  if (e->probes && probe(e)) {
    e->since_ns = clock_now_ns();
    errand_ended(l, e);
    return;
  }
  if (e->request_len > 0) {
    request_send(u, e->fd, e->request, e->request_len, e->flags, errand_name(e),
                 OF_ERRAND_SEND);
    e->under_way++;
  }
  request_recv(u, e->fd, e->answer, e->room, true, errand_name(e),
               OF_ERRAND_RECV);
  e->under_way++;
}

static void arm_wake(struct loop *l)
{
  request(l->engine_data, IORING_OP_POLL_ADD, l->wake_fd, 0, OF_WAKE)
    ->poll32_events = POLLIN;
}

static void complete(struct loop *l, uint64_t user_data, int res)
{
  const uint64_t what = user_data >> OF_BITS << OF_BITS;

  switch ((unsigned)(user_data - what)) {
  case OF_TASK:
    task_done(l, (struct task *)(uintptr_t)what, res);
    break;
  case OF_SEND:
    send_done(l, (int)(what >> OF_BITS), res);
    break;
  case OF_ERRAND_SEND:
    errand_sent(l, (struct errand *)(uintptr_t)what, res);
    break;
  case OF_ERRAND_RECV:
    errand_received(l, (struct errand *)(uintptr_t)what, res);
    break;
  case OF_WAKE:
    loop_woken(l);
    arm_wake(l);
    break;
  default:
    break; /* what was cancelled completes, too */
  }
}

static void take(struct loop *l)
{
  struct uring *u = l->engine_data;
  const struct io_uring_cqe *c;

  l->now_ns = clock_now_ns();
  while ((c = ring_peek(&u->ring)) != NULL) {
    const uint64_t user_data = c->user_data;
    const int res = c->res;

    ring_seen(&u->ring);
    complete(l, user_data, res);
  }
}

/* ---- the engine ---- */

static int uring_open(struct loop *l)
{
  struct uring *u = calloc(1, sizeof(*u));
  int rc;

  if (!u)
    return -ENOMEM;
  rc = ring_open(&u->ring);
  if (rc < 0) {
    free(u);
    return rc;
  }
  l->engine_data = u;
  arm_wake(l);
  return 0;
}

static void uring_close(struct loop *l)
{
  struct uring *u = l->engine_data;

  ring_close(&u->ring);
  free(u);
}

static void uring_flush(struct loop *l)
{
  struct uring *u = l->engine_data;

  enter(u, 0, 0);
  take(l);
}

static void uring_look(struct loop *l, uint64_t until_ns)
{
  struct uring *u = l->engine_data;

  if (until_ns > l->now_ns)
    enter(u, 1, until_ns == WAIT_FOREVER ? until_ns : until_ns - l->now_ns);
  else if (ring_has_news(&u->ring))
    enter(u, 0, 0);
  take(l);
}

static unsigned uring_gather(struct loop *l, unsigned n, uint64_t until_ns)
{
  struct uring *u = l->engine_data;
  const uint64_t before = u->received;

  if (until_ns > l->now_ns)
    enter(u, n, until_ns - l->now_ns);
  take(l);
  return (unsigned)(u->received - before);
}

/* ---- sockets ---- */

static struct loop_fd *know(struct loop *l, int fd)
{
  struct loop_fd *s = loop_fd(l, fd);

  if (LIKELY(s != NULL))
    s->known = true;
  else
    errno = ENOMEM;
  return s;
}

static int poll_for(struct loop *l, int fd, short events)
{
  struct io_uring_sqe *q = request(l->engine_data, IORING_OP_POLL_ADD, fd,
                                   (uintptr_t)l->running, OF_TASK);

  q->poll32_events = (uint16_t)events;
  return (int)await(l);
}

/* False: the limit of the task has come. */
static bool park_to_settle(struct loop *l, int fd)
{
  bool in_time;

  l->fds[fd].waiter = l->running;
  l->fds[fd].settles = true;
  in_time = loop_park_for_arrival(l);
  l->fds[fd].waiter = NULL;
  l->fds[fd].settles = false;
  return in_time;
}

/*
 * Until nothing is under way from this socket.  What is still under way when
 * the limit of the task comes is given up, and so is the socket.
 */
static void settle(struct loop *l, int fd)
{
  const uint64_t limit_ns = l->running->limit_ns;
  bool given_up = false;

  uring_flush(l); /* mostly that is all */
  while (l->fds[fd].sending) {
    if (park_to_settle(l, fd) || !l->fds[fd].sending)
      continue;
    cancel(l->engine_data, send_name(fd) | OF_SEND);
    given_up = true;
    l->running->limit_ns = 0; /* its end comes soon */
  }
  l->running->limit_ns = limit_ns;
  if (given_up)
    l->fds[fd].error = ETIMEDOUT;
}

static ssize_t send_directly(struct loop *l, int fd, const void *p, size_t n,
                             int flags)
{
  for (;;) {
    const ssize_t sent = send(fd, p, n, flags | MSG_NOSIGNAL | MSG_DONTWAIT);

    if (sent >= 0)
      return sent;
    if (errno == EAGAIN || errno == EWOULDBLOCK) {
      const int rc = poll_for(l, fd, POLLOUT);

      if (rc >= 0)
        continue;
      errno = -rc;
    }
    if (errno != EINTR)
      return -1;
  }
}

static bool send_has_failed(const struct loop_fd *s)
{
  if (LIKELY(s->error == 0))
    return false;
  errno = s->error;
  return true;
}

static void begin_send(struct loop *l, int fd, const void *p, size_t n,
                       int flags)
{
  request_send(l->engine_data, fd, p, n, flags, send_name(fd), OF_SEND);
  l->fds[fd].sending = true;
}

static void uring_let_go(struct loop *l)
{
  const struct held held = l->held;

  l->held.fd = -1;
  begin_send(l, held.fd, held.p, held.n, held.flags);
}

static ssize_t uring_send(struct loop *l, int fd, const void *p, size_t n,
                          int flags)
{
  struct loop_fd *s = know(l, fd);

  if (!s)
    return -1;
  loop_let_go(l);
  if (UNLIKELY(s->sending)) {
    settle(l, fd);
    s = &l->fds[fd];
  }
  if (send_has_failed(s))
    return -1;
  if (n > DIRECT || loop_chases(l))
    return send_directly(l, fd, p, n, flags);
  if (loop_has_errands(l, s)) {
    if (s->home.at != l->errands.number) {
      l->held = (struct held){ .fd = fd, .flags = flags, .p = p, .n = n };
      return (ssize_t)n;
    }
    if (home_probes(&s->home)) {
      l->running->looks = LOOK_PROBE;
      return send_directly(l, fd, p, n, flags);
    }
  }
  begin_send(l, fd, p, n, flags);
  return (ssize_t)n;
}

/* What is there already; -1 and EAGAIN: nothing. */
static ssize_t recv_now(struct loop_fd *s, int fd, void *p, size_t n)
{
  const ssize_t got = recv(fd, p, n, MSG_DONTWAIT);

  s->ready = got > 0 && (size_t)got == n;
  return got;
}

/* `missing`: nothing was there a moment ago. */
static ssize_t recv_later(struct loop *l, int fd, void *p, size_t n,
                          bool missing)
{
  struct loop_fd *s = &l->fds[fd];
  long got;

  request_recv(l->engine_data, fd, p, n, s->sending || missing,
               (uintptr_t)l->running, OF_TASK);
  s->waiter = l->running;
  got = await(l);
  s = &l->fds[fd];
  s->waiter = NULL;
  s->ready = got > 0 && (size_t)got == n; /* there may be more */
  return got;
}

/* The loop at the home of this socket sends the request, too. */
static ssize_t recv_by_mate(struct loop *l, int fd, void *p, size_t n)
{
  struct loop_fd *s = &l->fds[fd];
  struct task *t = l->running;
  struct errand *e = &t->errand;

  *e = (struct errand){
    .fd = fd,
    .flags = l->held.flags,
    .request = l->held.p,
    .request_len = l->held.n,
    .answer = p,
    .room = n,
    .probes = home_probes(&s->home),
  };
  l->held.fd = -1;
  errand_give(l, s->home.at, e);
  t->result = PENDING;
  do
    (void)loop_park_for_arrival(l);
  while (t->result == PENDING);
  s = &l->fds[fd];
  if (UNLIKELY(!e->by_mate))
    home_init(&s->home, l->errands.number);
  else if (e->probes)
    home_probed(&s->home, e->there, errands_count_loops(&l->errands));
  s->error = e->error;
  s->ready = t->result > 0 && (size_t)t->result == n;
  return t->result;
}

static ssize_t uring_recv(struct loop *l, int fd, void *p, size_t n)
{
  const bool looks = l->running->looks != LOOK_LATER;
  struct loop_fd *s = know(l, fd);
  ssize_t got;

  if (!s)
    return -1;
  if (UNLIKELY(!s->placed))
    loop_place(l, s, fd);
  if (looks || UNLIKELY(s->ready || s->error != 0)) {
    got = recv_now(s, fd, p, n);
    if (looks)
      loop_looked(l, s, got > 0);
    if (got > 0)
      return got;
    if (send_has_failed(s))
      return -1;
    if (got == 0 || !sock_is_early(errno))
      return got;
  }
  do {
    got = l->held.fd == fd ? recv_by_mate(l, fd, p, n)
                           : recv_later(l, fd, p, n, looks);
    if (LIKELY(got > 0))
      return got;
    if (UNLIKELY(l->fds[fd].error != 0)) {
      got = recv_now(&l->fds[fd], fd, p, n);
      if (got <= 0 && send_has_failed(&l->fds[fd]))
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

  if (!know(l, fd))
    return false;
  loop_let_go(l);
  do
    rc = poll_for(l, fd, events);
  while (rc == -EINTR);
  if (rc >= 0)
    return true;
  errno = -rc;
  return false;
}

/* What is under way is sent before the socket is closed, as far as the peer
 * has room for it; the rest is given up. */
static void uring_forget(struct loop *l, int fd)
{
  struct uring *u = l->engine_data;

  if (!l->fds[fd].sending)
    return;
  uring_flush(l);
  if (!l->fds[fd].sending)
    return;
  cancel(u, send_name(fd) | OF_SEND);
  while (l->fds[fd].sending) {
    enter(u, 1, WAIT_FOREVER);
    take(l);
  }
}

#else /* the headers of the system do not know io_uring */

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
  .gather = uring_gather,
  .send = uring_send,
  .recv = uring_recv,
  .wait_fd = uring_wait_fd,
  .settle = settle,
  .forget = uring_forget,
  .flush = uring_flush,
  .run = uring_run,
  .let_go = uring_let_go,
#endif
};
