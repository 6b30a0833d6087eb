/*
 * shim.c - the differences between the client libraries of MySQL and MariaDB.
 */
#include "drivers/mysql/shim.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/strbuf.h"

enum {
  FLAG_COMPRESS = 1 << 5,
  FLAG_PROTOCOL_41 = 1 << 9,
  FLAG_DEPRECATE_EOF = 1 << 24,
  FLAG_OPTIONAL_METADATA = 1 << 25,
  FLAG_ZSTD = 1 << 26,
  FLAG_QUERY_ATTRIBUTES = 1 << 27,
  PROVES_ITSELF_SINCE = 30400,
};

static char *shim_joined(const struct opt_list *list, struct strbuf *to)
{
  for (size_t i = 0; i < list->n; i++)
    strbuf_addf(to, "%s%s", i ? "," : "", list->items[i]);
  return to->text;
}

#if defined(MARIADB_PACKAGE_VERSION) || MYSQL_VERSION_ID < 80018

static bool shim_listed(const struct opt_list *list, const char *word)
{
  for (size_t i = 0; i < list->n; i++) {
    if (strcasecmp(list->items[i], word) == 0)
      return true;
  }
  return false;
}

#endif

#ifdef MARIADB_PACKAGE_VERSION

const char *mysqld_shim_library(void)
{
  return "MariaDB Connector/C";
}

const char *mysqld_shim_library_version(void)
{
  /* The library may report the version of a server. */
  return MARIADB_PACKAGE_VERSION;
}

bool mysqld_shim_can_compress(const char *algorithm)
{
  return strcasecmp(algorithm, "zstd") != 0;
}

bool mysqld_shim_always_checks_names(void)
{
  return true;
}

bool mysqld_shim_limits_login(void)
{
  return true;
}

/* The library's call-back has no argument for it. */
static _Thread_local uint64_t limit_ns;

static int shim_time_left(int timeout_ms)
{
  const uint64_t now = clock_now_ns();
  uint64_t left;

  if (limit_ns == 0)
    return timeout_ms;
  if (now >= limit_ns)
    return 0;
  left = (limit_ns - now) / NS_PER_MS + 1;
  if (timeout_ms >= 0 && left > (uint64_t)timeout_ms)
    return timeout_ms;
  return left > INT_MAX ? INT_MAX : (int)left;
}

/* The library limits each read separately: a byte now and then could hold a
 * login for ever. */
static int shim_wait(my_socket fd, my_bool is_read, int timeout_ms)
{
  struct pollfd at = { .fd = (int)fd, .events = is_read ? POLLIN : POLLOUT };
  int rc;

  do {
    const int ms = shim_time_left(timeout_ms);

    /* At the limit, waiting data does not count. */
    rc = ms == 0 && timeout_ms != 0 ? 0 : poll(&at, 1, ms);
  } while (rc < 0 && errno == EINTR);
  if (rc == 0)
    errno = ETIMEDOUT;
  return rc > 0;
}

void mysqld_shim_bound(MYSQL *mysql, uint64_t until_ns)
{
  int (*wait)(my_socket, my_bool, int) = until_ns ? shim_wait : NULL;

  limit_ns = until_ns;
  (void)mysql_optionsv(mysql, MARIADB_OPT_IO_WAIT, wait);
}

bool mysqld_shim_decides_as_openssl(const struct tls_settings *tls)
{
  const char *name = NULL;

  return mariadb_get_infov(NULL, MARIADB_TLS_LIBRARY, &name) == 0 && name &&
         strncmp(name, "OpenSSL", 7) == 0 &&
         (MARIADB_PACKAGE_VERSION_ID < PROVES_ITSELF_SINCE ||
          tls->mode < TLS_VERIFY_CA || opt_or_null(tls->ca));
}

