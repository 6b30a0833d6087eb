/*
 * test_numbers.c - statistics of a handful of numbers.
 */
#include <math.h>
#include <stdbool.h>

#include "stats/rand/rng.h"
#include "tests/unit/tap.h"
#include "tools/numbers.h"

static bool near(double got, double want, double rel)
{
  const bool ok = fabs(got - want) <= rel * fabs(want) + 1e-12;

  if (!ok)
    printf("# got %.9g, want %.9g\n", got, want);
  return ok;
}

static void test_spread(void)
{
  const double odd[] = { 5, 1, 3 }, even[] = { 4, 1, 3, 2 };
  const double holes[] = { NAN, 2, INFINITY, 4 };
  struct spread s = spread_of(odd, 3);

  OK(s.n == 3 && s.median == 3 && s.min == 1 && s.max == 5, "three numbers");
  OK(near(s.variance, 4, 1e-12), "variance");
  s = spread_of(even, 4);
  OK(s.median == 2.5, "median of an even number of numbers");
  s = spread_of(holes, 4);
  OK(s.n == 2 && s.median == 3 && s.max == 4, "what is not finite is left out");
  s = spread_of(odd, 1);
  OK(s.median == 5 && s.variance == 0, "one number");
  s = spread_of(odd, 0);
  OK(s.n == 0 && isnan(s.median) && isnan(s.mean), "none");
}

static void test_quantiles(void)
{
  /* The values are from tables of the distributions. */
  static const struct {
    double p, df, want;
  } t[] = {
    { 0.975, 1, 12.7062 },   { 0.995, 1, 63.6567 },  { 0.975, 2, 4.30265 },
    { 0.995, 2, 9.92484 },   { 0.975, 3, 3.18245 },  { 0.995, 3, 5.84091 },
    { 0.995, 4, 4.60409 },   { 0.975, 5, 2.57058 },  { 0.995, 8, 3.35539 },
    { 0.9, 10, 1.37218 },    { 0.995, 10, 3.16927 }, { 0.995, 30, 2.75 },
    { 0.975, 120, 1.97993 }, { 0.975, 1.5, 6.0167 }, { 0.995, 2.3, 8.0037 },
  };
  const double sorted[] = { 1, 2, 3, 4, 5 };

  OK(near(numbers_normal_quantile(0.975), 1.959963985, 1e-8), "normal, 0.975");
  OK(near(numbers_normal_quantile(0.995), 2.575829304, 1e-8), "normal, 0.995");
  OK(near(numbers_normal_quantile(0.001), -3.090232306, 1e-8), "normal, 0.001");
  OK(near(numbers_normal_quantile(0.8), 0.841621234, 1e-8), "normal, 0.8");
  for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++)
    OK(near(numbers_student_quantile(t[i].p, t[i].df), t[i].want, 0.01),
       "Student");
  OK(near(numbers_student_quantile(0.995, 1.25), 29.272, 0.02),
     "Student, below 2");
  OK(numbers_quantile(sorted, 5, 0.5) == 3, "the middle");
  OK(numbers_quantile(sorted, 5, 0) == 1 && numbers_quantile(sorted, 5, 1) == 5,
     "the ends");
  OK(near(numbers_quantile(sorted, 5, 0.1), 1.4, 1e-12), "between two");
  OK(isnan(numbers_quantile(sorted, 0, 0.5)), "of nothing");
}

static void test_autocorrelation(void)
{
  enum {
    N = 20000
  };
  static double white[N], red[N];
  struct rng rng;
  double last = 0;

  rng_seed(&rng, 1, RNG_INTERNAL, 0);
  for (int i = 0; i < N; i++) {
    white[i] = numbers_normal_quantile(rng_double(&rng) * 0.9999 + 5e-5);
    last = 0.8 * last + white[i];
    red[i] = last;
  }
  OK(numbers_autocorrelation(white, N) < 1.15, "white noise does not depend");
  /* (1 + phi) / (1 - phi) = 9 */
  OK(near(numbers_autocorrelation(red, N), 9, 0.2), "an AR(1) process does");
  for (int i = 0; i < N; i++)
    red[i] = 3;
  OK(numbers_autocorrelation(red, N) == 1, "a constant");
  OK(numbers_autocorrelation(red, 0) == 1, "nothing");
}

/*
 * A day of intervals: the dependence lasts longer than the part that is
 * computed exactly.
 */
static void test_long_series(void)
{
  enum {
    N = 86400,
    SHORT = 1800
  };
  static double drift[N], red[N];
  struct rng rng;
  double last = 0, share;

  rng_seed(&rng, 1, RNG_INTERNAL, 0);
  for (int i = 0; i < N; i++) {
    const double noise = numbers_normal_quantile(rng_double(&rng) * 0.9999 +
                                                 5e-5);

    drift[i] = i * (100.0 / N) + noise;
    last = 0.998 * last + noise;
    red[i] = last;
  }
  OK(near(numbers_autocorrelation(red, N), 999, 0.3), "an AR(1) process");
  share = numbers_autocorrelation(drift, N) / N;
  for (int i = 0; i < SHORT; i++)
    drift[i] = i * (100.0 / SHORT);
  OK(near(share, numbers_autocorrelation(drift, SHORT) / SHORT, 0.02),
     "drift lasts as long as the series does, short or long");
}

int main(void)
{
  test_spread();
  test_quantiles();
  test_autocorrelation();
  test_long_series();
  return TAP_EXIT();
}
