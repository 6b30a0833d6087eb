/*
 * epoll.c - waits for sockets with epoll.
 *
 * A socket is registered once, edge-triggered, so a wait costs no system call.
 * `ready` remembers an edge until a recv() finds nothing.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/sock.h"
#include "base/wait.h"
#include "loop/task.h"

enum {
  EVENTS = 256, /* per system call */
};

/* Without EPOLLOUT, which would wake us for the peer's reads. */
#define EDGES ((uint32_t)(EPOLLIN | EPOLLRDHUP | EPOLLET))

struct loop_epoll {
  int fd;
  struct epoll_event events[EVENTS];
};

static int epoll_open(struct loop *l)
{
  struct epoll_event event = { .events = EPOLLIN, .data.fd = l->wake_fd };
  struct loop_epoll *e = calloc(1, sizeof(*e));

  if (!e)
    return -ENOMEM;
  e->fd = epoll_create1(EPOLL_CLOEXEC);
  if (e->fd < 0 || epoll_ctl(e->fd, EPOLL_CTL_ADD, l->wake_fd, &event) < 0) {
    const int code = errno;

    if (e->fd >= 0)
      (void)close(e->fd);
    free(e);
    return -code;
  }
  l->engine_data = e;
  return 0;
}

static void epoll_close(struct loop *l)
{
  struct loop_epoll *e = l->engine_data;

  (void)close(e->fd);
  free(e);
}

static void epoll_arrived(struct loop *l, const struct epoll_event *event)
{
  const int fd = event->data.fd;
  struct loop_fd *s;

  if (fd == l->wake_fd) {
    loop_woken(l);
    return;
  }
  s = &l->fds[fd];
  s->ready = true;
  /* One edge can mean the last bytes and the end behind them. */
  s->ended |= (event->events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
  if (s->waiter) {
    loop_bump(&l->counts.arrived, 1);
    loop_make_arrived(l, s->waiter);
  }
}

/* epoll_pwait2() takes nanoseconds. */
static int epoll_wait_for_events(struct loop_epoll *e, uint64_t until_ns)
{
  struct timespec left;
  uint64_t now;

  if (until_ns == 0)
    return epoll_wait(e->fd, e->events, EVENTS, 0);
  if (until_ns == WAIT_FOREVER)
    return epoll_wait(e->fd, e->events, EVENTS, -1);
  now = clock_now_ns();
  if (until_ns <= now)
    return epoll_wait(e->fd, e->events, EVENTS, 0);
#ifdef SYS_epoll_pwait2
  left = clock_timespec(until_ns - now);
  {
    const long n = syscall(SYS_epoll_pwait2, e->fd, e->events, EVENTS, &left,
                           NULL, 0);

    /* Older seccomp filters refuse the call with EPERM. */
    if (n >= 0 || (errno != ENOSYS && errno != EPERM))
      return (int)n;
  }
#endif
  (void)left;
  return epoll_wait(e->fd, e->events, EVENTS,
                    (int)((until_ns - now + NS_PER_MS - 1) / NS_PER_MS));
}

static void epoll_look(struct loop *l, uint64_t until_ns)
{
  struct loop_epoll *e = l->engine_data;
  const int n = epoll_wait_for_events(e, until_ns);

  l->now_ns = clock_now_ns();
  for (int i = 0; i < n; i++)
    epoll_arrived(l, &e->events[i]);
}

static struct loop_fd *epoll_watch(struct loop *l, int fd)
{
  struct epoll_event event = { .events = EDGES, .data.fd = fd };
  const struct loop_epoll *e = l->engine_data;
  struct loop_fd *s = loop_fd(l, fd);

  if (LIKELY(s && s->known))
    return s;
  if (!s) {
    errno = ENOMEM;
    return NULL;
  }
  if (epoll_ctl(e->fd, EPOLL_CTL_ADD, fd, &event) < 0)
    return NULL;
  s->known = true;
  s->ready = s->ended = false; /* registering reports earlier arrivals */
  return s;
}

/* False: the limit has come; sets errno. */
static bool epoll_park_for(struct loop *l, int fd)
{
  bool in_time;

  l->fds[fd].waiter = l->running;
  in_time = loop_park_for_arrival(l);
  l->fds[fd].waiter = NULL; /* `fds` can have moved */
  if (UNLIKELY(!in_time))
    errno = ETIMEDOUT;
  return in_time;
}

/* Returns at once if something can be there. */
static inline bool epoll_wait_in(struct loop *l, int fd)
{
  while (!l->fds[fd].ready) {
    if (UNLIKELY(!epoll_park_for(l, fd)) && !l->fds[fd].ready)
      return false;
  }
  return true;
}

static bool epoll_wait_out(struct loop *l, int fd)
{
  struct epoll_event event = { .events = EDGES | EPOLLOUT, .data.fd = fd };
  const struct loop_epoll *e = l->engine_data;

  bool in_time;

  if (epoll_ctl(e->fd, EPOLL_CTL_MOD, fd, &event) < 0)
    return false;
  in_time = epoll_park_for(l, fd);
  event.events = EDGES;
  return epoll_ctl(e->fd, EPOLL_CTL_MOD, fd, &event) == 0 && in_time;
}

static bool epoll_wait_fd(struct loop *l, int fd, short events)
{
  struct loop_fd *s = epoll_watch(l, fd);

  if (!s)
    return false;
  if (events & POLLOUT)
    return epoll_wait_out(l, fd);
  if (!epoll_wait_in(l, fd))
    return false;
  l->fds[fd].ready = l->fds[fd].ended;
  return true;
}

static ssize_t epoll_send(struct loop *l, int fd, const void *p, size_t n,
                          int flags)
{
  for (;;) {
    const ssize_t sent = send(fd, p, n, flags | MSG_NOSIGNAL | MSG_DONTWAIT);

    if (LIKELY(sent >= 0))
      return sent;
    if (!sock_is_early(errno))
      return -1;
    if (errno != EINTR && (!epoll_watch(l, fd) || !epoll_wait_out(l, fd)))
      return -1;
  }
}

static ssize_t epoll_recv(struct loop *l, int fd, void *p, size_t n)
{
  if (!epoll_watch(l, fd))
    return -1;
  for (;;) {
    ssize_t got;

    if (!epoll_wait_in(l, fd))
      return -1;
    got = recv(fd, p, n, MSG_DONTWAIT);
    if (got < 0 && errno == EINTR)
      continue;
    if (got > 0 && (size_t)got == n)
      return got; /* there can be more */
    if (got > 0 || (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)))
      l->fds[fd].ready = l->fds[fd].ended;
    if (got >= 0 || l->fds[fd].ready)
      return got; /* an end or an error stays */
  }
}

static void epoll_forget(struct loop *l, int fd)
{
  const struct loop_epoll *e = l->engine_data;

  (void)epoll_ctl(e->fd, EPOLL_CTL_DEL, fd, NULL);
}

const struct engine loop_engine_epoll = {
  .name = "epoll",
  .open = epoll_open,
  .close = epoll_close,
  .look = epoll_look,
  .send = epoll_send,
  .recv = epoll_recv,
  .wait_fd = epoll_wait_fd,
  .forget = epoll_forget,
};
