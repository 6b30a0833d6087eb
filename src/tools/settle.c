/*
 * settle.c - how many repeats, or how much longer runs, make a comparison
 * certain.
 */
#include "tools/settle.h"

#include <math.h>
#include <stdbool.h>

#include "tools/bootstrap.h"
#include "tools/numbers.h"

/* Half of the width of the interval, on the scale of logarithms. */
static double half_width(const struct boot_result *r)
{
  return log(r->high / r->low) / 2;
}

/* False: the throughput is 0, or the interval is not finite. */
static bool is_usable(const struct boot_result *r)
{
  return r->low > 0 && isfinite(half_width(r)) && isfinite(r->df);
}

/*
 * The half width that is narrow enough.  An interval as narrow as the threshold
 * would contain it in every second case, hence the reserve, which is that of
 * boot_result.smallest.  A change close to the threshold needs a narrower one,
 * but only if the change is known well enough.
 */
static double target(const struct boot_result *r, double share)
{
  const double z = numbers_normal_quantile(1 - (1 - BOOT_CONFIDENCE) / 2);
  const double reserve = (z + numbers_normal_quantile(0.8)) / z;
  const double wanted = log1p(share) / reserve;
  double near;

  if (half_width(r) > wanted)
    return wanted;
  near = fabs(fabs(log(r->ratio)) -
              (r->ratio < 1 ? -log1p(-share) : log1p(share)));
  return fmin(near, half_width(r)) / reserve;
}

static double student(double df)
{
  return numbers_student_quantile(1 - (1 - BOOT_CONFIDENCE) / 2, df);
}

/* How much narrower the interval is with so many runs.  Each repeat adds a
 * degree of freedom on each side. */
static double narrower(const struct boot_result *r, size_t runs)
{
  const double now = (double)r->runs, then = (double)runs;

  return sqrt(now / then) * student(r->df + 2 * (then - now)) / student(r->df);
}

unsigned settle_repeats(const struct boot_result *r, double share)
{
  const double wanted = target(r, share);

  if (!is_usable(r) || !(wanted > 0))
    return 0;
  for (size_t n = r->runs + 1; n <= SETTLE_REPEATS_MAX; n++) {
    if (half_width(r) * narrower(r, n) <= wanted)
      return (unsigned)n;
  }
  return 0;
}

double settle_longer(const struct boot_result *r, double share, size_t runs)
{
  double wanted, left, times;

  if (!is_usable(r))
    return 0;
  wanted = target(r, share) / half_width(r) / narrower(r, runs);
  left = wanted * wanted - (1 - r->within); /* for noise within the runs */
  if (!(left > 0))
    return 0;
  times = r->within / left;
  return times > 1 && times <= SETTLE_LONGER_MAX ? times : 0;
}
