#include "stats/trend.h"

#include <math.h>

#define MIN_CHANGE 0.1

/*
 * Kendall's statistic in standard deviations. Six rates, those of eight
 * intervals, reach the limit only in perfect order: by chance in 1 of 360
 * cases.
 */
#define MIN_ORDER 2.6

/* By simulation: 1 of 100 series at most, independent or with neighbours that
 * correlate by a half. */
#define BEGIN_APART 1.5

/* In rates: two slow ones by chance are too frequent. */
enum {
  FIRST_MIN = 3,
  BEGIN_SPANS_MIN = 9
};

void trend_start(struct trend *t, uint64_t now_ns, uint64_t events)
{
  t->n = 1;
  t->step = 1;
  t->skipped = 0;
  t->at_ns[0] = now_ns;
  t->events[0] = events;
}

static void trend_thin_out(struct trend *t)
{
  unsigned n = 0;

  for (unsigned i = 0; i < t->n; i += 2) {
    t->at_ns[n] = t->at_ns[i];
    t->events[n++] = t->events[i];
  }
  t->n = n;
  t->step *= 2;
}

void trend_note(struct trend *t, uint64_t now_ns, uint64_t events)
{
  if (t->n == 0 || now_ns <= t->at_ns[t->n - 1])
    return;
  if (++t->skipped < t->step)
    return;
  t->skipped = 0;
  if (t->n == TREND_MOMENTS)
    trend_thin_out(t);
  t->at_ns[t->n] = now_ns;
  t->events[t->n++] = events;
}

struct rates {
  double mean, low, high;
};

static double trend_rate_at(const struct trend *t, unsigned i)
{
  return (double)(t->events[i + 1] - t->events[i]) * 1e9 /
         (double)(t->at_ns[i + 1] - t->at_ns[i]);
}

static struct rates rates_of(const struct trend *t, unsigned first, unsigned n)
{
  struct rates r = { 0.0, INFINITY, 0.0 };

  for (unsigned i = first; i < first + n; i++) {
    const double rate = trend_rate_at(t, i);

    r.mean += rate / n;
    r.low = fmin(r.low, rate);
    r.high = fmax(r.high, rate);
  }
  return r;
}

/* Ascending, or if negative, descending: the test of Mann and Kendall. */
static double trend_order_of(const struct trend *t, unsigned first, unsigned n)
{
  const double variance = n * (n - 1.0) * (2.0 * n + 5) / 18;
  double s = 0;

  for (unsigned i = first; i < first + n; i++) {
    for (unsigned k = i + 1; k < first + n; k++)
      s += (trend_rate_at(t, k) > trend_rate_at(t, i)) -
           (trend_rate_at(t, k) < trend_rate_at(t, i));
  }
  return (s > 0 ? s - 1 : s < 0 ? s + 1 : 0) / sqrt(variance);
}

bool trend_find(const struct trend *t, double *ret)
{
  const unsigned spans = t->n > 0 ? t->n - 1 : 0;
  const unsigned quarter = spans / 4;
  struct rates second, third, last;
  double change, order;

  if (spans < TREND_SPANS_MIN)
    return false;
  last = rates_of(t, spans - quarter, quarter);
  third = rates_of(t, spans - 2 * quarter, quarter);
  second = rates_of(t, spans - 3 * quarter, quarter);
  if (third.mean <= 0.0)
    return false;
  change = last.mean / third.mean - 1.0;
  order = trend_order_of(t, spans - 3 * quarter, 3 * quarter);
  if (fabs(change) < MIN_CHANGE || fabs(order) < MIN_ORDER)
    return false;
  if (change > 0.0 && (last.low <= third.high || third.mean <= second.mean))
    return false;
  if (change < 0.0 && (last.high >= third.low || third.mean >= second.mean))
    return false;
  *ret = change;
  return true;
}

bool trend_begins_apart(const struct trend *t, double *ret)
{
  const unsigned spans = t->n > 0 ? t->n - 1 : 0;
  const unsigned half = (spans + 1) / 2;
  const unsigned first = spans / 4 > FIRST_MIN ? spans / 4 : FIRST_MIN;
  struct rates begin, middle, end;
  double change, apart;

  if (spans < BEGIN_SPANS_MIN)
    return false;
  begin = rates_of(t, 0, first);
  middle = rates_of(t, first, spans - first - half);
  end = rates_of(t, spans - half, half);
  if (end.mean <= 0.0)
    return false;
  change = begin.mean / end.mean - 1.0;
  apart = change < 0.0 ? end.low - begin.high : begin.low - end.high;
  if (fabs(change) < MIN_CHANGE || apart < BEGIN_APART * (end.high - end.low) ||
      (middle.mean > begin.mean) != (change < 0.0))
    return false;
  *ret = rates_of(t, 0, spans).mean / end.mean - 1.0;
  return true;
}
