/*
 * rand_check.h - the statistics that the tests of random numbers share.
 */
#ifndef TESTS_UNIT_RAND_CHECK_H
#define TESTS_UNIT_RAND_CHECK_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

/* Every statistical check is repeated with each of these seeds. */
static const uint64_t check_seeds[] = { 1, 42, 20240229 };

/*
 * The upper part of the incomplete gamma function, Q(a, x): by the series of
 * its complement below a + 1, by a continued fraction (Lentz) above.
 */
static inline double gamma_q(double a, double x)
{
  const double front = exp(a * log(x) - x - lgamma(a));

  if (x <= 0)
    return 1;
  if (x < a + 1) {
    double term = 1 / a, sum = term;

    for (int i = 1; i < 10000 && term > sum * 1e-15; i++) {
      term *= x / (a + i);
      sum += term;
    }
    return 1 - sum * front;
  }
  double b = x + 1 - a, c = 1e300, d = 1 / b, h = d;

  for (int i = 1; i < 10000; i++) {
    const double an = -i * (i - a);
    double factor;

    b += 2;
    d = 1 / (an * d + b);
    c = b + an / c;
    factor = c * d;
    h *= factor;
    if (fabs(factor - 1) < 1e-15)
      break;
  }
  return h * front;
}

struct chi2 {
  double value;
  int df;
  double p; /* probability of a value at least as large */
};

/*
 * Compare counts with shares that sum up to 1.  Neighbouring cells are joined
 * from the left until each expects at least 10.
 */
static inline struct chi2 chi2_test(const uint64_t *count, const double *share,
                                    size_t cells)
{
  struct chi2 r = { 0, -1, 1 };
  double total = 0, expected = 0, seen = 0, left;

  for (size_t i = 0; i < cells; i++)
    total += (double)count[i];
  left = total;
  for (size_t i = 0; i < cells; i++) {
    expected += share[i] * total;
    seen += (double)count[i];
    if ((expected < 10 || left - expected < 10) && i + 1 < cells)
      continue; /* the remainder for the last cell must count as well */
    if (expected > 0)
      r.value += (seen - expected) * (seen - expected) / expected;
    else if (seen > 0)
      r.value = INFINITY;
    left -= expected;
    expected = seen = 0;
    r.df++;
  }
  if (r.df > 0)
    r.p = gamma_q(r.df / 2.0, r.value / 2);
  return r;
}

/* Test whether all `cells` values are equally likely. */
static inline struct chi2 chi2_even(const uint64_t *count, size_t cells)
{
  double share[256];

  for (size_t i = 0; i < cells; i++)
    share[i] = 1 / (double)cells;
  return chi2_test(count, share, cells);
}

#define CHI2_OK(test) ((test).p > 0.0001)

#endif
