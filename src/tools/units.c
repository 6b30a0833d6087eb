#include "tools/units.h"

#include <math.h>
#include <stdio.h>

#include "base/compiler.h"

/* Larger factors need no digits. */
#define SHARE_MAX 100

struct unit {
  double size;
  const char *name;
};

static const struct unit times[] = {
  { 1, " ns" }, { 1e3, " us" }, { 1e6, " ms" }, { 1e9, " s" }
};
static const struct unit counts[] = {
  { 1, "" }, { 1e6, "M" }, { 1e9, "G" }, { 1e12, "T" }
};

static const struct unit *units_choose(const struct unit *of, size_t n,
                                       double value)
{
  const struct unit *unit = &of[0];

  /* 999.96 would be printed as 1000. */
  for (size_t i = 1; i < n; i++) {
    if (fabs(value) >= 0.99995 * of[i].size)
      unit = &of[i];
  }
  return unit;
}

static int units_decimals(double value)
{
  value = fabs(value);
  return value >= 999.95 ? 0 : value >= 99.995 ? 1 : value >= 9.9995 ? 2 : 3;
}

const char *unit_time(char buf[UNIT_SIZE], double ns)
{
  const struct unit *u = units_choose(times, ARRAY_SIZE(times), ns);

  if (!isfinite(ns))
    return "-";
  (void)snprintf(buf, UNIT_SIZE, "%.*f%s", units_decimals(ns / u->size),
                 ns / u->size, u->name);
  return buf;
}

const char *unit_count(char buf[UNIT_SIZE], double value)
{
  const struct unit *u = units_choose(counts, ARRAY_SIZE(counts), value);

  if (!isfinite(value))
    return "-";
  (void)snprintf(
    buf, UNIT_SIZE, "%.*f%s",
    value == round(value) && u == counts ? 0 : units_decimals(value / u->size),
    value / u->size, u->name);
  return buf;
}

const char *unit_share(char buf[UNIT_SIZE], double share)
{
  if (!isfinite(share))
    return "-";
  if (share > SHARE_MAX)
    return "> 10000 %";
  (void)snprintf(buf, UNIT_SIZE, "%.*f %%", fabs(share) < 0.0995 ? 2 : 1,
                 100 * share);
  return buf;
}

const char *unit_change(char buf[UNIT_SIZE], double ratio)
{
  const double share = ratio - 1;

  if (!isfinite(ratio))
    return "-";
  if (share > SHARE_MAX)
    return "> +10000 %";
  (void)snprintf(buf, UNIT_SIZE, "%+.*f %%", fabs(share) < 0.0995 ? 2 : 1,
                 100 * share);
  return buf;
}
