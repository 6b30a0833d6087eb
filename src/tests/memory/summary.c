/*
 * summary.c - summarizes samples.
 */
#include "tests/memory/summary.h"

#include <math.h>
#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

void summary_sort(double *of, size_t n)
{
  qsort(of, n, sizeof(*of), ascending);
}

double summary_quantile(const double *sorted, size_t n, double q)
{
  const double at = q * (double)(n - 1);
  const size_t below = (size_t)at;

  if (n == 0)
    return NAN;
  if (below + 1 >= n)
    return sorted[n - 1];
  return sorted[below] +
         (at - (double)below) * (sorted[below + 1] - sorted[below]);
}

double summary_mad(const double *sorted, size_t n, double *scratch)
{
  const double median = summary_quantile(sorted, n, 0.5);

  for (size_t i = 0; i < n; i++)
    scratch[i] = fabs(sorted[i] - median);
  summary_sort(scratch, n);
  return summary_quantile(scratch, n, 0.5);
}
