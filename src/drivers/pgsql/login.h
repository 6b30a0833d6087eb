/*
 * login.h - the steps of a login, as long as there is time.
 */
#ifndef BENCH_DRIVERS_PGSQL_LOGIN_H
#define BENCH_DRIVERS_PGSQL_LOGIN_H

#include <libpq-fe.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pgsql_login {
  PGSQL_LOGIN_DONE,
  PGSQL_LOGIN_FAILED, /* the connection says why */
  PGSQL_LOGIN_LATE,   /* `text` says where it went to */
  PGSQL_LOGIN_REFUSED /* by us: `text` says why */
};

/*
 * Go on with a login that PQconnectStart() has begun, until `until_ns` at the
 * latest.  *conn becomes NULL if it is late inside of libpq: a thread has it
 * then, and closes it in the end.  Notices that come after a password was asked
 * for are dropped.
 */
enum pgsql_login pgsql_log_in(PGconn **conn, uint64_t until_ns, char *text,
                              size_t size);

/* Such threads are still there. */
bool pgsql_login_is_busy(void);

#endif
