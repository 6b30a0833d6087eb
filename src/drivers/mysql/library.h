/*
 * library.h - statements through the client library: for its own files.
 */
#ifndef BENCH_DRIVERS_MYSQL_LIBRARY_H
#define BENCH_DRIVERS_MYSQL_LIBRARY_H

#include "drivers/mysql/error.h"
#include "drivers/mysql/session.h"

/* *out from the library's last error; -1. */
int library_failed(struct mysql_session *s, struct outcome *out);
/* The server's flags, with the one about further results. */
unsigned library_status(const struct mysql_session *s);
/* The open result ends; what is pending stays. */
void library_end_rows(struct mysql_session *s);

/* As in struct backend, for prepared statements (library_stmt.c). */
int library_prepare(struct mysql_prepared *p, struct outcome *out);
int library_execute(struct mysql_prepared *p, struct outcome *out);
int library_stmt_next(struct mysql_session *s, struct outcome *out);
int library_stmt_fetch(struct mysql_session *s, sql_value *values);
void library_unprepare(struct mysql_prepared *p, bool going);

#endif
