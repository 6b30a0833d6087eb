/*
 * members.c - the members of a mix in a run: their counts and their schedules.
 */
#include "run/members.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "run/plan.h"
#include "run/run.h"
#include "run/schedule.h"
#include "run/test.h"
#include "run/worker.h"
#include "stats/class_stats.h"

unsigned run_members_only(const struct run_members *members, unsigned worker)
{
  unsigned member = 0;

  while (member < members->n && worker >= members->of[member].clients)
    worker -= members->of[member++].clients;
  return member;
}

bool run_members_rated(const struct run_members *members)
{
  for (unsigned i = 0; members && i < members->n; i++) {
    if (members->of[i].rate > 0.0)
      return true;
  }
  return false;
}

/*
 * The arrivals of each member are a sequence of their own.  The first ranks'
 * parts are those of --rate.
 */
static int make_schedules(struct run *run, struct err *err)
{
  const struct plan *plan = run->plan;
  const struct run_members *members = run->test->members;
  int rc = 0;

  run->member_schedules = calloc(members->n, sizeof(struct schedule *));
  if (!run->member_schedules)
    return err_set(err, -ENOMEM, "cannot allocate the schedules of a mix");
  for (unsigned i = 0; i < members->n && rc == 0; i++) {
    if (members->of[i].rate > 0.0)
      rc = schedule_new(&run->member_schedules[i],
                        members->of[i].rate / plan->parts, plan->seed,
                        plan->parts * (i + 1) + plan->part, err);
  }
  return rc;
}

int members_make(struct run *run, struct err *err)
{
  const struct run_members *members = run->test->members;
  int rc;

  if (!members)
    return 0;
  rc = class_set_new(&run->members, plan_event_threads(run->plan), err);
  if (rc == 0)
    rc = make_schedules(run, err);
  if (rc < 0)
    return rc;
  for (unsigned i = 0; i < members->n; i++) {
    const char *name = members->of[i].name;

    if (class_id(run->members, name, strlen(name)) != i)
      return err_set(err, -ENOMEM, "cannot allocate the members of a mix");
  }
  for (unsigned i = 0; i < run->plan->threads; i++) {
    struct worker *w = &run->workers[i];
    const unsigned only = run_members_only(members, i);

    w->members = class_recorder_of(run->members,
                                   plan_event_thread(run->plan, i));
    w->watched = true;
    w->unsettled = true;
    if (only < members->n && run->member_schedules[only])
      w->schedule = run->member_schedules[only];
    if (!w->schedule)
      w->rated = NULL; /* nothing is due: it cannot be late */
  }
  return 0;
}

void members_done(struct run *run)
{
  class_set_free(run->members);
  for (unsigned i = 0; run->member_schedules && i < run->test->members->n; i++)
    schedule_free(run->member_schedules[i]);
  free(run->member_schedules);
}

void members_start(struct run *run)
{
  for (unsigned i = 0; run->member_schedules && i < run->test->members->n;
       i++) {
    if (run->member_schedules[i])
      schedule_start(run->member_schedules[i], run->start_ns, run->end_ns,
                     run->plan->events);
  }
}
