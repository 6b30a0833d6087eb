#include "tests/figure.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/facts.h"
#include "base/minmax.h"

void figure_sort(double *of, size_t n)
{
  qsort(of, n, sizeof(*of), order_real);
}

double figure_quantile(const double *sorted, size_t n, double q)
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

double figure_mad(const double *sorted, size_t n, double *scratch)
{
  const double median = figure_quantile(sorted, n, 0.5);

  for (size_t i = 0; i < n; i++)
    scratch[i] = fabs(sorted[i] - median);
  figure_sort(scratch, n);
  return figure_quantile(scratch, n, 0.5);
}

enum {
  KEY_SIZE = 96,
};

void figure_add(struct facts *to, const char *unit, double value,
                const char *name, ...)
{
  char shown[64], key[KEY_SIZE];
  va_list ap;

  if (!isfinite(value))
    return;
  va_start(ap, name);
  (void)vsnprintf(shown, sizeof(shown), name, ap);
  va_end(ap);
  (void)snprintf(key, sizeof(key), "figures.%s.value", shown);
  facts_real(to, key, value);
  (void)snprintf(key, sizeof(key), "figures.%s.unit", shown);
  facts_text(to, key, unit);
}
