/*
 * test_usl.c - the Universal Scalability Law on data whose parameters are
 * known.
 */
#include <math.h>
#include <stdlib.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "stats/rand/rng.h"
#include "tests/unit/tap.h"
#include "tools/numbers.h"
#include "tools/usl.h"
#include "tools/usl_runs.h"

enum {
  SETS = 100,
  POINTS_MAX = 64,
};

/* A system, and how it is measured. */
struct kind {
  const char *name;
  double g, a, b, noise; /* noise: relative standard deviation of a run */
  unsigned repeats;
  double workers[16]; /* ends with 0 */
};

static const struct kind peaked[] = {
  { "powers of two",
    1000,
    0.03,
    0.0004,
    0.02,
    1,
    { 1, 2, 4, 8, 16, 32, 64, 128 } },
  { "six values", 20000, 0.05, 0.002, 0.01, 1, { 1, 4, 8, 16, 32, 64 } },
  { "repeats", 10, 0.1, 0.001, 0.05, 3, { 1, 2, 4, 8, 16, 32, 64, 96 } },
  { "without one worker",
    500,
    0.02,
    0.0001,
    0.02,
    2,
    { 10, 20, 40, 80, 160, 320, 640 } },
};

static const struct kind endless[] = {
  { "contention alone",
    1000,
    0.05,
    0,
    0.02,
    1,
    { 1, 2, 4, 8, 16, 32, 64, 128 } },
  { "neither", 1000, 0, 0, 0.02, 1, { 1, 2, 3, 4, 6, 8, 12, 16 } },
  { "contention alone, six values",
    77,
    0.3,
    0,
    0.03,
    1,
    { 1, 2, 4, 8, 16, 32 } },
  { "contention alone, repeats",
    77,
    0.1,
    0,
    0.05,
    3,
    { 1, 2, 4, 8, 16, 32, 64 } },
};

static double normal(struct rng *rng)
{
  return numbers_normal_quantile(rng_double(rng) * 0.999998 + 1e-6);
}

static double law(const struct kind *k, double n)
{
  return k->g * n / (1 + k->a * (n - 1) + k->b * n * (n - 1));
}

static size_t measure(const struct kind *k, struct rng *rng,
                      struct usl_point *ret)
{
  size_t n = 0;

  for (unsigned r = 0; r < k->repeats; r++) {
    for (const double *w = k->workers; *w > 0; w++) {
      ret[n].workers = *w;
      ret[n++].throughput = law(k, *w) * (1 + k->noise * normal(rng));
    }
  }
  return n;
}

static bool inside(const struct usl_figure *f, double truth)
{
  return f->low <= truth && truth <= f->high;
}

/* Counts over many sets of data. */
struct counts {
  int single, contention, coherence, at, peaks, patterns;
};

static struct counts measure_often(const struct kind *k)
{
  struct counts c = { 0 };

  for (int i = 0; i < SETS; i++) {
    struct usl_point p[POINTS_MAX];
    struct rng rng;
    struct usl u;
    size_t n;

    rng_seed(&rng, 27, RNG_INTERNAL, (uint64_t)i);
    n = measure(k, &rng, p);
    MUST(usl_fit(&u, p, n));
    c.single += inside(&u.single, k->g);
    c.contention += inside(&u.contention, k->a);
    c.coherence += inside(&u.coherence, k->b);
    c.at += u.has_peak && inside(&u.peak_at, sqrt((1 - k->a) / k->b));
    c.peaks += u.has_peak;
    c.patterns += u.patterned;
  }
  printf("# %s: inside %d %d %d, peaks %d (%d inside), patterns %d\n", k->name,
         c.single, c.contention, c.coherence, c.peaks, c.at, c.patterns);
  return c;
}

static void test_intervals(void)
{
  for (size_t i = 0; i < ARRAY_SIZE(peaked); i++) {
    const struct counts c = measure_often(&peaked[i]);

    OK(c.single >= 95 && c.contention >= 95 && c.coherence >= 95,
       "the parameters are inside of their intervals");
    OK(c.peaks >= 90 && c.at >= c.peaks - 5, "the peak is found");
    OK(c.patterns <= 5, "and there is no pattern");
  }
  for (size_t i = 0; i < ARRAY_SIZE(endless); i++) {
    const struct counts c = measure_often(&endless[i]);

    OK(c.single >= 95 && c.contention >= 95 && c.coherence >= 95,
       "the parameters are inside of their intervals, at the limit too");
    OK(c.peaks <= 2, "without a peak none is found");
    OK(c.patterns <= 5, "and there is no pattern");
  }
}

