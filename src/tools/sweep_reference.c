/*
 * sweep_reference.c - the same step again and again between the others: if it
 * changes, the machine or the data have changed.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "results/jobj.h"
#include "tools/sweep_internal.h"
#include "tools/sweep_opts.h"
#include "tools/table.h"

size_t sweep_references_max(const struct sweep *s)
{
  const size_t every = (size_t)s->in->cfg->reference_every;
  const size_t all = s->plan.n_combinations * s->plan.repeats;

  return every > 0 ? (all + every - 1) / every + 1 : 0;
}

bool sweep_reference_due(const struct sweep *s, size_t step, size_t all)
{
  const size_t every = (size_t)s->in->cfg->reference_every;

  return every > 0 && (step % every == 0 || step == all);
}

static void announce_reference(const struct sweep *s)
{
  struct strbuf what = { 0 };

  sweep_plan_describe(&s->plan, 0, &what);
  (void)fprintf(s->text, "%s=== Reference%s%s\n\n",
                sweep_is_first(s) ? "" : "\n", what.len > 0 ? ": " : "",
                strbuf_str(&what));
  strbuf_done(&what);
}

int sweep_run_reference(struct sweep *s, size_t before, struct err *err)
{
  struct sweep_reference *r = &s->references[s->n_references];
  int rc;

  *r = (struct sweep_reference){ .before = before, .outcome.repeat = 1 };
  announce_reference(s);
  (void)fflush(s->text);
  rc = sweep_reset(s, &r->outcome, err);
  if (rc < 0 || sweep_is_over(s))
    return rc;
  s->n_references++;
  return sweep_perform(s, &r->outcome, 0, err);
}

double sweep_reference_drift(const double *figures, size_t n, size_t *ret_at)
{
  size_t first = n, at = n;
  double drift = NAN;

  for (size_t i = 0; i < n; i++) {
    if (!(figures[i] > 0))
      continue;
    if (first == n)
      first = i;
    else if (isnan(drift) ||
             fabs(figures[i] / figures[first] - 1) > fabs(drift)) {
      drift = figures[i] / figures[first] - 1;
      at = i;
    }
  }
  *ret_at = at;
  return drift;
}

static double drift_of(const struct sweep *s, size_t *ret_at)
{
  double *x = calloc(s->n_references + 1, sizeof(*x));
  double drift = NAN;

  for (size_t i = 0; x && i < s->n_references; i++) {
    const struct sweep_outcome *o = &s->references[i].outcome;

    x[i] = sweep_outcome_good(o) ? o->result.run.events_per_s : NAN;
  }
  if (x)
    drift = sweep_reference_drift(x, s->n_references, ret_at);
  free(x);
  return drift;
}

void sweep_references_table(const struct sweep *s, struct strbuf *out)
{
  size_t at = 0;
  const double drift = drift_of(s, &at);
  struct strbuf what = { 0 };

  if (s->n_references == 0 || s->in->cfg->format == TABLE_CSV)
    return;
  sweep_plan_describe(&s->plan, 0, &what);
  strbuf_addf(out, "reference: %s, events/s", strbuf_str(&what));
  strbuf_done(&what);
  for (size_t i = 0; i < s->n_references; i++) {
    const struct sweep_outcome *o = &s->references[i].outcome;

    if (sweep_outcome_good(o))
      strbuf_addf(out, "%s %.2f", i > 0 ? "," : "", o->result.run.events_per_s);
    else
      strbuf_addf(out, "%s failed", i > 0 ? "," : "");
  }
  if (isfinite(drift))
    strbuf_addf(out, " (%+.1f %%)", 100 * drift);
  strbuf_adds(out, "\n");
}

void sweep_references_warn(const struct sweep *s)
{
  size_t at = 0;
  const double drift = drift_of(s, &at);

  if (isfinite(drift) && fabs(drift) > SWEEP_DRIFT_SHARE)
    log_msg(LOG_WARNING,
            "the reference step has drifted by %+.1f %% (%s step %zu), so the "
            "steps do not compare; use --reset, --settle or a longer --time",
            100 * drift,
            s->references[at].before <= s->n_outcomes ? "before" : "after",
            s->references[at].before <= s->n_outcomes ? s->references[at].before
                                                      : s->n_outcomes);
}

static json_t *reference_part(const struct sweep_reference *r)
{
  const struct sweep_outcome *o = &r->outcome;
  struct jobj j = jobj_new();

  jobj_int(&j, "before_step", r->before);
  jobj_int(&j, "exit_status", (uint64_t)o->status);
  if (o->failed)
    jobj_text(&j, "failed", o->failed);
  else
    jobj_null(&j, "failed");
  jobj_add(&j, "result",
           o->result.json ? json_incref(o->result.json) : json_null());
  return jobj_take(&j);
}

json_t *sweep_references(const struct sweep *s)
{
  json_t *list = json_array();

  for (size_t i = 0; list && i < s->n_references; i++) {
    if (!jobj_array_add(list, reference_part(&s->references[i]))) {
      json_decref(list);
      list = NULL;
    }
  }
  return list;
}
