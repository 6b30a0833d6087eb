/*
 * The generator, its keys, and what comes straight from it.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "stats/rand/rng.h"
#include "stats/rand/stream.h"
#include "stats/rand/uniq.h"
#include "tests/unit/rand_check.h"
#include "tests/unit/tap.h"

/* The first numbers of the published generator from the state (1, 2). */
static void check_generator(void)
{
  static const uint64_t want[] = {
    UINT64_C(393217),
    UINT64_C(669327710093319),
    UINT64_C(1732421326133921491),
    UINT64_C(11394790081659126983),
    UINT64_C(9555452776773192676),
    UINT64_C(3586421180005889563),
    UINT64_C(1691397964866707553),
    UINT64_C(10735626796753111697),
  };
  struct rng rng = { { 1, 2 } };
  bool same = true;

  for (size_t i = 0; i < ARRAY_SIZE(want); i++)
    same = same && rng_next(&rng) == want[i];
  OK(same, "xoroshiro128++ gives the published numbers");

  rng_seed_key(&rng, 0);
  OK(rng.s[0] == UINT64_C(0xE220A8397B1DCDAF) &&
       rng.s[1] == UINT64_C(0x6E789E6AA1B965F4),
     "the state is filled from SplitMix64");
  rng_seed_key(&rng, -RNG_GAMMA);
  OK((rng.s[0] | rng.s[1]) != 0, "no state of zeros");
}

static void check_gamma(void)
{
  OK(fabs(gamma_q(1, 3) - exp(-3)) < 1e-12, "Q(1, x) is exp(-x)");
  OK(fabs(gamma_q(0.5, 2) - erfc(sqrt(2))) < 1e-12, "Q(1/2, x), upper branch");
  OK(fabs(gamma_q(0.5, 0.3) - erfc(sqrt(0.3))) < 1e-12, "and lower branch");
  OK(fabs(gamma_q(49.5, 41.5) - 0.876) < 0.001, "chi-square 83.0 for 99");
}

static void check_double(uint64_t seed)
{
  const int draws = 1000000;
  double sum = 0, squares = 0, mean, variance;
  bool inside = true;
  struct rng rng;

  rng_seed(&rng, seed, RNG_WORKLOAD, 0);
  for (int i = 0; i < draws; i++) {
    const double u = rng_double(&rng);

    inside = inside && u >= 0 && u < 1;
    sum += u;
    squares += u * u;
  }
  mean = sum / draws;
  variance = squares / draws - mean * mean;
  OK(inside, "doubles are in [0, 1)");
  OK(fabs(mean - 0.5) < 0.0012, "mean of doubles");
  OK(fabs(variance - 1 / 12.0) < 0.0003, "variance of doubles");

  rng = (struct rng){ { 0, 0 } }; /* no stream has it: the smallest draw */
  OK(rng_double(&rng) == 0, "the least double is 0");
  rng = (struct rng){ { UINT64_MAX, 1 } }; /* s0 + s1 = 0 gives all ones */
  OK(rng_double(&rng) == 1 - 0x1p-53, "the greatest is below 1");
}

static void check_exponential(uint64_t seed)
{
  const int draws = 1000000;
  uint64_t count[20] = { 0 };
  double share[20], sum = 0, squares = 0;
  struct chi2 chi;
  struct rng rng;

  rng_seed(&rng, seed, RNG_ARRIVALS, 0);
  for (int i = 0; i < draws; i++) {
    const double x = rng_exponential(&rng);
    const size_t cell = (size_t)(x * 4);

    count[cell < 19 ? cell : 19]++;
    sum += x;
    squares += x * x;
  }
  for (int i = 0; i < 20; i++)
    share[i] = exp(-i / 4.0) - (i < 19 ? exp(-(i + 1) / 4.0) : 0);
  chi = chi2_test(count, share, 20);
  OK(fabs(sum / draws - 1) < 0.004, "mean of gaps");
  OK(fabs(squares / draws - 2) < 4 * sqrt(20.0 / draws), "second moment");
  OK(CHI2_OK(chi), "distribution of gaps");
}

/* In a range of 3 * 2^62 values, a bias would be obvious. */
static void check_below(uint64_t seed)
{
  const uint64_t n = UINT64_C(3) << 62;
  uint64_t third[3] = { 0 }, digit[7] = { 0 };
  bool inside = true;
  struct rng rng;

  rng_seed(&rng, seed, RNG_INTERNAL, 0);
  for (int i = 0; i < 300000; i++) {
    const uint64_t x = rng_below(&rng, n);

    inside = inside && x < n;
    third[x % 3]++; /* half would be multiples of 3 */
    digit[rng_below(&rng, 7) % 7]++;
  }
  OK(inside, "below 3 * 2^62");
  OK(CHI2_OK(chi2_even(third, 3)), "no bias in a huge range");
  OK(CHI2_OK(chi2_even(digit, 7)), "no bias in a small range");
  OK(rng_below(&rng, 1) == 0, "one value");

  struct rng copy = rng;

  OK(rng_below(&rng, 0) == rng_next(&copy), "0 stands for 2^64");
}

