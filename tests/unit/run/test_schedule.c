/*
 * test_schedule.c - due times under --rate.
 */
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "run/schedule.h"
#include "tests/unit/tap.h"

enum {
  TAKERS = 4,
  EACH = 20000,
  ALL = TAKERS * EACH
};

static struct schedule *make(double rate, uint64_t seed, uint64_t start_ns)
{
  struct schedule *s = NULL;
  struct err err;

  if (schedule_new(&s, rate, seed, 0, &err) < 0)
    abort();
  schedule_start(s, start_ns, UINT64_MAX, UINT64_MAX);
  return s;
}

enum {
  TIMES = 100
};

/*
 * The times at which the first arrivals of make(1000, seed, start_ns) are due;
 * fractions of a nanosecond are cut off.
 */
static void due_times(uint64_t due[TIMES], uint64_t seed, uint64_t start_ns)
{
  struct schedule *s = make(1000, seed, start_ns);

  for (int i = 0; i < TIMES; i++)
    due[i] = schedule_take(s, 0) + 1;
  schedule_free(s);
}

static uint64_t *take_all(double rate, uint64_t seed)
{
  struct schedule *s = make(rate, seed, 1000);
  uint64_t *due = calloc(ALL, sizeof(*due));

  for (int i = 0; due && i < ALL; i++)
    due[i] = schedule_take(s, 0);
  schedule_free(s);
  return due;
}

/*
 * The gaps of an exponential distribution have a standard deviation that equals
 * their mean, and a share of 1 - exp(-x) of them is below x means.  The limits
 * are more than five standard errors wide; the seed is fixed.
 */
static void test_shape(double rate)
{
  uint64_t *due = take_all(rate, 42);
  const double mean_ns = 1e9 / rate;
  double sum = 0, squares = 0, last = 1000;
  int below[3] = { 0 };
  bool ascending = true;

  for (int i = 0; i < ALL; i++) {
    const double gap = ((double)due[i] - last) / mean_ns;

    ascending = ascending && (double)due[i] >= last;
    last = (double)due[i];
    sum += gap;
    squares += gap * gap;
    below[0] += gap < 0.1;
    below[1] += gap < 1;
    below[2] += gap < 3;
  }
  OK(ascending, "due times ascend");
  OK(fabs(sum / ALL - 1) < 0.02, "the mean gap is 1 / rate");
  OK(fabs(squares / ALL - 2) < 0.1,
     "their second moment is that of exponentials");
  OK(fabs((double)below[0] / ALL - (1 - exp(-0.1))) < 0.008, "short gaps");
  OK(fabs((double)below[1] / ALL - (1 - exp(-1))) < 0.01, "middle gaps");
  OK(fabs((double)below[2] / ALL - (1 - exp(-3))) < 0.006, "long gaps");
  free(due);
}

static void test_seeds(void)
{
  uint64_t *a = take_all(1000, 7), *b = take_all(1000, 7),
           *c = take_all(1000, 8), *fast = take_all(2000, 7);
  int same = 0, equal = 0;
  bool half = true;

  for (int i = 0; i < ALL; i++) {
    const double d = (double)(a[i] - 1000) / 2 - (double)(fast[i] - 1000);

    same += a[i] == b[i];
    equal += a[i] == c[i];
    half = half && fabs(d) < 2;
  }
  OK(same == ALL, "the same seed gives the same times");
  OK(equal < 5, "another seed gives others");
  OK(half, "twice the rate gives half the times");
  free(a), free(b), free(c), free(fast);
}

