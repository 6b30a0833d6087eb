/*
 * Unique numbers: none twice, over all threads; the same in every run; spread
 * over the whole range.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "stats/rand/stream.h"
#include "stats/rand/uniq.h"
#include "tests/unit/rand_check.h"
#include "tests/unit/tap.h"

enum {
  WORKERS = 8,
  OTHERS = 3,
  TAKEN = 1000000
};

/* No number twice: marked in a map of bits, an eighth of them at a time. */
static bool all_differ(const uint32_t *x, size_t n)
{
  static uint64_t map[(UINT64_C(1) << 29) / 64];

  for (uint32_t eighth = 0; eighth < 8; eighth++) {
    memset(map, 0, sizeof(map));
    for (size_t i = 0; i < n; i++) {
      const uint32_t at = x[i] & ((UINT32_C(1) << 29) - 1);
      const uint64_t bit = UINT64_C(1) << at % 64;

      if (x[i] >> 29 != eighth)
        continue;
      if (map[at / 64] & bit)
        return false;
      map[at / 64] |= bit;
    }
  }
  return true;
}

struct worker {
  uint64_t seed, tid;
  uint32_t *out;
};

static void *take(void *arg)
{
  static const struct rand_params unused;
  const struct worker *w = arg;
  struct rand_stream s;

  rand_stream_init(&s, &unused, w->seed, RNG_WORKLOAD, w->tid, WORKERS);
  for (int i = 0; i < TAKEN; i++)
    w->out[i] = uniq_next(&s.uniq);
  return NULL;
}

static void take_with_threads(uint64_t seed, uint32_t *out)
{
  struct worker worker[WORKERS];
  pthread_t thread[WORKERS];

  for (size_t i = WORKERS; i-- > 0;) { /* in another order than the numbers */
    worker[i] = (struct worker){ seed, i, out + i * TAKEN };
    if (pthread_create(&thread[i], NULL, take, &worker[i]) != 0)
      exit(99);
  }
  for (size_t i = 0; i < WORKERS; i++)
    (void)pthread_join(thread[i], NULL);
}

/* Streams other than workers' have numbers of their own, too. */
static void take_others(uint64_t seed, uint32_t *out)
{
  static const struct {
    enum rng_purpose purpose;
    uint64_t index;
  } other[OTHERS] = { { RNG_MAIN, 0 }, { RNG_HOOKS, 0 }, { RNG_HOOKS, 1 } };
  static const struct rand_params unused;

  for (size_t i = 0; i < OTHERS; i++) {
    struct rand_stream s;

    rand_stream_init(&s, &unused, seed, other[i].purpose, other[i].index,
                     WORKERS);
    for (int k = 0; k < TAKEN; k++)
      *out++ = uniq_next(&s.uniq);
  }
}

static void check_threads(void)
{
  const size_t size = (WORKERS + OTHERS) * TAKEN * sizeof(uint32_t);
  uint32_t *out = malloc(size), *again = malloc(size);
  size_t shared = 0;

  if (!out || !again)
    exit(99);
  take_with_threads(7, out);
  OK(all_differ(out, WORKERS * TAKEN),
     "8 threads, 1e6 numbers each, no duplicate");
  for (size_t i = 0; i < WORKERS; i++) {
    struct worker w = { 7, i, again + i * TAKEN };

    (void)take(&w);
  }
  OK(memcmp(out, again, WORKERS * TAKEN * sizeof(*out)) == 0,
     "every thread has the same numbers again");
  take_others(7, out + WORKERS * TAKEN);
  OK(all_differ(out, (WORKERS + OTHERS) * TAKEN),
     "none with the main state and the hooks either");

  take_with_threads(8, again);
  for (size_t i = 0; i < TAKEN; i++)
    shared += out[i] == again[i];
  OK(shared < 10, "other seeds give other numbers");
  free(out);
  free(again);
}

