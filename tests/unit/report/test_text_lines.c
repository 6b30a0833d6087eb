/*
 * test_text_lines.c - interval lines, percentile lists and debug lines, byte by
 * byte.  With a period of 100 s, every rate with two decimals is a count.
 */
#include <stdint.h>

#include "base/strbuf.h"
#include "db/figures/sql_form.h"
#include "report/form.h"
#include "report/text.h"
#include "stats/report.h"
#include "tests/fileio/form.h"
#include "tests/memory/classic.h"
#include "tests/tests.h"
#include "tests/unit/tap.h"

#define S(s) ((uint64_t)((s)*1e9 + 0.5))
#define MS(ms) ((uint64_t)((ms)*1e6 + 0.5))

static const struct memory_moved moved = { 1024, true };
static const struct report_setup plain = { .percentile = 95 };
static const struct report_setup rated = { .percentile = 95, .rate = true };
static const struct report_setup rated_sysbench = { .percentile = 95,
                                                    .rate = true,
                                                    .as_sysbench = true };
static const struct report_setup profiled = { .percentile = 95,
                                              .rate = true,
                                              .profile = true };
static const struct report_setup rated_memory = { .percentile = 95,
                                                  .rate = true,
                                                  .of_test = &moved };
static const struct report_setup none = { .percentile = 0 };
static const struct report_setup fraction = { .percentile = 99.9,
                                              .interval_decimals = 1,
                                              .rate = true };

