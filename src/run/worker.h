/*
 * worker.h - a worker thread as a test sees it, and the step between events.
 */
#ifndef BENCH_RUN_WORKER_H
#define BENCH_RUN_WORKER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "rand/rng.h"
#include "stats/recorder.h"

struct class_recorder;
struct event_ring;
struct plan;
struct rand_stream;
struct run;
struct schedule;

/* The state of a worker; it writes, others read. */
enum worker_phase {
  WORKER_STARTING, /* in thread_open() */
  WORKER_READY,    /* waits for the others */
  WORKER_IDLE,     /* between events: waits for an arrival */
  WORKER_EVENT,    /* inside an event, or just between two events */
  WORKER_ENDING,   /* drain(), finish(), thread_close() */
  WORKER_GONE,
};

struct worker {
  /* These belong to the worker; no other thread writes them. */
  unsigned tid;
  bool open;    /* an event has begun */
  bool again;   /* the next step goes on with the open event */
  bool skipped; /* the last event was none, and another may follow */
  /* For the test: it has to complete something before the event.  In a mix it
   * is always set, because a member has another step: worker_turn(). */
  bool unsettled;
  /* It comes with a storm: see test_ops.arrive(); it runs one event. */
  bool late;
  uint64_t start_ns; /* of the open event, or of its arrival */
  uint64_t look_ns;  /* from this moment on worker_step() takes the slow path */
  uint64_t tickets;  /* events that it may start without taking another block */
  uint64_t iteration; /* number of the present event; 1 is the first */
  uint64_t rest_ns;   /* it waits so long before the next event */
  struct recorder *recorder;
  const struct recorders *recorders;
  bool counted;      /* the warm-up is over for this worker: tickets count */
  uint64_t block;    /* tickets to take at a time */
  uint64_t block_ns; /* when it took the last block */
  struct rand_stream *rand; /* the workload's stream */
  struct rng think;         /* that of its pauses */
  const struct plan *plan;
  struct run *run;
  void *thr;   /* what the test's thread_open() made */
  void *group; /* [opt] of a client: what its thread's group_open() made */
  /* [opt] Called between two events, outside of the time of both; it may
   * wait. */
  void (*between)(void *ctx);
  void *between_ctx;
  uint64_t moves;       /* of its fiber at the last worker_step_in_turn() */
  uint64_t gave_way_ns; /* when it has let the others run there */

  /* [opt] For tests that have classes of operations: record here.  Clients of
   * a thread share it, and what is in `rated` and `members`. */
  struct class_recorder *classes;
  /* About the open event, for the event log.  A test may set them while it is
   * open; the end of the event clears them. */
  uint16_t event_class; /* EVENT_NO_CLASS */
  bool event_failed;

  /* Each event of this worker takes the slow path at its end: in the warm-up,
   * and for the members below. */
  bool watched;
  uint64_t began_ns;         /* with a rate: when the worker took the event */
  struct event_ring *events; /* [opt] leads to the event log */
  struct class_recorder *rated; /* [opt] service time and lag */

  struct schedule *schedule; /* [opt] arrivals of the events of this worker */

  /* In a mix: the member whose event is open, and where its events, errors and
   * reconnects are counted.  Otherwise `members` is NULL. */
  struct class_recorder *members;
  unsigned member;
  bool one_member;  /* of a mix: it runs no other */
  bool turn_given;  /* the member has not begun the event yet */
  bool turn_unread; /* it has to complete something before the event ends */

  /* Its time on the run queue before the measured part. */
  uint64_t queue_before_ns;

  /* See delay.h: from this moment on an event is to be measured; the open one
   * is; how long the worker had waited before it; how late it woke up for it.
   */
  uint64_t sample_ns;
  bool sampled;
  uint64_t waited_ns, late_ns;

  /* Other threads read these. */
  _Atomic uint32_t phase;     /* enum worker_phase */
  _Atomic uint64_t left_ns;   /* when its loop ended; 0: not yet */
  _Atomic uint32_t recording; /* 1: it records an event of the warm-up */
  _Atomic uint64_t queue_ns;  /* time on the run queue in the measured part */
  _Atomic int os_id;          /* the system's number of the thread */
} CACHE_ALIGNED;

/* Does somebody want to know about each event of the measured part? */
static inline bool worker_is_watched(const struct worker *w)
{
  return w->events || w->rated || w->members;
}

/*
 * End the event that is open, if any, and start the next one: record the
 * latency, look at the limits, take a ticket, wait for the next arrival under
 * --rate.  One clock reading ends one event and starts the next.  False: leave
 * the loop; no event is open then.
 */
bool worker_step(struct worker *w);

/*
 * The same for a client that shares its thread.  Clients that never wait would
 * not let others run: one that was not parked since its last step lets them run
 * before the next event, outside of the time of both.
 */
bool worker_step_in_turn(struct worker *w);

/*
 * The same in three parts, for loops that do something in between: may another
 * event start (takes the ticket, waits for the arrival), its start, and its
 * end.
 */
bool worker_more(struct worker *w);
void worker_start(struct worker *w);
void worker_stop(struct worker *w);

/*
 * The step of a member of a mix.  The mix opens an event with worker_step(),
 * calls worker_give(), and lets the member run its loop.  There worker_turn()
 * returns true once, and once more for each worker_again().  False: the member
 * returns, and leaves the event open, which the mix ends with its next step.
 */
void worker_give(struct worker *w, unsigned member);
bool worker_turn(struct worker *w);

/*
 * For a loop that runs no events: wait so long.  False: no event may start any
 * more, because the run is stopped, or out of time or of events, or because
 * only workers aside are left.  From the first call on the worker stands aside:
 * the others decide when the load has ended, and what it still does then is
 * interrupted.
 */
bool worker_linger(struct worker *w, uint64_t ns);

/* It stands aside no more.  False: the load has ended in the meantime. */
bool worker_return(struct worker *w);

/* The open event ends and is not counted; its ticket is used up. */
void worker_abandon(struct worker *w);

/* The same for an event that had nothing to do: the worker goes on, also if it
 * executes one event at a time for others. */
void worker_skip(struct worker *w);

/* The open event is tried again: the next worker_step() returns true at once,
 * and the event goes on, with the same start. */
void worker_again(struct worker *w);

/*
 * The worker waits so long between the end of the open event, or now if there
 * is none, and the next one.  This time is in no latency.  Several calls before
 * that wait add up.
 */
void worker_rest(struct worker *w, uint64_t ns);

/* The event that may start now, or is open, is not needed: nothing is counted,
 * and the ticket goes to another worker. */
void worker_give_back(struct worker *w);

/*
 * A word that changes from 0 when the run is ended early, for wait_while(); and
 * the moment after which no event starts, or PLAN_NO_LIMIT.
 */
_Atomic uint32_t *worker_stop_word(struct worker *w);
uint64_t worker_end_ns(const struct worker *w);

/* Is the run over for this worker: stopped, or out of time? */
bool worker_is_over(struct worker *w);

/* The worker has failed: report why, and end the run. */
void worker_failed(struct worker *w, const struct err *why);

/*
 * A script has called os.exit(status): report that with the first such call,
 * and end the run with its report.  The exit status is that of the call, and
 * EXIT_ASKED in place of 0.
 */
void worker_exit(struct worker *w, unsigned char status, const struct err *why);

#endif
