/*
 * test_bootstrap.c - equal runs must come out as equal, and a slowdown of 10 %
 * must be found: on series made here, with noise that lasts (an AR(1) process)
 * and drift.
 */
#include <math.h>

#include "stats/rand/rng.h"
#include "tests/unit/tap.h"
#include "tools/bootstrap.h"
#include "tools/numbers.h"

enum {
  SAMPLES_MAX = 120,
  RUNS_MAX = 5,
  PAIRS = 100,
  PAIRS_MANY = 2000, /* enough to distinguish 1 in 100 from 2 */
};

/* The variation of the runs of a build. */
struct kind {
  const char *name;
  unsigned samples, runs;
  double noise;  /* relative standard deviation of a sample */
  double memory; /* correlation of a sample with the previous one */
  double drift;  /* relative change from the start to the end, either way */
  double among;  /* relative standard deviation between runs */
  int found;     /* 10 % slower is found in so many of 100 pairs */
};

static const struct kind kinds[] = {
  { "white noise", 60, 1, 0.05, 0, 0, 0, 95 },
  { "noise that lasts", 60, 1, 0.05, 0.7, 0, 0, 50 },
  { "noise that lasts long", 120, 1, 0.05, 0.9, 0, 0, 10 },
  { "drift", 60, 1, 0.02, 0.3, 0.04, 0, 95 },
  { "noise that lasts, drift, runs that differ", 60, 1, 0.04, 0.6, 0.03, 0.007,
    80 },
  { "short runs", 10, 1, 0.03, 0.4, 0.01, 0.005, 30 },
  { "three repeats", 30, 3, 0.05, 0.6, 0.03, 0.01, 75 },
  { "five repeats that differ much", 10, 5, 0.05, 0.3, 0.03, 0.03, 50 },
};

/* Runs differ much more than is assumed without repeats. */
static const struct kind few_repeats[] = {
  { "two repeats that differ much", 30, 2, 0.01, 0, 0, 0.05 },
  { "three repeats that differ much", 30, 3, 0.01, 0, 0, 0.05 },
};

/* Runs differ as much as is assumed. */
static const struct kind steady_repeats[] = {
  { "three steady repeats", 30, 3, 0.01, 0, 0, 0.01 },
  { "five steady repeats", 30, 5, 0.01, 0, 0, 0.01 },
};

struct runs {
  struct boot_run run[RUNS_MAX];
  double num[RUNS_MAX][SAMPLES_MAX], den[RUNS_MAX][SAMPLES_MAX];
};

static double normal(struct rng *rng)
{
  return numbers_normal_quantile(rng_double(rng) * 0.999998 + 1e-6);
}

static void make_runs(struct runs *r, const struct kind *k, double level,
                      struct rng *rng)
{
  for (unsigned i = 0; i < k->runs; i++) {
    const double mean = level * (1 + k->among * normal(rng));
    const double drift = rng_below(rng, 2) ? k->drift : -k->drift;
    double x = normal(rng), num = 0;

    for (unsigned t = 0; t < k->samples; t++) {
      const double at = (double)t / (k->samples - 1) - 0.5;

      r->num[i][t] = mean * (1 + k->noise * x + drift * at);
      r->den[i][t] = 1;
      num += r->num[i][t];
      x = k->memory * x + sqrt(1 - k->memory * k->memory) * normal(rng);
    }
    r->run[i] = (struct boot_run){ num / k->samples, 0, r->num[i], r->den[i],
                                   k->samples };
  }
}

/*
 * Returns in how many of the pairs a difference is found, if there is `change`.
 */
static int found(const struct kind *k, int pairs, double change, unsigned seed,
                 int *ret_right)
{
  static struct runs a, b;
  struct rng rng;
  int n = 0;

  *ret_right = 0;
  rng_seed(&rng, seed, RNG_INTERNAL, 7);
  for (int i = 0; i < pairs; i++) {
    struct boot_result r = { 0 };

    make_runs(&a, k, 1000, &rng);
    make_runs(&b, k, 1000 * (1 + change), &rng);
    if (bootstrap_compare(&r, &(struct boot_group){ a.run, k->runs },
                          &(struct boot_group){ b.run, k->runs }) !=
        BOOT_COMPARED)
      return -1;
    n += r.differs;
    *ret_right += r.low <= 1 + change && 1 + change <= r.high;
  }
  return n;
}

static void test_equal_runs(void)
{
  for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
    int right;
    const int n = found(&kinds[i], PAIRS, 0, 1, &right);

    printf("# %s: %d of %d pairs of equal builds differ\n", kinds[i].name, n,
           PAIRS);
    OK(n >= 0 && n <= 2, "equal builds do not differ");
  }
}

