/*
 * abi.h - the heads of objects that scripts see, with the same members at the
 * same places.  The ABI's own types end in an array of unknown length, so they
 * cannot be members.
 */
#ifndef BENCH_DB_ABI_H
#define BENCH_DB_ABI_H

#include <stddef.h>

#include "base/ffi_api.h"

/* sql_driver */
struct driver_pub {
  const char *sname;
  const char *lname;
};

/* sql_connection */
struct conn_pub {
  sql_error_t error;
  int sql_errno;
  const char *sql_state;
  const char *sql_errmsg;
  sql_driver *driver;
};

/* sql_statement */
struct stmt_pub {
  sql_connection *connection;
};

#define ABI_SAME(T, mine, f)                                             \
  _Static_assert(offsetof(T, f) == offsetof(struct mine, f) &&           \
                   sizeof(((T *)0)->f) == sizeof(((struct mine *)0)->f), \
                 #f " has moved")

/* Compares sizes of pointers. NOLINTBEGIN(bugprone-sizeof-expression) */
ABI_SAME(sql_driver, driver_pub, sname);
ABI_SAME(sql_driver, driver_pub, lname);
ABI_SAME(sql_connection, conn_pub, error);
ABI_SAME(sql_connection, conn_pub, sql_errno);
ABI_SAME(sql_connection, conn_pub, sql_state);
ABI_SAME(sql_connection, conn_pub, sql_errmsg);
ABI_SAME(sql_connection, conn_pub, driver);
ABI_SAME(sql_statement, stmt_pub, connection);
/* NOLINTEND(bugprone-sizeof-expression) */

#endif
