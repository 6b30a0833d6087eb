/*
 * connect.h - opens and closes connections of the library.
 */
#ifndef BENCH_DRIVERS_MYSQL_CONNECT_H
#define BENCH_DRIVERS_MYSQL_CONNECT_H

#include <stdbool.h>
#include <stdint.h>

#include "drivers/mysql/session.h"

struct connect_failure {
  int code;
  char state[6];
  char text[512];
};

/* NULL: see *ret_why, soon after `until_ns`. */
MYSQL *mysqld_connect_open(const struct mysql_cfg *cfg,
                           const struct address *to, uint64_t until_ns,
                           struct connect_failure *ret_why);

/* Chosen by number and attempt; how many there are. */
struct address mysqld_connect_address(const struct session *s);
size_t mysqld_connect_servers(const void *cfg);
/* --rtt.  As relay_to_host(). */
int mysqld_connect_relay(const struct session *s, struct address *to,
                         uint64_t until_ns, struct err *err);
/* localhost means a socket. */
bool mysqld_connect_is_here(const struct address *to);

/* WAITS for a second at most; not at all if `broken`. */
void mysqld_connect_close(MYSQL *mysql, bool broken);

/* Is an attempt that was left behind inside the library? */
bool mysqld_connect_is_busy(void);

/* Members of struct driver. */
void *mysqld_cancel_token(struct session *s);
void mysqld_cancel_send(void *token);
void mysqld_cancel_free(void *token);

#endif
