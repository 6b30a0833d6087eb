#include "run/speed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/err.h"
#include "base/machine/cpu.h"
#include "base/minmax.h"
#include "base/thread.h"
#include "base/wait.h"
#include "run/plan.h"
#include "run/run.h"

enum {
  CHAIN = 8192, /* additions: 2 or 3 us */
  TRIES = 5,    /* the fastest counts */
  SAMPLES_MIN = 3,
  FIRST_STEP_NS = 250 * 1000 * 1000,
};

static uint64_t speed_chain_ns(void)
{
  uint64_t sum = 1, one = 1;
  const uint64_t begin_ns = clock_now_ns();

  for (int i = 0; i < CHAIN; i += 8) {
    OPAQUE(one);
    sum += one;
    OPAQUE(sum);
    sum += one;
    OPAQUE(sum);
    sum += one;
    OPAQUE(sum);
    sum += one;
    OPAQUE(sum);
    sum += one;
    OPAQUE(sum);
    sum += one;
    OPAQUE(sum);
    sum += one;
    OPAQUE(sum);
    sum += one;
    OPAQUE(sum);
  }
  return clock_now_ns() - begin_ns;
}

double speed_measure(void)
{
  uint64_t best_ns = UINT64_MAX;

  for (int i = 0; i < TRIES; i++) {
    const uint64_t ns = speed_chain_ns();

    best_ns = ns < best_ns ? ns : best_ns;
  }
  return best_ns > 0 ? (double)CHAIN / (double)best_ns : 0;
}

/* The CPU of a running thread of this process; else -1. */
static int speed_processor_of(int thread)
{
  char path[64], line[1024], state = '\0', *after;
  int cpu = -1;
  FILE *f;

  (void)snprintf(path, sizeof(path), "/proc/self/task/%d/stat", thread);
  f = fopen(path, "re");
  if (!f)
    return -1;
  /* The name in parentheses can have any text. */
  after = fgets(line, sizeof(line), f) ? strrchr(line, ')') : NULL;
  (void)fclose(f);
  if (!after ||
      sscanf(after + 1,
             " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d "
             "%*d %*d %*d %*u %*u %*d %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u "
             "%*u %*u %*u %*d %d",
             &state, &cpu) != 2 ||
      state != 'R')
    return -1;
  return cpu;
}

void speed_add(struct speed_watch *s, uint64_t at_ns, double ghz)
{
  if (s->n == SPEED_SAMPLES) {
    for (size_t i = 0; i < SPEED_SAMPLES / 2; i++)
      s->of[i] = s->of[2 * i];
    s->n /= 2;
    s->step_ns *= 2;
  }
  s->of[s->n++] = (struct speed_sample){ at_ns, ghz };
}

/* Measures the CPU of each worker in turn. */
static void *watch(void *arg)
{
  struct speed_watch *s = arg;
  const struct run *run = s->run;
  uint64_t next_ns = clock_now_ns();

  thread_set_name("speed");
  for (unsigned turn = 0; atomic_load(&s->stop) == 0; turn++) {
    const struct worker *w = &run->workers[turn % run->plan->threads];

    if (thread_bind(speed_processor_of(atomic_load(&w->os_id)))) {
      const double ghz = speed_measure();

      speed_add(s, clock_now_ns(), ghz);
    }
    next_ns += s->step_ns;
    while (atomic_load(&s->stop) == 0 && clock_now_ns() < next_ns)
      wait_while(&s->stop, 0, next_ns);
  }
  return NULL;
}

void speed_start(struct speed_watch *s, const struct run *run)
{
  struct err err;

  s->run = run;
  s->step_ns = FIRST_STEP_NS;
  s->started = thread_start(&s->thread, 0, watch, s, &err) == 0;
}

void speed_stop(struct speed_watch *s)
{
  if (!s->started)
    return;
  atomic_store(&s->stop, 1);
  wait_wake_all(&s->stop);
  (void)pthread_join(s->thread, NULL);
  s->started = false;
}

/* 0: too few. */
static double speed_median(const struct speed_watch *s, uint64_t begin_ns,
                           uint64_t end_ns)
{
  double ghz[SPEED_SAMPLES];
  size_t n = 0;

  for (size_t i = 0; i < s->n; i++) {
    if (s->of[i].at_ns >= begin_ns && s->of[i].at_ns < end_ns)
      ghz[n++] = s->of[i].ghz;
  }
  if (n < SAMPLES_MIN)
    return 0;
  qsort(ghz, n, sizeof(ghz[0]), order_real);
  return ghz[n / 2];
}

void speed_between(const struct speed_watch *s, uint64_t begin_ns,
                   uint64_t end_ns, struct machine_use *ret)
{
  const uint64_t quarter = end_ns > begin_ns ? (end_ns - begin_ns) / 4 : 0;
  const double first = speed_median(s, begin_ns, begin_ns + quarter);
  const double last = speed_median(s, end_ns - quarter, end_ns);

  if (first <= 0 || last <= 0)
    return;
  ret->first_ghz = first;
  ret->last_ghz = last;
}
