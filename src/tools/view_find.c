/*
 * view_find.c - a search in a report.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "tools/find.h"
#include "tools/table.h"
#include "tools/view.h"

int view_find_load(struct view *v, size_t file, struct err *err)
{
  const json_t *search = result_at(v->files[file].json, "sweep.search");
  struct err why = { "" };
  struct find *f;

  if (!search)
    return 0;
  f = calloc(1, sizeof(*f));
  if (!f)
    return err_set(err, -ENOMEM, "not enough memory for the report");
  v->finds[file] = f;
  if (find_read(f, search, &why) < 0)
    return err_set(err, -EINVAL, "'%.200s' cannot be shown: %s",
                   v->files[file].path, why.text);
  v->has_find = true;
  return 0;
}

void view_find_answers(const struct view *v, struct strbuf *out)
{
  for (size_t i = 0; i < v->n_files; i++) {
    if (!v->finds[i])
      continue;
    if (v->n_files > 1)
      strbuf_addf(out, "%s: ", v->names[i]);
    find_say(v->finds[i], out);
  }
}

static void view_find_add_row(struct table *t, const struct find *f, size_t i)
{
  const struct search_step *s = &f->step[i];
  struct strbuf value = { 0 };

  find_value(f, s->value, &value);
  table_cellf(t, "%zu", i + 1);
  table_cell(t, search_phase_name(s->phase));
  table_cell(t, s->value > 0 ? strbuf_str(&value) : "closed loop");
  table_cell(t, s->value > 0 ? search_verdict_name(s->verdict) : "-");
  table_cellf(t, "%.2f", s->throughput);
  if (isfinite(f->latency_ns[i]))
    table_time(t, f->latency_ns[i]);
  table_end_row(t);
  strbuf_done(&value);
}

void view_find_steps(const struct view *v, struct table *t)
{
  table_cell(t, "step");
  table_cell(t, "phase");
  table_cell(t, "load");
  table_cell(t, "objective");
  table_cell(t, "events/s");
  table_cell(t, "latency");
  table_end_row(t);
  for (size_t i = 0; i < v->n_files; i++) {
    for (size_t k = 0; v->finds[i] && k < v->finds[i]->n; k++)
      view_find_add_row(t, v->finds[i], k);
  }
}
