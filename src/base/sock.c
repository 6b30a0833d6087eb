/*
 * sock.c - bytes to and from a socket, without points of cancellation.
 */
#include "base/sock.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/compiler.h"

#if defined(__linux__)
#include <sys/syscall.h>
#endif

#if defined(__x86_64__) && defined(__linux__)

/* Like syscall(), without moving the arguments from register to register. */
static inline long call(long number, long a, long b, long c, long d)
{
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = 0;
  register long r9 __asm__("r9") = 0;
  long rc;

  __asm__ volatile("syscall"
                   : "=a"(rc)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8),
                     "r"(r9)
                   : "rcx", "r11", "memory");
  if (rc >= 0)
    return rc;
  errno = (int)-rc;
  return -1;
}

#elif defined(__linux__)

static inline long call(long number, long a, long b, long c, long d)
{
  return syscall(number, a, b, c, d, 0L, 0L);
}

#endif

ssize_t sock_send(int fd, const void *buf, size_t n, int flags)
{
#if defined(__linux__) && defined(SYS_sendto)
  return call(SYS_sendto, fd, (long)buf, (long)n, flags | MSG_NOSIGNAL);
#else
  return send(fd, buf, n, flags | MSG_NOSIGNAL);
#endif
}

ssize_t sock_recv(int fd, void *buf, size_t n)
{
#if defined(__linux__) && defined(SYS_recvfrom)
  return call(SYS_recvfrom, fd, (long)buf, (long)n, 0);
#else
  return recv(fd, buf, n, 0);
#endif
}

bool sock_wait(int fd, short events)
{
  struct pollfd p = { .fd = fd, .events = events };
#if defined(__linux__) && defined(SYS_poll)
  const long rc = call(SYS_poll, (long)&p, 1, -1, 0);
#else
  const long rc = poll(&p, 1, -1);
#endif

  if (LIKELY(rc > 0))
    return true;
  return rc < 0 && errno == EINTR && sock_wait(fd, events);
}

bool sock_is_exhausted(void)
{
  return errno == EMFILE || errno == ENFILE || errno == ENOBUFS ||
         errno == ENOMEM;
}
