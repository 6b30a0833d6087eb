/*
 * axis.h - places of values on a chart, and the round numbers beside it.
 */
#ifndef BENCH_TOOLS_AXIS_H
#define BENCH_TOOLS_AXIS_H

#include <stdbool.h>
#include <stddef.h>

enum axis_kind {
  AXIS_LINEAR,
  AXIS_LOG,        /* of values above 0 */
  AXIS_PERCENTILE, /* 0..100, with more room the closer to 100 */
};

enum axis_unit {
  AXIS_PLAIN,
  AXIS_SECONDS,
  AXIS_TIME, /* nanoseconds */
  AXIS_COUNT,
  AXIS_SHARE, /* percent */
  AXIS_BYTES,
};

enum {
  AXIS_TICKS_MAX = 40
};

struct tick {
  double value;
  char label[48];
};

struct axis {
  const char *label; /* with the unit, unless the numbers show it */
  enum axis_kind kind;
  enum axis_unit unit;
  bool from_zero; /* LINEAR */
  bool tight;     /* LINEAR: the limits are those of the values */

  /* [opt] The values of ticks, and their texts (NULL: the number). */
  const double *at;
  const char *const *names;
  size_t n_at;

  /* Set by axis_fit(). */
  double low, high;
  struct tick ticks[AXIS_TICKS_MAX];
  size_t n_ticks;
};

/* Choose limits that include low..high (up to 1e300), and at most `max`
 * ticks. */
void axis_fit(struct axis *a, double low, double high, unsigned max);

/* The place of a value: 0 to 1, or outside of that for a value outside the
 * limits. */
double axis_place(const struct axis *a, double value);

#endif
