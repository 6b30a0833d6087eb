/*
 * wire_io.c - packets on a socket.
 */
#include "drivers/mysql/wire_io.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/compiler.h"
#include "base/sock.h"
#include "drivers/mysql/bytes.h"
#include "drivers/mysql/code.h"

enum {
  BUFFER_FIRST = 2 * 1024,   /* it doubles until answers fit */
  BUFFER_KEEP = 1024 * 1024, /* more is given back */
  ERROR = 0xff,              /* the first byte of a packet that reports one */
};

static bool grow(struct wire *w, uint8_t **buf, size_t *room, size_t need)
{
  size_t n = *room ? *room : BUFFER_FIRST;
  uint8_t *p;

  while (n < need) {
    if (n > SIZE_MAX / 2)
      return false;
    n *= 2;
  }
  p = realloc(*buf, n);
  if (!p)
    return false;
  *buf = p;
  *room = n;
  w->large |= n > BUFFER_KEEP;
  return true;
}

uint8_t *mysqld_wire_out(struct wire *w, size_t len)
{
  const size_t need = PACKET_HEAD + len;

  if (UNLIKELY(need > w->out_room) && !grow(w, &w->out, &w->out_room, need))
    return NULL;
  return w->out + PACKET_HEAD;
}

/* The socket may be in non-blocking mode. */
bool mysqld_wire_send_slow(int fd, const uint8_t *p, size_t n, int flags)
{
  while (n > 0) {
    const ssize_t sent = sock_send(fd, p, n, flags);

    if (LIKELY(sent > 0)) {
      p += sent;
      n -= (size_t)sent;
    } else if (sent == 0 || (errno != EINTR &&
                             (errno != EAGAIN || !sock_wait(fd, POLLOUT)))) {
      return false;
    }
  }
  return true;
}

bool mysqld_wire_send(struct wire *w, int fd, size_t len, unsigned seq)
{
  uint8_t *p = w->out;

  /* The head of a further packet takes the place of bytes that were sent. */
  while (len >= PACKET_MAX) {
    packet_head(p, PACKET_MAX, seq++);
    if (!mysqld_wire_send_slow(fd, p, PACKET_HEAD + PACKET_MAX, MSG_MORE))
      return false;
    p += PACKET_MAX;
    len -= PACKET_MAX;
  }
  packet_head(p, len, seq);
  w->seq = (uint8_t)(seq + 1); /* the answer goes on counting */
  return mysqld_wire_send_bytes(fd, p, PACKET_HEAD + len);
}

/* The buffer grows with what arrives, whatever lengths a packet claims. */
static bool room_to_fill(struct wire *w, size_t n)
{
  const size_t free_room = w->room - w->end;
  const bool scarce = free_room < w->room / 4 && w->room - w->pos < n;

  if (LIKELY(free_room > 0 && !scarce))
    return true;
  return grow(w, &w->buf, &w->room, w->room + 1);
}

void mysqld_wire_await(struct wire *w, int fd)
{
  ssize_t got;

  if (UNLIKELY(w->room == 0) || (w->poll_first && !sock_wait(fd, POLLIN)))
    return; /* mysqld_wire_fill() will see to it */
  got = sock_recv(fd, w->buf, w->room);
  if (LIKELY(got > 0))
    w->end = (size_t)got;
}

bool mysqld_wire_is_farewell(const uint8_t *packet, size_t len)
{
  return len >= 3 && packet[0] == ERROR &&
         mysqld_code_is_lost((int)bytes_le(packet + 1, 2));
}

bool mysqld_wire_look(struct wire *w, int fd)
{
  ssize_t got;

  if (w->pos < w->end)
    return false;
  if (!room_to_fill(w, 1))
    return true;
  got = recv(fd, w->buf + w->end, w->room - w->end, MSG_DONTWAIT);
  if (got > 0)
    w->end += (size_t)got;
  return got <= 0; /* a broken connection is noticed by the request */
}

int mysqld_wire_fill(struct wire *w, int fd, size_t n)
{
  if (w->poll_first && w->end == w->pos && !sock_wait(fd, POLLIN))
    return -EPIPE;
  while (w->end - w->pos < n) {
    ssize_t got;

    if (UNLIKELY(!room_to_fill(w, n)))
      return -ENOMEM;
    got = sock_recv(fd, w->buf + w->end, w->room - w->end);
    if (LIKELY(got > 0))
      w->end += (size_t)got;
    else if (got == 0 ||
             (errno != EINTR && (errno != EAGAIN || !sock_wait(fd, POLLIN))))
      return -EPIPE;
  }
  return 0;
}

int mysqld_wire_packet_slow(struct wire *w, int fd, const uint8_t **ret)
{
  size_t len;
  int rc;

  rc = mysqld_wire_fill(w, fd, PACKET_HEAD);
  if (rc < 0)
    return rc;
  len = packet_length(w->buf + w->pos);
  rc = mysqld_wire_fill(w, fd, PACKET_HEAD + len);
  if (rc < 0)
    return rc;
  *ret = w->buf + w->pos + PACKET_HEAD;
  if (packet_number(w->buf + w->pos) != w->seq &&
      !mysqld_wire_is_farewell(*ret, len))
    return -EPROTO;
  w->seq++;
  w->pos += PACKET_HEAD + len;
  return (int)len;
}

void mysqld_wire_trim(struct wire *w)
{
  if (UNLIKELY(w->room > BUFFER_KEEP)) {
    free(w->buf);
    w->buf = NULL;
    w->room = 0;
    mysqld_wire_forget(w);
  }
  if (UNLIKELY(w->out_room > BUFFER_KEEP)) {
    free(w->out);
    w->out = NULL;
    w->out_room = 0;
  }
  if (UNLIKELY(w->big.room > BUFFER_KEEP))
    strbuf_done(&w->big);
  w->large = false;
}

void mysqld_wire_done(struct wire *w)
{
  free(w->buf);
  free(w->out);
  strbuf_done(&w->big);
  memset(w, 0, sizeof(*w));
}