bool mysqld_shim_set_tls(MYSQL *mysql, const struct tls_settings *tls)
{
  struct strbuf versions = { 0 };
  const my_bool use = true;
  const my_bool verify = tls->mode >= TLS_VERIFY_CA;
  int rc = 0;

  rc |= mysql_optionsv(mysql, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &verify);
  if (tls->mode == TLS_DISABLED)
    return rc == 0;
  (void)mysql_ssl_set(mysql, opt_or_null(tls->key), opt_or_null(tls->cert),
                      opt_or_null(tls->ca), NULL, opt_or_null(tls->cipher));
  /* "If the server can"; `false` would switch TLS off. */
  rc |= mysql_optionsv(mysql, MYSQL_OPT_SSL_ENFORCE, &use);
  /* Some releases switch the check on in mysql_ssl_set(). */
  rc |= mysql_optionsv(mysql, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &verify);
  if (tls->versions->n > 0)
    rc |= mysql_optionsv(mysql, MARIADB_OPT_TLS_VERSION,
                         shim_joined(tls->versions, &versions));
  strbuf_done(&versions);
  return rc == 0;
}

bool mysqld_shim_set_compression(MYSQL *mysql,
                                 const struct opt_list *algorithms)
{
  return !shim_listed(algorithms, "zlib") ||
         mysql_optionsv(mysql, MYSQL_OPT_COMPRESS, NULL) == 0;
}

int mysqld_shim_fd(MYSQL *mysql)
{
  return mysql_get_socket(mysql);
}

const char *mysqld_shim_tls_version(MYSQL *mysql)
{
  const char *text = NULL;

  if (!mysql_get_ssl_cipher(mysql) ||
      mariadb_get_infov(mysql, MARIADB_CONNECTION_TLS_VERSION, &text) != 0)
    return NULL;
  return text;
}

size_t mysqld_shim_escape(MYSQL *mysql, char *to, const char *text, size_t len)
{
  return mysql_real_escape_string(mysql, to, text, len);
}

int mysqld_shim_code_refused(void)
{
  return CODE_NO_SOCKET; /* as of a Unix socket */
}

const char *mysqld_shim_text_gone(void)
{
  return "Server has gone away";
}

const char *mysqld_shim_text_lost(void)
{
  return "Lost connection to server during query";
}

void mysqld_shim_note_end(MYSQL *mysql)
{
  const unsigned char *end = mysql->net.read_pos;

  if (end && end[0] == 0xfe)
    mysql->server_status = end[3] | (unsigned)end[4] << 8;
}

bool mysqld_shim_takes_bulk(MYSQL *mysql)
{
  enum {
    SERVER_OF_MYSQL = 1, /* in the usual flags */
    BULK_OPERATIONS = 1 << 2,
  };
  uint64_t flags = 0; /* versions write different sizes */

  if (mysql->server_capabilities & SERVER_OF_MYSQL ||
      mariadb_get_infov(mysql, MARIADB_CONNECTION_EXTENDED_SERVER_CAPABILITIES,
                        &flags) != 0)
    return false;
  return ((flags | flags >> 32) & BULK_OPERATIONS) != 0;
}

#else /* MySQL's library */

const char *mysqld_shim_library(void)
{
  return "libmysqlclient";
}

const char *mysqld_shim_library_version(void)
{
  return mysql_get_client_info();
}

bool mysqld_shim_can_compress(const char *algorithm)
{
#if MYSQL_VERSION_ID >= 80018
  (void)algorithm;
  return true;
#else
  return strcasecmp(algorithm, "zstd") != 0;
#endif
}

bool mysqld_shim_always_checks_names(void)
{
  return false;
}

bool mysqld_shim_limits_login(void)
{
  return false;
}

void mysqld_shim_bound(MYSQL *mysql, uint64_t until_ns)
{
  (void)mysql, (void)until_ns;
}

bool mysqld_shim_decides_as_openssl(const struct tls_settings *tls)
{
  (void)tls;
  return false;
}

