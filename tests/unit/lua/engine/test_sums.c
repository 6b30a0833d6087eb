/*
 * test_sums.c - sums by number, of one thread and of several.
 */
#include <errno.h>
#include <pthread.h>

#include "lua/engine/exchange.h"
#include "tests/unit/tap.h"

enum {
  THREADS = 4,
  ADDITIONS = 20000,
  CELLS = 3
};

static void *add_many(void *arg)
{
  struct sums *s = arg;

  if (sums_open(s, CELLS) < 0)
    return NULL;
  for (size_t i = 0; i < ADDITIONS; i++)
    sums_add(s, i % CELLS, 1);
  return s;
}

static void test_one(void)
{
  struct sums s = { 0 };

  sums_init(&s);
  sums_add(&s, 0, 1);
  OK(sums_value(&s, 0) == 0, "no cells yet");
  OK(sums_open(&s, CELLS) == 0 && sums_open(&s, CELLS) == 0, "opened twice");
  OK(sums_open(&s, CELLS + 1) == -EINVAL, "another number of cells");
  sums_add(&s, 2, 5);
  sums_add(&s, 2, -1);
  sums_add(&s, CELLS, 7);
  OK(sums_value(&s, 0) == 0 && sums_value(&s, 2) == 4 &&
       sums_value(&s, CELLS) == 0,
     "additions; nothing beyond the cells");
  sums_done(&s);
}

static void test_threads(void)
{
  struct sums s = { 0 };
  pthread_t thread[THREADS];
  unsigned started = 0, all = 0;
  double total = 0;

  sums_init(&s);
  while (started < THREADS &&
         pthread_create(&thread[started], NULL, add_many, &s) == 0)
    started++;
  for (unsigned i = 0; i < started; i++) {
    void *ret = NULL;

    (void)pthread_join(thread[i], &ret);
    all += ret == &s;
  }
  for (size_t i = 0; i < CELLS; i++)
    total += sums_value(&s, i);
  OK(started == THREADS && all == THREADS && total == THREADS * ADDITIONS,
     "nothing of several threads is lost");
  sums_done(&s);
}

int main(void)
{
  test_one();
  test_threads();
  return TAP_EXIT();
}
