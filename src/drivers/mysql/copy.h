/*
 * copy.h - rows sent by LOAD DATA LOCAL: the server asks for a file, and gets
 * rows that are made while they are sent.
 */
#ifndef BENCH_DRIVERS_MYSQL_COPY_H
#define BENCH_DRIVERS_MYSQL_COPY_H

#include "db/driver.h"
#include "drivers/mysql/session.h"

extern const struct driver_copy mysqld_copy;

/* The library gives no file to the server, whatever it asks for. */
void mysqld_copy_refuse(MYSQL *mysql);

/* Frees what a session kept for copies. */
void mysqld_copy_done(struct mysql_session *s);

#endif
