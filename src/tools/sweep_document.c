/*
 * sweep_document.c - all steps of a sweep as one JSON document.
 */
#include <math.h>

#include "base/strbuf.h"
#include "results/jobj.h"
#include "tools/knee.h"
#include "tools/sweep_internal.h"
#include "tools/sweep_opts.h"
#include "tools/usl.h"
#include "tools/usl_runs.h"
#include "tools/variance.h"

static json_t *values_of(const struct sweep *s, size_t combination)
{
  struct jobj o = jobj_new();

  for (size_t i = 0; i < s->plan.n_specs; i++)
    jobj_named(&o, s->plan.spec[i].option,
               jobj_shown(sweep_plan_value(&s->plan, combination, i)));
  return jobj_take(&o);
}

static json_t *values_or_null(const struct sweep *s, size_t combination)
{
  return combination == KNEE_NONE ? json_null() : values_of(s, combination);
}

static json_t *options_of(const struct sweep *s)
{
  json_t *list = json_array();

  for (size_t i = 0; list && i < s->plan.n_specs; i++) {
    const struct sweep_spec *spec = &s->plan.spec[i];
    struct jobj o = jobj_new();
    json_t *values = json_array();

    for (size_t k = 0; values && k < spec->n; k++) {
      if (!jobj_array_add(values, jobj_shown(spec->values[k])))
        o.failed = true;
    }
    jobj_text(&o, "name", spec->option);
    jobj_add(&o, "values", values);
    if (!jobj_array_add(list, jobj_take(&o))) {
      json_decref(list);
      list = NULL;
    }
  }
  return list;
}

static void add_share(struct jobj *o, const char *key, double value)
{
  if (isfinite(value))
    jobj_real(o, key, value);
  else
    jobj_null(o, key);
}

/* The components of the variance of each combination. */
static json_t *spreads_of(const struct sweep *s)
{
  json_t *list = json_array();

  for (size_t i = 0; list && i < s->plan.n_combinations; i++) {
    const struct variance v = sweep_spread(s, i);
    struct jobj o = jobj_new();

    jobj_add(&o, "values", values_of(s, i));
    add_share(&o, "spread_ratio", v.spread);
    add_share(&o, "between_ratio", v.between);
    add_share(&o, "within_ratio", v.within);
    if (!jobj_array_add(list, jobj_take(&o))) {
      json_decref(list);
      list = NULL;
    }
  }
  return list;
}

static json_t *sweep_part(const struct sweep *s)
{
  struct jobj o = jobj_new();
  size_t best, knee, step;
  struct usl usl;

  best = knee = KNEE_NONE;
  if (!sweep_has_parts(s) &&
      !sweep_finds(s)) /* no part is better than another */
    sweep_find_knee(s, &best, &knee);
  jobj_add(&o, "options", options_of(s));
  jobj_bool(&o, "parts", sweep_has_parts(s));
  jobj_int(&o, "repeat", s->plan.repeats);
  jobj_real(&o, "pause_s", s->in->cfg->pause_s);
  jobj_bool(&o, "prepared_each_step", s->prepares);
  jobj_int(&o, "steps_planned",
           sweep_finds(s) ? s->n_outcomes
                          : s->plan.n_combinations * s->plan.repeats);
  jobj_bool(&o, "interrupted", s->children.signal != 0);
  if (*s->in->cfg->reset) {
    jobj_add(&o, "reset", jobj_shown(s->in->cfg->reset));
    jobj_int(&o, "reset_exit_status", (uint64_t)s->reset_status);
  }
  if (!sweep_has_parts(s))
    add_share(&o, "data_change_ratio", sweep_data_change(s, &step));
  if (s->plan.repeats > 1 && !sweep_has_parts(s))
    jobj_add(&o, "spread", spreads_of(s));
  jobj_add(&o, "best", values_or_null(s, best));
  jobj_add(&o, "knee", values_or_null(s, knee));
  jobj_real(&o, "knee_share", KNEE_SHARE);
  if (!sweep_finds(s) && sweep_find_usl(s, &usl))
    jobj_add(&o, "usl", usl_json(&usl));
  if (sweep_finds(s))
    jobj_add(&o, "search", find_json(&s->find));
  return jobj_take(&o);
}

static json_t *step_part(const struct sweep *s, size_t i)
{
  const struct sweep_outcome *step = &s->outcomes[i];
  struct jobj o = jobj_new();

  jobj_int(&o, "step", i + 1);
  jobj_int(&o, "repeat", step->repeat);
  jobj_add(&o, "values", values_of(s, step->combination));
  jobj_int(&o, "exit_status", (uint64_t)step->status);
  if (step->failed)
    jobj_text(&o, "failed", step->failed);
  else
    jobj_null(&o, "failed");
  jobj_add(&o, "result",
           step->result.json ? json_incref(step->result.json) : json_null());
  return jobj_take(&o);
}

json_t *sweep_document(const struct sweep *s)
{
  struct jobj o = jobj_new();
  json_t *steps = json_array();

  for (size_t i = 0; steps && i < s->n_outcomes; i++) {
    if (!jobj_array_add(steps, step_part(s, i)))
      o.failed = true;
  }
  jobj_text(&o, "schema", RESULT_SCHEMA_SWEEP);
  jobj_add(&o, "sweep", sweep_part(s));
  jobj_add(&o, "steps", steps);
  if (s->in->cfg->reference_every > 0)
    jobj_add(&o, "references", sweep_references(s));
  return jobj_take(&o);
}
