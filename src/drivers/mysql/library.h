/*
 * library.h - statements through the client library: for its own files.
 */
#ifndef BENCH_DRIVERS_MYSQL_LIBRARY_H
#define BENCH_DRIVERS_MYSQL_LIBRARY_H

#include "drivers/mysql/error.h"
#include "drivers/mysql/session.h"

/* *out from the library's last error; -1. */
int mysqld_library_failed(struct mysql_session *s, struct outcome *out);
/* The server's flags, with the one about further results. */
unsigned mysqld_library_status(const struct mysql_session *s);
/* The open result ends; what is pending stays. */
void mysqld_library_end_rows(struct mysql_session *s);

/*
 * No more of a result is received, because it is larger than is allowed or than
 * there is memory.  The connection is of no use any more.  -1.
 */
int mysqld_library_cut(struct mysql_session *s, bool no_memory,
                       struct outcome *out);

/* As in struct backend, for prepared statements (library_stmt.c). */
int mysqld_library_prepare(struct mysql_prepared *p, struct outcome *out);
int mysqld_library_execute(struct mysql_prepared *p, struct outcome *out);
int mysqld_library_stmt_next(struct mysql_session *s, struct outcome *out);
void mysqld_library_unprepare(struct mysql_prepared *p, bool going);

#endif
