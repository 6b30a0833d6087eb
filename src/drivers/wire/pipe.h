/*
 * pipe.h - the requests of a pipeline, sent while answers to earlier ones come.
 *
 * Requests are collected into chunks.  A chunk is sent as far as the socket
 * takes it; when that is full, answers have to be read before the rest is sent,
 * because a server that cannot write does not read either.  Answers that are
 * waited for belong to chunks that were sent as a whole, so the server has all
 * that it needs to send them.  Nothing grows with the length of a pipeline.
 */
#ifndef BENCH_DRIVERS_WIRE_PIPE_H
#define BENCH_DRIVERS_WIRE_PIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drivers/wire/buffer.h"

enum {
  WIRE_PIPE_CHUNK = 8 * 1024, /* bytes; a longer request is one of its own */
};

/* It is all zero at first.  Of `out`, what lies before `pos` has been sent. */
struct wire_pipe {
  struct wire_buffer out;
  bool sending;     /* the chunk is complete, and a part of it is not sent */
  bool failed;      /* for the driver: nothing more is executed */
  size_t in_flight; /* for the driver: requests without an answer */
  bool apart;       /* requests are of several clients: see wire_pipe_push() */
  uint64_t sends;   /* system calls that have sent something, ever */
};

/* Room for `n` bytes after those that were added; NULL: no memory. */
static inline uint8_t *wire_pipe_room(struct wire_pipe *p, size_t n)
{
  return wire_buffer_reserve(&p->out, p->out.end + n)
           ? p->out.bytes + p->out.end
           : NULL;
}

/* The chunk is to be sent before more is added. */
static inline bool wire_pipe_is_full(const struct wire_pipe *p)
{
  return p->sending || p->out.end >= WIRE_PIPE_CHUNK;
}

/*
 * Send the chunk.  False: the socket is full, and an answer has to be read
 * first.  With `wait` there is none that could be: this waits for the socket,
 * and what comes meanwhile is appended to `in`, at most `most` bytes.  A
 * connection that is broken is noticed by the reader.
 */
bool wire_pipe_send(struct wire_pipe *p, int fd, struct wire_buffer *in,
                    size_t most, bool wait);

/*
 * For requests that are added at any time, while answers to others are under
 * way.  False: the socket is full.  With `wait`, this has waited until
 * something came, which was appended to `in`: it is to be read before this is
 * called again.
 */
bool wire_pipe_push(struct wire_pipe *p, int fd, struct wire_buffer *in,
                    bool wait);

/*
 * Before a wait for more of an answer: what was added is sent first, so that
 * nothing lies here while somebody waits.  True: more has come meanwhile, and
 * no wait is needed.
 */
bool wire_pipe_push_slow(struct wire_pipe *p, int fd, struct wire_buffer *in);
static inline bool wire_pipe_push_first(struct wire_pipe *p, int fd,
                                        struct wire_buffer *in)
{
  return p->apart && p->out.pos < p->out.end && wire_pipe_push_slow(p, fd, in);
}

/* Before an answer is read at in->pos: what lies before it makes room now and
 * then. */
void wire_pipe_next(struct wire_buffer *in);

/* Forget what was added, for a new pipeline. */
void wire_pipe_clear(struct wire_pipe *p);
void wire_pipe_done(struct wire_pipe *p);

#endif
