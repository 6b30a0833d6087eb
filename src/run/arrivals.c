/*
 * arrivals.c - all arrivals of a run.
 */
#include "run/arrivals.h"

#include <stddef.h>

#include "run/members.h"
#include "run/run.h"
#include "run/schedule.h"
#include "run/test.h"

/* The number of places of schedules: that of the run, and one a member. */
static unsigned places(const struct run *run)
{
  return run->member_schedules ? 1 + run->test->members->n : 1;
}

/* NULL: there is none at this place. */
static struct schedule *schedule_at(const struct run *run, unsigned place)
{
  return place == 0 ? run->schedule : run->member_schedules[place - 1];
}

bool arrivals_any(const struct run *run)
{
  for (unsigned i = 0; i < places(run); i++) {
    if (schedule_at(run, i))
      return true;
  }
  return false;
}

void arrivals_measure(struct run *run, uint64_t from_ns)
{
  for (unsigned i = 0; i < places(run); i++) {
    if (schedule_at(run, i))
      schedule_measure(schedule_at(run, i), from_ns);
  }
}

uint64_t arrivals_waiting(struct run *run, uint64_t now_ns)
{
  uint64_t n = 0;

  for (unsigned i = 0; i < places(run); i++) {
    if (schedule_at(run, i))
      n += schedule_waiting(schedule_at(run, i), now_ns);
  }
  return n;
}

/* Of the schedules from this place on. */
static uint64_t count_from(const struct run *run, unsigned first)
{
  uint64_t n = 0;

  for (unsigned i = first; i < places(run); i++) {
    if (schedule_at(run, i))
      n += schedule_arrivals(schedule_at(run, i));
  }
  return n;
}

uint64_t arrivals_count(const struct run *run)
{
  return count_from(run, 0);
}

uint64_t arrivals_of_members(const struct run *run)
{
  return count_from(run, 1);
}
