/*
 * pipe.h - requests of a pipeline, sent in chunks while answers to earlier ones
 * come.
 *
 * When the socket is full, answers have to be read before the rest of a chunk
 * is sent, because a server that cannot write does not read.  Awaited answers
 * belong to whole chunks, so the server has all that it needs.  Nothing grows
 * with the length of a pipeline.
 */
#ifndef BENCH_DRIVERS_WIRE_PIPE_H
#define BENCH_DRIVERS_WIRE_PIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drivers/wire/buffer.h"
#include "drivers/wire/link.h"

enum {
  WIRE_PIPE_CHUNK = 8 * 1024, /* bytes; or one longer request */
};

/* A zeroed one is valid.  What lies before out.pos has been sent. */
struct wire_pipe {
  struct wire_buffer out;
  bool sending;
  bool failed;      /* for the driver: nothing more is executed */
  size_t in_flight; /* for the driver: requests without an answer */
};

/* NULL: no memory. */
static inline uint8_t *wire_pipe_room(struct wire_pipe *p, size_t n)
{
  return wire_buffer_reserve(&p->out, p->out.end + n)
           ? p->out.bytes + p->out.end
           : NULL;
}

/* Send before adding more. */
static inline bool wire_pipe_is_full(const struct wire_pipe *p)
{
  return p->sending || p->out.end >= WIRE_PIPE_CHUNK;
}

/*
 * False: the socket is full, and an answer has to be read first.  `wait`: none
 * is pending: WAITS for the socket, and appends what comes to `in`, up to
 * `most` bytes.  A broken connection is left to the reader.
 */
bool wire_pipe_send(struct wire_pipe *p, const struct wire_link *l,
                    struct wire_buffer *in, size_t most, bool wait);

/* Bytes before in->pos make room now and then. */
void wire_pipe_next(struct wire_buffer *in);

void wire_pipe_clear(struct wire_pipe *p);
void wire_pipe_done(struct wire_pipe *p);

#endif
