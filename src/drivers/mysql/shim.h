/*
 * shim.h - one interface to both client libraries, MySQL's and MariaDB's.
 */
#ifndef BENCH_DRIVERS_MYSQL_SHIM_H
#define BENCH_DRIVERS_MYSQL_SHIM_H

#include <mysql.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "opt/opt.h"

enum mysql_code {
  CODE_NO_FILE = 1,
  CODE_HOST_REFUSES = 1130,
  CODE_DEADLOCK = 1213,
  CODE_NO_PREPARE = 1295,
  CODE_NO_SOCKET = 2002,
  CODE_NO_HOST = 2003,
  CODE_UNKNOWN_HOST = 2005,
  CODE_GONE = 2006,
  CODE_PROTOCOL = 2007,
  CODE_NO_MEMORY = 2008,
  CODE_LOST = 2013,
  CODE_TLS = 2026,
  CODE_MALFORMED = 2027,
  CODE_NEW_COLUMNS = 2057,
};

enum tls_mode {
  TLS_DISABLED,
  TLS_PREFERRED,
  TLS_REQUIRED,
  TLS_VERIFY_CA,
  TLS_VERIFY_IDENTITY,
};

/* Texts are borrowed. */
struct tls_settings {
  enum tls_mode mode;
  const char *key, *cert, *ca, *cipher;
  const struct opt_list *versions;
};

/* Agreed upon at the login. */
struct wire_forms {
  bool no_eof;     /* nothing between columns and rows; rows end with an OK */
  bool attributes; /* statements have a number of parameters */
};

/* The libraries' `bool`. */
#if defined(MARIADB_PACKAGE_VERSION) || MYSQL_VERSION_ID < 80001
typedef my_bool shim_bool;
#else
typedef bool shim_bool;
#endif

const char *mysqld_shim_library(void);
const char *mysqld_shim_library_version(void);

bool mysqld_shim_can_compress(const char *algorithm);
/* Do checks of certificates always include the host name? */
bool mysqld_shim_always_checks_names(void);
/* Does mysqld_shim_bound() limit a login without TLS, or do nothing? */
bool mysqld_shim_limits_login(void);
/* Waits on this connection, in this thread, end at `until_ns`; 0: no limit.  In
 * between, the thread must not use another connection. */
void mysqld_shim_bound(MYSQL *mysql, uint64_t until_ns);

/* Does the library leave TLS to OpenSSL, and decide as we do?  Its later
 * releases accept a certificate of nobody known if the password proves the
 * server. */
bool mysqld_shim_decides_as_openssl(const struct tls_settings *tls);
/* Before connecting.  False: a setting is unknown to the library. */
bool mysqld_shim_set_tls(MYSQL *mysql, const struct tls_settings *tls);
bool mysqld_shim_set_compression(MYSQL *mysql,
                                 const struct opt_list *algorithms);

/* Of localhost; NULL: only the library has the path. */
const char *mysqld_shim_socket(void);

int mysqld_shim_fd(MYSQL *mysql);
/* NULL: unknown, or no TLS. */
const char *mysqld_shim_tls_version(MYSQL *mysql);
/* As mysql_real_escape_string(), inside '...'. */
size_t mysqld_shim_escape(MYSQL *mysql, char *to, const char *text, size_t len);
/* Only how the server reads a backslash. */
void mysqld_shim_set_backslash(MYSQL *mysql, unsigned status);
/* After the last row of a prepared statement, where MariaDB's library ignores
 * the status flags. */
void mysqld_shim_note_end(MYSQL *mysql);

/* NULL: no compression, and only forms of packets that wire.h supports; or why
 * not (static). */
const char *mysqld_shim_why_not_plain(MYSQL *mysql,
                                      struct wire_forms *ret_forms);

int mysqld_shim_code_refused(void);

/* COM_STMT_BULK_EXECUTE. */
bool mysqld_shim_takes_bulk(MYSQL *mysql);

const char *mysqld_shim_text_gone(void);
const char *mysqld_shim_text_lost(void);

#endif