static const struct {
  const char *what;
  const struct report_setup *setup;
  struct report report;
  const char *want;
} line[] = {
  {
    "cpu with a rate",
    &rated,
    { .form = &tests_cpu_form,
      .elapsed_ns = S(1),
      .period_ns = S(100),
      .threads_running = 2,
      .events = 9389,
      .percentile_ns = MS(0.23) },
    "[ 1s ] thds: 2 eps: 93.89 lat (ms,95%): 0.23\n"
    "[ 1s ] queue length: 0 concurrency: 0\n",
  },
  {
    "a script without a database",
    &plain,
    { .form = &form_events,
      .elapsed_ns = S(1.0004),
      .period_ns = S(100),
      .threads_running = 3,
      .events = 599,
      .percentile_ns = MS(297.92) },
    "[ 1s ] thds: 3 eps: 5.99 lat (ms,95%): 297.92\n",
  },
  {
    "memory has no line about a queue",
    &rated_memory,
    { .form = &memory_form,
      .elapsed_ns = S(1),
      .period_ns = S(1),
      .threads_running = 1,
      .events = 7060736,
      .queue_length = 4 },
    "[ 1s ] 6895.25 MiB/sec\n",
  },
  {
    "neither has fileio",
    &rated,
    { .form = &fileio_form,
      .elapsed_ns = S(1),
      .period_ns = S(100),
      .threads_running = 1,
      .counter[COUNTER_BYTES_READ] = UINT64_C(24728) << 20,
      .counter[COUNTER_BYTES_WRITTEN] = UINT64_C(16486) << 20,
      .counter[COUNTER_OTHER] = 105401,
      .percentile_ns = 9000,
      .queue_length = 4 },
    "[ 1s ] reads: 247.28 MiB/s writes: 164.86 MiB/s fsyncs: 1054.01/s "
    "latency (ms,95%): 0.009\n",
  },
  {
    "SQL",
    &plain,
    { .form = &sql_form,
      .elapsed_ns = S(2),
      .period_ns = S(100),
      .threads_running = 2,
      .events = 81783,
      .counter[COUNTER_READ] = 1150462,
      .counter[COUNTER_WRITE] = 328032,
      .counter[COUNTER_OTHER] = 164066,
      .counter[COUNTER_ERROR] = 500,
      .percentile_ns = MS(5.88) },
    "[ 2s ] thds: 2 tps: 817.83 qps: 16425.60 (r/w/o: "
    "11504.62/3280.32/1640.66) lat (ms,95%): 5.88 err/s: 5.00 reconn/s: "
    "0.00\n",
  },
  {
    "SQL with a rate: all rates of one period, and a comma",
    &rated,
    { .form = &sql_form,
      .elapsed_ns = S(2),
      .period_ns = S(0.999619),
      .threads_running = 2,
      .events = 42,
      .counter[COUNTER_READ] = 588,
      .counter[COUNTER_WRITE] = 168,
      .counter[COUNTER_OTHER] = 84,
      .percentile_ns = MS(1.47) },
    "[ 2s ] thds: 2 tps: 42.02 qps: 840.32 (r/w/o: 588.22/168.06/84.03) lat "
    "(ms,95%): 1.47 err/s: 0.00 reconn/s: 0.00\n"
    "[ 2s ] queue length: 0, concurrency: 0\n",
  },
  {
    "a profile: what was offered",
    &profiled,
    { .form = &sql_form,
      .elapsed_ns = S(2),
      .period_ns = S(2),
      .threads_running = 1,
      .queue_length = 3,
      .concurrency = 1,
      .arrivals = 21 },
    "[ 2s ] thds: 1 tps: 0.00 qps: 0.00 (r/w/o: 0.00/0.00/0.00) lat "
    "(ms,95%): - err/s: 0.00 reconn/s: 0.00\n"
    "[ 2s ] queue length: 3, concurrency: 1, offered: 10.50/s\n",
  },
  {
    "SQL: reconnects, queue and concurrency",
    &rated_sysbench,
    { .form = &sql_form,
      .elapsed_ns = S(10),
      .period_ns = S(2),
      .threads_running = 16,
      .counter[COUNTER_RECONNECT] = 3,
      .queue_length = 131072,
      .concurrency = 16 },
    "[ 10s ] thds: 16 tps: 0.00 qps: 0.00 (r/w/o: 0.00/0.00/0.00) lat "
    "(ms,95%): 0.00 err/s: 0.00 reconn/s: 1.50\n"
    "[ 10s ] queue length: 131072, concurrency: 16\n",
  },
  {
    "--percentile=0",
    &none,
    { .form = &tests_cpu_form,
      .elapsed_ns = S(3),
      .period_ns = S(1),
      .threads_running = 1,
      .events = 7 },
    "[ 3s ] thds: 1 eps: 7.00 lat (ms,0%): 0.00\n",
  },
  {
    "an interval and a percentile with decimals",
    &fraction,
    { .form = &tests_cpu_form,
      .elapsed_ns = S(1.5003),
      .period_ns = S(0.5),
      .threads_running = 4,
      .events = 10,
      .percentile_ns = MS(12.345),
      .concurrency = 4 },
    "[ 1.5s ] thds: 4 eps: 20.00 lat (ms,99.9%): 12.35\n"
    "[ 1.5s ] queue length: 0 concurrency: 4\n",
  },
  {
    "an empty period has rates of 0",
    &plain,
    { .form = &tests_cpu_form, .elapsed_ns = S(1), .events = 5 },
    "[ 1s ] thds: 0 eps: 0.00 lat (ms,95%): 0.00\n",
  },
};

static void test_checkpoint_header(void)
{
  struct report r = { .kind = REPORT_CHECKPOINT, .elapsed_ns = S(2.0001) };
  struct strbuf b = { 0 };

  text_checkpoint_header(&b, &r);
  OK_STR(strbuf_str(&b), "[ 2s ] Checkpoint report:\n", "checkpoint");
  strbuf_done(&b);
}

