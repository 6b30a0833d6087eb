/*
 * test_compare_odds.c - how often comparisons err: pairs of runs of equal
 * builds that have a verdict, and pairs with a slowdown of 10 % that pass a
 * limit of 5 %.  Both may happen in 1 of 100 pairs, for each kind of noise.
 */
#include <math.h>
#include <stdio.h>

#include "base/compiler.h"
#include "stats/rand/rng.h"
#include "tests/unit/tap.h"
#include "tools/bootstrap.h"
#include "tools/compare.h"
#include "tools/compare_print.h"
#include "tools/numbers.h"

enum {
  SAMPLES_MAX = 64,
  RUNS_MAX = 5,
  PAIRS = 1000,
  /* So many are expected in less than 1 of 1000 cases if it is 1 of 100. */
  WRONG_MAX = 18,
};

/* The noise of a run. */
struct noise {
  const char *name;
  unsigned samples, runs;
  double white;  /* relative standard deviation of a sample */
  double slow;   /* likewise, of a part that lasts */
  double lasts;  /* so many samples */
  double slower; /* by which one of two modes is slower */
  double dwell;  /* samples in a mode, on average; 0: the whole run is in one */
  double among;  /* relative standard deviation between runs */
};

static const struct noise noises[] = {
  { "constant", 10, 1, .white = 0 },
  { "white, 1 s", 9, 1, .white = 0.05 },
  { "white, 3 s", 29, 1, .white = 0.05 },
  { "white, 30 s", 37, 1, .white = 0.1 },
  { "lasting, 1 s", 9, 1, .white = 0.02, .slow = 0.05, .lasts = 2 },
  { "lasting, 3 s", 29, 1, .white = 0.02, .slow = 0.05, .lasts = 4 },
  { "lasting long", 60, 1, .slow = 0.05, .lasts = 10 },
  { "lasting longer", 60, 1, .slow = 0.05, .lasts = 20 },
  { "two modes, short", 29, 1, .white = 0.02, .slower = 0.3, .dwell = 3 },
  { "two modes, long", 60, 1, .white = 0.02, .slower = 0.2, .dwell = 8 },
  { "runs that differ by 1 %", 29, 1, .white = 0.02, .among = 0.01 },
  { "three runs that differ by 5 %", 29, 3, .white = 0.02, .among = 0.05 },
  { "two runs that differ by 1 %", 29, 2, .white = 0.02, .among = 0.01 },
  { "three runs, lasting", 29, 3, .slow = 0.05, .lasts = 4, .among = 0.03 },
  { "five runs, lasting long", 60, 5, .slow = 0.05, .lasts = 20 },
  { "three runs without samples", 0, 3, .among = 0.05 },
  { "five runs of two modes", 29, 5, .white = 0.02, .slower = 0.15 },
};

struct side {
  struct boot_run run[RUNS_MAX];
  double num[RUNS_MAX][SAMPLES_MAX], den[RUNS_MAX][SAMPLES_MAX];
};

static double normal(struct rng *rng)
{
  return numbers_normal_quantile(rng_double(rng) * 0.999998 + 1e-6);
}

static void fill_run(struct side *s, unsigned i, const struct noise *k,
                     double level, struct rng *rng)
{
  const double memory = k->lasts > 0 ? exp(-1 / k->lasts) : 0;
  const double own = level * (1 + k->among * normal(rng));
  double slow = normal(rng), sum = 0;
  unsigned mode = rng_below(rng, 2);

  for (unsigned t = 0; t < k->samples; t++) {
    s->num[i][t] = own * (1 + k->white * normal(rng) + k->slow * slow) *
                   (mode ? 1 - k->slower : 1);
    s->den[i][t] = 1;
    sum += s->num[i][t];
    slow = memory * slow + sqrt(1 - memory * memory) * normal(rng);
    if (k->dwell > 0 && rng_double(rng) < 1 / k->dwell)
      mode = !mode;
  }
  s->run[i] = (struct boot_run){ k->samples > 0 ? sum / k->samples : own, 0,
                                 s->num[i], s->den[i], k->samples };
}

struct odds {
  unsigned verdicts, passed, slower;
};

static struct odds odds_of(const struct noise *k, double change)
{
  static struct side a, b;
  struct odds odds = { 0 };
  struct rng rng;

  rng_seed(&rng, 3, RNG_INTERNAL, 1);
  for (unsigned i = 0; i < PAIRS; i++) {
    struct comparison c = { .kind = COMPARE_THROUGHPUT };
    enum verdict v;
    enum gate g;

    for (unsigned r = 0; r < k->runs; r++) {
      fill_run(&a, r, k, 1000, &rng);
      fill_run(&b, r, k, 1000 * (1 + change), &rng);
    }
    c.known = bootstrap_compare(&c.r, &(struct boot_group){ a.run, k->runs },
                                &(struct boot_group){ b.run, k->runs }) ==
              BOOT_COMPARED;
    v = verdict_of(&c, VERDICT_SHARE);
    g = gate_of(&c, VERDICT_SHARE);
    odds.verdicts += v == VERDICT_SLOWER || v == VERDICT_FASTER;
    odds.passed += g == GATE_PASSED;
    odds.slower += g == GATE_SLOWER;
  }
  return odds;
}

int main(void)
{
  for (size_t i = 0; i < ARRAY_SIZE(noises); i++) {
    const struct noise *k = &noises[i];
    const struct odds same = odds_of(k, 0), less = odds_of(k, -0.1);

    printf("# %s: equal builds: %u verdicts, %u fail; 10 %% slower: %u pass, "
           "%u fail\n",
           k->name, same.verdicts, same.slower, less.passed, less.slower);
    OK(same.verdicts <= WRONG_MAX, "equal builds have no verdict");
    OK(same.slower <= WRONG_MAX, "nor do they fail the limit");
    OK(less.passed <= WRONG_MAX, "a slowdown of 10 % does not pass it");
  }
  return TAP_EXIT();
}
