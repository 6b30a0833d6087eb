/*
 * json_storms.c - the storms of a run as a JSON array.
 */
#include "results/jobj.h"
#include "results/json_parts.h"
#include "stats/storm_report.h"

static json_t *times(const struct storm_times *t)
{
  struct jobj o = jobj_new();

  jobj_int(&o, "count", t->count);
  if (t->count > 0) {
    jobj_int(&o, "p50_ns", t->p50_ns);
    jobj_int(&o, "p99_ns", t->p99_ns);
    jobj_int(&o, "max_ns", t->max_ns);
  }
  return jobj_take(&o);
}

static json_t *storm(const struct storm_report *s)
{
  struct jobj o = jobj_new();

  jobj_real(&o, "at_s", jobj_seconds(s->at_ns));
  jobj_int(&o, "clients", s->clients);
  jobj_int(&o, "refused", s->failed);
  if (s->failed > 0)
    jobj_text(&o, "first_reason", s->reason);
  jobj_add(&o, "connected", times(&s->connected));
  jobj_add(&o, "served", times(&s->served));
  return jobj_take(&o);
}

json_t *json_storms(const struct storm_report *of, unsigned n)
{
  json_t *array = json_array();

  for (unsigned i = 0; array && i < n; i++) {
    if (!jobj_array_add(array, storm(&of[i]))) {
      json_decref(array);
      array = NULL;
    }
  }
  return array;
}
