/*
 * test_wait.c - sleeping until a word changes or a time comes.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/wait.h"
#include "tests/unit/tap.h"

enum {
  SLEEPERS = 4,
  TURNS = 2000
};

struct shared {
  _Atomic uint32_t gate, arrived, ball;
};

static void test_no_sleep(void)
{
  _Atomic uint32_t word = 5;
  uint64_t before = clock_now_ns();

  wait_while(&word, 6, WAIT_FOREVER);
  OK(true, "a word with another value does not sleep");
  wait_while(&word, 5, 0);
  wait_while(&word, 5, before);
  OK(true, "nor does a moment that has passed");
}

static void test_deadline(void)
{
  _Atomic uint32_t word = 5;
  const uint64_t until = clock_now_ns() + 10 * NS_PER_MS;
  unsigned turns = 0;

  for (; clock_now_ns() < until; turns++)
    wait_while(&word, 5, until);
  OK(turns < 100, "a moment that comes is waited for, asleep");
}

static void *sleeper(void *arg)
{
  struct shared *s = arg;

  (void)atomic_fetch_add(&s->arrived, 1);
  wait_wake_all(&s->arrived);
  while (atomic_load(&s->gate) == 0)
    wait_while(&s->gate, 0, WAIT_FOREVER);
  return NULL;
}

static void test_wake_all(void)
{
  struct shared s = { 0 };
  pthread_t thread[SLEEPERS];
  uint32_t n;

  for (int i = 0; i < SLEEPERS; i++) {
    if (pthread_create(&thread[i], NULL, sleeper, &s) != 0)
      abort();
  }
  while ((n = atomic_load(&s.arrived)) < SLEEPERS)
    wait_while(&s.arrived, n, WAIT_FOREVER);
  atomic_store(&s.gate, 1);
  wait_wake_all(&s.gate);
  for (int i = 0; i < SLEEPERS; i++)
    (void)pthread_join(thread[i], NULL);
  OK(true, "all are woken");
}

/* One side waits for even values, the other for odd ones. */
static void play(struct shared *s, uint32_t mine)
{
  for (uint32_t i = mine; i < TURNS; i += 2) {
    uint32_t now;

    while ((now = atomic_load(&s->ball)) != i)
      wait_while(&s->ball, now, WAIT_FOREVER);
    atomic_store(&s->ball, i + 1);
    wait_wake_all(&s->ball);
  }
}

static void *other_side(void *arg)
{
  play(arg, 1);
  return NULL;
}

static void test_no_wake_is_lost(void)
{
  struct shared s = { 0 };
  pthread_t thread;

  if (pthread_create(&thread, NULL, other_side, &s) != 0)
    abort();
  play(&s, 0);
  (void)pthread_join(thread, NULL);
  OK(atomic_load(&s.ball) == TURNS, "no change between two threads is missed");
}

int main(void)
{
  (void)alarm(60); /* a lost wake-up would hang; nothing waits for the alarm */
  test_no_sleep();
  test_deadline();
  test_wake_all();
  test_no_wake_is_lost();
  return TAP_EXIT();
}
