/*
 * bound.h - a limit for all waiting of a thread inside the client library.
 *
 * The library limits each read by itself.  A server that sends a byte now and
 * then, or goes on asking, would hold a login for ever.
 */
#ifndef BENCH_DRIVERS_MYSQL_BOUND_H
#define BENCH_DRIVERS_MYSQL_BOUND_H

#include <stdbool.h>
#include <stdint.h>

/* Until clock_now_ns() is `until_ns`; 0: no limit. */
void mysqld_bound_set(uint64_t until_ns);

/* Wait until the socket can be read or written, for `timeout_ms` (negative: for
 * ever) and up to the limit.  False: it cannot, errno says why. */
bool mysqld_bound_wait(int fd, bool is_read, int timeout_ms);

#endif
