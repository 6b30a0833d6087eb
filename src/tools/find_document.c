/*
 * find_document.c - a search in the document of its sweep: written, read and
 * replayed.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/err.h"
#include "results/jobj.h"
#include "tools/find.h"
#include "tools/result.h"

static void add_known(struct jobj *o, const char *name, double value)
{
  if (value > 0 && isfinite(value))
    jobj_real(o, name, value);
  else
    jobj_null(o, name);
}

static json_t *step_json(const struct find *f, size_t i)
{
  const struct search_step *s = &f->step[i];
  struct jobj o = jobj_new();

  jobj_text(&o, "phase", search_phase_name(s->phase));
  jobj_real(&o, "value", s->value);
  jobj_text(&o, "verdict", search_verdict_name(s->verdict));
  jobj_int(&o, "events", (uint64_t)s->events);
  jobj_real(&o, "events_per_s", s->throughput);
  add_known(&o, "latency_ns", f->latency_ns[i]);
  if (s->verdict == SEARCH_OPEN && isfinite(s->missing))
    jobj_real(&o, "missing_runs", s->missing);
  else if (s->verdict == SEARCH_OPEN)
    jobj_null(&o, "missing_runs");
  return jobj_take(&o);
}

json_t *find_json(const struct find *f)
{
  const struct search *s = &f->search;
  struct jobj o = jobj_new();
  json_t *steps = json_array();

  for (size_t i = 0; i < f->n; i++) {
    if (!jobj_array_add(steps, step_json(f, i)))
      o.failed = true;
  }
  jobj_text(&o, "find", search_what_name(f->rules.what));
  jobj_text(&o, "objective", f->objective);
  add_known(&o, "limit_ns", f->limit_ns);
  jobj_real(&o, "precision", f->rules.precision);
  jobj_int(&o, "confirm", f->rules.confirm);
  jobj_int(&o, "again", f->rules.again);
  jobj_text(&o, "end", search_end_name(s->end));
  if (f->rules.drift_max > 0)
    jobj_real(&o, "drift_max", f->rules.drift_max);
  add_known(&o, "low", s->low);
  add_known(&o, "high", s->high);
  add_known(&o, "undecided", s->end == SEARCH_FOUND ? s->undecided : 0);
  add_known(&o, "refused", s->end == SEARCH_FOUND ? s->refused : 0);
  jobj_int(&o, "confirmed", s->end == SEARCH_FOUND ? s->confirmed : 0);
  jobj_real(&o, "drift", s->drift);
  add_known(&o, "hysteresis", s->hysteresis);
  jobj_add(&o, "steps", steps);
  return jobj_take(&o);
}

/* The number of the name, or `none`. */
static unsigned number_of(const char *name, const char *(*name_of)(unsigned),
                          unsigned none)
{
  for (unsigned i = 0; name && i < none; i++) {
    if (strcmp(name, name_of(i)) == 0)
      return i;
  }
  return none;
}

static const char *what_of(unsigned i)
{
  return search_what_name((enum search_what)i);
}

static const char *phase_of(unsigned i)
{
  return search_phase_name((enum search_phase)i);
}

static const char *verdict_of(unsigned i)
{
  return search_verdict_name((enum search_verdict)i);
}

/* null is a lot; older documents do not have it. */
static double read_missing(const json_t *step)
{
  const json_t *missing = json_object_get(step, "missing_runs");

  if (!missing)
    return 0;
  return json_is_number(missing) ? json_number_value(missing) : INFINITY;
}

static bool read_step(struct find *f, const json_t *json)
{
  struct search_step *s = &f->step[f->n];
  const unsigned phase = number_of(result_text_at(json, "phase"), phase_of,
                                   SEARCH_REFERENCE + 1);
  const unsigned verdict = number_of(result_text_at(json, "verdict"),
                                     verdict_of, SEARCH_NO_RESULT + 1);
  double *latency = &f->latency_ns[f->n];

  if (phase > SEARCH_REFERENCE || verdict > SEARCH_NO_RESULT)
    return false;
  *s = (struct search_step){
    .phase = (enum search_phase)phase,
    .verdict = (enum search_verdict)verdict,
    .value = result_number_at(json, "value"),
    .events = result_number_at(json, "events"),
    .throughput = result_number_at(json, "events_per_s"),
  };
  *latency = result_number_at(json, "latency_ns");
  s->missing = read_missing(json);
  f->n++;
  return isfinite(s->value) && s->value >= 0 && isfinite(s->throughput) &&
         isfinite(s->events);
}

static bool read_rules(struct find *f, const json_t *json)
{
  const double confirm = result_number_at(json, "confirm");
  const double again = result_number_at(json, "again");
  const double drift = result_number_at(json, "drift_max");
  const unsigned what = number_of(result_text_at(json, "find"), what_of,
                                  SEARCH_THREADS + 1);
  const char *objective = result_text_at(json, "objective");

  f->limit_ns = result_number_at(json, "limit_ns");
  f->rules.precision = result_number_at(json, "precision");
  if (!objective || what == SEARCH_OFF || what > SEARCH_THREADS ||
      !(f->rules.precision > 0) || !(confirm >= 0 && confirm <= 1000) ||
      again < 0 || again > 1000)
    return false;
  f->rules.what = (enum search_what)what;
  f->rules.confirm = (unsigned)confirm;
  /* Older documents do not have it, and measured no step again. */
  f->rules.again = isfinite(again) ? (unsigned)again : 0;
  /* Older documents do not have it: the usual one. */
  f->rules.drift_max = isfinite(drift) ? drift : 0;
  find_set_objective(f, objective);
  return true;
}

int find_read(struct find *f, const json_t *json, struct err *err)
{
  const json_t *steps = json_object_get(json, "steps");
  const char *end = result_text_at(json, "end");
  bool good;

  *f = (struct find){ .n = 0 };
  good = end && read_rules(f, json) &&
         json_array_size(steps) <= SEARCH_STEPS_MAX;
  for (size_t i = 0; good && i < json_array_size(steps); i++)
    good = read_step(f, json_array_get(steps, i));
  if (!good)
    return err_set(err, -EINVAL, "its search cannot be read");
  find_choose(f);
  if (strcmp(end, search_end_name(f->search.end)) != 0 ||
      f->search.end == SEARCH_ALIEN)
    return err_set(err, -EINVAL,
                   "its search does not follow from its steps (\"%s\", and "
                   "not \"%s\")",
                   search_end_name(f->search.end), end);
  return 0;
}
