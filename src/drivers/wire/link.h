/*
 * link.h - bytes to and from the socket of a session.
 *
 * The socket may be in blocking mode or not: a function that has to wait does
 * so in either case, and signals do not end its wait.  In a fiber, the loop
 * runs others meanwhile.  There is no time limit
 * here: when a thread ends a session of another one, it shuts the socket down,
 * which ends the wait.
 */
#ifndef BENCH_DRIVERS_WIRE_LINK_H
#define BENCH_DRIVERS_WIRE_LINK_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/sock.h"
#include "drivers/wire/buffer.h"
#include "loop/fiber.h"
#include "loop/loop.h"

/* Every so many requests a driver calls wire_look() before it sends one. */
#define WIRE_LOOK_EVERY 64

/* As send(); in a fiber, the loop sends. */
static inline ssize_t wire_send_some(int fd, const uint8_t *p, size_t n,
                                     int flags)
{
  return LIKELY(!fiber_here()) ? sock_send(fd, p, n, flags)
                               : loop_send(fd, p, n, flags);
}

/* Send all bytes; `flags` as for send().  False: not all could be sent. */
bool wire_send_slow(int fd, const uint8_t *p, size_t n, int flags);
static inline bool wire_send(int fd, const uint8_t *p, size_t n, int flags)
{
  const ssize_t sent = wire_send_some(fd, p, n, flags);

  return LIKELY(sent == (ssize_t)n) ||
         wire_send_slow(fd, p + (sent > 0 ? sent : 0),
                        n - (sent > 0 ? (size_t)sent : 0), flags);
}

/*
 * Append what has come, as much as fits into the room that there is (at least
 * one byte); wait if nothing has.  0; -EPIPE: the other side has closed the
 * connection; or the -errno of a connection that is broken.
 *
 * `poll_first`: A reader that sleeps in recv() on a Unix socket is woken twice,
 * the first time when the server takes the request out of the queue.  One that
 * sleeps in poll() is not, which is worth the further call where others want
 * the processor.
 */
int wire_receive_slow(struct wire_buffer *b, int fd, ssize_t got);
static inline int wire_receive(struct wire_buffer *b, int fd, bool poll_first)
{
  ssize_t got = -1;

  if (UNLIKELY(fiber_here() != NULL))
    got = loop_recv(fd, b->bytes + b->end, b->room - b->end);
  else if (!poll_first || LIKELY(sock_wait(fd, POLLIN)))
    got = sock_recv(fd, b->bytes + b->end, b->room - b->end);
  if (UNLIKELY(got <= 0))
    return wire_receive_slow(b, fd, got);
  b->end += (size_t)got;
  return 0;
}

/* Receive until there are at least `n` bytes from b->pos on.  As
 * wire_receive(), or -ENOMEM. */
int wire_fill(struct wire_buffer *b, int fd, size_t n, bool poll_first);

/* Append what has come without a wait; false: nothing has.  A connection that
 * is broken is noticed by the next request. */
bool wire_look(struct wire_buffer *b, int fd);

#endif