static int by_value(const void *x, const void *y)
{
  const uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;

  return (a > b) - (a < b);
}

static bool all_differ(uint64_t *x, size_t n)
{
  qsort(x, n, sizeof(*x), by_value);
  for (size_t i = 1; i < n; i++) {
    if (x[i] == x[i - 1])
      return false;
  }
  return true;
}

/* With 64-bit draws, no common draw means no common run of four. */
static void check_streams_apart(void)
{
  enum {
    DRAWS = 1000
  };
  static uint64_t draw[24 * DRAWS];
  const uint64_t seeds[] = { 7, 8, 0 };
  size_t n = 0;

  for (size_t s = 0; s < ARRAY_SIZE(seeds); s++) {
    for (int purpose = RNG_WORKLOAD; purpose <= RNG_MAIN + 1; purpose++) {
      for (uint64_t index = 0; index < 2; index++) {
        struct rng rng;

        rng_seed(&rng, seeds[s], (enum rng_purpose)purpose, index);
        for (int i = 0; i < DRAWS; i++)
          draw[n++] = rng_next(&rng);
      }
    }
  }
  OK(n == ARRAY_SIZE(draw), "all streams were drawn from");
  OK(all_differ(draw, n), "seeds, purposes and indexes have nothing in common");
}

static void check_rows(void)
{
  enum {
    TABLES = 20,
    ROWS = 5000
  };
  static uint64_t first[TABLES * ROWS];
  uint64_t bits[64] = { 0 };
  struct rng rng, again;
  bool even = true;
  size_t n = 0;

  for (uint64_t table = 0; table < TABLES; table++) {
    for (uint64_t row = 0; row < ROWS; row++) {
      rng_seed2(&rng, 42, RNG_ROWS, table, row);
      first[n++] = rng_next(&rng);
    }
  }
  for (size_t i = 0; i < n; i++) {
    for (int bit = 0; bit < 64; bit++)
      bits[bit] += first[i] >> bit & 1;
  }
  for (int bit = 0; bit < 64; bit++)
    even = even && fabs((double)bits[bit] - n / 2.0) < 5 * sqrt(n / 4.0);
  OK(even, "every bit of the rows' first draws is set in half of them");
  OK(all_differ(first, n), "rows and tables have streams of their own");

  rng_seed2(&rng, 42, RNG_ROWS, 3, 4);
  rng_seed2(&again, 42, RNG_ROWS, 3, 4);
  OK(rng_next(&rng) == rng_next(&again), "a row is the same every time");
  rng_seed2(&again, 42, RNG_ROWS, 4, 3);
  OK(rng_next(&rng) != rng_next(&again), "table and row are not exchangeable");
}

static void check_clock_seed(void)
{
  uint64_t seed[1000];
  bool inside = true;

  for (size_t i = 0; i < ARRAY_SIZE(seed); i++) {
    const int64_t x = rand_seed_from_clock();

    inside = inside && x > 0 && x < INT64_C(1) << 53;
    seed[i] = (uint64_t)x;
  }
  OK(inside, "seeds from the clock are in 1..2^53-1");
  OK(all_differ(seed, ARRAY_SIZE(seed)), "and differ within one second");
}

static void check_stream_object(void)
{
  const struct rand_cfg choice = { RAND_UNIFORM, 12, 1, 75, 0.2, 0.8 };
  struct rand_params params;
  static struct rand_stream stream[2];
  struct rng rng;

  rand_params_init(&params, &choice);
  rand_stream_init(&stream[0], &params, 5, RNG_WORKLOAD, 3, 8);
  rng_seed(&rng, 5, RNG_WORKLOAD, 3);
  OK(rng_next(&stream[0].rng) == rng_next(&rng), "a stream starts at its key");
  OK((uintptr_t)&stream[1] % CACHE_LINE == 0 &&
       sizeof(stream[0]) % CACHE_LINE == 0,
     "streams share no cache line");
  OK(rand_draw(&stream[0], 5, 5) == 5, "a range of one value");
}

int main(void)
{
  check_gamma();
  check_generator();
  for (size_t i = 0; i < ARRAY_SIZE(check_seeds); i++) {
    check_double(check_seeds[i]);
    check_exponential(check_seeds[i]);
    check_below(check_seeds[i]);
  }
  check_streams_apart();
  check_rows();
  check_clock_seed();
  check_stream_object();
  return TAP_EXIT();
}
