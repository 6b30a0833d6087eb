/*
 * run.h - one run: the data that its threads share.  Only for the files of
 * src/run.
 *
 * Threads: the conductor (the caller of runner_run(), which waits for
 * deadlines, workers and signals), the workers, the report thread (intervals,
 * checkpoints, end of the warm-up), and the thread that waits for signals.
 */
#ifndef BENCH_RUN_RUN_H
#define BENCH_RUN_RUN_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "run/brownout.h"
#include "run/delay.h"
#include "run/life.h"
#include "run/worker.h"
#include "stats/outage_report.h"
#include "stats/recorder.h"
#include "stats/report.h"

struct class_set;
struct hist;
struct slo_stop;
struct leave;
struct loop;
struct plan;
struct reporter_use;
struct schedule;
struct test;

/* Why workers must leave their loops; the first reason counts. */
enum stop_reason {
  STOP_NO,
  STOP_ERROR,    /* a worker failed */
  STOP_OVERLOAD, /* --rate-overload=abort */
  STOP_SIGNAL,
  STOP_FORCED,  /* the deadline has come */
  STOP_PEER,    /* another rank of the run stops */
  STOP_DECIDED, /* the objective is decided, and that was to end the run */
};

/* The classes of run->rated. */
enum rated_class {
  RATED_SERVICE, /* from the moment a worker takes the event to its end */
  RATED_LAG,     /* from the arrival to the moment a worker takes the event */
};

/* Counts of a loop at one moment. */
struct loop_mark {
  uint64_t turns, answers, blocked;
};

enum gate {
  GATE_CLOSED,
  GATE_OPEN,
  GATE_ABORT, /* the run does not take place */
};

/* The state of the warm-up. */
enum warmth {
  WARM_NOT_YET,
  WARM_ENDING, /* events that have ended but are not recorded are dropped */
  WARM_DONE,   /* the counters were read, and the measured part has begun */
};

/* Idle clients of a thread begin a few at a time.  Only the thread uses it. */
struct openings {
  struct run *run;
  struct loop *loop;
  unsigned next;   /* index of the worker to look at next */
  unsigned step;   /* from one worker of the thread to the next */
  unsigned inside; /* clients that have begun, and are not open yet */
  uint64_t ended;  /* clients that are open */
};

/* A thread that carries clients. */
struct carrier {
  struct run *run;
  unsigned number;
  struct loop *_Atomic loop; /* owned; set by the thread, freed after all have
                              * ended */
  struct hist *lag;         /* owned; of the measured part; its thread writes */
  struct loop_mark base;    /* the loop's counts when that part began */
  struct openings openings; /* of its thread */
};

struct run {
  /* Constant while workers exist. */
  const struct plan *plan;
  const struct test *test;
  void *test_run;
  struct worker *workers;
  struct rand_stream *streams;
  const struct reporter_use *reporters;
  size_t n_reporters;
  struct leave *leave;         /* threads that are left behind */
  struct schedule **schedules; /* [n_schedules], NULL where there is none: of
                                * --rate or --load-profile, then of members */
  unsigned n_schedules;
  struct recorders recorders;
  struct class_set *classes; /* NULL: no classes are kept */
  struct class_set *rated;   /* NULL: no --rate, or not wanted */
  struct class_set *members; /* NULL: it is no mix */
  struct report_setup report_setup;

  /* Written by the conductor before the gate opens, constant afterwards; but
   * the report thread moves the last one when it has cut a warm-up, before
   * WARM_DONE. */
  uint64_t start_ns;       /* S */
  uint64_t measured_ns;    /* M, after the warm-up */
  _Atomic uint64_t end_ns; /* PLAN_NO_LIMIT: none */

  /* Read by workers all the time, written once. */
  _Atomic uint32_t stop CACHE_ALIGNED; /* enum stop_reason */
  _Atomic uint32_t gate;               /* enum gate; waited for */
  _Atomic uint32_t forced; /* the run ended by force: what ends later does not
                              count, and drain() and finish() are not called */
  _Atomic uint32_t warm;   /* enum warmth; WARM_DONE is waited for */
  _Atomic uint32_t timed_out; /* a worker has seen that the time is up */
  _Atomic uint32_t load_over; /* the run stops, or all workers but those that
                                 stand aside have left; waited for */
  _Atomic uint32_t may_close; /* workers that have left need not wait for the
                                 others any more; waited for */
  _Atomic uint64_t left_ns;   /* the last one has left then */

