#include "run/members.h"

#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "run/plan.h"
#include "run/run.h"
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

int members_make(struct run *run, struct err *err)
{
  const struct run_members *members = run->test->members;
  int rc;

  if (!members)
    return 0;
  rc = class_set_new(&run->members, plan_event_threads(run->plan), err);
  if (rc < 0)
    return rc;
  for (unsigned i = 0; i < members->n; i++) {
    const char *name = members->of[i].name;

    if (class_id(run->members, name, strlen(name)) != i)
      return err_set(err, -ENOMEM, "cannot allocate the members of a mix");
  }
  for (unsigned i = 0; i < run->plan->threads; i++) {
    struct worker *w = &run->workers[i];

    w->members = class_recorder_of(run->members,
                                   plan_event_thread(run->plan, i));
    w->watched = true;
    w->unsettled = true;
    if (!w->schedule)
      w->rated = NULL; /* nothing is due */
  }
  return 0;
}
