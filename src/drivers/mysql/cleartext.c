/*
 * cleartext.c - logins that would give the password away.
 *
 * MySQL's library has switches.  MariaDB's loads any plug-in, encrypts the
 * password with any key that a server names, and does without TLS if none is
 * offered.  Therefore its plug-ins are replaced by ours, which check the
 * connection first.
 */
#include "drivers/mysql/cleartext.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "base/err.h"
#include "drivers/mysql/scramble.h"

#ifdef MARIADB_PACKAGE_VERSION

#include <mysql/plugin_auth.h>

/* Name of a connection's rules. */
#define USER_DATA "bench_rules"

enum {
  RULE_ASKS_FOR_TLS = 1,
  RULE_NEEDS_TLS = 2,
  RULE_MAY_SEND_CLEAR = 4,
  RULE_MAY_USE_KEY = 8, /* of the server, or a pinned one */

  PLUGIN_AUTHENTICATION = 2,
  PLUGIN_INTERFACE = 0x100,
  DIALOG_LAST = 1,
  DIALOG_PASSWORD = 2,
  FAST_DONE = 3,
};

static const char needs_tls[] =
  "TLS/SSL error: SSL is required, but the server does not support it";
static const char needs_clear[] =
  "the server wants the password in plain text, and the connection has no "
  "TLS: use --mysql-ssl, or allow it with --mysql-cleartext=on";
static const char needs_key[] =
  "the server wants the password encrypted with a key of its own, and the "
  "connection has no TLS: use --mysql-ssl, name the key with "
  "--mysql-server-public-key-path, or trust any key with "
  "--mysql-get-server-public-key=on";
static const char too_old[] =
  "the server asks for the login of old versions, which gives the password "
  "away";

enum wrapped {
  WRAPPED_NATIVE,
  WRAPPED_OLD,
  WRAPPED_SHA2,
  WRAPPED_SHA256,
  WRAPPED
};

typedef int authenticate_fn(MYSQL_PLUGIN_VIO *io, MYSQL *mysql);

/* By enum wrapped; set once, before the first connection. */
static authenticate_fn *library_login[WRAPPED];

/* Declared here, because some packages lack the library's header. */
struct auth_plugin {
  int type;
  unsigned interface_version;
  const char *name, *author, *description;
  unsigned version[3];
  const char *license;
  void *api;
  int (*init)(char *text, size_t size, int argc, va_list args);
  int (*deinit)(void);
  int (*options)(const char *option, const void *value);
  authenticate_fn *authenticate;
};

struct st_mysql_client_plugin *STDCALL mysql_client_register_plugin(
  MYSQL *mysql, struct st_mysql_client_plugin *plugin);

static bool cleartext_has_rule(MYSQL *mysql, unsigned rule)
{
  void *rules = NULL;

  return mysql_get_optionv(mysql, MARIADB_OPT_USERDATA,
                           (void *)(uintptr_t)USER_DATA, &rules) == 0 &&
         (uintptr_t)rules & rule;
}

static int cleartext_refuse(MYSQL *mysql, const char *why)
{
  mysql->net.last_errno = CODE_TLS;
  memcpy(mysql->net.sqlstate, "HY000", sizeof("HY000"));
  (void)snprintf(mysql->net.last_error, sizeof(mysql->net.last_error), "%s",
                 why);
  return CR_ERROR;
}

/* The first packet begins TLS if offered. */
static bool cleartext_will_have_tls(MYSQL *mysql)
{
  return mysql_get_ssl_cipher(mysql) ||
         (cleartext_has_rule(mysql, RULE_ASKS_FOR_TLS) &&
          mysql->server_capabilities & CLIENT_SSL);
}

static bool cleartext_lacks_tls(MYSQL *mysql)
{
  return cleartext_has_rule(mysql, RULE_NEEDS_TLS) &&
         !cleartext_will_have_tls(mysql);
}

/* False: the reason is reported. */
static bool cleartext_may_send_clear(MYSQL *mysql)
{
  if (mysql_get_ssl_cipher(mysql))
    return true;
  if (cleartext_has_rule(mysql, RULE_NEEDS_TLS))
    return cleartext_refuse(mysql, needs_tls) != CR_ERROR;
  return cleartext_has_rule(mysql, RULE_MAY_SEND_CLEAR) ||
         cleartext_refuse(mysql, needs_clear) != CR_ERROR;
}

