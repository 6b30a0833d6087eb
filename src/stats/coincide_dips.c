/*
 * coincide_dips.c - where a run stumbles, and what it loses there.
 */
#include "stats/coincide_dips.h"

#include <math.h>
#include <stdlib.h>

#include "base/minmax.h"
#include "stats/coincide.h"

#define DIP 0.8
#define PEAK 3.0

enum {
  USUAL_MIN = 8,   /* of fewer intervals, none is unusual */
  AROUND_MIN = 15, /* intervals on each side of a running median... */
  AROUND_MAX = 60,
  AROUND_SHARE = 16 /* ...are so many of all */
};

static int by_value(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

double coincide_median(double *of, size_t n)
{
  if (n == 0)
    return NAN;
  qsort(of, n, sizeof(*of), by_value);
  return n % 2 ? of[n / 2] : (of[n / 2 - 1] + of[n / 2]) / 2;
}

static double median_around(const double *v, size_t n, size_t at)
{
  double near[2 * AROUND_MAX + 1];
  const size_t around = max_u64(AROUND_MIN,
                                min_u64(AROUND_MAX, n / AROUND_SHARE));
  const size_t first = at > around ? at - around : 0;
  size_t k = 0;

  for (size_t i = first; i < n && i <= at + around; i++) {
    if (isfinite(v[i]))
      near[k++] = v[i];
  }
  return coincide_median(near, k);
}

/* How far from the median around it is the interval?  From 0 to 1; 0: it is in
 * no dip. */
struct depth {
  double rate;    /* in a dip or not */
  double latency; /* of a peak */
  bool low;       /* the rate is that of a dip */
};

static struct depth depth_at(const struct coincide_input *in, size_t i)
{
  const double rate = median_around(in->rate, in->n, i);
  const double latency = median_around(in->latency, in->n, i);
  struct depth d = { .low = in->rate[i] < DIP * rate };

  if (in->rate[i] < rate)
    d.rate = 1 - in->rate[i] / rate;
  if (latency > 0 && in->latency[i] > PEAK * latency)
    d.latency = 1 - latency / in->latency[i];
  return d;
}

/* What was lost in a dip is what the rate lacks.  Events that end in an
 * interval may have waited in those before it: their latencies count only where
 * the rate is never low. */
static void note_loss(const struct coincide_input *in,
                      const struct coincide_dip *dip, bool low, double *loss)
{
  for (size_t i = dip->first; !low && i <= dip->last; i++) {
    const struct depth d = depth_at(in, i);

    loss[i] = fmax(d.rate, d.latency);
  }
}

/* Dips begin and end in the middle of intervals: those beside one belong to
 * what was lost in it. */
static void keep_edges(const bool *dip, size_t n, double *loss)
{
  for (size_t i = 0; i < n; i++) {
    if (!dip[i] && !(i > 0 && dip[i - 1]) && !(i + 1 < n && dip[i + 1]))
      loss[i] = 0;
  }
}

size_t coincide_dips(const struct coincide_input *in, bool *ret_dip,
                     double *ret_loss, struct coincide_dip *ret)
{
  bool low = false; /* in the dip that goes on */
  double sum = 0;
  size_t k = 0;

  if (in->n < USUAL_MIN) {
    for (size_t i = 0; i < in->n; i++) {
      ret_dip[i] = false;
      ret_loss[i] = 0;
    }
    return 0;
  }
  for (size_t i = 0; i < in->n; i++) {
    const struct depth d = depth_at(in, i);
    const double depth = fmax(d.low ? d.rate : 0, d.latency);

    ret_loss[i] = d.rate;
    ret_dip[i] = depth > 0;
    sum += depth;
    if (!ret_dip[i])
      continue;
    if (i > 0 && ret_dip[i - 1]) {
      ret[k - 1].last = i;
      ret[k - 1].weight += depth;
      low |= d.low;
    } else {
      if (k > 0)
        note_loss(in, &ret[k - 1], low, ret_loss);
      ret[k++] = (struct coincide_dip){ i, i, depth };
      low = d.low;
    }
  }
  if (k > 0)
    note_loss(in, &ret[k - 1], low, ret_loss);
  for (size_t d = 0; d < k; d++)
    ret[d].weight *= (double)k / sum;
  keep_edges(ret_dip, in->n, ret_loss);
  return k;
}
