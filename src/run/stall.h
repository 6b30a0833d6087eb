/*
 * stall.h - times in which no client of a run was served.  Only for src/run.
 *
 * A stall begins with the last success of any client, or when a client begins
 * to wait later; the next success ends it.  It is longer than --stall; without
 * an error in it, also than ten times the mean time between successes, because
 * long events are not stalls.
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

/* Before the workers, whose services are watched if the test has one. */
int stall_init(struct run *run, struct err *err);

void stall_start(struct run *run, uint64_t now_ns);

COLD void stall_over(struct worker *w, uint64_t now_ns);

/* An event has ended; `r` is w->recorder. */
static inline void stall_served(struct worker *w, struct recorder *r,
                                uint64_t now_ns)
{
  struct service *s = &r->service;
  const uint64_t last = atomic_load_explicit(&s->last_ns, memory_order_relaxed);

  if (UNLIKELY(now_ns - last > s->patience_ns))
    stall_over(w, now_ns);
  atomic_store_explicit(&s->last_ns, now_ns, memory_order_relaxed);
}

/* With the present one.  Any thread. */
uint64_t stall_sum_ns(struct run *run, uint64_t now_ns);

/* After the workers.  The end of the run ends a stall.  The run owns the
 * arrays. */
void stall_report(struct run *run, uint64_t end_ns, struct outage_report *ret);

#endif
