/*
 * plan.h - the const description of a run, made from the options.
 *
 * All checks happen while a plan is built.  Afterwards nothing is parsed, and
 * no option is looked up by name.
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

/* When the workers have left, the report thread gets this long to end, or
 * grace_ns if that is longer. */
#define PLAN_REPORTS_NS NS_PER_S

struct plan {
  struct run_cfg cfg; /* as given: what follows from it is below */
  enum compat compat;
  /* When called as sysbench, messages and reports are sysbench's. */
  enum identity identity;
  unsigned threads;  /* workers: threads, or clients; those of storms too */
  bool clients;      /* they are clients */
  unsigned carriers; /* threads that carry the clients; 0: each worker has a
                      * thread of its own */

  /*
   * The part of this rank.  It has the workers first_thread .. first_thread +
   * threads - 1 of all_threads, and `events` and `rate` are its share.  A run
   * of one process has all: 0, threads, 0, 1.
   */
  unsigned first_thread, all_threads;
  unsigned part, parts;
  /* [opt] borrowed; NULL: there are no other ranks. */
  const struct peers *peers;

  size_t stack_bytes;
  /* PLAN_NO_LIMIT: none.  Of clients, the time until another one is ready. */
  uint64_t init_timeout_ns;

  /* Limits.  Times count from the measured start, that is after warm-up. */
  uint64_t events;    /* PLAN_NO_LIMIT: none */
  uint64_t time_ns;   /* PLAN_NO_LIMIT: none */
  uint64_t warmup_ns; /* 0: none */
  uint64_t grace_ns;  /* after the end; PLAN_NO_LIMIT: no forced shutdown */
  bool grace_shown;   /* asked for: the mode block shows the deadline */
  bool grace_auto;    /* the default */
  /* Nobody has set a time limit: the end of the default one begins no events,
   * and those in progress have the time that they need. */
  bool patient;

  double rate; /* of this rank; cfg.rate is of all; 0: as fast as possible */
  /* [opt] owned: the rate of all ranks changes, and `rate` is 0. */
  struct load_curve *curve;

  unsigned idle;           /* workers that begin no events */
  struct storm_plan storm; /* workers that come later, and go */
  uint64_t idle_ping_ns;   /* between two signs of life of one; 0: none */
  uint64_t stall_ns; /* a longer time without success is a stall; 0: off */

  /* Reports. */
  uint64_t interval_ns; /* 0: none */
  uint64_t sample_ns;   /* length of intervals that are not printed, if
                         * interval_ns is 0 */
  unsigned n_checkpoints;
  const uint64_t *checkpoint_ns; /* owned; ascending */
  struct report_setup report;    /* n_percentiles values are owned */
  bool percentiles;              /* histograms are kept */
  bool classes;                  /* classes of operations are kept */
  /* [opt] every event is stored there; borrowed. */
  struct event_rings *event_rings;

  /* Random numbers. */
  uint64_t seed;   /* the one that is used */
  bool seed_given; /* otherwise taken from the clock */
  bool rand_type_given;
  const struct rand_params *rand; /* owned */
};

/* What this process does of a run of several processes: see struct plan. */
struct plan_part {
  unsigned part, parts;
  unsigned first_thread, all_threads;
  const struct peers *peers;
  const uint64_t *seed; /* [opt] the seed of rank 0; NULL: this is it */
};

/* What a plan is made from; everything has been checked. */
struct plan_input {
  const struct run_cfg *run;
  const struct report_setup *report; /* options only */
  const struct rand_cfg *rand;
  bool rand_type_given;            /* on the command line or in a file */
  bool statement_times;            /* --db-debug */
  bool percentile_given;           /* on the command line or in a file */
  bool stall_given;                /* likewise */
  bool time_given;                 /* likewise, or a step of a sweep has it */
  bool details;                    /* results for machines are wanted */
  bool live;                       /* a line follows the run */
  struct event_rings *event_rings; /* [opt] */
  enum compat compat;
  enum identity identity;
  bool seed_from_clock; /* where none is given; else it is always the same */
  const struct plan_part *part; /* [opt] NULL: the run has one process */

  /* What the test needs. */
  bool clients;      /* a script runs, which may have clients */
  bool share;        /* clients share connections, so threads carry them */
  double start_rate; /* workers that may get ready per second; 0: no limit */
  bool no_deadline;  /* no automatic deadline: its events have no time limit */
  bool own_limit;    /* --events has no effect */
  bool classes;      /* its report has classes of operations */
};

/* plan_done() frees the owned members. */
int plan_init(struct plan *plan, const struct plan_input *in, struct err *err);
void plan_done(struct plan *plan);

/* The workers that are there from the start: scripts and reports know of no
 * others. */
static inline unsigned plan_clients(const struct plan *plan)
{
  return plan->threads - plan->storm.clients;
}

/* What messages call a worker of this run: "thread" or "client". */
static inline const char *plan_worker_word(const struct plan *plan)
{
  return plan->clients ? "client" : "thread";
}

/* The number of a worker among those of all ranks. */
static inline unsigned plan_worker_number(const struct plan *plan, unsigned tid)
{
  return plan->first_thread + tid;
}

/* The threads that run events: each carries clients, or is one worker. */
static inline unsigned plan_event_threads(const struct plan *plan)
{
  return plan->carriers > 0 ? plan->carriers : plan->threads;
}

/* The number of the event thread that runs worker `tid`. */
static inline unsigned plan_event_thread(const struct plan *plan, unsigned tid)
{
  return tid % plan_event_threads(plan);
}

/* Is worker `index` idle?  `index` is below plan_clients().  The working
 * clients are spread evenly over the carriers, and worker 0 is a working
 * client. */
bool plan_is_idle(const struct plan *plan, unsigned index);

/* The option by which events become due at moments of their own: "rate" or
 * "load-profile"; NULL: a worker begins the next event when one has ended. */
const char *plan_rated_by(const struct plan *plan);

/* peers->divide_folder(); a plan without peers has one part. */
void plan_divide_folder(const struct plan *plan, const char *path,
                        unsigned *ret_part, unsigned *ret_parts);

/* The mode block, which describes the run before it starts.  `extra` is a line
 * of the test, or "". */
void plan_describe(const struct plan *plan, const char *extra,
                   struct strbuf *out);

#endif