static void test_few_repeats(void)
{
  for (size_t i = 0; i < sizeof(few_repeats) / sizeof(few_repeats[0]); i++) {
    const struct kind *k = &few_repeats[i];
    int right;
    const int n = found(k, PAIRS_MANY, 0, 1, &right);

    printf("# %s: %d of %d pairs of equal builds differ\n", k->name, n,
           PAIRS_MANY);
    OK(n >= 0 && n <= PAIRS_MANY / 70, "few repeats promise no more than many");
  }
}

static void test_steady_repeats(void)
{
  for (size_t i = 0; i < sizeof(steady_repeats) / sizeof(steady_repeats[0]);
       i++) {
    const struct kind *k = &steady_repeats[i];
    int right;
    const int n = found(k, PAIRS, -0.05, 2, &right);

    printf("# %s: 5 %% slower is found in %d of %d\n", k->name, n, PAIRS);
    OK(n >= 80, "steady repeats show 5 %");
  }
}

static void test_slowdown(void)
{
  for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
    int right;
    const int n = found(&kinds[i], PAIRS, -0.1, 2, &right);

    printf("# %s: 10 %% slower is found in %d of %d, and inside of the "
           "interval in %d\n",
           kinds[i].name, n, PAIRS, right);
    OK(right >= 95, "the interval holds the true ratio");
    OK(n >= kinds[i].found, "a slowdown of 10 % is found");
  }
}

static void test_edges(void)
{
  const double num[] = { 5, 5, 5, 5, 5, 5, 5, 5 };
  const double den[] = { 1, 1, 1, 1, 1, 1, 1, 1 };
  const struct boot_run good = { 5, 0, num, den, 8 }, bare[] = {
    { .value = 5 }, { .value = 5.1 }, { .value = 4.9 }
  };
  const struct boot_run zero = { .value = 0 }, nan = { NAN, 0, num, den, 8 };
  const struct boot_run shaken[] = { { 5, 0.2, num, den, 8 },
                                     { 5, 0.2, num, den, 8 },
                                     { 5, 0.2, num, den, 8 } };
  const struct boot_run seven = { 5, 0, num, den, 7 };
  const struct boot_group s = { shaken, 1 }, s3 = { shaken, 3 };
  const struct boot_group g = { &good, 1 }, b = { bare, 2 }, b3 = { bare, 3 };
  const struct boot_group n = { &nan, 1 }, none = { NULL, 0 }, z = { &zero, 1 };
  const struct boot_group few = { &seven, 1 };
  struct boot_result r = { 0 }, again = { 0 };

  OK(bootstrap_compare(&r, &g, &g) == BOOT_COMPARED && r.ratio == 1 &&
       !r.differs,
     "a run does not differ from itself");
  OK(r.low < 1 && r.high > 1 && r.smallest > 0.02 && r.smallest < 0.08,
     "but one run without noise is not taken for exact");
  OK(bootstrap_compare(&again, &g, &g) == BOOT_COMPARED && again.low == r.low,
     "the same input, the same result");
  OK(bootstrap_compare(&r, &b, &g) == BOOT_TOO_FEW && r.ratio > 0.9 &&
       r.low == 0 && r.high == 0 && !r.differs,
     "one value per run shows no spread, and none is made up");
  OK(bootstrap_compare(&r, &few, &g) == BOOT_TOO_FEW, "nor do seven samples");
  OK(bootstrap_compare(&r, &b3, &b3) == BOOT_COMPARED && r.high > 1.02,
     "three runs show theirs");
  OK(bootstrap_compare(&r, &s, &g) == BOOT_DISTURBED &&
       bootstrap_compare(&r, &g, &s) == BOOT_DISTURBED,
     "a single run that was disturbed shows nothing");
  OK(bootstrap_compare(&r, &s3, &s3) == BOOT_COMPARED && r.smallest > 0.2,
     "three of them show little");
  OK(bootstrap_compare(&r, &g, &z) == BOOT_NOTHING &&
       bootstrap_compare(&r, &z, &g) == BOOT_NOTHING,
     "zero");
  OK(bootstrap_compare(&r, &g, &n) == BOOT_NOTHING, "not a number");
  OK(bootstrap_compare(&r, &none, &g) == BOOT_NOTHING, "no runs");
}

int main(void)
{
  test_equal_runs();
  test_few_repeats();
  test_steady_repeats();
  test_slowdown();
  test_edges();
  return TAP_EXIT();
}
