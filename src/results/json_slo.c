/*
 * json_slo.c - the verdict on an objective as a JSON object.
 */
#include <math.h>

#include "results/jobj.h"
#include "results/json_parts.h"
#include "stats/slo.h"

static const char *unit_of(const struct slo_term *t)
{
  static const char *const names[] = {
    [SLO_NS] = "ns",
    [SLO_SHARE] = "ratio",
    [SLO_PER_S] = "per_s",
  };

  return names[t->kind->unit];
}

static json_t *term(const struct slo_result *r)
{
  struct jobj o = jobj_new();

  jobj_text(&o, "term", r->term->text);
  jobj_text(&o, "unit", unit_of(r->term));
  jobj_real(&o, "limit", r->term->limit);
  if (isfinite(r->value))
    jobj_real(&o, "value", r->value);
  else
    jobj_null(&o, "value");
  jobj_text(&o, "verdict", slo_state_name(slo_result_state(r)));
  jobj_bool(&o, "sure", r->sure);
  if (r->all > 0) {
    jobj_int(&o, "attempts", r->all);
    jobj_int(&o, "beyond", r->bad);
  }
  return jobj_take(&o);
}

json_t *json_slo(const struct slo_verdict *v)
{
  struct jobj o = jobj_new();
  json_t *terms = json_array();

  jobj_text(&o, "verdict", slo_state_name(v->state));
  for (unsigned i = 0; i < v->n; i++) {
    if (!jobj_array_add(terms, term(&v->of[i])))
      o.failed = true;
  }
  jobj_add(&o, "terms", terms);
  return jobj_take(&o);
}