/* Nobody can listen, or the user trusts the key. */
static bool cleartext_may_use_key(MYSQL_PLUGIN_VIO *io, MYSQL *mysql)
{
  MYSQL_PLUGIN_VIO_INFO info = { .protocol = MYSQL_VIO_INVALID };

  io->info(io, &info);
  return info.protocol == MYSQL_VIO_SOCKET || cleartext_will_have_tls(mysql) ||
         cleartext_has_rule(mysql, RULE_MAY_USE_KEY);
}

static bool send_password(MYSQL_PLUGIN_VIO *io, const MYSQL *mysql)
{
  const char *password = mysql->passwd ? mysql->passwd : "";

  return io->write_packet(io, (const unsigned char *)password,
                          (int)strlen(password) + 1) == 0;
}

static int send_clear(MYSQL_PLUGIN_VIO *io, MYSQL *mysql)
{
  return cleartext_may_send_clear(mysql) && send_password(io, mysql) ? CR_OK
                                                                     : CR_ERROR;
}

/* For PAM and others: only questions for a password are answered. */
static int answer_questions(MYSQL_PLUGIN_VIO *io, MYSQL *mysql)
{
  unsigned char *packet;
  bool last = false;

  if (cleartext_lacks_tls(mysql))
    return cleartext_refuse(mysql, needs_tls);
  while (!last) {
    const int len = io->read_packet(io, &packet);

    if (len < 0)
      return CR_ERROR;
    if (len == 0 || packet[0] == 0 || packet[0] == 254 || packet[0] == 255)
      return CR_OK_HANDSHAKE_COMPLETE;
    last = (packet[0] & DIALOG_LAST) != 0;
    if (packet[0] >> 1 != DIALOG_PASSWORD || !cleartext_may_send_clear(mysql) ||
        !send_password(io, mysql))
      return CR_ERROR;
  }
  return CR_OK;
}

static int log_in_native(MYSQL_PLUGIN_VIO *io, MYSQL *mysql)
{
  return cleartext_lacks_tls(mysql) ? cleartext_refuse(mysql, needs_tls)
                                    : library_login[WRAPPED_NATIVE](io, mysql);
}

static int log_in_old(MYSQL_PLUGIN_VIO *io, MYSQL *mysql)
{
  (void)io;
  return cleartext_refuse(mysql,
                          cleartext_lacks_tls(mysql) ? needs_tls : too_old);
}

/* Suffices if the server has seen the password lately. */
static int cleartext_prove_sha2(MYSQL_PLUGIN_VIO *io, MYSQL *mysql)
{
  const char *password = mysql->passwd ? mysql->passwd : "";
  uint8_t proof[SCRAMBLE_MAX];
  unsigned char *packet;
  size_t n = 0;

  if (io->read_packet(io, &packet) < SCRAMBLE_NONCE)
    return CR_ERROR;
  if (*password)
    n = mysqld_scramble_sha2(password, packet, proof);
  if (io->write_packet(io, proof, (int)n) != 0)
    return CR_ERROR;
  if (n == 0)
    return CR_OK;
  if (io->read_packet(io, &packet) != 1)
    return CR_ERROR;
  return *packet == FAST_DONE ? CR_OK : cleartext_refuse(mysql, needs_key);
}

static int log_in_sha2(MYSQL_PLUGIN_VIO *io, MYSQL *mysql)
{
  if (cleartext_lacks_tls(mysql))
    return cleartext_refuse(mysql, needs_tls);
  return cleartext_may_use_key(io, mysql)
           ? library_login[WRAPPED_SHA2](io, mysql)
           : cleartext_prove_sha2(io, mysql);
}

static int log_in_sha256(MYSQL_PLUGIN_VIO *io, MYSQL *mysql)
{
  if (cleartext_lacks_tls(mysql))
    return cleartext_refuse(mysql, needs_tls);
  return cleartext_may_use_key(io, mysql)
           ? library_login[WRAPPED_SHA256](io, mysql)
           : cleartext_refuse(mysql, needs_key);
}

static const struct {
  const char *name;
  authenticate_fn *login;
} wrappers[WRAPPED] = {
  [WRAPPED_NATIVE] = { "mysql_native_password", log_in_native },
  [WRAPPED_OLD] = { "mysql_old_password", log_in_old },
  [WRAPPED_SHA2] = { "caching_sha2_password", log_in_sha2 },
  [WRAPPED_SHA256] = { "sha256_password", log_in_sha256 },
};

