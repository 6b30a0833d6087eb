/*
 * options.h - options of all databases.
 */
#ifndef BENCH_DB_OPTIONS_H
#define BENCH_DB_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "db/churn.h"
#include "opt/opt.h"

enum ps_mode {
  PS_AUTO,
  PS_PREPARED,
  PS_UNNAMED, /* parsed at each execution; needs DRIVER_UNNAMED */
  PS_SIMPLE,  /* text with values in it */
  PS_DISABLE,
};

static inline bool ps_mode_keeps(int mode)
{
  return mode == PS_AUTO || mode == PS_PREPARED;
}
static inline bool ps_mode_is_text(int mode)
{
  return mode == PS_SIMPLE || mode == PS_DISABLE;
}

enum server_role {
  ROLE_ANY,
  ROLE_PRIMARY, /* accepts writes */
  ROLE_REPLICA, /* read-only */
};

enum statement_classes {
  STATEMENT_CLASSES_MERGED,
  STATEMENT_CLASSES_BY_TABLE,
};

enum isolation_level {
  ISOLATION_DEFAULT, /* the server's */
  ISOLATION_READ_UNCOMMITTED,
  ISOLATION_READ_COMMITTED,
  ISOLATION_REPEATABLE_READ,
  ISOLATION_SERIALIZABLE,
};

struct db_cfg {
  const char *driver;
  const char *dsn;           /* URL; "": none */
  const char *dialect;       /* name or file; "" or NULL: detected */
  const char *password_file; /* "": none, "-": standard input */
  int tls;                   /* -1: not given */
  bool ask_password;
  const char *password_command;
  double password_ttl_s;
  const char *password_from; /* NULL: the driver's option */
  int ps_mode;
  bool debug;
  struct opt_list ignore_errors;
  bool failover;
  int target;    /* enum server_role */
  int isolation; /* enum isolation_level */
  double rtt_s;
  double connect_timeout_s;     /* 0: 10 */
  double reconnect_pause_s;     /* 0: 0.05 */
  double connect_rate;          /* per second; 0: no limit */
  uint64_t connect_concurrency; /* at a time; 0: no limit */
  double query_timeout_s;
  uint64_t max_result_bytes; /* of kept rows; 0: no limit */
  struct churn_cfg lifetime;
  struct churn_range churn_time;
  uint64_t backend_sample; /* events */
  uint64_t pool;           /* connections */
  int statement_classes;
};

const char *db_role_wanted(const struct db_cfg *cfg);

extern const struct opt db_class_opts[];
extern const struct opt db_opts[];

#endif
