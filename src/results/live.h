/*
 * live.h - a page that follows a run and becomes its report.
 *
 * A thread reads the workers' recorders once per second, despite a stuck
 * reporter.  Viewers get server-sent events, late viewers also the past, and
 * the report at the end.  The run WAITS for viewers, up to two seconds for one
 * that takes nothing.
 */
#ifndef BENCH_RESULTS_LIVE_H
#define BENCH_RESULTS_LIVE_H

#include <stddef.h>
#include <stdint.h>

#include "base/machine/sampler.h"
#include "report/reporter.h"
#include "stats/recorder.h"

struct document;
struct err;
struct hist_sum;
struct live;
struct results_cfg;
struct results_shared;
struct strbuf;

/*
 * The work since the last sample, as JSON.
 *
 * Reads counters that only grow; waits for no thread.
 */

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

/* Always call live_sampler_done(), also after -ENOMEM. */
int live_sampler_init(struct live_sampler *s,
                      const struct results_shared *shared);
void live_sampler_done(struct live_sampler *s);

void live_sampler_start(struct live_sampler *s);

/* `ret`: a JSON object on one line; `ret_classes`: an array.
 * `reports_late_s`: since a report was due; 0: not late. */
void live_sampler_next(struct live_sampler *s, uint64_t now_ns,
                       double reports_late_s, struct strbuf *ret,
                       struct strbuf *ret_classes);

typedef int results_page(const char *text, size_t len, struct strbuf *ret,
                         struct err *err);

/* Opens the port of --live; `page` [opt] makes the report from `document`
 * [opt]. */
int live_new(struct live **ret, const struct results_cfg *cfg,
             results_page *page, const struct results_shared *shared,
             const struct document *document, struct err *err);
void live_free(struct live *l);

extern const struct reporter live_reporter; /* ctx: struct live */

#endif
