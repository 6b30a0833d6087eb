/*
 * target.h - which server of the options' lists a connection goes to.
 */
#ifndef BENCH_DB_TARGET_H
#define BENCH_DB_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Indices; hosts and ports are unused with sockets. */
struct target {
  size_t socket, host, port;
};

/*
 * Connection number i of all processes goes to socket i mod k, or to port i mod
 * n of host (i div n) mod m.  `attempt` steps through the list from there.
 * Without sockets, hosts and ports must not be 0.
 */
struct target target_pick(size_t sockets, size_t hosts, size_t ports,
                          uint64_t number, unsigned attempt);

/* For option rows: a host, folder of sockets (/path) or abstract socket
 * (@name); not HOST:PORT, USER@HOST, [HOST] or a URL. */
bool target_is_host(const char *text);

/* No URL. */
bool target_is_database(const char *text);
#define TARGET_DATABASE "the name of a database; a URL belongs to --dsn"

#endif
