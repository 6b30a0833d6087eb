/*
 * run.h - what the threads of a run share: the conductor (the caller of
 * runner_run()), workers, the report thread, and the thread for signals.  Only
 * for src/run.
 */
#ifndef BENCH_RUN_RUN_H
#define BENCH_RUN_RUN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/machine/cpu.h"
#include "base/machine/processes.h"
#include "report/life.h"
#include "run/brownout.h"
#include "run/worker.h"
#include "stats/outage_report.h"
#include "stats/recorder.h"
#include "stats/report.h"
#include "stats/slices.h"
#include "stats/trend.h"

struct class_set;
struct hist;
struct slo_stop;
struct leave;
struct loop;
struct plan;
struct reporter_use;
struct schedule;
struct test;

/* Only the first reason is kept. */
enum stop_reason {
  STOP_NO,
  STOP_ERROR,    /* of a worker */
  STOP_OVERLOAD, /* --rate-overload=abort */
  STOP_SIGNAL,
  STOP_FORCED,  /* the deadline has come */
  STOP_PEER,    /* another rank stops */
  STOP_DECIDED, /* --slo-until-decided */
};

enum rated_class {
  RATED_SERVICE, /* from taking to end */
  RATED_LAG,     /* from arrival to taking */
};

struct loop_mark {
  uint64_t turns, answers, blocked;
};

enum gate {
  GATE_CLOSED,
  GATE_OPEN,
  GATE_ABORT, /* the run does not start */
};

enum warmth {
  WARM_NOT_YET,
  WARM_ENDING, /* drops unrecorded events */
  WARM_DONE,   /* measured part */
};

/* A thread that carries clients. */
struct carrier {
  struct run *run;
  unsigned number;
  struct loop *_Atomic loop; /* owned; set by the thread */
  struct hist *lag; /* owned; written by the thread, in the measured part */
  struct loop_mark base; /* at the measured start */
  /* Of this thread: idle clients begin a few at a time. */
  unsigned next_idle; /* worker to look at */
  unsigned opening;   /* begun, not open */
  uint64_t opened;
};

/* See delay.h. */
struct delays {
  uint64_t every_ns; /* average distance of a worker's measured events */
  struct hist *took; /* owned; latencies of measured events; NULL: none are */
  struct hist *rest; /* owned; without what this machine added */
  /* Sums over measured events; written by any worker, relaxed. */
  _Atomic uint64_t took_ns, added_ns, timer_ns;
};

struct life {
  /* Set by life_measure_from(). */
  struct client_use base; /* before the measured part */
  uint64_t measured_ns;
  struct trend trend;   /* of the report thread, then of the conductor */
  struct slices slices; /* likewise; only with details of one process */

  _Atomic uint32_t left;  /* workers */
  struct client_use last; /* when the last worker left */
  struct machine_counts machine_before, machine_after; /* like base and last */
  struct machine_counts machine_forced;
  struct processes processes; /* owned: others, before the load */
  /* Measured; of the conductor. */
  struct client_use client;

  /* Of the first failure: the thread that sets `taken` writes `error`, then
   * sets `kept`. */
  atomic_flag taken;
  _Atomic bool kept;
  struct err error;

  struct run_settled settled; /* of the conductor */
  struct warnings warnings;
  struct test_details details;
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
  struct leave *leave;
  struct schedule **schedules; /* [n_schedules], each can be NULL: of the run,
                                  then of members */
  unsigned n_schedules;
  struct recorders recorders;
  struct class_set *classes; /* [opt] */
  struct class_set *rated;   /* [opt] with a rate */
  struct class_set *members; /* [opt] of a mix */
  struct report_setup report_setup;

  /* Set before the gate opens.  end_ns moves at the cut of a warm-up, before
   * WARM_DONE. */
  uint64_t start_ns;       /* of the run */
  uint64_t measured_ns;    /* start of the measured part */
  _Atomic uint64_t end_ns; /* PLAN_NO_LIMIT: none */