static void test_waiting(void)
{
  struct schedule *s = make(1000, 3, 500);
  uint64_t due[TIMES];

  due_times(due, 3, 500);
  OK(schedule_waiting(s, 500) == 0, "nothing is due at the start");
  OK(schedule_waiting(s, due[9]) == 10, "ten are due at the tenth's time");
  OK(schedule_take(s, 0) + 1 == due[0] && schedule_take(s, 0) + 1 == due[1],
     "they are taken in turn");
  OK(schedule_waiting(s, due[9]) == 8, "those that were taken do not wait");
  OK(schedule_waiting(s, due[99]) == 98, "time goes on");
  for (int i = 2; i < 100; i++)
    (void)schedule_take(s, 0);
  OK(schedule_waiting(s, due[99]) == 0, "all are taken");
  (void)schedule_take(s, 0);
  OK(schedule_waiting(s, due[99]) == 0, "one that was taken before its time");
  schedule_leave(s);
  OK(schedule_waiting(s, due[99]) == 1, "one that was taken and not begun");
  schedule_free(s);
}

/* Arrivals due before the given time are dropped. */
static void test_dropped(void)
{
  struct schedule *all = make(1000, 5, 0), *some = make(1000, 5, 0);
  uint64_t due[100];

  for (int i = 0; i < 100; i++)
    due[i] = schedule_take(all, 0);
  OK(schedule_take(some, due[40]) >= due[40] && due[40] > due[39],
     "arrivals of before are passed over");
  OK(schedule_waiting(some, due[39]) == 0, "and do not wait");
  schedule_free(all);
  schedule_free(some);
}

/* What a warm-up left is dropped before a worker takes the next arrival. */
static void test_measured(void)
{
  struct schedule *some = make(1000, 5, 0);
  uint64_t due[TIMES];

  due_times(due, 5, 0);
  (void)schedule_take(some, 0);
  OK(schedule_waiting(some, due[39]) == 39, "a warm-up leaves a backlog");
  schedule_measure(some, due[39]);
  OK(schedule_waiting(some, due[39]) == 0 && schedule_arrivals(some) == 0,
     "which the measured part does not have");
  OK(schedule_waiting(some, due[59]) == 20 && schedule_arrivals(some) == 20,
     "but its own");
  OK(schedule_take(some, 0) + 1 == due[40], "from its first arrival on");
  OK(schedule_waiting(some, due[59]) == 19 && schedule_arrivals(some) == 20,
     "in turn");
  schedule_free(some);
}

/* The worker was ahead of that time. */
static void test_measured_ahead(void)
{
  struct schedule *some = make(1000, 5, 0);
  uint64_t due[TIMES];

  due_times(due, 5, 0);
  for (int i = 0; i < 50; i++)
    (void)schedule_take(some, 0);
  schedule_measure(some, due[39]);
  OK(schedule_take(some, 0) + 1 == due[50], "what was taken stays so");
  OK(schedule_waiting(some, due[59]) == 9 && schedule_arrivals(some) == 20,
     "and is an arrival of the measured part");
  schedule_free(some);
}

/* No worker may begin what is due after the end, or beyond the last event. */
static void test_limits(void)
{
  struct schedule *some = make(1000, 5, 0);
  uint64_t due[TIMES];

  due_times(due, 5, 0);
  schedule_start(some, 0, due[29], UINT64_MAX);
  schedule_measure(some, 0);
  OK(schedule_waiting(some, due[79]) == 30 && schedule_arrivals(some) == 30,
     "arrivals end with the run");
  schedule_free(some);
  some = make(1000, 5, 0);
  schedule_start(some, 0, UINT64_MAX, 20);
  schedule_measure(some, due[9]);
  for (int i = 0; i < 5; i++)
    (void)schedule_take(some, 0);
  OK(schedule_waiting(some, due[79]) == 15 && schedule_arrivals(some) == 20,
     "and with the events");
  schedule_free(some);
}

static void test_slow(void)
{
  struct schedule *s = make(1e-9, 1, 0);

  OK(schedule_take(s, 0) <= UINT64_C(1000000000000000000),
     "times stay within 64 bits");
  OK(schedule_waiting(s, UINT64_C(3600000000000)) == 0,
     "nothing is due within an hour");
  schedule_free(s);
  schedule_free(NULL);
}

/*
 * The rate is more than any machine can do: arrivals are counted without
 * drawing each of them.
 */
