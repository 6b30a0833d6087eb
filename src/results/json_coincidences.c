/*
 * json_coincidences.c - what happens when the run stumbles, as JSON.
 */
#include "base/strbuf.h"
#include "results/coincidences.h"
#include "results/jobj.h"
#include "results/json_parts.h"

static json_t *dips_part(const struct coincidences *c)
{
  json_t *list = json_array();

  for (size_t i = 0; list && i < c->n; i++) {
    struct jobj o;
    size_t last = i;

    if (!c->dip[i])
      continue;
    while (last + 1 < c->n && c->dip[last + 1])
      last++;
    o = jobj_new();
    jobj_int(&o, "first", i);
    jobj_int(&o, "last", last);
    if (!jobj_array_add(list, jobj_take(&o))) {
      json_decref(list);
      list = NULL;
    }
    i = last;
  }
  return list;
}

static json_t *finding_part(const struct coincidences *c, unsigned i)
{
  const struct coincide_finding *f = &c->found.of[i];
  struct strbuf text = { 0 };
  struct jobj o = jobj_new();

  coincidences_sentence(c, i, &text);
  jobj_text(&o, "series", coincidences_series(f->series));
  jobj_text(&o, "text", strbuf_str(&text));
  jobj_int(&o, "dips", c->found.dips);
  jobj_int(&o, "hits", f->hits);
  jobj_real(&o, "expected", f->expected);
  jobj_real(&o, "p", f->p);
  strbuf_done(&text);
  return jobj_take(&o);
}

json_t *json_coincidences(const struct coincidences *c)
{
  struct jobj o = jobj_new();
  json_t *found = json_array();

  for (unsigned i = 0; found && i < c->found.n; i++) {
    if (!jobj_array_add(found, finding_part(c, i))) {
      json_decref(found);
      found = NULL;
    }
  }
  jobj_int(&o, "intervals", c->n);
  jobj_add(&o, "dips", dips_part(c));
  jobj_add(&o, "found", found);
  return jobj_take(&o);
}
