/*
 * cleartext.h - logins that would give the password away.
 *
 * A server chooses the plug-in of a login, and whether TLS is possible.  It may
 * ask for the password unencrypted, or encrypted with a key that it names.  A
 * hostile server, or an attacker on the network, learns the password that way.
 */
#ifndef BENCH_DRIVERS_MYSQL_CLEARTEXT_H
#define BENCH_DRIVERS_MYSQL_CLEARTEXT_H

#include <stdbool.h>

#include <mysql.h>

#include "drivers/mysql/options.h"

struct err;

/* Call this once per process, after the library is ready. */
int mysqld_cleartext_guard(struct err *err);

/*
 * Call this before connecting.  It sets what this connection may do.  False:
 * the library refuses the setting.
 */
bool mysqld_cleartext_set(MYSQL *mysql, const struct mysql_cfg *cfg,
                          enum tls_mode mode);

#endif
