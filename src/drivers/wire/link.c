/*
 * link.c - the connection of a session.
 */
#include "drivers/wire/link.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "loop/loop.h"

int wire_fill(struct wire_buffer *b, const struct wire_link *l, size_t n,
              bool poll_first)
{
  bool wait = poll_first && wire_buffer_have(b) == 0;

  while (wire_buffer_have(b) < n) {
    int rc;

    if (UNLIKELY(!wire_buffer_extend(b, n)))
      return -ENOMEM;
    rc = wire_receive(b, l, wait);
    if (UNLIKELY(rc < 0))
      return rc;
    wait = false;
  }
  return 0;
}

bool wire_look(struct wire_buffer *b, const struct wire_link *l)
{
  ssize_t got;

  if (!wire_buffer_extend(b, 1))
    return false;
  if (l->tls)
    return wire_tls_look(l->tls, l->fd, b) > 0;
  got = recv(l->fd, b->bytes + b->end, b->room - b->end, MSG_DONTWAIT);
  if (got <= 0)
    return false;
  b->end += (size_t)got;
  return true;
}

void wire_close(struct wire_link *l)
{
  if (l->fd < 0)
    return;
  loop_forget(l->fd);
  (void)close(l->fd);
  wire_tls_free(l->tls);
  *l = (struct wire_link){ .fd = -1 };
}

void wire_part(struct wire_link *l, const void *bytes, size_t n)
{
  loop_forget(l->fd);
  if (l->tls)
    wire_tls_part(l->tls, l->fd, bytes, n);
  else
    (void)send(l->fd, bytes, n, MSG_NOSIGNAL | MSG_DONTWAIT);
  wire_close(l);
}
