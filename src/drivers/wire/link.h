/*
 * link.h - the connection of a session: bytes and frames, encrypted or not.
 *
 * For waits see socket.h.
 */
#ifndef BENCH_DRIVERS_WIRE_LINK_H
#define BENCH_DRIVERS_WIRE_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "drivers/wire/buffer.h"
#include "drivers/wire/socket.h"
#include "drivers/wire/tls.h"

struct wire_link {
  int fd;               /* -1: not open */
  struct wire_tls *tls; /* [opt] owned; NULL: bytes are sent as they are */
};

/* A driver calls wire_look() before each n-th request. */
#define WIRE_LOOK_EVERY 64

/* False: not all were sent. */
static inline bool wire_send(const struct wire_link *l, const uint8_t *p,
                             size_t n, int flags)
{
  return UNLIKELY(l->tls != NULL) ? wire_tls_send(l->tls, l->fd, p, n)
                                  : wire_send_plain(l->fd, p, n, flags);
}

/* As wire_receive_plain(); -EPROTO: a record is wrong. */
static inline int wire_receive(struct wire_buffer *b, const struct wire_link *l,
                               bool poll_first)
{
  return UNLIKELY(l->tls != NULL)
           ? wire_tls_receive(l->tls, l->fd, b, poll_first)
           : wire_receive_plain(b, l->fd, poll_first);
}

/* At least `n` bytes from b->pos on.  As wire_receive(), or -ENOMEM. */
int wire_fill(struct wire_buffer *b, const struct wire_link *l, size_t n,
              bool poll_first);

/* Without a wait; false: nothing has come.  The next request notices a broken
 * connection. */
bool wire_look(struct wire_buffer *b, const struct wire_link *l);

/* A constant one turns the functions below into a few instructions. */
struct wire_frame {
  size_t head;
  size_t (*size)(const uint8_t *head); /* of the whole frame */
};

/* From b->pos on: of the frame, or of an incomplete head. */
static inline size_t wire_frame_size(const struct wire_frame *f,
                                     const struct wire_buffer *b)
{
  return LIKELY(wire_buffer_have(b) >= f->head) ? f->size(b->bytes + b->pos)
                                                : f->head;
}

/* As wire_fill(). */
static inline int wire_frame_fill(const struct wire_frame *f,
                                  struct wire_buffer *b,
                                  const struct wire_link *l, bool poll_first)
{
  const int rc = wire_fill(b, l, f->head, poll_first);

  return rc < 0 ? rc : wire_fill(b, l, wire_frame_size(f, b), false);
}

/* Send a farewell, if the socket takes it at once, and close the socket. */
void wire_part(struct wire_link *l, const void *bytes, size_t n);
void wire_close(struct wire_link *l);

#endif
