/*
 * speed.h - how fast the clocks of CPUs were during a run.  Only for src/run.
 *
 * Virtual machines do not show clocks.  A chain of dependent additions takes
 * one cycle each on today's CPUs: about 20 us of a worker's CPU, four times a
 * second.
 */
#ifndef BENCH_RUN_SPEED_H
#define BENCH_RUN_SPEED_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct machine_use;
struct run;

enum {
  SPEED_SAMPLES = 1024, /* when full, drops every other one */
};

struct speed_sample {
  uint64_t at_ns;
  double ghz;
};

struct speed_watch {
  const struct run *run;
  pthread_t thread;
  bool started;
  _Atomic uint32_t stop;
  uint64_t step_ns;

  /* Of the thread, until it has ended. */
  size_t n;
  struct speed_sample of[SPEED_SAMPLES];
};

/* After the gate was opened.  Watches nothing without memory for a thread. */
void speed_start(struct speed_watch *s, const struct run *run);
void speed_stop(struct speed_watch *s); /* also if not started */

/* By the thread. */
void speed_add(struct speed_watch *s, uint64_t at_ns, double ghz);

/* Sets ret->first_ghz and ret->last_ghz, the median clocks of the first and
 * the last quarter of that time, if there are enough samples. */
void speed_between(const struct speed_watch *s, uint64_t begin_ns,
                   uint64_t end_ns, struct machine_use *ret);

/* Cycles per ns of the caller's CPU. */
double speed_measure(void);

#endif
