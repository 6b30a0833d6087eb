/*
 * live_sample.h - what a run has done since the last sample, as JSON.
 *
 * Reads counters that only grow; waits for no thread.
 */
#ifndef BENCH_RESULTS_LIVE_SAMPLE_H
#define BENCH_RESULTS_LIVE_SAMPLE_H

#include <stdint.h>

#include "machine/sampler.h"
#include "stats/recorder.h"

struct hist_sum;
struct results_shared;
struct strbuf;

/* Of a class. */
struct live_class {
  uint64_t count, errors, sum_ns;
};

struct live_sampler {
  const struct results_shared *shared;
  struct sampler system;
  uint64_t last_ns;
  uint64_t events, sum_ns, counter[COUNTERS];
  struct hist_sum *now, *before, *diff; /* owned */
  struct live_class *classes;           /* owned; [CLASS_MAX] */
  unsigned marks;
};

/* -ENOMEM: call live_sampler_done() nevertheless. */
int live_sampler_init(struct live_sampler *s,
                      const struct results_shared *shared);
void live_sampler_done(struct live_sampler *s);

void live_sampler_start(struct live_sampler *s);

/* `ret`: a JSON object on one line; `ret_classes`: an array.  `reports_late_s`:
 * time since a report was due; 0: not late. */
void live_sampler_next(struct live_sampler *s, uint64_t now_ns,
                       double reports_late_s, struct strbuf *ret,
                       struct strbuf *ret_classes);

#endif
