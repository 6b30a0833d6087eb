/*
 * Ranges of every size and sign, empty ones too, for all distributions, and
 * parameters at the ends of what is allowed.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "stats/rand/dist.h"
#include "tests/unit/rand_check.h"
#include "tests/unit/tap.h"

static const char *const type_names[] = { "uniform", "gaussian", "special",
                                          "pareto", "zipfian" };

static const struct range {
  int64_t a, b;
} ranges[] = {
  { 0, 1 },
  { -5, 5 },
  { -1000000, -999990 },
  { 0, UINT32_MAX },
  { 1, INT64_C(1) << 32 },
  { 0, INT64_C(1) << 40 },
  { -(INT64_C(1) << 53), INT64_C(1) << 53 },
  { 0, (INT64_C(1) << 56) - 1 },
  { 0, INT64_C(1) << 56 },
  { 0, INT64_MAX },
  { INT64_MIN, 0 },
  { INT64_MIN, INT64_MAX },
  { INT64_MIN, INT64_MAX - 1 },
  { INT64_MAX - 1, INT64_MAX },
};

/* Values of the range that were seen, as parts of 2^64 of its width. */
struct seen {
  bool inside;
  double min, max, mean;
};

static struct seen look(const struct rand_params *p, int64_t a, int64_t b)
{
  const double width = (double)((uint64_t)b - (uint64_t)a);
  struct seen s = { true, 1, 0, 0 };
  struct zipf_cache cache = { { 0 } };
  const int draws = 20000;
  struct rng rng;

  rng_seed(&rng, 11, RNG_WORKLOAD, 0);
  for (int i = 0; i < draws; i++) {
    const int64_t x = dist_default(p, &rng, &cache, a, b);
    const double place = (double)((uint64_t)x - (uint64_t)a) / width;

    s.inside = s.inside && x >= a && x <= b;
    s.min = place < s.min ? place : s.min;
    s.max = place > s.max ? place : s.max;
    s.mean += place / draws;
  }
  return s;
}

static void check_range(enum rand_type type, const struct range *r)
{
  const struct rand_cfg choice = { type, 12, 1, 75, 0.2, 0.8 };
  const bool small = r->b - 10 <= r->a;
  struct rand_params p;
  struct seen s;
  char what[100];

  rand_params_init(&p, &choice);
  s = look(&p, r->a, r->b);
  (void)snprintf(what, sizeof(what), "%s, %lld..%lld: %.3g..%.3g, mean %.4f",
                 type_names[type], (long long)r->a, (long long)r->b, s.min,
                 s.max, s.mean);
  OK(s.inside, what);
  if (type == RAND_UNIFORM) {
    OK(s.min < 0.001 && s.max > 0.999, "uniform reaches both ends");
    OK(fabs(s.mean - 0.5) < 4 * 0.5 / sqrt(20000), "with its mean between");
  } else if (small) {
    return; /* other shapes cannot be recognised in a few values */
  } else if (type == RAND_GAUSSIAN) {
    OK(s.min < 0.25 && s.max > 0.75, "the bell is as wide as it has to be");
    OK(fabs(s.mean - 0.5) < 4 * 0.0834 / sqrt(20000), "and in the middle");
  } else if (type == RAND_SPECIAL) {
    OK(s.min < 0.3 && s.max > 0.7, "special has its bell");
    OK(fabs(s.mean - 0.50094) < 4 * 0.0417 / sqrt(20000), "and its hot zone");
  } else if (type == RAND_PARETO) {
    OK(s.min < 1e-9 && s.max > 0.99, "pareto reaches both ends");
    OK(fabs(s.mean - 0.1218) < 4 * 0.2237 / sqrt(20000), "with its mean");
  } else {
    OK(s.min < 0.01 && s.max > 0.99, "zipfian reaches both ends");
    OK(fabs(s.mean - 0.1675) < 4 * 0.26 / sqrt(20000), "with its mean");
  }
}

static void check_empty(enum rand_type type)
{
  static const struct range empty[] = {
    { 1, 0 },   { 5, 5 },
    { 5, 3 },   { -3, -10 },
    { 0, 0 },   { INT64_MAX, INT64_MIN },
    { 0, -1 },  { INT64_MIN, INT64_MIN },
    { 10, -1 }, { INT64_MAX, INT64_MAX },
  };
  const struct rand_cfg choice = { type, 12, 1, 75, 0.2, 0.8 };
  struct zipf_cache cache = { { 0 } };
  struct rand_params p;
  bool lower_end = true;
  struct rng rng;

  rand_params_init(&p, &choice);
  rng_seed(&rng, 1, RNG_WORKLOAD, 0);
  for (int i = 0; i < 1000; i++) {
    const struct range *r = &empty[i % ARRAY_SIZE(empty)];

    lower_end = lower_end && dist_default(&p, &rng, &cache, r->a, r->b) == r->a;
  }
  OK(lower_end, type_names[type]);
}

/* Uses all 32-bit numbers: every bit is set in half of them. */
static void check_32_bits(void)
{
  uint64_t bits[33] = { 0 };
  bool even = true;
  struct rng rng;

  rng_seed(&rng, 7, RNG_WORKLOAD, 0);
  for (int i = 0; i < 100000; i++) {
    const int64_t x = dist_uniform(&rng, 0, UINT32_MAX);

    for (int bit = 0; bit < 33; bit++)
      bits[bit] += (uint64_t)x >> bit & 1;
  }
  for (int bit = 0; bit < 32; bit++)
    even = even && fabs((double)bits[bit] - 50000) < 4 * sqrt(25000);
  OK(even && bits[32] == 0, "uniform over 32 bits");
}

