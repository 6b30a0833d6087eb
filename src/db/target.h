/*
 * target.h - which server of the lists in the options a connection goes to.
 */
#ifndef BENCH_DB_TARGET_H
#define BENCH_DB_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Indices into the lists; hosts and ports are unused when there are sockets. */
struct target {
  size_t socket, host, port;
};

/*
 * Connection number i (of several processes: of all) goes to socket i mod k, or
 * else to port i mod n of host (i div n) mod m: all ports of the first host,
 * then of the second, and again.  `attempt` steps through the list from there.
 * Without sockets, hosts and ports must not be 0.
 */
struct target target_pick(size_t sockets, size_t hosts, size_t ports,
                          uint64_t number, unsigned attempt);

/*
 * For the rows of options: could the text be a host?  HOST:PORT, USER@HOST,
 * [HOST] and URLs could not.  Folders of sockets (/path) and abstract sockets
 * (@name) could.
 */
bool target_is_host(const char *text);

/* Could it be the name of a database of a server, and no URL? */
bool target_is_database(const char *text);
#define TARGET_DATABASE "the name of a database; a URL belongs to --dsn"

#endif