static void check_spread(uint64_t seed)
{
  static uint32_t out[TAKEN];
  uint64_t quarter[4] = { 0 }, rise = 0, bits = 0;
  uint32_t last = 0;
  bool even = true;
  struct uniq u;

  uniq_init(&u, seed, UNIQ_START, 0, 2);
  for (int i = 0; i < TAKEN; i++) {
    const uint32_t x = uniq_next(&u);

    out[i] = x;
    quarter[x >> 30]++;
    rise += x > last;
    bits += (uint64_t)__builtin_popcount(x ^ last);
    last = x;
  }
  for (int i = 0; i < 4; i++)
    even = even && fabs((double)quarter[i] / TAKEN - 0.25) < 0.0018;
  OK(all_differ(out, TAKEN), "1e6 numbers, no duplicate");
  OK(even, "a quarter of them in each quarter");
  OK(fabs((double)rise / TAKEN - 0.5) < 0.002, "every other one rises");
  OK(fabs((double)bits / TAKEN - 16) < 0.05, "and half of the bits change");
}

/* The slots together take each of n values once before any comes again. */
static bool is_permutation(uint64_t n, enum uniq_from from, uint64_t slots,
                           int64_t a)
{
  unsigned char seen[600] = { 0 };
  bool unique = true;

  for (uint64_t slot = 0; slot < slots; slot++) {
    struct uniq u;

    uniq_init(&u, n, from, slot, slots);
    for (uint64_t i = slot; i < n; i += slots) {
      const int64_t x = uniq_in_range(&u, a, a + (int64_t)n - 1);
      const uint64_t at = (uint64_t)x - (uint64_t)a;

      unique = unique && at < n && !seen[at];
      seen[at % sizeof(seen)] = 1;
    }
  }
  return unique;
}

static void check_small_ranges(void)
{
  bool all = true;

  for (uint64_t n = 1; n <= 600; n++) {
    all = all && is_permutation(n, UNIQ_START, 1, 1) &&
          is_permutation(n, UNIQ_START, 2, -20) &&
          is_permutation(n, UNIQ_START, 9, 1000) &&
          is_permutation(n, UNIQ_END, 1, -5) &&
          is_permutation(n, UNIQ_MIDDLE, 3, 7);
  }
  OK(all, "each of 1..600 values once, with 1, 2 and 9 slots");
}

/* The workers and the main state have each taken half of the values. */
static void check_both_ends(void)
{
  enum {
    N = 600,
    SLOTS = 5
  };
  unsigned char seen[N] = { 0 };
  struct uniq u;
  bool unique = true;

  for (uint64_t slot = 0; slot <= SLOTS; slot++) {
    const bool main_state = slot == SLOTS;

    uniq_init(&u, 4, main_state ? UNIQ_END : UNIQ_START, main_state ? 0 : slot,
              main_state ? 1 : SLOTS);
    for (int i = 0; i < N / 2 / (main_state ? 1 : SLOTS); i++)
      unique = seen[uniq_in_range(&u, 0, N - 1)]++ == 0 && unique;
  }
  OK(unique, "the main state meets the workers when all values are used up");
}

/*
 * A single slot goes through n values again and again, each time in another
 * order.
 */
static void check_rounds(void)
{
  enum {
    N = 101
  };
  int64_t order[4][N];
  uint64_t same = 0;
  bool each = true;
  struct uniq u;

  uniq_init(&u, 5, UNIQ_START, 0, 1);
  for (int round = 0; round < 4; round++) {
    bool seen[N] = { false };

    for (int i = 0; i < N; i++) {
      const int64_t x = uniq_in_range(&u, 0, N - 1);

      each = each && x >= 0 && x < N && !seen[x];
      seen[x % N] = true;
      order[round][i] = x;
      same += round > 0 && order[round - 1][i] == x;
    }
  }
  OK(each, "every round has all values");
  OK(same < 20, "in another order");

  uniq_init(&u, 5, UNIQ_START, 12, 40);
  each = true;
  for (int i = 0; i < 1000; i++) {
    const int64_t x = uniq_in_range(&u, 1, 7);

    each = each && x >= 1 && x <= 7;
  }
  OK(each, "more slots than values");
}

static int by_value(const void *x, const void *y)
{
  const int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;

  return (a > b) - (a < b);
}

/*
 * Ranges up to all of 64 bits: no duplicates, spread evenly, both in the
 * values and in the steps between them.
 */
