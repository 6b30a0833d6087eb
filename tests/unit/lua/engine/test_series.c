/*
 * test_series.c - sums of seconds and the longest gap, by one thread and by
 * several.
 */
#include <pthread.h>

#include "base/clock.h"
#include "lua/engine/exchange.h"
#include "tests/unit/tap.h"

enum {
  THREADS = 4,
  ADDITIONS = 20000
};

static const uint64_t origin = 5 * NS_PER_S;

static void *add_many(void *arg)
{
  for (uint64_t i = 0; i < ADDITIONS; i++)
    series_add(arg, 2, origin + i * (3 * NS_PER_S / ADDITIONS));
  return NULL;
}

static void test_sums(void)
{
  struct series_set set = { 0 };
  struct series *a, *b;
  uint64_t at = 0;

  series_set_init(&set);
  a = series_open(&set, "a");
  b = series_open(&set, "b");
  OK(a && b && a != b && series_open(&set, "a") == a, "series by name");
  OK(series_seconds(a) == 0 && series_gap_ns(a, &at) == 0, "nothing was added");
  series_add(a, 1, origin);
  series_add(a, 2, origin + NS_PER_S - 1);
  series_add(a, 4, origin + NS_PER_S);
  series_add(a, 8, origin + 7 * NS_PER_S / 2);
  OK(series_sum(a, 0) == 3 && series_sum(a, 1) == 4 && series_sum(a, 2) == 0 &&
       series_sum(a, 3) == 8,
     "sums of seconds");
  OK(series_seconds(a) == 4, "the number of seconds");
  OK(series_gap_ns(a, &at) == 5 * NS_PER_S / 2 && at == NS_PER_S,
     "the longest gap and its begin");
  series_add(b, 1, origin + 2 * NS_PER_S);
  OK(series_sum(b, 2) == 1 && series_seconds(b) == 3, "a common origin");
  series_add(a, 1, origin - 1);
  OK(series_sum(a, 0) == 4, "before the first addition");
  series_add(a, 1, origin + (SERIES_SECONDS + 5) * NS_PER_S);
  OK(series_sum(a, SERIES_SECONDS - 1) == 1 &&
       series_seconds(a) == SERIES_SECONDS &&
       series_sum(a, SERIES_SECONDS) == 0,
     "beyond the last second");
  series_set_done(&set);
}

static void test_limits(void)
{
  struct series_set set = { 0 };
  char name[] = "a";

  series_set_init(&set);
  for (int i = 0; i < SERIES_MAX; i++, name[0]++)
    OK(series_open(&set, name) != NULL, "a series");
  OK(!series_open(&set, name), "one too many");
  series_set_done(&set);
}

static void test_threads(void)
{
  struct series_set set = { 0 };
  pthread_t thread[THREADS];
  struct series *s;
  uint64_t at;

  series_set_init(&set);
  s = series_open(&set, "s");
  for (int i = 0; i < THREADS; i++)
    (void)pthread_create(&thread[i], NULL, add_many, s);
  for (int i = 0; i < THREADS; i++)
    (void)pthread_join(thread[i], NULL);
  OK(series_sum(s, 0) + series_sum(s, 1) + series_sum(s, 2) ==
       2.0 * THREADS * ADDITIONS,
     "no addition of any thread is lost");
  OK(series_gap_ns(s, &at) >= 3 * NS_PER_S / ADDITIONS, "a gap");
  series_set_done(&set);
}

int main(void)
{
  test_sums();
  test_limits();
  test_threads();
  return TAP_EXIT();
}
