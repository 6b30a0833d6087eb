/*
 * socket.h - the socket of a session: opening, and bytes as they are.
 *
 * Functions wait whether the socket blocks or not, in spite of signals; in a
 * fiber, the loop runs others meanwhile.  Without a limit, shutdown() by
 * another thread ends the wait.
 */
#ifndef BENCH_DRIVERS_WIRE_SOCKET_H
#define BENCH_DRIVERS_WIRE_SOCKET_H

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

/* As send(); in a fiber, the loop sends. */
static inline ssize_t wire_send_some(int fd, const uint8_t *p, size_t n,
                                     int flags)
{
  return LIKELY(!fiber_here()) ? sock_send(fd, p, n, flags)
                               : loop_send(fd, p, n, flags);
}

bool wire_send_slow(int fd, const uint8_t *p, size_t n, int flags);
static inline bool wire_send_plain(int fd, const uint8_t *p, size_t n,
                                   int flags)
{
  const ssize_t sent = wire_send_some(fd, p, n, flags);

  return LIKELY(sent == (ssize_t)n) ||
         wire_send_slow(fd, p + (sent > 0 ? sent : 0),
                        n - (sent > 0 ? (size_t)sent : 0), flags);
}

/*
 * Append what has come, as much as fits (one byte at least); WAITS for the
 * first byte. 0; -EPIPE: closed by the other side; or another -errno.
 *
 * `poll_first`: on a Unix socket, the server's reads wake recv(), not poll().
 */
int wire_receive_slow(struct wire_buffer *b, int fd, ssize_t got);
static inline int wire_receive_plain(struct wire_buffer *b, int fd,
                                     bool poll_first)
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

/* Sent bytes stay valid until something was received, or the socket is
 * forgotten: see loop.h. */

/* 0; -ETIMEDOUT; or the -errno of connect().  A Unix socket whose queue is full
 * is tried again. */
int wire_open(int *ret_fd, const struct sockaddr *to, socklen_t len,
              uint64_t until_ns);

/* 0, -ETIMEDOUT, or another -errno. */
int wire_send_until(int fd, const void *bytes, size_t n, uint64_t until_ns);

/* Append up to `n` bytes; WAITS for the first.  0; -ETIMEDOUT; -EPIPE: closed
 * by the other side; -ENOMEM; or another -errno. */
int wire_receive_until(int fd, struct wire_buffer *in, size_t n,
                       uint64_t until_ns);

bool wire_is_tcp(int fd);

/* TCP sends at once, and breaks after a minute of silence.  Is the socket
 * TCP? */
bool wire_keep_alive(int fd);

#endif
