/*
 * report.h - the figures of a period of a run, as plain numbers.
 *
 * Pure functions make a report from two snapshots, and reporters print it.  All
 * figures of a report belong to one moment.  Every rate is a count divided by
 * `period_ns` of the same report.
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
  REPORT_FORCED, /* final, but workers may be inside an event */
};

/* A member of a mix, as the command line says. */
struct report_member {
  const char *name;
  double share;     /* of all events, by its weight; 0: it has no weight */
  unsigned clients; /* workers that run only this member; 0 in all members:
                     * each worker runs all of them */
  double rate; /* of its clients together, per second; 0: none of its own */
};

/* The settings that are the same in all reports of a run. */
struct report_setup {
  const char *label; /* --label, for the options of the document alone */
  /* Options, whose rows fill them in. */
  double percentile;               /* 0: none */
  bool histogram;                  /* --histogram */
  bool class_table;                /* --report-classes */
  bool progress;                   /* --progress */
  struct opt_list percentile_list; /* --percentiles, as texts */

  /* What follows from the plan. */
  unsigned n_percentiles;    /* of --percentiles */
  const double *percentiles; /* borrowed */
  struct slo slo;            /* the objective */
  bool layout_1_1;           /* else 1.0 */
  bool per_thread;           /* --debug */
  bool rate;             /* --rate or --load-profile was given: queue lines */
  bool profile;          /* it was --load-profile */
  bool statement_times;  /* --db-debug */
  bool percentile_given; /* --percentile, by the user */
  bool stall_given;      /* --stall, by the user */
  bool details;          /* the last report has a total */
  bool sums;             /* the test prints its tally at the end */
  bool as_sysbench;      /* no text after an error in an event */
  unsigned interval_decimals;     /* decimals of the time in interval lines */
  const struct report_form *form; /* [opt] of the test: report/form.h */
  const void *of_test;            /* [opt] borrowed; for the form */
  unsigned n_members;             /* of a mix; 0: it is none */
  const struct report_member *members; /* borrowed; [n_members] */
};

extern const struct opt report_opts[];
extern const struct opt report_latency_opts[];

enum {
  REPORT_PERCENTILES_MAX = 100
};

/* What no row can check.  -EINVAL: `err` has the message. */
int report_options_check(const struct report_setup *setup,
                         const struct optset *set, struct err *err);

/* The numbers of --percentiles, in the order given.  Returns how many there
 * are; `ret` has room for percentile_list.n. */
size_t report_percentiles(const struct report_setup *setup, double *ret);

/* One thread in the period of a report, for --debug. */
struct report_thread {
  uint64_t events;
  uint64_t sum_ns, min_ns, max_ns; /* all 0 without events */
};

/* Times of statements, for --db-debug. */
struct report_times {
  uint64_t count, sum_ns, min_ns, max_ns;
};

struct report {
  enum report_kind kind;
  const struct report_form *form; /* of the test: report/form.h */
  uint64_t elapsed_ns;            /* since the measured start */
  uint64_t period_ns;             /* the length of the period of this report */
  uint64_t end_ns;  /* the end of the period, on the clock of the program */
  unsigned threads; /* of the run */
  unsigned threads_running;
  uint64_t unfinished; /* REPORT_FORCED: workers inside an event */

  /* Only in the last report. */
  const char *failure; /* [opt] the error that has ended the run in an event */
  uint64_t run_events; /* events of the run so far, the warm-up included */

  uint64_t counter[COUNTERS]; /* counts of the period */
  uint64_t events;            /* = counter[COUNTER_EVENT] */

  /* Latency of the events of the period; all 0 without events. */
  uint64_t min_ns, max_ns, sum_ns;
  uint64_t percentile_ns;      /* at setup->percentile, within [min, max] */
  const struct hist_sum *hist; /* borrowed; NULL without percentiles */

  /* Fairness: population standard deviations over the workers. */
  double events_mean, events_stddev;
  double time_mean_s, time_stddev_s;

  /* With --rate or --load-profile; arrivals became due in the period. */
  uint64_t queue_length, concurrency, arrivals;
  uint64_t tail_ns; /* of the period: after the last of them could come */

  const struct report_thread *thread; /* borrowed; [threads], or NULL */
  struct report_times execution, fetching;

  /* Only in intervals. */
  bool unprinted; /* for files only: no text, no hooks */
  bool partial;   /* the last one, shorter than the others */

  /* In intervals of one process: of stalls, as far as they are new.  What
   * several processes have in common in an interval is not known. */
  bool has_stalled;
  uint64_t stalled_ns;
  /* [opt] In the last report of a test with a service; borrowed. */
  const struct outage_report *outages;
  unsigned n_storms; /* in the last report; [n_storms] borrowed */
  const struct storm_report *storms;

  struct leave *leave; /* [opt] asked before each reporter, with leave_step() */

  /* In intervals and for the whole run: classes of operations, and what the
   * test counts by itself.  The last report has those of the whole run. */
  struct class_list classes;
  struct tally_report tally;

  /* In intervals and the last report: the members of a mix, all of which are
   * there.  Their counts are events. */
  struct class_list members;

  /* Only in the last report of a run with details (results for machines, or an
   * objective beside checkpoints): the whole measured part, with or without
   * checkpoints; NULL in other reports.  It has `thread`. */
  const struct report *total;
  /* Only in that report, with a rate: "service_time" and "lag". */
  struct class_list rated;
};

/*
 * Fill in the figures that follow from two snapshots: period, counters,
 * latencies, percentile (computed into `diff`, which `r->hist` then borrows;
 * NULL without percentiles) and fairness.  min_ns and max_ns are those of the
 * period, which the caller has merged from its snapshots.
 */
void report_fill(struct report *r, const struct report_setup *setup,
                 const struct snapshot *before, const struct snapshot *now,
                 uint64_t min_ns, uint64_t max_ns, struct hist_sum *diff);

/*
 * The threads of a period (`t` has as many elements as the snapshots).  They
 * are cleared when it begins, merged with every snapshot that is taken in it,
 * including the last one, and filled in at its end.
 */
void report_threads_clear(struct report_thread *t, unsigned n);
void report_threads_merge(struct report_thread *t, const struct snapshot *s);
void report_threads_fill(struct report_thread *t, const struct snapshot *before,
                         const struct snapshot *now);

/* A percentile of the report's latencies, within [min, max]; 0: no events. */
uint64_t report_percentile(const struct report *r, double pct);

/* count / period of this report; 0 when the period is empty. */
double report_rate(const struct report *r, uint64_t count);
/* Arrivals per second of the time in which they could come. */
double report_offered_rate(const struct report *r);
double report_counter_rate(const struct report *r, enum counter c);

/* The sample of a period.  The period of a final report may have begun with the
 * last checkpoint: see report_judge(). */
struct slo_sample report_slo_sample(const struct report *r,
                                    const struct report_setup *setup);

/* The verdict on a run by its final report, if setup->slo has terms. */
void report_judge(const struct report *r, const struct report_setup *setup,
                  struct slo_verdict *ret);

#endif
