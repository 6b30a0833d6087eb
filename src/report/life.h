/*
 * life.h - facts for reporters at the start and at the end of a run.
 */
#ifndef BENCH_REPORT_LIFE_H
#define BENCH_REPORT_LIFE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/facts.h"
#include "base/machine/cpu.h"
#include "stats/tally.h"

struct class_set;
struct decision_result;
struct hist_sum;
struct outages;
struct recorders;
struct slices;

/* Workers are ready; the first event comes next. */
struct run_start {
  uint64_t start_ns;    /* program's clock */
  uint64_t measured_ns; /* end of the warm-up */
  uint64_t wall_ns;     /* CLOCK_REALTIME at start_ns */
  uint64_t interval_ns; /* 0: none */
  uint64_t seed;
  unsigned threads;
  bool clients;      /* workers are clients */
  unsigned carriers; /* that carry clients; 0: one each */
  unsigned idle;     /* without events */

  /* Borrowed until the end; readable by any thread. */
  const struct recorders *recorders;
  struct class_set *classes; /* [opt] */
  struct class_set *members; /* [opt] members of a mix */
  /* [opt] slightly late */
  const _Atomic uint64_t *arrivals;
  const struct outages *outages; /* [opt] */
};

enum end_reason {
  END_NOT_STARTED,
  END_EVENTS, /* event limit, or no work left */
  END_TIME,
  END_ERROR,
  END_OVERLOAD, /* --rate-overload=abort */
  END_SIGNAL,
  END_FORCED, /* still busy at the deadline */
  END_DECIDED,
};

/* What blocked a thread's other clients beyond the time limit. */
enum client_hold {
  HOLD_NONE,
  HOLD_COMPUTES,
  HOLD_BLOCKS,
  HOLD_STILL, /* the client was left behind */
};

/* Of threads that carry clients, in the measured part. */
struct client_loops {
  unsigned threads;   /* 0: one thread per worker */
  const char *engine; /* static */
  uint64_t turns;
  uint64_t answers;
  uint64_t blocked;                            /* waits that blocked a thread */
  uint64_t lag_count;                          /* delayed answers */
  uint64_t lag_p50_ns, lag_p99_ns, lag_max_ns; /* their delays */
  enum client_hold hold;
};

/* This machine's part of measured latencies: p99 with it, an upper bound of p99
 * without it, and sums. */
struct client_delays {
  uint64_t events; /* 0: the rest is 0 */
  uint64_t p99_ns, rest_p99_ns;
  uint64_t took_ns, added_ns;
  uint64_t timer_ns; /* part of added_ns: late wake-ups with a free CPU */
};

/* Of the process, from the measured start to the end. */
struct client_use {
  uint64_t wall_ns;
  uint64_t user_ns, system_ns;
  uint64_t voluntary, involuntary; /* context switches */
  uint64_t max_rss_bytes;          /* since process start */

  /* Only workers that ended by themselves. */
  bool queue_known;
  uint64_t queue_ns; /* sum over threads on run queues */

  struct client_delays delays;
  uint64_t paused_ns; /* the process or its machine was stopped */
  struct client_loops loops;
  struct machine_use machine; /* unknown for several ranks */

  double cpus;  /* allowed */
  double quota; /* by cgroups; 0: no limit */
};

struct warning {
  const char *code;
  char text[320]; /* a sentence without a colon */
  bool shown;     /* certain enough for the terminal */
};

enum {
  WARNINGS_MAX = 8 + 100 /* plus some of each rank */
};

struct warnings {
  size_t n;
  struct warning of[WARNINGS_MAX];
};

struct test_details {
  bool has_database;
  struct facts database; /* driver, versions, transport, settings */
  struct facts test;
  size_t n_errors;
  struct error_count *error; /* owned; the test allocates it */
};

struct rank_part {
  unsigned rank;
  const char *host; /* borrowed */
  bool lost;        /* delivered nothing: all 0 */
  unsigned first_thread, threads;
  uint64_t period_ns, events, errors, reconnects;
  uint64_t reads, writes, other;
  uint64_t sum_ns, min_ns, max_ns;
  const struct hist_sum *hist; /* borrowed; [opt] */
  struct client_use client;
  bool start_known;
  int64_t start_offset_ns; /* from the common start */
  uint64_t clock_error_ns;
  int status;
};

/* Of --settle. */
struct run_settled {
  bool asked;
  bool writeback; /* false: waited for a time */
  bool calm;      /* the wait succeeded */
  uint64_t waited_ns;
  bool dirty_known;
  uint64_t dirty_before_bytes, dirty_bytes;
};

struct run_end {
  enum end_reason reason;
  int signal; /* END_SIGNAL */
  int status; /* of the run alone */
  /* Of the first worker that failed, or NULL. */
  const char *error;
  bool started;         /* a struct run_start came */
  uint64_t measured_ns; /* as in run_start, or earlier */
  uint64_t end_ns;      /* end of the measured part */
  struct client_use client;
  struct run_settled settled;
  const struct warnings *warnings;
  const struct test_details *details; /* [opt] */

  /* Several ranks: sums. */
  unsigned n_ranks; /* 0: one process */
  const struct rank_part *ranks;
  uint64_t start_skew_ns; /* first to last rank */

  /* [opt] The decision that could end the run. */
  const struct decision_result *decision;
  /* [opt] One process only; for files. */
  const struct slices *slices;

  /* With --rate or --load-profile: the measured part. */
  uint64_t arrivals; /* due */
  uint64_t backlog;  /* not begun at the end */
  /* Of members with their own rate. */
  uint64_t member_arrivals;
  uint64_t offered_ns; /* duration of the schedule */
};

#endif
