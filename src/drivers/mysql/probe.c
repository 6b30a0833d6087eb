/*
 * probe.c - detects a PostgreSQL server where a MySQL server was expected.
 */
#include "drivers/mysql/probe.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "os/os.h"

static bool wait_for(int fd, short events, uint64_t until_ns)
{
  struct pollfd at = { .fd = fd, .events = events };

  for (;;) {
    const uint64_t now = clock_now_ns();
    int rc;

    if (now >= until_ns)
      return false;
    rc = poll(&at, 1, (int)((until_ns - now) / NS_PER_MS + 1));
    if (rc > 0)
      return true;
    if (rc < 0 && errno != EINTR)
      return false;
  }
}

/* Connects within the time; -1: failed. */
static int open_socket(const struct addrinfo *to, uint64_t until_ns)
{
  int fd = os_stream_socket(to->ai_family);

  if (fd < 0)
    return -1;
  if (connect(fd, to->ai_addr, to->ai_addrlen) == 0 ||
      (errno == EINPROGRESS && wait_for(fd, POLLOUT, until_ns)))
    return fd;
  (void)close(fd);
  return -1;
}

/*
 * When PostgreSQL is asked for TLS, it answers S or N and nothing else.  A
 * greeting of MySQL is longer, and may begin with the same byte.
 */
static bool answers(int fd, uint64_t until_ns)
{
  static const unsigned char request[] = { 0, 0, 0, 8, 4, 210, 22, 47 };
  char answer[16];

  return send(fd, request, sizeof(request), MSG_NOSIGNAL) == sizeof(request) &&
         wait_for(fd, POLLIN, until_ns) &&
         recv(fd, answer, sizeof(answer), 0) == 1 &&
         (answer[0] == 'S' || answer[0] == 'N');
}

bool mysqld_probe_is_pgsql(const char *address, unsigned port,
                           uint64_t until_ns)
{
  const struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
                                  .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV };
  struct addrinfo *list = NULL;
  char service[16];
  bool found = false;
  int fd;

  (void)snprintf(service, sizeof(service), "%u", port);
  if (getaddrinfo(address, service, &hints, &list) != 0)
    return false;
  fd = open_socket(list, until_ns);
  freeaddrinfo(list);
  if (fd >= 0) {
    found = answers(fd, until_ns);
    (void)close(fd);
  }
  return found;
}
