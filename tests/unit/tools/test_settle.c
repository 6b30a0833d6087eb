/*
 * test_settle.c - how many repeats settle a comparison: the advice must be
 * right if it is followed, on runs that are drawn here.
 */
#include <math.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "stats/rand/rng.h"
#include "tests/unit/tap.h"
#include "tools/bootstrap.h"
#include "tools/compare_print.h"
#include "tools/numbers.h"

enum {
  RUNS_MAX = SETTLE_REPEATS_MAX,
  PAIRS = 60,
};

/* A result with an interval of that many percent to either side. */
static struct boot_result result(double half, size_t runs, double df,
                                 double within)
{
  return (struct boot_result){ .ratio = 1,
                               .low = exp(-half),
                               .high = exp(half),
                               .runs = runs,
                               .df = df,
                               .within = within };
}

static void test_repeats(void)
{
  struct boot_result r = result(0.07, 2, 20, 0);
  const unsigned n = bootstrap_repeats(&r, 0.05);

  OK(n > 2 && n < 20, "an interval twice as wide: a few more");
  r = result(0.14, 2, 20, 0);
  OK(bootstrap_repeats(&r, 0.05) > 3 * n && bootstrap_repeats(&r, 0.05) < 5 * n,
     "four times as wide: about four times as many");
  OK(bootstrap_repeats(&r, 0.10) < bootstrap_repeats(&r, 0.05),
     "a higher threshold needs fewer");
  r = result(3, 2, 20, 0);
  OK(bootstrap_repeats(&r, 0.05) == 0, "noise that repeats do not settle");
  r = result(0.5, 2, 1.1, 0);
  OK(bootstrap_repeats(&r, 0.05) > 0,
     "two repeats have an interval that is wide by itself");
  r = result(0.01, 2, 20, 0);
  r.ratio = 0.957;
  OK(bootstrap_repeats(&r, 0.05) > 2,
     "a change that is close to the threshold");
  r = (struct boot_result){ .ratio = 0, .runs = 1 };
  OK(bootstrap_repeats(&r, 0.05) == 0, "nothing is left");
  r.low = 1;
  r.high = INFINITY;
  OK(bootstrap_repeats(&r, 0.05) == 0, "beyond all numbers");
}

static void test_longer(void)
{
  struct boot_result r = result(0.0735, 2, 20, 1);
  const double times = bootstrap_longer(&r, 0.05, r.runs);

  OK(times > 3 && times < 5, "half the noise takes four times the time");
  r.within = 0.1;
  OK(bootstrap_longer(&r, 0.05, r.runs) == 0, "unless it is among the runs");
  r = result(0.2, 1, 20, 0.9);
  OK(bootstrap_longer(&r, 0.05, 1) == 0 && bootstrap_longer(&r, 0.05, 5) > 2,
     "five of them may be a little longer");
  r = result(3, 2, 20, 1);
  OK(bootstrap_longer(&r, 0.05, r.runs) == 0, "or too much");
  r = (struct boot_result){ .ratio = 0, .runs = 1 };
  OK(bootstrap_longer(&r, 0.05, r.runs) == 0, "nothing is left");
}

/* The forms that the advice has. */
static void test_words(void)
{
  static const struct {
    double half, within;
    size_t runs;
    const char *says;
  } row[] = {
    { 0.06, 1, 2,
      "repeat with --repeat=6 or a longer --time (about 2.7 times)" },
    { 0.06, 0, 2, "repeat with --repeat=6" },
    { 0.2, 0.9, 1, ", or with --repeat=5 and a longer --time (about " },
    { 0.6, 1, 1, "repeat with --repeat=5 and a longer --time (about " },
    { 5, 0.5, 3,
      "even --repeat=100 would not settle it: use a quieter machine" },
  };

  for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
    const struct boot_result r = result(row[i].half, row[i].runs, 20,
                                        row[i].within);
    struct strbuf text = { 0 };

    compare_summary_advice(&r, 0.05, &text);
    OK(strstr(strbuf_str(&text), row[i].says), row[i].says);
    printf("# %s\n", strbuf_str(&text));
    strbuf_done(&text);
  }
}

static double normal(struct rng *rng)
{
  return numbers_normal_quantile(rng_double(rng) * 0.999998 + 1e-6);
}

/* Compares groups of `n` runs of equal builds, which vary by 3 %. */
static struct boot_result compare(unsigned n, struct rng *rng)
{
  struct boot_run a[RUNS_MAX], b[RUNS_MAX];
  struct boot_result r = { 0 };

  for (unsigned i = 0; i < n; i++) {
    a[i] = (struct boot_run){ .value = 1000 * (1 + 0.03 * normal(rng)) };
    b[i] = (struct boot_run){ .value = 1000 * (1 + 0.03 * normal(rng)) };
  }
  OK(bootstrap_compare(&r, &(struct boot_group){ a, n },
                       &(struct boot_group){ b, n }) == BOOT_COMPARED,
     "compared");
  return r;
}

/*
 * With as many repeats as three runs have asked for, a slowdown of 5 % is
 * excluded in most cases, and was not before.
 */
static void test_advice_holds(void)
{
  unsigned before = 0, after = 0, asked = 0;
  struct rng rng;

  rng_seed(&rng, 7, RNG_INTERNAL, 0);
  for (unsigned i = 0; i < PAIRS; i++) {
    const struct boot_result few = compare(3, &rng);
    const unsigned n = bootstrap_repeats(&few, 0.05);

    before += few.low >= 0.95;
    if (n == 0)
      continue;
    asked++;
    after += compare(n, &rng).low >= 0.95;
  }
  printf("# %u of %u before, %u of %u after\n", before, PAIRS, after, asked);
  OK(asked > PAIRS * 3 / 4, "there is advice");
  OK(before * 4 < PAIRS, "three repeats rarely exclude it");
  OK(after * 10 > asked * 6, "the advised number mostly does");
}

int main(void)
{
  test_repeats();
  test_longer();
  test_words();
  test_advice_holds();
  return TAP_EXIT();
}
