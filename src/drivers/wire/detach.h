/*
 * detach.h - takes the socket of a session away from its client library.
 *
 * After the login the drivers talk to the server by themselves, and the library
 * only keeps its buffers.  It can be freed, but it would say goodbye to the
 * server and close the socket; so it gets another one first.
 */
#ifndef BENCH_DRIVERS_WIRE_DETACH_H
#define BENCH_DRIVERS_WIRE_DETACH_H

/*
 * Returns the socket under another number, which the caller owns.  At the old
 * number there is a socket without a peer: what is sent there fails, without a
 * signal, and it can be closed.  -errno: nothing has changed.
 */
int wire_detach(int fd);

#endif
