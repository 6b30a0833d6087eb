/*
 * wire_io.c - bytes to and from the socket.
 */
#include "drivers/pgsql/wire_io.h"

#include <errno.h>
#include <fcntl.h>

#include "base/compiler.h"
#include "db/env.h"

enum {
  IN_AHEAD = 16 * 1024, /* to have long answers in few pieces */
};

void pgsql_wire_set_blocking(struct pgsql_wire *w, int fd, bool on)
{
  const int flags = fcntl(fd, F_GETFL);

  if (flags < 0 ||
      fcntl(fd, F_SETFL, on ? flags & ~O_NONBLOCK : flags | O_NONBLOCK) < 0)
    w->may_block = false; /* it works either way */
  else
    w->blocking = on;
}

/* Room for more; what has been consumed is dropped unless `keep`. */
static inline bool extend(struct wire_buffer *in, size_t size, bool keep)
{
  const bool filled = in->end > 0 && in->end == in->room;

  if (!keep && in->pos > 0) {
    wire_buffer_cut(in, 0, in->pos);
    in->pos = 0;
    if (filled && in->room < IN_AHEAD)
      return wire_buffer_grow(in, in->room + 1);
  }
  return wire_buffer_extend(in, size);
}

bool pgsql_wire_receive(struct pgsql_wire *w, int fd, size_t size, bool keep)
{
  /* The first bytes take the server a while, those after them do not. */
  const bool wait = w->in.end == 0 && !w->blocking;
  int rc;

  if (UNLIKELY(wire_pipe_push_first(&w->pipe, fd, &w->in)))
    return true;
  if (UNLIKELY(!extend(&w->in, size, keep))) {
    w->broken_by = ENOMEM;
    return false;
  }
  rc = wire_receive(&w->in, fd, wait);
  if (UNLIKELY(rc < 0))
    w->broken_by = rc == -EPIPE ? 0 : -rc;
  return rc == 0;
}

const char *pgsql_wire_why_broken(const struct pgsql_wire *w)
{
  if (w->broken_by == ENOMEM)
    return "not enough memory for the result";
  if (w->broken_by == EFBIG)
    return RESULT_TOO_LARGE;
  if (w->broken_by == EOPNOTSUPP)
    return "COPY FROM STDIN cannot be in a pipeline";
  if (w->broken_by == EPROTO)
    return "lost synchronization with server: its answer is not understood";
  if (w->broken_by == ECONNRESET || w->broken_by == 0)
    return "server closed the connection unexpectedly";
  if (w->broken_by == ETIMEDOUT)
    return "could not receive data from server: Connection timed out";
  return "could not receive data from server";
}

void pgsql_wire_end(struct pgsql_wire *w)
{
  w->rows_left = 0;
  w->more = false;
  if (w->small)
    wire_buffer_shrink(&w->in);
  else
    wire_buffer_trim(&w->in);
}

void pgsql_wire_done(struct pgsql_wire *w)
{
  wire_buffer_done(&w->in);
  wire_buffer_done(&w->out);
  wire_pipe_done(&w->pipe);
  *w = (struct pgsql_wire){ 0 };
}
