/*
 * verdict.c - same, faster, slower, or inconclusive.
 */
#include "tools/verdict.h"

#include <math.h>

const char *verdict_name(enum verdict v, enum compare_kind kind)
{
  static const char *const names[] = {
    [VERDICT_SAME] = "same",
    [VERDICT_FASTER] = "faster",
    [VERDICT_SLOWER] = "slower",
    [VERDICT_INCONCLUSIVE] = "inconclusive",
  };

  if (compare_is_cost(kind) && v == VERDICT_FASTER)
    return "less";
  if (compare_is_cost(kind) && v == VERDICT_SLOWER)
    return "more";
  return names[v];
}

enum verdict verdict_of(const struct comparison *c, double share)
{
  if (!c->known)
    return VERDICT_INCONCLUSIVE;
  if (c->r.low >= 1 - share && c->r.high <= 1 + share)
    return VERDICT_SAME;
  if (!c->r.differs)
    return VERDICT_INCONCLUSIVE;
  return (c->r.ratio > 1) == compare_is_rate(c->kind) ? VERDICT_FASTER
                                                      : VERDICT_SLOWER;
}

enum gate gate_of(const struct comparison *c, double share)
{
  const bool rate = compare_is_rate(c->kind);

  if (!c->known)
    return GATE_UNKNOWN;
  if (rate ? c->r.low >= 1 - share : c->r.high <= 1 + share)
    return GATE_PASSED;
  if (rate ? c->r.high < 1 - share : c->r.low > 1 + share)
    return GATE_SLOWER;
  return GATE_UNKNOWN;
}

double verdict_unnoticed(const struct comparison *c)
{
  return fmax(0, compare_is_rate(c->kind) ? 1 - c->r.low : c->r.high - 1);
}
