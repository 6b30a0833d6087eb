/*
 * life.h - what reporters learn about a run as a whole, at its start and at its
 * end.
 */
#ifndef BENCH_REPORT_LIFE_H
#define BENCH_REPORT_LIFE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/facts.h"
#include "machine/cpu.h"
#include "stats/tally.h"

struct class_set;
struct decision_result;
struct hist_sum;
struct outages;
struct recorders;
struct slices;

/* All workers are ready, and the first event is about to start. */
struct run_start {
  uint64_t start_ns;    /* when the load begins, on the program's clock */
  uint64_t measured_ns; /* when the measured part begins, after the warm-up */
  uint64_t wall_ns;     /* CLOCK_REALTIME at start_ns */
  uint64_t interval_ns; /* from one interval to the next; 0: there are none */
  uint64_t seed;
  unsigned threads;  /* workers */
  bool clients;      /* they are clients */
  unsigned carriers; /* threads that carry them; 0: each has its own */
  unsigned idle;     /* workers that begin no events */

  /* Borrowed until the end of the run; any thread may read them. */
  const struct recorders *recorders;
  struct class_set *classes; /* NULL: no classes are kept */
  struct class_set *members; /* NULL: it is no mix */
  /* Events that have become due, a little late; NULL: none become due. */
  const _Atomic uint64_t *arrivals;
  const struct outages *outages; /* NULL: they are not looked for */
};

enum end_reason {
  END_NOT_STARTED, /* no event was started */
  END_EVENTS,      /* the event limit, or the test has no more to do */
  END_TIME,        /* the time limit */
  END_ERROR,       /* a worker failed */
  END_OVERLOAD,    /* --rate-overload=abort */
  END_SIGNAL,
  END_FORCED,  /* workers were still there at the deadline */
  END_DECIDED, /* the objective was */
};

/* What has kept a thread from its other clients until after the time limit. */
enum client_hold {
  HOLD_NONE,
  HOLD_COMPUTES, /* code of a client that needed the processor */
  HOLD_BLOCKS,   /* a function that blocks */
  HOLD_STILL,    /* one of them: it goes on */
};

/* The threads that carry clients, and what their loops did in the measured
 * part. */
struct client_loops {
  unsigned threads;   /* 0: every worker has a thread of its own */
  const char *engine; /* how they wait: static */
  uint64_t turns;     /* looks for answers */
  uint64_t answers;   /* that they found */
  uint64_t blocked;   /* waits that stopped a thread with all its clients */
  uint64_t lag_count; /* answers whose client went on... */
  uint64_t lag_p50_ns, lag_p99_ns, lag_max_ns; /* ...so much later */
  enum client_hold hold;
};

/* What this machine added to the latency of events, some of which were
 * measured: their 99th percentile with it, at most without it, and sums. */
struct client_delays {
  uint64_t events; /* measured; 0: the rest is 0, too */
  uint64_t p99_ns, rest_p99_ns;
  uint64_t took_ns, added_ns;
  uint64_t timer_ns; /* of added_ns: woken up late, though a CPU was free */
};

/* What the process itself used, from the measured start to the end. */
struct client_use {
  uint64_t wall_ns; /* the length of that time */
  uint64_t user_ns, system_ns;
  uint64_t voluntary, involuntary; /* context switches */
  uint64_t max_rss_bytes;          /* since the start of the process */

  /* For workers that ended by themselves. */
  bool queue_known;  /* the system reports it */
  uint64_t queue_ns; /* time they waited on run queues, summed up */

  struct client_delays delays;
  uint64_t paused_ns; /* the process stood still: it, or its machine, was
                       * stopped */
  struct client_loops loops;
  struct machine_use machine; /* unknown for several ranks */

  double cpus;  /* processors that the process may use */
  double quota; /* processors that its control groups may use; 0: no limit */
};

/* A reason why figures of this run deserve a second look. */
struct warning {
  const char *code; /* a word for programs */
  char text[320];   /* a sentence for people, without a colon */
  bool shown;       /* certain enough for the terminal */
};

enum {
  WARNINGS_MAX = 8 + 100 /* and some of each rank */
};

struct warnings {
  size_t n;
  struct warning of[WARNINGS_MAX];
};

/* What a test reports beyond the figures that all tests have. */
struct test_details {
  bool has_database;
  struct facts database;     /* driver, versions, transport, settings */
  struct facts test;         /* figures of the test's own */
  size_t n_errors;           /* one for each code */
  struct error_count *error; /* owned; calloc'ed by the test */
};

/* One rank: what it did in the measured part. */
struct rank_part {
  unsigned rank;
  const char *host; /* borrowed */
  bool lost;        /* it has delivered nothing: all numbers are 0 */
  unsigned first_thread, threads;
  uint64_t period_ns, events, errors, reconnects;
  uint64_t reads, writes, other;
  uint64_t sum_ns, min_ns, max_ns;
  const struct hist_sum *hist; /* borrowed; NULL without percentiles */
  struct client_use client;
  bool start_known;
  int64_t start_offset_ns; /* from the common start to its own */
  uint64_t clock_error_ns; /* how exactly rank 0 knows its clock */
  int status;              /* the exit status that it would have had alone */
};

/* What --settle has done before the run. */
struct run_settled {
  bool asked;
  bool writeback; /* else it has waited for a time */
  bool calm;      /* what was asked for has come true */
  uint64_t waited_ns;
  /* What was left to be written before and after the wait. */
  bool dirty_known;
  uint64_t dirty_before_bytes, dirty_bytes;
};

struct run_end {
  enum end_reason reason;
  int signal; /* END_SIGNAL: its number */
  int status; /* the exit status according to the run alone */
  /* The message of the first worker that failed; NULL: none did. */
  const char *error;
  bool started;         /* there was a struct run_start */
  uint64_t measured_ns; /* as in struct run_start; it may have come earlier than
                           planned */
  uint64_t end_ns;      /* the end of the measured part */
  struct client_use client;
  struct run_settled settled;
  const struct warnings *warnings;
  const struct test_details *details; /* NULL: the test provides none */

  /* For a run of several ranks, `client` is the sum over all of them. */
  unsigned n_ranks; /* 0: there is one process */
  const struct rank_part *ranks;
  uint64_t start_skew_ns; /* from the start of the first rank to that of the
                             last one */

  /* [opt] Whether the objective was decided, if that was to end the run. */
  const struct decision_result *decision;
  /* [opt] The measured part in slices: of one process, for result files. */
  const struct slices *slices;

  /* With --rate or --load-profile, for the measured part. */
  uint64_t arrivals; /* arrivals that were due */
  uint64_t backlog;  /* those of them that had not begun at the end */
  /* The arrivals of members of a mix that have rates of their own. */
  uint64_t member_arrivals;
  uint64_t offered_ns; /* the time in which they could become due */
};

#endif