  /* Written once. */
  _Atomic uint32_t stop CACHE_ALIGNED; /* enum stop_reason */
  _Atomic uint32_t gate;               /* enum gate; waited for */
  _Atomic uint32_t forced;             /* no later events, drain(), finish() */
  _Atomic uint32_t warm;               /* enum warmth; waited for */
  _Atomic uint32_t timed_out;          /* the end of the time was seen */
  _Atomic uint32_t load_over;          /* see run_end_load(); waited for */
  _Atomic uint32_t may_close; /* nobody waits for others to leave; waited for */
  _Atomic uint64_t left_ns;   /* of the last worker */

  /* When the objective was decided, or UINT64_MAX.  Of the report thread. */
  _Atomic uint64_t decided_ns;

  /* Events without a ticket; any thread writes. */
  _Atomic uint64_t tickets CACHE_ALIGNED;

  /* For the conductor; any thread writes. */
  _Atomic uint32_t news CACHE_ALIGNED;
  _Atomic uint32_t loops; /* carriers with a loop, and those that gave up */
  _Atomic uint32_t ready; /* workers ready or failed */
  _Atomic uint32_t failed;
  _Atomic uint32_t asked;       /* WORKER_EXITED and a status; 0: none */
  _Atomic uint32_t memory_gone; /* no client opens anything */
  _Atomic uint32_t broken;      /* failed while events ran */
  _Atomic uint32_t drained;     /* left their loops; waited for */
  _Atomic uint32_t gone;
  _Atomic uint32_t ended;  /* threads of workers */
  _Atomic uint32_t aside;  /* see worker_linger() */
  _Atomic uint32_t signal; /* its number; 0: none */

  /* The report thread. */
  _Atomic uint32_t report_stop; /* waited for */
  _Atomic uint32_t report_ended;
  _Atomic uint32_t report_lost; /* a reporter failed to write */
  _Atomic uint64_t paused_ns;   /* while stopped */

  /* Of the report thread until its end, then of the conductor. */
  struct periods *periods;
  /* Arrivals up to the last interval, and checkpoint. */
  uint64_t arrived, arrived_cumulative;
  uint64_t lines_ns; /* start of lines and checkpoints: measured_ns, or later */
  /* Arrivals in the measured part; any thread reads. */
  _Atomic uint64_t arrivals;
  /* [opt] */
  struct slo_stop *slo_stop;

  struct carrier *carriers; /* [plan->carriers] */
  struct storms *storms;    /* owned; NULL: none */

  struct delays delays;
  struct outages outages;
  struct brownouts brownouts; /* of the report thread, then of the conductor */
  uint64_t stalled_ns;        /* of stalls in intervals; likewise */
  struct outage_report outage_report; /* of the conductor */

  struct life life;
};

/* Makes workers leave.  Is this the first reason? */
bool run_stop(struct run *run, enum stop_reason why);

/* 0: no signal. */
void run_tell_peers(struct run *run, int signal);

void run_let_close(struct run *run);

/* No event begins any more: workers aside can leave, all can close. */
void run_end_load(struct run *run);

/* Wakes the conductor. */
void run_news(struct run *run);

static inline enum stop_reason run_stopped(const struct run *run)
{
  return (enum stop_reason)atomic_load_explicit(&run->stop,
                                                memory_order_relaxed);
}

static inline bool run_is_open(const struct run *run, uint64_t now_ns)
{
  return now_ns < run->end_ns && atomic_load(&run->tickets) > 0;
}

/* The signal that ended the run, or 0. */
int run_signal(const struct run *run);

/* Later signals do not end the run. */
void run_no_more_signals(struct run *run);

/* When the last worker left, without those aside; at least `from_ns`. */
uint64_t run_last_left(const struct run *run, uint64_t from_ns);

/* Without those aside. */
unsigned run_count_running(const struct run *run, uint64_t when_ns);

/* Workers aside that have not left. */
unsigned run_count_aside(const struct run *run);

unsigned run_count_phase(const struct run *run, enum worker_phase phase);

struct run_totals {
  uint64_t events, sum_ns, errors, queries;
};

/* Any thread; moments differ slightly. */
struct run_totals run_totals(const struct run *run);

#endif
