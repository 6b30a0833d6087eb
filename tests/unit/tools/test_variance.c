/*
 * test_variance.c - components of the variance: simulated runs whose parts are
 * known.
 */
#include <math.h>
#include <stdbool.h>

#include "stats/rand/rng.h"
#include "tests/unit/tap.h"
#include "tools/numbers.h"
#include "tools/sweep_internal.h"

enum {
  RUNS = 40,
  SAMPLES = 300
};

static double samples[RUNS][SAMPLES];
static struct variance_run runs[RUNS];

static double normal(struct rng *rng)
{
  return numbers_normal_quantile(rng_double(rng) * 0.999999 + 5e-7);
}

/*
 * Runs around 1000.  `between` and `within` are standard deviations: of the
 * runs, and of the samples in each; `memory` is how much a sample resembles the
 * one before.
 */
static void simulate(double between, double within, double memory,
                     uint64_t seed)
{
  struct rng rng;

  rng_seed(&rng, seed, RNG_INTERNAL, 0);
  for (int i = 0; i < RUNS; i++) {
    const double level = 1000 + between * normal(&rng);
    double sum = 0, off = within * normal(&rng);

    for (int k = 0; k < SAMPLES; k++) {
      off = memory * off + within * sqrt(1 - memory * memory) * normal(&rng);
      samples[i][k] = level + off;
      sum += samples[i][k];
    }
    runs[i] = (struct variance_run){ sum / SAMPLES, samples[i], SAMPLES };
  }
}

/* The mean share between the runs over many groups of `n` runs. */
static double share(double between, double within, double memory, size_t n)
{
  double sum = 0;

  for (uint64_t seed = 1; seed <= 20; seed++) {
    simulate(between, within, memory, seed);
    sum += variance_of(runs, n).between;
  }
  return sum / 20;
}

static void test_parts(void)
{
  struct variance v;

  printf("# %.2f %.2f %.2f\n", share(0, 50, 0, RUNS), share(3.46, 60, 0, RUNS),
         share(0, 50, 0.8, RUNS));
  OK(share(0, 50, 0, RUNS) < 0.25, "runs that only scatter");
  OK(share(50, 5, 0, RUNS) > 0.99, "runs that differ");
  /* The mean of 300 samples scatters by 60 / sqrt(300) = 3.46. */
  OK(fabs(share(3.46, 60, 0, RUNS) - 0.5) < 0.1, "half and half");
  OK(share(0, 50, 0.8, RUNS) < 0.45,
     "samples that depend on each other are fewer samples");
  simulate(30, 100, 0, 7);
  v = variance_of(runs, RUNS);
  OK(fabs(v.spread - sqrt(900 + 10000.0 / 300) / 1000) < 0.008,
     "the spread of the runs");
  OK(fabs(v.between + v.within - 1) < 1e-12, "the shares are all of it");
}

/* The scatter of dependent samples must not be taken for that of runs: without
 * the autocorrelation, most would be. */
static void test_control(void)
{
  double naive = 0;

  for (uint64_t seed = 1; seed <= 20; seed++) {
    double values[RUNS], within = 0;

    simulate(0, 50, 0.8, seed);
    for (int i = 0; i < RUNS; i++) {
      values[i] = runs[i].value;
      within += spread_of(samples[i], SAMPLES).variance / SAMPLES / RUNS;
    }
    naive += 1 - within / spread_of(values, RUNS).variance;
  }
  OK(naive / 20 > 0.8, "the simulation has dependent samples");
}

static void test_unknown(void)
{
  simulate(30, 100, 0, 7);
  OK(isnan(variance_of(runs, 1).spread), "one run");
  OK(isnan(variance_of(runs, 0).spread), "none");
  runs[1].n = VARIANCE_SAMPLES_MIN - 1;
  OK(isnan(variance_of(runs, 3).between), "a run that is too short");
  runs[1].n = SAMPLES;
  runs[2].value = NAN;
  OK(isnan(variance_of(runs, 3).spread), "a run without a figure");
  for (int i = 0; i < RUNS; i++) {
    for (int k = 0; k < SAMPLES; k++)
      samples[i][k] = 5;
    runs[i] = (struct variance_run){ 5, samples[i], SAMPLES };
  }
  OK(variance_of(runs, RUNS).spread == 0, "all the same");
  runs[0].value = runs[1].value = 0;
  OK(isnan(variance_of(runs, 2).spread), "nothing happened");
}

static void test_drift(void)
{
  static const double calm[] = { 100, 103, 98, NAN, 101 };
  static const double drifting[] = { NAN, 100, 97, 92, 96 };
  size_t at = 99;

  OK(fabs(sweep_reference_drift(calm, 5, &at) - 0.03) < 1e-12 && at == 1,
     "the largest change against the first");
  OK(fabs(sweep_reference_drift(drifting, 5, &at) + 0.08) < 1e-12 && at == 3,
     "the first that is known, in both directions");
  OK(isnan(sweep_reference_drift(calm, 1, &at)) &&
       isnan(sweep_reference_drift(NULL, 0, &at)),
     "one says nothing");
}

int main(void)
{
  test_parts();
  test_control();
  test_unknown();
  test_drift();
  return TAP_EXIT();
}
