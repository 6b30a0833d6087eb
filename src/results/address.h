/*
 * address.h - [ADDR:]PORT, where to listen.
 */
#ifndef BENCH_RESULTS_ADDRESS_H
#define BENCH_RESULTS_ADDRESS_H

#include <stdbool.h>
#include <sys/socket.h>

struct address {
  struct sockaddr_storage addr;
  socklen_t len;
};

/* "9100", "0.0.0.0:9100" or "[::1]:9100": numbers only.  Without an address:
 * loopback; port 0: chosen by the system.  0 or -EINVAL. */
int address_parse(const char *text, struct address *ret);

bool address_is_local(const struct address *a);

unsigned address_port(const struct address *a);

#endif