/* Without noise the parameters are exact. */
static void test_exact(void)
{
  struct kind k = peaked[0];
  struct usl_point p[POINTS_MAX];
  struct rng rng;
  struct usl u;
  size_t n;

  k.noise = 0;
  rng_seed(&rng, 1, RNG_INTERNAL, 0);
  n = measure(&k, &rng, p);
  OK(usl_fit(&u, p, n) && fabs(u.single.value / k.g - 1) < 1e-6 &&
       fabs(u.contention.value / k.a - 1) < 1e-6 &&
       fabs(u.coherence.value / k.b - 1) < 1e-6,
     "the parameters of exact data");
  OK(u.has_peak && fabs(u.peak_at.value - sqrt(0.97 / 0.0004)) < 1e-3 &&
       fabs(u.peak / law(&k, u.peak_at.value) - 1) < 1e-6,
     "and their peak");
  OK(fabs(usl_throughput(&u, 200) / law(&k, 200) - 1) < 1e-6, "and the curve");
  OK(u.values == 8 && u.runs == 8 && u.smallest == 1 && u.largest == 128,
     "and what they were");
}

/* A system that follows another law. */
static void test_patterns(void)
{
  int by_repeats = 0, by_order = 0;

  for (int i = 0; i < SETS; i++) {
    struct usl_point p[POINTS_MAX];
    struct rng rng;
    struct usl u;
    size_t n = 0;

    /* Eight processors: growth ends at once. */
    rng_seed(&rng, 5, RNG_INTERNAL, (uint64_t)i);
    for (unsigned w = 1; w <= 16; w++) {
      for (unsigned r = 0; r < 3; r++) {
        p[n].workers = w;
        p[n++].throughput = 100 * fmin(w, 8) * (1 + 0.01 * normal(&rng));
      }
    }
    MUST(usl_fit(&u, p, n));
    by_repeats += u.patterned;
    /* The same without repeats. */
    for (n = 0; n < 40; n++) {
      const double w = 1 + (double)n;

      p[n].workers = w;
      p[n].throughput = 100 * fmin(w, 20) * (1 + 0.01 * normal(&rng));
    }
    MUST(usl_fit(&u, p, n));
    by_order += u.patterned;
  }
  OK(by_repeats >= 95, "another law is noticed by repeats");
  OK(by_order >= 95, "and by the order of residuals");
}

static void test_refused(void)
{
  struct usl_point p[8];
  struct usl u;

  for (size_t i = 0; i < ARRAY_SIZE(p); i++)
    p[i] = (struct usl_point){ (double)(1 + i % 5), 100 };
  OK(!usl_fit(&u, p, ARRAY_SIZE(p)), "five values are too few");
  for (size_t i = 0; i < ARRAY_SIZE(p); i++)
    p[i].workers = (double)(1 + i);
  OK(usl_fit(&u, p, ARRAY_SIZE(p)), "eight are enough");
  OK(u.contention.value > 0.9 && !u.has_peak,
     "throughput that never grows is contention");
  p[3].throughput = 0;
  OK(!usl_fit(&u, p, ARRAY_SIZE(p)), "a run without any event is refused");
  OK(!usl_fit(&u, p, 0), "no data");
}

static void test_words(void)
{
  const struct usl u = { .values = 6,
                         .contention = { 2.614, 0, 40.9 },
                         .coherence = { 0.000403, 0.000311, 0.5 } };
  struct strbuf out = { 0 };

  usl_print(&u, "threads", &out);
  OK_STR(strbuf_str(&out),
         "scalability: contention 261 % (0 to 4090 %), coherence 0.0403 % "
         "(0.0311 to 50 %), with 99 % intervals (Universal Scalability Law "
         "over 6 values)\nno peak within the data\n",
         "large intervals are plain numbers");
  strbuf_done(&out);
}

int main(void)
{
  test_words();
  test_exact();
  test_intervals();
  test_patterns();
  test_refused();
  return TAP_EXIT();
}
