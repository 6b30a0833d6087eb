/*
 * options.h - the options of the mysql driver.
 */
#ifndef BENCH_DRIVERS_MYSQL_OPTIONS_H
#define BENCH_DRIVERS_MYSQL_OPTIONS_H

#include <stdbool.h>

#include "db/url.h"
#include "drivers/mysql/shim.h"
#include "opt/opt.h"

struct err;

struct mysql_cfg {
  struct opt_list hosts, ports, sockets;
  bool tcp;
  const char *user, *password, *db;
  const char *defaults_file;
  bool cleartext;         /* plain text is allowed without TLS */
  bool get_public_key;    /* encrypted with a key of the server is allowed */
  const char *public_key; /* path of the only such key */
  const char *tls;
  const char *tls_key, *tls_cert, *tls_ca, *tls_cipher;
  struct opt_list tls_versions;
  bool tls_resume;
  bool compression;
  struct opt_list algorithms;
  struct opt_list ignore_errors;
  int protocol;
  bool debug, dry_run;
};

enum mysql_protocol {
  PROTOCOL_AUTO,
  PROTOCOL_LIBRARY,
  PROTOCOL_WIRE,
};

extern const struct opt mysqld_options[];
extern const struct target_names mysqld_names;

/* From valid options.  With TLS and none of the three files, those of the
 * current folder are used if all exist. */
struct tls_settings mysqld_tls_settings(const struct mysql_cfg *cfg);

int mysqld_options_check(const struct mysql_cfg *cfg, struct err *err);

/* Of the options, or else of the environment. */
const char *mysqld_options_password(const struct mysql_cfg *cfg);

#endif
