/*
 * test_speed.c - the clocks of processors: samples and their evaluation.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "report/life.h"
#include "run/speed.h"
#include "tests/unit/tap.h"

/* Makes a second of ten samples, each with the clock expected at its time. */
static struct speed_watch *falling(double first_ghz, double last_ghz, int n)
{
  struct speed_watch *s = calloc(1, sizeof(*s));

  MUST(s);
  s->step_ns = 1;
  for (int i = 0; i < n; i++)
    speed_add(s, (uint64_t)i * NS_PER_S / (uint64_t)n,
              i < n / 2 ? first_ghz : last_ghz);
  return s;
}

static void test_quarters(void)
{
  struct speed_watch *s = falling(3.0, 2.0, 16);
  struct machine_use use = { 0 };

  s->of[1].ghz = 0.5; /* a sample that was disturbed */
  s->of[15].ghz = 9;
  speed_between(s, 0, NS_PER_S, &use);
  OK(use.first_ghz == 3.0 && use.last_ghz == 2.0, "medians of the quarters");
  use = (struct machine_use){ 0 };
  speed_between(s, NS_PER_S / 2, NS_PER_S, &use);
  OK(use.first_ghz == 0 && use.last_ghz == 0, "two samples are too few");
  speed_between(s, NS_PER_S, 0, &use);
  OK(use.first_ghz == 0, "a time that has no length");
  free(s);
}

static void test_many(void)
{
  struct speed_watch *s = falling(3.0, 2.0, SPEED_SAMPLES);
  struct machine_use use = { 0 };

  speed_add(s, NS_PER_S, 2.0);
  OK(s->n == SPEED_SAMPLES / 2 + 1 && s->step_ns == 2,
     "when there is no more room, every other one goes");
  OK(s->of[1].at_ns == 2 * NS_PER_S / SPEED_SAMPLES, "from the whole time");
  speed_between(s, 0, NS_PER_S, &use);
  OK(use.first_ghz == 3.0 && use.last_ghz == 2.0, "the rest says the same");
  free(s);
}

static void test_measure(void)
{
  const double ghz = speed_measure();

  OK(ghz > 0.01 && ghz < 10, "a clock that a processor may have");
}

static void test_stop(void)
{
  struct speed_watch *s = calloc(1, sizeof(*s));

  MUST(s);
  speed_stop(s);
  OK(!s->started, "what was not started is stopped");
  free(s);
}

int main(void)
{
  test_quarters();
  test_many();
  test_measure();
  test_stop();
  return TAP_EXIT();
}
