/*
 * login.h - the login of libpq, within a time limit.
 */
#ifndef BENCH_DRIVERS_PGSQL_LOGIN_H
#define BENCH_DRIVERS_PGSQL_LOGIN_H

#include <libpq-fe.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pgsql_login {
  PGSQL_LOGIN_DONE,
  PGSQL_LOGIN_FAILED,
  PGSQL_LOGIN_LATE,   /* `text` names the target */
  PGSQL_LOGIN_REFUSED /* by the driver: `text` has the reason */
};

/*
 * Continue after PQconnectStart().  Out of time inside libpq: *conn becomes
 * NULL, and a thread owns and closes it.  Later notices are dropped.
 * `cleartext`: plain text is allowed without TLS.
 */
enum pgsql_login pgsql_library_log_in(PGconn **conn, bool cleartext,
                                      uint64_t until_ns, char *text,
                                      size_t size);

/* Do such threads still run? */
bool pgsql_login_is_busy(void);

#endif
