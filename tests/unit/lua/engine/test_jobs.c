/*
 * test_jobs.c - jobs are taken once and in their order, by several threads too.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

#include "lua/engine/exchange.h"
#include "tests/unit/tap.h"

enum {
  THREADS = 4,
  EACH = 5000
};

static struct jobs shared;
static _Atomic unsigned taken[THREADS * EACH];

/* Puts jobs, and takes as many. */
static void *work(void *arg)
{
  const unsigned first = *(const unsigned *)arg;
  unsigned got = 0;

  for (unsigned i = 0; i < EACH; i++) {
    struct job job = { { first + i } };

    (void)jobs_put(&shared, &job);
    if (i % 3 && jobs_take(&shared, &job)) {
      atomic_fetch_add(&taken[(unsigned)job.of[0]], 1);
      got++;
    }
  }
  while (got < EACH) {
    struct job job;

    if (!jobs_take(&shared, &job))
      break;
    atomic_fetch_add(&taken[(unsigned)job.of[0]], 1);
    got++;
  }
  return NULL;
}

static void test_order(void)
{
  struct jobs j = { 0 };
  struct job job;
  double next = 0, wanted = 0;
  bool right = true;

  jobs_init(&j);
  OK(!jobs_take(&j, &job), "nothing waits");
  /* Two in, one out: the ring grows while it does not begin at its start. */
  for (unsigned i = 0; i < 1000; i++) {
    for (unsigned k = 0; k < 2; k++, next++)
      right = right &&
              jobs_put(&j, &(struct job){ { next, -next, next / 2 } }) == 0;
    right = right && jobs_take(&j, &job) && job.of[0] == wanted &&
            job.of[1] == -wanted && job.of[2] == wanted / 2;
    wanted++;
  }
  OK(right && jobs_waiting(&j) == 1000, "first in, first out");
  while (jobs_waiting(&j) < JOBS_MAX && right)
    right = jobs_put(&j, &job) == 0;
  OK(right && jobs_put(&j, &job) == -ENOSPC, "no more than so many wait");
  OK(jobs_take(&j, &job) && jobs_put(&j, &job) == 0, "then there is room");
  jobs_done(&j);
}

static void test_threads(void)
{
  pthread_t thread[THREADS];
  unsigned first[THREADS], wrong = 0;
  struct job job;

  jobs_init(&shared);
  for (unsigned i = 0; i < THREADS; i++) {
    first[i] = i * EACH;
    OK(pthread_create(&thread[i], NULL, work, &first[i]) == 0, "a thread");
  }
  for (unsigned i = 0; i < THREADS; i++)
    (void)pthread_join(thread[i], NULL);
  while (jobs_take(&shared, &job))
    taken[(unsigned)job.of[0]]++;
  for (unsigned i = 0; i < THREADS * EACH; i++)
    wrong += taken[i] != 1;
  OK(wrong == 0, "each job is taken once");
  jobs_done(&shared);
}

int main(void)
{
  test_order();
  test_threads();
  return TAP_EXIT();
}
