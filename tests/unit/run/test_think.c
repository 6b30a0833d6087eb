/*
 * test_think.c - pauses between events: what --think-time accepts, and the
 * distributions.
 */
#include <errno.h>
#include <math.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "run/think.h"
#include "stats/rand/rng.h"
#include "tests/unit/tap.h"

enum {
  DRAWS = 200000
};

static const struct {
  const char *text;
  int rc;
  struct think think;
} cases[] = {
  { "0", 0, { THINK_NONE, 0, 0 } },
  { "50ms", 0, { THINK_FIXED, 50 * NS_PER_MS, 0 } },
  { "2", 0, { THINK_FIXED, 2 * NS_PER_S, 0 } },
  { "24h", 0, { THINK_FIXED, 86400 * NS_PER_S, 0 } },
  { "exp:0.1", 0, { THINK_EXPONENTIAL, 100 * NS_PER_MS, 0 } },
  { "exp:0", 0, { THINK_NONE, 0, 0 } },
  { "uniform:0:1s", 0, { THINK_UNIFORM, 0, NS_PER_S } },
  { "uniform:1ms:1ms", 0, { THINK_UNIFORM, NS_PER_MS, NS_PER_MS } },
  { "uniform:0:0", 0, { THINK_NONE, 0, 0 } },
  { "", -EINVAL, { THINK_NONE, 0, 0 } },
  { "-1", -EINVAL, { THINK_NONE, 0, 0 } },
  { "25h", -EINVAL, { THINK_NONE, 0, 0 } },
  { "nan", -EINVAL, { THINK_NONE, 0, 0 } },
  { "exp", -EINVAL, { THINK_NONE, 0, 0 } },
  { "exp:", -EINVAL, { THINK_NONE, 0, 0 } },
  { "exp:1:2", -EINVAL, { THINK_NONE, 0, 0 } },
  { "uniform:1", -EINVAL, { THINK_NONE, 0, 0 } },
  { "uniform:2:1", -EINVAL, { THINK_NONE, 0, 0 } },
  { "uniform:1:2:3", -EINVAL, { THINK_NONE, 0, 0 } },
  { "uniform:0000000000000000000000000000000001:2",
    -EINVAL,
    { THINK_NONE, 0, 0 } },
  { "normal:1", -EINVAL, { THINK_NONE, 0, 0 } },
};

static void test_parse(void)
{
  for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
    struct think got = { THINK_NONE, 0, 0 };

    OK(think_parse(cases[i].text, &got) == cases[i].rc, cases[i].text);
    OK(got.kind == cases[i].think.kind && got.a_ns == cases[i].think.a_ns &&
         got.b_ns == cases[i].think.b_ns,
       "its value");
  }
}

/* Draws of `text`: mean and standard deviation, least and most. */
static void draw(const char *text, double *mean, double *deviation, double *min,
                 double *max)
{
  struct think think = { THINK_NONE, 0, 0 };
  struct rng rng;
  double sum = 0, squares = 0;

  (void)think_parse(text, &think);
  rng_seed(&rng, 7, RNG_THINK, 3);
  *min = INFINITY;
  *max = 0;
  for (int i = 0; i < DRAWS; i++) {
    const double x = (double)think_draw(&think, &rng);

    sum += x;
    squares += x * x;
    *min = fmin(*min, x);
    *max = fmax(*max, x);
  }
  *mean = sum / DRAWS;
  *deviation = sqrt(squares / DRAWS - *mean * *mean);
}

static void test_distributions(void)
{
  double mean, deviation, min, max;

  draw("1s", &mean, &deviation, &min, &max);
  OK(min == 1e9 && max == 1e9, "a fixed pause");
  draw("exp:1s", &mean, &deviation, &min, &max);
  OK(fabs(mean - 1e9) < 2e7 && fabs(deviation - 1e9) < 2e7,
     "an exponential one: its deviation is its mean");
  OK(min < 1e6 && max > 8e9, "and it has a long tail");
  draw("uniform:1s:3s", &mean, &deviation, &min, &max);
  OK(fabs(mean - 2e9) < 2e7 && fabs(deviation - 2e9 / sqrt(12)) < 2e7,
     "a uniform one");
  OK(min >= 1e9 && min < 1.001e9 && max <= 3e9 && max > 2.999e9,
     "between its limits");
}

int main(void)
{
  test_parse();
  test_distributions();
  return TAP_EXIT();
}
