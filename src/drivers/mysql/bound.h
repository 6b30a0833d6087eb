/*
 * bound.h - a limit for the time that a thread waits inside the client library.
 *
 * The library limits each read separately.  A server that sends a byte now and
 * then, or keeps asking, could hold a login for ever.
 */
#ifndef BENCH_DRIVERS_MYSQL_BOUND_H
#define BENCH_DRIVERS_MYSQL_BOUND_H

#include <stdbool.h>
#include <stdint.h>

/* Limit waiting until clock_now_ns() is `until_ns`; 0: no limit. */
void mysqld_bound_set(uint64_t until_ns);

/*
 * Wait until the socket can be read or written, for `timeout_ms` (negative: for
 * ever), but not past the limit.  False: it cannot, and errno says why.
 */
bool mysqld_bound_wait(int fd, bool is_read, int timeout_ms);

#endif
