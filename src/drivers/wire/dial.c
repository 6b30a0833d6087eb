/*
 * dial.c - a socket that is opened, and bytes to and from it, within a time
 * limit.
 */
#include "drivers/wire/dial.h"

#include <errno.h>
#include <sys/ioctl.h>

#include "base/minmax.h"
#include "base/stream.h"
#include "drivers/wire/link.h"
#include "loop/fiber.h"
#include "loop/loop.h"

/* A socket that could not be connected is closed: the loop must not know it. */
static int wait_in_loop(int fd, short events, uint64_t until_ns)
{
  _Atomic uint32_t never = 0;
  int rc = 0;

  if (fd < 0) {
    loop_wait_while(&never, 0, until_ns);
    return -ETIMEDOUT;
  }
  loop_limit(until_ns);
  if (!loop_wait_fd(fd, events))
    rc = -errno;
  loop_limit(0);
  loop_forget(fd);
  return rc;
}

int dial_open(int *ret_fd, const struct sockaddr *to, socklen_t len,
              uint64_t until_ns)
{
  const bool in_loop = fiber_parkable() != NULL;
  const struct stream_limit limit = {
    .until_ns = until_ns,
    .wait = in_loop ? wait_in_loop : NULL,
  };
  const int rc = stream_open(ret_fd, to, len, &limit);
  int off = 0;

  /* io_uring would not wait for one that does not block. */
  if (rc == 0 && in_loop)
    (void)ioctl(*ret_fd, FIONBIO, &off);
  return rc;
}

static int send_in_loop(int fd, const void *bytes, size_t n, uint64_t until_ns)
{
  int rc = 0;

  loop_limit(until_ns);
  if (!wire_send(fd, bytes, n, 0))
    rc = -errno;
  loop_limit(0);
  return rc;
}

int dial_send(int fd, const void *bytes, size_t n, uint64_t until_ns)
{
  if (fiber_parkable())
    return send_in_loop(fd, bytes, n, until_ns);
  return stream_send(fd, bytes, n,
                     &(struct stream_limit){ .until_ns = until_ns });
}

static int receive_in_loop(int fd, void *to, size_t room, size_t *ret_n,
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

int dial_receive(int fd, struct wire_buffer *in, size_t n, uint64_t until_ns)
{
  size_t got = 0, room;
  int rc;

  if (!wire_buffer_extend(in, n))
    return -ENOMEM;
  room = min_u64(n, in->room - in->end);
  if (fiber_parkable())
    rc = receive_in_loop(fd, in->bytes + in->end, room, &got, until_ns);
  else
    rc = stream_receive(fd, in->bytes + in->end, room, &got,
                        &(struct stream_limit){ .until_ns = until_ns });
  if (rc == 0)
    in->end += got;
  return rc;
}
