/*
 * sweep_data.c - are the data as large before each step as before the first?
 */
#include <math.h>

#include "base/log.h"
#include "tools/sweep_internal.h"

/* The bytes before a step; NAN: not known. */
static double bytes_of(const struct sweep_outcome *o)
{
  return o->result.json
           ? result_number_at(o->result.run.json, "database.data_bytes")
           : NAN;
}

/* The step that this one is compared with. */
static const struct sweep_outcome *first_of(const struct sweep *s,
                                            const struct sweep_outcome *o)
{
  for (size_t i = 0; i < s->n_outcomes; i++) {
    const struct sweep_outcome *f = &s->outcomes[i];

    if (bytes_of(f) > 0 && (!s->prepares || f->combination == o->combination))
      return f;
  }
  return NULL;
}

double sweep_data_change(const struct sweep *s, size_t *ret_step)
{
  double change = NAN;

  for (size_t i = 0; i < s->n_outcomes; i++) {
    const struct sweep_outcome *o = &s->outcomes[i];
    const struct sweep_outcome *first = first_of(s, o);
    double by;

    if (!first || first == o)
      continue;
    by = bytes_of(o) / bytes_of(first) - 1;
    if (isfinite(by) && (isnan(change) || fabs(by) > fabs(change))) {
      change = by;
      *ret_step = i + 1;
    }
  }
  return change;
}

void sweep_data_warn(const struct sweep *s)
{
  size_t step = 0;
  const double change = sweep_data_change(s, &step);

  if (isfinite(change) && fabs(change) > SWEEP_DRIFT_SHARE)
    log_msg(LOG_WARNING,
            "the data were %.1f %% %s before step %zu than at the start, so "
            "the steps do not compare; restore them with --reset or "
            "--sweep-prepare=on",
            100 * fabs(change), change > 0 ? "larger" : "smaller", step);
}
