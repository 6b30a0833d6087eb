/*
 * stream.h - a socket to another program, within a time limit. The thread
 * waits, unless `wait` does. Functions return 0, -ETIMEDOUT, or another -errno.
 */
#ifndef BENCH_BASE_STREAM_H
#define BENCH_BASE_STREAM_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/* Waiting ends at until_ns, or at *sooner_ns, which can change meanwhile. */
struct stream_limit {
  uint64_t until_ns;
  const _Atomic uint64_t *sooner_ns; /* [opt] */
  /* [opt] Waits in place of the thread; fd -1: yields for a moment. Returns 0,
   * -ETIMEDOUT or another -errno. */
  int (*wait)(int fd, short events, uint64_t until_ns);
};

/* Does not block, sends at once; -1 with errno. */
int stream_socket(int family);

/* A connected socket that does not block. A Unix socket whose queue is full is
 * tried again. */
int stream_open(int *ret_fd, const struct sockaddr *to, socklen_t len,
                const struct stream_limit *limit);

int stream_send(int fd, const void *bytes, size_t n,
                const struct stream_limit *limit);

/* Receives 1 to `room` bytes. -EPIPE: the peer has closed the connection. */
int stream_receive(int fd, void *bytes, size_t room, size_t *ret_n,
                   const struct stream_limit *limit);

#endif
