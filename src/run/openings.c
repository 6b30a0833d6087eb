/*
 * openings.c - idle clients of a thread begin a few at a time.
 */
#include "run/openings.h"

#include <stdatomic.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/err.h"
#include "base/wait.h"
#include "loop/loop.h"
#include "run/crew.h"
#include "run/idle.h"
#include "run/plan.h"
#include "run/run.h"
#include "run/worker.h"

enum {
  PLACES = 32, /* clients that open at a time, if each takes moments */
};

/* If no client was opened in this time, as many begin as well: they may wait
 * for a server far away, or for each other. */
#define PATIENCE_NS (100 * NS_PER_MS)

/* The next idle one; NULL: all have begun. */
static struct worker *take(struct openings *o)
{
  const struct plan *plan = o->run->plan;

  while (o->next < plan->threads) {
    const unsigned i = o->next;

    o->next += o->step;
    if (idle_is(plan, i))
      return &o->run->workers[i];
  }
  return NULL;
}

/* Neither `w` nor any other one begins. */
static void give_up(struct openings *o, struct worker *w, struct err *why)
{
  for (; w; w = take(o))
    crew_never_begun(w, why);
}

static bool begin_one(struct openings *o)
{
  struct worker *w = take(o);
  struct err err = { "" };

  if (!w)
    return false;
  if (run_stopped(o->run) != STOP_NO) {
    give_up(o, w, NULL);
    return false;
  }
  if (loop_add(o->loop, crew_worker_life, w, &err) < 0) {
    give_up(o, w, &err);
    return false;
  }
  o->inside++;
  return true;
}

void openings_next(struct openings *o)
{
  o->inside--;
  o->ended++;
  if (o->inside < PLACES)
    (void)begin_one(o);
}

/* A fiber: sees that openings which take long do not keep others waiting. */
static void see_to_it(void *arg)
{
  struct openings *o = arg;
  _Atomic uint32_t never = 0;
  uint64_t ended;

  do {
    for (unsigned i = 0; i < PLACES && begin_one(o); i++)
      continue;
    do {
      ended = o->ended;
      loop_wait_while(&never, 0, clock_now_ns() + PATIENCE_NS);
    } while (o->ended != ended);
  } while (o->next < o->run->plan->threads);
}

int openings_begin(struct openings *o, struct run *run, struct loop *l,
                   unsigned first, unsigned step, struct err *err)
{
  *o = (struct openings){ .run = run, .loop = l, .next = first, .step = step };
  return run->plan->idle > 0 ? loop_add(l, see_to_it, o, err) : 0;
}
