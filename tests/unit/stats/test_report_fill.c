/*
 * test_report_fill.c - the numbers of a report, from recorders to text.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "report/form.h"
#include "report/text.h"
#include "stats/report.h"
#include "tests/unit/tap.h"

#define MS(ms) ((uint64_t)((ms)*1e6 + 0.5))

static const struct report_setup setup = { .percentile = 95 };

/* A run of some workers, with a snapshot of its start. */
struct run {
  struct recorders rs;
  struct snapshot begin, now;
  struct hist_sum *diff;
};

static void run_init(struct run *run, unsigned n, bool percentiles)
{
  struct err err = { "" };

  if (recorders_init(&run->rs, n, percentiles, &err) < 0 ||
      snapshot_init(&run->begin, &run->rs, &err) < 0 ||
      snapshot_init(&run->now, &run->rs, &err) < 0) {
    printf("Bail out! %s\n", err.text);
    exit(1);
  }
  run->diff = hist_sum_new();
}

static void run_done(struct run *run)
{
  hist_sum_free(run->diff);
  snapshot_done(&run->now);
  snapshot_done(&run->begin);
  recorders_done(&run->rs);
}

static void fill(struct report *r, struct run *run)
{
  report_fill(r, &setup, &run->begin, &run->now, run->now.min_ns,
              run->now.max_ns, run->diff);
}

static bool near(double a, double b)
{
  return fabs(a - b) < 1e-9;
}

/*
 * Three workers; one is inside its first event when the run is ended, 8 events
 * of the others took 2401.51 ms.
 */
static void test_forced_shutdown(void)
{
  static const double ms[2][4] = { { 300.11, 300.17, 300.18, 300.19 },
                                   { 300.34, 300.17, 300.18, 300.17 } };
  struct report r = { .kind = REPORT_FORCED,
                      .form = &form_events,
                      .elapsed_ns = UINT64_C(2000100000),
                      .threads = 3,
                      .unfinished = 1 };
  struct strbuf b = { 0 };
  struct run run;

  run_init(&run, 3, true);
  snapshot_take(&run.begin, &run.rs, 0);
  for (unsigned w = 0; w < 2; w++) {
    for (unsigned i = 0; i < 4; i++)
      recorder_event(&run.rs, &run.rs.of[2 * w], MS(ms[w][i]));
  }
  snapshot_take(&run.now, &run.rs, UINT64_C(2000100000));
  fill(&r, &run);
  OK(r.percentile_ns >= MS(300.11) && r.percentile_ns <= MS(300.34),
     "the percentile is within the limits");
  r.percentile_ns = MS(300.34);
  text_results(&b, &setup, &r);
  text_common(&b, &setup, &r);
  OK_STR(strbuf_str(&b),
         "\n"
         "Number of unfinished transactions on forced shutdown: 1\n"
         "\n"
         "General statistics:\n"
         "    total time:                          2.0001s\n"
         "    total number of events:              8\n"
         "\n"
         "Latency (ms):\n"
         "         min:                                  300.11\n"
         "         avg:                                  300.19\n"
         "         max:                                  300.34\n"
         "         95th percentile:                      300.34\n"
         "         sum:                                 2401.51\n"
         "         p50 300.29\n"
         "\n"
         "Threads fairness:\n"
         "    events (avg/stddev):           2.6667/1.89\n"
         "    execution time (avg/stddev):   0.8005/0.57\n"
         "\n",
         "an unfinished event is counted nowhere else");
  strbuf_done(&b);
  run_done(&run);
}