/* Parameters at their limits: no value is outside, and every call returns. */
static void check_extremes(void)
{
  static const struct rand_cfg extreme[] = {
    { RAND_GAUSSIAN, 1, 1, 75, 0.2, 0.8 },
    { RAND_GAUSSIAN, 1000, 1, 75, 0.2, 0.8 },
    { RAND_SPECIAL, 1, 0, 0, 0.2, 0.8 },
    { RAND_SPECIAL, 1, 0, 100, 0.2, 0.8 },
    { RAND_SPECIAL, 1, 100, 0, 0.2, 0.8 },
    { RAND_SPECIAL, 1, 100, 100, 0.2, 0.8 },
    { RAND_SPECIAL, 1, 100, 1, 0.2, 0.8 },
    { RAND_PARETO, 1, 1, 75, 1e-300, 0.8 },
    { RAND_PARETO, 1, 1, 75, 1e-9, 0.8 },
    { RAND_PARETO, 1, 1, 75, 0.999999, 0.8 },
    { RAND_PARETO, 1, 1, 75, 1 - 0x1p-53, 0.8 },
    { RAND_ZIPFIAN, 1, 1, 75, 0.2, 0 },
    { RAND_ZIPFIAN, 1, 1, 75, 0.2, 1e-300 },
    { RAND_ZIPFIAN, 1, 1, 75, 0.2, 1 - 0x1p-53 },
    { RAND_ZIPFIAN, 1, 1, 75, 0.2, 1 + 0x1p-52 },
    { RAND_ZIPFIAN, 1, 1, 75, 0.2, 1 },
    { RAND_ZIPFIAN, 1, 1, 75, 0.2, 7.5 },
    { RAND_ZIPFIAN, 1, 1, 75, 0.2, 100 },
    { RAND_ZIPFIAN, 1, 1, 75, 0.2, 1e6 },
    { RAND_ZIPFIAN, 1, 1, 75, 0.2, INFINITY },
  };
  bool inside = true;

  for (size_t i = 0; i < ARRAY_SIZE(extreme); i++) {
    struct zipf_cache cache = { { 0 } };
    struct rand_params p;
    struct rng rng;

    rand_params_init(&p, &extreme[i]);
    rng_seed(&rng, 3, RNG_WORKLOAD, 0);
    for (size_t k = 0; k < ARRAY_SIZE(ranges) * 200; k++) {
      const struct range *r = &ranges[k % ARRAY_SIZE(ranges)];
      const int64_t x = dist_default(&p, &rng, &cache, r->a, r->b);

      inside = inside && x >= r->a && x <= r->b;
    }
  }
  OK(inside, "extreme parameters stay within all the ranges");
}

/* With few values, the extremes are known exactly. */
static void check_limits(void)
{
  static const struct {
    struct rand_cfg choice;
    int64_t only;
  } one[] = {
    { { RAND_ZIPFIAN, 1, 1, 75, 0.2, 100 }, 1 },
    { { RAND_ZIPFIAN, 1, 1, 75, 0.2, INFINITY }, 1 },
    { { RAND_PARETO, 1, 1, 75, 1e-300, 0.8 }, 1 },
    { { RAND_SPECIAL, 1, 0, 100, 0.2, 0.8 }, 51 },
  };

  for (size_t i = 0; i < ARRAY_SIZE(one); i++) {
    struct zipf_cache cache = { { 0 } };
    struct rand_params p;
    bool same = true;
    struct rng rng;

    rand_params_init(&p, &one[i].choice);
    rng_seed(&rng, 3, RNG_WORKLOAD, 0);
    for (int k = 0; k < 1000; k++)
      same = same && dist_default(&p, &rng, &cache, 1, 101) == one[i].only;
    OK(same, type_names[one[i].choice.type]);
  }
}

/* More ranges in turn than are kept give the same as one after another. */
static void check_zipf_cache(void)
{
  enum {
    KINDS = ZIPF_RANGES + 3
  };
  const struct rand_cfg choice = { RAND_ZIPFIAN, 12, 1, 75, 0.2, 0.8 };
  struct zipf_cache mixed = { { 0 } };
  struct rand_params p;
  bool same = true;
  struct rng rng;

  rand_params_init(&p, &choice);
  rng_seed(&rng, 3, RNG_WORKLOAD, 0);
  for (int i = 0; i < 5000; i++) {
    struct zipf_cache fresh = { { 0 } };
    const int64_t high = 10 + 1000 * (i * i % KINDS);
    struct rng copy = rng;

    same = same && dist_zipfian(&p, &rng, &mixed, 1, high) ==
                     dist_zipfian(&p, &copy, &fresh, 1, high);
  }
  OK(same, "what zipfian remembers of ranges does not change its values");
}

int main(void)
{
  for (int type = RAND_UNIFORM; type <= RAND_ZIPFIAN; type++) {
    for (size_t i = 0; i < ARRAY_SIZE(ranges); i++)
      check_range((enum rand_type)type, &ranges[i]);
    check_empty((enum rand_type)type);
  }
  check_32_bits();
  check_extremes();
  check_limits();
  check_zipf_cache();
  return TAP_EXIT();
}
