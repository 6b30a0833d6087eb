/*
 * plan.h - the const description of a run, made after all checks.
 */
#ifndef BENCH_RUN_PLAN_H
#define BENCH_RUN_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "opt/identity.h"
#include "opt/opt.h"
#include "run/options.h"
#include "stats/report.h"

struct err;
struct event_rings;
struct load_curve;
struct peers;
struct rand_cfg;
struct rand_params;
struct strbuf;

#define PLAN_NO_LIMIT UINT64_MAX

/* For the report thread after the workers have left; grace_ns if longer. */
#define PLAN_REPORTS_NS NS_PER_S

struct plan {
  struct run_cfg cfg; /* as given */
  enum compat compat;
  enum identity identity;
  unsigned threads; /* workers, with those of storms */
  bool clients;
  unsigned carriers; /* of clients; 0: each worker has a thread */
  bool may_carry;    /* as in warnings.h */

  /*
   * Of this rank: workers first_thread .. first_thread + threads - 1 of
   * all_threads, and its shares of events and rate.
   */
  unsigned first_thread, all_threads;
  unsigned part, parts;
  /* [opt] borrowed */
  const struct peers *peers;

  size_t stack_bytes;
  /* PLAN_NO_LIMIT: none.  With clients: until the next one is ready. */
  uint64_t init_timeout_ns;

  /* Limits, after the warm-up. */
  uint64_t events;    /* PLAN_NO_LIMIT: none */
  uint64_t time_ns;   /* PLAN_NO_LIMIT: none */
  uint64_t warmup_ns; /* 0: none */
  uint64_t grace_ns;  /* after the end; PLAN_NO_LIMIT: none */
  bool grace_shown;
  bool grace_auto; /* the default */
  /* No time limit was set: events in progress at the end are not
   * interrupted. */
  bool patient;

  double rate; /* of this rank; cfg.rate is of all; 0: none */
  /* [opt] owned: the rate of all ranks; `rate` is 0. */
  struct load_curve *curve;

  unsigned idle;
  struct storm_plan storm;
  uint64_t idle_ping_ns; /* 0: none */
  uint64_t stall_ns;     /* 0: stalls are not found */

  uint64_t interval_ns; /* 0: none */
  uint64_t sample_ns;   /* of intervals in files, without interval_ns */
  unsigned n_checkpoints;
  const uint64_t *checkpoint_ns; /* owned; ascending */
  struct report_setup report;    /* its percentiles are owned */
  bool percentiles;
  bool classes;
  bool kept; /* the test gives its details at the end, and slices are noted */
  /* [opt] borrowed: the log of all events. */
  struct event_rings *event_rings;

  uint64_t seed;
  bool seed_given; /* else from the clock */
  bool rand_type_given;
  const struct rand_params *rand; /* owned */
};

/* See struct plan. */
struct plan_part {
  unsigned part, parts;
  unsigned first_thread, all_threads;
  const struct peers *peers;
  const uint64_t *seed; /* [opt] of rank 0, for all */
};

/* Checked input. */
struct plan_input {
  const struct run_cfg *run;
  const struct report_setup *report; /* options only */
  const struct rand_cfg *rand;
  bool rand_type_given; /* as are the next: on the command line or in a file */
  bool statement_times; /* --db-debug */
  bool percentile_given;
  bool stall_given;
  bool time_given; /* also by a sweep */
  bool details;
  bool kept;
  bool live;
  struct event_rings *event_rings; /* [opt] */
  enum compat compat;
  enum identity identity;
  bool seed_from_clock;         /* if none is given; else RNG_SEED_FIXED */
  const struct plan_part *part; /* [opt] */

  bool clients;      /* runs a script */
  bool share;        /* clients share connections, so threads carry them */
  double start_rate; /* workers per second; 0: no limit */
  bool no_deadline;
  bool own_limit; /* --events has no effect */
  bool classes;
};

int plan_init(struct plan *plan, const struct plan_input *in, struct err *err);
void plan_done(struct plan *plan);
/* Unless --rand-type is given: the share of keys that `special` draws from
 * *ret_pct percent of the rows; 0: another type. */
double plan_hot_keys(const struct plan *plan, unsigned *ret_pct);

/* The workers of scripts and reports. */
static inline unsigned plan_clients(const struct plan *plan)
{
  return plan->threads - plan->storm.clients;
}

static inline const char *plan_worker_word(const struct plan *plan)
{
  return plan->clients ? "client" : "thread";
}

/* Among the workers of all ranks. */
static inline unsigned plan_worker_number(const struct plan *plan, unsigned tid)
{
  return plan->first_thread + tid;
}

static inline unsigned plan_event_threads(const struct plan *plan)
{
  return plan->carriers > 0 ? plan->carriers : plan->threads;
}

static inline unsigned plan_event_thread(const struct plan *plan, unsigned tid)
{
  return tid % plan_event_threads(plan);
}

/* Is worker `index` idle?  The others are spread evenly over the carriers;
 * worker 0 is one. */
bool plan_is_idle(const struct plan *plan, unsigned index);

/* "rate" or "load-profile": the option by which events become due; NULL:
 * none. */
const char *plan_rated_by(const struct plan *plan);

/* peers->divide_folder(); without peers, one part. */
void plan_divide_folder(const struct plan *plan, const char *path,
                        unsigned *ret_part, unsigned *ret_parts);

/* The mode block.  `extra` is a line of the test, or "". */
void plan_describe(const struct plan *plan, const char *extra,
                   struct strbuf *out);

#endif
