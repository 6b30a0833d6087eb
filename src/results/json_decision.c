/*
 * json_decision.c - what was decided about an objective as a JSON object.
 */
#include "results/jobj.h"
#include "results/json_parts.h"
#include "stats/decision.h"

static json_t *term(const struct decision_term *t)
{
  struct jobj o = jobj_new();

  jobj_text(&o, "term", t->term->text);
  jobj_text(&o, "verdict", decision_name(t->verdict));
  jobj_int(&o, "attempts", t->events);
  jobj_int(&o, "beyond", t->late);
  jobj_int(&o, "waiting", t->waiting);
  jobj_real(&o, "inflation", t->inflation);
  jobj_int(&o, "clusters", t->clusters);
  return jobj_take(&o);
}

json_t *json_decision(const struct decision_result *r)
{
  struct jobj o = jobj_new();
  json_t *terms = json_array();

  jobj_text(&o, "verdict", decision_name(r->verdict));
  jobj_real(&o, "settled_s", jobj_seconds(r->settled_ns));
  jobj_real(&o, "decided_s", jobj_seconds(r->decided_ns));
  jobj_int(&o, "intervals", r->intervals);
  for (unsigned i = 0; i < r->n; i++) {
    if (!jobj_array_add(terms, term(&r->of[i])))
      o.failed = true;
  }
  jobj_add(&o, "terms", terms);
  return jobj_take(&o);
}
