/*
 * outage_report.c - how much a run's outages matter, and how they differ.
 */
#include "stats/outage_report.h"

#include <stdlib.h>

#include "base/clock.h"

bool outage_report_serious(const struct outage_report *r)
{
  return r && (r->outages > 0 || r->longest_ns >= NS_PER_S);
}

static int by_size(const void *a, const void *b)
{
  const uint64_t *x = a, *y = b;

  return (*x > *y) - (*x < *y);
}

struct outage_spread outage_spread_of(uint64_t *of, unsigned n)
{
  if (n == 0)
    return (struct outage_spread){ 0 };
  qsort(of, n, sizeof(*of), by_size);
  return (struct outage_spread){ .median_ns = of[n / 2],
                                 .p95_ns = of[n - 1 - n / 20],
                                 .max_ns = of[n - 1] };
}
