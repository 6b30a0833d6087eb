/*
 * cleartext.c - plug-ins that send the password in clear text.
 *
 * MySQL's library has a switch for them.  MariaDB's has none and loads them
 * whenever a server asks.  Therefore plug-ins of the same names are registered
 * first.  They replace the library's and check the connection before they send
 * anything.
 */
#include "drivers/mysql/cleartext.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "base/err.h"
#include "drivers/mysql/error.h"

#ifdef MARIADB_PACKAGE_VERSION

#include <mysql/plugin_auth.h>

/* Marks a connection on which the password must not be sent. */
#define USER_DATA "bench_cleartext"

enum {
  PLUGIN_AUTHENTICATION = 2,
  PLUGIN_INTERFACE = 0x100,
  DIALOG_LAST = 1,     /* first byte of a question: the last one */
  DIALOG_PASSWORD = 2, /* first byte of a question: no echo */
};

/*
 * The library's own declaration needs a header that some packages do not
 * contain.
 */
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
  int (*authenticate)(MYSQL_PLUGIN_VIO *io, MYSQL *mysql);
};

struct st_mysql_client_plugin *STDCALL mysql_client_register_plugin(
  MYSQL *mysql, struct st_mysql_client_plugin *plugin);

/* Reports the reason if the password must not be sent. */
static bool may_send(MYSQL *mysql)
{
  void *why = NULL;

  if (mysql_get_ssl_cipher(mysql) ||
      mysql_get_optionv(mysql, MARIADB_OPT_USERDATA,
                        (void *)(uintptr_t)USER_DATA, &why) != 0 ||
      !why)
    return true;
  mysql->net.last_errno = CODE_TLS;
  memcpy(mysql->net.sqlstate, "HY000", sizeof("HY000"));
  (void)snprintf(mysql->net.last_error, sizeof(mysql->net.last_error), "%s",
                 (const char *)why);
  return false;
}

static bool send_password(MYSQL_PLUGIN_VIO *io, const MYSQL *mysql)
{
  const char *password = mysql->passwd ? mysql->passwd : "";

  return io->write_packet(io, (const unsigned char *)password,
                          (int)strlen(password) + 1) == 0;
}

static int send_clear(MYSQL_PLUGIN_VIO *io, MYSQL *mysql)
{
  return may_send(mysql) && send_password(io, mysql) ? CR_OK : CR_ERROR;
}

/*
 * Answers questions of the server, such as those of PAM.  A program without a
 * user can only answer a question for a password.
 */
static int answer_questions(MYSQL_PLUGIN_VIO *io, MYSQL *mysql)
{
  unsigned char *packet;
  bool last = false;

  while (!last) {
    const int len = io->read_packet(io, &packet);

    if (len < 0)
      return CR_ERROR;
    if (len == 0 || packet[0] == 0 || packet[0] == 254 || packet[0] == 255)
      return CR_OK_HANDSHAKE_COMPLETE; /* the server has made its decision */
    last = (packet[0] & DIALOG_LAST) != 0;
    if (packet[0] >> 1 != DIALOG_PASSWORD || !may_send(mysql) ||
        !send_password(io, mysql))
      return CR_ERROR;
  }
  return CR_OK;
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

/* The library does not change plug-ins that are registered. */
static struct st_mysql_client_plugin *plugin_of(const struct auth_plugin *p)
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
    if (!mysql_client_register_plugin(mysql, plugin_of(&guards[i])))
      rc = err_set(err, -EINVAL, "cannot guard the plug-in %s: %s",
                   guards[i].name, mysql_error(mysql));
  }
  mysql_close(mysql);
  return rc;
}

bool mysqld_cleartext_set(MYSQL *mysql, enum tls_mode mode, bool allowed)
{
  static const char required[] =
    "TLS/SSL error: SSL is required, but the server does not support it";
  static const char plain[] =
    "the server wants the password in plain text, and the connection has no "
    "TLS: use --mysql-ssl, or allow it with --mysql-cleartext=on";

  if (allowed && mode < TLS_REQUIRED)
    return true;
  return mysql_optionsv(
           mysql, MARIADB_OPT_USERDATA, USER_DATA,
           (void *)(uintptr_t)(mode >= TLS_REQUIRED ? required : plain)) == 0;
}

#else /* MySQL's library */

int mysqld_cleartext_guard(struct err *err)
{
  (void)err;
  return 0;
}

/* If TLS is required, this library connects with it or not at all. */
bool mysqld_cleartext_set(MYSQL *mysql, enum tls_mode mode, bool allowed)
{
  const bool yes = allowed || mode >= TLS_REQUIRED;

  return mysql_options(mysql, MYSQL_ENABLE_CLEARTEXT_PLUGIN, &yes) == 0;
}

#endif
