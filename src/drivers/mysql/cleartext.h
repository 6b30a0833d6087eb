/*
 * cleartext.h - plug-ins that send the password in clear text.
 *
 * A server chooses the plug-in of a login, and may ask for one that sends the
 * password unencrypted, even before TLS or without it.  A hostile server, or an
 * attacker on the network, learns the password that way.
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
bool mysqld_cleartext_set(MYSQL *mysql, enum tls_mode mode, bool allowed);

#endif
