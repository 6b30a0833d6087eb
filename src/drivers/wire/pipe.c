/*
 * pipe.c - the requests of a pipeline.
 */
#include "drivers/wire/pipe.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include "base/compiler.h"
#include "base/sock.h"
#include "loop/loop.h"

static bool pipe_would_block(ssize_t rc)
{
  return rc < 0 && sock_is_early(errno);
}

/* Wait until something can be sent or has come, and receive.  False: give
 * up. */
COLD static bool pipe_make_way(const struct wire_link *l,
                               struct wire_buffer *in, size_t most)
{
  ssize_t got;

  if (wire_buffer_have(in) >= most || !wire_buffer_extend(in, 1)) {
    (void)shutdown(l->fd, SHUT_RDWR); /* endless */
    return false;
  }
  if (l->tls && wire_tls_look(l->tls, l->fd, in) > 0)
    return true;
  if (!loop_wait_fd(l->fd, POLLIN | POLLOUT))
    return false;
  if (l->tls)
    return wire_tls_look(l->tls, l->fd, in) >= 0;
  got = recv(l->fd, in->bytes + in->end, in->room - in->end, MSG_DONTWAIT);
  if (got > 0)
    in->end += (size_t)got;
  return got > 0 || pipe_would_block(got);
}

/*
 * Not through the loop, which may only note down what to send: the caller has
 * to know when the socket is full.  Earlier requests were answered, so the loop
 * is idle.
 */
static ssize_t send_now(const struct wire_link *l, const uint8_t *p, size_t n)
{
  return UNLIKELY(l->tls != NULL) ? wire_tls_send_now(l->tls, l->fd, p, n)
                                  : sock_send(l->fd, p, n, MSG_DONTWAIT);
}

bool wire_pipe_send(struct wire_pipe *p, const struct wire_link *l,
                    struct wire_buffer *in, size_t most, bool wait)
{
  struct wire_buffer *out = &p->out;

  p->sending = true;
  while (out->pos < out->end || (l->tls && !wire_tls_is_sent(l->tls))) {
    const ssize_t sent = send_now(l, out->bytes + out->pos,
                                  out->end - out->pos);

    if (LIKELY(sent >= 0)) {
      out->pos += (size_t)sent;
      continue;
    }
    if (!pipe_would_block(sent))
      break;
    if (!wait)
      return false;
    if (!pipe_make_way(l, in, most))
      break;
  }
  wire_buffer_clear(out);
  p->sending = false;
  return true;
}

void wire_pipe_next(struct wire_buffer *in)
{
  const size_t left = wire_buffer_have(in);

  if (left > in->pos) /* to move takes longer than to read */
    return;
  if (left > 0)
    wire_buffer_cut(in, 0, in->pos);
  else
    in->end = 0;
  in->pos = 0;
}

void wire_pipe_clear(struct wire_pipe *p)
{
  wire_buffer_clear(&p->out);
  p->sending = false;
  p->failed = false;
  p->in_flight = 0;
}

void wire_pipe_done(struct wire_pipe *p)
{
  wire_buffer_done(&p->out);
  wire_pipe_clear(p);
}
