/*
 * cleartext.h - plug-ins that send the password as it is.
 *
 * A server chooses the plug-in of a login, and may ask for one that sends the
 * password unencrypted, also before TLS or without it.  A hostile server, or
 * somebody between, learns the password that way.
 */
#ifndef BENCH_DRIVERS_MYSQL_CLEARTEXT_H
#define BENCH_DRIVERS_MYSQL_CLEARTEXT_H

#include <stdbool.h>

#include <mysql.h>

#include "drivers/mysql/options.h"

struct err;

/* Once per process, after the library is ready. */
int mysqld_cleartext_guard(struct err *err);

/* Before the connect: what this connection may do.  False: the library refuses
 * the setting. */
bool mysqld_cleartext_set(MYSQL *mysql, enum tls_mode mode, bool allowed);

#endif
