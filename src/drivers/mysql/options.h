/*
 * options.h - the options of the mysql driver.
 */
#ifndef BENCH_DRIVERS_MYSQL_OPTIONS_H
#define BENCH_DRIVERS_MYSQL_OPTIONS_H

#include <stdbool.h>

#include "db/url.h"
#include "drivers/mysql/tls.h"
#include "opt/opt.h"

struct err;

struct mysql_cfg {
  struct opt_list hosts, ports, sockets;
  const char *user, *password, *db;
  const char *defaults_file;
  bool cleartext;         /* the password may be sent in clear text */
  bool get_public_key;    /* ... or encrypted with a key of the server */
  const char *public_key; /* path of the only key of that kind */
  const char *tls;        /* BOOL words or a mode */
  const char *tls_key, *tls_cert, *tls_ca, *tls_cipher;
  struct opt_list tls_versions;
  bool compression;
  struct opt_list algorithms;
  struct opt_list ignore_errors;
  int protocol; /* enum mysql_protocol */
  bool debug, dry_run;
};

/* The backend that serves a connection after the login. */
enum mysql_protocol {
  PROTOCOL_AUTO, /* the wire if possible, otherwise the library */
  PROTOCOL_LIBRARY,
  PROTOCOL_WIRE,
};

extern const struct opt mysqld_options[];
extern const struct target_names mysqld_names;

/* Returns 0, or -EINVAL if the text is not a mode. */
int mysqld_tls_mode_parse(const char *text, enum tls_mode *ret);

/*
 * The settings that follow from valid options.  If TLS is on and none of the
 * three files is given, those of the current folder are used if all exist.
 */
struct tls_settings mysqld_tls_settings(const struct mysql_cfg *cfg);

/* Check what the rows cannot check separately; -EINVAL. */
int mysqld_options_check(const struct mysql_cfg *cfg, struct err *err);

/* The password of the options, or otherwise of the environment. */
const char *mysqld_options_password(const struct mysql_cfg *cfg);

#endif
