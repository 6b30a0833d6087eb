/*
 * link.c - bytes to and from the socket of a session.
 */
#include "drivers/wire/link.h"

#include <errno.h>
#include <sys/socket.h>

/* After a call that failed: may it be made again? */
static bool again(int fd, short events)
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
    } else if (sent == 0 || !again(fd, POLLOUT)) {
      return false;
    }
  }
  return true;
}

int wire_receive_slow(struct wire_buffer *b, int fd, ssize_t got)
{
  while (got < 0) {
    if (!again(fd, POLLIN))
      return -errno;
    got = fiber_here() ? loop_recv(fd, b->bytes + b->end, b->room - b->end)
                       : sock_recv(fd, b->bytes + b->end, b->room - b->end);
  }
  if (got == 0)
    return -EPIPE;
  b->end += (size_t)got;
  return 0;
}

int wire_fill(struct wire_buffer *b, int fd, size_t n, bool poll_first)
{
  /* The first bytes take the server a while, those after them do not. */
  bool wait = poll_first && wire_buffer_have(b) == 0;

  while (wire_buffer_have(b) < n) {
    int rc;

    if (UNLIKELY(!wire_buffer_extend(b, n)))
      return -ENOMEM;
    rc = wire_receive(b, fd, wait);
    if (UNLIKELY(rc < 0))
      return rc;
    wait = false;
  }
  return 0;
}

bool wire_look(struct wire_buffer *b, int fd)
{
  ssize_t got;

  if (!wire_buffer_extend(b, 1))
    return false;
  got = recv(fd, b->bytes + b->end, b->room - b->end, MSG_DONTWAIT);
  if (got <= 0)
    return false;
  b->end += (size_t)got;
  return true;
}
