/*
 * decision_pool.c - what several runs at the same load say together.
 */
#include "stats/decision_pool.h"

#include "stats/binomial.h"

/* Each run that is added is another look, and another chance to err.  A load
 * that holds is confirmed anyway.  One that has failed is not measured again, so
 * that has to be so many times as sure. */
#define SURER 5

void decision_pool_add(struct decision_pool *p, double events, double late,
                       double inflation, double clusters)
{
  /* decision_correct() is linear in the first: 1 + (seen - 1) * factor. */
  const double factor = decision_correct(2, clusters) - 1;
  const double seen = factor > 0 ? 1 + (inflation - 1) / factor : 1;

  p->events += events;
  p->late += late;
  p->clusters += clusters;
  p->inflated += late * seen;
}

enum decision_verdict decision_pool_verdict(const struct decision_pool *p,
                                            double share)
{
  const double rare = 1 - DECISION_CONFIDENCE;
  /* The run with the most late events knows best how they come. */
  const double seen = p->late > 0 ? p->inflated / p->late : 1;
  const double inflation = decision_correct(seen, p->clusters);

  if (share <= 0)
    return p->late > 0 ? DECISION_FAILED : DECISION_HELD;
  if (p->events < 1)
    return DECISION_OPEN;
  if (binomial_at_most(p->events / inflation, p->late / inflation, share) <=
      rare)
    return DECISION_HELD;
  if (binomial_at_least(p->events / inflation, p->late / inflation, share) <=
      rare / SURER)
    return DECISION_FAILED;
  return DECISION_OPEN;
}
