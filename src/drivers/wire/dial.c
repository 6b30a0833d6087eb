/*
 * dial.c - a socket that is opened, and bytes to and from it, within a time
 * limit.
 */
#include "drivers/wire/dial.h"

#include <errno.h>

#include "base/minmax.h"
#include "base/stream.h"

int dial_open(int *ret_fd, const struct sockaddr *to, socklen_t len,
              uint64_t until_ns)
{
  return stream_open(ret_fd, to, len,
                     &(struct stream_limit){ .until_ns = until_ns });
}

int dial_send(int fd, const void *bytes, size_t n, uint64_t until_ns)
{
  return stream_send(fd, bytes, n,
                     &(struct stream_limit){ .until_ns = until_ns });
}

int dial_receive(int fd, struct wire_buffer *in, size_t n, uint64_t until_ns)
{
  size_t got;
  int rc;

  if (!wire_buffer_extend(in, n))
    return -ENOMEM;
  rc = stream_receive(fd, in->bytes + in->end, min_u64(n, in->room - in->end),
                      &got, &(struct stream_limit){ .until_ns = until_ns });
  if (rc == 0)
    in->end += got;
  return rc;
}
