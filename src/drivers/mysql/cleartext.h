/*
 * cleartext.h - logins that would give the password away to a hostile server,
 * or to an attacker on the network: they choose the plug-in, and whether TLS is
 * possible.
 */
#ifndef BENCH_DRIVERS_MYSQL_CLEARTEXT_H
#define BENCH_DRIVERS_MYSQL_CLEARTEXT_H

#include <stdbool.h>

#include <mysql.h>

#include "drivers/mysql/options.h"

struct err;

/* Once per process, after the library is ready. */
int mysqld_cleartext_guard(struct err *err);

/* Before connecting.  False: the library refuses a setting. */
bool mysqld_cleartext_set(MYSQL *mysql, const struct mysql_cfg *cfg,
                          enum tls_mode mode);

#endif
