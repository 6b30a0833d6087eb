/*
 * test_deadline.c - when all workers are gone: how long the report thread may
 * take.
 */
#include "base/clock.h"
#include "base/wait.h"
#include "run/conductor.h"
#include "run/plan.h"
#include "tests/unit/tap.h"

/* The moment, counted from the one at which it is asked for: `at_least` if it
 * is asked for at once. */
static bool is_from_now(const struct conductor *c, uint64_t at_least)
{
  const uint64_t before = clock_now_ns();
  const uint64_t until = conductor_deadline(c);

  return until >= before + at_least && until <= clock_now_ns() + at_least;
}

int main(void)
{
  struct plan plan = { .grace_ns = 5 * NS_PER_S };
  struct conductor c = { .run = { .plan = &plan } };
  const uint64_t far = clock_now_ns() + 1000 * NS_PER_S;

  c.run.end_ns = far;
  OK(conductor_deadline(&c) == far + 5 * NS_PER_S,
     "workers that are gone early leave the reports the time limit and the "
     "grace after it");
  c.run.end_ns = 1;
  OK(is_from_now(&c, 5 * NS_PER_S), "after the time limit: the grace");
  c.run.end_ns = PLAN_NO_LIMIT;
  OK(is_from_now(&c, 5 * NS_PER_S), "without a time limit: the grace");
  plan.grace_ns = 1;
  OK(is_from_now(&c, PLAN_REPORTS_NS), "a short grace: a second");
  plan.grace_ns = UINT64_MAX;
  OK(conductor_deadline(&c) == WAIT_FOREVER, "no forced shutdown: no end");
  c.run.end_ns = far;
  c.forced = true;
  OK(is_from_now(&c, PLAN_REPORTS_NS), "after a forced one: a second");
  return TAP_EXIT();
}
