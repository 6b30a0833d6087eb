/*
 * view_members.c - the members of a mix: a table with a row for each, and their
 * throughput and latency over time.
 */
#include <math.h>
#include <string.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "tools/chart.h"
#include "tools/members.h"
#include "tools/result.h"
#include "tools/table.h"
#include "tools/view.h"
#include "tools/view_charts.h"
#include "tools/view_draw.h"

static const json_t *members_of(const struct view_run *r)
{
  return json_object_get(r->run->json, "members");
}

/* ---- the table ---- */

static void head(struct table *t)
{
  static const char *const heads[] = {
    "result", "member", "planned", "share", "events",     "events/s", "mean",
    "p50",    "p95",    "p99",     "max",   "errors", "reconnects"
  };

  for (size_t i = 0; i < ARRAY_SIZE(heads); i++)
    table_cell(t, heads[i]);
  table_end_row(t);
}

/* What the command line wants: a share, or clients that may have a rate. */
static void planned_cell(struct table *t, const json_t *m)
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
  planned_cell(t, m);
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
      head(t);
    for (size_t k = 0; k < json_array_size(list); k++)
      member_row(t, v->runs[i].label, json_array_get(list, k));
  }
}

/* ---- the charts ---- */

/* The members of one run in a chart. */
static void draw_members(const struct view *v, size_t run, const char *what,
                         const char *y_label, enum axis_unit unit,
                         const struct trace *figure, struct strbuf *out)
{
  const json_t *list = members_of(&v->runs[run]);
  struct strbuf title = { 0 };
  struct chart c;

  strbuf_adds(&title, what);
  if (v->n_runs > 1)
    strbuf_addf(&title, ": %s", v->runs[run].label);
  c = view_over_time(v, strbuf_str(&title), y_label, unit);
  c.named = true;
  if (unit == AXIS_TIME)
    c.y.kind = AXIS_LOG;
  for (size_t i = 0; i < json_array_size(list); i++) {
    struct trace t = *figure;

    t.member = result_text_at(json_array_get(list, i), "name");
    if (t.member)
      view_add_trace(&c, t.member, v, run, &t);
  }
  view_draw(&c, NULL, out);
  out->failed = out->failed || title.failed;
  strbuf_done(&title);
}

/* A chart has no more lines than there are colours. */
static void say_left_out(const struct view_run *r, struct strbuf *out)
{
  const size_t n = json_array_size(members_of(r));

  if (n > CHART_LINES_MAX)
    strbuf_addf(out,
                "<p class=\"dim\">The charts show the first %d of %zu "
                "members.</p>\n",
                CHART_LINES_MAX, n);
}

void view_charts_members(const struct view *v, struct strbuf *out)
{
  static const struct trace events = { .path = "events_per_s", .scale = 1 };
  static const struct trace tail = { .percentile = "95", .scale = 1 };

  for (size_t i = 0; i < v->n_runs && i < VIEW_RUNS_MAX; i++) {
    if (json_array_size(members_of(&v->runs[i])) == 0 ||
        v->runs[i].run->n_intervals < 2)
      continue;
    say_left_out(&v->runs[i], out);
    draw_members(v, i, "Throughput of members", "events per second", AXIS_COUNT,
                 &events, out);
    draw_members(v, i, "95th percentile of members", "latency", AXIS_TIME,
                 &tail, out);
  }
}
