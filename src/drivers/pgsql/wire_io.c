/*
 * wire_io.c - bytes to and from the socket.
 */
#include "drivers/pgsql/wire_io.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>

#include "db/env.h"

enum {
  IN_FIRST = 2 * 1024,
  IN_AHEAD = 16 * 1024, /* to have long answers in few pieces */
};

bool pgsql_wire_out_room(struct pgsql_wire *w, size_t size)
{
  uint8_t *more;

  if (LIKELY(size <= w->out_room))
    return true;
  size += size / 2;
  more = realloc(w->out, size);
  if (!more)
    return false;
  w->out = more;
  w->out_room = size;
  return true;
}

bool pgsql_wire_send_slow(int fd, const uint8_t *bytes, size_t len, int flags)
{
  while (len > 0) {
    const ssize_t n = sock_send(fd, bytes, len, flags);

    if (LIKELY(n >= 0)) {
      bytes += n;
      len -= (size_t)n;
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (!sock_wait(fd, POLLOUT))
        return false;
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

/* The buffer grows with what arrives, whatever lengths a message claims.
 * `filled`: the last bytes that came took all of it. */
static bool in_room(struct pgsql_wire *w, bool filled)
{
  size_t room = w->room ? w->room : IN_FIRST;
  uint8_t *more;

  if (w->end > room - room / 4 || (filled && room < IN_AHEAD))
    room *= 2;
  if (LIKELY(room == w->room))
    return true;
  more = realloc(w->in, room);
  if (!more) {
    w->out_of_memory = true;
    return false;
  }
  w->in = more;
  w->room = room;
  return true;
}

void pgsql_wire_set_blocking(struct pgsql_wire *w, int fd, bool on)
{
  const int flags = fcntl(fd, F_GETFL);

  if (flags < 0 ||
      fcntl(fd, F_SETFL, on ? flags & ~O_NONBLOCK : flags | O_NONBLOCK) < 0)
    w->may_block = false; /* it works either way */
  else
    w->blocking = on;
}

bool pgsql_wire_receive(struct pgsql_wire *w, int fd, bool keep)
{
  /* The first bytes take the server a while, those behind them do not. */
  bool wait = w->end == 0 && !w->blocking;
  const bool filled = w->end > 0 && w->end == w->room;

  if (!keep && w->pos > 0) {
    memmove(w->in, w->in + w->pos, w->end - w->pos);
    w->end -= w->pos;
    w->pos = 0;
  }
  if (!in_room(w, filled))
    return false;
  for (;;) {
    ssize_t n;

    if (wait && !sock_wait(fd, POLLIN))
      return false;
    n = sock_recv(fd, w->in + w->end, w->room - w->end);
    if (LIKELY(n > 0)) {
      w->end += (size_t)n;
      return true;
    }
    if (n == 0)
      return false;
    if (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK) {
      w->broken_by = errno;
      return false;
    }
    wait = true;
  }
}

const char *pgsql_wire_why_broken(const struct pgsql_wire *w)
{
  if (w->out_of_memory)
    return "not enough memory for the result";
  if (w->broken_by == EFBIG)
    return RESULT_TOO_LARGE;
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
  if (UNLIKELY(w->room > WIRE_KEEP)) {
    free(w->in);
    w->in = NULL;
    w->room = w->pos = w->end = 0;
  }
}

void pgsql_wire_done(struct pgsql_wire *w)
{
  free(w->in);
  free(w->out);
  *w = (struct pgsql_wire){ 0 };
}
