/*
 * frame.h - the frames that a stream of bytes consists of.
 *
 * A driver describes the frames of its protocol by one constant; with one, the
 * functions below become a few instructions without calls.
 */
#ifndef BENCH_DRIVERS_WIRE_FRAME_H
#define BENCH_DRIVERS_WIRE_FRAME_H

#include "base/compiler.h"
#include "drivers/wire/buffer.h"
#include "drivers/wire/link.h"

struct wire_frame {
  size_t head;                         /* bytes, which tell the size */
  size_t (*size)(const uint8_t *head); /* of the frame with its head */
};

/* How many bytes from b->pos on are needed: the size of the frame there, or of
 * a head while not even that has come. */
static inline size_t wire_frame_size(const struct wire_frame *f,
                                     const struct wire_buffer *b)
{
  return LIKELY(wire_buffer_have(b) >= f->head) ? f->size(b->bytes + b->pos)
                                                : f->head;
}

/* Receive until the frame at b->pos is complete.  As wire_fill(). */
static inline int wire_frame_fill(const struct wire_frame *f,
                                  struct wire_buffer *b, int fd,
                                  bool poll_first)
{
  const int rc = wire_fill(b, fd, f->head, poll_first);

  return rc < 0 ? rc : wire_fill(b, fd, wire_frame_size(f, b), false);
}

#endif
