/*
 * conductor.h - the main thread's state of a run, and how it waits.  Only for
 * src/run.
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

/* From one step of interrupting to the next. */
#define CONDUCTOR_STEP_NS NS_PER_S

struct conductor {
  struct run run;
  struct workers workers;
  struct periods periods;
  struct signals signals;
  struct peers_listener listener;
  pthread_t report_thread;
  struct speed_watch speed;
  bool opened;
  bool forced; /* at the deadline, workers were still there */
  bool agreed; /* other ranks have this one's answer */
  bool started;
  uint64_t end_ns; /* of the measured part */
  uint64_t forced_ns;
  uint64_t unfinished; /* workers inside an event at forced_ns */

  /* Of the thread that ends the test, valid when end_over is set. */
  int end_rc;
  struct err end_why;
  _Atomic uint32_t end_over;
};

/* WAITS until all workers are ready or one has failed.  False: too late, or
 * a signal. */
bool conductor_await_ready(struct conductor *c);

/* WAITS until all workers are gone, or until `until_ns`: false. */
bool conductor_await_gone(struct conductor *c, uint64_t until_ns);

/* Wakes blocked workers, harder after a second; then leave_thread() if some
 * remain. */
void conductor_wake_blocked(struct conductor *c);

/*
 * WAITS for `*word` to become `n`: for threads in a script's code that can last
 * for ever.  A --forced-shutdown on the command line or a signal limits the
 * wait. False after leave_thread().
 */
bool conductor_await_code(struct conductor *c, const _Atomic uint32_t *word,
                          uint32_t n);

/* When all workers are gone: the end of the report thread's time, at least a
 * second. */
uint64_t conductor_deadline(const struct conductor *c);

/* WAITS until all workers are gone or were forced to leave. */
void conductor_await_end(struct conductor *c);

#endif
