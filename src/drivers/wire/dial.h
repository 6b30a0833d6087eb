/*
 * dial.h - a socket that is opened, and bytes to and from it, all until a
 * moment at the latest.
 *
 * A fiber waits in the loop; elsewhere the thread waits.  What is to be sent
 * stays valid until something was received, or the socket is forgotten: see
 * loop.h.
 */
#ifndef BENCH_DRIVERS_WIRE_DIAL_H
#define BENCH_DRIVERS_WIRE_DIAL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "drivers/wire/buffer.h"

/*
 * Open a socket that is connected to an address.  0; -ETIMEDOUT; or why the
 * system has refused it.  A Unix socket whose queue is full is tried again. The
 * socket may be in blocking mode or not.
 */
int dial_open(int *ret_fd, const struct sockaddr *to, socklen_t len,
              uint64_t until_ns);

/* Send all bytes.  0, -ETIMEDOUT, or the -errno of a broken connection. */
int dial_send(int fd, const void *bytes, size_t n, uint64_t until_ns);

/*
 * Append what has come, `n` bytes at most; wait for one byte at least.  0;
 * -ETIMEDOUT; -EPIPE: the other side has closed the connection; -ENOMEM; or the
 * -errno of a broken connection.
 */
int dial_receive(int fd, struct wire_buffer *in, size_t n, uint64_t until_ns);

#endif
