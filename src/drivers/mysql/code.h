/*
 * code.h - error numbers and their consequences.
 */
#ifndef BENCH_DRIVERS_MYSQL_CODE_H
#define BENCH_DRIVERS_MYSQL_CODE_H

#include <stdbool.h>

enum mysql_code {
  CODE_NO_FILE = 1,
  CODE_HOST_REFUSES = 1130,
  CODE_DEADLOCK = 1213,
  CODE_NO_PREPARE = 1295,
  CODE_NO_SOCKET = 2002,
  CODE_NO_HOST = 2003,
  CODE_UNKNOWN_HOST = 2005,
  CODE_GONE = 2006,
  CODE_PROTOCOL = 2007,
  CODE_NO_MEMORY = 2008,
  CODE_LOST = 2013,
  CODE_TLS = 2026,
  CODE_MALFORMED = 2027,
  CODE_NEW_COLUMNS = 2057,
};

/* Does this error mean that the connection is lost? */
bool mysqld_code_is_lost(int code);
/*
 * Does this error of a connect mean that trying again is useless, or that no
 * server is there?
 */
bool mysqld_code_is_permanent(int code);
bool mysqld_code_is_no_server(int code);

#endif
