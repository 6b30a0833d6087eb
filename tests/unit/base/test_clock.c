/*
 * test_clock.c - the clock is monotone, over threads too, and stays close to
 * CLOCK_MONOTONIC, before and after it was calibrated; other clocks.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "tests/unit/tap.h"

enum {
  THREADS = 3,
  READINGS = 100000,
  TRIES = 1000
};

/* For counters of processors that differ. */
#define SLACK_NS UINT64_C(1000)

static uint64_t kernel_ns(void)
{
  struct timespec ts;

  (void)clock_gettime(CLOCK_MONOTONIC, &ts);
  return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

/*
 * Returns how far a reading lies outside two readings of the kernel around it.
 * It takes the best of many, because an interruption between them proves
 * nothing.
 */
static uint64_t error_ns(void)
{
  uint64_t min = UINT64_MAX;

  for (int i = 0; i < TRIES; i++) {
    const uint64_t before = kernel_ns(), now = clock_now_ns(),
                   after = kernel_ns();
    uint64_t off = 0;

    if (now < before)
      off = before - now;
    else if (now > after)
      off = now - after;
    if (off < min)
      min = off;
  }
  return min;
}

struct shared {
  _Atomic uint64_t latest;
  _Atomic uint32_t running;
  _Atomic uint64_t back; /* how many times it went back */
};

/* A processor can read its counter microseconds before an earlier load has its
 * value. */
static void after_loads(void)
{
#if defined(__x86_64__)
  __builtin_ia32_lfence();
#elif defined(__aarch64__)
  __asm__ volatile("isb" ::: "memory");
#endif
}

/* Checks that a reading after another thread's is not smaller than that one. */
static void *read_much(void *arg)
{
  struct shared *s = arg;
  uint64_t own = 0;

  for (int i = 0; i < READINGS; i++) {
    uint64_t seen = atomic_load(&s->latest), now;

    after_loads();
    now = clock_now_ns();

    if (now + SLACK_NS < seen || now + SLACK_NS < own)
      (void)atomic_fetch_add(&s->back, 1);
    own = now;
    while (now > seen && !atomic_compare_exchange_weak(&s->latest, &seen, now))
      continue;
  }
  (void)atomic_fetch_sub(&s->running, 1);
  return NULL;
}

/*
 * The clock is corrected all the time, more often than in a run.  The test is
 * short, because old scales are overwritten.
 */
static void test_threads(const char *what)
{
  struct shared s = { .running = THREADS };
  const uint64_t began = kernel_ns();
  pthread_t thread[THREADS];

  for (int i = 0; i < THREADS; i++) {
    if (pthread_create(&thread[i], NULL, read_much, &s) != 0)
      abort();
  }
  while (atomic_load(&s.running) > 0 && kernel_ns() - began < 400 * NS_PER_MS)
    clock_discipline();
  for (int i = 0; i < THREADS; i++)
    (void)pthread_join(thread[i], NULL);
  OK(atomic_load(&s.back) == 0, what);
}

#define WORK_NS (5 * NS_PER_MS)

/* Uses that much processor time. */
static void *work(void *unused)
{
  while (clock_read_ns(CLOCK_THREAD_CPUTIME_ID) < WORK_NS)
    ;
  return unused;
}

static void test_read(void)
{
  const uint64_t before = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
  pthread_t thread;

  MUST(pthread_create(&thread, NULL, work, NULL) == 0);
  MUST(pthread_join(thread, NULL) == 0);
  OK(clock_read_ns(CLOCK_PROCESS_CPUTIME_ID) >= before + WORK_NS,
     "the processor time of other threads counts");
}

/* Calibration takes 3 ms, and hardly any of them on the CPU. */
static void test_calibrate(void)
{
  const uint64_t before = clock_read_ns(CLOCK_THREAD_CPUTIME_ID);

  clock_calibrate();
  OK(clock_read_ns(CLOCK_THREAD_CPUTIME_ID) - before < 2 * NS_PER_MS,
     "calibration sleeps");
}

int main(void)
{
  OK_STR(clock_source(), "clock_gettime", "the kernel's clock at first");
  OK(error_ns() == 0, "which is CLOCK_MONOTONIC");
  test_threads("it is monotone over threads");

  test_calibrate();
  printf("# clock source: %s\n", clock_source());
  /* 3 ms of calibration leave a rate error of about 1e-5. */
  OK(error_ns() < 100 * NS_PER_US, "close to it after calibration");
  clock_calibrate();
  OK(error_ns() < 100 * NS_PER_US, "a second calibration changes nothing");
  test_threads("monotone over threads while it is corrected");
  for (int i = 0; i < 100; i++)
    clock_discipline();
  OK(error_ns() < 100 * NS_PER_US, "still close after corrections");
  OK(clock_read_ns((clockid_t)1000) == 0, "there is no such clock");
  test_read();
  return TAP_EXIT();
}
