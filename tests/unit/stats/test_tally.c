/*
 * test_tally.c - histograms of any unit, and counters of tests: in periods.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/compiler.h"
#include "base/err.h"
#include "stats/tally.h"
#include "stats/value_hist.h"
#include "tests/unit/tap.h"

static bool near(double got, double want)
{
  return fabs(got - want) <= 0.001 * fabs(want);
}

static void test_range(void)
{
  static const double values[] = { 1e-9, 0.001, 0.7, 1, 3, 511.5, 1e6, 1e12 };
  struct value_hist *h = calloc(1, sizeof(*h));
  struct value_sum *s = calloc(1, sizeof(*s));
  bool all = true;

  value_sum_add(s, h);
  OK(s->n == 0 && value_percentile(s, 50) == 0 && value_mean(s) == 0,
     "nothing");
  for (size_t i = 0; i < ARRAY_SIZE(values); i++)
    value_hist_record(h, values[i]);
  value_hist_record(h, NAN);
  value_sum_add(s, h);
  OK(s->n == ARRAY_SIZE(values), "what is no number is left out");
  OK(s->min == 1e-9 && s->max == 1e12, "limits are exact");
  for (size_t i = 0; i < ARRAY_SIZE(values); i++)
    all &= near(value_percentile(s, 12.5 * (double)(i + 1)), values[i]);
  OK(all, "every value within 0.1 %");

  value_hist_record(h, -5);
  value_hist_record(h, 0);
  value_hist_record(h, 1e15);
  memset(s, 0, sizeof(*s));
  value_sum_add(s, h);
  OK(s->min == -5 && s->max == 1e15 && value_percentile(s, 0) == 0,
     "below the range: the first bucket, which stands for 0");
  OK(value_percentile(s, 100) <= 0x1p40, "above it: the last one");
  free(h);
  free(s);
}

static void test_differences(void)
{
  struct value_hist *h = calloc(1, sizeof(*h));
  struct value_sum *before = calloc(1, sizeof(*before));
  struct value_sum *now = calloc(1, sizeof(*now));
  struct value_sum *diff = calloc(1, sizeof(*diff));

  value_hist_record(h, 7.3);
  value_sum_add(now, h);
  value_sum_sub(diff, now, before);
  OK(diff->n == 1 && diff->min == 7.3 && diff->max == 7.3,
     "from nothing: exact");
  value_sum_sub(diff, now, now);
  OK(diff->n == 0 && diff->max == 0, "nothing new");

  value_hist_record(h, 1000);
  value_sum_add(before, h);
  value_hist_record(h, 20);
  value_hist_record(h, 40);
  memset(now, 0, sizeof(*now));
  value_sum_add(now, h);
  value_sum_sub(diff, now, before);
  OK(diff->n == 2 && value_mean(diff) == 30, "what has come");
  OK(diff->min <= 20 && near(diff->min, 20) && diff->max >= 40 &&
       diff->max < 40 * 1.002 && near(value_percentile(diff, 50), 20),
     "its limits are those of buckets");

  memcpy(before, now, sizeof(*before));
  for (int i = 0; i < 3; i++)
    value_hist_record(h, 0);
  memset(now, 0, sizeof(*now));
  value_sum_add(now, h);
  value_sum_sub(diff, now, before);
  OK(diff->n == 3 && diff->min == 0 && diff->max == 0 &&
       value_percentile(diff, 50) == 0,
     "nothing but 0");
  free(h);
  free(before);
  free(now);
  free(diff);
}

/* Makes a tally with two counters, one of which comes in parts. */
static void tell(struct tally *t, double a, double b, const char *state,
                 uint64_t errors, const struct value_hist *h)
{
  struct error_count e = { .source = "db", .code = "5", .count = errors };
  struct value_sum *sum;

  (void)snprintf(e.state, sizeof(e.state), "%s", state);
  tally_clear(t);
  tally_count(t, "a", a);
  tally_count(t, "b", b / 2);
  tally_count(t, "b", b / 2);
  sum = tally_values(t, "wait", "ms");
  value_sum_add(sum, h);
  tally_error(t, &e);
}

static void test_periods(void)
{
  struct value_hist *h = calloc(1, sizeof(*h));
  struct tally *t = NULL;
  struct tally_report r;
  struct err err;

  OK(tally_new(&t, &err) == 0, "a tally");
  tally_total(t, &r);
  OK(r.n_counts == 0 && r.n_values == 0 && r.n_errors == 0, "is empty");

  value_hist_record(h, 4);
  tell(t, 10, 1, "40001", 3, h);
  tally_restart(t);
  value_hist_record(h, 6);
  tell(t, 12.5, -3, "40001", 4, h);
  tally_interval(t, &r);
  OK(r.n_counts == 2 && r.count[0].sum == 2.5 && r.count[1].sum == -4,
     "counters of an interval");
  OK_STR(r.count[1].name, "b", "by name");
  OK(r.n_values == 1 && r.values[0].values->n == 1 &&
       near(r.values[0].values->min, 6),
     "histograms");
  OK_STR(r.values[0].unit, "ms", "with their unit");
  OK(r.n_errors == 1 && r.error[0].count == 1, "errors");
  OK_STR(r.error[0].state, "40001", "by code");

  tell(t, 12.5, 0, "40001", 4, h);
  tally_interval(t, &r);
  OK(r.count[0].sum == 0 && r.count[1].sum == 3 && r.values[0].values->n == 0,
     "the next one begins anew");
  OK(r.n_errors == 0, "errors that did not happen are not there");

  /* A code that is missing in a tally has 0 there. */
  tell(t, 13, 0, "40002", 9, h);
  tally_clear(t);
  tally_count(t, "a", 20);
  tally_count(t, "c", 1);
  tally_total(t, &r);
  OK(r.n_counts == 3 && r.count[0].sum == 10 && r.count[2].sum == 1,
     "the total is since the restart");
  tally_free(t);
  free(h);
}

int main(void)
{
  test_range();
  test_differences();
  test_periods();
  return TAP_EXIT();
}
