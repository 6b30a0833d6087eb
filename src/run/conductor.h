/*
 * conductor.h - what the main thread knows of a run, and the steps it takes.
 * Only for the files of src/run.
 */
#ifndef BENCH_RUN_CONDUCTOR_H
#define BENCH_RUN_CONDUCTOR_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "run/crew.h"
#include "run/peers.h"
#include "run/periods.h"
#include "run/run.h"
#include "run/signals.h"

struct err;

/* At a forced shutdown: from one step of interrupting to the next. */
#define CONDUCTOR_STEP_NS NS_PER_S

/* What runner_run() needs besides what the threads share. */
struct conductor {
  struct run run;
  struct crew crew;
  struct periods periods;
  struct signals signals;
  struct peers_listener listener;
  pthread_t report_thread;
  bool opened;         /* the test was */
  bool forced;         /* at the deadline workers were still there */
  bool agreed;         /* other processes were told whether there is a start */
  bool started;        /* the gate was opened */
  uint64_t end_ns;     /* of the measured part */
  uint64_t forced_ns;  /* when they were forced to leave */
  uint64_t unfinished; /* workers that were inside an event then */
};

/* ---- setup.c ---- */

/* Everything before the first thread: the test is opened, reporters begin, the
 * header is printed, there are workers and their statistics.  After a failure
 * conductor_done() is due as well. */
int conductor_set_up(struct conductor *c, const void *cfg, struct err *err);

/* After the last thread. */
void conductor_done(struct conductor *c);

/* ---- deadline.c ---- */

/* Until all workers are ready, or one has failed to get so; false: not in time,
 * or interrupted. */
bool conductor_await_ready(struct conductor *c);

/* Until all workers are gone or `until_ns`; false: some are left. */
bool conductor_await_gone(struct conductor *c, uint64_t until_ns);

/* Wake what is blocked, harder after a second, and then go on without those
 * that are still there. */
void conductor_wake_blocked(struct conductor *c);

/* When all workers are gone: how long the report thread may take, a second at
 * least. */
uint64_t conductor_deadline(const struct conductor *c);

/* From the opening of the gate until all workers are gone, or given up. */
void conductor_await_end(struct conductor *c);

/* ---- outcome.c; they return the exit status ---- */

/* `status`, unless a signal has ended the run: says so.  Signals that come
 * later are too late for that. */
int conductor_status(struct conductor *c, int status);

/* After conductor_await_end(): the last report. */
int conductor_conclude(struct conductor *c);

/* The workers do not get to run: let go those that wait, and interrupt the
 * others, which may still be busy, or blocked. */
void conductor_dismiss(struct conductor *c);

/* The same, and say why.  `in_time`: what
 * conductor_await_ready() has returned. */
int conductor_call_off(struct conductor *c, bool in_time);

#endif