/* A missing plug-in needs no wrapper: its logins fail. */
static void cleartext_wrap(MYSQL *mysql)
{
  for (size_t i = 0; i < WRAPPED; i++) {
    struct auth_plugin *p = (struct auth_plugin *)(void *)
      mysql_client_find_plugin(mysql, wrappers[i].name, PLUGIN_AUTHENTICATION);

    if (!p || p->authenticate == wrappers[i].login)
      continue;
    library_login[i] = p->authenticate;
    p->authenticate = wrappers[i].login;
  }
}

static const struct auth_plugin guards[] = {
  {
    .type = PLUGIN_AUTHENTICATION,
    .interface_version = PLUGIN_INTERFACE,
    .name = "mysql_clear_password",
    .author = "bench",
    .description = "the password, where the connection is encrypted",
    .version = { 1, 0, 0 },
    .license = "GPL",
    .authenticate = send_clear,
  },
  {
    .type = PLUGIN_AUTHENTICATION,
    .interface_version = PLUGIN_INTERFACE,
    .name = "dialog",
    .author = "bench",
    .description = "the answer to a question for the password",
    .version = { 1, 0, 0 },
    .license = "GPL",
    .authenticate = answer_questions,
  },
};

/* The library does not change registered plug-ins. */
static struct st_mysql_client_plugin *
cleartext_plugin_of(const struct auth_plugin *p)
{
  return (struct st_mysql_client_plugin *)(uintptr_t)p;
}

int mysqld_cleartext_guard(struct err *err)
{
  MYSQL *mysql = mysql_init(NULL);
  int rc = 0;

  if (!mysql)
    return err_set(err, -ENOMEM, "not enough memory");
  for (size_t i = 0; i < ARRAY_SIZE(guards) && rc == 0; i++) {
    if (!mysql_client_register_plugin(mysql, cleartext_plugin_of(&guards[i])))
      rc = err_set(err, -EINVAL, "cannot guard the plug-in %s: %s",
                   guards[i].name, mysql_error(mysql));
  }
  cleartext_wrap(mysql);
  mysql_close(mysql);
  return rc;
}

/* A plug-in that the greeting names begins without a look at the rules, unless
 * ours.  Therefore the login begins with ours if TLS is required. */
bool mysqld_cleartext_set(MYSQL *mysql, const struct mysql_cfg *cfg,
                          enum tls_mode mode)
{
  const char *key = cfg->public_key && *cfg->public_key ? cfg->public_key
                                                        : NULL;
  uintptr_t rules = 0;
  int rc = 0;

  rules |= mode != TLS_DISABLED ? RULE_ASKS_FOR_TLS : 0;
  rules |= mode >= TLS_REQUIRED ? RULE_NEEDS_TLS : 0;
  rules |= cfg->cleartext ? RULE_MAY_SEND_CLEAR : 0;
  rules |= key || cfg->get_public_key ? RULE_MAY_USE_KEY : 0;
  if (rules != 0)
    rc |= mysql_optionsv(mysql, MARIADB_OPT_USERDATA, USER_DATA, (void *)rules);
  if (mode == TLS_REQUIRED)
    rc |= mysql_optionsv(mysql, MYSQL_DEFAULT_AUTH,
                         wrappers[WRAPPED_NATIVE].name);
  if (key)
    rc |= mysql_optionsv(mysql, MYSQL_SERVER_PUBLIC_KEY, key);
  return rc == 0;
}

#else /* MySQL's library */

int mysqld_cleartext_guard(struct err *err)
{
  (void)err;
  return 0;
}

/* With TLS required, this library uses TLS or fails. */
bool mysqld_cleartext_set(MYSQL *mysql, const struct mysql_cfg *cfg,
                          enum tls_mode mode)
{
  const bool yes = cfg->cleartext || mode >= TLS_REQUIRED;
  int rc = mysql_options(mysql, MYSQL_ENABLE_CLEARTEXT_PLUGIN, &yes);

#if MYSQL_VERSION_ID >= 80003
  if (cfg->get_public_key)
    rc |= mysql_options(mysql, MYSQL_OPT_GET_SERVER_PUBLIC_KEY,
                        &cfg->get_public_key);
#endif
  if (cfg->public_key && *cfg->public_key)
    rc |= mysql_options(mysql, MYSQL_SERVER_PUBLIC_KEY, cfg->public_key);
  return rc == 0;
}

#endif
