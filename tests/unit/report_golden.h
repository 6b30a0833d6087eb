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

/* Blocks of the expected texts.  Figures of LATENCY_LINES() are nine
 * characters, as they are to the right. */
#define GENERAL_LINES(time, events)                       \
  "General statistics:\n"                                 \
  "    total time:                          " time "s\n"  \
  "    total number of events:              " events "\n" \
  "\n"

#define THROUGHPUT_LINES(eps, time, events)               \
  "Throughput:\n"                                         \
  "    events/s (eps):                      " eps "\n"    \
  "    time elapsed:                        " time "s\n"  \
  "    total number of events:              " events "\n" \
  "\n"

#define LATENCY_LINES(min, avg, max, pct, sum)            \
  "Latency (ms):\n"                                       \
  "         min:                               " min "\n" \
  "         avg:                               " avg "\n" \
  "         max:                               " max "\n" \
  "         95th percentile:                   " pct "\n" \
  "         sum:                               " sum "\n" \
  "\n"

/* Those of fileio in the layout of 1.1. */
#define NARROW_LATENCY_LINES(min, avg, max, pct, sum)   \
  "Latency (ms):\n"                                     \
  "         min:                             " min "\n" \
  "         avg:                             " avg "\n" \
  "         max:                             " max "\n" \
  "         95th percentile:                 " pct "\n" \
  "         sum:                             " sum "\n" \
  "\n"

#define FAIRNESS_LINES(events, time)                \
  "Threads fairness:\n"                             \
  "    events (avg/stddev):           " events "\n" \
  "    execution time (avg/stddev):   " time "\n"   \
  "\n"

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
