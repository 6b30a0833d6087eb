/*
 * sweep_usl.c - the Universal Scalability Law of a sweep that has just ended.
 */
#include <stdlib.h>

#include "tools/sweep_internal.h"
#include "tools/usl.h"
#include "tools/usl_runs.h"

bool sweep_find_usl(const struct sweep *s, struct usl *ret)
{
  struct usl_point *points;
  size_t n = 0;
  bool found;

  if (sweep_has_parts(s) || s->plan.n_specs != 1 ||
      !usl_is_option(s->plan.spec[0].option))
    return false;
  points = calloc(s->n_outcomes + 1, sizeof(*points));
  if (!points)
    return false;
  for (size_t i = 0; i < s->n_outcomes; i++) {
    const struct sweep_outcome *o = &s->outcomes[i];

    if (sweep_outcome_good(o))
      n += usl_point_of(&o->result.run,
                        sweep_plan_value(&s->plan, o->combination, 0),
                        &points[n]);
  }
  found = usl_fit(ret, points, n);
  free(points);
  return found;
}
