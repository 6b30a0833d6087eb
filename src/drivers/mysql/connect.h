/*
 * connect.h - opening a connection within a time limit.
 */
#ifndef BENCH_DRIVERS_MYSQL_CONNECT_H
#define BENCH_DRIVERS_MYSQL_CONNECT_H

#include <stdbool.h>
#include <stdint.h>

#include "drivers/mysql/session.h"

/* Why it failed. */
struct connect_failure {
  int code;
  char state[6];
  char text[512];
};

/*
 * Open a connection to `to`; fails at about `until_ns` at the latest, name
 * resolution, TLS and login included.  NULL: *ret_why says why.
 */
MYSQL *mysqld_connect_open(const struct mysql_cfg *cfg,
                           const struct address *to, uint64_t until_ns,
                           struct connect_failure *ret_why);

/* The target of a session, by its number and attempt. */
struct address mysqld_connect_address(const struct session *s);

/* Keep-alive and other properties of a TCP socket; whether it is one. */
bool mysqld_connect_tune(int fd);

/* "tcp ADDRESS port N" of the other side. */
void mysqld_connect_peer(int fd, char *to, size_t size);

/* Close it; does not wait for more than a second, or at all when `broken`. */
void mysqld_connect_close(MYSQL *mysql, bool broken);

/* An attempt that nobody waits for any more is still inside the library. */
bool mysqld_connect_is_busy(void);

#endif
