/*
 * stream.h - a socket to another program, and bytes to and from it, all until a
 * moment at the latest.
 *
 * The thread waits, never a fiber.  All functions return 0, -ETIMEDOUT, or the
 * -errno of what has failed.
 */
#ifndef BENCH_BASE_STREAM_H
#define BENCH_BASE_STREAM_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/* When waiting ends: at until_ns, or at *sooner_ns, which another thread may
 * change while the thread waits. */
struct stream_limit {
  uint64_t until_ns;
  const _Atomic uint64_t *sooner_ns; /* [opt] */
};

/*
 * Open a socket that is connected to an address, and does not block.  A Unix
 * socket whose queue is full is tried again.
 */
int stream_open(int *ret_fd, const struct sockaddr *to, socklen_t len,
                const struct stream_limit *limit);

/* Send all bytes. */
int stream_send(int fd, const void *bytes, size_t n,
                const struct stream_limit *limit);

/* Receive `room` bytes at most, and wait for one at least.  -EPIPE: the other
 * side has closed the connection. */
int stream_receive(int fd, void *bytes, size_t room, size_t *ret_n,
                   const struct stream_limit *limit);

#endif
