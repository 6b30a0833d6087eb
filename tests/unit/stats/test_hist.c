/*
 * test_hist.c - the histogram against sorted arrays of the recorded values.
 */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "stats/hist_sum.h"
#include "stats/rand/rng.h"
#include "tests/unit/same_sum.h"
#include "tests/unit/tap.h"

enum {
  VALUES = 20000
};

static uint64_t next_random(uint64_t *state)
{
  return rng_mix(*state += RNG_GAMMA);
}

/* All orders of magnitude of the range are equally likely. */
static uint64_t random_ns(uint64_t *state)
{
  const unsigned bits = (unsigned)(next_random(state) % HIST_TOP_BIT) + 1;

  return next_random(state) & ((UINT64_C(1) << bits) - 1);
}

static int by_value(const void *a, const void *b)
{
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

  return (x > y) - (x < y);
}

static void test_layout(void)
{
  bool low_ok = true, next_ok = true, middle_ok = true, close_ok = true;

  for (unsigned i = 0; i < HIST_BUCKETS; i++) {
    const uint64_t low = hist_low(i), middle = hist_middle(i);
    const uint64_t end = i + 1 < HIST_BUCKETS ? hist_low(i + 1)
                                              : HIST_MAX_NS + 1;

    low_ok &= hist_index(low) == i;
    next_ok &= hist_index(end - 1) == i;
    middle_ok &= hist_index(middle) == i;
    close_ok &= (double)(middle - low) <= 0.0005 * (double)low &&
                (double)(end - 1) - (double)middle <= 0.0005 * (double)low;
  }
  OK(low_ok, "the smallest value of each bucket belongs to it");
  OK(next_ok, "so does the largest");
  OK(middle_ok, "so does the middle");
  OK(close_ok, "no value is further than 0.05 % from the middle");

  OK(hist_low(0) == 0 && hist_low(2047) == 2047, "below 2048 ns all is exact");
  OK(hist_index(UINT64_MAX) == HIST_BUCKETS - 1 &&
       hist_index(HIST_MAX_NS + 1) == HIST_BUCKETS - 1,
     "what is beyond the range goes to the last bucket");
  OK(HIST_MAX_NS > UINT64_C(3600000000000), "an hour is in the range");
}

/*
 * Returns the rank that follows from the definition of the percentile, from 0.
 */
static size_t rank_of(size_t n, double pct)
{
  const double rank = floor((double)n * pct / 100.0 + 0.5);

  return rank < 1.0 ? 0 : (size_t)rank - 1;
}

static void test_percentiles(const struct hist_sum *sum, const uint64_t *sorted)
{
  static const double pcts[] = { 0.001, 0.01, 1,  5,    25,    50, 75,
                                 90,    95,   99, 99.9, 99.99, 100 };
  char what[80];

  for (size_t i = 0; i < sizeof(pcts) / sizeof(pcts[0]); i++) {
    const uint64_t want = sorted[rank_of(VALUES, pcts[i])];
    const uint64_t got = hist_percentile(sum, pcts[i]);

    (void)snprintf(what, sizeof(what), "p%g: %" PRIu64 " for %" PRIu64, pcts[i],
                   got, want);
    OK(hist_index(got) == hist_index(want) &&
         fabs((double)got - (double)want) <= 0.001 * (double)want,
       what);
  }
}

static void test_moments(const struct hist_sum *sum, const uint64_t *values)
{
  double mean = 0.0, squares = 0.0;

  for (size_t i = 0; i < VALUES; i++)
    mean += (double)values[i] / VALUES;
  for (size_t i = 0; i < VALUES; i++)
    squares += ((double)values[i] - mean) * ((double)values[i] - mean);
  OK(fabs(hist_mean(sum) - mean) < 0.001 * mean, "mean");
  OK(fabs(hist_stddev(sum) - sqrt(squares / VALUES)) <
       0.001 * sqrt(squares / VALUES),
     "standard deviation");
}

/* Counts the pages of a sum that exist.  Systems differ in the sign of the
 * bytes. */
static unsigned pages_of(const struct hist_sum *s)
{
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  unsigned char there[sizeof(*s) / 4096 + 1] = { 0 };
  unsigned n = 0;

  if (mincore((void *)(uintptr_t)s, sizeof(*s), (void *)there) != 0)
    return UINT_MAX;
  for (size_t i = 0; i < (sizeof(*s) + page - 1) / page; i++)
    n += there[i] & 1;
  return n;
}

