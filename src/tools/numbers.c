#include "tools/numbers.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/minmax.h"

/* The time for all lags grows with their square: longer dependence is estimated
 * from means of TOGETHER numbers. */
enum {
  LAGS_MAX = 1024,
  TOGETHER = 16
};

void numbers_sort(double *x, size_t n)
{
  if (n > 1)
    qsort(x, n, sizeof(*x), order_real);
}

double numbers_quantile(const double *sorted, size_t n, double q)
{
  const double at = q * (double)(n > 0 ? n - 1 : 0);
  const size_t low = (size_t)at;

  if (n == 0)
    return NAN;
  if (low + 1 >= n)
    return sorted[n - 1];
  return sorted[low] + (at - (double)low) * (sorted[low + 1] - sorted[low]);
}

struct spread spread_of(const double *x, size_t n)
{
  struct spread s = { 0, NAN, NAN, NAN, NAN, 0 };
  double *sorted = calloc(n + 1, sizeof(*sorted));
  double sum = 0, squares = 0;

  if (!sorted)
    return s;
  for (size_t i = 0; i < n; i++) {
    if (!isfinite(x[i]))
      continue;
    sorted[s.n++] = x[i];
    sum += x[i];
  }
  if (s.n > 0) {
    numbers_sort(sorted, s.n);
    s.min = sorted[0];
    s.max = sorted[s.n - 1];
    s.median = numbers_quantile(sorted, s.n, 0.5);
    s.mean = sum / (double)s.n;
  }
  for (size_t i = 0; i < s.n; i++)
    squares += (sorted[i] - s.mean) * (sorted[i] - s.mean);
  if (s.n > 1)
    s.variance = squares / (double)(s.n - 1);
  free(sorted);
  return s;
}

/* Acklam's rational approximation, refined by one step of Halley's method. */
double numbers_normal_quantile(double p)
{
  static const double a[] = { -3.969683028665376e+01, 2.209460984245205e+02,
                              -2.759285104469687e+02, 1.383577518672690e+02,
                              -3.066479806614716e+01, 2.506628277459239e+00 };
  static const double b[] = { -5.447609879822406e+01, 1.615858368580409e+02,
                              -1.556989798598866e+02, 6.680131188771972e+01,
                              -1.328068155288572e+01 };
  static const double c[] = { -7.784894002430293e-03, -3.223964580411365e-01,
                              -2.400758277161838e+00, -2.549732539343734e+00,
                              4.374664141464968e+00,  2.938163982698783e+00 };
  static const double d[] = { 7.784695709041462e-03, 3.224671290700398e-01,
                              2.445134137142996e+00, 3.754408661907416e+00 };
  const double tail = p < 0.5 ? p : 1 - p;
  double q, r, x, e, u;

  if (tail < 0.02425) {
    q = sqrt(-2 * log(tail));
    x = (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) /
        ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1);
    if (p > 0.5)
      x = -x;
  } else {
    q = p - 0.5;
    r = q * q;
    x = (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) *
        q / (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1);
  }
  e = 0.5 * erfc(-x / M_SQRT2) - p;
  u = e * sqrt(2 * M_PI) * exp(x * x / 2);
  return x - u / (1 + x * u / 2);
}

/* Hill's expansion fails between df 1 and 2: a parabola in 1 / df through the
 * quantiles of 1, 2 and 3, almost straight on the scale of asinh(). */
static double numbers_student_low(double p, double df)
{
  const double x = 1 / df;
  const double one = asinh(numbers_student_quantile(p, 1));
  const double two = asinh(numbers_student_quantile(p, 2));
  const double three = asinh(numbers_student_quantile(p, 3));

  return sinh(one * (x - 1. / 2) * (x - 1. / 3) * 3 -
              two * (x - 1) * (x - 1. / 3) * 12 +
              three * (x - 1) * (x - 1. / 2) * 9);
}

