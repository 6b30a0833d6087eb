/*
 * options.h - the options of a run.
 */
#ifndef BENCH_RUN_OPTIONS_H
#define BENCH_RUN_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "opt/opt.h"
#include "run/think.h"

struct err;
struct optset;

enum rate_overload {
  RATE_OVERLOAD_QUEUE,
  RATE_OVERLOAD_ABORT,
};

enum forced_kind {
  FORCED_AUTO, /* the larger of 30 s and 5 % of --time */
  FORCED_OFF,
  FORCED_SECONDS, /* after the time limit */
  FORCED_PERCENT, /* of --time, after the time limit */
};

struct forced_shutdown {
  enum forced_kind kind;
  double seconds;
  uint64_t percent;
};

enum writeback_kind {
  WRITEBACK_NONE,
  WRITEBACK_TIME,
  WRITEBACK_LOW, /* until little is left, but not longer */
};

/* --settle */
struct writeback_wish {
  enum writeback_kind kind;
  double seconds;
};

/* --idle-clients: a number, or a part of all; 0: unused. */
struct idle_share {
  uint64_t clients;
  double percent;
};

enum {
  STORM_WAVES = 32,
  STORM_CLIENTS_MAX = 100000, /* of all waves */
};

struct storm_wave {
  uint64_t at_ns; /* from the measured start */
  unsigned clients;
};

struct storm_plan {
  unsigned n;                        /* waves */
  unsigned clients;                  /* of all waves */
  struct storm_wave of[STORM_WAVES]; /* ascending moments */
  const char *text;                  /* borrowed */
};

struct run_cfg {
  uint64_t threads;
  unsigned clients; /* 0: off */
  uint64_t events;  /* 0: no limit */
  double time_s;    /* 0: no limit */
  double warmup_time_s;
  struct writeback_wish settle;
  struct forced_shutdown forced_shutdown;
  uint64_t thread_stack_size;   /* bytes */
  double thread_init_timeout_s; /* 0: no limit */
  double rate;                  /* per second */
  const char *load_profile;     /* "": none */
  int rate_overload;
  struct think think_time;
  int client_order;  /* no effect; -1: not given */
  int client_engine; /* enum loop_engine */
  struct idle_share idle_clients;
  double idle_ping_s; /* 0: none */
  struct storm_plan storm;
  double stall_s;           /* 0: stalls are not found */
  const char *mark;         /* a fifo; "auto"; "": none */
  double report_interval_s; /* 0: none */
  struct opt_list report_checkpoints;
  bool until_decided;
  bool debug;
  bool validate;
  bool force;
};

extern const struct opt run_opts[];
extern const struct opt run_old_opts[]; /* of sysbench 0.4 */

enum {
  RUN_CHECKPOINTS_MAX = 256,
  RUN_CLIENTS_MAX = 1000000,
  RUN_WARNINGS_MAX = 4
};

/* Defaults that depend on the system; after the rows are in the set. */
int run_options_settle(struct optset *set, const struct run_cfg *cfg,
                       struct err *err);

/* Checks between options. */
int run_options_check(const struct run_cfg *cfg, const struct optset *set,
                      struct err *err);

/* Clients, or threads.  Only a script has clients. */
unsigned run_workers(const struct run_cfg *cfg, bool is_script_run);

/* Static texts; returns their number. */
size_t run_options_warnings(const struct run_cfg *cfg,
                            const char *ret[RUN_WARNINGS_MAX]);

/* The moments of --report-checkpoints, ascending, all different; returns
 * their number. `ret_s` has room for all. */
size_t run_checkpoints(const struct run_cfg *cfg, uint64_t *ret_s);

/* -EINVAL: not a value of this option; *ret is unchanged. */
int forced_shutdown_parse(const char *text, struct forced_shutdown *ret);
int writeback_wish_parse(const char *text, struct writeback_wish *ret);
int idle_share_parse(const char *text, struct idle_share *ret);
int storm_plan_parse(const char *text, struct storm_plan *ret);

/* Of `all` clients.  -EINVAL: no client is left to work. */
int idle_share_count(const struct idle_share *share, unsigned all,
                     unsigned *ret, struct err *err);

#endif
