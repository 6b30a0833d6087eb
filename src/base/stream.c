#include "base/stream.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/minmax.h"
#include "base/os/os.h"
#include "base/sock.h"

/* Between two attempts at a Unix socket whose queue is full: no event reports
 * room. */
#define FULL_FIRST_NS (NS_PER_MS / 4)
#define FULL_LAST_NS (8 * NS_PER_MS)

/* Interval between looks at *sooner_ns. */
#define SLICE_NS (50 * NS_PER_MS)

static uint64_t stream_left_ns(const struct stream_limit *limit)
{
  const uint64_t now = clock_now_ns();
  uint64_t until = limit->until_ns;

  if (limit->sooner_ns)
    until = min_u64(until, atomic_load(limit->sooner_ns));
  return now < until ? until - now : 0;
}

static int wait_for(int fd, short events, uint64_t most_ns,
                    const struct stream_limit *limit)
{
  const uint64_t slice_ns = limit->sooner_ns ? SLICE_NS : UINT64_MAX;
  const uint64_t end_ns = clock_now_ns() +
                          min_u64(most_ns, stream_left_ns(limit));
  struct pollfd p = { .fd = fd, .events = events };

  if (limit->wait)
    return limit->wait(fd, events, end_ns);
  for (;;) {
    const uint64_t now = clock_now_ns();
    const uint64_t left = now < end_ns
                            ? min_u64(end_ns - now, stream_left_ns(limit))
                            : 0;
    const uint64_t ns = min_u64(left, slice_ns);
    const struct timespec time = clock_timespec(ns);
    const int rc = ppoll(&p, 1, &time, NULL);

    if (rc > 0)
      return 0;
    if (rc == 0 && left == ns)
      return -ETIMEDOUT;
    if (rc < 0 && errno != EINTR)
      return -errno;
  }
}

static int stream_await(int fd, short events, const struct stream_limit *limit)
{
  return wait_for(fd, events, UINT64_MAX, limit);
}

static int connect_to(int fd, const struct sockaddr *to, socklen_t len,
                      const struct stream_limit *limit)
{
  uint64_t pause = FULL_FIRST_NS;
  socklen_t size = sizeof(int);
  int error = 0, rc;

  while (connect(fd, to, len) < 0) {
    if (errno == EINPROGRESS) {
      rc = stream_await(fd, POLLOUT, limit);
      if (rc == 0 && getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0)
        rc = -errno;
      return rc < 0 ? rc : -error;
    }
    if (errno != EAGAIN && errno != EINTR)
      return -errno;
    rc = wait_for(-1, 0, pause, limit);
    if (stream_left_ns(limit) == 0)
      return -ETIMEDOUT;
    if (rc < 0 && rc != -ETIMEDOUT)
      return rc;
    pause = min_u64(2 * pause, FULL_LAST_NS);
  }
  return 0;
}

int stream_socket(int family)
{
  const int fd = os_stream_socket(family), on = 1;

  if (fd >= 0 && family != AF_UNIX)
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  return fd;
}

int stream_open(int *ret_fd, const struct sockaddr *to, socklen_t len,
                const struct stream_limit *limit)
{
  const int fd = stream_socket(to->sa_family);
  int rc;

  if (fd < 0)
    return -errno;
  rc = connect_to(fd, to, len, limit);
  if (rc < 0) {
    (void)close(fd);
    return rc;
  }
  *ret_fd = fd;
  return 0;
}

int stream_send(int fd, const void *bytes, size_t n,
                const struct stream_limit *limit)
{
  const char *from = bytes;

  while (n > 0) {
    const ssize_t sent = sock_send(fd, from, n, MSG_DONTWAIT);
    int rc = 0;

    if (sent >= 0) {
      from += sent;
      n -= (size_t)sent;
    } else {
      rc = sock_is_early(errno) ? stream_await(fd, POLLOUT, limit) : -errno;
    }
    if (rc < 0)
      return rc;
  }
  return 0;
}

int stream_receive(int fd, void *bytes, size_t room, size_t *ret_n,
                   const struct stream_limit *limit)
{
  for (;;) {
    const int rc = stream_await(fd, POLLIN, limit);
    ssize_t got;

    if (rc < 0)
      return rc;
    got = sock_recv(fd, bytes, room);
    if (got > 0) {
      *ret_n = (size_t)got;
      return 0;
    }
    if (got == 0)
      return -EPIPE;
    if (!sock_is_early(errno))
      return -errno;
  }
}
