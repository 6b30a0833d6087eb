/*
 * library.h - statements through the client library; private to its own files.
 */
#ifndef BENCH_DRIVERS_MYSQL_LIBRARY_H
#define BENCH_DRIVERS_MYSQL_LIBRARY_H

#include "drivers/mysql/error.h"
#include "drivers/mysql/session.h"

/* Fill in *out from the library's last error; returns -1. */
int mysqld_library_failed(struct mysql_session *s, struct outcome *out);
/* The server's flags, including the one for further results. */
unsigned mysqld_library_status(const struct mysql_session *s);
/* End the open result; further results stay pending. */
void mysqld_library_end_rows(struct mysql_session *s);

/*
 * Stop receiving a result that is larger than is allowed, or than fits in
 * memory.  The connection can no longer be used.  Returns -1.
 */
int mysqld_library_cut(struct mysql_session *s, bool no_memory,
                       struct outcome *out);

/* Members of struct backend, for prepared statements (library_stmt.c). */
int mysqld_library_prepare(struct mysql_prepared *p, struct outcome *out);
int mysqld_library_execute(struct mysql_prepared *p, struct outcome *out);
int mysqld_library_stmt_next(struct mysql_session *s, struct outcome *out);
void mysqld_library_unprepare(struct mysql_prepared *p, bool going);

#endif
