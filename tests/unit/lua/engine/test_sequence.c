/*
 * test_sequence.c - each number is given out once, by several threads too.
 */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "lua/engine/exchange.h"
#include "tests/unit/tap.h"

enum {
  THREADS = 4,
  TURNS = 5000
};

static struct sequences shared;
static unsigned char times[THREADS * TURNS * 3];

static void *take_many(void *arg)
{
  double first;

  (void)arg;
  for (int i = 0; i < TURNS; i++) {
    if (sequences_take(&shared, "ids", 3, INFINITY, &first) == 0) {
      for (int k = 0; k < 3; k++)
        times[(size_t)first - 1 + (size_t)k]++; /* no other thread has it */
    }
  }
  return NULL;
}

static void test_names(void)
{
  struct sequences s = { 0 };
  char name[] = "a";
  double first = 0;

  sequences_init(&s);
  OK(sequences_take(&s, "a", 1, 10, &first) == -ENOENT, "an unknown name");
  for (int i = 0; i < SEQUENCES_MAX; i++, name[0]++)
    OK(sequences_set(&s, name, 5) == 0, "a name");
  OK(sequences_set(&s, name, 5) == -ENOSPC, "one too many");
  OK(sequences_take(&s, "a", 3, 10, &first) == 0 && first == 5,
     "from the start");
  OK(sequences_take(&s, "a", 3, 10, &first) == 0 && first == 8,
     "the next ones");
  first = -1;
  OK(sequences_take(&s, "a", 1, 10, &first) == -ERANGE && first == -1,
     "none above the limit");
  OK(sequences_take(&s, "b", 1, 10, &first) == 0 && first == 5, "another name");
  OK(sequences_set(&s, "a", 1) == 0 &&
       sequences_take(&s, "a", 1, 1, &first) == 0 && first == 1,
     "set again");
  sequences_done(&s);
}

static void test_threads(void)
{
  pthread_t thread[THREADS];
  size_t wrong = 0;

  sequences_init(&shared);
  (void)sequences_set(&shared, "ids", 1);
  for (int i = 0; i < THREADS; i++)
    (void)pthread_create(&thread[i], NULL, take_many, NULL);
  for (int i = 0; i < THREADS; i++)
    (void)pthread_join(thread[i], NULL);
  for (size_t i = 0; i < sizeof(times); i++)
    wrong += times[i] != 1;
  OK(wrong == 0, "each number once");
  sequences_done(&shared);
}

int main(void)
{
  test_names();
  test_threads();
  return TAP_EXIT();
}
