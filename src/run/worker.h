/*
 * worker.h - a worker, and the step between its events.
 */
#ifndef BENCH_RUN_WORKER_H
#define BENCH_RUN_WORKER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "stats/rand/rng.h"
#include "stats/recorder.h"

struct class_recorder;
struct event_ring;
struct plan;
struct rand_stream;
struct run;
struct schedule;

/* The worker writes, others read. */
enum worker_phase {
  WORKER_STARTING, /* in thread_open() */
  WORKER_READY,    /* waits for the others */
  WORKER_IDLE,     /* waits for an arrival */
  WORKER_BETWEEN,  /* opens its connections again */
  WORKER_EVENT,    /* inside an event, or just between two */
  WORKER_ENDING,   /* drain(), finish(), thread_close() */
  WORKER_GONE,
};

struct worker {
  /* Only the worker writes. */
  unsigned tid;
  bool open;
  bool again;   /* the next step goes on with the open event */
  bool skipped; /* the last event had nothing to do */
  /* For the test: something must be completed before the event.  Always set
   * in a mix. */
  bool unsettled;
  /* Comes with a storm and runs one event: see test_ops.arrive(). */
  bool late;
  uint64_t start_ns;  /* of the open event, or of its arrival */
  uint64_t look_ns;   /* when worker_step() takes the slow path */
  uint64_t tickets;   /* events before that */
  uint64_t kept;      /* rest of the block */
  uint64_t iteration; /* the present event, from 1 */
  uint64_t rest_ns;   /* before the next event */
  struct recorder *recorder;
  const struct recorders *recorders;
  bool counted;             /* after the warm-up */
  uint64_t block;           /* tickets at a time */
  uint64_t block_ns;        /* when the last block was taken */
  struct rand_stream *rand; /* of the workload */
  struct rng think;         /* of pauses */
  const struct plan *plan;
  struct run *run;
  void *thr;   /* from thread_open() */
  void *group; /* [opt] from group_open() of the client's thread */
  /* [opt] Called between two events, outside of any latency; can WAIT. */
  void (*between)(void *ctx);
  void *between_ctx;
  uint64_t moves;       /* fiber_switches() at the last worker_step_in_turn() */
  uint64_t gave_way_ns; /* when it let others run */

  /* [opt] Classes of operations.  The clients of a thread share these,
   * `rated` and `members`. */
  struct class_recorder *classes;
  /* For the event log, set by the test; cleared at the event's end. */
  uint16_t event_class; /* EVENT_NO_CLASS */
  bool event_failed;

  /* The end of each event takes the slow path. */
  bool watched;
  uint64_t began_ns;            /* with a rate: when the event was taken */
  struct event_ring *events;    /* [opt] to the event log */
  struct class_recorder *rated; /* [opt] service time and lag */

  struct schedule *schedule; /* [opt] */

  /* In a mix: the member of the open event, and the counts of members; else
   * NULL. */
  struct class_recorder *members;
  unsigned member;
  bool one_member;  /* it runs no other */
  bool turn_given;  /* its event has not begun */
  bool turn_unread; /* it must complete something before the end of the event */

  /* On the run queue before the measured part. */
  uint64_t queue_before_ns;

  /* See delay.h: the next event to measure, and when to choose anew; event
   * and time of the last choice; whether the open event is measured; waiting
   * time so far; how late the worker woke up. */
  uint64_t sample_at, sample_ns;
  uint64_t chosen_at, chosen_ns;
  double paced_events, paced_ns;
  bool sampled;
  uint64_t waited_ns, late_ns;

  /* Other threads read these. */
  _Atomic uint32_t phase;     /* enum worker_phase */
  _Atomic uint64_t left_ns;   /* end of its loop; 0: not yet */
  _Atomic uint32_t recording; /* 1: records an event of the warm-up */
  _Atomic uint64_t queue_ns;  /* on the run queue in the measured part */
  _Atomic int os_id;          /* of the thread */
} CACHE_ALIGNED;

/* Is each event recorded in more places than one? */
static inline bool worker_is_watched(const struct worker *w)
{
  return w->events || w->rated || w->members;
}

/*
 * Ends the open event, if any, and starts the next: records the latency, checks
 * limits, takes a ticket, waits for the arrival under --rate.  One clock
 * reading does both.  False: leave the loop; no event is open.
 */
bool worker_step(struct worker *w);

/* The same for a client that shares its thread: unless parked since its last
 * step, it first lets others run, outside of any latency. */
bool worker_step_in_turn(struct worker *w);

/* The parts of a step: take a ticket and WAIT for the arrival, start, end. */
bool worker_more(struct worker *w);
void worker_start(struct worker *w);
void worker_stop(struct worker *w);

/*
 * The step of a member of a mix.  The mix opens an event with worker_step(),
 * calls worker_give(), and lets the member run its loop, where worker_turn()
 * returns true once, and once more per worker_again().  False: the member
 * returns, and the event stays open.
 */
void worker_give(struct worker *w, unsigned member);
bool worker_turn(struct worker *w);

/*
 * WAITS for `ns`, in a loop without events.  From the first call on the worker
 * stands aside: others decide when the load ends, which interrupts this worker.
 * False: the load has ended.
 */
bool worker_linger(struct worker *w, uint64_t ns);

/* The worker stands aside no longer.  False: the load has ended. */
bool worker_return(struct worker *w);

/* The open event ends uncounted; its ticket is used up. */
void worker_abandon(struct worker *w);

/* The same for an event that had nothing to do.  The worker goes on, even if
 * it runs single events for others. */
void worker_skip(struct worker *w);

/* The next worker_step() returns true at once, and the open event continues
 * with its start. */
void worker_again(struct worker *w);

/* Waits before the next event, outside of any latency.  Several calls add
 * up. */
void worker_rest(struct worker *w, uint64_t ns);

/* The event that can start, or is open, is not counted; another worker gets
 * its ticket. */
void worker_give_back(struct worker *w);

/* A word for wait_while() that becomes nonzero when the run ends early; the
 * end of events, or PLAN_NO_LIMIT. */
_Atomic uint32_t *worker_stop_word(struct worker *w);
uint64_t worker_end_ns(const struct worker *w);

bool worker_is_over(struct worker *w);

/* Reports the failure and ends the run. */
void worker_failed(struct worker *w, const struct err *why);

/* In run->asked, with the status. */
enum {
  WORKER_EXITED = 0x100,
};

/*
 * For os.exit(status) of a script: reports the first call, and ends the run
 * with its report.  The run's exit status is `status`; EXIT_ASKED if that is 0.
 */
void worker_exit(struct worker *w, unsigned char status, const struct err *why);

#endif
