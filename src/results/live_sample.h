/*
 * live_sample.h - what a run has done since the last look, as JSON.
 *
 * Everything is read from counters that only grow; nothing waits for another
 * thread of the run.
 */
#ifndef BENCH_RESULTS_LIVE_SAMPLE_H
#define BENCH_RESULTS_LIVE_SAMPLE_H

#include <stdint.h>

#include "machine/sampler.h"
#include "stats/recorder.h"

struct hist_sum;
struct results_shared;
struct strbuf;

/* The counts of a class at the last look. */
struct live_class {
  uint64_t count, errors, sum_ns;
};

struct live_sampler {
  const struct results_shared *shared;
  struct sampler system;
  uint64_t last_ns;
  uint64_t events, sum_ns, counter[COUNTERS]; /* at the last look */
  struct hist_sum *now, *before, *diff;       /* owned */
  struct live_class *classes;                 /* owned; [CLASS_MAX] */
  unsigned marks;                             /* seen so far */
};

/* -ENOMEM: `s` is to be freed with live_sampler_done() nevertheless. */
int live_sampler_init(struct live_sampler *s,
                      const struct results_shared *shared);
void live_sampler_done(struct live_sampler *s);

/* The run begins now. */
void live_sampler_start(struct live_sampler *s);

/*
 * Look.  `ret` gets the figures since the last look as a JSON object on one
 * line, and `ret_classes` the classes of operations, as an array.
 * `reports_late_s`: for how long no report has come though one was due; 0: none
 * is late.
 */
void live_sampler_next(struct live_sampler *s, uint64_t now_ns,
                       double reports_late_s, struct strbuf *ret,
                       struct strbuf *ret_classes);

#endif
