#include "base/sock.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/os/os.h"

ssize_t sock_send(int fd, const void *buf, size_t n, int flags)
{
  return os_send(fd, buf, n, flags);
}

ssize_t sock_recv(int fd, void *buf, size_t n)
{
  return os_recv(fd, buf, n);
}

bool sock_wait(int fd, short events)
{
  struct pollfd p = { .fd = fd, .events = events };
  const int rc = os_poll(&p);

  if (LIKELY(rc > 0))
    return true;
  return rc < 0 && errno == EINTR && sock_wait(fd, events);
}

uint64_t sock_round_trip_ns(int fd)
{
  return os_round_trip_ns(fd);
}
