/*
 * shim.h - the one interface to both client libraries: MySQL's and MariaDB's.
 *
 * Only shim.c knows in which of them a name was removed, added or changed its
 * meaning; the rest of the driver uses what both have.
 */
#ifndef BENCH_DRIVERS_MYSQL_SHIM_H
#define BENCH_DRIVERS_MYSQL_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mysql.h>

#include "drivers/mysql/tls.h"
#include "opt/opt.h"

struct wire_forms;

/* What stands for `bool` in the structs of the library. */
#if defined(MARIADB_PACKAGE_VERSION) || MYSQL_VERSION_ID < 80001
typedef my_bool shim_bool;
#else
typedef bool shim_bool;
#endif

/* "MariaDB Connector/C" or "libmysqlclient". */
const char *mysqld_shim_library(void);
const char *mysqld_shim_library_version(void);

bool mysqld_shim_can_compress(const char *algorithm);
/* The check of certificates includes the host name in any case. */
bool mysqld_shim_always_checks_names(void);
/* mysqld_shim_bound() limits a login without TLS; else it does nothing. */
bool mysqld_shim_limits_login(void);
/* The library does not wait on this connection, in this thread, after
 * clock_now_ns() is `until_ns`; 0: no limit, which is how connections are
 * handed out.  Between two calls a thread uses no other connection. */
void mysqld_shim_bound(MYSQL *mysql, uint64_t until_ns);

/* Before the connect.  False: the library does not know one of the settings. */
bool mysqld_shim_set_tls(MYSQL *mysql, const struct tls_settings *tls);
bool mysqld_shim_set_compression(MYSQL *mysql,
                                 const struct opt_list *algorithms);
void mysqld_shim_set_public_key(MYSQL *mysql);

/* Of an open connection. */
int mysqld_shim_fd(MYSQL *mysql);
/* NULL: not known (or no TLS). */
const char *mysqld_shim_tls_version(MYSQL *mysql);
/* As mysql_real_escape_string() for text inside of '...'. */
size_t mysqld_shim_escape(MYSQL *mysql, char *to, const char *text, size_t len);
void mysqld_shim_set_server_status(MYSQL *mysql, unsigned status);
/* Rows of a prepared statement were received one by one up to their end, whose
 * flags MariaDB's library does not look at: take them as the server's status.
 */
void mysqld_shim_note_end(MYSQL *mysql);

/*
 * The connection can be served without the library: no TLS, no compression,
 * and only such forms of packets as are known to wire.h.  NULL, or why not
 * (static).
 */
const char *mysqld_shim_why_not_plain(MYSQL *mysql,
                                      struct wire_forms *ret_forms);

/* Texts of this library for what goes wrong on the client's side. */
const char *mysqld_shim_text_gone(void); /* 2006 */
const char *mysqld_shim_text_lost(void); /* 2013 */

#endif
