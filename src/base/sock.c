/*
 * sock.c - bytes to and from a socket, without points of cancellation.
 */
#include "base/sock.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

ssize_t sock_send(int fd, const void *buf, size_t n, int flags)
{
#ifdef SYS_sendto
  return syscall(SYS_sendto, fd, buf, n, flags | MSG_NOSIGNAL, NULL, 0);
#else
  return send(fd, buf, n, flags | MSG_NOSIGNAL);
#endif
}

ssize_t sock_recv(int fd, void *buf, size_t n)
{
#ifdef SYS_recvfrom
  return syscall(SYS_recvfrom, fd, buf, n, 0, NULL, NULL);
#else
  return recv(fd, buf, n, 0);
#endif
}

bool sock_wait(int fd, short events)
{
  struct pollfd p = { .fd = fd, .events = events };
  int rc;

  do {
#ifdef SYS_poll
    rc = (int)syscall(SYS_poll, &p, 1, -1);
#else
    rc = poll(&p, 1, -1);
#endif
  } while (rc < 0 && errno == EINTR);
  return rc > 0;
}
