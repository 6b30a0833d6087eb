/*
 * copy.h - sends rows by LOAD DATA LOCAL: the server asks for a file, and
 * receives rows that are generated while they are sent.
 */
#ifndef BENCH_DRIVERS_MYSQL_COPY_H
#define BENCH_DRIVERS_MYSQL_COPY_H

#include "db/driver.h"
#include "drivers/mysql/session.h"

extern const struct driver_copy mysqld_copy;

/* Make the library refuse to send files to the server. */
void mysqld_copy_refuse(MYSQL *mysql);

/* Free what a session kept for copies. */
void mysqld_copy_done(struct mysql_session *s);

#endif