/* Hill's expansion around the normal distribution; exact for df 1 and 2. */
double numbers_student_quantile(double p, double df)
{
  const double z = numbers_normal_quantile(p);
  const double two = 2 * (1 - p);
  double a, b, c, d, x, y;

  if (df <= 1)
    return 1 / tan(two * M_PI_2);
  if (df < 2)
    return numbers_student_low(p, df);
  if (df == 2)
    return sqrt(2 / (two * (2 - two)) - 2);
  a = 1 / (df - 0.5);
  b = 48 / (a * a);
  c = ((20700 * a / b - 98) * a - 16) * a + 96.36;
  d = ((94.5 / (b + c) - 3) / b + 1) * sqrt(a * M_PI_2) * df;
  x = d * two;
  y = pow(x, 2 / df);
  if (y > 0.05 + a) {
    x = -z;
    y = x * x;
    if (df < 5)
      c += 0.3 * (df - 4.5) * (x + 0.6);
    c += (((0.05 * d * x - 5) * x - 7) * x - 2) * x + b;
    y = (((((0.4 * y + 6.3) * y + 36) * y + 94.5) / c - y - 3) / b + 1) * x;
    y = expm1(a * y * y);
  } else {
    y = ((1 / (((df + 6) / (df * y) - 0.089 * d - 0.822) * (df + 2) * 3) +
          0.5 / (df + 4)) *
           y -
         1) *
          (df + 1) / (df + 2) +
        1 / y;
  }
  return sqrt(df * y);
}

static double numbers_coarser_time(const double *x, size_t n)
{
  const size_t m = n / TOGETHER;
  double *means = calloc(m, sizeof(*means));
  double tau = 1;

  for (size_t i = 0; means && i < m * TOGETHER; i++)
    means[i / TOGETHER] += x[i] / TOGETHER;
  if (means)
    tau = numbers_autocorrelation(means, m);
  free(means);
  return TOGETHER * tau;
}

double numbers_autocorrelation(const double *x, size_t n)
{
  const struct spread s = spread_of(x, n);
  double tau = 1;

  if (s.n < n || n < 4 || s.variance <= 0)
    return 1;
  /* Sokal's window: no lag beyond five times the sum so far. */
  for (size_t lag = 1; lag < n / 2; lag++) {
    double sum = 0;

    if (lag > LAGS_MAX)
      return numbers_coarser_time(x, n);
    for (size_t i = 0; i + lag < n; i++)
      sum += (x[i] - s.mean) * (x[i + lag] - s.mean);
    tau += 2 * sum / ((double)(n - 1) * s.variance);
    if ((double)lag >= 5 * tau)
      break;
  }
  return tau > 1 ? tau : 1;
}

static double numbers_variance_of_mean(const struct variance_run *r)
{
  const double independent = (double)r->n /
                             numbers_autocorrelation(r->samples, r->n);

  return spread_of(r->samples, r->n).variance / fmax(independent, 1);
}

struct variance variance_of(const struct variance_run *runs, size_t n)
{
  const struct variance unknown = { NAN, NAN, NAN };
  double *values = calloc(n + 1, sizeof(*values));
  struct variance v = unknown;
  struct spread s;
  double within = 0, between, sum;
  bool known = values && n >= 2;

  for (size_t i = 0; i < n && known; i++) {
    values[i] = runs[i].value;
    known = runs[i].n >= VARIANCE_SAMPLES_MIN && isfinite(runs[i].value);
    if (known)
      within += numbers_variance_of_mean(&runs[i]) / (double)n;
  }
  s = known ? spread_of(values, n) : (struct spread){ .mean = NAN };
  free(values);
  if (!known || !(s.mean > 0) || !isfinite(within))
    return unknown;
  between = fmax(s.variance - within, 0);
  sum = between + within;
  v.spread = sqrt(sum) / s.mean;
  v.between = sum > 0 ? between / sum : 0;
  v.within = 1 - v.between;
  return v;
}
