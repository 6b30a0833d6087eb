/*
 * binomial.c - by the incomplete beta function, which continues the tails to
 * fractions.
 */
#include "stats/binomial.h"

#include <math.h>
#include <stdbool.h>

enum {
  STEPS = 100000
};

#define TINY 1e-300
#define PRECISION 1e-15

static double binomial_not_zero(double x)
{
  return fabs(x) < TINY ? TINY : x;
}

/* Lentz's method; converges fast for x below the mean. */
static double binomial_beta_fraction(double a, double b, double x)
{
  double c = 1.0, d = 1.0 / binomial_not_zero(1.0 - (a + b) * x / (a + 1.0));
  double f = d;

  for (int i = 1; i < STEPS; i++) {
    const double even = i * (b - i) * x / ((a + 2.0 * i - 1) * (a + 2.0 * i));
    const double odd = -(a + i) * (a + b + i) * x /
                       ((a + 2.0 * i) * (a + 2.0 * i + 1));
    double step;

    d = 1.0 / binomial_not_zero(1.0 + even * d);
    c = binomial_not_zero(1.0 + even / c);
    f *= c * d;
    d = 1.0 / binomial_not_zero(1.0 + odd * d);
    c = binomial_not_zero(1.0 + odd / c);
    step = c * d;
    f *= step;
    if (fabs(step - 1.0) < PRECISION)
      break;
  }
  return f;
}

/* lgamma() writes to a global variable. */
static double log_gamma(double x)
{
  int sign;

  return lgamma_r(x, &sign);
}

/* Regularised and incomplete; a, b > 0. */
static double binomial_beta(double a, double b, double x)
{
  const bool mirrored = x > (a + 1.0) / (a + b + 2.0);
  double front;

  if (x <= 0.0)
    return 0.0;
  if (x >= 1.0)
    return 1.0;
  front = exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) +
              b * log1p(-x));
  return mirrored ? 1.0 - front * binomial_beta_fraction(b, a, 1.0 - x) / b
                  : front * binomial_beta_fraction(a, b, x) / a;
}

double binomial_at_most(double trials, double hits, double share)
{
  if (hits < 0.0)
    return 0.0;
  if (hits >= trials)
    return 1.0;
  return binomial_beta(trials - hits, hits + 1.0, 1.0 - share);
}

double binomial_at_least(double trials, double hits, double share)
{
  if (hits <= 0.0)
    return 1.0;
  if (hits > trials)
    return 0.0;
  return binomial_beta(hits, trials - hits + 1.0, share);
}
