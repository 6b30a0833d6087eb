/*
 * wire_io.c - packets on a socket.
 */
#include "drivers/mysql/wire_io.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "base/compiler.h"
#include "drivers/mysql/bytes.h"
#include "drivers/mysql/code.h"

enum {
  ERROR = 0xff, /* the first byte of a packet that reports one */
};

static size_t packet_size(const uint8_t *head)
{
  return PACKET_HEAD + packet_length(head);
}

static const struct wire_frame frame = { PACKET_HEAD, packet_size };

/*
 * Of a buffer, a session keeps at most so many bytes when a statement has
 * ended.  Light sessions are many, and most of them wait; those in which the
 * statements of several clients are under way are few.
 */
static inline size_t most_kept(const struct wire *w)
{
  return w->light && !w->pipe.apart ? WIRE_FIRST : WIRE_KEEP;
}

uint8_t *mysqld_wire_out(struct wire *w, size_t len)
{
  const size_t need = PACKET_HEAD + len;

  if (UNLIKELY(need > w->out.room)) {
    if (!wire_buffer_grow(&w->out, need))
      return NULL;
    w->large |= w->out.room > most_kept(w);
  }
  return w->out.bytes + PACKET_HEAD;
}

bool mysqld_wire_send(struct wire *w, int fd, size_t len, unsigned seq)
{
  uint8_t *p = w->out.bytes;

  /* The head of a further packet takes the place of bytes that were sent. */
  while (len >= PACKET_MAX) {
    packet_head(p, PACKET_MAX, seq++);
    if (!wire_send(fd, p, PACKET_HEAD + PACKET_MAX, MSG_MORE))
      return false;
    p += PACKET_MAX;
    len -= PACKET_MAX;
  }
  packet_head(p, len, seq);
  w->seq = (uint8_t)(seq + 1); /* the answer goes on counting */
  return wire_send(fd, p, PACKET_HEAD + len, 0);
}

bool mysqld_wire_is_farewell(const uint8_t *packet, size_t len)
{
  return len >= 3 && packet[0] == ERROR &&
         mysqld_code_is_lost((int)bytes_le(packet + 1, 2));
}

bool mysqld_wire_look(struct wire *w, int fd)
{
  return w->in.pos == w->in.end && !wire_look(&w->in, fd);
}

int mysqld_wire_fill(struct wire *w, int fd)
{
  int rc;

  (void)wire_pipe_push_first(&w->pipe, fd, &w->in);
  rc = wire_frame_fill(&frame, &w->in, fd, w->poll_first);
  w->large |= w->in.room > most_kept(w);
  return rc == 0 || rc == -ENOMEM ? rc : -EPIPE;
}

int mysqld_wire_packet_slow(struct wire *w, int fd, const uint8_t **ret)
{
  const uint8_t *p;
  size_t len;
  const int rc = mysqld_wire_fill(w, fd);

  if (rc < 0)
    return rc;
  p = w->in.bytes + w->in.pos;
  len = packet_length(p);
  *ret = p + PACKET_HEAD;
  if (packet_number(p) != w->seq && !mysqld_wire_is_farewell(*ret, len))
    return -EPROTO;
  w->seq++;
  w->in.pos += PACKET_HEAD + len;
  return (int)len;
}

/* What is under way, or was not expected, stays until the next time. */
static COLD void trim_light(struct wire *w)
{
  if (w->in.room > WIRE_FIRST && w->in.pos == w->in.end)
    wire_buffer_shrink(&w->in);
  wire_buffer_shrink(&w->out);
  if (w->pipe.out.room > WIRE_FIRST && w->pipe.out.pos == w->pipe.out.end)
    wire_buffer_done(&w->pipe.out);
  w->large = w->in.room > WIRE_FIRST;
  if (w->big.room > WIRE_FIRST)
    strbuf_done(&w->big);
}

void mysqld_wire_lighten(struct wire *w)
{
  w->light = true;
  wire_buffer_done(&w->in);
  wire_buffer_done(&w->out);
  w->large = false;
}

void mysqld_wire_trim(struct wire *w)
{
  if (UNLIKELY(w->light) && !w->pipe.apart) {
    trim_light(w);
    return;
  }
  if (UNLIKELY(w->in.room > WIRE_KEEP))
    mysqld_wire_forget(w);
  wire_buffer_trim(&w->in);
  wire_buffer_trim(&w->out);
  if (!w->pipe.sending) /* else a part of it is still to be sent */
    wire_buffer_trim(&w->pipe.out);
  if (UNLIKELY(w->big.room > WIRE_KEEP))
    strbuf_done(&w->big);
  w->large = false;
}

void mysqld_wire_done(struct wire *w)
{
  wire_buffer_done(&w->in);
  wire_buffer_done(&w->out);
  wire_pipe_done(&w->pipe);
  strbuf_done(&w->big);
  memset(w, 0, sizeof(*w));
}
