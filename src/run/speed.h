/*
 * speed.h - how fast the clocks of the processors were during a run: a thread
 * measures it now and then where workers are at work.  Only for src/run.
 *
 * What systems say about clocks is missing in virtual machines and belongs to
 * one moment.  A chain of additions, each of which needs the result of the one
 * before, takes one cycle for each on all processors of today.  A sample takes
 * some 20 microseconds of a worker's processor, four times a second.
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
  SPEED_SAMPLES = 1024, /* when they are all there, every other one goes */
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

  /* The thread's, until it has ended. */
  size_t n;
  struct speed_sample of[SPEED_SAMPLES];
};

/* After the gate was opened.  Without memory for a thread nothing is watched.
 */
void speed_start(struct speed_watch *s, const struct run *run);
void speed_stop(struct speed_watch *s); /* also if it was not started */

/* Keep a sample; used by the thread. */
void speed_add(struct speed_watch *s, uint64_t at_ns, double ghz);

/*
 * The median clocks of the first and of the last quarter of the time from
 * `begin_ns` to `end_ns`: ret->first_ghz, ret->last_ghz.  Both stay as they are
 * where there are too few samples.
 */
void speed_between(const struct speed_watch *s, uint64_t begin_ns,
                   uint64_t end_ns, struct machine_use *ret);

/* Cycles per nanosecond of the processor that the caller is on. */
double speed_measure(void);

#endif
