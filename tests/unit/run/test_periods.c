/*
 * test_periods.c - minimum, maximum, percentile and counts of intervals and of
 * cumulated periods, which overlap.
 */
#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "run/periods.h"
#include "stats/recorder.h"
#include "tests/unit/tap.h"

static const struct report_setup setup = { .percentile = 50,
                                           .per_thread = true };

struct bed {
  struct recorders recorders;
  struct periods p;
};

static void bed_init(struct bed *b, unsigned threads, bool percentiles)
{
  const struct periods_want want = { .per_thread = true };
  struct err err;

  if (recorders_init(&b->recorders, threads, percentiles, &err) < 0 ||
      periods_init(&b->p, &b->recorders, &want, &err) < 0)
    abort();
  periods_restart(&b->p, 1000);
}

static void bed_done(struct bed *b)
{
  periods_done(&b->p);
  recorders_done(&b->recorders);
}

static void record(struct bed *b, unsigned tid, uint64_t ns)
{
  recorder_event(&b->recorders, &b->recorders.of[tid], ns);
}

static struct report interval(struct bed *b, uint64_t now_ns)
{
  struct report r = { 0 };

  periods_interval(&b->p, &setup, now_ns, &r);
  return r;
}

static struct report cumulative(struct bed *b, uint64_t now_ns)
{
  struct report r = { 0 };

  periods_cumulative(&b->p, &setup, now_ns, &r);
  return r;
}

/* The median is the middle of a bucket, 0.05 % off at most. */
static bool near(uint64_t ns, double want)
{
  return fabs((double)ns - want) <= want * 0.0006;
}

static void is(const struct report *r, uint64_t events, uint64_t min_ns,
               uint64_t max_ns, const char *what)
{
  OK(r->events == events, what);
  OK(r->min_ns == min_ns && r->max_ns == max_ns, "minimum and maximum");
}

static void test_overlap(void)
{
  struct report r;
  struct bed b;

  bed_init(&b, 2, true);
  record(&b, 0, 50000);
  record(&b, 1, 60000);
  record(&b, 1, 70000);
  r = interval(&b, 2000);
  is(&r, 3, 50000, 70000, "the first interval");
  OK(r.period_ns == 1000 && r.sum_ns == 180000, "its length and sum");
  OK(near(r.percentile_ns, 60000), "its percentile");

  record(&b, 0, 90000);
  r = interval(&b, 4000);
  is(&r, 1, 90000, 90000, "the second interval has its own extremes");
  OK(r.period_ns == 2000 && near(r.percentile_ns, 90000), "and percentile");

  record(&b, 1, 10000);
  r = cumulative(&b, 5000);
  is(&r, 5, 10000, 90000, "a checkpoint has all of them");
  OK(r.period_ns == 4000 && near(r.percentile_ns, 60000), "over all the time");
  OK(r.thread[0].events == 2 && r.thread[0].min_ns == 50000 &&
       r.thread[0].max_ns == 90000 && r.thread[0].sum_ns == 140000,
     "also by thread");
  OK(r.thread[1].events == 3 && r.thread[1].min_ns == 10000 &&
       r.thread[1].max_ns == 70000,
     "for each of them");

  record(&b, 0, 20000);
  r = interval(&b, 6000);
  is(&r, 2, 10000, 20000, "an interval goes on over a checkpoint");
  OK(r.period_ns == 2000, "and lasts from the interval before");

  r = cumulative(&b, 7000);
  is(&r, 1, 20000, 20000, "the period after the checkpoint");
  OK(r.period_ns == 2000 && near(r.percentile_ns, 20000), "starts afresh");
  OK(r.thread[0].events == 1 && r.thread[0].min_ns == 20000 &&
       r.thread[0].max_ns == 20000 && r.thread[1].events == 0 &&
       r.thread[1].min_ns == 0 && r.thread[1].max_ns == 0,
     "by thread, too");
  bed_done(&b);
}

static void test_empty(void)
{
  struct report r;
  struct bed b;

  bed_init(&b, 1, true);
  r = interval(&b, 2000);
  is(&r, 0, 0, 0, "an interval without events");
  OK(r.percentile_ns == 0 && r.sum_ns == 0, "has zeros");
  record(&b, 0, 5000);
  r = interval(&b, 3000);
  is(&r, 1, 5000, 5000, "does not spoil the next one");
  r = interval(&b, 4000);
  is(&r, 0, 0, 0, "nor is that one remembered");
  r = cumulative(&b, 4000);
  is(&r, 1, 5000, 5000, "but in the whole");
  r = cumulative(&b, 4000);
  is(&r, 0, 0, 0, "once");
  OK(r.period_ns == 0, "an empty period");
  bed_done(&b);
}

static void test_restart(void)
{
  struct report r;
  struct bed b;

  bed_init(&b, 2, true);
  record(&b, 0, 1);
  record(&b, 1, 4000000);
  recorder_count(&b.recorders.of[0], COUNTER_READ, 5);
  (void)interval(&b, 2000);
  record(&b, 0, 2);
  periods_restart(&b.p, 3000);
  record(&b, 1, 500);
  recorder_count(&b.recorders.of[0], COUNTER_READ, 2);
  r = interval(&b, 4000);
  is(&r, 1, 500, 500, "after a restart nothing of before is in an interval");
  OK(r.period_ns == 1000 && r.counter[COUNTER_READ] == 2, "nor are counters");
  r = cumulative(&b, 5000);
  is(&r, 1, 500, 500, "nor in the whole");
  OK(r.period_ns == 2000 && r.counter[COUNTER_READ] == 2, "nor are counters");
  OK(r.thread[0].events == 0 && r.thread[0].max_ns == 0 &&
       r.thread[1].events == 1 && r.thread[1].max_ns == 500,
     "nor in the threads");
  bed_done(&b);
}

static void test_without_percentiles(void)
{
  struct report r;
  struct bed b;

  bed_init(&b, 1, false);
  record(&b, 0, 123456);
  r = cumulative(&b, 2000);
  is(&r, 1, 123456, 123456, "without histograms the rest is the same");
  OK(r.percentile_ns == 0 && r.hist == NULL, "and there is no percentile");
  bed_done(&b);
  periods_done(NULL);
}

int main(void)
{
  test_overlap();
  test_empty();
  test_restart();
  test_without_percentiles();
  return TAP_EXIT();
}