static void test_hopeless(void)
{
  const uint64_t hour_ns = UINT64_C(3600000000000);
  struct schedule *s = make(1e9, 1, 0);
  uint64_t waiting, due;

  (void)schedule_take(s, 0);
  waiting = schedule_waiting(s, hour_ns);
  OK(fabs((double)waiting - (double)hour_ns) < 1e7, "an hour's arrivals wait");
  OK(schedule_arrivals(s) == waiting + 1, "all but the one that was taken");
  OK(schedule_waiting(s, hour_ns + 1000000) - waiting < 1100000,
     "it goes on from there");
  due = schedule_take(s, hour_ns);
  OK(due >= hour_ns && due < hour_ns + 1000,
     "those of an hour's warm-up are dropped");
  schedule_free(s);
}

/* However often the schedule is read: 20000 times a million. */
static void test_hopeless_often(void)
{
  struct schedule *s = make(1e9, 1, 0);
  uint64_t waiting = 0;

  for (uint64_t i = 1; i <= 20000; i++)
    waiting = schedule_waiting(s, i * 1000000);
  OK(fabs((double)waiting - 2e10) < 1e7, "nor does it matter who looks often");
  schedule_free(s);
}

/* The backlog of a warm-up is not gone through again. */
static void test_measured_behind(void)
{
  struct schedule *some = make(1000, 5, 0);
  uint64_t due[TIMES];

  due_times(due, 5, 0);
  (void)schedule_waiting(some, due[29]);
  schedule_measure(some, due[39]);
  OK(schedule_take(some, 0) + 1 == due[40] &&
       schedule_waiting(some, due[59]) == 19,
     "nothing is dropped but what was due");
  schedule_free(some);
}

struct taker {
  pthread_t thread;
  struct schedule *s;
  uint64_t due[EACH];
};

static void *take_each(void *arg)
{
  struct taker *t = arg;

  for (int i = 0; i < EACH; i++)
    t->due[i] = schedule_take(t->s, 0);
  return NULL;
}

static int compare(const void *a, const void *b)
{
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

  return (x > y) - (x < y);
}

static void test_takers(void)
{
  struct schedule *s = make(5000, 11, 1000);
  struct taker *takers = calloc(TAKERS, sizeof(*takers));
  uint64_t *alone = take_all(5000, 11), *all = calloc(ALL, sizeof(*all));
  uint64_t before = 0, now;
  bool sane = true;

  for (int i = 0; i < TAKERS; i++) {
    takers[i].s = s;
    if (pthread_create(&takers[i].thread, NULL, take_each, &takers[i]) != 0)
      abort();
  }
  for (int i = 0; i < 1000; i++) { /* a reader runs at the same time */
    now = schedule_waiting(s, alone[i * (ALL / 1000)]);
    sane = sane && now <= ALL;
    before += now;
  }
  for (int i = 0; i < TAKERS; i++) {
    (void)pthread_join(takers[i].thread, NULL);
    memcpy(all + i * EACH, takers[i].due, sizeof(takers[i].due));
  }
  qsort(all, ALL, sizeof(*all), compare);
  OK(memcmp(all, alone, ALL * sizeof(*all)) == 0,
     "several takers share one sequence, no time is lost or given twice");
  OK(sane && before <= 1000 * (uint64_t)ALL, "a reader beside them");
  OK(schedule_waiting(s, alone[ALL - 1]) == 0, "and nothing waits at the end");
  free(takers), free(alone), free(all);
  schedule_free(s);
}

int main(void)
{
  (void)alarm(600); /* against endless drawing; nothing waits for it */
  test_shape(100);
  test_shape(250000);
  test_seeds();
  test_waiting();
  test_dropped();
  test_measured();
  test_measured_ahead();
  test_limits();
  test_slow();
  test_hopeless();
  test_hopeless_often();
  test_measured_behind();
  test_takers();
  return TAP_EXIT();
}
