/*
 * life.h - the start and the end of a run, as reporters learn of them: see
 * report/life.h.  Only for src/run.
 *
 * The conductor calls all functions except life_measure_from(),
 * life_note_slice(), life_worker_left() and life_fail().
 */
#ifndef BENCH_RUN_LIFE_H
#define BENCH_RUN_LIFE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "machine/cpu.h"
#include "machine/processes.h"
#include "report/life.h"
#include "stats/slices.h"
#include "stats/trend.h"

struct report;
struct run;

/* A part of struct run. */
struct life {
  /* Written at the start of the measured part, by the thread that starts it. */
  struct client_use base; /* what the process had used before */
  uint64_t measured_ns;
  struct trend trend;   /* of the report thread, then of the conductor */
  struct slices slices; /* the same; only with details of one process */

  _Atomic uint32_t left;  /* workers for which the measured part has ended */
  struct client_use last; /* what it has used when the last of them left */
  struct machine_counts machine_before, machine_after; /* like base and last */
  struct machine_counts machine_forced;                /* at a forced end */
  struct processes processes; /* other programs before the load; owned */
  /* What was used in the measured part; of the conductor. */
  struct client_use client;

  /* The first failure of a worker, or of the start.  The thread that sets
   * `taken` writes it, then sets `kept`. */
  atomic_flag taken;
  _Atomic bool kept;
  struct err error;

  struct run_settled settled; /* of the conductor: see writeback.h */
  struct warnings warnings;
  struct test_details details;
};

/* Look at what other programs are doing.  Called before the moment of the start
 * is fixed. */
void life_prepare(struct run *run);

/* The same at the end of a warm-up, shortly before the measured part begins:
 * the parts that take long are left out. */
void life_prepare_measured(struct run *run);

/* A look at the totals, for the slices. */
void life_note_slice(struct run *run, uint64_t now_ns);

/* Report the start to the reporters.  Called before the gate opens. */
void life_start(struct run *run);

/* The measured part begins now.  Called by the conductor when the run begins,
 * or has ended during its warm-up; by the report thread at the end of a
 * warm-up. */
void life_measure_from(struct run *run, uint64_t now_ns);

/* The first message of life_fail(), or NULL.  Valid until
 * life_done(). */
const char *life_error(const struct run *run);

/* The measured part has ended for this worker.  The last one reads what the
 * process has used, so that neither closing connections nor reports count.
 * Returns how many have left. */
unsigned life_worker_left(struct run *run);

/* The run ends by force at this moment, and workers are still there. */
void life_force(struct run *run);

/* The measured part is over: compute what the process used in it.  `forced`: up
 * to life_force(). */
void life_measured(struct run *run, uint64_t end_ns, bool forced);

/* Print why a worker or the start failed, unless the user has seen it
 * (why->said), and keep the first such message.  An empty one is ignored.  Any
 * worker and the conductor may call. */
void life_fail(struct run *run, const struct err *why);

/* After life_measured(), before the last report: find doubts about `total`,
 * the figures of the measured part, and print warnings about those that are
 * certain. */
void life_doubt(struct run *run, const struct report *total, uint64_t end_ns);

/* After the last report: report the end to the reporters.  `forced`: workers
 * were still there at the deadline. */
void life_over(struct run *run, bool started, bool forced, int status,
               uint64_t end_ns);

void life_done(struct run *run);

#endif
