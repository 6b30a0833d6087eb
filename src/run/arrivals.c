#include "run/arrivals.h"

#include <errno.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/minmax.h"
#include "run/members.h"
#include "run/plan.h"
#include "run/run.h"
#include "run/schedule.h"
#include "run/test.h"

static int arrivals_make_own(struct run *run, struct err *err)
{
  const struct plan *plan = run->plan;

  if (plan->curve)
    return schedule_new_curve(&run->schedules[0], plan->curve, plan->warmup_ns,
                              plan->seed, plan->part, plan->parts, err);
  if (plan->rate > 0.0)
    return schedule_new(&run->schedules[0], plan->rate, plan->seed, plan->part,
                        err);
  return 0;
}

int arrivals_make(struct run *run, struct err *err)
{
  const struct plan *plan = run->plan;
  const struct run_members *members = run->test->members;
  const unsigned n = members ? members->n : 0;
  int rc;

  run->schedules = calloc(1 + n, sizeof(struct schedule *));
  if (!run->schedules)
    return err_set(err, -ENOMEM, "cannot allocate the schedule of arrivals");
  run->n_schedules = 1 + n;
  rc = arrivals_make_own(run, err);
  /* The first `parts` random streams belong to the parts of --rate. */
  for (unsigned i = 0; i < n && rc == 0; i++) {
    if (members->of[i].rate > 0.0)
      rc = schedule_new(&run->schedules[1 + i],
                        members->of[i].rate / plan->parts, plan->seed,
                        plan->parts * (i + 1) + plan->part, err);
  }
  return rc;
}

void arrivals_free(struct run *run)
{
  for (unsigned i = 0; i < run->n_schedules; i++)
    schedule_free(run->schedules[i]);
  free(run->schedules);
}

struct schedule *arrivals_of_worker(const struct run *run, unsigned tid)
{
  const struct run_members *members = run->test->members;
  const unsigned only = members ? run_members_only(members, tid) : 0;

  return members && only < members->n && run->schedules[1 + only]
           ? run->schedules[1 + only]
           : run->schedules[0];
}

void arrivals_start(struct run *run)
{
  for (unsigned i = 0; i < run->n_schedules; i++) {
    if (run->schedules[i])
      schedule_start(run->schedules[i], run->start_ns, run->end_ns,
                     run->plan->events);
  }
}

bool arrivals_any(const struct run *run)
{
  for (unsigned i = 0; i < run->n_schedules; i++) {
    if (run->schedules[i])
      return true;
  }
  return false;
}

void arrivals_measure(struct run *run, uint64_t from_ns)
{
  for (unsigned i = 0; i < run->n_schedules; i++) {
    if (run->schedules[i])
      schedule_measure(run->schedules[i], from_ns);
  }
}

uint64_t arrivals_end(const struct run *run)
{
  return min_u64(run->end_ns, atomic_load(&run->decided_ns));
}

uint64_t arrivals_waiting(struct run *run, uint64_t now_ns)
{
  const uint64_t until_ns = min_u64(now_ns, arrivals_end(run));
  uint64_t n = 0;

  for (unsigned i = 0; i < run->n_schedules; i++) {
    if (run->schedules[i])
      n += schedule_waiting(run->schedules[i], until_ns);
  }
  return n;
}

void arrivals_in_stalls(const struct run *run, struct stall *of, unsigned n)
{
  for (unsigned i = 0; i < run->n_schedules; i++) {
    if (run->schedules[i])
      schedule_in_stalls(run->schedules[i], of, n);
  }
}

static uint64_t arrivals_count_from(const struct run *run, unsigned first)
{
  uint64_t n = 0;

  for (unsigned i = first; i < run->n_schedules; i++) {
    if (run->schedules[i])
      n += schedule_arrivals(run->schedules[i]);
  }
  return n;
}

uint64_t arrivals_count(const struct run *run)
{
  return arrivals_count_from(run, 0);
}

uint64_t arrivals_of_members(const struct run *run)
{
  return arrivals_count_from(run, 1);
}
