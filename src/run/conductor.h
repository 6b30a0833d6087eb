/*
 * conductor.h - the state of the main thread during a run, and its steps. Only
 * for the files of src/run.
 */
#ifndef BENCH_RUN_CONDUCTOR_H
#define BENCH_RUN_CONDUCTOR_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/err.h"
#include "run/peers.h"
#include "run/periods.h"
#include "run/run.h"
#include "run/signals.h"
#include "run/speed.h"
#include "run/workers.h"

/* The time from one step of interrupting to the next, at a forced shutdown. */
#define CONDUCTOR_STEP_NS NS_PER_S

/* What runner_run() needs besides the data that threads share. */
struct conductor {
  struct run run;
  struct workers workers;
  struct periods periods;
  struct signals signals;
  struct peers_listener listener;
  pthread_t report_thread;
  struct speed_watch speed;
  bool opened;         /* the test was opened */
  bool forced;         /* workers were still there at the deadline */
  bool agreed;         /* the other ranks know whether this one starts */
  bool started;        /* the gate was opened */
  uint64_t end_ns;     /* end of the measured part */
  uint64_t forced_ns;  /* when they were forced to leave */
  uint64_t unfinished; /* workers that were inside an event at that moment */

  /* The thread that ends the test: its result, valid when it is over. */
  int end_rc;
  struct err end_why;
  _Atomic uint32_t end_over;
};

/* Wait until all workers are ready, or one has failed.  False: not in time, or
 * interrupted. */
bool conductor_await_ready(struct conductor *c);

/* Wait until all workers are gone, or until `until_ns`.  False: some are
 * left. */
bool conductor_await_gone(struct conductor *c, uint64_t until_ns);

/* Wake blocked workers, harder after a second.  Then leave_thread() is called
 * if some are still there. */
void conductor_wake_blocked(struct conductor *c);

/*
 * Wait for `*word` to become `n`: for threads that may be in code of a script
 * that does not end.  A --forced-shutdown that was asked for limits that, and
 * so does a signal that comes meanwhile.  False after leave_thread().
 */
bool conductor_await_code(struct conductor *c, const _Atomic uint32_t *word,
                          uint32_t n);

/* When all workers are gone: the moment until which the report thread may run,
 * at least a second from now. */
uint64_t conductor_deadline(const struct conductor *c);

/* Wait from the opening of the gate until all workers are gone, or forced to
 * leave. */
void conductor_await_end(struct conductor *c);

#endif
