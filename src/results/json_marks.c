/*
 * json_marks.c - marks of a run as a JSON array.
 */
#include "report/marks.h"
#include "results/jobj.h"
#include "results/json_parts.h"

static json_t *mark_part(const struct marks *m, unsigned i)
{
  struct jobj o = jobj_new();

  jobj_real(&o, "at_s", mark_at_s(m, i));
  jobj_text(&o, "text", mark_text(m, i));
  return jobj_take(&o);
}

json_t *json_marks(const struct marks *m, unsigned from, unsigned to)
{
  json_t *array = json_array();

  for (unsigned i = from; array && i < to; i++) {
    if (!jobj_array_add(array, mark_part(m, i))) {
      json_decref(array);
      array = NULL;
    }
  }
  return array;
}
