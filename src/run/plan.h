/*
 * plan.h - what is to be run: made from the options, const from then on.
 *
 * All checking happens while a plan is built.  Afterwards nobody parses and
 * nobody asks for an option by name.
 */
#ifndef BENCH_RUN_PLAN_H
#define BENCH_RUN_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "opt/identity.h"
#include "opt/opt.h"
#include "stats/report.h"

struct core_cfg;
struct core_checked;
struct err;
struct event_rings;
struct peers;
struct rand_opts_cfg;
struct rand_params;
struct strbuf;

#define PLAN_NO_LIMIT UINT64_MAX

/* When the workers have left, the report thread gets so long to come to its
 * end, and grace_ns where that is more. */
#define PLAN_REPORTS_NS NS_PER_S

struct plan {
  enum compat compat;
  enum identity identity; /* as sysbench, messages and reports are its own */
  unsigned threads;

  /*
   * The part of this process, where a run has several: it has the workers
   * first_thread .. first_thread + threads - 1 of all_threads, and `events` and
   * `rate` are its share.  Alone it has all: 0, threads, 0, 1.
   */
  unsigned first_thread, all_threads;
  unsigned part, parts;
  const struct peers *peers; /* [opt] borrowed; NULL: there are no others */

  size_t stack_bytes;
  uint64_t init_timeout_ns; /* PLAN_NO_LIMIT: none */
  double init_timeout_s;    /* the same, for messages */

  /* Limits.  Times count from the measured start, that is after warm-up. */
  uint64_t events;    /* PLAN_NO_LIMIT: none */
  uint64_t time_ns;   /* PLAN_NO_LIMIT: none */
  uint64_t warmup_ns; /* 0: none */
  uint64_t grace_ns;  /* after the end; PLAN_NO_LIMIT: no forced shutdown */
  bool grace_shown;   /* asked for: the mode block tells the deadline */
  bool grace_auto;    /* the default; tests without a time limit have none */

  double rate;     /* events started per second; 0: as fast as possible */
  double all_rate; /* of all processes together */
  bool rate_abort; /* --rate-overload=abort */

  /* Reports. */
  uint64_t interval_ns; /* 0: none */
  uint64_t sample_ns;   /* of intervals in files, where interval_ns is 0 */
  unsigned n_checkpoints;
  const uint64_t *checkpoint_ns; /* owned; ascending */
  struct report_setup report;    /* n_percentiles values are owned */
  bool debug;
  bool validate;
  bool force;                      /* prepare also without enough space */
  bool percentiles;                /* histograms are kept */
  bool classes;                    /* classes of operations are kept */
  bool classes_by_table;           /* statements: sbtest1 is not sbtest2 */
  struct event_rings *event_rings; /* [opt] every event goes there; borrowed */

  /* Random numbers. */
  uint64_t seed;   /* really used */
  bool seed_given; /* else taken from the clock */
  bool rand_type_given;
  const struct rand_params *rand; /* owned */
};

/* What a plan is made from: all checked. */
struct plan_input {
  const struct core_cfg *core;
  const struct core_checked *checked;
  const struct rand_opts_cfg *rand;
  bool rand_type_given;            /* on the command line or in a file */
  bool statement_times;            /* --db-debug */
  bool percentile_given;           /* on the command line or in a file */
  bool details;                    /* results for machines are wanted */
  struct event_rings *event_rings; /* [opt] */
  enum compat compat;
  enum identity identity;
  bool run; /* the command is run: without a seed, one from the clock */
};

/* plan_done() frees what is owned. */
int plan_init(struct plan *plan, const struct plan_input *in, struct err *err);
void plan_done(struct plan *plan);

/* The mode block, that is what a run says of itself before it starts; `extra`
 * is a line of the test, or "". */
void plan_describe(const struct plan *plan, const char *extra,
                   struct strbuf *out);

#endif
