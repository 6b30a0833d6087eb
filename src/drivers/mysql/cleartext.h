/*
 * cleartext.h - logins that would give the password away.
 *
 * A server chooses the plug-in of a login, and whether TLS is possible.  A
 * hostile one, or an attacker on the network, could ask for the password
 * unencrypted, or encrypted with any key.
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
