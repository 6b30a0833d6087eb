/*
 * core_opts.h - the options of the program itself: general, random numbers,
 * log, database in general.
 */
#ifndef BENCH_OPT_CORE_OPTS_H
#define BENCH_OPT_CORE_OPTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "opt/opt.h"

struct err;
struct optset;

enum cluster_mode {
  CLUSTER_AUTO, /* processes that were launched together do one run */
  CLUSTER_OFF,  /* each does its own */
};

enum statement_classes {
  STATEMENT_CLASSES_MERGED,   /* the number of a table does not matter */
  STATEMENT_CLASSES_BY_TABLE, /* each table has its own */
};

enum rate_overload {
  RATE_OVERLOAD_QUEUE, /* let the backlog grow, and measure it */
  RATE_OVERLOAD_ABORT, /* end the run when too many arrivals wait */
};

/* General and log options. */
struct core_cfg {
  uint64_t threads;
  uint64_t events; /* 0: no limit */
  double time_s;   /* 0: no limit */
  double warmup_time_s;
  const char *forced_shutdown;
  uint64_t thread_stack_size;   /* bytes */
  double thread_init_timeout_s; /* 0: no limit */
  double rate;                  /* events per second; 0: closed loop */
  int rate_overload;            /* enum rate_overload */
  double report_interval_s;     /* 0: none */
  struct opt_list report_checkpoints;
  bool debug;
  bool validate;
  bool force;
  bool help;
  bool version;
  const char *config_file; /* the last one, or NULL */
  const char *luajit_cmd;
  int compat; /* enum compat */
  const char *test;
  struct opt_list percentiles;
  bool report_statements;
  int statement_classes; /* enum statement_classes */
  int cluster;           /* enum cluster_mode */
  bool report_ranks;
  int64_t verbosity; /* as given; core_log_level() is what counts */
  double percentile; /* 0: none */
  bool histogram;
};

/* `type` counts in the order uniform, gaussian, special, pareto, zipfian. */
struct rand_opts_cfg {
  int type;
  int64_t spec_iter, spec_pct, spec_res;
  int64_t seed; /* 0: from the clock */
  double pareto_h, zipfian_exp;
};

enum db_ps_mode {
  DB_PS_MODE_AUTO,    /* prepared by the server */
  DB_PS_MODE_DISABLE, /* emulated by the client */
};

struct db_cfg {
  const char *driver;
  const char *dsn;           /* a URL; "": none */
  const char *password_file; /* "": none, "-": the standard input */
  bool ask_password;
  int ps_mode; /* enum db_ps_mode */
  bool debug;
  struct opt_list ignore_errors;
  double connect_timeout_s;
  double query_timeout_s;   /* 0: no limit of its own */
  uint64_t max_result_size; /* bytes; 0: no limit */
  int table_exists;         /* read by scripts only, like create_index */
  int create_index;
  int load_method;
  bool load_analyze;
};

extern const struct opt core_general_opts[];   /* struct core_cfg */
extern const struct opt core_log_level_opts[]; /* struct core_cfg */
extern const struct opt core_log_opts[];       /* struct core_cfg */
extern const struct opt core_rand_opts[];      /* struct rand_opts_cfg */
extern const struct opt core_db_opts[];        /* struct db_cfg */

/* All of them, in the order of the help. */
int core_opts_add(struct optset *set, struct core_cfg *core,
                  struct rand_opts_cfg *rand, struct db_cfg *db,
                  struct err *err);

enum forced_kind {
  FORCED_AUTO,    /* the larger of 30 s and 5 % of --time */
  FORCED_OFF,     /* never */
  FORCED_SECONDS, /* `seconds` after the time limit */
  FORCED_PERCENT, /* `percent` of --time after the time limit */
};

/* What --forced-shutdown says. */
struct forced_shutdown {
  enum forced_kind kind;
  double seconds;
  uint64_t percent;
};

/* -EINVAL: not of this form; *ret is left alone. */
int forced_shutdown_parse(const char *text, struct forced_shutdown *ret);

#define CORE_CHECKPOINTS_MAX 256
#define CORE_PERCENTILES_MAX 100
#define CORE_WARNINGS_MAX 2

/* The core options that need more than one row to be understood. */
struct core_checked {
  struct forced_shutdown forced_shutdown;
  size_t n_checkpoints;
  uint64_t checkpoints_s[CORE_CHECKPOINTS_MAX]; /* ascending, all different */
  size_t n_percentiles;
  double percentiles[CORE_PERCENTILES_MAX]; /* in the order given */
  size_t n_warnings;
  const char *warnings[CORE_WARNINGS_MAX]; /* what is legal but odd; const */
};

/*
 * The checks that concern several core options together; each value is good by
 * itself.  -EINVAL: `err` has the message.
 */
int core_opts_check(const struct optset *set, const struct core_cfg *cfg,
                    struct core_checked *ret, struct err *err);

/* Messages up to this level are shown: 0 (fatal) to 5 (debug). */
int core_log_level(const struct core_cfg *cfg);

#endif
