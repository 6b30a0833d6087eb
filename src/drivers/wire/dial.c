/*
 * dial.c - a socket that is opened, and bytes to and from it, within a time
 * limit.
 */
#include "drivers/wire/dial.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/minmax.h"
#include "os/os.h"

/* Between two attempts at a Unix socket whose queue is full: there is no event
 * to wait for. */
#define FULL_FIRST_NS (NS_PER_MS / 4)
#define FULL_LAST_NS (8 * NS_PER_MS)

static int wait_for(int fd, short events, uint64_t until_ns)
{
  struct pollfd p = { .fd = fd, .events = events };

  for (;;) {
    const uint64_t now = clock_now_ns();
    const uint64_t left = now < until_ns ? until_ns - now : 0;
    const struct timespec time = { .tv_sec = (time_t)(left / NS_PER_S),
                                   .tv_nsec = (long)(left % NS_PER_S) };
    const int rc = ppoll(&p, 1, &time, NULL);

    if (rc > 0)
      return 0;
    if (rc == 0)
      return -ETIMEDOUT;
    if (errno != EINTR)
      return -errno;
  }
}

static int connect_to(int fd, const struct sockaddr *to, socklen_t len,
                      uint64_t until_ns)
{
  uint64_t pause = FULL_FIRST_NS;
  socklen_t size = sizeof(int);
  int error = 0, rc;

  while (connect(fd, to, len) < 0) {
    if (errno == EINPROGRESS) {
      rc = wait_for(fd, POLLOUT, until_ns);
      if (rc == 0 && getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0)
        rc = -errno;
      return rc < 0 ? rc : -error;
    }
    if (errno != EAGAIN && errno != EINTR)
      return -errno;
    rc = wait_for(-1, 0, min_u64(until_ns, clock_now_ns() + pause));
    if (clock_now_ns() >= until_ns)
      return rc;
    pause = min_u64(2 * pause, FULL_LAST_NS);
  }
  return 0;
}

int dial_open(int *ret_fd, const struct sockaddr *to, socklen_t len,
              uint64_t until_ns)
{
  const int fd = os_stream_socket(to->sa_family);
  const int on = 1;
  int rc;

  if (fd < 0)
    return -errno;
  if (to->sa_family != AF_UNIX)
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  rc = connect_to(fd, to, len, until_ns);
  if (rc < 0) {
    (void)close(fd);
    return rc;
  }
  *ret_fd = fd;
  return 0;
}

int dial_send(int fd, const void *bytes, size_t n, uint64_t until_ns)
{
  const char *from = bytes;

  while (n > 0) {
    const ssize_t sent = send(fd, from, n, MSG_NOSIGNAL | MSG_DONTWAIT);

    if (sent >= 0) {
      from += sent;
      n -= (size_t)sent;
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      const int rc = wait_for(fd, POLLOUT, until_ns);

      if (rc < 0)
        return rc;
    } else if (errno != EINTR) {
      return -errno;
    }
  }
  return 0;
}

int dial_receive(int fd, struct wire_buffer *in, size_t n, uint64_t until_ns)
{
  if (!wire_buffer_extend(in, n))
    return -ENOMEM;
  for (;;) {
    const int rc = wait_for(fd, POLLIN, until_ns);
    ssize_t got;

    if (rc < 0)
      return rc;
    got = recv(fd, in->bytes + in->end, min_u64(n, in->room - in->end),
               MSG_DONTWAIT);
    if (got > 0) {
      in->end += (size_t)got;
      return 0;
    }
    if (got == 0)
      return -EPIPE;
    if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
      return -errno;
  }
}