static void check_large_range(int64_t a, int64_t b)
{
  enum {
    N = 100000,
    CELLS = 50
  };
  static int64_t got[N];
  const double width = (double)((uint64_t)b - (uint64_t)a) + 1;
  uint64_t cell[CELLS] = { 0 }, step[CELLS] = { 0 };
  double before = 0;
  bool unique = true;
  struct uniq u;
  char what[100];

  uniq_init(&u, 77, UNIQ_START, 1, 5);
  for (int i = 0; i < N; i++) {
    const int64_t x = got[i] = uniq_in_range(&u, a, b);
    const double place = (double)((uint64_t)x - (uint64_t)a) / width;
    const double diff = place - before;

    cell[(size_t)(place * CELLS) % CELLS]++;
    step[(size_t)((diff < 0 ? diff + 1 : diff) * CELLS) % CELLS]++;
    before = place;
  }
  qsort(got, N, sizeof(got[0]), by_value);
  for (int i = 1; i < N; i++)
    unique = unique && got[i] != got[i - 1];
  (void)snprintf(what, sizeof(what), "unique in %lld..%lld", (long long)a,
                 (long long)b);
  OK(unique && got[0] >= a && got[N - 1] <= b, what);
  OK(CHI2_OK(chi2_even(cell, CELLS)), "spread evenly");
  OK(CHI2_OK(chi2_even(step, CELLS)), "no pattern in the steps");
}

/* Uses as many ranges in turn as are kept, then one more. */
static void check_alternation(void)
{
  enum {
    N = 5000,
    KINDS = UNIQ_RANGES + 1
  };
  static bool seen[KINDS][N];
  bool unique = true;
  struct uniq u;

  uniq_init(&u, 5, UNIQ_START, 0, 1);
  for (int i = 0; i < 2000; i++) {
    for (int k = 0; k < (i < 1900 ? UNIQ_RANGES : KINDS); k++) {
      const int64_t x = uniq_in_range(&u, k, k + N - 1) - k;

      unique = unique && !seen[k][x];
      seen[k][x] = true;
    }
  }
  uniq_done(&u);
  OK(unique, "ranges in turn do not disturb each other");
}

static void check_whole_32_bits(void)
{
  struct uniq u, v;
  bool same = true;

  uniq_init(&u, 5, UNIQ_START, 2, 3);
  uniq_init(&v, 5, UNIQ_START, 2, 3);
  for (int i = 0; i < 100; i++)
    same = same && uniq_in_range(&u, 0, UINT32_MAX) == uniq_next(&v);
  OK(same, "the range of 32 bits is the plain sequence");
  OK(uniq_in_range(&u, 5, 4) == 5, "an empty range gives its lower end");
  OK(uniq_in_range(&u, 5, INT64_MIN) == 5, "a reversed one as well");
}

static void check_primes(void)
{
  unsigned char composite[20000] = { 1, 1 };
  uint64_t greatest = 0;
  bool right = true, ends = true;

  for (size_t i = 2; i < sizeof(composite); i++) {
    for (size_t k = 2 * i; !composite[i] && k < sizeof(composite); k += i)
      composite[k] = 1;
  }
  for (size_t i = 0; i < sizeof(composite); i++) {
    right = right && uniq_is_prime(i) == !composite[i];
    if (!composite[i] && i % 4 == 3)
      greatest = i;
    ends = ends && uniq_prime_up_to(i) == greatest;
  }
  OK(right, "primes below 20000");
  OK(ends, "the greatest p mod 4 = 3 up to each of them");
  OK(uniq_prime_up_to(UINT32_MAX) == UINT64_C(4294967291), "2^32 - 5");
  OK(uniq_prime_up_to(UINT64_MAX) == -UINT64_C(189), "2^64 - 189");
  OK(!uniq_is_prime(UINT64_C(3825123056546413051)),
     "a strong pseudoprime to the first nine bases");
}

int main(void)
{
  check_primes();
  check_threads();
  for (size_t i = 0; i < ARRAY_SIZE(check_seeds); i++)
    check_spread(check_seeds[i]);
  check_small_ranges();
  check_both_ends();
  check_rounds();
  check_large_range(1, 1000000);
  check_large_range(1, INT64_C(1) << 33);
  check_large_range(-5, INT64_MAX);
  check_large_range(INT64_MIN, INT64_MAX);
  check_alternation();
  check_whole_32_bits();
  return TAP_EXIT();
}
