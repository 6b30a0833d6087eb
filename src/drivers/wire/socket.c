/*
 * socket.c - the socket of a session.
 */
#include "drivers/wire/socket.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "base/compiler.h"
#include "base/minmax.h"
#include "base/stream.h"

#ifndef TCP_KEEPIDLE /* macOS has another name */
#define TCP_KEEPIDLE TCP_KEEPALIVE
#endif

enum {
  KEEPALIVE_IDLE_S = 30,
  KEEPALIVE_INTERVAL_S = 10,
  KEEPALIVE_PROBES = 3,
  SILENCE_MS = 60000,
};

static bool wire_again(int fd, short events)
{
  if (errno == EINTR)
    return true;
  return (errno == EAGAIN || errno == EWOULDBLOCK) && loop_wait_fd(fd, events);
}

bool wire_send_slow(int fd, const uint8_t *p, size_t n, int flags)
{
  while (n > 0) {
    const ssize_t sent = wire_send_some(fd, p, n, flags);

    if (LIKELY(sent > 0)) {
      p += sent;
      n -= (size_t)sent;
    } else if (sent == 0 || !wire_again(fd, POLLOUT)) {
      return false;
    }
  }
  return true;
}

int wire_receive_slow(struct wire_buffer *b, int fd, ssize_t got)
{
  while (got < 0) {
    if (!wire_again(fd, POLLIN))
      return -errno;
    got = fiber_here() ? loop_recv(fd, b->bytes + b->end, b->room - b->end)
                       : sock_recv(fd, b->bytes + b->end, b->room - b->end);
  }
  if (got == 0)
    return -EPIPE;
  b->end += (size_t)got;
  return 0;
}

/* The loop must forget the closed descriptor. */
static int wire_wait_in_loop(int fd, short events, uint64_t until_ns)
{
  int rc = 0;

  if (fd < 0) {
    loop_sleep_until(until_ns);
    return -ETIMEDOUT;
  }
  loop_limit(until_ns);
  if (!loop_wait_fd(fd, events))
    rc = -errno;
  loop_limit(0);
  loop_forget(fd);
  return rc;
}

int wire_open(int *ret_fd, const struct sockaddr *to, socklen_t len,
              uint64_t until_ns)
{
  const bool in_loop = fiber_parkable() != NULL;
  const struct stream_limit limit = {
    .until_ns = until_ns,
    .wait = in_loop ? wire_wait_in_loop : NULL,
  };
  const int rc = stream_open(ret_fd, to, len, &limit);
  int off = 0;

  /* io_uring would not wait for a non-blocking socket. */
  if (rc == 0 && in_loop)
    (void)ioctl(*ret_fd, FIONBIO, &off);
  return rc;
}

static int wire_send_in_loop(int fd, const void *bytes, size_t n,
                             uint64_t until_ns)
{
  int rc = 0;

  loop_limit(until_ns);
  if (!wire_send_plain(fd, bytes, n, 0))
    rc = -errno;
  loop_limit(0);
  return rc;
}

int wire_send_until(int fd, const void *bytes, size_t n, uint64_t until_ns)
{
  if (fiber_parkable())
    return wire_send_in_loop(fd, bytes, n, until_ns);
  return stream_send(fd, bytes, n,
                     &(struct stream_limit){ .until_ns = until_ns });
}

static int wire_receive_in_loop(int fd, void *to, size_t room, size_t *ret_n,
                                uint64_t until_ns)
{
  ssize_t got;

  loop_limit(until_ns);
  do
    got = loop_recv(fd, to, room);
  while (got < 0 && (errno == EAGAIN || errno == EINTR));
  loop_limit(0);
  if (got <= 0)
    return got < 0 ? -errno : -EPIPE;
  *ret_n = (size_t)got;
  return 0;
}

int wire_receive_until(int fd, struct wire_buffer *in, size_t n,
                       uint64_t until_ns)
{
  size_t got = 0, room;
  int rc;

  if (!wire_buffer_extend(in, n))
    return -ENOMEM;
  room = min_u64(n, in->room - in->end);
  if (fiber_parkable())
    rc = wire_receive_in_loop(fd, in->bytes + in->end, room, &got, until_ns);
  else
    rc = stream_receive(fd, in->bytes + in->end, room, &got,
                        &(struct stream_limit){ .until_ns = until_ns });
  if (rc == 0)
    in->end += got;
  return rc;
}

bool wire_is_tcp(int fd)
{
  struct sockaddr_storage peer = { .ss_family = AF_UNSPEC };
  socklen_t len = sizeof(peer);

  return getpeername(fd, (struct sockaddr *)(void *)&peer, &len) == 0 &&
         peer.ss_family != AF_UNIX;
}

bool wire_keep_alive(int fd)
{
  static const struct {
    int level, name, value;
  } option[] = {
    { IPPROTO_TCP, TCP_NODELAY, 1 },
    { SOL_SOCKET, SO_KEEPALIVE, 1 },
    { IPPROTO_TCP, TCP_KEEPIDLE, KEEPALIVE_IDLE_S },
    { IPPROTO_TCP, TCP_KEEPINTVL, KEEPALIVE_INTERVAL_S },
    { IPPROTO_TCP, TCP_KEEPCNT, KEEPALIVE_PROBES },
#ifdef TCP_USER_TIMEOUT
    { IPPROTO_TCP, TCP_USER_TIMEOUT, SILENCE_MS },
#endif
  };

  if (!wire_is_tcp(fd))
    return false;
  for (size_t i = 0; i < ARRAY_SIZE(option); i++)
    (void)setsockopt(fd, option[i].level, option[i].name, &option[i].value,
                     sizeof(option[i].value));
  return true;
}
