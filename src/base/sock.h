/*
 * sock.h - bytes to and from a socket, for hot paths. No cancellation points on
 * Linux, which cost more (os_send()): no thread is ever cancelled.
 */
#ifndef BENCH_BASE_SOCK_H
#define BENCH_BASE_SOCK_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A broken connection gives EPIPE, and no signal. */
ssize_t sock_send(int fd, const void *buf, size_t n, int flags);
ssize_t sock_recv(int fd, void *buf, size_t n);

/* Only because nothing can be sent or received yet? */
static inline bool sock_is_early(int error)
{
  return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

/* Waits for POLLIN or POLLOUT without a limit; false: not possible. */
bool sock_wait(int fd, short events);

/* Has accept() failed for a lasting reason (errno)? Then the call stays in the
 * queue, and poll() repeats. */
static inline bool sock_is_exhausted(void)
{
  return errno == EMFILE || errno == ENFILE || errno == ENOBUFS ||
         errno == ENOMEM;
}

/* Through a Unix socket or a loopback address? */
bool sock_is_local(int fd);

/* The process at the other end of a Unix socket; 0: unknown. */
int sock_peer(int fd);
/* The shortest round trip that the system has measured; 0: unknown, or a Unix
 * socket. */
uint64_t sock_round_trip_ns(int fd);
/* The port of the other end; 0: none. */
unsigned sock_peer_port(int fd);

#endif
