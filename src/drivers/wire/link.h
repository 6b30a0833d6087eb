/*
 * link.h - the socket of a session: opening, bytes, and frames of bytes.
 *
 * The socket may be in blocking mode or not: a function that has to wait does
 * so in either case, and signals do not end its wait.  In a fiber, the loop
 * runs others meanwhile.  Where no limit is given, a thread that ends a session
 * of another one shuts the socket down, which ends the wait.
 */
#ifndef BENCH_DRIVERS_WIRE_LINK_H
#define BENCH_DRIVERS_WIRE_LINK_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

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

/* ---- until a moment at the latest ---- */

/*
 * What is to be sent stays valid until something was received, or the socket is
 * forgotten: see loop.h.
 */

/*
 * Open a socket that is connected to an address.  0; -ETIMEDOUT; or why the
 * system has refused it.  A Unix socket whose queue is full is tried again.
 */
int wire_open(int *ret_fd, const struct sockaddr *to, socklen_t len,
              uint64_t until_ns);

/* Send all bytes.  0, -ETIMEDOUT, or the -errno of a broken connection. */
int wire_send_until(int fd, const void *bytes, size_t n, uint64_t until_ns);

/*
 * Append what has come, `n` bytes at most; wait for one byte at least.  0;
 * -ETIMEDOUT; -EPIPE: the other side has closed the connection; -ENOMEM; or the
 * -errno of a broken connection.
 */
int wire_receive_until(int fd, struct wire_buffer *in, size_t n,
                       uint64_t until_ns);

/* ---- frames ---- */

/* The frames of a protocol: where it is a constant, the functions below become
 * a few instructions without calls. */
struct wire_frame {
  size_t head;                         /* bytes that contain the size */
  size_t (*size)(const uint8_t *head); /* of the frame with its head */
};

/* Bytes that are needed from b->pos on: the size of the frame there, or of a
 * head that is not complete. */
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

/* ---- a peer that has vanished ---- */

bool wire_is_tcp(int fd);

/* Set a TCP socket up to send at once, and to break if nothing is heard for a
 * minute.  Returns whether it is one. */
bool wire_keep_alive(int fd);

#endif
