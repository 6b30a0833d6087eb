/*
 * report_golden.h - reports, and their expected bytes.
 */
#ifndef TESTS_UNIT_REPORT_GOLDEN_H
#define TESTS_UNIT_REPORT_GOLDEN_H

#include <stdint.h>

#include "base/strbuf.h"
#include "report/text.h"
#include "stats/report.h"
#include "tests/unit/tap.h"

/* Seconds and milliseconds in a text, as nanoseconds. */
#define S(s) ((uint64_t)((s)*1e9 + 0.5))
#define MS(ms) ((uint64_t)((ms)*1e6 + 0.5))

#define FAIRNESS(e, es, t, ts)                                   \
  .events_mean = (e), .events_stddev = (es), .time_mean_s = (t), \
  .time_stddev_s = (ts)

#define LATENCY(min, max, pct, sum)                               \
  .min_ns = MS(min), .max_ns = MS(max), .percentile_ns = MS(pct), \
  .sum_ns = MS(sum)

#define EVENTS(n) .events = (n), .counter[COUNTER_EVENT] = (n)

struct golden {
  const char *what;
  const struct report_setup *setup;
  struct report report;
  const char *want; /* the whole cumulative report */
};

static inline void check_golden(const struct golden *golden, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    struct strbuf b = { 0 };

    text_results(&b, golden[i].setup, &golden[i].report);
    text_common(&b, golden[i].setup, &golden[i].report);
    OK_STR(strbuf_str(&b), golden[i].want, golden[i].what);
    strbuf_done(&b);
  }
}

#endif