bool mysqld_shim_set_tls(MYSQL *mysql, const struct tls_settings *tls)
{
  static const unsigned modes[] = {
    [TLS_DISABLED] = SSL_MODE_DISABLED,
    [TLS_PREFERRED] = SSL_MODE_PREFERRED,
    [TLS_REQUIRED] = SSL_MODE_REQUIRED,
    [TLS_VERIFY_CA] = SSL_MODE_VERIFY_CA,
    [TLS_VERIFY_IDENTITY] = SSL_MODE_VERIFY_IDENTITY,
  };
  const struct {
    enum mysql_option option;
    const char *text;
  } text[] = {
    { MYSQL_OPT_SSL_KEY, opt_or_null(tls->key) },
    { MYSQL_OPT_SSL_CERT, opt_or_null(tls->cert) },
    { MYSQL_OPT_SSL_CA, opt_or_null(tls->ca) },
    { MYSQL_OPT_SSL_CIPHER, opt_or_null(tls->cipher) },
  };
  struct strbuf versions = { 0 };
  int rc = mysql_options(mysql, MYSQL_OPT_SSL_MODE, &modes[tls->mode]);

  for (size_t i = 0; tls->mode != TLS_DISABLED && i < ARRAY_SIZE(text); i++) {
    if (text[i].text)
      rc |= mysql_options(mysql, text[i].option, text[i].text);
  }
  if (tls->mode != TLS_DISABLED && tls->versions->n > 0)
    rc |= mysql_options(mysql, MYSQL_OPT_TLS_VERSION,
                        shim_joined(tls->versions, &versions));
  strbuf_done(&versions);
  return rc == 0;
}

bool mysqld_shim_set_compression(MYSQL *mysql,
                                 const struct opt_list *algorithms)
{
#if MYSQL_VERSION_ID >= 80018
  struct strbuf list = { 0 };
  const int rc = mysql_options(mysql, MYSQL_OPT_COMPRESSION_ALGORITHMS,
                               shim_joined(algorithms, &list));

  strbuf_done(&list);
  return rc == 0;
#else
  return !shim_listed(algorithms, "zlib") ||
         mysql_options(mysql, MYSQL_OPT_COMPRESS, NULL) == 0;
#endif
}

int mysqld_shim_fd(MYSQL *mysql)
{
  return (int)mysql->net.fd;
}

const char *mysqld_shim_tls_version(MYSQL *mysql)
{
  (void)mysql;
  return NULL;
}

size_t mysqld_shim_escape(MYSQL *mysql, char *to, const char *text, size_t len)
{
  return mysql_real_escape_string_quote(mysql, to, text, len, '\'');
}

int mysqld_shim_code_refused(void)
{
  return CODE_NO_HOST;
}

const char *mysqld_shim_text_gone(void)
{
  return "MySQL server has gone away";
}

const char *mysqld_shim_text_lost(void)
{
  return "Lost connection to MySQL server during query";
}

void mysqld_shim_note_end(MYSQL *mysql)
{
  (void)mysql;
}

bool mysqld_shim_takes_bulk(MYSQL *mysql)
{
  (void)mysql;
  return false;
}

#endif

const char *mysqld_shim_socket(void)
{
  const char *path = getenv("MYSQL_UNIX_PORT");

#ifdef MARIADB_UNIX_ADDR
  /* Old releases ignore the second variable. */
  if (!path && !getenv("MARIADB_UNIX_PORT"))
    path = MARIADB_UNIX_ADDR;
#endif
  return opt_or_null(path);
}

void mysqld_shim_set_backslash(MYSQL *mysql, unsigned status)
{
  const unsigned bit = SERVER_STATUS_NO_BACKSLASH_ESCAPES;

  mysql->server_status = (mysql->server_status & ~bit) | (status & bit);
}

const char *mysqld_shim_why_not_plain(MYSQL *mysql,
                                      struct wire_forms *ret_forms)
{
  const unsigned long both = mysql->client_flag & mysql->server_capabilities;

  if (both & (FLAG_COMPRESS | FLAG_ZSTD))
    return "the connection is compressed";
  if (!(both & FLAG_PROTOCOL_41))
    return "the server speaks a version of the protocol that is too old";
  if (both & FLAG_OPTIONAL_METADATA)
    return "the server and the client library leave out what describes columns";
  ret_forms->no_eof = (both & FLAG_DEPRECATE_EOF) != 0;
  ret_forms->attributes = (both & FLAG_QUERY_ATTRIBUTES) != 0;
  return NULL;
}
