/*
 * loopback.h - a socket that listens on this machine, for tests that need TCP.
 */
#ifndef BENCH_TESTS_UNIT_LOOPBACK_H
#define BENCH_TESTS_UNIT_LOOPBACK_H

#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

/* Its address; the system chooses the port. */
static inline struct sockaddr_in loopback_listen(int *ret_fd)
{
  struct sockaddr_in at = { .sin_family = AF_INET,
                            .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
  socklen_t len = sizeof(at);

  *ret_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (*ret_fd < 0 || bind(*ret_fd, (struct sockaddr *)&at, sizeof(at)) < 0 ||
      listen(*ret_fd, 8) < 0 ||
      getsockname(*ret_fd, (struct sockaddr *)&at, &len) < 0) {
    printf("Bail out! nobody can listen here\n");
    exit(1);
  }
  return at;
}

#endif
