/*
 * connect.h - opens a connection within a time limit.
 */
#ifndef BENCH_DRIVERS_MYSQL_CONNECT_H
#define BENCH_DRIVERS_MYSQL_CONNECT_H

#include <stdbool.h>
#include <stdint.h>

#include "drivers/mysql/session.h"

/* Why a connect failed. */
struct connect_failure {
  int code;
  char state[6];
  char text[512];
};

/*
 * Open a connection to `to`.  Fails at about `until_ns` at the latest, name
 * resolution, TLS and login included.  NULL: *ret_why holds the reason.
 */
MYSQL *mysqld_connect_open(const struct mysql_cfg *cfg,
                           const struct address *to, uint64_t until_ns,
                           struct connect_failure *ret_why);

/* The target of a session, chosen by its number and attempt; and how many of
 * them the lists have. */
struct address mysqld_connect_address(const struct session *s);
size_t mysqld_connect_servers(const void *cfg);

/* Describe the peer: "tcp ADDRESS port N". */
void mysqld_connect_peer(int fd, char *to, size_t size);

/*
 * Close the connection.  Waits for a second at most; does not wait at all if it
 * is `broken`.
 */
void mysqld_connect_close(MYSQL *mysql, bool broken);

/* Is an attempt that was left behind still inside the library? */
bool mysqld_connect_is_busy(void);

#endif
