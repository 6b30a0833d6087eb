/*
 * ending.h - what is told about a run as a whole, when it starts and when it
 * has ended: see report/life.h.  Only for src/run.
 *
 * The conductor calls all functions but ending_restart(), ending_leave() and
 * ending_tell_error().
 */
#ifndef BENCH_RUN_ENDING_H
#define BENCH_RUN_ENDING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "report/life.h"
#include "run/machine.h"
#include "run/neighbours.h"
#include "stats/trend.h"

struct report;
struct run;

/* Part of struct run. */
struct ending {
  /* Written when the measured part begins, by the thread that begins it. */
  struct client_use base; /* what was used before */
  uint64_t measured_ns;
  struct trend trend; /* later the report thread's, then the conductor's */

  _Atomic uint32_t left;  /* workers for which the measured part has ended */
  struct client_use last; /* what was used then; of the last of them */
  struct machine_counts machine_before, machine_after; /* as base and last */
  struct neighbours neighbours; /* before the load; owned */
  struct client_use client;     /* in the measured part; the conductor's */

  /* The first failure of a worker, or of the start: who sets `taken` writes,
   * then sets `kept`. */
  atomic_flag taken;
  _Atomic bool kept;
  struct err error;

  struct doubts doubts;
  struct test_details details;
};

/* Before the moment of the start is fixed: see what others are doing. */
void ending_prepare(struct run *run);

/* The same shortly before the measured part begins, without what takes long:
 * at the end of a warm-up. */
void ending_prepare_measured(struct run *run);

/* The gate is about to open: tell the reporters. */
void ending_begin(struct run *run);

/* The measured part begins now: by the conductor, when the run begins or has
 * ended without one, or at the end of a warm-up by the report thread. */
void ending_restart(struct run *run, uint64_t now_ns);

/* The first such message, NULL: there is none.  Stays until ending_done(). */
const char *ending_error(const struct run *run);

/* The measured part has ended for this worker.  The last one reads what the
 * process used, so that neither closing connections nor reports count. */
void ending_leave(struct run *run);

/* The run ends by force, now: workers are still there. */
void ending_force(struct run *run);

/* The measured part is over: what the process used in it.  `forced`: up to
 * ending_force(). */
void ending_measure(struct run *run, uint64_t end_ns, bool forced);

/* Print why a worker failed, or the start, unless the user has seen it
 * (why->said), and keep the first such message.  One that is empty is ignored.
 * Any worker, and the conductor. */
void ending_tell_error(struct run *run, const struct err *why);

/* After ending_measure(), before the last report: doubts about `total`, which
 * is what it covers, and warnings of those that are certain. */
void ending_doubt(struct run *run, const struct report *total, uint64_t end_ns);

/* After the last report: tell the reporters.  `forced`: workers were still
 * there at the deadline. */
void ending_tell(struct run *run, bool started, bool forced, int status,
                 uint64_t end_ns);

void ending_done(struct run *run);

/* Events of all workers since the start; approximate while they work. */
uint64_t run_events(const struct run *run);

#endif
