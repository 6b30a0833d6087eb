/*
 * axis.c - scales and their ticks.
 */
#include "tools/axis.h"

#include <math.h>
#include <stdio.h>

#include "tools/units.h"

/* Whatever a file contains, limits with their margins and their difference stay
 * finite, and there are numbers between them. */
#define LARGEST 1e300
#define NEAREST 1e-300

static double bounded(double value)
{
  return value > LARGEST ? LARGEST : value < -LARGEST ? -LARGEST : value;
}

/* The value on a scale that is linear on paper. */
static double stretch(const struct axis *a, double value)
{
  switch (a->kind) {
  case AXIS_LINEAR:
    break;
  case AXIS_LOG:
    return log10(value);
  case AXIS_PERCENTILE:
    return -log10(1 - fmin(value, 99.9999999999) / 100);
  }
  return value;
}

double axis_place(const struct axis *a, double value)
{
  const double low = stretch(a, a->low), high = stretch(a, a->high);

  return high > low ? (stretch(a, value) - low) / (high - low) : 0.5;
}

static void label(const struct axis *a, double value, char out[48])
{
  char text[UNIT_SIZE];

  switch (a->unit) {
  case AXIS_TIME:
    (void)snprintf(out, 48, "%s",
                   value == 0 ? "0" : unit_time_short(text, value));
    return;
  case AXIS_COUNT:
    (void)snprintf(out, 48, "%s", unit_count_short(text, value));
    return;
  case AXIS_BYTES:
    (void)snprintf(out, 48, "%sB", unit_count_short(text, value));
    return;
  case AXIS_SHARE:
    /* As many digits as 99.999999 has; further ones are noise. */
    (void)snprintf(out, 48, "%.12g%%", value);
    return;
  case AXIS_PLAIN:
  case AXIS_SECONDS:
    break;
  }
  (void)snprintf(out, 48, "%.6g", value);
}

static void add_tick(struct axis *a, double value, const char *name)
{
  struct tick *t = &a->ticks[a->n_ticks];

  if (a->n_ticks == AXIS_TICKS_MAX)
    return;
  t->value = value;
  if (name)
    (void)snprintf(t->label, sizeof(t->label), "%.40s", name);
  else
    label(a, value, t->label);
  a->n_ticks++;
}

/* 1, 2 or 5 times a power of ten, so that `max` of these steps cover
 * `range`. */
static double nice_step(double range, unsigned max)
{
  const double raw = range / max;
  const double power = pow(10, floor(log10(raw)));
  const double lead = raw / power;

  return power * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
}

static void fit_linear(struct axis *a, double low, double high, unsigned max)
{
  double step;
  long first, last;

  if (a->from_zero && low > 0)
    low = 0;
  if (!(high - low > NEAREST))
    high = low + (fabs(low) > NEAREST ? fabs(low) : 1);
  step = nice_step(high - low, max);
  first = lround(floor(low / step + 1e-9));
  last = lround(ceil(high / step - 1e-9));
  a->low = a->tight ? low : (double)first * step;
  a->high = a->tight ? high : (double)last * step;
  if (a->tight && (double)first * step < low - 1e-9 * step)
    first++;
  if (a->tight && (double)last * step > high + 1e-9 * step)
    last--;
  for (long i = first; i <= last; i++)
    add_tick(a, round((double)i * step / step * 1e9) / 1e9 * step, NULL);
}

/* The range is less than a power of ten: use round numbers, as on a linear
 * axis. */
static void add_narrow_ticks(struct axis *a, unsigned max)
{
  const double step = nice_step(a->high - a->low, max);

  for (long i = lround(ceil(a->low / step)); (double)i * step <= a->high; i++)
    add_tick(a, (double)i * step, NULL);
}

static void fit_log(struct axis *a, double low, double high, unsigned max)
{
  static const double leads[] = { 1, 2, 5 };
  int first, last, every = 1, fine;

  low = low > 0 ? low : 1;
  high = high > low ? high : 10 * low;
  low /= 1.15; /* so that lines do not lie on the frame */
  high *= 1.15;
  a->low = low;
  a->high = high;
  if (high / low < 10) {
    add_narrow_ticks(a, max);
    return;
  }
  first = (int)floor(log10(low));
  last = (int)ceil(log10(high));
  while ((unsigned)((last - first) / every) + 1 > max)
    every++;
  fine = every == 1 && (unsigned)(3 * (last - first)) <= max ? 3 : 1;
  for (int e = first; e <= last; e += every) {
    for (int k = 0; k < fine; k++) {
      const double value = leads[k] * pow(10, e);

      if (value >= low * 0.999 && value <= high * 1.001)
        add_tick(a, value, NULL);
    }
  }
}

static void fit_percentile(struct axis *a, double high)
{
  static const double round_ones[] = { 0,        50,       90,     99,
                                       99.9,     99.99,    99.999, 99.9999,
                                       99.99999, 99.999999 };

  a->low = 0;
  a->high = high > 50 ? high : 90;
  for (size_t i = 0; i < sizeof(round_ones) / sizeof(round_ones[0]); i++) {
    /* With many nines there is no room between 0 and 90. */
    if (round_ones[i] == 50 && a->high > 99.999)
      continue;
    if (round_ones[i] <= a->high)
      add_tick(a, round_ones[i], NULL);
  }
}

/* Use the ticks that were asked for, as far as there is room. */
static void fit_given(struct axis *a, unsigned max)
{
  double last = -1;

  for (size_t i = 0; i < a->n_at; i++) {
    const double place = axis_place(a, a->at[i]);

    if (last >= 0 && place - last < 1.0 / max)
      continue;
    last = place;
    add_tick(a, a->at[i], a->names ? a->names[i] : NULL);
  }
}

void axis_fit(struct axis *a, double low, double high, unsigned max)
{
  low = bounded(low);
  high = bounded(high);
  a->n_ticks = 0;
  if (a->n_at > 0) {
    a->low = low;
    a->high = high;
    fit_given(a, max);
    return;
  }
  switch (a->kind) {
  case AXIS_LINEAR:
    fit_linear(a, low, high, max);
    break;
  case AXIS_LOG:
    fit_log(a, low, high, max);
    break;
  case AXIS_PERCENTILE:
    fit_percentile(a, high);
    break;
  }
}
