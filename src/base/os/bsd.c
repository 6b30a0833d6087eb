/*
 * bsd.c - kqueue in place of epoll and signalfd, a condition in place of
 * futexes.
 */
#include "base/os/bsd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/event.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/param.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/os/os.h"

static int new_queue(void)
{
  const int fd = kqueue();

  if (fd >= 0)
    (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
  return fd;
}

int epoll_create1(int flags)
{
  (void)flags;
  return new_queue();
}

/* A filter for each direction, if wanted. */
static int change(int queue, int fd, short filter, bool wanted, bool edge,
                  void *data)
{
  struct kevent k;

  EV_SET(&k, (uintptr_t)fd, filter,
         wanted ? EV_ADD | (edge ? EV_CLEAR : 0) : EV_DELETE, 0, 0, data);
  if (kevent(queue, &k, 1, NULL, 0, NULL) == 0)
    return 0;
  return !wanted && errno == ENOENT ? 0 : -1;
}

int epoll_ctl(int epoll, int how, int fd, struct epoll_event *event)
{
  const uint32_t events = how == EPOLL_CTL_DEL ? 0 : event->events;
  const bool edge = (events & EPOLLET) != 0;
  void *data = events ? event->data.ptr : NULL;

  if (change(epoll, fd, EVFILT_READ, (events & EPOLLIN) != 0, edge, data) < 0)
    return -1;
  return change(epoll, fd, EVFILT_WRITE, (events & EPOLLOUT) != 0, edge, data);
}

static uint32_t events_of(const struct kevent *k)
{
  uint32_t events = k->filter == EVFILT_WRITE ? EPOLLOUT : EPOLLIN;

  if (k->flags & EV_ERROR)
    events |= EPOLLERR;
  if (k->flags & EV_EOF)
    events |= EPOLLRDHUP;
  return events;
}

/* Two filters of a socket are one event, as on Linux: whoever gets it may free
 * what the pointer names. Returns the number of events. */
static int add_event(struct epoll_event *events, int used,
                     const struct kevent *k)
{
  for (int i = 0; i < used; i++) {
    if (events[i].data.ptr == k->udata) {
      events[i].events |= events_of(k);
      return used;
    }
  }
  events[used] = (struct epoll_event){ events_of(k), { k->udata } };
  return used + 1;
}

int epoll_wait(int epoll, struct epoll_event *events, int n, int timeout_ms)
{
  enum {
    AT_ONCE = 64,
  };
  const struct timespec limit = {
    .tv_sec = timeout_ms / 1000,
    .tv_nsec = (long)(timeout_ms % 1000) * 1000000,
  };
  struct kevent k[AT_ONCE];
  int got, used = 0;

  got = kevent(epoll, NULL, 0, k, n < AT_ONCE ? n : AT_ONCE,
               timeout_ms < 0 ? NULL : &limit);
  for (int i = 0; i < got; i++)
    used = add_event(events, used, &k[i]);
  return got < 0 ? got : used;
}

/* ---- threads ---- */

/* Of all words. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

/* At most a second away, because the clock of conditions may be set. */
static bool next_look(const struct timespec *until, struct timespec *ret)
{
  const int64_t second = 1000000000;
  struct timespec now;
  int64_t left = second;

  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  if (until && until->tv_sec - now.tv_sec < 2)
    left = (until->tv_sec - now.tv_sec) * second + until->tv_nsec - now.tv_nsec;
  if (left <= 0)
    return false;
  if (left > second)
    left = second;
  (void)clock_gettime(CLOCK_REALTIME, ret);
  left += ret->tv_nsec;
  ret->tv_sec += (time_t)(left / second);
  ret->tv_nsec = (long)(left % second);
  return true;
}

void os_wait(_Atomic uint32_t *word, uint32_t value,
             const struct timespec *until)
{
  struct timespec look;

  (void)pthread_mutex_lock(&lock);
  if (atomic_load(word) == value && next_look(until, &look))
    (void)pthread_cond_timedwait(&changed, &lock, &look);
  (void)pthread_mutex_unlock(&lock);
}

void os_wake(_Atomic uint32_t *word)
{
  (void)word;
  (void)pthread_mutex_lock(&lock);
  (void)pthread_cond_broadcast(&changed);
  (void)pthread_mutex_unlock(&lock);
}

/* ---- memory ---- */

int os_release(void *at, size_t bytes)
{
  return madvise(at, bytes, MADV_FREE);
}

bool os_can_guard(void)
{
  return false;
}

int os_guard(void *page, size_t bytes)
{
  (void)page, (void)bytes;
  errno = ENOSYS;
  return -1;
}

int pthread_timedjoin_np(pthread_t thread, void **ret,
                         const struct timespec *until)
{
  const struct timespec moment = { .tv_nsec = 1000000 };

  while (pthread_kill(thread, 0) == 0) {
    struct timespec now;

    (void)clock_gettime(CLOCK_REALTIME, &now);
    if (now.tv_sec > until->tv_sec ||
        (now.tv_sec == until->tv_sec && now.tv_nsec >= until->tv_nsec))
      return ETIMEDOUT;
    (void)nanosleep(&moment, NULL);
  }
  return pthread_join(thread, ret);
}

/* ---- sockets ---- */

uint64_t os_round_trip_ns(int fd)
{
  (void)fd;
  return 0;
}

ssize_t os_send(int fd, const void *buf, size_t n, int flags)
{
  return send(fd, buf, n, flags | MSG_NOSIGNAL);
}

ssize_t os_recv(int fd, void *buf, size_t n)
{
  return recv(fd, buf, n, 0);
}

int os_poll(struct pollfd *fd)
{
  return poll(fd, 1, -1);
}

/* ---- files ---- */

bool os_in_memory(int fd)
{
  struct statfs fs;

  return fstatfs(fd, &fs) == 0 && strcmp(fs.f_fstypename, "tmpfs") == 0;
}

/* ---- signals ---- */

/* The queue notices signals, even blocked ones. */
static int watch_signals(int queue, const sigset_t *set)
{
  for (int i = 1; i < NSIG; i++) {
    struct kevent k;

    if (sigismember(set, i) != 1)
      continue;
    EV_SET(&k, (uintptr_t)i, EVFILT_SIGNAL, EV_ADD, 0, 0, NULL);
    if (kevent(queue, &k, 1, NULL, 0, NULL) < 0)
      return -1;
  }
  return 0;
}

int signalfd(int fd, const sigset_t *set, int flags)
{
  (void)fd, (void)flags;
  fd = new_queue();
  if (fd >= 0 && watch_signals(fd, set) < 0) {
    const int code = errno;

    (void)close(fd);
    errno = code;
    return -1;
  }
  return fd;
}

#if defined(__APPLE__)

static int take_pending(const sigset_t *set)
{
  sigset_t pending;

  (void)sigpending(&pending);
  for (int i = 1; i < NSIG; i++) {
    sigset_t one;
    int number;

    if (sigismember(set, i) != 1 || sigismember(&pending, i) != 1)
      continue;
    (void)sigemptyset(&one);
    (void)sigaddset(&one, i);
    if (sigwait(&one, &number) == 0)
      return number;
  }
  return 0;
}

/* Signals that come before the wait are in the queue. */
int sigtimedwait(const sigset_t *set, siginfo_t *info,
                 const struct timespec *limit)
{
  const int queue = new_queue();
  struct kevent k;
  int number;

  if (queue < 0 || watch_signals(queue, set) < 0)
    number = -1;
  else
    number = take_pending(set);
  if (number == 0) {
    const int n = kevent(queue, NULL, 0, &k, 1, limit);

    number = n > 0 ? take_pending(set) : n;
    if (number == 0) {
      errno = n > 0 ? EINTR : EAGAIN;
      number = -1;
    }
  }
  if (queue >= 0) {
    const int code = errno;

    (void)close(queue);
    errno = code;
  }
  if (number > 0 && info)
    *info = (siginfo_t){ .si_signo = number };
  return number;
}

int sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
  return sigtimedwait(set, info, NULL);
}

#endif