/* Two pages of 4 KiB; what is in both may be in one that is larger. */
static bool is_small(const struct hist_sum *s)
{
  const unsigned n = pages_of(s);

  return n == 2 || (n == 1 && sysconf(_SC_PAGESIZE) > 4096);
}

static void test_pages(void)
{
  struct hist_sum *one = hist_sum_new(), *other = hist_sum_new();
  struct hist_sum *copy = hist_sum_new(), *diff = hist_sum_new();

  hist_sum_put(one, hist_index(1000000), 1);
  OK(is_small(one), "a sum has two pages for a few values");
  for (unsigned bit = 0; bit < HIST_TOP_BIT; bit++)
    hist_sum_put(other, hist_index(UINT64_C(1) << bit), 5);
  OK(pages_of(other) <= 6, "and four more for some of every size");
  hist_sum_copy(copy, one);
  hist_sum_clear(copy);
  OK(is_small(copy), "a copy, too");
  hist_sum_copy(copy, other);
  OK(pages_of(copy) <= 6, "one of many sizes, too");
  hist_sum_merge(other, one);
  hist_sum_sub(diff, other, copy);
  OK(is_small(diff), "a difference has those of what differs");
  OK(hist_percentile(diff, 100) == hist_middle(hist_index(1000000)) &&
       is_small(diff),
     "and reading adds none");
  hist_sum_free(one);
  hist_sum_free(other);
  hist_sum_free(copy);
  hist_sum_free(diff);
}

/* Checks what a loop sees. */
static void test_next(const struct hist_sum *sum)
{
  struct hist_sum *s = hist_sum_new();
  uint64_t seen = 0;

  OK(hist_sum_next(s, 0) == HIST_BUCKETS, "an empty sum has no bucket");
  hist_sum_put(s, 7, 1);
  hist_sum_put(s, 3 * HIST_BLOCK - 1, 1);
  hist_sum_put(s, HIST_BUCKETS - 1, 1);
  OK(hist_sum_next(s, 0) == 7 && hist_sum_next(s, 7) == 7 &&
       hist_sum_next(s, 8) == 3 * HIST_BLOCK - 1 &&
       hist_sum_next(s, 3 * HIST_BLOCK) == HIST_BUCKETS - 1 &&
       hist_sum_next(s, HIST_BUCKETS) == HIST_BUCKETS,
     "the next bucket in use, or none");
  for (unsigned i = hist_sum_next(sum, 0); i < HIST_BUCKETS;
       i = hist_sum_next(sum, i + 1))
    seen += hist_sum_at(sum, i);
  OK(seen == sum->total, "a loop sees all of them");
  hist_sum_free(s);
}

static uint64_t at(const struct hist *h, unsigned index)
{
  struct hist_sum *s = hist_sum_new();
  uint64_t n;

  hist_sum_add(s, h);
  n = hist_sum_at(s, index) == s->total ? s->total : UINT64_MAX;
  hist_sum_free(s);
  return n;
}

/* Days of one latency are more than a short count can hold. */
static void test_full(void)
{
  const unsigned i = hist_index(1000);
  struct hist *h = hist_new();

  hist_record(h, 1000);
  atomic_store(&h->count[i], HIST_FULL - 1);
  hist_record(h, 1000);
  OK(at(h, i) == HIST_FULL, "the last one in the short count");
  hist_record(h, 1000);
  hist_record_shared(h, 1000);
  OK(at(h, i) == UINT64_C(2) + HIST_FULL && h->count[i] == HIST_FULL,
     "the next ones beside it");
  /* Another thread is in the middle of recording. */
  atomic_fetch_add(&h->count[i], 5);
  OK(at(h, i) == UINT64_C(2) + HIST_FULL, "one too much does not count twice");
  hist_free(h);
}

