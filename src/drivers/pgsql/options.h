/*
 * options.h - the options of the pgsql driver.
 */
#ifndef BENCH_DRIVERS_PGSQL_OPTIONS_H
#define BENCH_DRIVERS_PGSQL_OPTIONS_H

#include "db/url.h"
#include "opt/opt.h"

/*
 * The struct that the option rows fill in.  Programs without a command line may
 * fill it in directly.
 */
struct pgsql_cfg {
  struct opt_list hosts; /* empty: libpq decides */
  struct opt_list ports;
  const char *user; /* texts: "" = libpq decides */
  const char *password;
  const char *db; /* a name or a connection string */
  bool cleartext; /* the password may be sent as it is, without TLS */
  int sslmode;    /* index of pgsql_sslmodes */
  const char *sslcert, *sslkey, *sslrootcert, *sslcrl;
  const char *options;
  struct opt_list ignore_errors;
  int protocol; /* enum pgsql_protocol */
};

/* What executes statements. */
enum pgsql_protocol {
  PGSQL_AUTO, /* the wire if possible, otherwise the library */
  PGSQL_LIBRARY,
  PGSQL_WIRE,
};

extern const char *const pgsql_sslmodes[]; /* ends with NULL */

extern const struct opt pgsql_opts[];
extern const struct target_names pgsql_names;

#endif
