/*
 * view_members.c - the table of members of a mix.
 */
#include <math.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "tools/members.h"
#include "tools/result.h"
#include "tools/table.h"
#include "tools/view.h"

static const json_t *members_of(const struct view_run *r)
{
  return json_object_get(r->run->json, "members");
}

static void view_members_head(struct table *t)
{
  static const char *const heads[] = {
    "result", "member", "planned", "share", "events", "events/s",  "mean",
    "p50",    "p95",    "p99",     "max",   "errors", "reconnects"
  };

  for (size_t i = 0; i < ARRAY_SIZE(heads); i++)
    table_cell(t, heads[i]);
  table_end_row(t);
}

/* A share, or clients with or without a rate. */
static void view_members_planned_cell(struct table *t, const json_t *m)
{
  const double share = result_number_at(m, "planned_ratio");
  const double clients = result_number_at(m, "clients");
  const double rate = result_number_at(m, "planned_per_s");
  struct strbuf text = { 0 };

  if (share > 0)
    strbuf_addf(&text, "%.1f %%", 100 * share);
  else if (clients > 0)
    strbuf_addf(&text, "%.0f client%s", clients, clients > 1 ? "s" : "");
  else
    strbuf_adds(&text, "-");
  if (rate > 0)
    strbuf_addf(&text, " at %.10g/s", rate);
  table_cell(t, strbuf_str(&text));
  t->failed = t->failed || text.failed;
  strbuf_done(&text);
}

static void member_row(struct table *t, const char *label, const json_t *m)
{
  static const char *const keys[] = { "50", "95", "99" };
  const bool any = result_number_at(m, "events") > 0;
  const char *name = result_text_at(m, "name");

  table_cell(t, label);
  table_cell(t, name ? name : "?");
  view_members_planned_cell(t, m);
  table_cellf(t, "%.1f %%", 100 * result_number_at(m, "share_ratio"));
  table_count(t, result_number_at(m, "events"));
  table_count(t, result_number_at(m, "events_per_s"));
  table_time(t, any ? result_number_at(m, "latency_ns.mean") : NAN);
  for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
    table_time(t, member_percentile(m, keys[i]));
  table_time(t, any ? result_number_at(m, "latency_ns.max") : NAN);
  table_count(t, result_number_at(m, "errors"));
  table_count(t, result_number_at(m, "reconnects"));
  table_end_row(t);
}

void view_members(const struct view *v, struct table *t)
{
  for (size_t i = 0; i < v->n_runs; i++) {
    const json_t *list = members_of(&v->runs[i]);

    if (t->columns == 0 && json_array_size(list) > 0)
      view_members_head(t);
    for (size_t k = 0; k < json_array_size(list); k++)
      member_row(t, v->runs[i].label, json_array_get(list, k));
  }
}