/* The earlier content of a sum does not show, wherever it was. */
static void test_leftovers(const struct hist_sum *a, const struct hist_sum *b)
{
  struct hist_sum *s = hist_sum_new(), *t = hist_sum_new();

  hist_sum_put(s, 5, 3);
  hist_sum_put(s, HIST_BUCKETS - 1, 1);
  OK(s->total == 4 && hist_sum_at(s, 5) == 3, "values are put into buckets");
  OK(hist_percentile(s, 50) == 5 && hist_percentile(s, 75) == 5 &&
       hist_percentile(s, 100) == hist_middle(HIST_BUCKETS - 1),
     "and found in them, far from each other");
  hist_sum_put(t, HIST_BLOCK, 1);
  hist_sum_copy(s, t);
  OK(same_sum(s, t), "a copy over others");
  hist_sum_copy(s, a);
  hist_sum_sub(s, t, t);
  hist_sum_clear(t);
  OK(same_sum(s, t), "a difference over others");
  hist_sum_copy(s, b);
  hist_sum_clear(s);
  OK(same_sum(s, t), "cleared");
  hist_sum_merge(s, a);
  OK(same_sum(s, a), "and used again");
  hist_sum_free(s);
  hist_sum_free(t);
}

/* A sum, and its expected content. */
struct twin {
  struct hist_sum *sum;
  uint64_t *count; /* [HIST_BUCKETS] */
};

static bool is_equal(const struct twin *t)
{
  uint64_t total = 0;

  for (unsigned i = 0; i < HIST_BUCKETS; i++) {
    if (hist_sum_at(t->sum, i) != t->count[i])
      return false;
    total += t->count[i];
  }
  return total == t->sum->total;
}

static uint64_t draw(uint64_t *state, uint64_t n)
{
  *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
  return (*state >> 33) % n;
}

static void put_some(struct twin *t, uint64_t *state)
{
  static const uint64_t numbers[] = { 1,
                                      2,
                                      UINT16_MAX - 1,
                                      UINT16_MAX,
                                      UINT16_MAX + 1,
                                      UINT32_MAX,
                                      UINT64_C(1) << 40 };
  const uint64_t n = numbers[draw(state, ARRAY_SIZE(numbers))];
  const unsigned i = (unsigned)(draw(state, 3) * (HIST_BUCKETS / 2 - 8) +
                                draw(state, 16));

  hist_sum_put(t->sum, i, n);
  t->count[i] += n;
}

static void take_away(struct twin *out, const struct twin *now,
                      const struct twin *before)
{
  hist_sum_sub(out->sum, now->sum, before->sum);
  for (unsigned i = 0; i < HIST_BUCKETS; i++)
    out->count[i] = now->count[i] - before->count[i];
}

/* Takes one of many steps, in which [0] is never less than [1]. */
static void step(struct twin t[3], uint64_t *state)
{
  const size_t bytes = HIST_BUCKETS * sizeof(*t->count);

  switch (draw(state, 12)) {
  case 0: /* hand out a difference, and begin the next period */
    take_away(&t[2], &t[0], &t[1]);
    hist_sum_copy(t[1].sum, t[0].sum);
    memcpy(t[1].count, t[0].count, bytes);
    break;
  case 1:
    hist_sum_merge(t[0].sum, t[2].sum);
    for (unsigned i = 0; i < HIST_BUCKETS; i++)
      t[0].count[i] += t[2].count[i];
    break;
  case 2: /* in place, and into another sum */
    take_away(&t[draw(state, 2)], &t[0], &t[1]);
    hist_sum_clear(t[1].sum);
    memset(t[1].count, 0, bytes);
    break;
  case 3:
    hist_sum_clear(t[2].sum);
    memset(t[2].count, 0, bytes);
    break;
  default:
    put_some(&t[0], state);
    put_some(&t[2], state);
  }
}

/* Counts of all sizes, in blocks that were used before or not. */
static void test_counts(void)
{
  struct twin t[3];
  uint64_t state = 1;
  unsigned n = 0;

  for (unsigned i = 0; i < 3; i++) {
    t[i].sum = hist_sum_new();
    t[i].count = calloc(HIST_BUCKETS, sizeof(*t[i].count));
  }
  for (; n < 2000; n++) {
    step(t, &state);
    if (!is_equal(&t[0]) || !is_equal(&t[1]) || !is_equal(&t[2]))
      break;
  }
  OK(n == 2000, "sums have the counts of plain arrays");
  for (unsigned i = 0; i < 3; i++) {
    hist_sum_free(t[i].sum);
    free(t[i].count);
  }
}

