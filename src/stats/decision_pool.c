/*
 * decision_pool.c - what several runs at the same load say together.
 */
#include "stats/decision_pool.h"

#include <math.h>

#include "stats/binomial.h"

/* Each run that is added is another look, and another chance to err.  A load is
 * an answer only if several steps hold.  One that has failed is not measured
 * again, so that has to be so many times as sure. */
#define SURER 5
/* By which a number of late events may be too high. */
#define SIGMAS 2
/* More runs than so many times those in the pool are a lot. */
#define TIMES_MAX 50

void decision_pool_add(struct decision_pool *p, const struct decision_run *run)
{
  /* decision_correct() is linear in the first: 1 + (seen - 1) * factor. */
  const double factor = decision_correct(2, run->clusters) - 1;
  const double seen = factor > 0 ? 1 + (run->inflation - 1) / factor : 1;

  if (!(run->intervals >= DECISION_INTERVALS_MIN))
    return;
  p->events += run->events;
  p->late += run->late;
  p->waiting += run->waiting;
  p->longest = fmax(p->longest, run->events);
  p->clusters += run->clusters;
  p->inflated += run->late * seen;
}

/* As seen in the run with the most late events, which knows best how they
 * come. */
static double seen_inflation(const struct decision_pool *p)
{
  return p->late > 0 ? p->inflated / p->late : 1;
}

/* The verdict on `times` as many runs like those in the pool, with so many late
 * events. */
static enum decision_verdict verdict_of_more(const struct decision_pool *p,
                                             double late, double share,
                                             double times)
{
  const double rare = 1 - DECISION_CONFIDENCE;
  const double inflation = decision_correct(seen_inflation(p),
                                            p->clusters * times);
  const double all = p->events * times / inflation;
  const double hits = late * times / inflation;
  const double waiting = p->waiting * times / inflation;

  if (binomial_at_most(all + waiting, hits + waiting, share) <= rare)
    return DECISION_HELD;
  if (binomial_at_least(all, hits, share) <= rare / SURER)
    return DECISION_FAILED;
  return DECISION_OPEN;
}

enum decision_verdict decision_pool_verdict(const struct decision_pool *p,
                                            double share)
{
  if (p->events < 1)
    return DECISION_OPEN;
  if (share <= 0)
    return p->late > 0 ? DECISION_FAILED : DECISION_HELD;
  return verdict_of_more(p, p->late, share, 1);
}

double decision_pool_missing(const struct decision_pool *p, double share)
{
  const double sigma = sqrt(p->late * seen_inflation(p));
  const double late = fmax(p->late - SIGMAS * sigma, 0);
  double times = 1;

  if (p->events < 1)
    return INFINITY;
  while (times < TIMES_MAX &&
         verdict_of_more(p, late, share, times) == DECISION_OPEN)
    times *= 1.1;
  return times < TIMES_MAX ? (times - 1) * p->events / p->longest : INFINITY;
}
