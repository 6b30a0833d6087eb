/*
 * shim.h - the one interface to both client libraries: MySQL's and MariaDB's.
 *
 * Only shim.c knows in which library a name was removed or added, or has
 * changed its meaning.  The rest of the driver uses what both have.
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

/* The type that the structs of the library use for `bool`. */
#if defined(MARIADB_PACKAGE_VERSION) || MYSQL_VERSION_ID < 80001
typedef my_bool shim_bool;
#else
typedef bool shim_bool;
#endif

/* "MariaDB Connector/C" or "libmysqlclient". */
const char *mysqld_shim_library(void);
const char *mysqld_shim_library_version(void);

bool mysqld_shim_can_compress(const char *algorithm);
/* Does the check of certificates always include the host name? */
bool mysqld_shim_always_checks_names(void);
/*
 * Does mysqld_shim_bound() limit a login without TLS?  Otherwise it does
 * nothing.
 */
bool mysqld_shim_limits_login(void);
/*
 * Make the library stop waiting on this connection, in this thread, once
 * clock_now_ns() is `until_ns`; 0: no limit, which is how connections are
 * handed out.  Between two such calls a thread must not use another connection.
 */
void mysqld_shim_bound(MYSQL *mysql, uint64_t until_ns);

/*
 * Call this before connecting.  False: the library does not know one of the
 * settings.
 */
bool mysqld_shim_set_tls(MYSQL *mysql, const struct tls_settings *tls);
bool mysqld_shim_set_compression(MYSQL *mysql,
                                 const struct opt_list *algorithms);

/* The path of the socket that stands for localhost; NULL: only the library
 * knows. */
const char *mysqld_shim_socket(void);

/* The socket of an open connection. */
int mysqld_shim_fd(MYSQL *mysql);
/* NULL: not known (or no TLS). */
const char *mysqld_shim_tls_version(MYSQL *mysql);
/* Escape like mysql_real_escape_string(), for text inside '...'. */
size_t mysqld_shim_escape(MYSQL *mysql, char *to, const char *text, size_t len);
/* Of `status`, how the server reads a backslash.  The rest of its own status
 * tells the library which answers are still to come. */
void mysqld_shim_set_backslash(MYSQL *mysql, unsigned status);
/*
 * Call this after the rows of a prepared statement were received one by one up
 * to their end.  MariaDB's library ignores the flags there: take them as the
 * server's status.
 */
void mysqld_shim_note_end(MYSQL *mysql);

/*
 * Can the connection be served without the library: no TLS, no compression, and
 * only packet formats that wire.h supports?  Returns NULL, or why not (static).
 */
const char *mysqld_shim_why_not_plain(MYSQL *mysql,
                                      struct wire_forms *ret_forms);

/* The code of this library when a host refuses the connection. */
int mysqld_shim_code_refused(void);

/* Does the server execute a statement with many rows (COM_STMT_BULK_EXECUTE)?
 */
bool mysqld_shim_takes_bulk(MYSQL *mysql);

/* Texts of this library for failures on the client's side. */
const char *mysqld_shim_text_gone(void); /* 2006 */
const char *mysqld_shim_text_lost(void); /* 2013 */

#endif