  /* The moment at which the objective was decided, which ends the run;
   * UINT64_MAX: it was not.  Written by the report thread. */
  _Atomic uint64_t decided_ns;

  /* Events without a ticket so far; written by any worker. */
  _Atomic uint64_t tickets CACHE_ALIGNED;

  /* Something happened that the conductor waits for; written by any thread. */
  _Atomic uint32_t news CACHE_ALIGNED;
  _Atomic uint32_t loops;  /* carriers that have one, or will have none */
  _Atomic uint32_t ready;  /* workers that are ready, or failed to get ready */
  _Atomic uint32_t failed; /* workers that failed in any way */
  _Atomic uint32_t asked;  /* the exit status of worker_exit(); 0: none */
  _Atomic uint32_t memory_gone; /* 1: no more clients open anything */
  _Atomic uint32_t broken;      /* workers that failed while events ran */
  _Atomic uint32_t drained;     /* workers that left their loops; waited for */
  _Atomic uint32_t gone;
  _Atomic uint32_t ended;  /* threads of workers that do nothing any more */
  _Atomic uint32_t aside;  /* workers that stand aside: worker_linger() */
  _Atomic uint32_t signal; /* number of the signal that arrived; 0: none did */

  /* The report thread: see reporting.h. */
  _Atomic uint32_t report_stop;  /* set by the conductor; waited for */
  _Atomic uint32_t report_ended; /* the thread does nothing any more */
  _Atomic uint32_t report_lost;  /* a reporter failed to write */
  _Atomic uint64_t paused_ns; /* for so long the process did not run at all */

  /* Periods.  They belong to the report thread until it has ended or was left
   * behind, then to the conductor. */
  struct periods *periods;
  /* Arrivals up to the last interval, and up to the last checkpoint. */
  uint64_t arrived, arrived_cumulative;
  uint64_t lines_ns; /* lines and checkpoints count from here: M, or later */
  /* Arrivals of the measured part, for threads that watch the run. */
  _Atomic uint64_t arrivals;
  /* [opt] decides about the objective; likewise, from the start on. */
  struct slo_stop *slo_stop;

  struct carrier *carriers; /* [plan->carriers] */
  struct storms *storms;    /* owned; NULL: there are none */

  struct delays delays;
  struct outages outages;     /* see run/stall.h */
  struct brownouts brownouts; /* of the report thread, then of the conductor */
  uint64_t stalled_ns;        /* of stalls in the intervals so far; likewise */
  struct outage_report outage_report; /* of the conductor, at the end */

  struct life life; /* the start and the end, as they are reported */
};

/* Make the workers leave at their next event.  The first reason is kept;
 * returns whether this one is the first. */
bool run_stop(struct run *run, enum stop_reason why);

/* Report to the other ranks, if there are any, that this one stops because of a
 * signal, or for another reason (0). */
void run_tell_peers(struct run *run, int signal);

/* Wake all workers that wait for this word. */
void run_wake(struct run *run, _Atomic uint32_t *word);

/* Workers that have left may close what they have. */
void run_let_close(struct run *run);

/* No event will begin any more: workers that stand aside need not go on, and
 * all may close. */
void run_end_load(struct run *run);

/* Wake the conductor. */
void run_news(struct run *run);

static inline enum stop_reason run_stopped(const struct run *run)
{
  return (enum stop_reason)atomic_load_explicit(&run->stop,
                                                memory_order_relaxed);
}

/* May events still begin? */
static inline bool run_is_open(const struct run *run, uint64_t now_ns)
{
  return now_ns < run->end_ns && atomic_load(&run->tickets) > 0;
}

/* The signal that has ended the run, or 0. */
int run_signal(const struct run *run);

/* Ignore signals from now on: they are too late to end the run. */
void run_no_more_signals(struct run *run);

/* The moment at which the last worker left, or `from_ns` if that is later.
 * Workers that stand aside do not count: see worker_linger(). */
uint64_t run_last_left(const struct run *run, uint64_t from_ns);

/* The number of workers that had not left their loops at `when_ns`, but for
 * those that stand aside. */
unsigned run_count_running(const struct run *run, uint64_t when_ns);

/* The number of workers that stand aside and have not left their loops. */
unsigned run_count_aside(const struct run *run);

/* The number of workers in a phase. */
unsigned run_count_phase(const struct run *run, enum worker_phase phase);

struct run_totals {
  uint64_t events, sum_ns, errors, queries;
};

/* Any thread, while workers go on: totals of workers may be of slightly
 * different moments. */
struct run_totals run_totals(const struct run *run);

#endif
