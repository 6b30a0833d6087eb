/*
 * report.h - the figures of a period, made from two snapshots. Every rate is a
 * count divided by `period_ns`.
 */
#ifndef BENCH_STATS_REPORT_H
#define BENCH_STATS_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "opt/opt.h"
#include "stats/class_stats.h"
#include "stats/recorder.h"
#include "stats/slo.h"
#include "stats/tally.h"

struct err;
struct optset;
struct outage_report;
struct storm_report;
struct report_form;

enum report_kind {
  REPORT_INTERVAL,
  REPORT_CHECKPOINT,
  REPORT_FINAL,
  REPORT_FORCED, /* final, with workers inside an event */
};

struct report_member {
  const char *name;
  double share; /* of all events, by its weight; 0: no weight */
  unsigned
    clients;   /* that run only this member; 0 in all: each worker runs all */
  double rate; /* of its clients together, per second; 0: none */
};

/* The same in all reports of a run. */
struct report_setup {
  const char *label;
  /* Set by option rows. */
  double percentile; /* 0: none */
  bool histogram;
  bool class_table;
  bool progress;
  struct opt_list percentile_list;

  /* Set from the plan. */
  unsigned n_percentiles;    /* of --percentiles */
  const double *percentiles; /* borrowed */
  struct slo slo;
  bool layout_1_1;      /* else 1.0 */
  bool per_thread;      /* --debug */
  bool rate;            /* --rate or --load-profile: queue lines */
  bool profile;         /* --load-profile */
  bool statement_times; /* --db-debug */
  bool percentile_given;
  bool stall_given;
  bool details;                   /* the last report has a total */
  bool sums;                      /* the test prints its tally at the end */
  bool as_sysbench;               /* no text after an error in an event */
  unsigned interval_decimals;     /* of the time in interval lines */
  const struct report_form *form; /* [opt] of the test */
  const void *of_test;            /* [opt] borrowed; for the form */
  unsigned n_members;
  const struct report_member *members; /* borrowed; [n_members] */
};

enum {
  REPORT_USUAL = 4
};
extern const double report_usual[REPORT_USUAL];

extern const struct opt report_opts[];
extern const struct opt report_latency_opts[];

enum {
  REPORT_PERCENTILES_MAX = 100
};

/* Checks what option rows cannot. 0 or -EINVAL. */
int report_options_check(const struct report_setup *setup,
                         const struct optset *set, struct err *err);

/* In the order given. Returns how many; `ret` has room for
 * percentile_list.n. */
size_t report_percentiles(const struct report_setup *setup, double *ret);

/* For --debug. */
struct report_thread {
  uint64_t events;
  uint64_t sum_ns, min_ns, max_ns; /* all 0 without events */
};

/* For --db-debug. */
struct report_times {
  uint64_t count, sum_ns, min_ns, max_ns;
};

struct report {
  enum report_kind kind;
  const struct report_form *form;
  uint64_t elapsed_ns; /* since the measured start */
  uint64_t period_ns;
  uint64_t end_ns; /* on the clock of the program */
  unsigned threads;
  unsigned threads_running;
  uint64_t unfinished; /* REPORT_FORCED: workers inside an event */

  /* Only in the last report. */
  const char *failure; /* [opt] the error in an event that has ended the run */
  uint64_t run_events; /* so far, with the warm-up */

  uint64_t counter[COUNTERS];
  uint64_t events; /* = counter[COUNTER_EVENT] */

  /* Of events; all 0 without events. */
  uint64_t min_ns, max_ns, sum_ns;
  uint64_t percentile_ns;      /* within [min, max] */
  const struct hist_sum *hist; /* borrowed; NULL: no percentiles */

  /* Population standard deviations over the workers. */
  double events_mean, events_stddev;
  double time_mean_s, time_stddev_s;

  /* With --rate or --load-profile; arrivals are those due in the period. */
  uint64_t queue_length, concurrency, arrivals;
  uint64_t tail_ns; /* after the last arrival could come */

  const struct report_thread *thread; /* borrowed; [threads], or NULL */
  struct report_times execution, fetching;

  /* Only in intervals. */
  bool unprinted; /* for files only: no text, no hooks */
  bool partial;

  /* In intervals of one process: the new part of stalls. */
  bool has_stalled;
  uint64_t stalled_ns;
  /* [opt] borrowed; in the last report of a test with a service */
  const struct outage_report *outages;
  unsigned n_storms; /* [n_storms], borrowed; in the last report */
  const struct storm_report *storms;

  struct leave *leave; /* [opt] asked before each reporter, with leave_step() */

  /* In intervals, and in the last report for the whole run. */
  struct class_list classes;
  struct tally_report tally;

  /* In intervals and the last report: all members of a mix, with counts of
   * events. */
  struct class_list members;

  /* [opt] The measured part. In the last report of a run with results for
   * machines, or with an objective and checkpoints. */
  const struct report *total;
  /* In that report, with a rate: "service_time" and "lag". */
  struct class_list rated;
};

/* `diff`, borrowed by `r->hist`, may be NULL: no percentiles. The caller has
 * merged min_ns and max_ns. */
void report_fill(struct report *r, const struct report_setup *setup,
                 const struct snapshot *before, const struct snapshot *now,
                 uint64_t min_ns, uint64_t max_ns, struct hist_sum *diff);

/* Clear at the begin of a period, merge every snapshot up to the last, fill in
 * at the end. */
void report_threads_clear(struct report_thread *t, unsigned n);
void report_threads_merge(struct report_thread *t, const struct snapshot *s);
void report_threads_fill(struct report_thread *t, const struct snapshot *before,
                         const struct snapshot *now);

/* Within [min, max]; 0: no events. */
uint64_t report_percentile(const struct report *r, double pct);

/* Per second; 0: empty period. */
double report_rate(const struct report *r, uint64_t count);
/* Of the time in which arrivals could come. */
double report_offered_rate(const struct report *r);
double report_counter_rate(const struct report *r, enum counter c);

/* A final report's period can begin at the last checkpoint: see
 * report_judge(). */
struct slo_sample report_slo_sample(const struct report *r,
                                    const struct report_setup *setup);

/* On a run, by its final report. */
void report_judge(const struct report *r, const struct report_setup *setup,
                  struct slo_verdict *ret);

#endif