/* `a` and `b` are sums of different values. */
static void test_sums(const struct hist_sum *a, const struct hist_sum *b)
{
  struct hist_sum *s = hist_sum_new(), *t = hist_sum_new();

  OK(s->total == 0 && hist_percentile(s, 50) == 0 && hist_mean(s) == 0.0 &&
       hist_stddev(s) == 0.0,
     "an empty sum has only zeros");
  OK(!same_sum(a, b), "the two sums differ");
  hist_sum_copy(t, a);
  OK(same_sum(t, a), "a copy is equal");
  hist_sum_merge(t, s);
  OK(same_sum(t, a), "merging nothing changes nothing");
  hist_sum_merge(t, b);
  OK(t->total == a->total + b->total, "totals add up");
  hist_sum_sub(s, t, a);
  OK(same_sum(s, b), "a + b - a = b");
  hist_sum_sub(s, t, b);
  OK(same_sum(s, a), "a + b - b = a");
  hist_sum_sub(s, s, a);
  OK(s->total == 0 && hist_sum_at(s, hist_index(hist_percentile(a, 50))) == 0,
     "a - a is empty, also in place");
  hist_sum_clear(t);
  OK(same_sum(s, t), "and equal to a cleared one");
  hist_sum_free(s);
  hist_sum_free(t);
}

static void test_edges(void)
{
  struct hist *h = hist_new();
  struct hist_sum *s = hist_sum_new();

  hist_record(h, 0);
  hist_sum_add(s, h);
  OK(s->total == 1 && hist_percentile(s, 100) == 0, "0 ns is 0 ns");
  hist_record(h, 1);
  hist_record(h, 1);
  hist_sum_clear(s);
  hist_sum_add(s, h);
  OK(s->total == 3 && hist_percentile(s, 50) == 1, "1 ns is 1 ns");
  OK(hist_percentile(s, 0.001) == 0, "the rank is never below 1");
  hist_record(h, HIST_MAX_NS);
  hist_record_shared(h, UINT64_MAX);
  hist_sum_clear(s);
  hist_sum_add(s, h);
  OK(s->total == 5 && hist_sum_at(s, HIST_BUCKETS - 1) == 2,
     "the largest value and what is beyond it are counted");
  OK(hist_percentile(s, 100) == hist_middle(HIST_BUCKETS - 1),
     "and seen by a percentile");

  hist_free(h);
  h = hist_new();
  hist_record(h, UINT64_C(120000000000));
  hist_sum_clear(s);
  hist_sum_add(s, h);
  OK(fabs((double)hist_percentile(s, 95) / 120e9 - 1.0) < 0.001,
     "two minutes are two minutes");
  hist_free(h);
  hist_free(NULL);
  hist_sum_free(s);
  hist_sum_free(NULL);
}

static void test_numbers(void)
{
  OK(hist_count(1) == 1 && hist_count(8) == 8, "few workers: one each");
  OK(hist_count(65) <= 64 && hist_count(65) == hist_count(10000),
     "many: as many as can be in use at a time");
}

int main(void)
{
  static uint64_t values[VALUES];
  uint64_t state = 1;
  struct hist *h = hist_new(), *other = hist_new();
  struct hist_sum *sum = hist_sum_new(), *other_sum = hist_sum_new();
  uint64_t counted = 0;

  test_layout();
  test_numbers();
  for (size_t i = 0; i < VALUES; i++) {
    values[i] = random_ns(&state);
    if (i % 2)
      hist_record(h, values[i]);
    else
      hist_record_shared(h, values[i]);
    hist_record(other, random_ns(&state) / 3);
  }
  hist_sum_add(sum, h);
  hist_sum_add(other_sum, other);
  for (unsigned i = 0; i < HIST_BUCKETS; i++)
    counted += hist_sum_at(sum, i);
  OK(sum->total == VALUES && counted == VALUES, "nothing was lost");

  test_moments(sum, values);
  qsort(values, VALUES, sizeof(values[0]), by_value);
  test_percentiles(sum, values);
  test_sums(sum, other_sum);
  test_leftovers(sum, other_sum);
  test_counts();
  test_pages();
  test_next(sum);
  test_edges();
  test_full();

  hist_free(h);
  hist_free(other);
  hist_sum_free(sum);
  hist_sum_free(other_sum);
  return TAP_EXIT();
}
