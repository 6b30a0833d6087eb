/*
 * address.h - where the proxy listens and connects to: a host and port, or the
 * path of a Unix socket.
 */
#ifndef TESTS_FAULT_ADDRESS_H
#define TESTS_FAULT_ADDRESS_H

#include <stdbool.h>
#include <sys/socket.h>

struct address {
  struct sockaddr_storage sa;
  socklen_t len;
};

/* "HOST:PORT" with a numeric host or a name; with a '/' in it, a path. */
bool address_parse(struct address *ret, const char *text);
bool address_parse_unix(struct address *ret, const char *path);

/*
 * A new socket or -1 with errno.  `*ret_connecting` says that the connection
 * is still being made; with NULL there the call waits for it instead.
 */
int address_connect(const struct address *a, bool *ret_connecting);

/* Port 0 stands for any free port, and is replaced by the one chosen. */
int address_listen_tcp(int *port);
int address_listen_unix(const char *path);

#endif
