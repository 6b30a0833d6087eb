/*
 * stall.h - times in which no client of a run was served.  Only for src/run.
 *
 * A stall begins with the last success of any client, or when a client begins
 * to wait, whichever is later, and ends with the next success of any client.
 * It is longer than --stall; without an error in it, it is also longer than ten
 * times the mean time between two successes, so that a test with long events
 * has no stalls.
 *
 * The client that ends a stall finds it: its own time since the last success is
 * at least as long.  So nobody has to look at clients while they are served.
 */
#ifndef BENCH_RUN_STALL_H
#define BENCH_RUN_STALL_H

#include <stdint.h>

#include "base/compiler.h"
#include "run/worker.h"
#include "stats/recorder.h"
#include "stats/service.h"

struct err;
struct outage_report;
struct run;

/* Before the workers exist: their services are watched if the test has one. */
int stall_init(struct run *run, struct err *err);

/* The load begins. */
void stall_start(struct run *run, uint64_t now_ns);

/* The slow path of stall_served(). */
COLD void stall_over(struct worker *w, uint64_t now_ns);

/* An event of this worker, whose recorder is `r`, has ended. */
static inline void stall_served(struct worker *w, struct recorder *r,
                                uint64_t now_ns)
{
  struct service *s = &r->service;
  const uint64_t last = atomic_load_explicit(&s->last_ns, memory_order_relaxed);

  if (UNLIKELY(now_ns - last > s->patience_ns))
    stall_over(w, now_ns);
  atomic_store_explicit(&s->last_ns, now_ns, memory_order_relaxed);
}

/* The time of all stalls so far, the present one included.  Any thread. */
uint64_t stall_sum_ns(struct run *run, uint64_t now_ns);

/* After the workers have left or were left behind: the present stall ends with
 * the run, and the report is made, whose arrays belong to the run. */
void stall_report(struct run *run, uint64_t end_ns, struct outage_report *ret);

#endif