static void test_period(void)
{
  struct report r = { 0 };
  struct run run;

  run_init(&run, 2, true);
  recorder_event(&run.rs, &run.rs.of[0], 1);
  recorder_count(&run.rs.of[0], COUNTER_WRITE, 100);
  snapshot_take(&run.begin, &run.rs, 1000);
  for (unsigned i = 0; i < 3; i++)
    recorder_event(&run.rs, &run.rs.of[0], 2000);
  recorder_event(&run.rs, &run.rs.of[1], 4000);
  recorder_count(&run.rs.of[1], COUNTER_WRITE, 7);
  snapshot_take(&run.now, &run.rs, 1000 + UINT64_C(500000000));
  fill(&r, &run);
  OK(r.period_ns == 500000000, "length");
  OK(r.events == 4 && r.counter[COUNTER_EVENT] == 4 &&
       r.counter[COUNTER_WRITE] == 7,
     "counts are those of the period");
  OK(r.sum_ns == 10000 && r.min_ns == 2000 && r.max_ns == 4000,
     "so are latencies");
  OK(near(report_rate(&r, r.events), 8.0), "count / length");
  OK(r.hist == run.diff && r.hist->total == 4, "and the histogram");
  OK(r.percentile_ns == 4000 && report_percentile(&r, 50) == 2000,
     "percentiles");
  OK(near(r.events_mean * 2, 4) && near(r.events_stddev, 1),
     "events per thread times threads is their number");
  OK(near(r.time_mean_s, 5e-6) && near(r.time_stddev_s, 1e-6),
     "population standard deviation");

  report_fill(&r, &setup, &run.now, &run.now, UINT64_MAX, 0, run.diff);
  OK(r.events == 0 && r.min_ns == 0 && r.max_ns == 0 && r.sum_ns == 0 &&
       r.percentile_ns == 0 && r.events_stddev == 0.0 && r.period_ns == 0 &&
       report_rate(&r, 5) == 0.0,
     "an empty period has only zeros");
  report_fill(&r, &setup, &run.now, &run.begin, UINT64_MAX, 0, run.diff);
  OK(r.period_ns == 0, "a period is never negative");
  run_done(&run);

  run_init(&run, 1, false);
  snapshot_take(&run.begin, &run.rs, 0);
  recorder_event(&run.rs, run.rs.of, 5);
  snapshot_take(&run.now, &run.rs, 1);
  fill(&r, &run);
  OK(!r.hist && r.percentile_ns == 0 && r.max_ns == 5,
     "no percentiles were wanted");
  run_done(&run);
}

/* A percentile must never leave the limits: many small random periods. */
static void test_limits(void)
{
  uint64_t state = 7;
  bool within = true;
  struct run run;

  run_init(&run, 1, true);
  snapshot_take(&run.begin, &run.rs, 0);
  for (unsigned i = 0; i < 200; i++) {
    static const double pcts[] = { 0.001, 1, 50, 95, 99.9, 100 };
    struct report r = { 0 };

    for (unsigned n = i % 5 + 1; n > 0; n--) {
      state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
      recorder_event(&run.rs, run.rs.of, state >> (20 + i % 40));
    }
    snapshot_take(&run.now, &run.rs, i);
    fill(&r, &run);
    for (unsigned p = 0; p < 6; p++) {
      const uint64_t ns = report_percentile(&r, pcts[p]);

      within &= ns >= r.min_ns && ns <= r.max_ns;
    }
    snapshot_copy(&run.begin, &run.now);
  }
  OK(within, "min <= every percentile <= max, beyond the histogram too");

  /* The worker of this event has not yet updated the histogram. */
  {
    struct report r = { .events = 1, .min_ns = 9, .max_ns = 9 };

    hist_sum_clear(run.diff);
    r.hist = run.diff;
    OK(report_percentile(&r, 95) == 9, "also while the histogram lags behind");
  }
  run_done(&run);
}

static void test_threads(void)
{
  struct report_thread t[2];
  struct run run;

  run_init(&run, 2, false);
  recorder_event(&run.rs, &run.rs.of[0], 1);
  snapshot_take(&run.begin, &run.rs, 0);
  report_threads_clear(t, 2);
  recorder_event(&run.rs, &run.rs.of[0], 30);
  snapshot_take(&run.now, &run.rs, 1); /* an interval */
  report_threads_merge(t, &run.now);
  recorder_event(&run.rs, &run.rs.of[0], 20);
  recorder_event(&run.rs, &run.rs.of[0], 25);
  snapshot_take(&run.now, &run.rs, 2);
  report_threads_merge(t, &run.now);
  report_threads_fill(t, &run.begin, &run.now);
  OK(t[0].events == 3 && t[0].sum_ns == 75 && t[0].min_ns == 20 &&
       t[0].max_ns == 30,
     "a thread over several snapshots");
  OK(t[1].events == 0 && t[1].sum_ns == 0 && t[1].min_ns == 0 &&
       t[1].max_ns == 0,
     "a thread without events");
  run_done(&run);
}

/* Arrivals can come until the schedule ends; the report may be about a longer
 * period, and one that lies behind the end has none. */
static void test_offered(void)
{
  struct report r = { .arrivals = 60,
                      .elapsed_ns = MS(9000),
                      .period_ns = MS(4000),
                      .tail_ns = MS(1000) };

  OK(near(report_offered_rate(&r), 20), "arrivals by the time of arrivals");
  r.tail_ns = MS(4000);
  OK(report_offered_rate(&r) == 0, "no time: no rate");
}

int main(void)
{
  test_forced_shutdown();
  test_offered();
  test_period();
  test_limits();
  test_threads();
  return TAP_EXIT();
}