static void test_per_thread(void)
{
  static const struct report_thread threads[] = {
    { .events = 2424,
      .sum_ns = S(0.9958),
      .min_ns = MS(0.2),
      .max_ns = MS(8.3) },
    { .events = 2412,
      .sum_ns = S(0.9972),
      .min_ns = MS(0.2),
      .max_ns = MS(8.3) },
    { .events = 0 },
  };
  const struct report r = { .threads = 3, .thread = threads };
  struct strbuf b = { 0 };

  OK_STR(TEXT_THREADS_TITLE, "Verbose per-thread statistics:\n",
         "the title of threads ends with a line end of its own");
  text_threads(&b, &r);
  OK_STR(strbuf_str(&b),
         "    thread #  0: min: 0.0002s  avg: 0.0004s  max: 0.0083s  "
         "events: 2424\n"
         "                 total time taken by event execution: 0.9958s\n"
         "    thread #  1: min: 0.0002s  avg: 0.0004s  max: 0.0083s  "
         "events: 2412\n"
         "                 total time taken by event execution: 0.9972s\n"
         "    thread #  2: min: 0.0000s  avg: 0.0000s  max: 0.0000s  "
         "events: 0\n"
         "                 total time taken by event execution: 0.0000s\n",
         "threads");
  strbuf_done(&b);
}

static void test_statement_times(void)
{
  const struct report r = {
    .execution = { .count = 4,
                   .sum_ns = S(10),
                   .min_ns = S(1),
                   .max_ns = S(4.56789) },
  };
  struct strbuf b = { 0 };

  text_statement_times(&b, &r);
  OK_STR(strbuf_str(&b),
         "\n"
         "Query execution statistics:\n"
         "    min:                                1.0000s\n"
         "    avg:                                2.5000s\n"
         "    max:                                4.5679s\n"
         "  total:                                10.0000s\n"
         "Results fetching statistics:\n"
         "    min:                                0.0000s\n"
         "    avg:                                0.0000s\n"
         "    max:                                0.0000s\n"
         "  total:                                0.0000s\n",
         "times of statements");
  strbuf_done(&b);
}

/* 1000 latencies of 1, 2, ... 1000 ms. */
static void test_percentiles(void)
{
  static const double list[] = { 50, 99.9, 99.99999, 100 };
  struct report_setup setup = { .percentile = 95,
                                .n_percentiles = 4,
                                .percentiles = list };
  struct hist_sum *hist = hist_sum_new();
  struct report r = {
    .events = 1000, .min_ns = MS(1), .max_ns = MS(1000), .hist = hist
  };
  struct strbuf b = { 0 };

  for (unsigned ms = 1; ms <= 1000; ms++)
    hist_sum_put(hist, hist_index(MS(ms)), 1);
  text_percentiles(&b, &setup, &r);
  /* Buckets are 2^18 ns wide at 500 ms, 2^19 at 999 and 1000 ms, and begin at
   * multiples of that: the middles are 500.040, 999.031 and 1000.079 ms. */
  OK_STR(strbuf_str(&b),
         "\n"
         "Latency distribution (ms):\n"
         "         p50                             500.04\n"
         "         p99.9                           999.03\n"
         "         p99.99999                      1000.00\n"
         "         p100                           1000.00\n",
         "a list of percentiles, limited to the largest latency");
  strbuf_clear(&b);
  r.events = 0;
  hist_sum_clear(hist);
  setup.n_percentiles = 1;
  text_percentiles(&b, &setup, &r);
  OK_STR(strbuf_str(&b),
         "\n"
         "Latency distribution (ms):\n"
         "         p50                               0.00\n",
         "without events");
  strbuf_clear(&b);
  text_percentiles(&b, &plain, &r);
  OK_STR(strbuf_str(&b), "", "without a list");
  strbuf_done(&b);
  hist_sum_free(hist);
}

int main(void)
{
  for (size_t i = 0; i < ARRAY_SIZE(line); i++) {
    struct strbuf b = { 0 };

    text_interval(&b, line[i].setup, &line[i].report);
    OK_STR(strbuf_str(&b), line[i].want, line[i].what);
    strbuf_done(&b);
  }
  test_checkpoint_header();
  test_per_thread();
  test_statement_times();
  test_percentiles();
  return TAP_EXIT();
}
