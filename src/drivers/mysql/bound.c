/*
 * bound.c - a limit for the time that a thread waits inside the client library.
 */
#include "drivers/mysql/bound.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>

#include "base/clock.h"

/* The limit of this thread; the library's call-back has no argument for it. */
static _Thread_local uint64_t limit_ns;

void mysqld_bound_set(uint64_t until_ns)
{
  limit_ns = until_ns;
}

/* Returns the time left, for poll(); 0: the limit is reached. */
static int time_left(int timeout_ms)
{
  const uint64_t now = clock_now_ns();
  uint64_t left;

  if (limit_ns == 0)
    return timeout_ms;
  if (now >= limit_ns)
    return 0;
  left = (limit_ns - now) / NS_PER_MS + 1;
  if (timeout_ms >= 0 && left > (uint64_t)timeout_ms)
    return timeout_ms;
  return left > INT_MAX ? INT_MAX : (int)left;
}

bool mysqld_bound_wait(int fd, bool is_read, int timeout_ms)
{
  struct pollfd at = { .fd = fd, .events = is_read ? POLLIN : POLLOUT };
  int rc;

  do {
    const int ms = time_left(timeout_ms);

    /*
     * Once the limit is reached, data that has already arrived does not count.
     */
    rc = ms == 0 && timeout_ms != 0 ? 0 : poll(&at, 1, ms);
  } while (rc < 0 && errno == EINTR);
  if (rc == 0)
    errno = ETIMEDOUT;
  return rc > 0;
}
